#!/bin/bash
# task.t - tasks from the shell: states, dependencies, order, two shells at once.
. "$(dirname "$0")/lib.sh"

for pad in files:pad sqlite:pad.db; do
    export JOTTER_PAD=$pad

    none() { jot task list && ends 66 && "$JOTTER" init >/dev/null && jot task list && is '' && tells '(empty)' && jot task ready && is '' && tells '(empty)' && jot task next && ends 66 && tells 'no task is ready'; }
    try "a named pad that is not there is no empty one; a new one has no tasks ($pad)" none

    added() {
        jot task add build 'compile it' --priority 5 && is 'build: pending' && jot task add test --needs build --tool make --tool sh --retries 1 && ends 0 &&
            jot task read test --json && says '"dependencies":["build"]' && says '"tools":["make","sh"]' && says '"max_retries":1'
    }
    try "a task is added with what it needs ($pad)" added

    refused() {
        jot task add build && ends 75 && tells "duplicate task id 'build'" && jot task add x --needs none && ends 64 && tells "missing dependency id 'none' referenced by task 'x'" &&
            jot task add x --needs build --needs build && ends 64 && tells 'duplicate dependency' && jot task add a --needs b --later && ends 0 &&
            jot task add b --needs a --later && ends 64 && tells 'dependency cycle: b -> a -> b'
    }
    try "a duplicate, missing or circular dependency is refused ($pad)" refused

    ready() { jot task ready && is '5  build  compile it' && tells "task 'a': missing dependency: b"; }
    try "ready lists what can be started, and tells what is wrong ($pad)" ready

    waits() { jot task start test && ends 75 && tells "task 'test' waits for dependency 'build', which is pending"; }
    try "a task waits for what it needs ($pad)" waits

    illegal() {
        jot task done build && ends 64 && tells "illegal transition for task 'build': pending -> completed; allowed: blocked, ready; start it first: jotter task start build" || return 1
        jot task done build --json && says '"status":"invalid"' && says '"task":{"task_id":"build"'
    }
    try "an illegal transition lists the legal ones ($pad)" illegal

    finished() { jot task start build && is 'build: running' && jot task done build 'a.out' && is 'build: completed' && jot task ready && is '0  test'; }
    try "a completed task frees what waited for it ($pad)" finished

    retried() {
        jot task start test && jot task fail test && ends 64 && jot task fail test broken && is 'test: failed' && jot task unblock test && ends 64 && tells "task 'test' is failed, not blocked" &&
            jot task retry test && is 'test: ready' && jot task start test && jot task fail test again && jot task retry test && ends 64 && tells 'no retries remaining'
    }
    try "a failed task is retried as often as it may be ($pad)" retried

    blocked() { jot task block a 'no key' && is 'a: blocked' && jot task read a && says 'no key' && jot task unblock a 'found it' && is 'a: ready' && jot task list --status ready && says ' a'; }
    try "a blocked task is unblocked by hand ($pad)" blocked

    events() {
        jot task history a && says 'created' && says 'pending -> blocked' && says 'blocked -> ready' && says '(manual)  found it' || return 1
        jot task history a --json && says '"type":"unblocked"' && says '"damaged":0'
    }
    try "events tell what happened ($pad)" events

    race() {
        local won=0 i
        for i in 1 2 3 4 5; do "$JOTTER" task add "r$i" >/dev/null; done
        for i in 1 2 3 4 5; do
            "$JOTTER" task start "r$i" --as ann >/dev/null 2>&1 & a=$!
            "$JOTTER" task start "r$i" --as bob >/dev/null 2>&1 & b=$!
            wait $a && won=$((won + 1))
            wait $b && won=$((won + 1))
        done
        [ $won = 5 ]
    }
    try "of two shells that start a task exactly one wins ($pad)" race

    moved() {
        jot task add m && jot task move m running && is 'm: running' && jot task move m completed --result ok --if-seq 1 && ends 75 && tells "task 'm'" &&
            jot task move m completed --result ok --if-seq 3 && is 'm: completed' && jot task read m && says 'result           ok'
    }
    try "move goes to any state, if the last event is the one that was seen ($pad)" moved

    before() { jot task show m && says 'completed' && jot task events m && says 'running -> completed' && jot task ready && ends 0; }
    try "the words of before are understood: show, events, ready ($pad)" before

    made() {
        jot task add 'Fix the Größe, soon' --as ann && is 'fix-the-grosse-soon: pending' && jot task add 'Fix the Größe, soon' --as ann && is 'fix-the-grosse-soon-2: pending' &&
            jot task add '...!' '' --later && ends 64 && jot task add && ends 64 && tells 'needs an id or a description'
    }
    try "an id is made from the description, and is another one if there is a task of that ($pad)" made

    edited() {
        jot task add e 'what it is' --priority 1 && jot task edit e --priority 7 --agent ann --needs a && is 'e: pending' &&
            jot task read e --json && says '"description":"what it is"' && says '"priority":7' && says '"agent":"ann"' && says '"dependencies":["a"]' || return 1
        jot task edit e 'said better' --agent '' && jot task read e --json && says '"description":"said better"' && says '"agent":null' || return 1
        jot task edit e 'said better' && ends 64 && tells "nothing of task 'e' would change" && jot task edit m x && ends 64 && tells 'is completed' &&
            jot task edit e --needs e && ends 64 && tells 'dependency cycle: e -> e' && jot task edit e x --if-seq 1 && ends 75 && jot task history e && says 'edited'
    }
    try "a task is edited: what is not given stays, and nothing is moved ($pad)" edited

    has() {
        jot task add h 'hold it' && jot task start h --as ann && jot task start h --as bob && ends 75 && tells "task 'h' is running: 'ann' has it" && jot task move h running --as bob && ends 75 &&
            tells "'ann' has it" && jot task start h --as ann && ends 64 && jot task list --mine --as ann && says 'h ' && says 'hold it' && jot task list --mine --as carl && is '' || return 1
        jot task edit h --priority 3 --as bob && jot task read h --json && says '"holder":"ann"' && jot task start h --as bob && ends 75 && tells "'ann' has it"
    }
    try "starting what another has is a conflict that names them, after an edit by a third too ($pad)" has

    cancelled() {
        jot task cancel h 'no need' --as bob && ends 75 && tells "'ann' has it" && jot task cancel h 'no need' --as bob --manual && is 'h: cancelled' &&
            jot task list && says 'cancelled' && jot task cancel h && ends 64 && tells 'cancelled already' && jot task cancel m && ends 64 && tells 'completed already' || return 1
        jot task add w --needs h && jot task ready --json && says '"reasons":["dependency cancelled: h"]' && jot task unblock h && is 'h: ready' && jot task read h --json && says '"cancelled":false' &&
            jot task history h && says 'running -> blocked' && says 'no need'
    }
    try "a cancelled task is blocked, says so to what needs it, and can be unblocked ($pad)" cancelled

    next() {
        jot task add n1 --priority 90 --agent eve && jot task add n2 --priority 80 && jot task add n3 --priority 85 --needs n2 && jot task next --as ann && says 'task_id          n2' &&
            jot task next --as eve --json && says '"task_id":"n1"' && says '"status":"running"' && says '"holder":"eve"' && jot task done n2 && jot task next --as ann && says 'n3'
    }
    try "next starts the ready task with the highest priority that is meant for who asks ($pad)" next

    crowd() {
        local i pids=()
        for i in 1 2 3 4 5 6; do "$JOTTER" task add "c$i" --priority 1000 >/dev/null; done
        for i in 1 2 3 4 5 6; do
            "$JOTTER" task next --as "w$i" --json >"next$i" 2>&1 & pids+=($!)
        done
        for i in "${pids[@]}"; do wait "$i" || return 1; done
        [ "$(grep -ho '"task_id":"c[1-6]"' next[1-6] | sort -u | wc -l)" = 6 ]
    }
    try "of six who ask for the next task at once each gets another one ($pad)" crowd

    bad() { jot task add a/b && ends 64 && jot task read none && ends 66 && tells "task 'none' not found" && jot task list --status odd && ends 64 && tells 'use pending, ready'; }
    try "bad input is named ($pad)" bad
done

plan
