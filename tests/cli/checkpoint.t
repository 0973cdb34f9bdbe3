#!/bin/bash
# checkpoint.t - states of a run from the shell: save, list, load, undo, trim.
. "$(dirname "$0")/lib.sh"

save() { printf '%s' "$1" | "$JOTTER" checkpoint write run "${@:2}" >"$here/.out" 2>"$here/.err"; code=$?; heard; }

for pad in files:pad sqlite:pad.db; do
    export JOTTER_PAD=$pad

    none() { jot checkpoint list run && ends 66 && "$JOTTER" init >/dev/null && jot checkpoint list run && is '' && tells '(empty)' && jot checkpoint read run && ends 66 && jot checkpoint undo run && ends 66; }
    try "a named pad that is not there is no empty one; a new one has no checkpoints ($pad)" none

    saved() { save one --label first && is 'saved checkpoint 1 of run' && save two && save three && jot checkpoint read run && is three && jot checkpoint read run 1 && is one; }
    try "what is saved is loaded, the newest or by version ($pad)" saved

    undone() { jot checkpoint undo run && is two && jot checkpoint undo run --if-version 4 && is one && jot checkpoint read run && is one; }
    try "undo restores the state below ($pad)" undone

    moved() { jot checkpoint undo run --if-version 4 && ends 75 && tells 'version 5 is the newest now'; }
    try "undo that names another version changes nothing ($pad)" moved

    emptied() { jot checkpoint undo run && is one && jot checkpoint undo run && ends 66 && tells 'no checkpoint snapshots available to restore'; }
    try "undo of the only state restores it, and then there is none ($pad)" emptied

    listed() { save four && jot checkpoint list run --json && says '"total":7,"depth":1' && says '"label":"first"' && says '"undone":3,"restored":2'; }
    try "the list tells what was undone and what is live ($pad)" listed

    newest_first() { jot checkpoint list run && awk '{ print $1 == "*" ? $2 : $1 }' <<<"$out" | sort --check=quiet -rn; }
    try "the list begins with the newest version ($pad)" newest_first

    trimmed() {
        for i in $(seq 20); do save "s$i"; done
        save last --keep 17 && ends 0 && jot checkpoint list run --json && says '"total":17' && jot checkpoint read run 1 && ends 66 && tells 'checkpoint 1 of'
    }
    try "the newest states are kept, older ones dropped ($pad)" trimmed

    few() {
        for i in $(seq 25); do save "few $i" --keep 10 || return 1; done
        says 'saved checkpoint' && says 'dropped 1 older one' && jot checkpoint list run --json && says '"total":10,"depth":10' || return 1
        jot checkpoint trim run --keep 3 && says 'dropped 7 checkpoints of run' && jot checkpoint list run && [ "$(wc -l <<<"$out")" = 3 ] || return 1
        jot checkpoint undo run && is 'few 24' && jot checkpoint undo run && is 'few 23' && jot checkpoint undo run && is 'few 23' && jot checkpoint undo run && ends 66 &&
            jot verify && ends 0
    }
    try "fewer than sixteen can be kept ($pad)" few

    bad() { jot checkpoint read run zero && ends 64 && jot checkpoint read ../x && ends 64 && jot checkpoint trim run && ends 64 && tells '--keep N or --age SECONDS'; }
    try "bad input is named ($pad)" bad
done

plan
