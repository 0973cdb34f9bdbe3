/* remove.h - a test's directory goes with everything in it. */
#ifndef UNIT_REMOVE_H
#define UNIT_REMOVE_H

#include <ftw.h>
#include <stdio.h>

static inline int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    (void)kind;
    (void)at;
    return remove(path);
}

/* 0, or what nftw says: it is not there, or something in it cannot be removed. */
static inline int remove_all(const char *path)
{
    return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
