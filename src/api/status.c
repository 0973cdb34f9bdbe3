/* status.c - the part of jotter.h that needs no memory: the version, and the names of statuses. */
#include "base/err.h"
#include "jotter.h"

const char *jot_version(void)
{
    return JOT_VERSION;
}

const char *jot_status_name(jot_status status)
{
    return status_info(status)->name;
}
