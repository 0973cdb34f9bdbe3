#!/bin/bash
# run.t - jotter run, with a scripted model and real tools.
. "$(dirname "$0")/lib.sh"
export JOTTER_PAD=files:$here/pad
unset JOTTER_MODEL ANTHROPIC_API_KEY OPENAI_API_KEY JOTTER_SCRIPT_LOG

cat >calc.yaml <<'E'
- text: Let me compute.
  calls: [{id: c, name: calc, args: {expression: 6*7}}]
- text: It is {{result:c|line 1}}.
E

answer() {
    jot run 'how much is it?' --model script:calc.yaml && ends 0 && is 'It is 42.' && tells '> calc(expression=6*7)' || return 1
    jot log show last && says 'asks for calc' && says 'answer' && says 'It is 42.'
}
try 'a question is answered with tools, and only the answer goes to standard output' answer

quiet() { jot run 'again' --model script:calc.yaml --quiet && is 'It is 42.' && [ -z "$err" ]; }
try 'quiet means quiet' quiet

verbose() {
    jot run 'and again' --model script:calc.yaml --verbose && tells 'context: system ' && tells '% green, turn 2 of 25' || return 1
    jot run 'smaller' --model script:calc.yaml --verbose --window 8000 && tells '(window 8000, headroom 2000, factor 1.'
}
try 'verbose shows what fills the context' verbose

values() {
    jot --json run 'for programs' --model script:calc.yaml && ends 0 && says '"end":"answered"' && says '"answer":"It is 42."' && [ -z "$err" ] || return 1
    jot --json run 'for programs' --model script:none.yaml && ends 66 && says '"status":"not_found"'
}
try 'with --json there is one value' values

# A program hears of it when results leave the context: as it happens, and again at the end.
cat >events.py <<'E'
import json
value, told = json.load(open("value")), [json.loads(line) for line in open("told")]
cleared = [event for event in told if event["event"] == "context_cleared"]
assert cleared and told == value["events"], (told, value["events"])
assert all(e["run"] == value["run"] and e["cleared"] > 0 and e["kept"] == 3 for e in cleared), cleared
assert value["cleared"] == sum(e["cleared"] for e in cleared), value
E
events() {
    local i JOTTER_PAD=files:$here/events
    export JOTTER_PAD
    for i in $(seq 600); do echo "line $i of a note"; done | "$JOTTER" write big >/dev/null || return 1
    for i in 1 2 3 4 5 6 7 8; do echo "- calls: [{id: r$i, name: scratchpad_read, args: {key: big, from_line: $i}}]"; done >full.yaml
    echo '- text: done' >>full.yaml
    jot --json run 'read' --model script:full.yaml --window 24000 && ends 0 && says '"end":"answered"' || return 1
    printf %s "$out" >value && printf '%s\n' "$err" >told && python3 events.py || return 1
    jot log show last --json && says '"kind":"clear"' && jot --json run 'read' --model script:full.yaml --window 24000 --quiet && [ -z "$err" ] && says '"event":"context_cleared"' || return 1
    jot run 'read' --model script:full.yaml --window 24000 && tells ' masked, ' && [[ $err != *'"event"'* ]]
}
try 'results that leave the context are an event for programs' events

# Who looks at a run afterwards counts by the limits its model was told of.
for i in 1 2 3 4 5 6 7 8; do echo "- calls: [{id: c$i, name: calc, args: {expression: $i+$i}}]"; done >many.yaml
echo '- text: done' >>many.yaml
warnings() { "$JOTTER" log show last --json | grep -o '"warning":' | wc -l; }
limits() {
    jot run 'add' --model script:many.yaml && ends 0 && [ "$(warnings)" = 3 ] && tells "approaching the suggested limit for 'calc' (3/3)" &&
        tells "'calc' has been called 6 times (suggested limit: 3)" && jot log usage last && says '- calc: 8 calls (over suggested limit of 3)' || return 1
    jot run 'add' --model script:many.yaml --limit 20 && ends 0 && [ "$(warnings)" = 0 ] && jot log usage last && says '- calc: 8/20 calls' &&
        jot context --run last && says '- calc: 8/20 calls' || return 1
    jot run 'and more' --resume last --model script:calc.yaml --limit 9 && jot log usage last && says '- calc: 8/9 calls' || return 1
    jot run x --model script:calc.yaml --similarity 0 && ends 64 && tells 'use a number from 1 to 100'
}
try 'a run is looked at by the limits it was made with' limits

model() {
    jot run 'who?' && ends 64 && tells 'no model: give --model URL' || return 1
    JOTTER_MODEL=script:calc.yaml jot run 'who?' && is 'It is 42.' || return 1
    jot run --model script:calc.yaml && ends 64 && tells 'give a question' || return 1
    jot run x --model script:calc.yaml --protocol morse && ends 64 && tells 'use native or json' || return 1
    jot run x --model script:calc.yaml --allow 'nonsense!' && ends 64 || return 1
    jot run x --model script:calc.yaml --allow bogus && ends 64 && tells "'bogus' is neither a tool here nor an effect" || return 1
    jot run x --model script:calc.yaml --window 10 && ends 64 && tells 'use a number from 2000'
}
try 'what is missing or wrong is said in one sentence' model

from_stdin() {
    echo 'how much?' >.in
    "$JOTTER" run - --model script:calc.yaml --quiet <.in >.out && [ "$(cat .out)" = 'It is 42.' ]
}
try 'the question may come from standard input' from_stdin

cat >deny.yaml <<'E'
- calls: [{id: w, name: write_file, args: {path: made.txt, content: x}}]
- text: "{{result:w}}"
E
policy() {
    jot run 'write it' --model script:deny.yaml && ends 0 && says 'is not allowed here' && [ ! -e made.txt ] || return 1
    jot run 'write it' --model script:deny.yaml --allow write && ends 0 && [ -e made.txt ] || return 1
    jot run 'write it' --model script:deny.yaml --allow write --deny write_file && says 'the policy denies it'
}
try 'a policy says what may be done' policy

curtains() {
    [ "$(id -u)" -ne 0 ] || return 0              # root looks everywhere
    ! grep -q __asan_init "$JOTTER" || return 0 # and the leak sanitizer into itself
    echo '- {hang: true}' >dark.yaml
    "$JOTTER" run 'hang' --model "script:dark.yaml?log=$here/dark.log" >/dev/null 2>&1 &
    local pid=$! open=1
    until_true lines dark.log 1
    cat /proc/$pid/environ >/dev/null 2>&1 || open=0
    kill -TERM "$pid" && wait "$pid"
    [ $open -eq 0 ]
}
try "no other process reads a run's environment" curtains

cat >endless.yaml <<'E'
- {calls: [{name: scratchpad_list}], repeat: true}
E
cat >refuse.yaml <<'E'
- {text: No., stop: refusal, why: not this}
E
cat >planned.yaml <<'E'
- calls: [{name: plan_create, args: {objective: x, steps: [look]}}]
- {text: It is so., repeat: true}
E
stops() {
    jot run 'do it' --model script:refuse.yaml && ends 1 && tells 'ended without an answer' || return 1
    case $err in *--resume*) echo "# after a refusal: $err" && return 1 ;; esac
    jot run 'for ever' --model script:endless.yaml --budget 10 && ends 1 && tells 'continue with a larger --budget: jotter run --resume' || return 1
    jot run 'with a plan' --model script:planned.yaml && ends 1 && is 'It is so.' && tells 'answered, but is not done' || return 1
    jot --json run 'with a plan' --model script:planned.yaml && ends 1 && says '"end":"incomplete_plan","answer":"It is so."'
}
try 'whatever stops a run, what is said of it helps' stops

fails() {
    echo '- calls: [{id: c, name: calc, args: {expression: 1+1}}]' >half.yaml
    cat half.yaml - >broken.yaml <<<'- {error: broken, message: the line is dead}'
    cat half.yaml - >mended.yaml <<<'- text: "{{result:c}}"'
    jot run 'ask a broken one' --model script:broken.yaml && [ "$code" -ge 65 ] && tells 'what was done is kept; continue with: jotter run --resume' || return 1
    jot run --resume last --model script:mended.yaml && ends 0 && is 2 || return 1
    jot run --resume last --model script:mended.yaml && ends 0 && is 2 || return 1
    jot run --resume none --model script:mended.yaml && ends 66
}
try 'a run whose model fails can be resumed' fails

cat >more.yaml <<'E'
- text: Yes.
- {text: Because it is so., expect: [and why]}
E
more() {
    jot run 'is it?' --model script:more.yaml && is 'Yes.' || return 1
    jot run --resume last 'and why?' --model script:more.yaml && is 'Because it is so.'
}
try 'a run that was answered can be asked more' more

rules() {
    mkdir -p sub && echo 'far rule' >AGENTS.md && echo 'near rule' >sub/CLAUDE.md && echo 'on {{WORKING_DIR}}' >rules.md
    echo 'noted rule' | "$JOTTER" write persistent-rules >/dev/null
    (cd sub && "$JOTTER" run 'what are the rules?' --model 'script:../calc.yaml?log=../log' --rules ../rules.md --quiet >/dev/null) || return 1
    head -n 1 log | grep -q "on $here/sub.*far rule.*near rule.*# Notes that are not approved.*| noted rule"
}
try 'rules are sent: the file, the nearest last, and behind them a note that is not approved' rules

long_rules() {
    mkdir -p long odd && head -c 70000 /dev/zero | tr '\0' r >long/AGENTS.md && printf 'a\377' >odd/AGENTS.md
    (cd long && "$JOTTER" run 'with long rules' --model script:../calc.yaml --quiet >/dev/null) 2>.err
    err=$(cat .err)
    tells "jotter: '$here/long/AGENTS.md' is longer than 65536 bytes: the rest is left out of the rules" || return 1
    err=$(cd odd && "$JOTTER" run 'with odd rules' --model script:../calc.yaml --quiet 2>&1)
    tells "'$here/odd/AGENTS.md' is not UTF-8 text: the byte at offset 1"
}
try 'rules that are cut are told to the user, and those that are no text are refused' long_rules

cat >proto.yaml <<'E'
- text: 'I use {"tool": "calc", "args": {"expression": "2+3"}}'
- text: Well.
- text: '{"tool": "done", "args": {"summary": "five"}}'
E
protocol() {
    jot run 'add' --model script:proto.yaml --protocol json && ends 0 && is 'five' && tells '[PARSE ERROR]' || return 1
    local before
    before=$("$JOTTER" log show last --json)
    jot run --resume last 'and more?' --model script:proto.yaml --protocol native && ends 64 && tells 'uses the json protocol and keeps it' &&
        [[ $err != *'continue with'* ]] && [ "$("$JOTTER" log show last --json)" = "$before" ]
}
try 'a model without tool calls speaks JSON' protocol

servers() {
    cat >server.yaml <<'E'
- calls: [{id: w, name: mcp_jotter_scratchpad_write, args: {key: there, content: from here}}]
- text: "{{result:w|line 1}}"
E
    jot run 'use a server' --model script:server.yaml --mcp "$JOTTER mcp --pad files:$here/other" --allow mcp --quiet && ends 0 &&
        is 'wrote 9 chars to scratchpad[there]' && [ "$(cat other/notes/there.txt)" = 'from here' ] || return 1
    jot run 'use none' --model script:server.yaml --mcp /nonexistent/server --quiet && [ "$code" -ge 65 ] && tells 'the server'
}
try 'tools of an MCP server are tools like others' servers

cat >long.yaml <<'E'
- calls: [{name: calc, args: {expression: 1+1}}]
- calls: [{name: write_file, args: {path: later.txt, content: x}}]
- text: first answer
E
taken_back() {
    local old
    jot run 'go back' --model "script:long.yaml?log=$here/long.log" --allow write --quiet && is 'first answer' || return 1
    jot log show last && says 'turn 3' && cp .out old.txt && old=$(grep -o '\[[0-9_a-f-]*\.r1c1' .out | head -n 1 | tr -d '[' | sed 's/\.r1c1//') || return 1
    jot checkpoint list "$old" && is '' && tells '(empty)' && tells "run $old has 3 turns to go back to: jotter run --resume $old --from TURN" || return 1
    printf -- '- text: a\n- {text: second answer, expect: ["[taken back]", write_file, "and shorter"]}\n' >other.yaml
    jot run --resume "$old" --from 2 'and shorter' --model script:other.yaml && ends 0 && is 'second answer' && tells "continues from turn 2 of run $old, which is unchanged" || return 1
    jot log show last && says "taken back to turn 2 of $old" && says 'second answer' && [[ $out != *later.txt* ]] || return 1
    jot log show "$old" && cmp -s old.txt .out || return 1
    jot --json run --resume "$old" --from 1 --model script:long.yaml --allow write && ends 0 && says "\"origin\":\"$old\",\"turn\":1" && says '"answer":"first answer"'
}
try 'a run is taken back to an earlier turn, and stays as it was' taken_back
taken_back_wrong() {
    jot run 'x' --from 2 --model script:calc.yaml && ends 64 && tells 'say which with --resume RUN' || return 1
    jot run --resume last --from 99 --model script:calc.yaml && ends 64 && tells 'has turns 1 to ' || return 1
    jot run --resume last --from 0 --model script:calc.yaml && ends 64 && tells 'use a number from 1'
}
try 'a turn that is not there is named' taken_back_wrong

below() {
    mkdir -p gen && echo 'do not edit directly' >gen/CLAUDE.md && echo 'int x;' >gen/x.c
    printf -- '- calls: [{name: read_file, args: {path: gen/x.c}}]\n- text: done\n' >below.yaml
    jot run 'look' --model "script:below.yaml?log=$here/below.log" && ends 0 && tells 'rules of gen/' && [ "$(grep -c 'do not edit directly' below.log)" = 1 ] &&
        jot log show last && says 'do not edit directly'
}
try 'rules of a subdirectory come when a file there is first read' below

cat >half.yaml <<'E'
- calls: [{name: scratchpad_write, args: {key: found, content: something}}]
- calls: [{id: c, name: calc, args: {expression: 3*3}}]
E
killed() {
    cat half.yaml - >slow.yaml <<<'- {hang: true}'
    cat half.yaml - >quick.yaml <<<'- text: "{{result:c}}"'
    "$JOTTER" run 'take your time' --model "script:slow.yaml?log=$here/slow.log" >/dev/null 2>&1 &
    local pid=$!
    until_true lines slow.log 3
    jot run --resume last --model script:quick.yaml && ends 75 && tells leased || return 1
    kill -9 "$pid" && wait "$pid" 2>/dev/null
    jot run --resume last --model "script:quick.yaml?log=$here/quick.log" && ends 0 && is 9 || return 1
    [ "$(tail -n 1 slow.log)" = "$(cat quick.log)" ] && jot read found && says something
}
try 'a run that was killed goes on with the request it had sent' killed

# Commands that leave a line each, and a process that is killed again and again.
counted() {
    local i code=1 pid unknown JOTTER_PAD=files:$here/counted
    for i in 1 2 3 4 5 6; do echo "- calls: [{name: shell, args: {command: 'echo $i >>counter'}}]"; done >count.yaml
    echo '- text: all' >>count.yaml
    touch counter
    for i in $(seq 60); do
        set -- --resume last
        "$JOTTER" log show last >/dev/null 2>&1 || set -- 'count'
        "$JOTTER" run "$@" --model script:count.yaml --allow shell --quiet >answer 2>/dev/null &
        pid=$!
        [ "$i" -gt 40 ] || { sleep "0.$((RANDOM % 4))$((RANDOM % 10))" && kill -9 $pid 2>/dev/null; }
        wait $pid 2>/dev/null
        code=$?
        [ $code -ne 0 ] || break
    done
    jot log results last && ends 0 || return 1
    case $out in *'cannot be confined'*) return 0 ;; esac
    unknown=$(printf '%s' "$out" | grep -c 'unknown outcome')
    echo "# $i processes, $(wc -l <counter) of 6 counted, $unknown unknown"
    [ $code -eq 0 ] && [ "$(cat answer)" = all ] && [ -z "$(sort counter | uniq -d)" ] && [ "$(($(wc -l <counter) + unknown))" -ge 6 ]
}
try 'however often it is killed, nothing is done twice' counted

# What watched over a command that was killed looks at this directory until it has ended, too.
settled() {
    local process
    for process in /proc/[0-9]*; do
        [ "$(cat "$process/comm" 2>/dev/null)" != jotter ] || [ "$(readlink "$process/cwd")" != "$here" ] || return 1
    done
}

planted() {
    until_true settled || return 1
    mkdir -p left && echo "- calls: [{name: shell, args: {command: 'echo evil >left/CLAUDE.md'}}]" >left.yaml && echo '- text: done' >>left.yaml
    local JOTTER_PAD=files:$here/planted_pad
    jot run 'leave something' --model script:left.yaml --allow shell --quiet && ends 0 && is done || return 1
    jot log results last
    case $out in *'cannot be confined'*) return 0 ;; esac
    jot run 'leave something' --model script:left.yaml --allow shell --quiet
    tells "jotter: ('left/CLAUDE.md' appeared and was moved to 'jotter-aside/" || return 1
    jot --json run 'leave something' --model script:left.yaml --allow shell && ends 0 && says '"event":"planted"' && says '"name":"CLAUDE.md"' && says '"path":"left/CLAUDE.md"' && tells '"event":"planted"'
}
try 'what a command left for other programs is reported to the person' planted

interrupted() { # SIGNAL
    rm -f hang.log
    echo '- {hang: true}' >hang.yaml
    "$JOTTER" run 'hang' --model "script:hang.yaml?log=$here/hang.log" >/dev/null 2>hang.err &
    local pid=$!
    until_true lines hang.log 1
    kill "-$1" "$pid" && wait "$pid"
    [ $? -eq 130 ] && grep -q cancelled hang.err && grep -q -- --resume hang.err && jot log show last && says cancelled
}
try 'a signal stops it, and what was done is kept' interrupted TERM
try 'so does a terminal that is closed' interrupted HUP

plan
