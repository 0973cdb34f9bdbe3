/* pq.c - opening libpq. */
#include "store/postgres/pq.h"

#include "base/library.h"

static Pq table;

static const LibraryFunction functions[] = {
    { "PQconnectStartParams", &table.connect_start, NULL },
    { "PQconnectPoll", &table.connect_poll, NULL },
    { "PQconndefaults", &table.conndefaults, NULL },
    { "PQconninfo", &table.conninfo, NULL },
    { "PQconninfoFree", &table.conninfo_free, NULL },
    { "PQsetErrorVerbosity", &table.set_verbosity, NULL },
    { "PQsetNoticeReceiver", &table.set_notice_receiver, NULL },
    { "PQfinish", &table.finish, NULL },
    { "PQstatus", &table.status, NULL },
    { "PQsocket", &table.socket, NULL },
    { "PQhost", &table.host, NULL },
    { "PQport", &table.port, NULL },
    { "PQdb", &table.db, NULL },
    { "PQuser", &table.user, NULL },
    { "PQerrorMessage", &table.error_message, NULL },
    { "PQserverVersion", &table.server_version, NULL },
    { "PQbackendPID", &table.backend_pid, NULL },
    { "PQsetnonblocking", &table.set_nonblocking, NULL },
    { "PQenterPipelineMode", &table.enter_pipeline, NULL },
    { "PQexitPipelineMode", &table.exit_pipeline, NULL },
    { "PQpipelineSync", &table.pipeline_sync, NULL },
    { "PQsendPrepare", &table.send_prepare, NULL },
    { "PQsendQueryPrepared", &table.send_prepared, NULL },
    { "PQsendQueryParams", &table.send_params, NULL },
    { "PQsendQuery", &table.send_query, NULL },
    { "PQflush", &table.flush, NULL },
    { "PQconsumeInput", &table.consume, NULL },
    { "PQisBusy", &table.is_busy, NULL },
    { "PQnotifies", &table.notifies, NULL },
    { "PQfreemem", &table.freemem, NULL },
    { "PQgetResult", &table.get_result, NULL },
    { "PQresultStatus", &table.result_status, NULL },
    { "PQresultErrorField", &table.error_field, NULL },
    { "PQclear", &table.clear, NULL },
    { "PQntuples", &table.ntuples, NULL },
    { "PQnfields", &table.nfields, NULL },
    { "PQgetisnull", &table.getisnull, NULL },
    { "PQgetlength", &table.getlength, NULL },
    { "PQgetvalue", &table.getvalue, NULL },
};

static Library library = { .use = "a pad in Postgres",
                           .package = "libpq5",
                           .names = { "libpq.so.5" },
                           .functions = functions,
                           .count = COUNT_OF(functions) };

jot_status pq_open(const Pq **out, Err *e)
{
    TRY(library_open(&library, e));
    *out = &table;
    return JOT_OK;
}

void pq_clear(PGresult *r)
{
    if (r)
        table.clear(r);
}
