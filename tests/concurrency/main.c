/* main.c - the rig as a program. */
#include "rig.h"

int main(int argc, char **argv)
{
    return rig_main(argc, argv);
}
