#!/bin/bash
# ask.t - an agent whose policy asks, and a person at a terminal who answers, or stops it.
cases=$(cd "$(dirname "$0")" && pwd)
. "$cases/lib.sh"
export JOTTER_PAD=files:$here/pad NO_COLOR=1 TERM=xterm
unset JOTTER_MODEL ANTHROPIC_API_KEY OPENAI_API_KEY JOTTER_SCRIPT_LOG

# person [WAIT KEYS]... -- ARGS...: jotter at a terminal; out and code are set.
person() {
    local words=()
    while [ "$1" != -- ]; do words+=("$1") && shift; done
    shift
    python3 "$cases/person.py" "${words[@]}" -- "$JOTTER" "$@" >"$here/.out" 2>"$here/.err"
    code=$?
    out=$(cat "$here/.out") err=$(cat "$here/.err")
}
question='lways: '

cat >two.yaml <<'E'
- calls: [{id: a, name: write_file, args: {path: a.txt, content: x}}, {id: b, name: write_file, args: {path: b.txt, content: x}}]
- text: "{{result:a|line 1}} / {{result:b|line 1}}"
E
two=(run 'write two' --model script:two.yaml)

answers() {
    person "$question" 'y\n' "$question" 'n\n' -- "${two[@]}" && ends 0 && says 'allow write_file(path=a.txt, content=x)? [y]es, [n]o, [a]lways: y' || return 1
    [ -e a.txt ] && [ ! -e b.txt ] && says 'the user was asked and said no' || return 1
    person "$question" 'A\n' -- "${two[@]}" && ends 0 && [ -e b.txt ] && says "made 'b.txt'"
}
try 'yes, no and always mean what they say' answers

again() {
    rm -f a.txt b.txt
    person "$question" '\n' "$question" 'perhaps\n' "$question" 'Yes\n' "$question" '\x04' -- "${two[@]}" && ends 0 && [ -e a.txt ] && [ ! -e b.txt ]
}
try 'what is no answer is asked for again, and Ctrl-D is no' again

only_this() {
    rm -f a.txt b.txt
    person "$question" '\x04' "$question" 'y\n' -- "${two[@]}" && ends 0 && [ ! -e a.txt ] && [ -e b.txt ]
}
try 'Ctrl-D is about this question only' only_this

ahead() {
    rm -f a.txt b.txt
    person '' 'y\ny\n' "$question" 'n\n' "$question" 'n\n' -- "${two[@]}" && ends 0 && [ ! -e a.txt ] && [ ! -e b.txt ]
}
try 'what was typed before the question is no answer to it' ahead

stops() {
    rm -f a.txt b.txt
    person "$question" 'y\n' "$question" '\x03' -- "${two[@]}" && ends 130 && [ -e a.txt ] && [ ! -e b.txt ] && says 'continue with: jotter run --resume' || return 1
    jot log results last && says "'write_file' was not run: the user was asked for it and stopped the work instead" || return 1
    person -- run --resume last --model script:two.yaml && ends 0 && says "made 'a.txt', 1 byte / 'write_file' was not run"
}
try 'Ctrl-C at a question stops the run, and nobody says that it was a no' stops

long() {
    local text=$(head -c 9000 /dev/zero | tr '\0' a)
    printf -- '- calls: [{id: w, name: write_file, args: {path: %s.txt, content: "%s"}}]\n- text: "{{result:w}}"\n' long "$text" >long.yaml
    printf -- '- calls: [{id: w, name: write_file, args: {path: %s.txt, content: "%s"}}]\n- text: "{{result:w}}"\n' short "${text:0:7000}" >short.yaml
    person -- run x --model script:long.yaml && ends 0 && says "no to a call of 'write_file' with 90" && says 'too long to be shown in full' && [ ! -e long.txt ] || return 1
    person "$question" 'y\n' -- run x --model script:short.yaml && ends 0 && says "${text:0:7000}" && [ -e short.txt ]
}
try 'what cannot be shown as a whole is not asked for' long

nobody() {
    rm -f a.txt b.txt
    person -- --json "${two[@]}" && ends 0 && says 'there is nobody to ask' && [ ! -e a.txt ] || return 1
    "$JOTTER" "${two[@]}" </dev/null >.out 2>.err && grep -q 'there is nobody to ask' .out && [ ! -e a.txt ]
}
try 'with --json, or without a terminal, nobody is asked' nobody

cat >words.yaml <<'E'
- text: 'I look. {"tool": "calc", "args": {"expression": "2+2"}}'
- text: '{"tool": "update_scratchpad", "args": {"mood": "fine"}}'
- text: '{"tool": "done", "args": {"summary": "four"}}'
E
words() {
    jot cycle init x && person -- cycle run --model script:words.yaml && ends 0 || return 1
    is 'I look. {"tool": "calc", "args": {"expression": "2+2"}}
> calc(expression=2+2)
  4 (1 byte)
{"tool": "update_scratchpad", "args": {"mood": "fine"}}
{"tool": "done", "args": {"summary": "four"}}
[COMPLETED] four
'"$(jot cycle list && echo "cycle ${out%% *}: done, 3 of 5 iterations")"
}
try 'on a terminal each reply of a cycle has lines of its own' words

cat >slow.yaml <<'E'
- text: '{"tool": "shell", "args": {"command": "touch marks/begun; sleep 60"}}'
- {hang: true}
E
cat >hang.yaml <<'E'
- {hang: true}
E
ctrl_c() {
    person 'turn 1' '\x03' -- run 'wait' --model script:hang.yaml && ends 130 && says cancelled && says '--resume' || return 1
    jot cycle reset && ends 0 || return 1
    mkdir -p marks # beside a pad not every way of confining lets a command make new files
    (until_true test -e marks/begun; sleep 0.1; kill -INT "$(cat pid)") &
    sh -c 'echo $$ >pid; exec "$@"' sh "$JOTTER" cycle run --allow shell --model script:slow.yaml >.out 2>.err
    code=$? out=$(cat .out) err=$(cat .err)
    wait
    case $err in *'cannot be confined'*) return 0 ;; esac
    ends 130 && says 'stopped, 1 of 5 iterations' && jot cycle read && says 'no result came: nobody knows whether it was done'
}
try 'Ctrl-C in the middle of a reply, or of a command, is an end like others' ctrl_c

plan
