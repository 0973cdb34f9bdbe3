#!/bin/bash
# paths.t - a path is a path: what a directory is called never changes which pad is meant, through
# whatever door it comes.
. "$(dirname "$0")/lib.sh"
names=('a%20b' '50%' 'x?y#z' 'x%41y' 'sp ace' 'größe' $'line\nbreak' $'no\xfftext' 'a:b' '%2e%2e' "it's \"so\"")
each() { local name; for name in "${names[@]}"; do "$@" "$name" || { printf '# in %q\n' "$name"; return 1; }; done; }

# The one note of a pad lies below this path, and nothing was made elsewhere.
lies_in() { [ "$(cat "$1/notes/plan.txt")" = "$2" ] && [ "$(find "$here/w" -name plan.txt -printf x)" = x ]; }
afresh() { rm -rf "$here/w" && mkdir -p "$here/w/$1/sub" && cd "$here/w/$1/sub"; }

in_it() {
    afresh "$1" && cd .. && jot init && ends 0 && cd sub && jot write plan <<<text && ends 0 && jot read plan && is text &&
        lies_in "$here/w/$1/.jotter" text && cd "$here"
}
try 'a pad is made, found upward and written in a directory of any name' each in_it

told_url() {
    afresh "$1" && cd .. && jot init && url=${out#made } && ends 0 && cd / && echo text | "$JOTTER" --pad "$url" write plan >/dev/null &&
        jot --pad "$url" where && says "$url" && cd "$here/w/$1/sub" && jot where --json && says "\"pad\":\"$url\"" && jot read plan && is text &&
        lies_in "$here/w/$1/.jotter" text && [[ $url != *[[:space:]]* ]] && cd "$here"
}
try 'the URL that is printed is that pad, from everywhere' each told_url

by_dir() {
    afresh "$1" && cd "$here/w" && jot init "$1" && ends 0 && echo text | "$JOTTER" --pad "${out#made }" write plan >/dev/null && lies_in "$1/.jotter" text &&
        jot init "$here/w/$1" && says 'there already' && cd "$here"
}
try 'init makes it in the directory that is named' each by_dir

by_option() {
    afresh "$1" && cd "$here/w" && jot --pad "./$1/p" write plan <<<text && ends 0 && lies_in "$1/p" text && jot --pad "$here/w/$1/p" read plan && is text &&
        jot --pad "$here//w/$1/p" read plan && is text && jot --pad "/$here/w/$1/p" read plan && is text && cd "$here"
}
try '--pad takes a path as it is' each by_option

by_variable() {
    afresh "$1" && cd "$here/w" && JOTTER_PAD=./$1/p jot write plan <<<text && ends 0 && lies_in "$1/p" text && JOTTER_PAD=$here/w/$1/p jot where &&
        says 'JOTTER_PAD says so' && JOTTER_PAD=$here/w/$1/p jot read plan && is text && cd "$here"
}
try 'so does JOTTER_PAD' each by_variable

by_home() {
    afresh "$1" && mkdir "$here/w/elsewhere" && cd "$here/w/elsewhere" && HOME=$here/w/$1 XDG_DATA_HOME='' jot write plan <<<text && ends 0 &&
        lies_in "$here/w/$1/.local/share/jotter/pad" text && XDG_DATA_HOME=$here/w/$1/.local/share jot read plan && is text &&
        XDG_DATA_HOME=/$here/w/$1/.local/share jot read plan && is text && cd "$here"
}
try 'the own pad of a user lies below a home of any name' each by_home

as_file() {
    afresh "$1" && cd "$here/w" && jot --pad "./$1/p" write plan <<<text && ends 0 && jot --pad "./$1/p" copy "./$1/q" && ends 0 &&
        jot --pad "./$1/q" read plan && is text && cd "$here/w/$1" && url=sqlite:$(python3 -c 'import os, sys, urllib.parse; print(urllib.parse.quote(os.getcwdb()))')/p.db &&
        jot --pad p copy "$url" && ends 0 && jot --pad ./p.db read plan && is text && jot --pad p.db where && says 'pad        sqlite:p.db' && [ -s p.db ] &&
        jot --pad p.db search text && says plan && cd "$here"
}
try 'a path of a file is a pad of SQLite, and copy takes paths too' each as_file

served() {
    afresh "$1" && cd .. && jot init && ends 0 && cd sub && "$JOTTER" mcp >.served <<'JSON' && lies_in "$here/w/$1/.jotter" text && cd "$here"
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"scratchpad_write","arguments":{"key":"plan","content":"text"}}}
JSON
}
try 'a server finds it' each served

agent() {
    afresh "$1" && cd .. && jot init && printf -- '- calls: [{id: a, name: scratchpad_write, args: {key: plan, content: text}}]\n- calls: [{id: b, name: write_file, args: {path: .jotter/notes/evil.txt, content: x}}]\n- text: done\n' >m.yaml &&
        jot run hi --model script:m.yaml --allow write && ends 0 && lies_in "$here/w/$1/.jotter" text && [ ! -e .jotter/notes/evil.txt ] && cd "$here"
}
try 'an agent writes into it, and is kept out of its files' each agent

safe() {
    afresh "$1"
    case $1 in *$'\n'*) cd "$here" && return 0 ;; esac
    jot safe add "$here/w/$1" && ends 0 && jot safe list && says "$here/w/$1" && jot safe remove "$here/w/$1" && ends 0 && cd "$here"
}
try 'the list of safe directories has paths as they are' each safe

url() { mkdir -p 'u/a b' && jot --pad files:u/a%20b write plan <<<text && ends 0 && [ -e 'u/a b/notes/plan.txt' ] && jot --pad 'files:u/x%' list && ends 64 && tells 'broken escape' && jot --pad 'files:u/x?y' list && ends 64 && tells "unknown parameter 'y'"; }
try 'what stands behind files: is a URL' url

word() {
    for what in '--pad nothing' '--pad A:b'; do jot $what list && ends 64 && tells 'a URL begins with a scheme' && tells 'put ./ in front' || return 1; done
    jot --pad '~/x' list && ends 64 && tells "only a shell expands '~'" && JOTTER_PAD='~' jot list && ends 64 && tells "only a shell" &&
        jot --pad x:y list && ends 78 && tells "no engine 'x'" && jot copy nothing && ends 64 && jot init x --pad files:y && ends 64 && tells 'give DIR or --pad, not both' &&
        jot init '' && ends 64 && [ ! -e nothing ] && [ ! -e '~' ] && [ ! -e x ] && [ ! -e y ]
}
try 'a word that is neither a URL nor a path is refused, and nothing is made' word

long() {
    local part dir=$here/long
    part=$(printf '%%%.0s' {1..200})
    for _ in {1..12}; do dir=$dir/$part; done
    mkdir -p "$dir" && cd "$dir" && jot init && ends 0 && echo text | "$JOTTER" write plan >/dev/null && [ "$(cat .jotter/notes/plan.txt)" = text ] && cd "$here"
}
try 'a path of 2,400 characters that all must be escaped is one too' long

plan
