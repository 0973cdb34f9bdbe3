/* pq.c - opening libpq. */
#include "store/postgres/pq.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static Pq table;
static const char *missing = "libpq.so.5"; /* NULL once the table is full */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void)
{
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    const struct {
        const char *name;
        void *to;
    } symbols[] = {
        { "PQconnectStartParams", &table.connect_start },
        { "PQconnectPoll", &table.connect_poll },
        { "PQconndefaults", &table.conndefaults },
        { "PQconninfoFree", &table.conninfo_free },
        { "PQsetErrorVerbosity", &table.set_verbosity },
        { "PQsetNoticeReceiver", &table.set_notice_receiver },
        { "PQfinish", &table.finish },
        { "PQstatus", &table.status },
        { "PQsocket", &table.socket },
        { "PQhost", &table.host },
        { "PQport", &table.port },
        { "PQdb", &table.db },
        { "PQuser", &table.user },
        { "PQerrorMessage", &table.error_message },
        { "PQserverVersion", &table.server_version },
        { "PQbackendPID", &table.backend_pid },
        { "PQsetnonblocking", &table.set_nonblocking },
        { "PQenterPipelineMode", &table.enter_pipeline },
        { "PQexitPipelineMode", &table.exit_pipeline },
        { "PQpipelineSync", &table.pipeline_sync },
        { "PQsendPrepare", &table.send_prepare },
        { "PQsendQueryPrepared", &table.send_prepared },
        { "PQsendQueryParams", &table.send_params },
        { "PQsendQuery", &table.send_query },
        { "PQflush", &table.flush },
        { "PQconsumeInput", &table.consume },
        { "PQisBusy", &table.is_busy },
        { "PQnotifies", &table.notifies },
        { "PQfreemem", &table.freemem },
        { "PQgetResult", &table.get_result },
        { "PQresultStatus", &table.result_status },
        { "PQresultErrorField", &table.error_field },
        { "PQclear", &table.clear },
        { "PQntuples", &table.ntuples },
        { "PQnfields", &table.nfields },
        { "PQgetisnull", &table.getisnull },
        { "PQgetlength", &table.getlength },
        { "PQgetvalue", &table.getvalue },
    };
    for (size_t i = 0; i < COUNT_OF(symbols); i++) {
        void *found = dlsym(library, symbols[i].name);
        missing = symbols[i].name;
        if (!found)
            return;
        /* ISO C has no cast from an object's pointer to a function's. */
        memcpy(symbols[i].to, &found, sizeof found);
    }
    missing = NULL;
    /* It stays open: libraries below it register handlers that run when the process ends. */
}

jot_status pq_open(const Pq **out, Err *e)
{
    pthread_once(&once, open_library);
    if (missing)
        return err_set(e, JOT_UNSUPPORTED,
                       "a pad in Postgres needs libpq 14 or newer, and '%s' is missing here: "
                       "install libpq5",
                       missing);
    *out = &table;
    return JOT_OK;
}

void pq_clear(PGresult *r)
{
    if (r)
        table.clear(r);
}
