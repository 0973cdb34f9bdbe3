#!/bin/bash
# artifact.t - artifacts, index documents and line logs from the shell, on both engines that last.
. "$(dirname "$0")/lib.sh"

feed() { printf '%s' "$1" | "$JOTTER" "${@:2}" >"$here/.out" 2>"$here/.err"; code=$?; heard; }

for pad in files:pad sqlite:pad.db; do
    export JOTTER_PAD=$pad

    empty() { jot artifact list && ends 66 && tells 'there is no pad' && "$JOTTER" init >/dev/null && jot artifact list && ends 0 && is '' && tells '(empty)' && jot artifact list --json && is '{"artifacts":[],"more":false,"problems":[],"problems_total":0}'; }
    try "a named pad that is not there is no empty one; a new one has no artifacts ($pad)" empty

    written() {
        feed '{"plan":["step 1"],"goal":"x"}' artifact write planning plan_001 --type plan --task t1
        ends 0 && says 'wrote 47 bytes to artifact planning/plan_001' && says 'content_hash ' || return 1
        jot artifact read planning plan_001
        is "$(printf '{\n  "plan": [\n    "step 1"\n  ],\n  "goal": "x"\n}')"
    }
    try "what is written is read back indented ($pad)" written

    hashed() { jot artifact ref planning plan_001 --json; says "\"content_hash\":\"$(printf '{\n  "plan": [\n    "step 1"\n  ],\n  "goal": "x"\n}' | sha256sum | cut -d' ' -f1)\"" && says '"type":"plan"' && says '"task_id":"t1"' && says "$("$JOTTER" artifact read planning plan_001 | sha256sum | cut -d' ' -f1)"; }
    try "a ref has the hash of the stored bytes ($pad)" hashed

    call_id() { feed 1 artifact write planning 'call_1.2:3' && ends 0 && jot artifact list planning && is "$(printf 'planning/call_1.2:3\nplanning/plan_001')"; }
    try "an id may hold dots and colons ($pad)" call_id

    broken() { feed '{"a":' artifact write planning broken && ends 64 && tells 'not valid JSON at byte'; }
    try "what is no JSON is refused with its byte ($pad)" broken

    escape() { feed 1 artifact write ../etc evil && ends 64 && feed 1 artifact write c ../evil && ends 64 && feed 1 artifact write c a/b && ends 64; }
    try "a name cannot lead out of the pad ($pad)" escape

    found() {
        jot artifact find --task t1 && is planning/plan_001 && jot artifact find --type plan --id plan_001 && is planning/plan_001 &&
            jot artifact find --category planning --type none && is '' && tells '(empty)' &&
            jot artifact find --below && ends 64 && tells '--below goes with --category'
    }
    try "find looks by task, type, id and category ($pad)" found

    conflict() {
        feed 2 artifact write planning plan_001 --if-absent --json
        ends 75 && says '"status":"conflict"' && says '"artifact":{"artifact_id":"plan_001"' || return 1
        feed 2 artifact write planning plan_001 --if-version 000000000000
        ends 75
    }
    try "a condition that does not hold is told with what stands there ($pad)" conflict

    older() {
        jot artifact ref planning 'call_1.2:3' && hash=$(printf %s "$out" | sed -n 's/^content_hash *//p')
        feed 2 artifact write planning 'call_1.2:3' && jot artifact read planning 'call_1.2:3' --version "$hash" && is 1 || return 1
        jot artifact delete planning 'call_1.2:3' && is 'deleted artifact planning/call_1.2:3' || return 1
        jot artifact read planning 'call_1.2:3' && ends 66 && jot artifact read planning 'call_1.2:3' --version "${hash:0:12}" && is 1
    }
    try "a version is found by its hash after a rewrite and a delete ($pad)" older

    index() {
        feed '{"entries":[]}' artifact index write tasks task_index && ends 0 && says 'wrote 19 bytes to index tasks/task_index' &&
            jot artifact index list && is tasks/task_index && jot artifact index read tasks task_index --json && says '"data":{"entries":[]}' &&
            jot artifact list tasks && is '' && tells '(empty)' && jot artifact index delete tasks task_index && ends 0 && jot artifact index read tasks task_index && ends 66
    }
    try "an index document stands beside the artifacts ($pad)" index

    hint() {
        feed '"{\"a\":1}"' artifact write c text && ends 0 && tells 'this is a string that holds JSON, and was stored as a string' && jot artifact read c text && is '"{\"a\":1}"' || return 1
        feed '"{\"a\":1}"' artifact write c text --json && says '"hint":"this is a string' && feed '"words"' artifact write c text && [ -z "$err" ] && jot artifact delete c text
    }
    try "a string that holds JSON is stored with a hint ($pad)" hint

    sink_category() { feed 1 artifact write tool_results x && ends 64 && tells "the category 'tool_results' is the sink's"; }
    try "the sink's category is not written by hand ($pad)" sink_category

    logged() {
        jot line-log append build out 'first line' && is 'appended 1 line to log build/out' || return 1
        feed "$(printf 'two\nthree')" line-log append build out && is 'appended 2 lines to log build/out' || return 1
        jot line-log read build out && is "$(printf 'first line\ntwo\nthree')" || return 1
        jot line-log read build out --tail 1 && is three || return 1
        jot line-log read build out --from 2 --limit 1 --json && says '"lines":[{"seq":2' && says '"more":true,"next":3' || return 1
        jot line-log list && is build/out
    }
    try "a log takes lines and gives ranges of them ($pad)" logged

    followed() { jot line-log follow build out --for 0 && is "$(printf 'first line\ntwo\nthree')"; }
    try "following begins with what is there ($pad)" followed

    no_log() { jot line-log read build none && ends 66 && jot line-log append ../x y z && ends 64; }
    try "a log that is not there is not found ($pad)" no_log
done

edited() {
    local JOTTER_PAD=files:edited
    export JOTTER_PAD
    feed 1 artifact write c a && feed 2 artifact write c b && printf '{broken' >edited/artifacts/c/a.json || return 1
    jot artifact list && ends 0 && is c/b && tells "'artifacts/c/a': it is not valid JSON at byte" || return 1
    jot artifact find --category c --json && says '"artifact_id":"b"' && says '"problems":[{"name":"artifacts/c/a","why":"it is not valid JSON' && says '"problems_total":1' &&
        jot artifact read c a && ends 70 && jot artifact read c a --raw && is '{broken'
}
try 'an edit that left no JSON is told by every list, and hides nothing' edited

edited() {
    export JOTTER_PAD=files:pad
    printf '{"edited": true}\n' >pad/artifacts/planning/plan_001.json
    jot artifact find --task t1 && is planning/plan_001 && jot artifact read planning plan_001 && is '{"edited": true}' || return 1
    printf 'no json' >pad/artifacts/planning/plan_001.json
    jot artifact read planning plan_001 && ends 70 && tells 'not valid JSON at byte' && jot artifact read planning plan_001 --raw && is 'no json'
}
try "a person's edit is the artifact, and is told if it is no JSON" edited

plan
