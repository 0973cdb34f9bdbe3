#!/bin/bash
# transfer.t - import and export from the shell.
. "$(dirname "$0")/lib.sh"

archive() {
    echo one | "$JOTTER" write plan >/dev/null; echo two | "$JOTTER" write plan >/dev/null
    jot export pad.jotter && ends 0 && says 'archive: ' && says 'verified' &&
        jot --pad sqlite:new.db import pad.jotter && ends 0 && says '2 records, 2 added' &&
        jot --pad sqlite:new.db read plan && is two && jot --pad sqlite:new.db import pad.jotter && says ', 0 added'
}
try 'a pad goes into an archive and comes back' archive

taken() { jot export pad.jotter && ends 75 && tells "'pad.jotter' exists"; }
try 'an archive that exists is not replaced' taken

damaged() {
    sed 's/two/tw0/' pad.jotter >bad.jotter
    jot --pad files:never import bad.jotter && ends 70 && tells 'the archive is damaged at line' && [ ! -e never ] &&
        head -c -3 pad.jotter >short.jotter && jot --pad files:never import short.jotter && ends 70 && [ ! -e never ]
}
try 'a damaged archive is refused and makes no pad' damaged

notes() {
    mkdir book && echo text >book/a.txt && echo bad >'book/b.rst' && jot import book && ends 64 && tells 'not everything was imported: 1 missed' &&
        is 'notes: 1 file, 1 record added, 0 there already, 1 skipped' && tells "skipped b.rst: it is neither KEY.txt nor KEY.md" &&
        jot import book && says '0 records added, 1 there already' && jot read a && is text
}
try 'a directory is recognised, and importing again adds nothing' notes

leased() {
    echo one | "$JOTTER" --pad files:held write one >/dev/null && echo two | "$JOTTER" --pad files:held write two >/dev/null &&
        "$JOTTER" --pad files:held lease run one -- true >/dev/null && jot --pad files:held export held.jotter && ends 0 &&
        "$JOTTER" --pad files:used lease run a -- true >/dev/null && "$JOTTER" --pad files:used lease run b -- true >/dev/null &&
        echo mine | "$JOTTER" --pad files:used write one >/dev/null && jot --pad files:used import held.jotter && ends 75 &&
        tells "record 1 of 'notes/one' is another one in the target" && says '1 added' &&
        jot --pad files:used read two && is two && jot --pad files:used read one && is mine
}
try 'an archive comes into a pad that has used leases, and what differs stops nothing else' leased

# Whenever it comes: all of it, or a sentence; never a draft, and the next import finishes.
ended() {
    mkdir -p pile && for i in $(seq 600); do echo "text $i" >pile/n$i.md; done
    for signal in INT KILL; do
        "$JOTTER" --pad files:ended-$signal import pile >ended.out 2>ended.err &
        while ! ls ended-$signal/notes/n* >/dev/null 2>&1 && kill -0 $! 2>/dev/null; do sleep 0.01; done
        kill -$signal $! 2>/dev/null; wait $!; code=$?
        if [ $signal = INT ]; then
            if [ $code != 0 ]; then grep -q 'interrupted after [0-9]* files*: what was imported stays' ended.err || return 1; fi
            if ls -A ended-INT/notes | grep -q '^\.'; then return 1; fi
        fi
        jot --pad files:ended-$signal import pile && ends 0 && says ' 600 files' && [ "$(ls -A ended-$signal/notes | wc -l)" = 600 ] || return 1
    done
}
try 'an import that is ended by Ctrl-C or killed is finished by the next' ended

# The pile of above; whenever it comes, there is the whole archive or nothing.
unended() {
    "$JOTTER" --pad files:ended-INT export out.jotter >/dev/null 2>ended.err &
    while ! ls .out.jotter.* out.jotter >/dev/null 2>&1 && kill -0 $! 2>/dev/null; do :; done
    kill -INT $! 2>/dev/null; wait $!; code=$?
    if ls .out.jotter.* >/dev/null 2>&1; then return 1; fi
    if [ $code = 0 ]; then [ -e out.jotter ]; else [ $code = 130 ] && [ ! -e out.jotter ] && grep -q 'interrupted: there is no archive' ended.err; fi
}
try 'an export that is ended by Ctrl-C leaves nothing behind' unended

unnamed() { mkdir odd && echo x >odd/a.txt && echo x >"odd/$(printf '\377').txt" && jot --pad files:unnamed import odd --json && ends 64 && says '"skipped":[{"name":{"base64":"/y50eHQ="}'; }
try 'a name that is no UTF-8 is told in base64' unnamed

nowhere() { jot copy nonsense && ends 64 && tells "pad 'nonsense': a URL begins with a scheme"; }
try 'a wrong target of a copy is named' nowhere

json() { jot import book --json && ends 64 && says '"missed":1' && says '"layout":"notes"' && says '"skipped":[{"name":"b.rst"' && jot export two.jotter --json && says '"layout":"archive"'; }
try 'both answer with JSON' json

out() {
    jot export dir --layout notes && ends 0 && is 'notes: 2 files written, 0 left out' && [ "$(cat dir/plan.txt)" = two ] &&
        jot export dir --layout notes && ends 75 && jot export dir2 && ends 64 && tells '--layout' && jot export dir2 --layout x && ends 64 && tells "no layout 'x'"
}
try 'a layout goes to a new directory' out

nothing() { jot --pad files:never import /dev/null && ends 64 && jot --pad files:never import nowhere && ends 66 && [ ! -e never ]; }
try 'what cannot be imported makes no pad' nothing

replace() {
    mkdir again && echo v1 >again/alpha.txt && jot import again && ends 0 && echo v2 | "$JOTTER" write alpha >/dev/null &&
        jot import again && ends 75 && tells 'skipped alpha.txt: it is an older version in the pad: use --replace' && says '0 there already, 1 skipped' && jot read alpha && is v2 &&
        jot import again --replace && ends 0 && says '1 record added' && jot read alpha && is v1 && jot import again && ends 0 && says '1 there already, 0 skipped'
}
try 'import --replace brings an older version back' replace

deleted() {
    "$JOTTER" delete alpha >/dev/null; jot import again && ends 75 && tells 'it was deleted in the pad: use --replace to bring it back' && jot read alpha && ends 66 &&
        jot import again --replace && ends 0 && jot read alpha && is v1
}
try 'what was deleted comes back only with --replace' deleted

clash() {
    echo '{"a":1}' | "$JOTTER" --pad files:two artifact write x y >/dev/null && echo line | "$JOTTER" --pad files:two line-log append x y.json >/dev/null &&
        jot --pad files:two export both --layout artifacts && ends 75 && tells "skipped logs/x/y.json: 'x/y.json' is there already, of another memory" && grep -q '"a"' both/x/y.json
}
try 'an export does not write two memories to one file' clash

hidden() { mkdir dots && echo x >dots/a1.txt && touch dots/.gitkeep && jot import dots && ends 0 && tells 'skipped .gitkeep: it is hidden'; }
try 'nobody misses a hidden file' hidden

renamed() {
    mkdir names && echo one >'names/größe?.txt' && echo two >names/week.md && jot --pad files:names-pad import names && ends 0 && tells "renamed 'größe?.txt': it is notes/grosse-" &&
        jot --pad files:names-pad list && says week && key=$(sed -n 's/^\(grosse-[0-9a-f]*\)$/\1/p' "$here/.out") && jot --pad files:names-pad read "$key" && is one || return 1
    echo three | "$JOTTER" --pad files:names-pad write "$key" >/dev/null && jot --pad files:names-pad export names-out --layout notes && ends 0 &&
        [ "$(cat 'names-out/größe?.txt')" = three ] && [ "$(cat names-out/week.md)" = two ] || return 1
    jot --pad files:names-pad2 import names --json && says '"renamed":[{"name":"größe?.txt","as":"notes/grosse-' && says '"renamed_total":1'
}
try 'a name that is no key becomes one, which is told, and goes back' renamed

plan
