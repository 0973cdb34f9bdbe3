#!/bin/bash
# context.t - what a model is shown: the same bytes from every process, within a budget.
. "$(dirname "$0")/lib.sh"

each() {
    for JOTTER_PAD in files:pad sqlite:pad.db; do
        export JOTTER_PAD
        "$@" || { echo "# on $JOTTER_PAD"; return 1; }
    done
}

# Once a pad: filling it is a hundred commands.
fill() {
    local kept=run.${JOTTER_PAD%%:*}
    [ ! -e "$kept" ] || { run=$(cat "$kept") && return; }
    echo 'be terse' | "$JOTTER" write persistent-rules >/dev/null
    echo 'ship on friday' | "$JOTTER" write pinned-plan >/dev/null
    run=$("$JOTTER" log new 'how many?')
    more 1 40
    echo "$run" >"$kept"
}
more() {
    for i in $(seq "$1" "$2"); do
        "$JOTTER" log add "$run" call --call "c$i" --tool search --args "{\"query\":\"thing $i\"}" >/dev/null 2>&1
        "$JOTTER" log add "$run" result --call "c$i" "found $i, and a few more words about it" >/dev/null
    done
}

same() {
    fill
    "$JOTTER" context --run "$run" --budget 1500 >one && "$JOTTER" --as bob context --budget 1500 --run last >two &&
        cmp one two && [ -s one ]
}
try 'two processes print the same bytes' each same

left() {
    fill
    jot context --run "$run" --budget 1000 && says 'be terse' && says 'ship on friday' && says 'found 40,' &&
        says 'masked: search(query=thing' && says ', left out' && says "jotter runs results $run --from N --to N" &&
        jot context --run "$run" --budget 1000 --tools && says "results: run_results run=$run from=N to=N" &&
        jot context --run "$run" --budget 1000 --json && says '"why":"left out","from":1,'
}
try 'what was left out is listed with how to get it' each left

prefix() {
    fill
    "$JOTTER" context --run "$run" --budget 1500 >one
    jot context --run "$run" --budget 1500 --json
    n=$(printf %s "$out" | sed 's/.*"prefix_bytes":\([0-9]*\).*/\1/') && [ "$n" -gt 100 ] && more 41 50 &&
        "$JOTTER" context --run "$run" --budget 1500 >after && head -c "$n" one >a && head -c "$n" after >b &&
        cmp a b && ! cmp -s one after
}
try 'ten more results leave the prefix as it is' each prefix

rules() {
    printf 'no tabs\n' >RULES.md && jot context --rules RULES.md && says 'no tabs' &&
        jot context --rules none.md && ends 66
}
try 'standing rules may come from a file' each rules

wrong() {
    jot context --budget 10 && ends 64 && tells 'use a number from 100 ' && jot context --run nope && ends 66 &&
        tells "run 'nope' not found"
}
try 'what is wrong is said' each wrong

overview() {
    "$JOTTER" --pad files:fresh init >/dev/null && jot --pad files:fresh context && ends 0 && is '' && tells 'the pad is empty' &&
        printf '# The heading\n\ntext of it\n' | "$JOTTER" --pad files:fresh write other >/dev/null &&
        jot --pad files:fresh context && says '<jotter-notes ' && says ', ann: The heading' && says 'text of it' &&
        jot --pad files:fresh context --budget 100 && ends 0 && says 'jotter list' &&
        seq 2000 | "$JOTTER" --pad files:fresh write long >/dev/null && jot --pad files:fresh context --budget 900 &&
        says '- 2 notes, not in full: jotter list' &&
        jot --pad files:fresh context --budget 900 --json && says '"count":2' && says '"what":"notes"'
}
try 'a pad with notes shows them, as many as fit, and says which do not' overview

asked() {
    echo 'the valve is in the cupboard' | "$JOTTER" --pad files:asked write valve >/dev/null &&
        jot --pad files:asked context --budget 2000 --query 'where is the valve' && ends 0 &&
        says '<jotter-evidence ' && says 'query="where is the valve"' && says '| the valve is in the cupboard' &&
        jot --pad files:asked context --query zebra && ends 0 && says '(nothing found)'
}
try 'a question is answered with what the pad says to it' asked

small() {
    local n words
    words=$(printf 'word %.0s' $(seq 60))
    "$JOTTER" --pad files:small write pinned-style "tabs, not spaces $words" >/dev/null 2>&1 || return 1
    jot --pad files:small context --budget 110 && says '1 more pinned note: jotter list pinned-' || return 1
    "$JOTTER" --pad files:small write persistent-rules "in French $words" >/dev/null 2>&1 || return 1
    for n in 1 2 3 4 5; do "$JOTTER" --pad files:small write "note$n" "text $n $words" >/dev/null || return 1; done
    echo 'the valve is in the cupboard' | "$JOTTER" --pad files:small write old >/dev/null && "$JOTTER" --pad files:small write note6 "the newest $words" >/dev/null &&
        jot --pad files:small context --budget 200 && ends 0 && says '2 more pinned notes: jotter list pinned-' && says '7 notes, not in full: jotter list' && [ -z "$err" ] &&
        jot --pad files:small context --budget 200 --json && says '"not_approved":0' && jot --pad files:small context --budget 600 --query 'where is the valve' && ends 0 && says '| the valve is in the cupboard'
}
try 'in a small budget what was asked for comes first, and nothing is said of notes that are not shown' small

# Whatever a pad has, and however little room there is, something of it is said, and the budget is kept.
others() {
    local pad=files:others n
    fill_with() { rm -rf others && "$JOTTER" --pad $pad "$@" >/dev/null 2>&1 && each_budget; }
    each_budget() {
        for n in 100 101 110 130 150 200 300 500 1000; do
            jot --pad $pad context --budget $n && ends 0 && [ -z "$err" ] && says '- ' && jot --pad $pad context --budget $n --json &&
                printf %s "$out" | python3 -c 'import json, sys; a = json.load(sys.stdin); sys.exit(a["tokens"] > a["budget"])' || { remark "$n: $out"; return 1; }
        done
    }
    fill_with artifact write reports r1 <<<'{"a": 1}' && fill_with line-log append build out line && fill_with checkpoint write work <<<state && fill_with task add t1 text &&
        "$JOTTER" --pad $pad task start t1 >/dev/null && "$JOTTER" --pad $pad task done t1 >/dev/null && each_budget && rm -rf others &&
        printf '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"Bob","entityType":"person","observations":["likes tea"]}]}}}\n' |
        "$JOTTER" --pad $pad mcp --tools graph >/dev/null && each_budget && jot --pad $pad status && says 'entities and relations: 1' && jot --pad $pad history && says 'made     graph/entities/'
}
try 'a pad without notes is not called empty, at any budget' others

plan
