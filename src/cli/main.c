/* main.c - the jotter command. */
#include <stdio.h>
#include <string.h>

#include "jotter.h"

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("jotter %s\n", jot_version());
        return 0;
    }
    fprintf(stderr, "usage: jotter --version\n");
    return 64;
}
