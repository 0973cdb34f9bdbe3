#!/bin/bash
# clocks.t - machines whose clocks are wrong share a pad on a server: only the server's clock counts.
#
# Two "machines" are this one with faketime before the program: one is three hours ahead, the other two days behind.
. "$(dirname "$0")/lib.sh"
faketime=$(command -v faketime) || { echo 'Bail out! MISSING: the package faketime; run tools/bootstrap'; exit 1; }
ahead() { "$faketime" -f +3h "$JOTTER" --as ann "$@" >"$here/.out" 2>"$here/.err"; code=$?; heard; }
behind() { "$faketime" -f -2d "$JOTTER" --as bob "$@" >"$here/.out" 2>"$here/.err"; code=$?; heard; }
token() { sed 's/.*"token":\([0-9]*\).*/\1/' <<<"$out"; }

wrong() { [ "$("$faketime" -f -2d date +%s)" -lt "$(($(date +%s) - 86400))" ] && [ "$("$faketime" -f +3h date +%s)" -gt "$(($(date +%s) + 7200))" ]; }
try 'the clocks are wrong' wrong

for server in "${JOT_TEST_POSTGRES-}" "${JOT_TEST_REDIS-}" "${JOT_TEST_S3-}"; do
    [ "$server" ] || continue
    engine=${server%%[:+]*}
    JOTTER_PAD=$(pad "$server" clocks$$)
    export JOTTER_PAD

    dated() {
        local from to at
        from=$(date -u -d '-1 minute' +%FT%T)
        ahead init && ends 0 && ahead write plan one && ends 0 && behind write plan two && ends 0 && ahead write plan three && ends 0 || return 1
        to=$(date -u -d '+1 minute' +%FT%T)
        jot history plan --json && ends 0 || return 1
        for at in $(grep -o '"at":"[^"]*' .out | cut -d '"' -f 4); do
            [[ $at > $from && $at < $to ]] || { echo "# $at is not between $from and $to"; return 1; }
        done
        [ "$(grep -o '"at":"' .out | wc -l)" = 3 ] || { echo "# $out"; return 1; }
    }
    try "$engine: records are dated by the server, whatever a machine's clock says" dated

    held() {
        ahead lease acquire plan --ttl 600 --json && ends 0 || return 1
        first=$(token)
        behind lease acquire plan --ttl 1 && ends 75 && tells ann && jot lease acquire plan --ttl 1 && ends 75 &&
            behind lease list && says ann && ahead --lease "$first" write plan three && ends 0 && ahead lease release "$first" && ends 0
    }
    try "$engine: a lease of one machine is not over on another whose clock is ahead or behind" held

    ended() {
        behind lease acquire plan --ttl 1 --json && ends 0 || return 1
        first=$(token)
        until_true eval 'ahead lease acquire plan --ttl 600 --json; [ "$code" = 0 ]' || return 1
        second=$(token)
        [ "$second" -gt "$first" ] || { echo "# $first, then $second"; return 1; }
        behind --lease "$first" write plan late
        [ "$code" != 0 ] && ahead read plan && is three && ahead lease release "$second" && ends 0
    }
    try "$engine: it ends by the server's clock, and who held it is fenced" ended
done
plan
