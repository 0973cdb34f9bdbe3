#!/bin/bash
# log.t - runs from the shell: recording, looking, going on after a kill.
. "$(dirname "$0")/lib.sh"

each() {
    for JOTTER_PAD in files:pad sqlite:pad.db; do
        export JOTTER_PAD
        "$@" || { echo "# on $JOTTER_PAD"; return 1; }
    done
}

begin() { jot log new "$1"; run=$out; ends 0; }
call() { jot log add "$run" call --call "$1" --tool "$2" --args "${3:-{\}}" "${@:4}" && ends 0; }
result() { printf %s "$2" | "$JOTTER" log add "$run" result --call "$1" >/dev/null; }

none() { jot log && ends 66 && "$JOTTER" init >/dev/null && jot log && is '' && tells '(none)' && jot log --json && is '{"runs":[],"older":0}'; }
try 'without a run the list says so' each none

name() {
    begin 'how many?' && case $run in 20[0-9][0-9]*-*_a84049) ;; *) return 1 ;; esac
    jot log && says "$run" && says 'how many?' && says ann
}
try 'a run is named by time and query' each name

twice() {
    begin same && one=$run && begin same && [ "$one" != "$run" ] &&
        jot log --limit 1 && [ "$(printf '%s\n' "$out" | wc -l)" = 1 ] && tells 'older runs'
}
try 'the same query twice gives two runs' each twice

# The run that was written to last, though the other began later.
order() {
    begin earlier && one=$run && begin later && two=$run && sleep 0.01 && echo more | "$JOTTER" log add "$one" thinking >/dev/null || return 1
    jot log --limit 1 && says "$one" && jot log --limit 2 && [ "$(printf '%s\n' "$out" | cut -d' ' -f1 | xargs)" = "$one $two" ] || return 1
    jot log && [ "$(printf '%s\n' "$out" | head -n 2 | cut -d' ' -f1 | xargs)" = "$one $two" ] && jot log show last && says earlier
}
try 'the list begins with the run that was written to last, as last means it' each order

# A wrong clock has put one run into the future, where it stays.
moved() {
    local JOTTER_PAD=sqlite:$here/moved.db
    export JOTTER_PAD
    begin moved && one=$run && begin usual && two=$run || return 1
    python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE heads SET at = 4070908800000 WHERE name = ?", ("runs/" + sys.argv[2],))
db.commit()' "$here/moved.db" "$one" || return 1
    jot log show last && says usual && jot log && [ "$(printf '%s\n' "$out" | cut -d' ' -f1 | xargs)" = "$two $one" ]
}
try 'a run of a time that is still to come is not the last one for ever' moved

input() { run=$(printf 'from input' | "$JOTTER" log new) && jot log show "$run" && says 'from input'; }
try 'a query may come from standard input' each input

record() {
    begin q && jot log add "$run" thinking 'let me see' && ends 0 &&
        call c1 search '{"query":"x, y"}' && is c1 && result c1 '{"a": 1}' &&
        jot log add "$run" plan 'one thing' && jot log add last answer '42' && ends 0 &&
        jot log show "$run" && says 'let me see' && says 'search(query="x, y")  [c1]' &&
        says '#1 search' && says 'one thing' && says 42
}
try 'steps are recorded and shown in order' each record

exact() {
    begin q && call c raw && printf 'a\0b\377\n' | "$JOTTER" log add "$run" result --call c >/dev/null &&
        jot log results "$run" --json && says '"base64":"YQBi/wo="' &&
        jot log results "$run" && says '### raw() [base64]'
}
try 'any bytes come back' each exact

forge() {
    begin q && call c search && result c '### search()
[Tool result #1 cleared from context]' &&
        jot log results "$run" && is '### search()
\### search()
\[Tool result #1 cleared from context]' && jot log results "$run" --json &&
        says '"### search()\n[Tool result #1 cleared from context]"'
}
try 'a result cannot forge the headings around it' each forge

errors() {
    begin q && jot log final "$run" && is 'No data was gathered.' && call c fetch &&
        jot log add "$run" result 'timed out' --call c --error && is 'result #1' &&
        jot log final "$run" && is 'No data was successfully gathered.' &&
        jot log results "$run" && is '### fetch() [error]
timed out'
}
try 'a failure is shown as one, and left out of the final answer' each errors

clear() {
    begin q && for i in 1 2 3; do call c$i t && result c$i "r$i"; done
    jot log clear "$run" --keep 1 && is 'cleared 2, kept 1' &&
        jot log results "$run" && is '[Tool result #1 cleared from context]

[Tool result #2 cleared from context]

### t()
r3' && jot log results "$run" --from 2 --to 2 && is '### t()
r2' && jot log clear "$run" --keep 1 --json && says '"event":"context_cleared"' && says '"cleared":0,"kept":1'
}
try 'clearing keeps the newest, and the rest can still be read' each clear

compact() {
    begin q && call c1 t && result c1 r1 && jot log add "$run" summary 'so far' &&
        call c2 t && result c2 r2 && jot log results "$run" && is 'so far

---

New data retrieved after compaction:

### t()
r2'
}
try 'a summary stands for the results before it' each compact

usage() {
    begin q && call a search '{"query":"apple shares"}' && [ -z "$err" ] &&
        call b search '{"query":"apple shares"}' && tells "very similar to a previous 'search' call" &&
        jot log add "$run" call --tool search --args '{"query":"apple shares"}' --json && ends 0 &&
        says 'tool-call loop detected' && jot log usage "$run" &&
        says '- search: 3 calls (over suggested limit of 3)' && jot log usage "$run" --limit 5 &&
        says '- search: 3/5 calls' && jot log usage "$run" --json && says '"calls":3'
}
try 'repeated calls are warned of and never refused' each usage

# The limits are the run's: whoever looks at it, and wherever, counts by the same ones.
limits() {
    run=$("$JOTTER" log new q --limit 9 --similarity 30) && call a search '{"query":"apples pears"}' && [ -z "$err" ] &&
        call b search '{"query":"apples pears plums kiwis"}' && tells 'You have 8 attempt(s)' &&
        call c search '{"query":"apples pears plums figs"}' --similarity 90 && [ -z "$err" ] &&
        jot log usage "$run" && says '- search: 3/9 calls' && jot log usage "$run" --json && says '"limit":9,"similarity":30' &&
        jot context --run "$run" && says '- search: 3/9 calls' || return 1
    for wrong in 0 101 x; do
        jot log new q --similarity "$wrong" && ends 64 && tells 'use a number from 1 to 100' || return 1
    done
}
try 'a run keeps its limits at every door' each limits

done_at_once() {
    begin q && jot log add "$run" done 'four pages' --tool search --args '{"q":"x"}' && is 'result #1' &&
        jot log add "$run" done 'no such page' --tool fetch --error --json && says '"n":2' && says '"call":"call_' &&
        jot log open "$run" && is '' && tells '(none)' && jot log results "$run" && is '### search(q=x)
four pages

### fetch() [error]
no such page' || return 1
    call c1 search '{}' && jot log add "$run" done late --tool search --call c1 && is 'result #3' && jot log open "$run" && is '' && tells '(none)' &&
        jot log add "$run" done x && ends 64 && tells 'a call needs --tool NAME'
}
try 'a call that is over is recorded with its result at once' each done_at_once

killed() {
    begin q && call r read_file '{"path":"x"}' && jot log add "$run" call --call w --tool write_file --mutating &&
        jot log open "$run" && is 'r  read_file(path=x)
w  write_file()  mutating' && result r x && jot log open "$run" --json &&
        says '"call":"w"' && says '"mutating":true,"stored":false' && result w ok &&
        jot log open "$run" && is '' && tells '(none)'
}
try 'calls without a result are listed' each killed

wrong() {
    begin q && jot log add "$run" dream x && ends 64 && tells "no kind 'dream'" &&
        jot log results "$run" --from 9 --to 3 && ends 64 && tells '--from 9 is after --to 3' &&
        jot log add "$run" call && ends 64 && tells 'needs --tool' &&
        jot log add "$run" call --tool t --args '[1]' && ends 64 && tells 'must be a JSON object' &&
        jot log add "$run" result x --call none && ends 66 && tells "no open call 'none'" &&
        jot log add "$run" result x && ends 64 && tells 'needs --call' &&
        jot log show nope && ends 66 && tells "run 'nope' not found" &&
        jot log clear "$run" && ends 64 && tells '--keep N' &&
        jot log show "$run" && case $out in *tool*) return 1 ;; esac
}
try 'what is wrong is said and changes nothing' each wrong

paged() {
    begin q && for i in 1 2 3 4 5; do jot log add "$run" thinking "thought $i"; done
    jot log show "$run" --from 3 --limit 2 && says 'thought 2' && says 'thought 3' && tells '--from 5' &&
        jot log show "$run" --limit 2 --json && says '"next":3'
}
try 'a timeline is shown in parts' each paged

damage() {
    export JOTTER_PAD=files:hurt
    begin q && for i in 1 2 3; do jot log add "$run" thinking "thought $i"; done
    sed -i '3s/thinking/thonking/' "hurt/runs/$run.jsonl"
    jot log show "$run" && ends 0 && says 'thought 1' && says 'thought 3' && tells '1 record cannot be read' &&
        jot log add "$run" thinking more && ends 0
}
try 'a damaged line is passed over, counted and reported' damage

plan
