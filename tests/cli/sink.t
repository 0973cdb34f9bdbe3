#!/bin/bash
# sink.t - tool results from the shell: once, in part, in ranges.
. "$(dirname "$0")/lib.sh"

put() { printf '%s' "$1" | "$JOTTER" sink write "${@:2}" >"$here/.out" 2>"$here/.err"; code=$?; heard; }
x() { head -c "$1" /dev/zero | tr '\0' x; }

for pad in files:pad sqlite:pad.db; do
    export JOTTER_PAD=$pad

    short() { put 'hit' call_1.2:3 --tool grep --task t1 && ends 0 && is hit && jot sink read tool_results/call_1.2:3 && is hit; }
    try "a short result is shown whole ($pad)" short

    twice() { put 'hit' call_1.2:3 --tool grep && ends 65 && tells "tool call 'call_1.2:3' already persisted; overwrites are immutable"; }
    try "a call is persisted once ($pad)" twice

    twice_json() { put 'other' call_1.2:3 --tool grep --json && ends 65 && says '"status":"id_reused"' && says '"shown":"hit"' && says '"same":false'; }
    try "a duplicate is told what was persisted ($pad)" twice_json

    deleted() { jot artifact delete tool_results call_1.2:3 && ends 0 && put 'again' call_1.2:3 --tool grep && ends 65 && jot sink read call_1.2:3 && ends 66; }
    try "a call stays taken when its result is deleted ($pad)" deleted

    threshold() {
        put "$(x 100)" n --tool t --max 100 --json && says '"spilled":false' || return 1
        put "$(x 101)" n1 --tool t --max 100 --json && says '"spilled":true' && says '"bytes":101' || return 1
        put "$(x 8192)" d --tool t --json && says '"spilled":false' || return 1
        put "$(x 8193)" d1 --tool t --json && says '"spilled":true' || return 1
        put "$(x 9000)" inline --tool t --inline --json && says '"spilled":false'
    }
    try "N bytes are inline, N + 1 are spilled, unless the tool is always inline ($pad)" threshold

    preview() { jot sink view d1 && says '[Result persisted as tool_results/d1 (8193 bytes, 1 line)]' && says '[6193 bytes left out; continue with jotter sink read d1 --bytes 2000]' && jot sink read d1 --bytes 2000 && [ ${#out} = 6193 ]; }
    try "a spilled result says how to read on ($pad)" preview

    ranges() {
        put "$(printf 'one\ntwo\nthree')" lines --tool t
        jot sink read lines --lines 2:1 && is two && jot sink read lines --bytes 4:3 && is two && jot sink read lines --bytes 8 && is three || return 1
        jot sink read lines --bytes 999999 && ends 0 && is '' && tells 'there is nothing from there on: the result has 13 bytes, 3 lines' || return 1
        jot sink read lines --lines 3 --json && says '"text":"three"' && says '"line_from":3,"line_to":3'
    }
    try "a range of bytes or lines is read back ($pad)" ranges

    bad() {
        put a x && ends 64 && tells '--tool NAME is missing: the tool that was called' && put a a/b --tool t && ends 64 && put a x --tool t --arguments '{' && ends 64 &&
            jot sink read lines --lines a && ends 64 && tells 'use FROM or FROM:COUNT' && jot sink read lines --lines 1 --bytes 1 && ends 64
    }
    try "bad input is named ($pad)" bad

    exact() { printf 'a\0b\n\n' | "$JOTTER" sink write exact --tool t >/dev/null && [ "$("$JOTTER" sink read exact | od -c | head -1)" = "$(printf 'a\0b\n\n' | od -c | head -1)" ]; }
    try "the exact bytes come back ($pad)" exact
done

plan
