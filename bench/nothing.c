/* nothing.c - a program that does nothing, to know what starting one costs. */

int main(void)
{
    return 0;
}
