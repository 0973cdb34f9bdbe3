/* jotter.c - the public interface: thin, every call goes to the layer that knows. */
#include "jotter.h"

#include "base/err.h"

const char *jot_version(void)
{
    return JOT_VERSION;
}

const char *jot_status_name(jot_status status)
{
    return status_info(status)->name;
}
