#!/bin/bash
# standby.t - Postgres with a synchronous standby: the primary is killed for good, the standby takes its place.
. "$(dirname "$0")/lib.sh"
JOTTER_PAD=$(pad "$JOT_TEST_POSTGRES" team)
export JOTTER_PAD

said() { jot init && ends 0 && jot where && says 'a failover to a synchronous standby loses nothing that was acknowledged'; }
try 'where says that a failover loses nothing' said

never() {
    jot write plan one && ends 0 && jot --pad "$(pad "$JOT_TEST_STANDBY" team)" read plan && ends 69 && tells 'is a standby: name the primary'
}
try 'a standby never answers' never

before=$("$JOTTER" lease acquire plan --ttl 1 --json | sed 's/.*"token":\([0-9]*\).*/\1/')
lost() {
    writers 6 40 race
    until_true eval '[ "$(cat race/acked.* 2>/dev/null | wc -l)" -ge 30 ]' && fail_over && wait && all_there race &&
        jot read plan && is one && jot verify && ends 0 || return 1
    [ "$(wc -l <race/acked)" -ge 60 ] || { echo "# only $(wc -l <race/acked) were acknowledged"; return 1; }
}
try 'what was acknowledged is there after the failover, by the same URL with both hosts' lost

tokens() {
    local after
    after=$("$JOTTER" --as bob lease acquire other --json | sed 's/.*"token":\([0-9]*\).*/\1/')
    [ "$after" -gt $((before + 1000000)) ] || { echo "# $before, then $after"; return 1; }
}
try 'tokens of leases go on far beyond those given before' tokens
plan
