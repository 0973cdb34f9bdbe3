#!/bin/bash
# replica.t - Redis with a replica: the primary is killed for good, the replica takes its place and its address.
. "$(dirname "$0")/lib.sh"
JOTTER_PAD="$(pad "$JOT_TEST_REDIS" team)&replicas=1"
export JOTTER_PAD

said() { jot init && ends 0 && jot where && says 'durable on this server; a failover may lose'; }
try 'where says that a failover may lose what was acknowledged last' said

never() {
    jot write plan one && ends 0 && jot --pad "$(pad "$JOT_TEST_REPLICA" team)" read plan && ends 69 &&
        tells 'is a replica: name the primary' && jot --pad "$(pad "$JOT_TEST_REPLICA" team)" write plan two && ends 69
}
try 'a replica is neither read nor written' never

before=$("$JOTTER" lease acquire plan --ttl 1 --json | sed 's/.*"token":\([0-9]*\).*/\1/')
lost() {
    writers 6 40 race
    until_true eval '[ "$(cat race/acked.* 2>/dev/null | wc -l)" -ge 30 ]' && fail_over && touch race/stop && wait
    export JOTTER_PAD=${JOTTER_PAD%&replicas=1}
    all_there race && jot read plan && is one && jot verify && ends 0
}
try 'what a replica has confirmed is there after the failover to it' lost

unknown() {
    jot --pad "$JOTTER_PAD&replicas=1" write alone text --json && ends 71 && says '"status":"unknown"' && says 'replicas have it'
}
try 'without a replica a write that wants one is unknown' unknown

tokens() {
    local after
    after=$("$JOTTER" --as bob lease acquire other --json | sed 's/.*"token":\([0-9]*\).*/\1/')
    [ "$after" -gt $((before + 1000000)) ] || { echo "# $before, then $after"; return 1; }
}
try 'tokens of leases go on far beyond those given before' tokens
plan
