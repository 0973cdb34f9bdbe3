#!/bin/bash
# tool.t - tools from the shell: the memory tool, and the page about all of them.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"

ask() { printf '%s' "$1" | "$JOTTER" memory-tool "${@:2}" >"$here/.out" 2>"$here/.err"; code=$?; heard; }

for pad in files:pad sqlite:pad.db; do
    export JOTTER_PAD=$pad

    looks() { ask '{"command":"view","path":"/memories"}' && ends 0 && says $'0B\t/memories' && [ ! -e "${pad#*:}" ]; }
    try "looking makes no pad ($pad)" looks

    makes() { ask '{"command":"create","path":"/memories/a.md","file_text":"hi\n"}' && ends 0 && is 'File created successfully at: /memories/a.md' && jot read memories/a.md && is hi; }
    try "a memory file is a document ($pad)" makes

    again() { ask '{"command":"create","path":"/memories/a.md","file_text":"x"}' && ends 75 && is 'Error: File /memories/a.md already exists'; }
    try "an error is answered on standard output and ends with its code ($pad)" again

    json() { ask '{"command":"delete","path":"/memories/b"}' --json && ends 66 && is '{"text":"Error: The path /memories/b does not exist","is_error":true}'; }
    try "with --json the answer says whether it is an error ($pad)" json

    garbage() { ask 'view' && [ "$code" != 0 ] && [ -n "$err" ] && ask '[]' && tells 'must be an object'; }
    try "what is no object is refused ($pad)" garbage
done

private() { [ "$(stat -c %a pad/memories/a.md)" = 600 ] && [ "$(stat -c %a pad/memories)" = 700 ]; }
try "memory files are for their owner only" private

fresh() { "$JOTTER" help --tools | diff "$root/docs/tools.md" - >&2; }
try "docs/tools.md is what the program says of its tools" fresh

plan
