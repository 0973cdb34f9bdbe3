#!/bin/bash
# run_bad.t - what goes wrong in a run: it is recorded and told, nothing is lost, and the run ends in a
# defined state.  All of it on files and on SQLite.
cases=$(cd "$(dirname "$0")" && pwd)
. "$cases/lib.sh"
unset JOTTER_MODEL ANTHROPIC_API_KEY OPENAI_API_KEY JOTTER_SCRIPT_LOG JOTTER_API_KEY http_proxy

# Servers: the one that is asked for pages, and the model.
coproc WEB { exec python3 "$cases/nonsense.py"; }
read -r port <&"${WEB[0]}"
at=http://127.0.0.1:$port

# The pad is whole, and says of the newest run what must be in it.
recorded() { # TEXT...
    jot verify && ends 0 && jot log show last && ends 0 || return 1
    local text
    for text; do says "$text" || return 1; done
}

# --- The model --------------------------------------------------------------------------------

cat >nothing.yaml <<'E'
- {text: "", repeat: true}
E
cat >mumble.yaml <<'E'
- {text: "I would rather {not: say", repeat: true}
E
nonsense() {
    jot run 'what?' --model script:nothing.yaml && ends 1 && tells '5 replies in a row were neither a call nor an answer' && tells 'continue with: jotter run --resume' || return 1
    recorded 'what?' '[PARSE ERROR] the reply was empty' nonsense || return 1
    jot --json run 'what?' --model script:mumble.yaml --protocol json && ends 1 && says '"end":"nonsense"' && recorded 'I would rather {not: say' || return 1
    jot run --resume last --model script:more.yaml --protocol json && ends 0 && is better
}
echo '- {text: "{\"tool\": \"done\", \"args\": {\"summary\": \"better\"}}", repeat: true}' >more.yaml

bare_model() { jot run 'who?' --model gpt-5 && ends 64 && tells "no model at 'gpt-5': use anthropic:MODEL, openai:MODEL"; }
early() { # OPTION VALUE SENTENCE: told before a script that is not there, and nothing is made
    jot run 'who?' --pad files:early --model script:none.yaml "$1" "$2" && ends 64 && tells "$3" && [ ! -e early ] || return 1
    jot cycle run --pad files:early --model script:none.yaml "$1" "$2" && ends 64 && tells "$3" && [ ! -e early ]
}
options() {
    early --allow 'a b' "'a b' is neither a tool nor an effect" && early --deny , 'is neither a tool' && early --tools bad "there are no tools 'bad'" && early --max-tokens 1 'use a number' && early --mcp-timeout 0 'use a number' || return 1
    jot run 'who?' --model script:none.yaml --allow nosuch && ends 64 && tells "'nosuch' is neither a tool here nor an effect"
}
try 'what is wrong with an option is told before anything is opened' options
try 'the name of a model alone is told what an address looks like' bare_model

no_stream() {
    jot run 'who?' --model "$at/page#m" --quiet && [ "$code" -ge 64 ] && tells 'what was done is kept' && recorded 'who?' failed || return 1
    jot run 'who?' --model "$at/none#m" --quiet && [ "$code" -ge 64 ] && tells 'Empty reply from server' && recorded failed
}

cat >endless.yaml <<'E'
- {calls: [{name: scratchpad_list}], repeat: true}
E
endless() {
    jot run 'for ever' --model script:endless.yaml --max-iterations 4 && ends 1 && tells '4 replies without an answer' &&
        tells "the same call of 'scratchpad_list' came 4 times in a row" && tells 'continue with: jotter run --resume' || return 1
    recorded 'for ever' limit && jot log usage last && says scratchpad_list || return 1
    jot --json run 'for ever' --model script:endless.yaml --max-iterations 4 && ends 1 && says '"end":"limit"'
}

cat >cut.yaml <<'E'
- {calls: [{id: w, name: scratchpad_write, args_text: '{"key": "half", "content": "only the beg'}], stop: max_tokens}
- text: "{{result:w}}"
E
cut_call() {
    jot run 'write it' --model script:cut.yaml && ends 0 && says 'nothing was done' && recorded 'was cut off' && jot read half && ends 66
}

cat >unknown.yaml <<'E'
- calls: [{id: u, name: launch_rocket, args: {}}]
- text: "{{result:u}}"
E
unknown() {
    jot run 'launch' --model script:unknown.yaml && ends 0 && says "[UNKNOWN TOOL] unknown tool 'launch_rocket': there are " && says scratchpad_read && recorded launch_rocket
}

# --- Tools ------------------------------------------------------------------------------------

huge() {
    head -c 200000 /dev/zero | tr '\0' a >big.txt && echo 'the end' >>big.txt
    cat >huge.yaml <<'E'
- calls: [{id: r, name: read_file, args: {path: big.txt, bytes: 262144}}]
- calls: [{id: s, name: scratchpad_read, args: {key: "{{result:r|after persisted as|before (|trim}}", from_char: 199990}}]
- text: "{{result:s|line 1}}"
E
    rm -f huge.log
    jot run 'what is at its end?' --model "script:huge.yaml?log=$here/huge.log" && ends 0 && says aaaaaaaaaaa || return 1
    [ "$(wc -c <huge.log)" -lt 60000 ] && recorded 'scratchpad_read(key=tool_results/'
}

bytes() {
    printf 'caf\351\n' >latin.txt
    cat >bytes.yaml <<'E'
- calls: [{id: r, name: read_file, args: {path: latin.txt}}]
- text: "{{result:r}}"
E
    jot run 'read it' --model script:bytes.yaml && ends 0 && says $'caf\xef\xbf\xbd' && says '1 byte is not UTF-8' && recorded $'caf\xef\xbf\xbd' || return 1
    jot run 'say it' --model "$at/latin#m" --quiet && ends 0 && is $'caf\xef\xbf\xbd and \xef\xbf\xbd' && recorded 'say it' || return 1
    jot run "$(printf 'caf\351')" --model script:bytes.yaml && ends 64 && tells 'a question must be UTF-8 text: the byte at offset 3 is not' || return 1
    jot --json run 'read it' --model script:bytes.yaml && ends 0 && iconv -f UTF-8 -t UTF-8 .out >/dev/null
}

cat >sleep.yaml <<'E'
- calls: [{id: s, name: shell, args: {command: sleep 30, seconds: 1}}]
- text: "{{result:s}}"
E
hanging() {
    jot run 'sleep' --model script:sleep.yaml --allow shell --quiet && ends 0 && recorded 'sleep 30' || return 1
    jot log results last
    case $out in *'cannot be confined'*) ;; *) says 'it was not done after 1 s' ;; esac
}

# One run, one call for each way in which a server can be wrong.
pages() {
    local path
    for path in words nothing cut head gone bomb loop file bytes ok; do
        echo "- calls: [{id: $path, name: http_get, args: {url: '$at/$path'}}]"
    done >web.yaml
    echo '- text: "{{result:ok|line 1}}"' >>web.yaml
    jot run 'fetch them' --model script:web.yaml --allow network,private --quiet && ends 0 && is hello && recorded 'fetch them' || return 1
    jot log results last && ends 0 || return 1
    says "the server's answer is not HTTP" && says 'Empty reply from server' && says 'ended within its headers' && says 'headers of the answer are too long' || return 1
    says 'transfer closed with 1073741824 bytes' && says "is compressed ('gzip'), which was not asked for" && says 'more than 5 redirects' || return 1
    says "redirects to 'file:///etc/passwd', which is not followed" && says '2 of them no UTF-8: shown as U+FFFD'
}

# --- The disk ---------------------------------------------------------------------------------

text=$(head -c 60000 /dev/zero | tr '\0' b)
for i in 1 2 3 4 5 6; do echo "- calls: [{name: echo, args: {text: \"$text\"}}]"; done >full.yaml
echo '- text: all' >>full.yaml

goes_on() { # after a run whose disk was full: all six results are there, none twice
    [ "$code" -ge 65 ] && tells 'what was done is kept' && jot verify && ends 0 || return 1
    jot run --resume last --model script:full.yaml --quiet && ends 0 && is all || return 1
    jot verify && ends 0 && jot log usage last && says echo && says 6
}

full() {
    (ulimit -f "$1" && exec "$JOTTER" run 'fill the disk' --model script:full.yaml --quiet >.out 2>.err)
    code=$? err=$(cat .err)
    goes_on
}

# A disk that is really full, where one can be made: that takes root and the right to mount.
really_full() {
    local room=$here/room kind=${JOTTER_PAD%%:*} place
    mkdir -p "$room"
    mount -t tmpfs -o size=700k none "$room" 2>/dev/null || { echo '# skipped: a small file system needs root and the right to mount' && return 0; }
    place=$room/pad
    JOTTER_PAD=$kind:$place "$JOTTER" run 'fill the disk' --model script:full.yaml --quiet >.out 2>.err
    code=$? err=$(cat .err)
    mount -o remount,size=20m "$room"
    JOTTER_PAD=$kind:$place goes_on
    local good=$?
    umount "$room"
    return $good
}

for engine in files sqlite; do
    export JOTTER_PAD=$engine:$here/$engine.pad
    limit=250
    [ $engine = files ] || limit=600 # its log alone has half a megabyte
    try "$engine: a model that answers with nonsense" nonsense
    try "$engine: a model that is none" no_stream
    try "$engine: an endless loop of calls" endless
    try "$engine: a call that was cut off" cut_call
    try "$engine: a tool that is not there" unknown
    try "$engine: a huge result is kept aside, and can be read on" huge
    try "$engine: bytes that are no UTF-8, of a tool, of a model and of the user" bytes
    try "$engine: a tool that hangs is stopped" hanging
    try "$engine: a server that answers nonsense gets a sentence, and the run goes on" pages
    JOTTER_PAD=$engine:$here/$engine.full
    try "$engine: a full disk in the middle of it loses nothing" full $limit
    try "$engine: a disk that is really full neither" really_full
done

eval "exec ${WEB[1]}>&-"
wait "$WEB_PID"

plan
