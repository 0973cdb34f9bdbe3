#!/bin/bash
# pooled.t - a pad in Postgres through PgBouncer, which gives a session to each transaction and takes it back.
. "$(dirname "$0")/lib.sh"
JOTTER_PAD=$(pad "$JOT_TEST_POSTGRES" team)
export JOTTER_PAD
through() { psql "$JOT_TEST_POSTGRES" -tAc "$1"; }
past() { psql "$JOT_TEST_DIRECT" -tAc "$1"; }

found() { jot init && ends 0 && jot where && says 'a pooler stands between: leases end by time only'; }
try 'it is noticed, and where says what that means' found

racing() {
    writers 12 6 race && wait && all_there race && [ "$(wc -l <race/acked)" -eq 72 ] && jot verify && ends 0 &&
        jot history k1-1 && ends 0
}
try 'twelve writers lose nothing over six sessions' racing

# A plain write, one under a lease, forgetting, changes: then the sessions are as they were.
clean() {
    jot lease run plan --ttl 20 -- "$JOTTER" write plan one && ends 0 && jot write k1-1 again && ends 0 && jot redact notes/k1-1 1 && ends 0 &&
        jot purge k1-2 && ends 0 && jot gc --keep 16 && ends 0 || return 1
    local left
    left=$(through 'SELECT (SELECT count(*) FROM pg_prepared_statements) + (SELECT count(*) FROM pg_listening_channels())')
    [ "$left" = 0 ] && [ "$(through 'SHOW statement_timeout')" = 0 ] && [ "$(through 'SHOW lock_timeout')" = 0 ] &&
        [ "$(past "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")" = 0 ] || { echo "# left behind: $left"; return 1; }
}
try 'no statement, setting, lock or channel is left in a session' clean

seen() {
    "$JOTTER" watch --count 1 >seen.out 2>seen.err &
    local watcher=$!
    until_true eval '"$JOTTER" write "again$RANDOM" text; [ -s seen.out ]' && wait $watcher && grep -q again seen.out
}
try 'changes are seen by asking again' seen

# Somebody holds the row of a head: the writer gives up in time, and what it asked for does not happen later.
held() {
    jot write held one && ends 0 || return 1
    psql "$JOT_TEST_DIRECT" -qc "BEGIN; SELECT 1 FROM team.heads WHERE name = 'notes/held' FOR UPDATE; SELECT pg_sleep(600)" >/dev/null 2>&1 &
    local holder=$!
    until_true eval "[ \"\$(past \"SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()\")\" = 1 ]" || return 1
    jot write held two
    ends 69 && tells 'another writer' || return 1
    past "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()" >/dev/null
    wait $holder
    sleep 0.5
    jot read held && is one
}
try 'a lock that is held is waited for a bounded time, and nothing happens afterwards' held
plan
