#!/bin/bash
# cycle.t - cycles driven by a script: wake, step, sleep, fail; looking back; starting over.
. "$(dirname "$0")/lib.sh"
export JOTTER_PAD=files:$here/pad
state=$here/pad/cycles/active.yaml

feed() { # TEXT ARGS...: jotter with the text on standard input
    local text=$1
    shift
    printf %s "$text" >"$here/.in"
    "$JOTTER" "$@" <"$here/.in" >"$here/.out" 2>"$here/.err"
    code=$?
    heard
    return 0
}
DONE='{"tool":"done","args":{"summary":"it works"}}'
ECHO='Let me see. {"tool":"echo","args":{"message":"hi"}}'

nothing() {
    jot cycle status && ends 66 && tells 'there is no pad' && jot cycle list && ends 66 && [ ! -e pad ] || return 1
    "$JOTTER" init >/dev/null && jot cycle status && ends 0 && says 'none yet' && jot cycle list && is '' && tells '(empty)' && jot cycle read && ends 66 && jot cycle explain && ends 66
}
try 'looking makes no pad' nothing

init() {
    jot cycle init 'say hi' 'go home' --notes 'be brief' && ends 0 && says 'current_task: say hi' || return 1
    grep -q 'be brief' "$state" && jot cycle init again && ends 75 && tells "'default' already has a state"
}
try 'init writes the first state, once' init

drive() {
    sed -i 's/^pending_actions: .*/pending_actions: [rest]  # by hand/' "$state"
    cp "$state" kept
    jot cycle wake --max 3 && ends 0 || return 1
    id=$out
    cmp kept "pad/cycles/${id}_before.yaml" && jot cycle read "$id" --before && [ "$out" = "$(cat kept)" ] || return 1
    feed "$ECHO" cycle step "$id" && ends 0 && is 'tool echo {"message":"hi"}' || return 1
    jot cycle status && says "waiting    for the result of echo" || return 1
    feed 'x' cycle step "$id" && ends 64 && tells "the result of 'echo' is missing" || return 1
    feed 'ECHO: hi' cycle step "$id" --result && is '[TOOL] echo({"message":"hi"}) -> ECHO: hi' || return 1
    jot cycle read "$id" && says '[TOOL] echo' || return 1
    feed 'no json' cycle step "$id" && is "unreadable
[PARSE ERROR] Could not parse: no json" || return 1
    feed "$DONE" cycle step "$id" && is "done
[COMPLETED] it works" || return 1
    jot cycle sleep "$id" && ends 0 && is "cycle $id: done, 3 of 3 iterations" || return 1
    grep -q '^current_task: rest' "$state" && grep -q 'last_updated: null' "pad/cycles/${id}_after.yaml"
}
try 'a script drives a cycle, and the files are there' drive

looking() {
    jot cycle list && says "$id" && says done || return 1
    jot cycle explain && says "cycle $id: finished" && says "the task was 'say hi' and is 'rest'" && says '+ completed_tasks[0]: ' || return 1
    jot cycle diff "$id" && says '- current_task: say hi' && says '+ current_task: rest' || return 1
    jot cycle read "$id" --after && says 'current_task: rest'
}
try 'list, explain, diff and read look back' looking

older() { jot cycle show "$id" --after && says 'current_task: rest'; }
try 'show is the older word for read' older

older_steps() {
    jot cycle steps "$id" && ends 0 && says 'ECHO: hi' || return 1
    local steps=$out
    jot cycle show "$id" --steps && ends 0 && is "$steps" && jot cycle show --steps "$id" && is "$steps" || return 1
    jot cycle show "$id" --before --steps && ends 64 && tells "no option '--before'"
}
try 'show --steps is the older way to say steps' older_steps

ordered() {
    local ids=() one
    for _ in 1 2 3; do
        jot cycle wake --agent row && ids+=("$out") && jot cycle sleep "$out" --agent row && ends 0 || return 1
    done
    jot cycle list --agent row && one=$(cut -d' ' -f1 <<<"$out") && [ "$one" = "${ids[2]}"$'\n'"${ids[1]}"$'\n'"${ids[0]}" ] || return 1
    jot cycle list --agent row --limit 1 && [ "${out%% *}" = "${ids[2]}" ] && tells "there are more: --after '${ids[2]}'" || return 1
    jot cycle list --agent row --limit 2 --json && says "{\"cycles\":[{\"cycle\":\"${ids[2]}\"" && says '"total":3,"more":true' || return 1
    jot cycle list --agent row --after "${ids[1]}" && [ "${out%% *}" = "${ids[0]}" ] && jot cycle list --agent row --after 19990101_000000 && ends 66
}
try 'the newest cycle is listed first' ordered

steps() {
    jot cycle steps "$id" && ends 0 && says 'tool echo' && says 'ECHO: hi' && says 'unreadable' && says 'no json' || return 1
    jot cycle steps --json && says '"kind":"reply"' && says '"status":"ok"' && says '"text":"ECHO: hi"' && says '"end":"done"' || return 1
    jot read "steps/default/$id/2" && is 'ECHO: hi' || return 1
    jot read "steps/default/$id/2" --json && says '"step":2' && jot read "steps/default/$id/99" && ends 66 && tells 'has no step 99' || return 1
    jot cycle steps "$id" --after 1 --json && says '"steps":[{"step":2,' && jot cycle steps 19990101_000000 && ends 66
}
try 'every step can be read whole' steps

log() {
    jot cycle log && ends 0 && says '=== AGENT WAKING ===' && says "Current task: say hi" && says '--- Iteration 1/3 ---' && says 'Tool echo: ok' && says "Cycle $id complete: done" || return 1
    jot cycle log "$id" --json && says '"log":"=== AGENT WAKING' && jot cycle log 19990101_000000 && ends 66
}
try 'a cycle has a log' log

over() { feed "$DONE" cycle step "$id" && ends 76 && tells 'has ended (done)' && jot cycle sleep "$id" && ends 0; }
try 'a cycle that is over takes no steps' over

one() {
    jot cycle wake && ends 0 && running=$out && jot cycle wake && ends 75 && tells "cycle '$running' of 'default' is running" || return 1
    jot cycle reset && ends 75 && jot cycle wake --agent zoe && ends 0 && jot cycle sleep "$out" --agent zoe && ends 0 && [ -e pad/cycles/zoe/active.yaml ]
}
try 'one cycle at a time, for each agent' one

edit() {
    echo 'mood: sunny' >>"$state"
    jot cycle sleep "$running" && ends 0 && tells 'an edit during the cycle was merged' && grep -q 'mood: sunny' "$state"
}
try 'an edit during a cycle is merged' edit

failing() {
    cp "$state" kept
    jot cycle wake && id=$out
    feed '{"tool":"update_scratchpad","args":{"mood":"bad","goals":[]}}' cycle step "$id" && is update || return 1
    echo 'Traceback: here' | "$JOTTER" cycle fail "$id" 'out of memory' --trace - >/dev/null || return 1
    grep -q "Cycle $id failed: out of memory" "$state" && grep -q 'mood: sunny' "$state" || return 1
    jot cycle explain "$id" && says 'it crashed: out of memory' && says "jotter cycle log $id" || return 1
    jot cycle log "$id" && ends 0 && says 'Agent cycle failed: out of memory' && says 'Traceback: here' || return 1
    jot cycle sleep "$id" && ends 76
}
try 'a failed cycle leaves the state as it was before' failing

unread() {
    jot cycle wake --max 2 && id=$out
    feed 'what?' cycle step "$id" && feed 'who?' cycle step "$id" && jot cycle sleep "$id" && ends 0 || return 1
    jot cycle explain "$id" && says '2 of 2 replies could not be read' && says "jotter cycle log $id"
}
try 'replies that cannot be read are explained as that' unread

alone() { # A cycle of another program: its files, put there by hand.
    printf 'current_task: one\n' >pad/cycles/20260401_100137_before.yaml && printf 'goals: [a\n' >pad/cycles/20260401_100137_after.yaml
    jot cycle read 20260401_100137 --before && ends 0 && is 'current_task: one' && jot cycle read 20260401_100137 --after && ends 0 && is 'goals: [a' || return 1
    jot cycle explain 20260401_100137 && ends 64 && tells 'the state at the end of cycle' && jot cycle list && ends 0 && says '20260401_100137' || return 1
    rm pad/cycles/20260401_100137_*.yaml
}
try 'what a cycle woke with is shown though its end cannot be read' alone

blanks() {
    jot cycle wake && id=$out
    feed '{"tool":"update_scratchpad","args":{"notes":"one \ntwo\n"}}' cycle step "$id" && feed '{"tool":"done","args":{"summary":""}}' cycle step "$id" && jot cycle sleep "$id" && ends 0 || return 1
    grep -q '^notes: |' "$state" && grep -q '^  one $' "$state" && grep -q '^  two$' "$state" && grep -q '^  \[COMPLETED\]$' "$state"
}
try 'a blank at the end of a line leaves the notes readable' blanks

leased() {
    jot lease run cycles/default -- "$JOTTER" cycle wake && ends 0 && id=$out || return 1
    jot cycle wake && ends 0 && tells "cycle '$id' was ended: it was killed" && new=$out || return 1
    jot cycle explain "$id" && says 'crashed' && jot cycle sleep "$new" && ends 0
}
try 'a cycle under a lease is dead when the lease is over' leased

bad_yaml() {
    cp "$state" kept
    printf 'goals: [a\nnotes: x\n' >"$state"
    jot cycle wake && ends 64 && tells "the state of 'default': not valid YAML at line 2, column" || return 1
    [ "$(cat "$state")" = 'goals: [a
notes: x' ] && jot cycle status && ends 0 && says 'not valid YAML at line 2' || return 1
    cp kept "$state"
}
try 'a state that is no YAML gets line and column, and stays' bad_yaml

anew() {
    printf '# mine\ngoals: [from a file]\n' >t.yaml
    jot cycle reset --template ./t.yaml && ends 0 && cmp t.yaml "$state" || return 1
    feed 'goals: [from a note]' write cycle-template-demo && jot cycle reset --template demo --clean && ends 0 && says 'removed ' || return 1
    grep -q 'from a note' "$state" && [ -z "$(ls pad/cycles/*_before.yaml 2>/dev/null)" ] && [ -e pad/cycles/zoe ] || return 1
    jot cycle list && is '' && tells '(empty)' && jot cycle reset --template none && ends 66 || return 1
    jot cycle reset && ends 0 && grep -q '^goals: \[\]' "$state"
}
try 'reset starts over, from a file, a note or nothing' anew

json() {
    jot cycle wake --json && ends 0 && says '"cycle":"' && says '"state":{' || return 1
    id=$(sed 's/.*"cycle":"\([0-9_]*\)".*/\1/' <"$here/.out")
    jot cycle wake --json && ends 75 && says '"status":"leased"' || return 1
    feed "$ECHO" cycle step "$id" --json && says '"action":"tool"' && says '"args":{"message":"hi"}' || return 1
    feed 'x' cycle step "$id" --error --json && says '"said":"[TOOL ERROR] echo: x"' || return 1
    jot cycle status --json && says '"running":true' && jot cycle sleep "$id" --json && says '"end":"stopped"' || return 1
    for word in list read steps diff explain; do
        jot cycle $word --json && ends 0 && [ "${out:0:1}${out: -1}" = '{}' ] && [ "$(wc -l <"$here/.out")" = 1 ] || return 1
    done
    jot cycle reset --clean --json && says '"removed":' && jot cycle read none --json && ends 66 && says '"status":"not_found"'
}
try 'every command answers with JSON' json

hostile() {
    for id in ../x 'a b' '' x/y; do jot cycle read "$id" --before; [ "$code" = 64 ] || [ "$code" = 66 ] || return 1; done
    jot cycle wake --agent 'a b' && ends 64 && tells 'use [A-Za-z0-9_-]+' && jot cycle wake --max 0 && ends 64 && jot cycle sleep x && ends 64
}
try 'bad names are refused' hostile

plan
