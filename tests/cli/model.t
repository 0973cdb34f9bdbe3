#!/bin/bash
# model.t - what a person says about a model: files, choices, effort, prices; and what is shown while it thinks.
. "$(dirname "$0")/lib.sh"
export JOTTER_PAD=files:$here/pad
unset JOTTER_MODEL ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN OPENAI_API_KEY JOTTER_SCRIPT_LOG
"$JOTTER" init >/dev/null
printf '\211PNG\r\n\032\n....' >a.png
printf '%%PDF-1.7 /Type/Page\n' >b.pdf
echo 'ship on friday' >c.txt
cat >two.yaml <<'Y'
- calls: [{id: c, name: calc, args: {expression: 6*7}}]
- text: It is 42.
  usage: {input: 100, cache_read: 900, output: 10}
Y

files() {
    jot run 'what is this?' --model "script:two.yaml?log=$here/log" --file a.png --file b.pdf --file c.txt && ends 0 && is 'It is 42.' || return 1
    [ "$(grep -c '"kind":"file","name":"a.png","type":"image/png"' log)" = 2 ] && grep -q '"type":"application/pdf"' log && grep -q 'ship on friday' log || return 1
    jot runs read last && says 'a.png (image/png, about ' && [[ $out != *iVBOR* ]]
}
try 'images, documents and texts are given by file, and stay in the run' files

killed() {
    cat >kill.yaml <<'Y'
- calls: [{id: c, name: calc, args: {expression: 6*7}}]
- hang: true
Y
    "$JOTTER" run 'what is this?' --model "script:kill.yaml?log=$here/first" --file a.png --tool-choice calc >/dev/null 2>&1 &
    until_true lines first 2 || return 1
    kill -9 $!
    wait $! 2>/dev/null
    jot run --resume last --model "script:two.yaml?log=$here/second" && ends 0 && is 'It is 42.' || return 1
    [ "$(sed -n 2p first)" = "$(sed -n 1p second)" ]
}
try 'a run with files that was killed sends the same bytes again' killed

bad_files() {
    local before after
    before=$("$JOTTER" runs list)
    jot run q --model script:two.yaml --file "$JOTTER"; ends 65 && tells 'larger than' || return 1
    printf 'a\0b' >nul
    jot run q --model script:two.yaml --file nul; ends 64 && tells 'neither text nor an image' || return 1
    jot run q --model script:two.yaml --file none.png; ends 66 || return 1
    after=$("$JOTTER" runs list)
    [ "$before" = "$after" ]
}
try 'a file that no model takes begins no run' bad_files

choice() {
    rm -f log
    jot run q --model "script:two.yaml?log=$here/log" --tool-choice calc && ends 0 || return 1
    [ "$(grep -c '"tool_choice":"calc"' log)" = 1 ] && head -1 log | grep -q '"tool_choice":"calc"' || return 1
    jot run q --model script:two.yaml --tool-choice nope; ends 64 && tells 'auto, required, none or the name of a tool' || return 1
    jot run q --model script:two.yaml --tool-choice calc --protocol json; ends 64
}
try 'a choice of a tool is for the first reply' choice

shown() {
    jot run q --model script:two.yaml && tells '(900 from the cache)' || return 1
    jot run q --model script:two.yaml --json && says '"usage":{"input":' && says '"cache_read":900' && says '"cached":' && says '"cost_usd":null' || return 1
    cat >more.yaml <<'Y'
- calls: [{id: c, name: calc, args: {expression: 6*7}}]
  usage: {input: 100, cache_read: 900, output: 10}
- text: It is 42.
Y
    jot run q --model script:more.yaml --verbose && tells ', 90% from the cache' && tells 'reported 1000 (900 from the cache)'
}
try 'what was read from a cache is shown in the budget' shown

rules() {
    mkdir -p below && echo 'say moo' >AGENTS.md && cd below || return 1
    rm -f ../log
    "$JOTTER" run q --model "script:../two.yaml?log=$here/log" >/dev/null 2>&1
    "$JOTTER" run q --model "script:../two.yaml?log=$here/log2" --no-agents-md >/dev/null 2>&1
    cd ..
    grep -q 'say moo' log && ! grep -q 'say moo' log2
}
try 'files of rules can be left alone' rules

models() {
    jot models && says 'claude-opus-5-5: {window: 1000000' || return 1
    mkdir -p "$XDG_CONFIG_HOME/jotter" && chmod 700 "$XDG_CONFIG_HOME/jotter" || return 1
    printf '%s\n' "$out" >"$XDG_CONFIG_HOME/jotter/models.yaml" && jot models && ends 0 || return 1
    echo 'mine: {window: 5000, input: 2, output: 3}' >"$XDG_CONFIG_HOME/jotter/models.yaml"
    jot models mine-2 && is 'mine-2: {window: 5000, input: 2, output: 3}' && jot models --json && says '"model":"mine"' && says '"yours":true' || return 1
    jot models nobody; ends 66 && tells 'models.yaml' || return 1
    echo 'mine: {window: 5000, price: 2}' >"$XDG_CONFIG_HOME/jotter/models.yaml"
    jot models; ends 64 && tells 'line 1 of models.yaml'
    rm "$XDG_CONFIG_HOME/jotter/models.yaml"
}
try 'what is known of models is a file that one may edit' models

# A model that is silent: a sign after two seconds, on a terminal.
cat >sign.py <<'P'
import os, pty, re, select, signal, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
seen = b""
end = time.time() + 300
while time.time() < end and not re.search(rb"waiting for the model, [3-9] s", seen):
    if select.select([fd], [], [], 1)[0]:
        seen += os.read(fd, 65536)
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
sys.exit(0 if re.search(rb"waiting for the model, [3-9] s", seen) else repr(seen))
P
echo '- hang: true' >hang.yaml
try 'a silent model gets a sign of life' python3 sign.py "$JOTTER" run q --model script:hang.yaml

plan
