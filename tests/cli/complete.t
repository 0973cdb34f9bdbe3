#!/bin/bash
# complete.t - completion and the manual page, both made from the tables of the commands.
agent_page=$(realpath "$(dirname "$0")/../../docs/agent.md")
cases=$(cd "$(dirname "$0")" && pwd)
. "$cases/lib.sh"
mkdir .jotter
for key in plan plot other; do echo text | "$JOTTER" write $key >/dev/null; done

commands() { jot complete -- wr && is write; }
try 'a command is completed' commands

all() { jot complete -- '' && says write && says help && jot complete -- comple && is completion; }
try 'all commands are offered, but not the one that offers them' all

options() { jot complete -- read --js && is --json; }
try 'an option is completed' options

keys() { jot complete -- read pl && is 'plan
plot'; }
try 'a key is completed from the pad' keys

behind() { jot complete -- --as bob read ot && is other; }
try 'options before the command are passed over' behind

value() { jot complete -- read --pad '' && ends 0 && is ''; }
try 'the value of an option is left to the shell' value

words() { jot complete -- run --allow netw && is network && jot complete -- run --deny plant:.vsc && says plant:.vscode; }
try 'the words of a policy are completed' words

documented() {
    jot complete -- run --allow plant: && says plant:AGENTS.md || return 1
    for word in $(sed 's/^plant://' <<<"$out"); do
        grep -qF "\`$word\`" "$agent_page" || { echo "not in agent.md: $word" && return 1; }
    done
}
try 'every name that is kept from writing is in agent.md' documented

no_pad() {
    jot complete -- --pad files:nowhere read '' && ends 0 && is '' && jot complete -- --pad '$UNSET' read '' && is '' && jot complete -- --pad nothing read '' && is '' &&
        JOTTER_PAD=files:nowhere jot complete -- read '' && ends 0 && is '' && [ ! -e nowhere ]
}
try 'without a pad nothing is offered and nothing fails' no_pad

mkdir 'b b' 'Fix me'
echo text | "$JOTTER" --pad './b b' write other-pad >/dev/null
for task in 'Fix login bug' '*' 'Fix "it" now'; do "$JOTTER" --pad './b b' task add "$task" 'what to do' >/dev/null; done

named_pad() {
    jot complete -- --pad './b b' read o && is other-pad && jot complete -- --pad='./b b' read o && is other-pad && jot complete -- read --pad files:b%20b o && is other-pad &&
        jot --pad './b b' complete -- read o && is other-pad && jot --pad files:nowhere complete -- --pad './b b' read o && is other-pad &&
        jot complete -- --as bob --json --pad "$here/b b" read '' && is other-pad && jot complete -- --pad '~/b b' read '' && is other-pad
}
try 'names come from the pad that the line names' named_pad

behind_dashes() { jot complete -- read -- pla && is plan && jot complete -- read -- --js && is ''; }
try 'behind -- stands no option' behind_dashes

words_of() {
    jot complete -- help leas && is 'lease
leases' && jot complete -- help ver && is 'verify
versions' && jot complete -- help lease acq && is acquire && jot complete -- help read '' && is '' && jot complete -- help help '' && is '' && jot complete -- setup claude && is claude-code &&
        jot complete -- completion '' && is 'bash
zsh
fish'
}
try 'commands behind help, clients and shells are completed' words_of

values() {
    (
        export JOTTER_PAD=files:values
        echo '{}' | "$JOTTER" artifact write reports/x r1 && echo '{}' | "$JOTTER" artifact write reports/x r2 && "$JOTTER" line-log append events l1 line && echo s | "$JOTTER" checkpoint write work &&
            "$JOTTER" cycle init goal && echo r | "$JOTTER" sink write call --tool t && "$JOTTER" task add t1 x
    ) >/dev/null || return 1
    local line want
    while IFS='|' read -r line want; do
        jot complete --pad files:values -- $line '' && is "$(printf '%s\n' $want)" || return 1
    done <<'LINES'
artifact list|reports/x tool_results
artifact read reports/x|r1 r2
line-log read|events
line-log read events|l1
checkpoint read|work
cycle read|
sink read|call
task read|t1
artifact find --task|t1
context --agent|default
run --effort|none minimal low medium high xhigh max
run --protocol|native json
export x --layout|notes artifacts runs cycles graph
memory-tool --dialect|documented typescript python
LINES
}
try 'values of options and names of each noun are completed' values

# What bash hands over: the line up to the cursor, and where it cuts words.
breaks=$' \t\n"\'><=;|&(:'
line() { jot complete "--breaks=$breaks" "--line=$1"; }
from_line() {
    line 'jotter --pad files:b%20b read o' && is other-pad && line 'jotter --pad=files:b%20b read o' && is other-pad && line 'jotter --pad "./b b" read o' && is other-pad &&
        line "jotter --pad './b b' read o" && is other-pad && line 'jotter --pad ./b\ b read o' && is other-pad && line 'jotter --pad="./b b" read ' && is other-pad &&
        line 'jotter --pad "./b b" task start ' && is '\*
Fix\ \"it\"\ now
Fix\ login\ bug' && line 'jotter --pad "./b b" task start Fix\ l' && is 'Fix\ login\ bug' && line 'jotter --pad "./b b" task start "Fix ' && is 'Fix \"it\" now
Fix login bug' && line "jotter --pad './b b' task start 'Fix l" && is 'Fix login bug' && line 'jotter read pl' && is 'plan
plot' && line 'jotter wr' && is write && line 'jotter  run  --allow=' && is ''
}
try 'the line of bash is read as bash will, and answers can be typed there' from_line

long_line() { line "jotter $(printf 'x %.0s' {1..200})" && ends 0 && is '' && line '' && ends 0 && line 'jotter "' && ends 0 && line "jotter 'a\\" && ends 0; }
try 'a line of any shape is no fault' long_line

# --- Real shells ------------------------------------------------------------------------------

# A person types a task's beginning and TAB, then Enter: the task with spaces is started, and only it.
person() { python3 "$cases/person.py" "$@" >.seen 2>&1 || :; }
started() {
    jot --pad './b b' task list --json && [ "$(python3 -c 'import json, sys; print(*[t["task_id"] for t in json.load(sys.stdin)["tasks"] if t["status"] == "running"])' <<<"$out")" = "$1" ] ||
        { sed 's/^/# seen: /' .seen; return 1; }
}
again() { rm -rf 'b b' && mkdir 'b b' && for task in 'Fix login bug' '*'; do "$JOTTER" --pad './b b' task add "$task" 'what to do' >/dev/null && "$JOTTER" --pad './b b' task ready "$task" >/dev/null; done; }
mkdir -p bin site fish && ln -sf "$JOTTER" bin/jotter
export PATH=$here/bin:$PATH TERM=xterm

in_bash() {
    again && printf 'PS1="rea""dy> "\nsource <(jotter completion bash)\nbind "set enable-bracketed-paste off"\n' >bashrc &&
        person 'ready>' 'jotter --pad "./b b" task start Fix\t' bug '\n' 'ready>' 'exit\n' -- "$(command -v bash)" --noprofile --rcfile bashrc -i && started 'Fix login bug' || return 1
    again && person 'ready>' 'jotter --pad=files:b%20b task start "Fi\t' bug '\n' 'ready>' 'exit\n' -- "$(command -v bash)" --noprofile --rcfile bashrc -i && started 'Fix login bug' || return 1
    again && person 'ready>' 'jotter --pad files:b%20b task start \\*\t' '* ' '\n' 'ready>' 'exit\n' -- "$(command -v bash)" --noprofile --rcfile bashrc -i && started '*'
}
try 'bash completes from the pad on its line, quotes, and expands nothing' in_bash

in_zsh() {
    again && "$JOTTER" completion zsh >site/_jotter && printf 'PS1="rea""dy> "\nfpath=(%s/site $fpath)\nautoload -Uz compinit && compinit -u -D\n' "$here" >.zshrc &&
        ZDOTDIR=$here person 'ready>' 'jotter --pad "./b b" task start Fi\t' bug '\n' 'ready>' 'exit\n' -- "$(command -v zsh)" -i && started 'Fix login bug' || return 1
    again && printf 'PS1="rea""dy> "\nautoload -Uz compinit && compinit -u -D\nsource <(jotter completion zsh)\n' >.zshrc &&
        ZDOTDIR=$here person 'ready>' 'jotter --pad=files:b%20b task start Fix\\ l\t' bug '\n' 'ready>' 'exit\n' -- "$(command -v zsh)" -i && started 'Fix login bug'
}
in_fish() {
    again && mkdir -p "$XDG_CONFIG_HOME/fish" && printf 'function fish_prompt; echo "rea""dy> "; end\nfunction fish_greeting; end\njotter completion fish | source\n' >"$XDG_CONFIG_HOME/fish/config.fish" &&
        person 'ready>' 'jotter --pad "./b b" task start Fi\t' bug '\n' 'ready>' 'exit\n' -- "$(command -v fish)" -i && started 'Fix login bug' || return 1
    echo x >some-file.jotter && "$(command -v fish)" -c 'complete -C "jotter import some-f"' >.out && out=$(cat .out) && says some-file.jotter
}
for shell in zsh fish; do
    if command -v $shell >/dev/null; then
        [ $shell = zsh ] && sentence='zsh completes at the first TAB, and quotes' || sentence='fish completes, quotes, and offers files where there is no name'
        try "$sentence" in_$shell
    else
        count=$((count + 1))
        echo "ok $count - $shell completes # SKIP there is no $shell here"
    fi
done

shells() { for shell in bash zsh fish; do jot completion $shell && says 'jotter complete' || return 1; done; }
try 'there is a script for bash, zsh and fish' shells

other() { jot completion csh && ends 64 && tells 'use bash, zsh or fish'; }
try 'another shell is refused by name' other

man() { jot help --man && says '.TH JOTTER 1' && says 'jotter write KEY' && says '\-\-json' && says not_found && says JOTTER_LEASE && says JOTTER_MODEL; }
try 'the manual page has every command, option and exit status' man

plan
