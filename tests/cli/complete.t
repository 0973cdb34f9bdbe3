#!/bin/bash
# complete.t - completion and the manual page, both made from the tables of the commands.
agent_page=$(realpath "$(dirname "$0")/../../docs/agent.md")
. "$(dirname "$0")/lib.sh"
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

no_pad() { jot complete -- --pad x read pl --pad files:/nowhere/at/all && ends 0; }
try 'without a pad nothing is offered and nothing fails' no_pad

in_bash() {
    out=$(PATH=$(dirname "$JOTTER"):$PATH bash -c 'source <(jotter completion bash)
        COMP_WORDS=(jotter read plo) COMP_CWORD=2; _jotter; echo "${COMPREPLY[@]}"')
    is plot
}
try 'bash completes with the script' in_bash

shells() { for shell in bash zsh fish; do jot completion $shell && says 'jotter complete' || return 1; done; }
try 'there is a script for bash, zsh and fish' shells

other() { jot completion csh && ends 64 && tells 'use bash, zsh or fish'; }
try 'another shell is refused by name' other

man() { jot help --man && says '.TH JOTTER 1' && says 'jotter write KEY' && says '\-\-json' && says not_found && says JOTTER_LEASE && says JOTTER_MODEL; }
try 'the manual page has every command, option and exit status' man

plan
