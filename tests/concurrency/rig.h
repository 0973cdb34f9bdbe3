/* rig.h - the concurrency rig as one function, so that another program can be it. */
#ifndef CONCURRENCY_RIG_H
#define CONCURRENCY_RIG_H

/* The command line of `concurrency`; returns its exit code: 0, 1 for a violation (told on
 * standard output), 2 for a wrong command line, 77 if the engine is not built in. */
int rig_main(int argc, char **argv);

#endif
