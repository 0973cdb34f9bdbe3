#!/bin/bash
# setup.t - what jotter puts into other programs' files, and what it leaves alone.
docs=$(realpath "$(dirname "$0")")/../../docs/mcp.md
. "$(dirname "$0")/lib.sh"
unset XDG_CONFIG_HOME CODEX_HOME CLAUDE_CONFIG_DIR GEMINI_CLI_HOME QWEN_HOME GOOSE_PATH_ROOT VSCODE_PORTABLE VSCODE_APPDATA CLINE_DIR CLINE_DATA_DIR CLINE_MCP_SETTINGS_PATH JOTTER_TOKEN
pad=files:$here/pad
JOTTER=$(realpath "$JOTTER")
all='claude-code cline codex cursor gemini goose opencode qwen vscode'
with_project='claude-code codex cursor gemini opencode qwen vscode'
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
        out=$(cd sub && "$JOTTER" setup $client --pad files:../pad/./x 2>/dev/null)
        says "\"$JOTTER\"" && says "files:$here/sub/../pad/./x" && says "# $here/" || return 1
    done
    [ ! -e .claude.json ] && [ ! -e .codex ] && [ ! -e .config ]
}
try 'program and a pad that is named are absolute, and nothing is written' names_all_by_absolute_paths

pins_no_pad() {
    mkdir -p pinned && (cd pinned && "$JOTTER" init >/dev/null) || return 1
    for client in $all; do
        out=$(cd pinned && "$JOTTER" setup $client 2>/dev/null)
        says "\"$JOTTER\"" && says '"mcp"' && ! grep -q -e --pad -e "$here/pinned" <<<"$out" || return 1
    done
    JOTTER_PAD=files:$here/pinned/.jotter jot setup codex
    ends 0 && ! grep -q -e --pad <<<"$out" && tells 'JOTTER_PAD is set here and stays out of the entry'
}
try "one's own entry is tied to no pad" pins_no_pad

file_of() { "$JOTTER" setup "$1" --pad "$pad" 2>/dev/null | sed -n '1s/^# //p'; }
twice() {
    for client in $all; do
        jot setup $client --pad "$pad" --write
        ends 0 && says '+++ ' && says 'wrote ' || return 1
        file=$(file_of $client)
        "$JOTTER" setup $client --pad "$pad" 2>/dev/null | tail -n +2 | cmp - "$file" || return 1
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
    [ "$(json .claude.json 'sorted(d["mcpServers"]["jotter"])')" = "['alwaysLoad', 'env', 'headers', 'timeout', 'type', 'url']" ]
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
    mkdir -p project && (cd project && for client in $with_project; do
        "$JOTTER" setup $client --project --write >/dev/null 2>&1 || exit 1
    done) || return 1
    [ "$(cd project && find . -type f | sort | tr '\n' ' ')" = './.codex/config.toml ./.cursor/mcp.json ./.gemini/settings.json ./.mcp.json ./.qwen/settings.json ./.vscode/mcp.json ./opencode.json ' ] || return 1
    for client in goose cline; do jot setup $client --project && ends 64 && tells 'has no file for a project' || return 1; done
}
try 'a project has files of its own' project

committed() {
    ! grep -rn -e "$here" -e "$(dirname "$JOTTER")" project || return 1
    for file in .codex/config.toml .gemini/settings.json .mcp.json .qwen/settings.json .vscode/mcp.json opencode.json; do
        grep -q '"jotter"' project/$file && grep -q '"files:.jotter"' project/$file || { echo "# $file"; return 1; }
    done
    grep -qF '"${workspaceFolder}/.jotter"' project/.cursor/mcp.json
}
try 'which name no path of this machine' committed

project_pads() {
    mkdir -p 'pro%41ject/sub' && cd 'pro%41ject' || return 1
    jot setup codex --project --pad files:sub/x && says '"files:sub/x"' && jot setup codex --project --pad "$PWD/x" && says '"files:x"' && jot setup codex --project --pad sqlite:./n%20.db && says '"sqlite:n%20.db"' &&
        jot setup cursor --project --pad "./50%" && says '"${workspaceFolder}/50%"' && jot setup codex --project --pad files:./x?shared=no && says '"files:x?shared=no"' &&
        jot setup codex --project --pad files:/elsewhere && says '"files:/elsewhere"' && tells 'outside of the project' && jot setup codex --pad files:x && says "\"files:$here/pro%2541ject/x\"" && cd "$here"
}
try 'a pad that is named is written from the root of the project on' project_pads

on_path() {
    mkdir -p bin2 && ln -sf "$JOTTER" bin2/jotter && PATH=$here/bin2:$PATH jot setup vscode --project && ends 0 && [ -z "$err" ] || { echo "# $err"; return 1; }
    printf '#!/bin/sh\n' >sub/jotter && chmod +x sub/jotter && PATH=$here/sub:$PATH jot setup vscode --project && tells "is another program, '$here/sub/jotter'" && rm sub/jotter &&
        PATH=/nowhere jot setup vscode --project && tells "there is no 'jotter' in PATH"
}
try 'it is told if the program of a project is not found, or another one' on_path

# What the entries start, as the client would: in a directory of its choice.
serve() { # DIR FILE
    python3 - "$1" "$2" "$JOTTER" <<'PY'
import json, os, subprocess, sys
x = json.load(open(sys.argv[2]))["mcpServers"]["jotter"]
line = lambda **m: json.dumps({"jsonrpc": "2.0", **m}) + "\n"
text = line(id=1, method="initialize", params={"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}) + \
    line(id=2, method="tools/call", params={"name": "scratchpad_write", "arguments": {"key": "plan", "content": "text"}})
env = {**os.environ, "PATH": os.path.dirname(sys.argv[3]) + ":" + os.environ["PATH"]}
got = subprocess.run([x["command"], *x["args"]], input=text, text=True, capture_output=True, cwd=sys.argv[1], env=env)
assert '"isError":true' not in got.stdout and "wrote 4 chars" in got.stdout, got
PY
}
each_project() {
    rm -rf .claude.json A B data && mkdir -p A/sub B/sub && (cd A && "$JOTTER" init) >/dev/null && (cd B && "$JOTTER" init) >/dev/null || return 1
    (cd A && "$JOTTER" setup claude-code --write >/dev/null) && serve B/sub .claude.json && [ -e B/.jotter/notes/plan.txt ] && [ ! -e A/.jotter/notes/plan.txt ] && [ ! -e data ] &&
        serve A .claude.json && [ -e A/.jotter/notes/plan.txt ] && rm -rf A/.jotter B/.jotter && serve A .claude.json && [ -e data/jotter/pad/notes/plan.txt ] && [ ! -e A/.jotter ]
}
try 'with it an agent writes into the pad of the project it works in' each_project

from_below() {
    rm -rf P data && mkdir -p P/sub/sub && (cd P && "$JOTTER" setup claude-code --project --write >/dev/null 2>&1) && serve P P/.mcp.json && [ -e P/.jotter/notes/plan.txt ] && [ ! -e data ] && rm P/.jotter/notes/plan.txt &&
        serve P/sub/sub P/.mcp.json && [ -e P/.jotter/notes/plan.txt ] && [ ! -e P/sub/sub/.jotter ] && [ ! -e P/sub/.jotter ]
}
try 'and with that of a project also from a directory below it, and in a fresh clone' from_below

jsonc() {
    (cd project && rm opencode.json && printf '{}' >opencode.jsonc && "$JOTTER" setup opencode --project --write >/dev/null 2>&1) &&
        [ ! -e project/opencode.json ] && grep -q jotter project/opencode.jsonc
}
try 'an opencode.jsonc that is there is the one' jsonc

homes() {
    local row client variable file
    for row in 'claude-code CLAUDE_CONFIG_DIR .claude.json' 'codex CODEX_HOME config.toml' 'gemini GEMINI_CLI_HOME .gemini/settings.json' 'qwen QWEN_HOME settings.json' \
        'goose XDG_CONFIG_HOME goose/config.yaml' 'goose GOOSE_PATH_ROOT config/config.yaml' 'opencode XDG_CONFIG_HOME opencode/opencode.json' 'vscode XDG_CONFIG_HOME Code/User/mcp.json' \
        'vscode VSCODE_APPDATA Code/User/mcp.json' 'vscode VSCODE_PORTABLE user-data/User/mcp.json' 'cline CLINE_DIR data/settings/cline_mcp_settings.json' \
        'cline CLINE_DATA_DIR settings/cline_mcp_settings.json' 'cline CLINE_MCP_SETTINGS_PATH .'; do
        read -r client variable file <<<"$row"
        [ "$(export "$variable=$here/h"; file_of $client)" = "$(realpath -m "$here/h/$file")" ] || { echo "# $row: $(export "$variable=$here/h"; file_of $client)"; return 1; }
        export "$variable=h"
        jot setup $client
        case $variable in XDG_*) ends 0 && says "# $here/.config/" ;; *) ends 64 && tells "$variable is not an absolute path" ;; esac || return 1
        unset "$variable"
    done
}
try 'the files can be moved by the variables the clients know' homes

default_homes() { [ "$(for client in $all; do file_of $client; done | sed "s|^$here/||" | tr '\n' ' ')" = '.claude.json .cline/data/settings/cline_mcp_settings.json .codex/config.toml .cursor/mcp.json .gemini/settings.json .config/goose/config.yaml .config/opencode/opencode.json .qwen/settings.json .config/Code/User/mcp.json ' ]; }
try 'else they are where the clients look' default_homes

repointed() {
    local client
    for client in $all; do
        rm -rf .claude.json .cline .codex .cursor .gemini .config .qwen
        jot setup $client --pad files:$here/a --write && ends 0 && [[ $err != *'was for'* ]] && jot setup $client --pad files:$here/a --write && [[ $err != *'was for'* ]] &&
            jot setup $client --pad files:$here/b --write && tells "warning: the entry was for 'files:$here/a', and is now for 'files:$here/b'" &&
            jot setup $client --write && tells "was for 'files:$here/b', and is now for the pad of the directory it is started in" &&
            jot setup $client --http http://127.0.0.1:7001/mcp --write && tells "and is now for 'http://127.0.0.1:7001/mcp'" &&
            jot setup $client --write && tells "was for 'http://127.0.0.1:7001/mcp'" && jot setup $client --write && [[ $err != *'was for'* ]] || { echo "# $client: $err"; return 1; }
    done
    mkdir -p .codex && printf '[mcp_servers.jotter]\nargs = [\n  "mcp", # "--pad", "no"\n  "--pad", '"'files:lit\\eral'"',\n]\n' >.codex/config.toml && jot setup codex --write && tells "was for 'files:lit" || return 1
    jot setup codex --pad files:/x --write --json && says '"notes":["warning: the entry was for'
}
try 'it is told if an entry was for another pad' repointed

token() {
    local client
    for client in $all; do
        jot setup $client --http http://127.0.0.1:7001/mcp && ends 0 && says 'http://127.0.0.1:7001/mcp' && tells '/jotter/token' || return 1
        [ $client = cline ] || { says JOTTER_TOKEN && tells 'export JOTTER_TOKEN=$(cat $XDG_DATA_HOME/jotter/token)' && tells '(here it is not set)'; } || return 1
    done
    jot setup cline --http http://127.0.0.1:7001/mcp && tells 'Cline fills in no variables' && tells 'by hand' && [[ $out != *eaders* ]] || return 1
    JOTTER_TOKEN=secret XDG_DATA_HOME='' jot setup codex --http http://127.0.0.1:7001/mcp && tells 'cat ~/.local/share/jotter/token' && [[ $err$out != *'not set'* ]] && [[ $err$out != *secret* ]]
}
try 'with --http it says how the token gets to the client, and writes it nowhere' token

allowed_first() {
    jot setup codex --project && tells 'only in a project it trusts' && tells 'trust_level = "trusted"' && jot setup claude-code --project && tells 'approve' &&
        jot setup gemini && tells 'a folder it does not trust' && jot setup gemini --project && tells 'a folder it does not trust' && jot setup cursor && tells 'use --project there' &&
        jot setup codex --project --json && says '"notes":[' && says 'only in a project it trusts'
}
try 'what a client wants to be told first is said' allowed_first

found_by_search() {
    local client member
    for client in 'claude-code alwaysLoad' 'qwen alwaysLoadTools'; do
        read -r client member <<<"$client"
        for words in '' '--http http://h/mcp' '--project'; do
            jot setup "$client" $words && says "\"$member\": true" || return 1
        done
    done
}
try 'clients that search for tools load these without searching' found_by_search

options() {
    jot setup codex --pad "$pad" --tools runs,graph
    says '"--tools", "runs,graph"' || return 1
    jot setup codex --pad "$pad" --as bob
    says '"--as", "bob"' || return 1
    jot setup codex --tools nonsense && ends 64 || return 1
    jot setup codex --pad mem: && ends 64 || return 1
    jot setup codex --http ftp://x/ && ends 64 || return 1
    jot setup codex --http nonsense && ends 64 && tells '--http: use http://HOST:PORT/mcp' || return 1
    jot setup codex --http http://127.0.0.1:1/mcp --tools runs && ends 64 || return 1
    jot setup claude && ends 64 && tells "no client 'claude': did you mean 'claude-code'? use " && jot setup cursro && tells "did you mean 'cursor'?" &&
        jot setup nonsense && ends 64 && tells "no client 'nonsense': use claude-code, cline, " && tells ' qwen or vscode'
}
try 'options are passed on, and wrong ones refused' options

documented() {
    local client bad=0 home=/home
    for client in $all; do
        HOME=$home/ann "$JOTTER" setup $client 2>/dev/null | sed "s|$JOTTER|/usr/local/bin/jotter|" >wanted
        awk -v client="$client" '/^<!-- setup / { on = $3 == client; next } /^```/ { if (inside) on = inside = 0; else inside = on; next } inside' "$docs" >told
        cmp -s wanted told || { echo "# docs/mcp.md is not what 'jotter setup $client' prints"; diff told wanted | sed 's/^/# /'; bad=1; }
    done
    return $bad
}
try 'docs/mcp.md shows what is printed' documented
plan
