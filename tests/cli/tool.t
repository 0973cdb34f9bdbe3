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

    again() { ask '{"command":"create","path":"/memories/a.md","file_text":"x"}' && ends 75 && is 'File /memories/a.md already exists'; }
    try "an error is answered on standard output and ends with its code ($pad)" again

    json() { ask '{"command":"delete","path":"/memories/b"}' --json && ends 66 && is '{"text":"The path /memories/b does not exist","is_error":true}'; }
    try "with --json the answer says whether it is an error ($pad)" json

    dialect() {
        ask '{"command":"view","path":"/memories"}' --dialect python && ends 0 && says 'excluding hidden items:' &&
            ask '{"command":"view","path":"/memories"}' --dialect perl && ends 64 && tells "there is no dialect 'perl' of the memory tool: use documented, typescript or python"
    }
    try "an SDK's own dialect is spoken on demand ($pad)" dialect

    garbage() { ask 'view' && [ "$code" != 0 ] && [ -n "$err" ] && ask '[]' && tells 'must be an object'; }
    try "what is no object is refused ($pad)" garbage
done

private() { [ "$(stat -c %a pad/memories/a.md)" = 600 ] && [ "$(stat -c %a pad/memories)" = 700 ]; }
try "memory files are for their owner only" private

begins() {
    mkdir new && "$JOTTER" --pad files:new/pad init >/dev/null && [ "$(stat -c %a new/pad/memories)" = 700 ] &&
        printf 'hi' >new/pad/memories/mine.md &&
        printf '{"command":"view","path":"/memories/mine.md"}' | "$JOTTER" --pad files:new/pad memory-tool >out.txt && grep -qx $'     1\thi' out.txt
}
try "a new pad has a place for memory files that a person puts there" begins

links() {
    mkdir outside && echo secret >outside/s.txt && ln -s "$PWD/outside" new/pad/memories/link &&
        JOTTER_PAD=files:new/pad ask '{"command":"view","path":"/memories/link/s.txt"}' && ends 77 &&
        says 'Path /memories/link/s.txt would escape /memories directory' &&
        JOTTER_PAD=files:new/pad ask '{"command":"create","path":"/memories/link/x","file_text":"x"}' --dialect typescript && ends 77 &&
        says 'Path would escape /memories directory via symlink' && [ ! -e outside/x ] &&
        JOTTER_PAD=files:new/pad ask '{"command":"view","path":"/memories"}' && ends 0 && ! says link
}
try "a symlink is not followed, and is refused in the words of the SDKs" links

fresh() { "$JOTTER" help --tools | diff "$root/docs/tools.md" - >&2; }
try "docs/tools.md is what the program says of its tools" fresh

plan
