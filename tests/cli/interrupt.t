#!/bin/bash
# interrupt.t - Ctrl-C in long work: one sentence, exit 130, nothing half done, and the same command does the rest.
cases=$(realpath "$(dirname "$0")")
. "$(dirname "$0")/lib.sh"
python3 -c 'import os; os.login_tty' 2>/dev/null || { echo '1..0 # SKIP there is no python3 of 3.11 or newer'; exit 0; }
export TERM=xterm NO_COLOR=1 JOTTER_PAD=files:pad

# Progress is shown every so many streams: there are more.
mkdir first
for n in $(seq 420); do echo "text $n of first" >"first/first-$n.txt"; done
"$JOTTER" import first --layout notes >/dev/null

# ended SENTENCE WORDS...: a person presses the key in the middle of it.
ended() {
    local sentence=$1
    shift
    python3 "$cases/press.py" "$JOTTER" "$@" >"$here/.out" 2>"$here/.err"
    code=$?
    heard
    ends 130 && says 'jotter: interrupted' && says "$sentence"
}
whole() { jot --pad "$1" verify && ends 0; }

copied() {
    ended 'the same command continues' copy files:other && whole files:other && jot copy files:other && ends 0 && [ "$("$JOTTER" list | wc -l)" = "$("$JOTTER" --pad files:other list | wc -l)" ]
}
try 'copy leaves what it copied whole, and continues' copied

copied_db() { ended 'the same command continues' copy sqlite:other.db && whole sqlite:other.db && jot copy sqlite:other.db && ends 0; }
try 'so does copy to a file of SQLite' copied_db

looked() { ended 'not everything was looked at' verify && ended 'not everything was looked at' doctor && whole files:pad; }
try 'verify and doctor say that not all was looked at' looked

dropped() { ended 'the same command does the rest' gc --keep 16 && whole files:pad && jot gc --keep 16 && ends 0; }
try 'gc says what it did, and does the rest the next time' dropped

indexed() { ended 'brings the index up to date' search --reindex && whole files:pad && jot search 'first' --limit 1 && ends 0 && says notes/first; }
try 'an index that was not made whole is made by the next search' indexed

redacted() {
    ended 'the text is still in the others' redact --all --text 'of first' && jot redact --all --text 'of first' && whole files:pad && jot search '"of first"' && is ''
}
try 'a redaction that was ended says so, and the same command does the rest' redacted

exported() { ended 'what is written stays' export files --layout notes && [ -z "$(find files -name '.*' -type f)" ] && rm -rf files && ended 'there is no file' export notes.db --layout notes && [ -z "$(ls -A | grep 'notes.db')" ]; }
try 'an export leaves whole files, and of a database nothing' exported

bars() {
    local what
    for what in verify 'copy files:bars' 'gc --keep 16' 'search --reindex' 'redact --all --text nowhere'; do
        python3 "$cases/person.py" -- "$JOTTER" $what 2>&1 | tr '\r' '\n' | grep -q '^\[[= ]*\] [0-9,]* of [0-9,]* streams' || { echo "# no bar: $what"; return 1; }
        "$JOTTER" $what 2>&1 >/dev/null | grep '\[' && return 1
    done
    return 0
}
try 'each shows a bar with an end on a terminal, and nothing in a pipe' bars

plan
