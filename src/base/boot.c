/* boot.c - one sentence for a boot that cannot be known. */
#include "base/boot.h"

#include <string.h>

jot_status boot_read(const Io *io, char out[BOOT_TEXT], Err *e)
{
    int got = io_boot_id(io, out);
    if (got == 0)
        return JOT_OK;
    return err_set(e, JOT_UNAVAILABLE,
                   "could not tell which boot of the machine this is, so nothing here can be "
                   "judged: /proc/sys/kernel/random/boot_id: %s",
                   strerrordesc_np(-got) ?: "unknown error");
}
