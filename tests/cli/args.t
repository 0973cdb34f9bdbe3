#!/bin/bash
# args.t - what all commands have in common: options, help, the pad, JSON, exit codes.
. "$(dirname "$0")/lib.sh"

version() { jot --version && ends 0 && says 'jotter 0.'; }
try 'the version is one line' version

no_words() { jot && ends 64 && tells 'say a command' && tells 'usage: jotter COMMAND'; }
try 'without a command help goes to standard error' no_words

help_all() { jot help && ends 0 && says 'write KEY' && jot --help && ends 0 && says 'write KEY'; }
try 'help lists the commands' help_all

help_one() { jot help write && ends 0 && says 'usage: jotter write KEY' && jot write --help && ends 0 && says 'usage: jotter write KEY'; }
try 'help tells of one command' help_one

help_lines() {
    local words
    for words in '' write init where context lease 'lease run' log cycle; do
        # shellcheck disable=SC2086
        jot help $words && ends 0 && ! grep -nE ' $|^usage:.*  ' "$here/.out" || return 1
    done
    jot help && says "diff KEY [VERSION [VERSION]]
                           Print what changed" && says "'jotter help COMMAND' says more"
}
try 'help is laid out in two columns, without spaces at the ends' help_lines

help_wrong() { jot help nosuch write && ends 64 && tells "no command 'nosuch'" && jot help lease nosuch && tells "no command 'lease nosuch': see 'jotter help lease'"; }
try 'help names the word that is no command' help_wrong

unknown() { jot wirte plan && ends 64 && tells "no command 'wirte'"; }
try 'an unknown command is named' unknown

nearest() {
    jot wirte plan && ends 64 && tells "no command 'wirte': did you mean 'write'? see" && jot lease aquire x && tells "no command 'lease aquire': did you mean 'acquire'?" &&
        jot get plan && ends 64 && tells "no command 'get': did you mean 'read'?" && jot save x && tells "did you mean 'write'?" && jot list -l && ends 64 && tells 'begin with --: --long, --limit;' && jot list -z && tells 'begin with --; after' &&
        jot list --limt 3 && ends 64 && tells "no option '--limt': did you mean '--limit'?" && jot xyzzy && tells "no command 'xyzzy': see" && jot "$(printf %05000d 1)" && ends 64
}
try 'a command or option that is nearly right is told the right one' nearest

unknown_opt() { jot list --frobnicate && ends 64 && tells "no option '--frobnicate'"; }
try 'an unknown option is named' unknown_opt

no_value() { jot list --pad && ends 64 && tells '--pad needs a value, URL: files:DIR'; }
try 'an option without its value is named' no_value

empty_value() { # WORDS...
    jot "$@" <<<new && ends 64 && tells 'cannot be empty' || { echo "# $*"; return 1; }
}
no_condition() {
    echo '{"a": 1}' | "$JOTTER" --pad files:held artifact write c i >/dev/null && echo one | "$JOTTER" --pad files:held write plan >/dev/null || return 1
    export JOTTER_PAD=files:held
    empty_value artifact write c i --if-version '' && empty_value artifact delete c i --if-version= && empty_value write plan --lease '' &&
        empty_value --pad '' write plan && empty_value read plan --version '' && empty_value read plan --at '' &&
        empty_value restore plan '' && empty_value diff plan '' && empty_value line-log append c l --id '' && empty_value search one --by '' &&
        jot history plan && [ "$(wc -l <"$here/.out")" = 1 ] && jot artifact read c i && says 1 || return 1
    jot edit plan --old one --new '' && ends 0 && jot read plan && is ''
    local ended=$?
    unset JOTTER_PAD
    return $ended
}
try 'an option whose value is empty is refused, and a text may be empty' no_condition

no_name() {
    local what
    for what in 'cycle read' 'cycle explain' 'cycle diff' 'artifact list' 'line-log list' 'lease renew' 'lease release' 'task ready' setup mcp help; do
        # shellcheck disable=SC2086
        empty_value $what '' || return 1
    done
    jot run '' && ends 64 && jot list '' && ends 0 && is '' && tells '(empty)' && jot log new --pad files:held '' && ends 0 && jot log show --pad files:held '' && ends 64 && tells "invalid run ''"
}
try 'an argument that can be left out is not left out by being empty' no_name

too_many() {
    jot read a b && ends 64 && tells "no place for 'b': usage: jotter read KEY [OPTION ...] (print a note)" && jot where x && tells "no place for 'x': usage: jotter where (" &&
        jot checkpoint write run 'a text' && ends 64 && tells "no place for 'a text'" && tells 'jotter checkpoint write RUN [OPTION ...] ('
}
try 'an argument too many is named, with the usage and what the command does' too_many

too_often() {
    local many
    many=$(printf -- '--mcp touch\ started %.0s' {1..17})
    printf -- '- text: done\n' >m.yaml
    eval "jot run hi --model script:m.yaml $many" && ends 65 && tells '--mcp was given 17 times: an agent has at most 16' && [ ! -e started ] && [ ! -e data ] &&
        eval "jot cycle run --model script:m.yaml $many" && ends 65 && tells "--mcp was given 17 times"
    [ "$code" = 65 ] && [ ! -e started ] || return 1
    many=$(printf -- '--step s%d ' {1..33})
    jot plan create p goal $many && ends 65 && tells 'more than 32 options on one command line: the limit' && [ ! -e data ] || return 1
    many=$(printf -- '--needs s%d ' {1..33})
    jot task add t what $many && ends 65 && many=$(printf -- '--allow read%.0s ' {1..33}) && jot run hi $many && ends 65 && many=$(printf -- '-h %.0s' {1..33}) && jot read a $many && ends 65
}
try 'an option that is given too often is refused, not left out' too_often

too_few() { jot read && ends 64 && tells 'an argument is missing: usage: jotter read KEY (print a note)'; }
try 'an argument that is missing is told, with the usage' too_few

anywhere() {
    echo text | "$JOTTER" write plan --as bob --pad files:here >/dev/null &&
        jot --pad files:here history plan && says bob && jot history --pad=files:here plan && says bob
}
try 'options stand before or behind the command, with a space or an equals sign' anywhere

author() { # NAME COMMAND...
    local name=$1
    shift
    echo text | "$@" "$JOTTER" --pad files:authors write plan >.out 2>.err && jot --pad files:authors --json history plan --limit 1 && says "\"by\":\"$name\""
}
authors() {
    author bob env JOTTER_AS=bob && author ann env && author "$(id -un)" env -u USER && author "$(id -un)" env USER= && author "$(id -un)" env -i || return 1
    [ "$(id -u)" != 0 ] || { chmod -R a+rwX "$here" && author uid-54321 setpriv --reuid 54321 --clear-groups -- env -u USER; }
}
try 'who writes is the one that is named, the user, or the owner of the process' authors

dashes() { jot read -- --plan && ends 66 && tells 'scratchpad[--plan] not found'; }
try 'two dashes end the options' dashes

short() { jot -h && ends 0 && says 'write KEY' && jot write -h && ends 0 && says 'usage: jotter write KEY'; }
try '-h is --help' short

dashed() { jot list -l && ends 64 && tells "no option '-l'" && jot list -- -l && ends 0 && is '' && tells '(empty)'; }
try 'one dash begins no argument unless two stand before it' dashed

json_error() { jot read none --json && ends 66 && says '"status":"not_found"' && says '"error":'; }
try 'with --json a failure is JSON on standard output' json_error

habits() {
    local JOTTER_PAD=files:habits
    export JOTTER_PAD
    jot add auth-todo 'look' && ends 0 && jot ls && is auth-todo && jot cat auth-todo && is look && jot show auth-todo && is look &&
        jot mv auth-todo auth-done && jot cat auth-dnoe && ends 66 && tells "did you mean 'auth-done'?" &&
        jot rm auth-done && jot ls && is '' && jot cat nosuch && ends 66 && [ "$(wc -l <<<"$err")" = 1 ]
}
try 'words of habit are understood, and a mistyped key names the nearest' habits

version() {
    local expected
    expected=$("$JOTTER" --version)
    for word in version -v -V; do jot $word && is "$expected" || return 1; done
}
try 'every spelling of version is one' version

own() {
    HOME=$here/own XDG_DATA_HOME=$here/own/data "$JOTTER" write first x >.out 2>.err
    heard && tells "this makes your own pad, files:$here/own/data/jotter/pad" || return 1
    HOME=$here/own XDG_DATA_HOME=$here/own/data "$JOTTER" write second x >.out 2>.err
    heard && [ -z "$err" ]
}
try 'the first write to the own pad says where that is' own

plan
