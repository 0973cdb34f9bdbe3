#!/bin/bash
# happened.t - what happened in a pad, and what it holds: history without a key, list --recent, status.
. "$(dirname "$0")/lib.sh"

each() {
    for JOTTER_PAD in files:pad sqlite:pad.db; do
        export JOTTER_PAD
        "$@" || { echo "# on $JOTTER_PAD"; return 1; }
    done
}

none() {
    jot history && ends 66 && tells 'there is no pad' && jot status && ends 66 && "$JOTTER" init >/dev/null && jot history && ends 0 && is '' && tells 'nothing has changed yet' && jot history --json && is '{"changes":[],"more":false}' &&
        jot status && ends 0 && says 'nothing yet' && jot list --recent && ends 0 && is '' && tells '(empty)'
}
try 'a named pad that is not there is refused, and a new one has no history' each none

# Each change has a time of its own, so that their order is known.
step() { "$@" >/dev/null 2>&1 && sleep 0.01; }
fill() {
    step "$JOTTER" write a one && step "$JOTTER" --as bob write b two && step "$JOTTER" --as bob write a 'one more' &&
        step "$JOTTER" delete b && step "$JOTTER" task add t1 'look at it' && step "$JOTTER" write c '# A heading'
}

history() {
    fill && jot history && ends 0 &&
        [ "$(awk '{ print $2, $3, $4 }' <<<"$out" | tr '\n' ';')" = 'ann made c;ann made tasks/t1;ann deleted b;bob wrote a;bob made b;ann made a;' ] &&
        says 'wrote    a  9 bytes (+5)' && says 'made     b  4 bytes (+4)'
}
try 'history without a key has the changes of the pad, newest first' each history

filters() {
    jot history --by bob && [ "$(awk '{ print $4 }' <<<"$out" | tr '\n' ' ')" = 'a b ' ] &&
        jot history --kind tasks && [ "$(wc -l <<<"$out")" = 1 ] && says tasks/t1 &&
        jot history --limit 2 && [ "$(wc -l <<<"$out")" = 2 ] && tells 'there are older ones' &&
        jot history --since 1d --json && says '"change":"made"' && says '"grew":5' && says '"more":false' &&
        jot history --since 2999-01-01 && is '' && tells 'nothing has changed, as asked' &&
        jot history --since never && ends 64 && jot history a --by bob && ends 64 && jot history --before 2 && ends 64
}
try 'it is filtered by author, kind, time and number' each filters

mistyped() {
    jot history --kind nope && ends 64 && is '' && tells "no kind 'nope': use notes," && jot history --kind plans && ends 0 && tells 'as asked' || return 1
    JOTTER_PAD=files:$here/none jot history --kind nope && ends 66 && [ ! -e "$here/none" ]
}
try 'a kind that there is not is refused' each mistyped

recent() {
    jot list --recent && is "c
a" && jot list --recent --limit 1 && is c && tells 'there are older ones' && jot list --long && says 'A heading' && says ' bob ' &&
        jot list --recent --json && says '"more":false' && jot list --recent --after a && ends 64
}
try 'list has the newest first, and the first lines' each recent

status() {
    jot status && says 'notes: 2' && says 'tasks: 1' && says 'open     task t1, ' && says ': look at it' && says 'nothing is wrong' &&
        says 'last changes' && says 'made     c' && jot status --json && says '"counts":{' && says '"notes":2' && says '"changes":[{'
}
try 'status has all of it on one screen' each status

# More versions than are read at a time, of one length: only the first has added something.
long() {
    local i
    for i in $(seq 10 49); do "$JOTTER" write long "v$i" >/dev/null || return 1; done
    jot history --kind notes --limit 40 && [ "$(grep -c ' long  4 bytes (+' <<<"$out")" = 40 ] && [ "$(grep -c '(+0)' <<<"$out")" = 39 ]
}
try 'a long history is read page by page' each long

outside() {
    export JOTTER_PAD=files:pad
    echo 'by hand' >pad/notes/a.txt && jot history --limit 1 && says 'outside ' && says 'edited   a' && says '(not recorded yet)' &&
        jot status && says 'not recorded yet: 1' && jot list --long a && says 'edited '
}
try 'an edit by hand is shown before it is recorded' outside

pipes() {
    unset JOTTER_PAD
    for _ in $("$JOTTER" --pad files:nothing list 2>/dev/null); do return 1; done
    [ -z "$("$JOTTER" --pad files:nothing task list 2>/dev/null)" ]
}
try 'standard output is empty where there is nothing' pipes

plan
