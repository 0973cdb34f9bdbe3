#!/bin/bash
# unseen.t - at a terminal everything is seen: what a question asks for, names, authors, errors.
#
# person.py gives each command a terminal of its own; unseen.py says what of its output is not seen.
cases=$(cd "$(dirname "$0")" && pwd)
. "$cases/lib.sh"
export JOTTER_PAD=files:$here/pad NO_COLOR=1 TERM=xterm
unset JOTTER_MODEL ANTHROPIC_API_KEY OPENAI_API_KEY JOTTER_SCRIPT_LOG
rlo=$(printf '\342\200\256') lri=$(printf '\342\201\246') zwsp=$(printf '\342\200\213') tag=$(printf '\363\240\201\201') filler=$(printf '\343\205\244')
mark=$(printf '\314\201') vs=$(printf '\357\270\217') evil="a${rlo}b${lri}c${zwsp}d${tag}e${filler}f"
wide='größe 日本 हिन्दी'
seen='a\u{202E}b\u{2066}c\u{200B}d\u{E0041}e\u{3164}f'

# person [WAIT KEYS]... -- ARGS...: jotter at a terminal; out and code are set, and all of it is seen.
person() {
    local words=()
    while [ "$1" != -- ]; do words+=("$1") && shift; done
    shift
    python3 "$cases/person.py" "${words[@]}" -- "$JOTTER" "$@" >"$here/.out" 2>"$here/.err"
    code=$?
    out=$(cat "$here/.out") err=$(cat "$here/.err")
    python3 "$cases/unseen.py" <"$here/.out" || { echo "# of: $*"; return 1; }
}

cat >evil.yaml <<'E'
- calls: [{id: p, name: shell, args: {command: "echo \u202e'sl' ; \u2066 rm \u200b\U000E0041\u3164x"}}]
- text: "done \u202e words \u2764\ufe0f größe"
E
question() {
    person 'lways: ' 'n\n' -- run "$evil" --model script:evil.yaml && ends 0 || return 1
    says "allow shell(command=\"echo \\u202e'sl' ; \\u2066 rm \\u200b\\udb40\\udc41\\u3164x\")? [y]es, [n]o, [a]lways: n" &&
        says "> shell(command=\"echo \\u202e'sl' ; " && says 'done \u{202E} words ❤️ größe'
}
try 'what is asked for looks like what runs' question

run=$("$JOTTER" log | cut -d" " -f1)
echo "text $evil" | "$JOTTER" write plan --as "ann$rlo" >/dev/null
printf '%s\n' "$wide" "I ❤️ you" "zalgo x$mark$mark$mark$mark$mark$mark" >text
"$JOTTER" write plan --as "$wide" --file text >/dev/null
printf 'x' | "$JOTTER" write "memories/$evil" --as "bob$zwsp" >/dev/null
printf 'x' | "$JOTTER" write "memories/$wide" >/dev/null
names() {
    person -- list memories/ && says "memories/$seen" && says "memories/$wide" &&
        person -- list memories/ --long && says 'bob\u{200B}' &&
        person -- history plan && says 'ann\u{202E}' && says "$wide" &&
        person -- history "memories/$evil" && person -- blame plan &&
        person -- search x && person -- where --pad "files:$here/$evil" && says "$seen"
}
try 'names and authors are seen in lists and histories' names

"$JOTTER" log add "$run" thinking <<<"thought $evil" >/dev/null
"$JOTTER" log add "$run" call --tool "look$rlo" --args "{\"a$zwsp\": \"$evil\"}" --call "c$zwsp" >/dev/null
"$JOTTER" log add "$run" result --call "c$zwsp" <<<"result $evil" >/dev/null
"$JOTTER" log add "$run" call --tool "look$rlo" --args '{}' --call "o$zwsp" >/dev/null
runs() {
    person -- log && says "$seen" && person -- log show "$run" && says "thought $seen" && says '"look\u202e"("a\u200b"=' &&
        says 'c\u{200B}' && person -- log results "$run" --all && person -- log open "$run" && person -- log usage "$run" &&
        person -- context --run "$run" && person -- log show "$run" --json && says '\u202e'
}
try 'so are runs, their tools and calls' runs

errors() {
    person -- read "$evil" && ends 64 && says "invalid key '$seen'" || return 1
    person -- read 'größe*' && ends 64 && says "invalid key 'größe*'" || return 1
    person -- "x$rlo" && ends 64 && says 'x\u{202E}' || return 1
    person -- log show "20$rlo" && says '20\u{202E}' || return 1
    # Sentences are the same where nobody looks.
    jot read "$evil" && tells "invalid key '$seen'" && jot read 'größe*' && tells "invalid key 'größe*'"
}
try 'so are errors, and what can be seen is not escaped in them' errors

texts() {
    person -- read plan && says "$wide" && says 'I ❤️ you' && says "zalgo x$mark$mark$mark$mark\\u{301}\\u{301}" || return 1
    person -- read plan --version 1 && says "text $seen" || return 1
    jot read plan --version 1 && [ "$(cat "$here/.out")" = "text $evil" ]
}
try 'texts keep what they are written with, and elsewhere their bytes' texts

watched() {
    (while sleep 0.2; do echo "$RANDOM" | "$JOTTER" write "memories/$evil" --as "eve$rlo"; done >/dev/null) &
    local writer=$! ok=0
    { person -- watch --count 2 && says "memories/$seen" && says 'eve\u{202E}'; } || ok=1
    kill $writer
    wait $writer 2>/dev/null
    return $ok
}
try 'so are changes as they come' watched

task() {
    "$JOTTER" task add "t$rlo" "$evil" --agent "$evil" >/dev/null && person -- task list && says 't\u{202E}' && person -- task read "t$rlo" && says "agent            $seen" &&
        person -- task history "t$rlo" && person -- lease acquire "notes/k" && person -- verify && person -- stats
}
try 'and so is the rest' task

plan
