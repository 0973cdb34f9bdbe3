#!/bin/bash
# embed.t - searches with an embeddings server: what is sent, what is found, and what happens without it.
cases=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/lib.sh"
export JOTTER_PAD=files:$here/pad

put() { printf '%s' "$2" | "$JOTTER" write "$1" >/dev/null; }

# server NAME OPTION...: start one; $port, $NAME.log and $pid are its.  Time is no part of what is tested:
# where an answer is needed, any time will do.
server() {
    local name=$1
    shift
    python3 "$cases/embeddings.py" "$@" "$here/$name.port" "$here/$name.log" >/dev/null 2>&1 &
    pid=$!
    pids="$pids $pid"
    : >"$here/$name.log"
    until_true test -s "$here/$name.port" || return 1
    port=$(<"$here/$name.port")
    export JOTTER_EMBED="http://127.0.0.1:$port/v1?within_ms=60000#tiny"
}
stop() { kill -9 "$1" 2>/dev/null; wait "$1" 2>/dev/null; return 0; }
pids=
trap 'for p in $pids; do stop "$p"; done; rm -rf "$here" "$here-state" "$here-config"' EXIT

put travel 'the automobile needs new tyres before winter' && put pets 'a kitten sleeps on the sofa' &&
    put health 'the physician comes on monday' && put food 'bread and butter for breakfast'
unset JOTTER_EMBED

without() { jot search car && ends 0 && is '' && jot embed && ends 66 && tells 'JOTTER_EMBED is not set'; }
try 'without a server only words are found, and embed says what to set' without

wrong() {
    for address in http://example.org/v1#m https://example.org/v1 ftp://x/v1#m nonsense 'https://u:secretpw@h/v1#m' 'https://h/v1?x=1#m' 'https://h/v1?within_ms=0#m'; do
        JOTTER_EMBED=$address jot embed && [ "$code" != 0 ] && [ "$(wc -l <"$here/.err")" = 1 ] && case $err in *secretpw*) false ;; esac || { echo "# $address: $code $err"; return 1; }
        JOTTER_EMBED=$address jot search automobile && ends 0 && says notes/travel && tells 'by words alone' || return 1
    done
    JOTTER_EMBED=http://example.org/v1#m jot embed && tells 'use https://' && tells 'plain_http=yes'
}
try 'an address that is none, or could be overheard, is refused in one sentence, and words are searched' wrong

server one || exit 1
dry() {
    jot embed --dry-run && ends 0 && says '0 of 4 notes and records have a vector of tiny' && says 'the texts of 4 would be sent' && [ ! -s "$here/one.log" ]
}
try 'a dry run sends nothing' dry

unsaid() {
    printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"scratchpad_search","arguments":{"query":"automobile"}}}' |
        "$JOTTER" mcp >"$here/.out" 2>/dev/null
    heard && says travel && says 'by words alone: it was not announced yet' && [ ! -s "$here/one.log" ]
}
try 'nothing is sent before somebody was told what goes where' unsaid

first() {
    jot search car && ends 0 && tells "the texts of 4 notes and records, and every question, go to http://127.0.0.1:$port/v1 (model tiny)" &&
        grep -q '"car"' "$here/one.log" && jot search car && ends 0 && [ -z "$err" ] && says notes/travel
}
try 'a search says what is sent where before the first time, and not again' first

all() {
    jot embed && ends 0 && [ -z "$err" ] && is "4 of 4 notes and records have a vector of tiny at http://127.0.0.1:$port/v1" &&
        jot search car --explain && says notes/travel && says 'means the like' && jot search doctor && says notes/health &&
        jot search feline --json && says '"stream":"notes/pets"' && ! says '"notice"' >/dev/null
}
try 'what means the like is found in other words' all

once() {
    local before
    before=$(wc -l <"$here/one.log")
    jot embed && ends 0 && [ "$(wc -l <"$here/one.log")" = "$before" ] && jot search car && [ "$(wc -l <"$here/one.log")" = $((before + 1)) ]
}
try 'a text is sent once, then only the query' once

fresh() { put later 'a new vehicle was bought' && jot search car && says notes/later && jot embed --dry-run && says '5 of 5'; }
try 'a new note is sent by the next search' fresh

secrets() {
    local key=AKIAIOSFODNN7EXAMPLE
    put ops "the key of the cloud is $key and the region is north" && jot embed && ends 0 && jot search "who has $key" && ends 0 &&
        grep -q 'region is north' "$here/one.log" && ! grep -q "$key" "$here/one.log" && grep -q 'redacted' "$here/one.log"
}
try 'secrets are never sent, neither of a text nor of a query' secrets

redacted() {
    put gone 'sphinxquartzite of the first version' && jot redact gone >/dev/null
    jot purge gone && ends 0 && jot embed && ! grep -q sphinxquartzite "$here/one.log"
}
try 'what was redacted or purged before is not sent' redacted

# A vector says something of its text: it goes with it.  The files hold no text, so they are counted.
vectors() { python3 - "$here/pad/index.d" <<'P'
import glob, struct, sys
print(sum(struct.unpack_from("<I", open(f, "rb").read(), 20)[0] for f in glob.glob(sys.argv[1] + "/*.vec")))
P
}
purged() {
    local before after
    before=$(vectors)
    jot purge later && ends 0 && after=$(vectors)
    [ "$before" -ge 6 ] && [ "$after" = $((before - 1)) ] || { echo "# $before $after"; return 1; }
    put pets 'a kitten sleeps in the garden' && jot embed && ends 0 && jot redact pets --all >/dev/null 2>&1
    jot purge pets && ends 0 && [ "$(vectors)" = 4 ] && jot search feline && ! says notes/pets >/dev/null
}
try 'a vector is purged with its text, and with every version of it' purged

doctor() { jot doctor && says "searches ask http://127.0.0.1:$port/v1 (model tiny) what texts mean: 4 of 4 have a vector" && jot doctor --json && says '"embed":{"used":true'; }
try 'doctor says that the server is used' doctor

another() {
    JOTTER_EMBED=${JOTTER_EMBED%#*}#other jot embed && ends 0 && tells '(model other)' && says '4 of 4' && JOTTER_EMBED=${JOTTER_EMBED%#*}#other jot search doctor && says notes/health
}
try 'for another model all vectors are made again, and that is said' another

damaged() {
    jot embed && ends 0
    for f in "$here"/pad/index.d/*.vec; do printf x | dd of="$f" bs=1 seek=$(($(stat -c %s "$f") / 2)) conv=notrunc status=none; done
    jot search doctor && ends 0 && jot embed && ends 0 && says '4 of 4' && jot search doctor && says notes/health && jot verify && ends 0
}
try 'a damaged file of vectors is made again' damaged

dead() {
    stop "$pid"
    jot search bread && ends 0 && says notes/food && tells 'searching by words alone' && [ "$(wc -l <"$here/.err")" = 1 ] &&
        jot search bread --json && says '"notice":"searching by words alone' && jot search bread --budget 300 && says bread && tells 'by words alone' &&
        jot embed && ends 0 # nothing is to be sent
    put more 'this needs a vector' && jot embed && [ "$code" != 0 ] && [ -z "$out" ]
}
try 'without the server words are searched, with one notice' dead

slow() {
    server slow --slow 3600000 || return 1
    JOTTER_EMBED=http://127.0.0.1:$port/v1#tiny jot search bread && ends 0 && says notes/food && tells 'did not answer within 300 ms' || return 1
    stop "$pid"
}
try 'a server that is slow is not waited for' slow

hostile() {
    for option in '--bad' '--status 500' '--status 404' '--status 302' '--columns 5000'; do
        rm -f bad.port
        server bad $option || return 1
        jot search bread && ends 0 && says notes/food && tells 'by words alone' || return 1
        jot embed && [ "$code" != 0 ] && [ "$(wc -l <"$here/.err")" -le 2 ] || return 1
        stop "$pid"
    done
}
try 'an answer that is none is refused, and words are searched' hostile

key() {
    rm -f key.port
    server key --key secretkey || return 1
    jot search bread && tells 'answered 401: JOTTER_EMBED_API_KEY' && JOTTER_EMBED_API_KEY=secretkey jot search bread && says notes/food && ! tells 'words alone' >/dev/null &&
        ! grep -rq secretkey "$here/pad"
    local good=$?
    stop "$pid"
    return $good
}
try 'a key is sent as a bearer, and kept nowhere' key

resumed() {
    local i
    for i in $(seq 40); do put "many-$i" "note number $i"; done
    rm -f part.port
    server part --after 1 --status 500 || return 1
    jot embed && [ "$code" != 0 ] && tells '37 of 45' && tells 'the same command continues' || return 1
    stop "$pid"
    rm -f rest.port
    server rest || return 1
    jot embed && ends 0 && says '45 of 45 notes and records have a vector of tiny' || return 1
    stop "$pid"
    # 45 texts in all: what came before the failure is not sent again.
    python3 -c 'import json,sys; n = sum(len(json.loads(l)["input"]) for l in open(sys.argv[1])); sys.exit(n != 45 - 37)' "$here/rest.log"
}
try 'what was made before a failure is kept, and the rest continues from there' resumed

killed() {
    rm -f slowly.port
    server slowly --after 1 --slow 3600000 || return 1
    JOTTER_EMBED=${JOTTER_EMBED%#*}#third "$JOTTER" embed >/dev/null 2>&1 &
    local child=$!
    until_true lines "$here/slowly.log" 2 && kill -9 $child
    wait $child 2>/dev/null
    stop "$pid"
    jot verify && ends 0 && jot search bread && ends 0 && says notes/food
}
try 'killed while it waits, everything is as before' killed

plan
