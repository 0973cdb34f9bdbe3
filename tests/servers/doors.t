#!/bin/bash
# doors.t - the commands on pads of every engine, who may do what on a server, and what is said when it cannot be done.
#
# Beside a gateway of S3 (s3-suite) a pad goes through all five engines, and what concerns S3 is tried; without one
# the other four, and what concerns those.
docs=$(cd "$(dirname "$0")/../../docs" && pwd)
. "$(dirname "$0")/lib.sh"
psql=(psql "$JOT_TEST_POSTGRES" -qtAc)
cli() { redis-cli -s "$JOT_TEST_REDIS_DIR/socket" "$@"; }
engines=(files:one sqlite:one.db "$(pad "$JOT_TEST_POSTGRES" one)" "$(pad "$JOT_TEST_REDIS" one)")
tried=("${engines[@]}")
targets=("$(pad "$JOT_TEST_POSTGRES" big)" "$(pad "$JOT_TEST_REDIS" big)")
ms=20 # after which a copy is killed, and twice, three and four times as many
if [ "${JOT_TEST_S3-}" ]; then
    engines+=("$(pad "$JOT_TEST_S3" one)")
    tried=(files:one "${engines[4]}") targets=("$(pad "$JOT_TEST_S3" big)") ms=300
fi

# --- A pad from engine to engine --------------------------------------------------------------------------------

fill() {
    local i
    for i in $(seq 40); do echo "text $i of $1" | "$JOTTER" --pad "$1" write plan >/dev/null || return 1; done
    "$JOTTER" --pad "$1" write gone x >/dev/null && "$JOTTER" --pad "$1" delete gone >/dev/null && "$JOTTER" --pad "$1" log new question >/dev/null
}
each_command() {
    local pad
    for pad in "${tried[@]}"; do
        jot --pad "$pad" init && ends 0 && fill "$pad" && jot --pad "$pad" where && ends 0 && says durable &&
            jot --pad "$pad" verify && ends 0 && jot --pad "$pad" doctor && ends 0 && jot --pad "$pad" stats && ends 0 && says notes &&
            jot --pad "$pad" gc --keep 16 && ends 0 && says 'dropped 24 records' && jot --pad "$pad" read plan && is "text 40 of $pad" || return 1
    done
}
try 'every engine has init, where, verify, doctor, gc, stats' each_command

watched() {
    local pad watcher
    for pad in "${tried[@]}"; do
        "$JOTTER" --pad "$pad" watch --count 1 >seen.out 2>seen.err &
        watcher=$!
        until_true eval '"$JOTTER" --pad "$pad" write seen "text $RANDOM"; [ -s seen.out ]' && wait $watcher && grep -q notes/seen seen.out || return 1
    done
}
try 'a watch sees what another process writes, on every engine' watched

# From each to the next, and back to a fresh pad of the first: the same archive.
around() {
    local n=${#engines[@]} i from to
    jot --pad "${engines[0]}" export first.jotter && ends 0 || return 1
    for i in $(seq 0 $((n - 1))); do
        from=${engines[$i]}
        [ "$i" = 0 ] || from=$to
        to=${engines[$(((i + 1) % n))]/one/two}
        jot --pad "$from" copy "$to" && ends 0 || return 1
    done
    jot --pad "$to" export last.jotter && ends 0 && grep -v '^end\|leases' first.jotter >a && grep -v '^end\|leases' last.jotter >b && cmp a b
}
try 'a pad that went through all engines is the same, with its history' around

killed() {
    local i to
    for i in $(seq 300); do echo "- $i"; done >many
    for i in $(seq 120); do "$JOTTER" --pad files:big write "n$i" --file many >/dev/null || return 1; done
    for to in "${targets[@]}"; do
        for i in 1 2 3 4; do
            timeout -s KILL "$(printf '0.%03d' $((i * ms)))" "$JOTTER" --pad files:big copy "$to" >/dev/null 2>&1
        done
        jot --pad files:big copy "$to" && ends 0 && jot --pad files:big copy "$to" && ends 0 && says '; 0 records new' &&
            jot --pad "$to" verify && ends 0 && [ "$("$JOTTER" --pad "$to" list | wc -l)" = 120 ] || return 1
    done
}
try 'a copy that was killed goes on where it stopped' killed

if [ "${JOT_TEST_S3-}" ]; then
    # How many requests the server has had, with this one.
    asked_so_far() { python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1] + "/asked").read().decode())' "${JOT_TEST_S3_IGNORANT#*endpoint=}"; }
    cheap() {
        local i before pad="$(pad "$JOT_TEST_S3_IGNORANT" "cheap$$")&writers=one"
        jot --pad "$pad" init && ends 0 || return 1
        for i in 1 2 3 4 5 6; do jot --pad "$pad" write "n$i" text && ends 0 || return 1; done
        before=$(asked_so_far)
        jot --pad "$pad" list && ends 0 && is $'n1\nn2\nn3\nn4\nn5\nn6' && [ $(($(asked_so_far) - before)) = 3 ] || { echo "# $before, then $(asked_so_far)"; return 1; }
        jot --pad "$pad" list --long && ends 0 && [ "$(wc -l <<<"$out")" = 6 ]
    }
    try 'on S3 a list of names costs the pad and one LIST' cheap
fi

cat >calc.yaml <<'E'
- text: Let me compute.
  calls: [{id: c, name: calc, args: {expression: 6*7}}]
- text: It is {{result:c|line 1}}.
E
asked() {
    local pad
    for pad in "${tried[@]}"; do
        jot --pad "$pad" run 'how much is it?' --model script:calc.yaml --quiet && ends 0 && is 'It is 42.' &&
            jot --pad "$pad" log show last && says 'asks for calc' || return 1
    done
}
try 'the agent works on every engine' asked

# --- Who may do what ----------------------------------------------------------------------------------------------

if [ "${JOT_TEST_S3-}" ]; then
    as_other() { AWS_ACCESS_KEY_ID=OTHERKEY AWS_SECRET_ACCESS_KEY=OTHERSECRET jot --pad "$@"; }
    policy() {
        local mine other
        mine=$(pad "$JOT_TEST_S3" mine) other=$(pad "$JOT_TEST_S3" other)
        as_other "$mine" init && ends 77 && tells 'see the bucket policy' && "$(dirname "$docs")/tests/servers/policy" "$docs/engines.md" t/mine v &&
            as_other "$mine" init && ends 0 && as_other "$mine" write plan one && ends 0 && as_other "$mine" write plan two && ends 0 &&
            as_other "$mine" read plan && is two && as_other "$mine" list && ends 0 && as_other "$mine" history plan && ends 0 &&
            as_other "$mine" lease run plan -- true && ends 0 && as_other "$mine" redact notes/plan 1 && ends 0 &&
            as_other "$mine" delete plan && ends 0 && as_other "$mine" purge plan && ends 0 && as_other "$mine" gc --keep 16 && ends 0 &&
            as_other "$mine" doctor && ends 0 && as_other "$mine" verify && ends 0 || return 1
        # The pad beside it, one whose name begins alike, and one that is there.
        as_other "$other" init && ends 77 && as_other "${mine}x" init && ends 77 && as_other "${engines[4]}" read plan && ends 77 &&
            as_other "${engines[4]}" list && ends 77 && ! grep -q SECRET .out .err
    }
    try 'the policy of docs/engines.md lets a user of S3 do exactly this, to one pad' policy
    plan
fi

as_agent=${engines[2]/jotter@/agent@}
grants() {
    "${psql[@]}" 'CREATE ROLE agent LOGIN; GRANT USAGE ON SCHEMA one TO agent; GRANT SELECT, INSERT, UPDATE, DELETE ON one.pad, one.heads, one.records TO agent' &&
        jot --pad "$as_agent" write mine text && ends 0 && jot --pad "$as_agent" read plan && ends 0 && jot --pad "$as_agent" lease acquire plan && ends 0 &&
        jot --pad "$as_agent" gc --keep 16 && ends 0 && jot --pad "$as_agent" verify && ends 0 && jot --pad "$as_agent" list && ends 0 &&
        jot --pad "$(pad "${JOT_TEST_POSTGRES/jotter@/agent@}" other)" init && ends 77 && tells 'privilege'
}
try 'a role with the grants of docs/engines.md can do everything but make pads' grants

owner() {
    jot --pad "$as_agent" purge mine && ends 77 && tells "forgotten, but still in the pad's file: only their owner may VACUUM the tables of 'one'" &&
        [ "$("${psql[@]}" "SELECT value FROM one.pad WHERE key = 'scrub'")" = due ] && jot --pad "${engines[2]}" gc --keep 16 && ends 0 &&
        [ "$("${psql[@]}" "SELECT value FROM one.pad WHERE key = 'scrub'")" = done ]
}
try 'what only the owner may clear is said, and done by the owner' owner

readers() { # also after a failover: who may not write raises no tokens
    "${psql[@]}" 'CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA one TO reader; GRANT SELECT ON one.pad, one.heads, one.records TO reader' &&
        "${psql[@]}" "UPDATE one.pad SET value = 'another' WHERE key = 'system'" &&
        jot --pad "${engines[2]/jotter@/reader@}" read plan && ends 0 && jot --pad "${engines[2]/jotter@/reader@}" write plan no && ends 77 && tells 'no privilege'
}
try 'a role that may only select can read' readers

acl() { # the rule as the page has it
    local rule
    rule=$(sed -n '/ACL SETUSER team/,/^$/p' "$docs/engines.md" | tr '\n' ' ' | sed 's/.*SETUSER team//; s/>PASSWORD/>secret/; s/{team}/{one}/')
    set -f
    cli ACL SETUSER team $rule | grep -q OK || { echo "# $rule"; return 1; }
    set +f
    local pad="redis+unix://team:secret@$JOT_TEST_REDIS_DIR/socket?pad=one" other="redis+unix://team:secret@$JOT_TEST_REDIS_DIR/socket?pad=other"
    jot --pad "$pad" write mine text && ends 0 && jot --pad "$pad" read plan && ends 0 && jot --pad "$pad" lease acquire plan && ends 0 &&
        jot --pad "$pad" gc --keep 16 && ends 0 && jot --pad "$pad" purge mine && ends 0 && jot --pad "$pad" verify && ends 0 && jot --pad "$pad" where && ends 0 &&
        says 'durable    yes' && jot --pad "$other" init && ends 77 && ! grep -q secret .out .err
}
try 'the rule of docs/engines.md lets a user of Redis do exactly this, to one pad' acl

# --- What cannot be opened -----------------------------------------------------------------------------------------

# refuses URL EXIT TEXT: one sentence, in time, with no password in it.
refuses() {
    jot --pad "$1" read plan && ends "$2" && tells "$3" || return 1
    [ "$(wc -l <.err)" = 1 ] && ! grep -q 'hush' .err && jot --pad "$1" where && ! grep -q 'hush' .out .err
}
bad() {
    refuses "postgres://stranger:hush@/pads?host=$JOT_TEST_POSTGRES_DIR&pad=one" 77 'check the password' &&
        refuses "postgres://jotter:hush@/nowhere?host=$JOT_TEST_POSTGRES_DIR" 69 "there is no database 'nowhere'" &&
        refuses "postgres://jotter:hush@/pads?host=$here" 69 'could not connect' &&
        refuses "postgres://jotter:hush@/pads?host=$JOT_TEST_POSTGRES_DIR&pad=a{b" 64 'invalid pad' &&
        refuses "redis+unix://team:hush@$JOT_TEST_REDIS_DIR/socket?pad=one" 77 'password' &&
        refuses "redis+unix://:hush@$here/nothing?pad=one" 69 'could not connect' &&
        refuses "redis+unix://$JOT_TEST_REDIS_DIR/socket?pad=a{b" 64 'invalid pad'
}
try 'what cannot be opened is said in one sentence without the password' bad
plan
