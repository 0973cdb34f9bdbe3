#!/bin/bash
# help.t - help: groups, topics, an example for every command that reads as the program would read
# it, the manual page, the demonstration.
. "$(dirname "$0")/lib.sh"

grouped() { jot help && ends 0 && says 'Keep and find' && says 'Share work' && says 'With every command' && jot --help && says 'Look back'; }
try 'help is grouped by what people do' grouped

topics() {
    local topic
    for topic in pads versions times leases budgets; do
        jot help && says "$topic" && jot help $topic && ends 0 && [ "${#out}" -gt 300 ] && jot help $topic --json && says '{"help":"' || { echo "# $topic"; return 1; }
    done
    jot help nonsense && ends 64 && tells "no command 'nonsense'"
}
try 'there is help about pads, versions, times, leases and budgets' topics

# The commands, each with its words, as completion has them.
walk() {
    local word below
    case $* in help | setup | completion) return ;; esac
    for word in $("$JOTTER" --pad files:nowhere complete -- "$@" ''); do
        below=$(walk "$@" "$word")
        [ -n "$below" ] && printf '%s\n' "$below" || echo "$@" "$word"
    done
}
shown() {
    local line ok=0
    walk | sed 's/^ *//' >commands
    [ "$(wc -l <commands)" -gt 100 ] || return 1
    grep ' ' commands | sed 's/ [^ ]*$//' | sort -u >nouns && [ "$(wc -l <nouns)" -gt 10 ] && cat nouns >>commands
    while read -r line; do
        "$JOTTER" help $line | sed -n '/^examples:/,$s/^  //p' >>examples
        "$JOTTER" help $line | grep -q "^  .*jotter ${line%% *}" || { echo "# no example: $line"; ok=1; }
    done <commands
    return $ok
}
try 'every command, and every noun, has an example on its page' shown

# With --help behind it a line is read and nothing is done; what stands behind three spaces is a word
# about it.  A command in a pipe or a substitution is the last on its line.
read_it() {
    local line part ok=0
    while read -r line; do
        part=$(printf '%s' "$line" | sed 's/   .*//; s/.*\(jotter [a-z]\)/\1/; s/ >>.*//; s/)$//; s/; done$//; s/ -- .*//; s/ --json//')
        eval "set -- ${part#jotter }"
        "$JOTTER" "$@" --help >.page 2>.told && grep -q '^usage: jotter' .page || { echo "# $line"; sed 's/^/# /' .told; ok=1; }
    done <examples
    return $ok
}
id=1 token=1 k=plan
try 'every example has options and commands that there are' read_it

man() {
    local section
    jot help --man && for section in OPTIONS COMMANDS 'EXIT STATUS' ENVIRONMENT FILES EXAMPLES; do says ".SH $section" || return 1; done
    for section in ANTHROPIC_AUTH_TOKEN JOTTER_API_KEY_FILE OPENAI_BASE_URL XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME AWS_PROFILE TZ models.yaml; do says "$section" || return 1; done
    says 'JOTTER_PAGER' && says "jotter task add 'fix the login page'"
}
try 'the manual page has examples, files, environment and exit status' man

demo() {
    mkdir tmp && TMPDIR=$here/tmp jot demo && ends 0 && says '$ jotter init' && says 'ship on monday' && says '**ship**' && [ -z "$(ls -A tmp)" ] && [ ! -e .jotter ] && [ ! -e data ] || return 1
    TMPDIR=$here/tmp jot demo --json && ends 0 && says '{"line":"jotter undo plan","exit_code":0}' && says '"exit_code":75' && [ "$(printf '%s' "$out" | grep -c .)" = 1 ]
}
try 'the demonstration runs on a pad of its own, removes it, and its only refusal is the conflict' demo

values() {
    jot write plan one && jot write plan two && v=$(printf %s "$out" | sed -n 's/^version //p') && jot complete -- diff plan '' && says "$v" && [ "$(printf '%s\n' "$out" | wc -l)" = 2 ] &&
        jot complete -- read plan --version "${v:0:7}" && is "$v" && jot complete -- restore plan "${v:0:2}" && is "$v" && jot complete -- history --kind no && is notes &&
        jot complete -- history --since y && is yesterday && jot complete -- mcp --tools artifacts,ru && is artifacts,runs && jot complete -- list --after p && is plan &&
        jot complete -- task add x --needs '' && is '' && jot complete -- help versi && is versions
}
try 'values of options are completed, and versions behind diff' values

plan
