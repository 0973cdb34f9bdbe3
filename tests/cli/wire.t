#!/bin/bash
# wire.t - bad replies of a model, and a provider that refuses what its rules forbid: no run is stuck.
#
# strict.py is that provider, on this machine; it answers from a file, and logs what it was asked.
strict=$(cd "$(dirname "$0")" && pwd)/strict.py
. "$(dirname "$0")/lib.sh"
export JOTTER_PAD=files:$here/pad JOTTER_API_KEY=none
unset JOTTER_MODEL ANTHROPIC_API_KEY OPENAI_API_KEY ANTHROPIC_BASE_URL OPENAI_BASE_URL

# serve [BYTES]: the replies on standard input; at=ADDRESS
serve() {
    cat >replies && : >log
    exec {hold}> >(exec python3 "$strict" replies log "$@" >port)
    until_true lines port 1
    at=http://127.0.0.1:$(cat port)
}
done_serving() { exec {hold}>&- && rm -f port; }
asked() { grep -c "^$1 " log; } # STATUS: how often

stuck() {
    serve <<'E'
{"blocks": [{"type": "thinking", "thinking": "hmm hmm"}], "stop": "max_tokens"}
{"blocks": [{"type": "text", "text": "\n\n"}, {"type": "tool_use", "id": "t1", "name": "calc", "input": {"expression": "6*7"}}], "stop": "tool_use"}
{"blocks": [{"type": "tool_use", "id": "t2", "name": "functions.calc", "input": {"expression": "1"}}], "stop": "tool_use"}
{"blocks": [{"type": "text", "text": "I"}, {"type": "tool_use", "id": "t3", "name": "calc", "input": {"expression": "2"}}], "stop": "refusal"}
{"blocks": [{"type": "text", "text": "It is 42."}], "stop": "end_turn"}
E
    jot run 'how much?' --model "anthropic:claude-test?base=$at&thinking=adaptive" --quiet && ends 1 && tells 'ended without an answer' || return 1
    jot run --resume last 'please go on' --model "anthropic:claude-test?base=$at&thinking=adaptive" --quiet && ends 0 && is 'It is 42.' || return 1
    [ "$(asked 200)" = 5 ] && [ "$(asked 400)" = 0 ] && sed -n 1p log | grep -q '"max_tokens": *32000' && sed -n 2p log | grep -q '"max_tokens": *64000'
}
try 'cut thinking, blank text, a made-up tool and a refused call are not sent back' stuck
done_serving

thinks() {
    serve <<'E'
{"delta": {"content": "", "reasoning_content": "hm"}, "stop": "length"}
{"delta": {"reasoning_content": "hm", "tool_calls": [{"index": 0, "id": "c1", "function": {"name": "calc", "arguments": "{\"expression\": \"6*7\"}"}}]}, "stop": "tool_calls"}
{"delta": {"content": "It is 42."}, "stop": "stop"}
E
    jot run 'how much?' --model "$at/v1#m" --window 20000 --quiet && ends 0 && is 'It is 42.' || return 1
    [ "$(asked 400)" = 0 ] && sed -n 1p log | grep -q '"max_tokens":5000,' && sed -n 2p log | grep -q '"max_tokens":10000,' && sed -n 2p log | grep -q 'the limit is higher now' &&
        ! grep -q 'fewer words' log
}
try 'a reply of nothing but reasoning raises the limit, and reasoning goes back with its call' thinks
done_serving

unlimited() {
    serve <<'E'
{"delta": {"content": "It is so."}, "stop": "stop"}
E
    jot run 'is it?' --model "openai:gpt-5?base=$at" --quiet && ends 0 && is 'It is so.' && ! grep -q 'max_.*tokens' log
}
try 'a model of OpenAI has no limit but its own' unlimited
done_serving

too_long() {
    local base
    serve <<<'{"delta": {"content": "x"}, "stop": "stop"}'
    jot run 'repeat it' --model "$at/v1#m" --window 200000 && ends 0 && base=$(wc -c <log) && done_serving || return 1
    for i in 1 2 3 4; do
        echo '{"delta": {"reasoning_content": "hm", "tool_calls": [{"index": 0, "id": "c'$i'", "function": {"name": "echo", "arguments": "{\"text\": \"'"$(printf 'w%.0s ' $(seq 900))"'\"}"}}]}, "stop": "tool_calls"}'
    done >calls
    echo '{"delta": {"content": "summed up"}, "stop": "stop"}' >>calls
    echo '{"delta": {"content": "done"}, "stop": "stop"}' >>calls
    serve $((base + 9960)) <calls # three of them fit, four do not
    jot run 'repeat it' --model "$at/v1#m" --window 200000 && ends 0 && is done || return 1
    tells '2 results masked, 0 turns summed up, 0 dropped' && tells '0 results masked, 1 turn summed up, 0 dropped' && [[ $err != *'1 dropped'* ]] || return 1
    [ "$(asked 400)" -ge 2 ] && ! grep '^400' log | grep -v 'prompt is too long' && tail -n 1 log | grep -q 'summed up'
}
try 'a request that the provider calls too long is made shorter step by step' too_long
done_serving

plan
