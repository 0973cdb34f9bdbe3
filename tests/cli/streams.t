#!/bin/bash
# streams.t - standard streams that are closed, full or a terminal: no file of a pad takes their place, what was
# acknowledged is there, and the exit code says what could not be reported.
cases=$(cd "$(dirname "$0")" && pwd)
. "$cases/lib.sh"

# Each stream closed, alone and with the others; what is told goes nowhere then.
every_way() { # COMMAND...
    "$@" <&- >.out 2>.err
    "$@" >&- 2>.err </dev/null
    "$@" 2>&- >.out </dev/null
    "$@" <&- >&- 2>.err
    "$@" <&- 2>&- >.out
    "$@" >&- 2>&- </dev/null
    "$@" <&- >&- 2>&-
}
whole() { jot --pad "$1" verify && ends 0 && jot --pad "$1" read plan && is 'the text of a file'; }

echo 'the text of a file' >text
closed() {
    local pad
    for pad in files:pad sqlite:pad.db; do
        every_way "$JOTTER" --pad $pad write plan --file text
        whole $pad || return 1
        for what in 'read plan' 'read none' 'history plan' list 'log new query' 'lease acquire plan --ttl 1' 'search text' doctor stats 'export x.jotter'; do
            # shellcheck disable=SC2086
            every_way "$JOTTER" --pad $pad $what
            rm -f x.jotter
        done
        whole $pad || return 1
    done
}
try 'nothing is printed into a pad whatever is closed' closed

no_text() {
    echo before | "$JOTTER" write plan >/dev/null && "$JOTTER" write plan <&- >.out 2>.err
    code=$? && heard && ends 74 && tells 'could not read standard input' && jot read plan && is before
}
try 'a standard input that is closed is no empty text' no_text

no_answer() {
    echo after | "$JOTTER" write plan >&- 2>.err
    code=$? && heard && ends 71 && tells "it was done, but could not be reported: standard output cannot be written; 'notes/plan' has version " || return 1
    local version=${err#* has version }
    jot read plan && is after && jot history plan --json && says "\"version\":\"${version%% as record *}\""
}
try 'a write whose answer could not be given is exit 71, and standard error has its version' no_answer

# Whatever changes something, on both engines: never the exit code of what has changed nothing.
deaf() { "$JOTTER" "$@" >/dev/full 2>.err; code=$?; heard; }
changes() {
    local JOTTER_PAD=$1 run bad=0
    export JOTTER_PAD
    rm -rf "${1#*:}"
    deaf init && ends 71 && deaf init && ends 74 || bad=1
    while read -r words; do
        # shellcheck disable=SC2086
        deaf $words <<<'{"a": 1}' && ends 71 && tells 'it was done, but could not be reported' || { echo "# $words"; bad=1; }
    done <<'E'
write one
edit one --old 1 --new 2
append one
write two
undo one
move two three
delete three
redact one 1
log new query
artifact write kind name
task add t
checkpoint write run
lease acquire elsewhere --ttl 60
cycle init goals
purge one
write four
E
    while read -r words; do
        # shellcheck disable=SC2086
        deaf $words && ends 74 && tells 'could not write to standard output' || { echo "# $words"; bad=1; }
    done <<'E'
list
history one
log
log show last
task list
lease list
where
stats
verify
search query
E
    rm -rf copied exported.jotter
    deaf copy files:copied && ends 71 && deaf copy files:copied && ends 74 && deaf export exported.jotter && ends 71 || bad=1
    deaf append one && ends 71 </dev/null || bad=1
    return $bad
}
try 'whatever has changed something says so with its exit code' changes "files:$here/changes"
try 'on SQLite too' changes "sqlite:$here/changes.db"

full() {
    local json
    for json in '' --json; do
        # shellcheck disable=SC2086
        "$JOTTER" $json read plan >/dev/full 2>.err
        code=$? && heard && ends 74 && tells 'could not write to standard output' || return 1
    done
    "$JOTTER" --json read none >/dev/full 2>.err
    code=$? && heard && ends 66 && tells 'could not write to standard output'
}
try 'a full standard output is told on standard error, with --json too' full

served() {
    local ping='{"jsonrpc":"2.0","id":1,"method":"ping"}'
    "$JOTTER" mcp <<<"$ping" >/dev/full 2>.err
    code=$? && heard && ends 74 || return 1
    "$JOTTER" mcp <<<"$ping" >&- 2>.err
    code=$? && heard && ends 74
}
try 'an MCP server whose answers nothing takes ends with 74' served

unheard() {
    "$JOTTER" mcp <&- >.out 2>.err
    code=$? && heard && ends 74 && tells 'jotter: could not read standard input: ' && is '' || return 1
    "$JOTTER" mcp </dev/null >.out 2>.err
    code=$? && heard && ends 0 && [ -z "$err" ]
}
try 'an MCP server that cannot read says so; the end of its input is none of that' unheard

# Both streams of the server are made ones that do not wait, and the client takes its time.
cat >nonblocking.py <<'E'
import fcntl, os, subprocess, sys, time
(ask, to), (answer, back) = os.pipe(), os.pipe()
for fd in (ask, back):
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_NONBLOCK)
p = subprocess.Popen([sys.argv[1], "mcp"], stdin=ask, stdout=back)
os.close(ask), os.close(back)
time.sleep(0.1)
n = 3000
os.write(to, b"")
if os.fork() == 0:
    os.close(answer)
    with os.fdopen(to, "wb") as f:
        f.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * n)
    os._exit(0)
os.close(to)
time.sleep(0.2)
with os.fdopen(answer, "rb") as f:
    print(f.read().count(b'"result"') == n, p.wait())
E
patient() { python3 nonblocking.py "$JOTTER" >.out 2>.err && heard && is 'True 0'; }
try 'an MCP server waits for streams that do not wait themselves' patient

typed() {
    python3 "$cases/person.py" 'Ctrl-D' 'by hand\n\x04' -- "$JOTTER" write typed >.out 2>.err
    code=$? && heard && ends 0 && says 'type the text' && jot read typed && is 'by hand' && echo text | "$JOTTER" write typed 2>.err >.out && heard && ! tells type >/dev/null
}
try 'who types the text at a terminal is told how to end it' typed

plan
