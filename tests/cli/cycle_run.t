#!/bin/bash
# cycle_run.t - jotter cycle run: an agent that wakes by itself, with a scripted model and real tools.
. "$(dirname "$0")/lib.sh"
export JOTTER_PAD=files:$here/pad
unset JOTTER_MODEL ANTHROPIC_API_KEY OPENAI_API_KEY JOTTER_SCRIPT_LOG

cat >cycle.yaml <<'E'
- {when: 'at step 1 of', text: '{"tool": "calc", "args": {"expression": "1+2"}}'}
- {when: 'at step 2 of', text: '{"tool": "done", "args": {"summary": "it is 3"}}'}
- text: unused
E
cycle() {
    jot cycle init 'add numbers' && jot cycle run --model script:cycle.yaml && ends 0 && says 'done, 2 of 5 iterations' || return 1
    grep -q 'summary: it is 3' pad/cycles/active.yaml && grep -q '\[TOOL\] calc' pad/cycles/active.yaml || return 1
    jot cycle run --every 1 --watch x --model script:cycle.yaml && ends 64 && tells 'give one of --every and --watch'
}
try 'a cycle runs by itself' cycle

cat >read.yaml <<'E'
- {when: 'at step 1 of', text: '{"tool": "echo", "args": {"message": "Hello!"}}'}
- {when: 'at step 2 of', text: '{"tool": "scratchpad_read", "args": {"key": "long"}}'}
- {when: 'at step 3 of', expect: ['line 199 of it'], text: '{"tool": "nosuch", "args": {}}'}
- {when: 'at step 4 of', expect: ['there are scratchpad_write'], text: '{"tool": "done", "args": {"summary": ""}}'}
E
reads() {
    for i in $(seq 200); do echo "line $i of it"; done | "$JOTTER" write long >/dev/null
    jot cycle run --agent reader --model script:read.yaml && ends 0 && says 'done, 4 of 5 iterations' || return 1
    local state=pad/cycles/reader/active.yaml id
    grep -q '^  \[TOOL\] echo({"message":"Hello!"}) -> Hello!$' $state && grep -q '^  \[UNKNOWN TOOL\] nosuch$' $state || return 1
    id=$(sed -n 's|.*key=steps/reader/\([0-9_]*\)/4 from_char=301)$|\1|p' $state) && [ -n "$id" ] || return 1
    jot read "steps/reader/$id/4" && ends 0 && says 'line 199 of it'
}
try 'a cycle reads its notes, whole, and asks for what there is' reads

watched() {
    "$JOTTER" cycle run --watch "$here/trigger" --model script:cycle.yaml >watched 2>&1 &
    local pid=$!
    touch trigger
    until_true grep -q done watched
    kill -TERM "$pid" && wait "$pid"
    [ $? -eq 0 ] && [ ! -e trigger ] && grep -q 'done, 2 of 5 iterations' watched
}
try 'a file sets off a cycle, and is taken away' watched

odd() {
    mkdir -p odd
    jot cycle run --watch odd --model script:cycle.yaml && [ "$code" -ge 64 ] && tells "could not take 'odd' away: Is a directory" || return 1
    jot cycle run --every 0 --model script:cycle.yaml && ends 64 && tells 'use a number from 1' || return 1
    jot cycle run --model script:none.yaml && ends 66 && tells "could not open the script 'none.yaml'"
}
try 'what cannot be watched or done is told at once' odd

# Each cycle is a value, also one that fails.
values() {
    local JOTTER_PAD=files:$here/values pid
    echo '- text: "{\"tool\": \"done\", \"args\": {\"summary\": \"once\"}}"' >once.yaml
    "$JOTTER" cycle run --every 1 --json --model script:once.yaml >values.out 2>values.err &
    pid=$!
    until_true lines values.out 2
    kill -INT "$pid" && wait "$pid" || return 1
    [ ! -s values.err ] && python3 -c '
import json, sys
first, second = [json.loads(line) for line in open("values.out")][:2]
assert first["end"] == "done" and second["status"] == "invalid" and "used up" in second["error"] and second["cycle"], second'
}
try 'with --json each cycle is a line, also one that fails' values

often() { [ "$(grep -c done often)" -ge 2 ]; }
every() {
    "$JOTTER" cycle run --every 1 --agent often --model script:cycle.yaml >often 2>&1 &
    local pid=$!
    until_true often
    kill -TERM "$pid" && wait "$pid"
    [ $? -eq 0 ] && often
}
try 'a cycle comes again after a while' every

cat >many.yaml <<'E'
- text: '{"tool": "calc", "args": {"expression": "1+2"}}'
- text: '{"tool": "done", "args": {"summary": "first"}}'
- text: '{"tool": "done", "args": {"summary": "second"}}'
- {text: '{"tool": "done", "args": {"summary": "more"}}', repeat: true}
E
advance() { # PAD
    local JOTTER_PAD=$1
    jot cycle init 'go on' && jot cycle run --model script:many.yaml && says 'done, 2 of 5' || return 1
    jot cycle run --model script:many.yaml && says 'done, 1 of 5' && jot cycle read && says first && says second || return 1
    jot cycle run --model script:many.yaml && jot cycle read && says more || return 1
    jot cycle reset && jot cycle run --model script:many.yaml && says 'done, 2 of 5' && jot cycle read && says first
}
try 'a script goes on from one cycle to the next, and a reset begins it anew' advance "files:$here/advance"
try 'on SQLite too' advance "sqlite:$here/advance.db"

used_up() {
    echo '- text: "{\"tool\": \"done\", \"args\": {\"summary\": \"once\"}}"' >once.yaml
    local JOTTER_PAD=files:$here/used
    jot cycle init x && jot cycle run --model script:once.yaml && ends 0 && jot cycle run --model script:once.yaml && ends 64 && tells 'is used up: it has 1 answers' || return 1
    jot cycle explain && says 'it crashed' && says 'is used up' && jot cycle read && says once
}
try 'a script that is used up fails the cycle, and the state stays' used_up

# Killed in the middle of the second cycle, and started again.
killed() { # PAD
    local JOTTER_PAD=$1 pid
    cat >first.yaml <<'E'
- text: '{"tool": "done", "args": {"summary": "first"}}'
- text: '{"tool": "write_file", "args": {"path": "made", "content": "x"}}'
- text: '{"tool": "update_scratchpad", "args": {"mood": "odd"}}'
E
    cat first.yaml - >hang.yaml <<<'- {hang: true}'
    cat first.yaml - >go.yaml <<<'- {text: "{\"tool\": \"done\", \"args\": {\"summary\": \"second\"}}", repeat: true}'
    rm -f made hang.log
    "$JOTTER" cycle run --every 1 --allow write --model "script:hang.yaml?log=$here/hang.log" >/dev/null 2>&1 &
    pid=$!
    until_true lines hang.log 4
    kill -9 "$pid" && wait "$pid" 2>/dev/null
    jot cycle read && says first && case $out in *odd*) false ;; esac || return 1
    jot cycle status && says '2 of 5 iterations, killed, or its lease ran out: the next wake ends it' && jot cycle explain && says 'it was killed, or its lease ran out: the next wake ends it' || return 1
    rm made
    "$JOTTER" cycle run --every 1 --allow write --model script:go.yaml >again 2>again.err &
    pid=$!
    until_true grep -q done again
    kill -TERM "$pid" && wait "$pid" || return 1
    grep -q 'was ended: it was killed' again.err && grep -q 'done, 1 of 5' again && [ ! -e made ] || return 1
    jot cycle read && says second && says 'failed: it was killed, or its lease ran out, after 2 of 5 iterations' && says "had called 'write_file': what that did is not undone" || return 1
    jot cycle list && case $out in *done*killed*done*) ;; *) echo "# $out" && return 1 ;; esac
}
try 'a killed cycle is ended by the next, which goes on in the script' killed "files:$here/killed"
try 'on SQLite too' killed "sqlite:$here/killed.db"

# What a killed cycle had started is gone before the next one begins.
orphans() {
    local JOTTER_PAD=files:$here/orphans pid
    echo "- text: '{\"tool\": \"shell\", \"args\": {\"command\": \"echo begun >>marks/begun; sleep 77.$$\"}}'" >shell.yaml
    cat shell.yaml - >next.yaml <<<'- text: "{\"tool\": \"done\", \"args\": {\"summary\": \"looked\"}}"'
    mkdir -p marks # beside a pad not every way of confining lets a command make new files
    "$JOTTER" cycle run --allow shell --quiet --model script:shell.yaml >/dev/null 2>orphans.err &
    pid=$!
    until_true test -e marks/begun -o -s orphans.err
    kill -9 "$pid" && wait "$pid" 2>/dev/null
    grep -q 'cannot be confined' orphans.err && return 0
    jot cycle run --model script:next.yaml && ends 0 && says 'done, 1 of 5' || return 1
    jot cycle read && says "while 'shell' was called: nobody knows whether it was done" && ! pgrep -f "sleep 77\.$$" >/dev/null
}
try 'a cycle whose command was running can be followed at once' orphans

plan
