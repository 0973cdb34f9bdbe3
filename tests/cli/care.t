#!/bin/bash
# care.t - looking after a pad from the shell.
. "$(dirname "$0")/lib.sh"
export JOTTER_PAD=files:$here/pad

put() { printf '%s' "$2" | "$JOTTER" write "$1" >/dev/null; }

missing() { jot verify && ends 66 && jot doctor && ends 66 && jot stats && ends 66; }
try 'a pad that is not there cannot be verified' missing

for i in $(seq 1 20); do put plan "version $i"; done
put fruit apple

good() { jot verify && ends 0 && says '2 streams, 21 records' && says 'everything is as it should be' && jot doctor && ends 0 && says 'nothing is wrong'; }
try 'a pad in order verifies' good

stats() { jot stats && ends 0 && says notes && says ' 21 ' && jot stats --json && says '"records":21'; }
try 'kinds are counted' stats

gc() {
    jot gc && ends 64 && tells 'give what to keep' && jot gc --keep 17 --dry-run && says 'would drop 3 records' && jot gc --keep 17 --json && says '"records":3' &&
        jot gc --keep 17 && says 'dropped 0 records' && jot gc --prefix tasks/ --keep 20 && ends 64 && jot read plan && is 'version 20'
}
try 'old versions go, and the value stays' gc

damage() {
    printf '{"seq":9,"at' >>"$here/pad/streams/notes.d/plan.jsonl"
    jot verify && ends 70 && says 'leftover' && says 'notes/plan' && says '; ' && jot doctor && ends 70 && says '(--fix does it)' &&
        jot doctor --fix && ends 0 && says 'nothing is wrong now' && jot verify && ends 0
}
try 'what is wrong is told, and mended if asked' damage

merged() {
    s=$here/pad/streams/notes.d/fruit.jsonl
    cp "$s" base && put fruit pear && tail -n 1 "$s" >ours && cp base "$s" && printf apple >"$here/pad/notes/fruit.txt" && put fruit plum && tail -n 1 "$s" >theirs
    { cat base; echo '<<<<<<< HEAD'; cat ours; echo =======; cat theirs; echo '>>>>>>> other'; } >"$s"
    jot verify && ends 70 && says 'fork' && says 'git checkout --ours' && jot doctor --fix --json && ends 0 && says '"fixed":true' && jot read fruit && is plum && jot verify && ends 0
}
try 'a stream that git merged is told and mended' merged

crash() { jot doctor --after-crash && ends 64 && printf vers >"$here/pad/notes/plan.txt" && jot doctor --fix --after-crash && ends 0 && says '1 file restored' && jot read plan && is 'version 20'; }
try 'after a crash every file is compared' crash

json() { jot verify --json && ends 0 && says '"faults":0' && says '"problems":[' && echo x >"$here/pad/streams/stray" && jot verify --json && ends 70 && says '"kind":"stray"'; }
try 'with --json problems are a list' json

# until CONDITION...: looks again for five seconds
lines() { [ "$(wc -l <"$here/seen")" = "$1" ]; }
watched() {
    rm -f "$here/told" # what an earlier one said does not count
    "$JOTTER" watch --count 2 --json >"$here/seen" 2>"$here/told" &
    pid=$!
    until_true grep -q watching "$here/told" && put news one && until_true lines 1 && "$JOTTER" delete news >/dev/null
    wait $pid && lines 2 && grep -q '"stream":"notes/news","op":"put"' "$here/seen" && grep -q '"op":"delete"' "$here/seen"
}
try 'watching tells each change once, a line of JSON each' watched

stopped() {
    rm -f "$here/told"
    "$JOTTER" watch notes/ >"$here/seen" 2>"$here/told" &
    pid=$!
    until_true grep -q watching "$here/told"
    printf edited >"$here/pad/notes/plan.txt"
    until_true grep -q outside "$here/seen"
    kill -INT $pid && wait $pid && grep -q 'written   notes/plan' "$here/seen"
}
try 'watching sees edits of files, and an interrupt ends it well' stopped

taken_away() {
    local pid
    rm -f "$here/told"
    "$JOTTER" --pad files:taken init >/dev/null
    "$JOTTER" --pad files:taken watch >"$here/seen" 2>"$here/told" &
    pid=$!
    until_true grep -q watching "$here/told"
    mv taken elsewhere
    wait $pid
    [ $? = 69 ] && grep -q 'the pad was moved, replaced or removed' "$here/told"
}
try 'watching a pad that is moved away says so' taken_away

where() { jot where --json && ends 0 && says '"there":true' && says '"index":"' && jot --pad files:none where --json && ends 0 && says '"there":false'; }
try 'where answers in JSON' where
promises() {
    jot --pad mem: where && says 'durable    no (what is acknowledged is gone with the process)' && jot --pad sqlite:promise.db init && jot --pad sqlite:promise.db where &&
        says 'durable    yes (what is acknowledged survives a power loss)' && says 'editable   no (there are no files for people to edit)'
}
try 'where says what a promise that is not made means' promises

bare_prefix() {
    local words
    for words in 'watch plan --count 1' 'search text --prefix plan' 'gc --keep 16 --prefix plan'; do
        # shellcheck disable=SC2086
        jot $words && ends 64 && tells "the prefix 'plan' has no kind in front: use notes/plan" || return 1
    done
    jot gc --keep 10 && ends 64 && tells 'keep 10: the newest 16 versions always stay, because a repeated write is recognised by them; use 16 or more' || return 1
    jot gc && ends 64 && tells 'give what to keep: --keep N, --before TIME, --bytes N or --sessions TIME'
}
try 'a prefix that no name can have is refused instead of finding nothing' bare_prefix

# An editor's newline at the end of a stream file, in every kind that is decided by its newest record.
stray_line() {
    export JOTTER_PAD=files:$here/stray
    run=$("$JOTTER" log new q) && jot log add "$run" thinking x && jot lease acquire k && ends 0 && jot cycle init g && ends 0 && jot task add t do && ends 0
    for f in runs/$run streams/leases.d/table streams/cycles.d/default streams/tasks.d/t; do echo >>"$here/stray/$f.jsonl"; done
    jot verify && ends 70 && says leftover || return 1
    jot log show "$run" && ends 0 && says x && jot log add "$run" thinking y && ends 0 && jot lease list && says notes/k && jot lease acquire l && ends 0 &&
        jot cycle wake && ends 0 && jot task start t && ends 0 && jot verify && ends 0
}
try 'a stray line at the end of a stream stops nothing' stray_line

flipped() {
    export JOTTER_PAD=files:$here/flipped
    jot task add t do && jot task start t && ends 0 && f=$here/flipped/streams/tasks.d/t.jsonl && n=$(wc -l <"$f") && sed -i '$s/description/descriptiom/' "$f"
    jot verify && ends 70 && says "record $n, its newest, is damaged" && jot task read t && ends 0 && tells "warning: record $n of 'tasks/t' was damaged" &&
        jot task start t && ends 75 && tells "warning: record $n of" && jot task start t && ends 0 && jot task history t && says "$((n + 1))" &&
        jot verify && ends 70 && says "record $n is lost" && jot doctor --fix && ends 70 && ! case $out in *'nothing is wrong'*) true ;; *) false ;; esac
}
try 'a damaged newest record is told, its number left out, and a conditional write refused once' flipped

plan
