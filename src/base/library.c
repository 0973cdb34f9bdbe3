/* library.c - opening libraries, by any of their names. */
#include "base/library.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#ifndef JOT_STATIC
#include <dlfcn.h>
#endif

/* One lock for all libraries: each is opened once, and nothing waits inside. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* A library that was linked has all of its addresses at hand. */
static bool linked(const Library *l)
{
    for (size_t i = 0; i < l->count; i++) {
        if (!l->functions[i].linked)
            return false;
        memcpy(l->functions[i].to, &l->functions[i].linked, sizeof l->functions[i].linked);
    }
    return true;
}

#ifdef JOT_STATIC

static jot_status load(Library *l, Err *e)
{
    return err_set(e, JOT_UNSUPPORTED,
                   "%s needs %s, which the static build does not have: use a jotter made by "
                   "'make install'",
                   l->use, l->names[0]);
}

#else

static jot_status load(Library *l, Err *e)
{
    void *library = NULL;
    for (size_t i = 0; i < COUNT_OF(l->names) && l->names[i] && !library; i++)
        library = dlopen(l->names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return err_set(e, JOT_UNSUPPORTED, "%s needs %s: install %s", l->use, l->names[0],
                       l->package);
    for (size_t i = 0; i < l->count; i++) {
        void *found = dlsym(library, l->functions[i].name);
        if (!found)
            return err_set(e, JOT_UNSUPPORTED,
                           "%s needs a newer %s, the one here has no '%s': install %s", l->use,
                           l->names[0], l->functions[i].name, l->package);
        /* ISO C has no cast from an object's pointer to a function's. */
        memcpy(l->functions[i].to, &found, sizeof found);
    }
    return JOT_OK;
}

#endif

jot_status library_open(Library *l, Err *e)
{
    assert(l->names[0] && l->functions && l->count);
    pthread_mutex_lock(&opening);
    jot_status st = l->open || linked(l) ? JOT_OK : load(l, e);
    l->open = st == JOT_OK;
    pthread_mutex_unlock(&opening);
    return st;
}
