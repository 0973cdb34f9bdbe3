#!/bin/bash
# setup.t - what jotter puts into other programs' files, and what it leaves alone.
docs=$(realpath "$(dirname "$0")")/../../docs/mcp.md
. "$(dirname "$0")/lib.sh"
unset XDG_CONFIG_HOME CODEX_HOME
pad=files:$here/pad
JOTTER=$(realpath "$JOTTER")
all='claude-code codex cursor gemini goose opencode vscode'
json() { python3 -c "import json,sys; d=json.load(open(sys.argv[1])); print($2)" "$1"; }

lists() {
    jot setup
    ends 0 || return 1
    for client in $all; do says "$client" || return 1; done
}
try 'without a word the clients are listed' lists

names_all_by_absolute_paths() {
    mkdir -p sub
    for client in $all; do
        out=$(cd sub && "$JOTTER" setup $client --pad files:../pad/./x)
        says "\"$JOTTER\"" && says "files:$here/sub/../pad/./x" && says "# $here/" || return 1
    done
    [ ! -e .claude.json ] && [ ! -e .codex ] && [ ! -e .config ]
}
try 'pad and program are absolute, and nothing is written' names_all_by_absolute_paths

file_of() { "$JOTTER" setup "$1" --pad "$pad" | sed -n '1s/^# //p'; }
twice() {
    for client in $all; do
        jot setup $client --pad "$pad" --write
        ends 0 && says '+++ ' && says 'wrote ' || return 1
        file=$(file_of $client)
        "$JOTTER" setup $client --pad "$pad" | tail -n +2 | cmp - "$file" || return 1
        before=$(stat -c '%i %Y %s' "$file")
        jot setup $client --pad "$pad" --write
        ends 0 && says 'nothing to do' && [ "$before" = "$(stat -c '%i %Y %s' "$file")" ] || return 1
        [ -z "$(find "$(dirname "$file")" -name '.jotter-setup-*')" ] || return 1
    done
}
try 'what is printed is what is written, and the second time nothing is' twice

works() {
    python3 - "$here/.claude.json" <<'PY'
import json, subprocess, sys
x = json.load(open(sys.argv[1]))["mcpServers"]["jotter"]
hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
got = subprocess.run([x["command"], *x["args"]], input=json.dumps(hello) + "\n", text=True, capture_output=True, cwd="/")
assert json.loads(got.stdout)["result"]["serverInfo"]["name"] == "jotter", got
PY
}
try 'what is written starts a server, from anywhere' works

keeps_json() {
    rm -f .claude.json
    printf '{\n\t"z": 1.50,\n\t"mcpServers": {\n\t\t"other": {"command": "x", "env": {"A": "\\u00e9"}}\n\t},\n\t"a": [1,\n2]\n}' >.claude.json
    chmod 640 .claude.json
    cp .claude.json was
    jot setup claude-code --pad "$pad" --write
    ends 0 && [ "$(stat -c %a .claude.json)" = 640 ] || return 1
    # Only lines were added, and a comma.
    [ "$(diff was .claude.json | grep -c '^<')" = 1 ] &&
        [ "$(json .claude.json '" ".join(d), " ".join(d["mcpServers"]), d["mcpServers"]["jotter"]["args"][2]')" = "z mcpServers a other jotter $pad" ] &&
        grep -qF '"z": 1.50' .claude.json && grep -qF '\u00e9' .claude.json && grep -qP '^\t\t"jotter": \{$' .claude.json
}
try 'JSON keeps its mode, its order, its layout and its other members' keeps_json

keeps_members() {
    printf '{"mcpServers": {"jotter": {"command": "old", "timeout": 7, "args": [], "env": {"X": "y"}}, "b": {}}}' >.claude.json
    jot setup claude-code --pad "$pad" --write
    ends 0 && [ "$(json .claude.json 'd["mcpServers"]["jotter"]["timeout"], d["mcpServers"]["jotter"]["env"]["X"], "b" in d["mcpServers"]')" = "7 y True" ] || return 1
    jot setup claude-code --http http://127.0.0.1:7001/mcp --write
    [ "$(json .claude.json 'sorted(d["mcpServers"]["jotter"])')" = "['env', 'headers', 'timeout', 'type', 'url']" ]
}
try 'an entry that is there keeps what is not ours, and changes its transport whole' keeps_members

refused() { # FILE WORDS: it was left alone, and what to add was said
    ends 78 && tells "$2" && says '# ' && cmp "$1" was
}
refuses_comments() {
    printf '{\n  // mine\n  "mcpServers": {}\n}\n' | tee was >.claude.json
    jot setup claude-code --pad "$pad" --write
    refused .claude.json 'is not plain JSON' && says '"jotter"'
}
try 'JSON with comments is left alone, and what to add is printed' refuses_comments

refuses_json() {
    local text
    for text in '[]' '{"mcpServers": 1}' '{"a": 1,}' '{"a": 1, "a": 2}' '{'; do
        printf '%s' "$text" | tee was >.claude.json
        jot setup claude-code --pad "$pad" --write
        [ "$code" != 0 ] && cmp was .claude.json || return 1
    done
}
try 'what is no JSON object is left alone' refuses_json

odd_files() {
    rm -f .claude.json
    echo '{}' | tee was >elsewhere
    ln -s elsewhere .claude.json
    jot setup claude-code --pad "$pad" --write
    [ "$code" != 0 ] && tells 'symbolic link' && cmp was elsewhere && [ -L .claude.json ] || return 1
    rm .claude.json && ln elsewhere .claude.json
    jot setup claude-code --pad "$pad" --write
    [ "$code" != 0 ] && tells 'second name' && cmp was elsewhere || return 1
    rm .claude.json && mkfifo .claude.json
    jot setup claude-code --pad "$pad" --write
    [ "$code" != 0 ] && tells 'not a plain file' || return 1
    rm .claude.json && mkdir .claude.json
    jot setup claude-code --pad "$pad" --write
    [ "$code" != 0 ] && tells 'not a plain file' && rmdir .claude.json || return 1
    printf '{"a": "\xff"}' >.claude.json
    jot setup claude-code --pad "$pad" --write
    [ "$code" != 0 ] && tells 'UTF-8' && rm .claude.json
}
try 'links, pipes, directories and bytes that are no text are left alone' odd_files

keeps_toml() {
    mkdir -p .codex
    cat >.codex/config.toml <<'TOML'
# my settings
model = "gpt"   # [mcp_servers.jotter] is not here
notes = """
[mcp_servers.jotter]
"""
list = [
  [1],
]

[mcp_servers.other]
command = 'x'

[ mcp_servers . "jotter" ]   # ours
command = "old"
startup_timeout_sec = 20
args = [
  "a", # ]
]

[mcp_servers.jotter.env]
A = "b"

[profiles.x]
y = 1
TOML
    cp .codex/config.toml was
    jot setup codex --pad "$pad" --write
    ends 0 || return 1
    diff was .codex/config.toml >changes
    [ "$(grep -c '^<' changes)" = 4 ] && [ "$(grep -c '^>' changes)" = 2 ] && grep -q '^> args = \["mcp"' changes &&
        grep -q '^startup_timeout_sec = 20$' .codex/config.toml || { sed 's/^/# /' changes; return 1; }
    jot setup codex --pad "$pad" --write
    says 'nothing to do'
}
try 'TOML: only our own table changes' keeps_toml

toml_is_read() {
    python3 -c 'import tomllib' 2>/dev/null || return 0
    python3 - <<'PY'
import tomllib
d = tomllib.load(open(".codex/config.toml", "rb"))
j = d["mcp_servers"]["jotter"]
assert j["args"][0] == "mcp" and j["startup_timeout_sec"] == 20 and j["env"] == {"A": "b"}, d
assert d["profiles"]["x"]["y"] == 1 and d["model"] == "gpt" and d["list"] == [[1]], d
PY
}
try 'and a reader of TOML reads it so' toml_is_read

refuses_toml() {
    local text
    for text in 'mcp_servers = { a = {} }' '[mcp_servers]
jotter = { command = "x" }' 'mcp_servers.jotter.command = "x"' '[[mcp_servers.jotter]]' 'a = [' 'a = "x' 'nonsense' \
        '[mcp_servers.jotter]
[mcp_servers.jotter]'; do
        printf '%s\n' "$text" | tee was >.codex/config.toml
        jot setup codex --pad "$pad" --write
        refused .codex/config.toml 'config.toml' || { echo "# $text"; return 1; }
    done
}
try 'TOML that sets it in another way, or is none, is left alone' refuses_toml

keeps_yaml() {
    cat >.config/goose/config.yaml <<'YAML'
# goose
GOOSE_MODEL: gpt # mine
extensions:
    developer:
        enabled: true # yes
        bundled: true

    # about the next one
    jotter:
        enabled: false
        available_tools: []
        cmd: old

    # the last
    memory:
        enabled: true
OTHER: |
    extensions:
      x
YAML
    cp .config/goose/config.yaml was
    jot setup goose --pad "$pad" --write
    ends 0 || return 1
    diff was .config/goose/config.yaml >changes
    [ "$(grep -c '^<' changes)" = 2 ] && grep -q '^        available_tools: \[\]' .config/goose/config.yaml || { sed 's/^/# /' changes; return 1; }
    jot setup goose --pad "$pad" --write
    says 'nothing to do' || return 1
    printf 'a: 1\nextensions:\n  x:\n    y: 1\n# end' >.config/goose/config.yaml
    jot setup goose --pad "$pad" --write
    ends 0 && grep -q '^  jotter:$' .config/goose/config.yaml && tail -1 .config/goose/config.yaml | grep -q '^# end' || return 1
    printf 'a: 1\nextensions: {}\nb: 2\n' >.config/goose/config.yaml
    jot setup goose --pad "$pad" --write
    ends 0 && [ "$(tail -1 .config/goose/config.yaml)" = 'b: 2' ] || return 1
    printf 'a: 1' >.config/goose/config.yaml
    jot setup goose --pad "$pad" --write
    ends 0 && [ "$(head -2 .config/goose/config.yaml)" = 'a: 1
extensions:' ]
}
try 'YAML: only our own entry changes' keeps_yaml

refuses_yaml() {
    local text
    for text in '- a' 'extensions: [a]' 'extensions: {a: {b: 1}}' 'a: &x {b: {c: 1}}
extensions: *x' 'extensions: &x {a: 1}
b: *x' '{a: 1}' 'extensions: text' 'a: [' 'a: 1
...'; do
        printf '%s\n' "$text" | tee was >.config/goose/config.yaml
        jot setup goose --pad "$pad" --write
        refused .config/goose/config.yaml 'config.yaml' || { echo "# $text"; return 1; }
    done
}
try 'YAML in which there is no safe place is left alone' refuses_yaml

project() {
    mkdir -p project && (cd project && for client in claude-code codex cursor gemini opencode vscode; do
        "$JOTTER" setup $client --pad "$pad" --project --write >/dev/null || exit 1
    done) || return 1
    [ "$(cd project && find . -type f | sort | tr '\n' ' ')" = './.codex/config.toml ./.cursor/mcp.json ./.gemini/settings.json ./.mcp.json ./.vscode/mcp.json ./opencode.json ' ] || return 1
    jot setup goose --project
    ends 64
}
try 'a project has files of its own' project

jsonc() {
    (cd project && rm opencode.json && printf '{}' >opencode.jsonc && "$JOTTER" setup opencode --pad "$pad" --project --write >/dev/null) &&
        [ ! -e project/opencode.json ] && grep -q jotter project/opencode.jsonc
}
try 'an opencode.jsonc that is there is the one' jsonc

homes() {
    CODEX_HOME=$here/c XDG_CONFIG_HOME=$here/x
    export CODEX_HOME XDG_CONFIG_HOME
    [ "$(file_of codex) $(file_of goose)" = "$here/c/config.toml $here/x/goose/config.yaml" ] || return 1
    unset CODEX_HOME XDG_CONFIG_HOME
}
try 'the directories can be moved by the variables the clients know' homes

options() {
    jot setup codex --pad "$pad" --tools runs,graph
    says '"--tools", "runs,graph"' || return 1
    jot setup codex --pad "$pad" --as bob
    says '"--as", "bob"' || return 1
    for client in $all; do
        jot setup $client --http http://127.0.0.1:7001/mcp
        ends 0 && says 'http://127.0.0.1:7001/mcp' && says JOTTER_TOKEN || return 1
    done
    jot setup codex --tools nonsense && ends 64 || return 1
    jot setup codex --pad mem: && ends 64 || return 1
    jot setup codex --http ftp://x/ && ends 64 || return 1
    jot setup codex --http nonsense && ends 64 && tells '--http: use http://HOST:PORT/mcp' || return 1
    jot setup codex --http http://127.0.0.1:1/mcp --tools runs && ends 64 || return 1
    jot setup nonsense && ends 64
}
try 'options are passed on, and wrong ones refused' options

documented() {
    local client bad=0 home=/home
    for client in $all; do
        HOME=$home/ann "$JOTTER" setup $client --pad files:$home/ann/work/.jotter |
            sed "s|$JOTTER|/usr/local/bin/jotter|" >wanted
        awk -v client="$client" '/^<!-- setup / { on = $3 == client; next } /^```/ { if (inside) on = inside = 0; else inside = on; next } inside' "$docs" >told
        cmp -s wanted told || { echo "# docs/mcp.md is not what 'jotter setup $client' prints"; diff told wanted | sed 's/^/# /'; bad=1; }
    done
    return $bad
}
try 'docs/mcp.md shows what is printed' documented
plan
