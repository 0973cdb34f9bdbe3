#!/bin/bash
# edits.t - a person's edit is a version, always: whoever names its version to somebody records it first.
. "$(dirname "$0")/lib.sh"

file=.jotter/notes/plan.txt stream=.jotter/streams/notes.d/plan.jsonl
records() { wc -l <"$stream"; }

# One door: it shows the first edit; a second edit and a write follow; the first one must still be there.
kept() {
    rm -rf .jotter && "$JOTTER" init >/dev/null && "$JOTTER" write plan 'written' >/dev/null || return 1
    echo 'the first edit' >$file
    "$@" >.shown 2>.told || { echo "# $* ended with $?: $(<.told)"; return 1; }
    echo 'the second edit' >$file
    "$JOTTER" write plan 'written again' >/dev/null && jot history plan --json && ends 0 || return 1
    for n in 1 2 3 4; do jot read plan --version $n --raw || return 1; printf '%s;' "$out"; done >.texts
    [ "$(<.texts)" = 'written;the first edit;the second edit;written again;' ] || { echo "# $*: $(<.texts)"; return 1; }
}

doors() {
    kept "$JOTTER" read plan && grep -q 'the first edit' .shown && kept "$JOTTER" read plan --json && grep -q '"seq":2' .shown &&
        kept "$JOTTER" history plan && ! grep -q 'not recorded' .shown && kept "$JOTTER" diff plan && kept "$JOTTER" blame plan && grep -q outside .shown
}
try 'what read, history, diff and blame show of an edit stays a version' doors

watched() {
    "$JOTTER" watch --count 1 --json >.seen 2>.watching & local pid=$!
    until_true grep -q watching .watching && echo 'the first edit' >.new && mv .new $file && wait $pid && grep -q '"seq":2' .seen
}
watch() {
    rm -rf .jotter && "$JOTTER" init >/dev/null && "$JOTTER" write plan 'written' >/dev/null && watched || return 1
    echo 'the second edit' >$file && "$JOTTER" write plan 'written again' >/dev/null && jot read plan --version 2 && is 'the first edit'
}
try 'what watch names of an edit stays a version' watch

call() {
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
        '{"jsonrpc":"2.0","method":"notifications/initialized"}' "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"$1\",\"params\":$2}" | "$JOTTER" mcp
}
mcp() {
    kept call tools/call '{"name":"scratchpad_read","arguments":{"key":"plan"}}' && grep -q 'the first edit' .shown &&
        kept call resources/read '{"uri":"jotter://notes/plan"}' && grep -q 'the first edit' .shown
}
try 'what an MCP client reads of an edit stays a version' mcp

deletion() {
    rm -rf .jotter && "$JOTTER" init >/dev/null && "$JOTTER" write plan 'written' >/dev/null && rm $file || return 1
    jot read plan && ends 66 && [ "$(records)" = 2 ] && echo 'made again' >$file && jot history plan && ends 0 &&
        [ "$(awk '{ print $1 }' <<<"$out" | tr '\n' ' ')" = '3 2 1 ' ] && says delete
}
try 'a deletion by a person is a version too' deletion

times() {
    rm -rf .jotter && "$JOTTER" init >/dev/null && mkdir -p .jotter/notes && echo old >.jotter/notes/old.txt && touch -d 2020-01-31T12:00:00Z .jotter/notes/old.txt || return 1
    jot read old --json && says '"at":"2020-01-31T12:00:00.000Z"' && says '"seq":1' && "$JOTTER" write plan now >/dev/null && echo changed >$file && touch -d 2020-01-31T12:00:00Z $file &&
        jot history plan --json && python3 -c 'import json, sys; a, b = json.loads(sys.argv[1])["versions"]; sys.exit(a["at"] != b["at"] or a["by"] != "outside")' "$out"
}
try 'an edit has the time of its file, and never one before its predecessor' times

many() {
    rm -rf .jotter && "$JOTTER" init >/dev/null && "$JOTTER" write plan 'written' >/dev/null && echo 'the edit of a person' >$file || return 1
    jot list && ends 0 && jot list --long && says 'edited' && jot list --json && says '"edited":true' && jot search person && says 'version edited' &&
        jot search person --budget 500 && says 'version edited' && jot context && says 'edited' && jot status && says 'edited by hand' && jot history && says 'not recorded' &&
        jot complete -- diff plan '' && ends 0 && jot export --layout notes "$here/out" && ends 0 || return 1
    [ "$(records)" = 1 ]
}
try 'list, search, context, status and the history of the pad say edited, and write nothing' many

# Somebody holds the lock of the stream and does not come to an end.
holding=(python3 -c 'import fcntl, os, struct, sys
fd = os.open(sys.argv[1], os.O_RDWR)
fcntl.fcntl(fd, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 1, 0))
open(sys.argv[2], "w").write("held")
sys.stdin.read()')
locked() {
    rm -rf .jotter .held .hold && "$JOTTER" init >/dev/null && "$JOTTER" write plan 'written' >/dev/null && echo 'the edit' >$file && mkfifo .hold || return 1
    "${holding[@]}" "$stream" .held <.hold & local pid=$!
    exec 7>.hold
    until_true test -s .held && jot read plan && ends 0 && is 'the edit' && tells 'the edit is not recorded' && jot read plan --json && says '"edited":true' &&
        jot history plan && ends 0 && says 'not recorded' && call tools/call '{"name":"scratchpad_read","arguments":{"key":"plan"}}' >.shown && grep -q 'the edit.*not recorded' .shown
    local st=$?
    exec 7>&-
    wait $pid
    [ $st = 0 ] && [ "$(records)" = 1 ] && jot read plan && is 'the edit' && [ "$err" = '' ] && [ "$(records)" = 2 ]
}
try 'while another holds the stream an edit is read, and said to be not recorded' locked

visited() {
    rm -rf .jotter && "$JOTTER" init >/dev/null && mkdir -p .jotter/notes && echo 'made by hand' >$file && chown -R 65534 .jotter || return 1
    jot --pad files:.jotter read plan && ends 0 && is 'made by hand' && tells 'not recorded: the pad belongs to another user' && [ ! -e $stream ]
}
[ "$(id -u)" != 0 ] || try "root leaves nothing of its own in another's pad by reading" visited

lost() {
    rm -rf .jotter && "$JOTTER" init >/dev/null && "$JOTTER" write plan one >/dev/null && "$JOTTER" write plan two >/dev/null && rm $stream || return 1
    jot read plan && ends 0 && is two && tells 'not recorded: records of' && [ ! -e $stream ] && jot verify && ends 70 && says 'its stream is gone'
}
try 'a text whose records were lost is read, and its loss is still reported' lost

# The note is the file .jotter/notes/$1 and no other.
lies() { local it=.jotter/notes/${1%.*}; [ -e ".jotter/notes/$1" ] && [ "$(ls "$it".* | wc -l)" = 1 ] || { echo "# not $1: $(ls .jotter/notes)"; return 1; }; }

ending() {
    rm -rf .jotter q out.d && "$JOTTER" init >/dev/null && mkdir -p .jotter/notes && echo '# By hand' >.jotter/notes/guide.md || return 1
    "$JOTTER" move guide first >/dev/null && lies first.md && "$JOTTER" write first 'written over' >/dev/null && "$JOTTER" move first a/second >/dev/null &&
        lies a/second.md && "$JOTTER" delete a/second >/dev/null && "$JOTTER" undo a/second >/dev/null && lies a/second.md &&
        "$JOTTER" write a/second more >/dev/null && "$JOTTER" delete a/second >/dev/null && "$JOTTER" restore a/second 1 >/dev/null && lies a/second.md &&
        "$JOTTER" copy files:q >/dev/null && [ -e q/notes/a/second.md ] && "$JOTTER" export --layout notes out.d >/dev/null && [ -e out.d/a/second.md ]
}
try 'a note that a person made as .md stays one when it is moved, deleted and brought back, copied and exported' ending

other_ending() {
    rm -rf .jotter p && mkdir -p p/docs && cd p && "$JOTTER" init --notes docs >/dev/null && echo 'by hand' >docs/todo.txt && "$JOTTER" move todo done >/dev/null &&
        [ -e docs/done.txt ] && [ ! -e docs/done.md ] && "$JOTTER" delete done >/dev/null && "$JOTTER" undo done >/dev/null && [ -e docs/done.txt ]
}
try 'a .txt in a directory of Markdown stays one' other_ending

plan
