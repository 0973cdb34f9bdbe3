#!/bin/bash
# lease.t - leases from the shell, with real programs, stops and kills, on both engines.
. "$(dirname "$0")/lib.sh"

# Wait until a command succeeds; a minute at most.
write() { echo "$2" >"$here/.text"; shift 2; "$JOTTER" write plan "$@" <"$here/.text" >"$here/.out" 2>"$here/.err"; code=$?; err=$(cat "$here/.err"); }

acquire() {
    jot lease acquire plan --ttl 30 && ends 0 && is "lease 1 on 'notes/plan' for 30 s" &&
        jot lease check plan && ends 75 && tells "'notes/plan' is leased to 'ann' for" && tells '(token 1)' &&
        jot lease check plan --lease 1 && ends 0 && jot lease check other && ends 0 && is 'free: notes/other'
}

conflict() {
    jot --as bob lease acquire plan && ends 75 && tells "'notes/plan' is leased to 'ann' for" &&
        jot lease acquire notes/ && ends 75 && jot lease acquire pl --prefix && ends 75 && jot lease acquire artifacts/x/ && ends 0 &&
        jot lease list && says 'notes/plan' && says 'artifacts/x/*'
}

conflict_json() { jot lease acquire plan --json && ends 75 && says '"status":"leased"' && says '"lease":{"on":"notes/plan"' && says '"token":1'; }

renew() {
    jot lease renew 1 --ttl 100 && ends 0 && is "lease 1 on 'notes/plan' for 100 s" &&
        JOTTER_LEASE=1 jot lease renew && ends 0 && jot lease renew 99 && ends 76 && tells 'there never was a lease 99' &&
        jot lease renew && ends 64 && jot lease renew x && ends 64 && tells "invalid lease 'x'"
}

under() {
    write plan one --lease 1 && ends 0 || return 1
    export JOTTER_LEASE=1; write plan two; unset JOTTER_LEASE; ends 0 || return 1
    write plan three --lease 7 && ends 76 && tells 'lease 7 has ended' && jot read plan && is two
}

release() {
    jot lease release 1 && ends 0 && is 'released lease 1' && jot lease release 1 && ends 76 && tells 'had ended already' || return 1
    write plan four --lease 1 && ends 76 && jot read plan && is two
}

json() {
    jot lease acquire plan --json && says '"token":' && says '"left_ms":' && jot lease list --json && says '{"leases":[{"on":' &&
        jot lease check nothing --json && is '{"on":"notes/nothing","free":true}'
}

bad() { jot lease acquire 'a*b' && ends 64 && jot lease acquire '' && ends 64 && jot lease acquire x --ttl 0 && ends 64 && tells '--ttl' && jot lease && ends 64 && jot lease run x && ends 64; }

run_code() {
    jot lease run job -- sh -c 'exit 7' && ends 7 && jot lease run job -- sh -c 'kill -TERM $$' && ends 143 &&
        jot lease run job -- nosuchprogram && ends 127 && tells "could not run 'nosuchprogram'" && jot lease check job && ends 0
}

run_inside() {
    jot lease run plan2 -- sh -c 'echo "$JOTTER_LEASE"; echo inside | "$0" write plan2' "$JOTTER" && ends 0 && says 'wrote 7 chars' &&
        [ "${out%%[!0-9]*}" -gt 1 ] && jot read plan2 && is inside
}

run_json() { jot lease run job --json -- echo loud && ends 0 && tells loud && says '"exit":0' && says '"lost":false' && [ "$(echo "$out" | wc -l)" = 1 ]; }

run_dashes() { jot lease run job -- sh -c 'echo "$@"' x --json -- y && ends 0 && is '--json -- y'; }

# How long the lease on job still is, in ms.
left() { "$JOTTER" lease list --json | sed -n 's/.*"on":"notes\/job"[^}]*"left_ms":\([0-9]*\).*/\1/p'; }
longer() {
    local now
    now=$(left)
    [ "${now:-0}" -gt "$least" ] && return 0
    least=${now:-0}
    return 1
}

run_renews() {
    rm -f go3
    "$JOTTER" lease run job --ttl 6 -- sh -c 'while ! [ -e go3 ]; do sleep 0.1; done; echo late | "$0" write job' "$JOTTER" >"$here/.run" 2>&1 &
    local keeper=$! least=1000000
    until_true sh -c '! "$0" lease check job' "$JOTTER" && until_true longer && jot lease acquire job && ends 75 && tells 'another process is at it, and the lease ends with that process' || { kill $keeper; return 1; }
    touch go3
    wait $keeper && jot read job && is late
}

run_killed() {
    "$JOTTER" lease run job --ttl 3600 -- sh -c 'echo $$ >child; while ! [ -e go ]; do sleep 0.1; done; echo late | "$0" write job; echo $? >result' "$JOTTER" 2>/dev/null &
    local keeper=$!
    until_true test -s child || return 1
    kill -9 $keeper
    wait $keeper 2>/dev/null
    jot --as bob lease acquire job && ends 0 || return 1
    touch go
    until_true test -s result && [ "$(cat result)" = 76 ] && jot read job && is late
}

run_signal() {
    "$JOTTER" lease run sig -- sh -c 'trap "exit 9" TERM; echo x >ready; while :; do sleep 0.1; done' &
    local keeper=$!
    until_true test -s ready || return 1
    kill -TERM $keeper
    wait $keeper
    [ $? = 9 ]
}

run_ignored() {
    "${ignoring[@]}" SIGCHLD "$JOTTER" lease run ign -- true || return 1
    "${ignoring[@]}" SIGCHLD "$JOTTER" lease run ign -- sh -c 'exit 7'
    [ $? = 7 ] && jot lease check ign && ends 0
}

run_ignored_term() {
    "${ignoring[@]}" SIGCHLD "$JOTTER" lease run ign -- sh -c 'echo x >ready2; exec sleep 600' &
    local keeper=$!
    until_true test -s ready2 || return 1
    kill -TERM $keeper
    wait $keeper
    [ $? = 143 ] && jot lease check ign && ends 0
}

run_nohup() {
    "${ignoring[@]}" SIGHUP,SIGINT "$JOTTER" lease run ign -- python3 -c 'import signal, sys, time
for name in ("SIGHUP", "SIGINT", "SIGUSR1"):
    signal.signal(getattr(signal, name), lambda n, f: print(n, file=open("got", "a"), flush=True))
open("ready3", "w").write("x")
while True: time.sleep(0.1)' &
    local keeper=$!
    until_true test -s ready3 || return 1
    kill -HUP $keeper
    kill -INT $keeper
    kill -USR1 $keeper
    until_true test -s got && kill -TERM $keeper
    wait $keeper
    [ $? = 143 ] && [ "$(cat got)" = "$(kill -l USR1)" ]
}

run_lost() {
    "$JOTTER" lease run slow --ttl 1 -- sh -c 'echo x >begun; while ! [ -e go2 ]; do sleep 0.1; done; echo old | "$0" write slow; echo $? >result2' "$JOTTER" 2>lost &
    local keeper=$!
    until_true test -s begun || return 1
    kill -STOP $keeper
    jot --as bob lease acquire slow --wait 300 && ends 0 || return 1
    local token=${out#lease }
    echo new | "$JOTTER" write slow --lease "${token%% *}" >/dev/null || return 1
    kill -CONT $keeper
    touch go2
    wait $keeper
    [ "$(cat result2)" = 76 ] && grep -q 'was lost while the program ran' lost && jot read slow && is new
}

for engine in files:pad sqlite:pad.db; do
    export JOTTER_PAD=$engine
    rm -f child go result ready ready2 ready3 got begun go2 result2 lost
    try "a lease can be acquired and checked (${engine%%:*})" acquire
    try "what overlaps is refused and names the holder (${engine%%:*})" conflict
    try "with --json a refusal carries the lease that is in the way (${engine%%:*})" conflict_json
    try "a lease can be renewed by its token (${engine%%:*})" renew
    try "a write names its lease, and is refused without it (${engine%%:*})" under
    try "a released lease can be released once, and not be written under (${engine%%:*})" release
    try "every answer can be JSON (${engine%%:*})" json
    try "bad input is refused (${engine%%:*})" bad
    try "run passes the exit code on and frees the lease (${engine%%:*})" run_code
    try "what runs inside writes under the lease (${engine%%:*})" run_inside
    try "run answers with one JSON value (${engine%%:*})" run_json
    try "the words of the program are left alone (${engine%%:*})" run_dashes
    try "a lease is renewed as long as the program runs (${engine%%:*})" run_renews
    try "a keeper that is killed frees its lease at once, and the program writes no more (${engine%%:*})" run_killed
    try "signals are passed on to the program (${engine%%:*})" run_signal
    try "run ends with its program, also if the end of children is ignored around it (${engine%%:*})" run_ignored
    try "and SIGTERM ends both (${engine%%:*})" run_ignored_term
    try "a signal that was ignored around it is not passed on (${engine%%:*})" run_nohup
    try "a keeper that slept too long has lost the lease, and says so (${engine%%:*})" run_lost
done

plan
