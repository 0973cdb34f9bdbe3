/* pq.h - libpq, behind a small table.
 *
 * libpq brings Kerberos, LDAP and TLS along.  Linked in, every start of the
 * program would load them all; so it is opened with the first pad in
 * a Postgres database. */
#ifndef STORE_POSTGRES_PQ_H
#define STORE_POSTGRES_PQ_H

#include <postgresql/libpq-fe.h>

#include "base/err.h"

typedef struct Pq {
    __typeof__(PQconnectStartParams) *connect_start;
    __typeof__(PQconnectPoll) *connect_poll;
    __typeof__(PQconndefaults) *conndefaults;
    __typeof__(PQconninfo) *conninfo;
    __typeof__(PQconninfoFree) *conninfo_free;
    __typeof__(PQsetErrorVerbosity) *set_verbosity;
    __typeof__(PQsetNoticeReceiver) *set_notice_receiver;
    __typeof__(PQfinish) *finish;
    __typeof__(PQstatus) *status;
    __typeof__(PQsocket) *socket;
    __typeof__(PQhost) *host;
    __typeof__(PQport) *port;
    __typeof__(PQdb) *db;
    __typeof__(PQuser) *user;
    __typeof__(PQerrorMessage) *error_message;
    __typeof__(PQserverVersion) *server_version;
    __typeof__(PQbackendPID) *backend_pid;
    __typeof__(PQsetnonblocking) *set_nonblocking;
    __typeof__(PQenterPipelineMode) *enter_pipeline;
    __typeof__(PQexitPipelineMode) *exit_pipeline;
    __typeof__(PQpipelineSync) *pipeline_sync;
    __typeof__(PQsendPrepare) *send_prepare;
    __typeof__(PQsendQueryPrepared) *send_prepared;
    __typeof__(PQsendQueryParams) *send_params;
    __typeof__(PQsendQuery) *send_query;
    __typeof__(PQflush) *flush;
    __typeof__(PQconsumeInput) *consume;
    __typeof__(PQisBusy) *is_busy;
    __typeof__(PQnotifies) *notifies;
    __typeof__(PQfreemem) *freemem;
    __typeof__(PQgetResult) *get_result;
    __typeof__(PQresultStatus) *result_status;
    __typeof__(PQresultErrorField) *error_field;
    __typeof__(PQclear) *clear;
    __typeof__(PQntuples) *ntuples;
    __typeof__(PQnfields) *nfields;
    __typeof__(PQgetisnull) *getisnull;
    __typeof__(PQgetlength) *getlength;
    __typeof__(PQgetvalue) *getvalue;
} Pq;

/* The table, filled once in the life of the process.  JOT_UNSUPPORTED if the library is not
 * installed or lacks one of them. */
MUST_USE jot_status pq_open(const Pq **out, Err *e);

/* A result is cleared when its scope ends; NULL is fine. */
void pq_clear(PGresult *r);
DEFINE_AUTO_PTR(PGresult, pq_clear)

#endif
