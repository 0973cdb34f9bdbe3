#!/bin/bash
# terminal.t - on a terminal, control characters of stored text, names and words are shown, not sent.
#
# `script` gives each command a terminal; what comes out may hold line breaks and tabs, and no other
# control character: not in one byte, not in two (C1), and no byte that is not UTF-8.  Only progress
# may begin its line anew and erase it (CR, ESC [K).
. "$(dirname "$0")/lib.sh"
command -v script >/dev/null || { echo '1..0 # SKIP there is no script(1)'; exit 0; }
export NO_COLOR=1 TERM=xterm
mkdir .jotter
esc=$(printf '\033')
evil=$(printf 'evil\033]0;owned\007\033[31mred\302\2331m\rback\bX')
bytes=$(printf '%s\2331m' "$evil") # not UTF-8
bad=0

# shown WORDS...: run it on a terminal; complain about what it sends.
shown() {
    local line="'$JOTTER'" word
    for word in "$@"; do line="$line '$word'"; done
    timeout 300 script -qec "$line" /dev/null </dev/null >.sent 2>&1
    tr -d '\r' <.sent | sed "s/$esc\[K//g" | LC_ALL=C grep -naP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(?<![\x80-\xff])[\x80-\xbf]' | cat -v | sed 's/^/# sent: /' >.raw
    [ ! -s .raw ] || { echo "# $(printf '%s ' "$@" | cat -v)"; cat .raw; return 1; }
}
# each: a command a line, all of them.
each() {
    local ok=0 line
    while read -r line; do shown $line || ok=1; done
    return $ok
}
holds() { grep -q "$1" .sent || { echo "# not sent: $1"; cat -v .sent | sed 's/^/# /'; return 1; }; }

printf '%s\n' "$evil" | "$JOTTER" write plan >/dev/null
printf '%s\n' "$evil 2" | "$JOTTER" write plan >/dev/null
printf '%s\n' "$bytes" >.jotter/notes/raw.txt
notes() {
    each <<LINES && shown read plan && holds 'evil.x1B]0;owned.x07' && shown read raw && holds 'x9B1m'
read plan
read raw
read plan --lines 1:1
list --long
history plan
history raw
diff plan
diff plan 1
blame plan
search evil
search --explain evil
context
LINES
}
try 'notes are shown, in whatever way they are looked at' notes

run=$("$JOTTER" log new "$evil")
printf '%s' "$evil" | "$JOTTER" log add "$run" thinking >/dev/null
"$JOTTER" log add "$run" call --tool fetch --args '{"a": "\u001b[31m"}' --call c1 >/dev/null
printf '%s' "$bytes" | "$JOTTER" log add "$run" result --call c1 >/dev/null
"$JOTTER" log add "$run" call --tool fetch --args '{"a": "\u001b[31m", "b": 1}' --call c2 >/dev/null
runs() {
    each <<LINES
log
log show $run
log show $run --all
log results $run
log results $run --all
log usage $run
log open $run
log final $run
context --run $run
LINES
}
try 'so are runs' runs

"$JOTTER" cycle init "$evil" >/dev/null
id=$("$JOTTER" cycle wake)
printf '{"tool": "look", "args": {"a": "\\u001b[31m"}}' | "$JOTTER" cycle step "$id" >/dev/null
printf '%s' "$evil" | "$JOTTER" cycle step "$id" --result >/dev/null
printf '{"tool": "update_scratchpad", "args": {"x\\u001b": "\\u001b[31m"}}' | "$JOTTER" cycle step "$id" >/dev/null
cycles() {
    each <<LINES && "$JOTTER" cycle fail "$id" "$evil" >/dev/null && each <<AFTER
cycle status
cycle read
cycle read $id
cycle diff $id
cycle explain $id
LINES
cycle status
cycle list
cycle read $id --before
cycle read $id --after
cycle diff $id
cycle explain $id
AFTER
}
try 'so are cycles' cycles

"$JOTTER" task add t1 "$evil" >/dev/null && "$JOTTER" task start t1 >/dev/null && "$JOTTER" task fail t1 "$evil" >/dev/null
"$JOTTER" line-log append planning steps "$evil" >/dev/null
printf '{"a": "\\u001b[31m"}' | "$JOTTER" artifact write planning p1 >/dev/null
printf '%s' "$bytes" | "$JOTTER" sink write call_1 --tool fetch >/dev/null
printf '%s' "$bytes" | "$JOTTER" checkpoint write r1 >/dev/null
others() {
    each <<LINES
task list
task read t1
task history t1
artifact list
artifact read planning p1
line-log read planning steps --times
line-log follow planning steps --from 1 --for 0
sink read call_1
sink read call_1 --bytes 3:5
sink view call_1
checkpoint list r1
checkpoint read r1
read plan --json
log show $run --json
LINES
}
try 'so are tasks, artifacts, results and states' others

# Files with such names, wherever a pad looks.
mkdir -p .jotter/quarantine .jotter/streams/notes.d memo
for name in ".jotter/notes/a$esc[31mb.txt" ".jotter/notes/.a$esc[31mb.txt.new" ".jotter/streams/notes.d/a$esc[31mb.jsonl" ".jotter/quarantine/a$esc[31mb" \
    "memo/a$esc[31mb.txt" .jotter/memories/"x$esc[31m"; do
    mkdir -p "$(dirname "$name")" && echo x >"$name"
done
printf '%s' "$bytes" >memo/ok.txt
files() {
    each <<LINES
list
list memories/
verify
doctor
doctor --fix
stats
import memo --layout notes
import memo
export out --layout notes
complete -- read a
LINES
}
try 'so are names of files, in quarantine and in what is imported' files

words() {
    local ok=0 x="x$esc[31m"
    shown "$x" || ok=1
    shown list "--$x" || ok=1
    shown read "$x" || ok=1
    shown read plan --version "$x" || ok=1
    shown write k --file "$x" || ok=1
    shown write k --as "$x" || ok=1
    shown list --pad "$x:y" || ok=1
    shown where --pad "files:$here/$x" || ok=1
    shown init --pad "files:$here/$x" || ok=1
    shown verify --pad "sqlite:$here/$x" || ok=1
    shown copy "$x:y" || ok=1
    shown import "$x" || ok=1
    shown export "/nowhere/$x.jotter" || ok=1
    shown help "$x" || ok=1
    shown completion "$x" || ok=1
    shown lease acquire "$x" || ok=1
    shown lease run k -- "./$x" || ok=1
    shown task read "$x" || ok=1
    shown log show "$x" || ok=1
    shown cycle read "$x" || ok=1
    shown cycle reset --template "$x" || ok=1
    shown cycle status --agent "$x" || ok=1
    shown edit plan --old "$x" --new y || ok=1
    shown search --kind "$x" y || ok=1
    shown list --limit "$x" || ok=1
    return $ok
}
try 'so are words of the command line in sentences' words

watched() {
    (while sleep 0.2; do echo "$RANDOM" | "$JOTTER" write watched; done >/dev/null) &
    local writer=$!
    shown watch --count 2
    local ok=$?
    kill $writer
    wait $writer 2>/dev/null
    return $ok
}
try 'so are changes as they come' watched

dumb() {
    shown verify && grep -q "$esc\[K" .sent || { echo '# no progress on a terminal' && return 1; }
    local TERM=dumb what
    export TERM
    for what in verify 'copy files:dumb' 'redact --all --text nowhere' doctor 'export dumb.jotter'; do
        shown $what || return 1
        ! LC_ALL=C grep -q -P '\e|\r.' .sent || { echo "# progress: $what" && return 1; }
    done
}
try 'a terminal that cannot erase a line gets no progress' dumb

# The line has a bar and an end where it is known how much there is; a pipe gets nothing of it.
bars() {
    local what
    for what in verify 'copy files:bars' 'export bars.jotter'; do
        shown $what || return 1
        LC_ALL=C grep -q -P '\r\[[= ]{24}\] [0-9,]+ of [0-9,]+ streams, ' .sent || { echo "# no bar: $what"; cat -v .sent | sed 's/^/# /'; return 1; }
        rm -f bars.jotter
        "$JOTTER" $what 2>.piped >/dev/null
        ! grep -q -v '^jotter: 1 problem' .piped || { echo "# in a pipe: $what"; sed 's/^/# /' .piped; return 1; }
        rm -f bars.jotter
    done
}
try 'long work shows how far it has come, on a terminal only' bars

cat >evil.yaml <<'E'
- text: "words \e]0;owned\a\e[31mred\u009b1m\rback"
  calls:
    - {id: e, name: echo, args: {text: "result \e[31mred\u009b1m\a"}}
    - {name: "no\e[31msuch", args: {"k\e[31m": "\e[31m"}}
- {text: "", stop: end}
- text: "answer \e[31mred {{result:e}}"
E
echo '- {text: "no \e[31m", stop: refusal, why: "why \e[31m"}' >refusal.yaml
agent() {
    shown run question --model script:evil.yaml && holds 'words .x1B' && holds '% green, turn 2 of 25' && holds 'answer .x1B' || return 1
    shown run question --model script:refusal.yaml && shown log show last && shown run --resume last --model script:none.yaml
}
try 'so are the words of a model and the results of its tools' agent

plain() { "$JOTTER" read plan | cmp -s - <(printf '%s\n' "$evil 2"); }
try 'elsewhere than on a terminal the bytes are what they are' plain

plan
