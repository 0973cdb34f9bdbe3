#!/bin/bash
# first_hour.t - the first hour of somebody who has just installed it: the README as it is typed, and
# what they try next, in a fresh HOME, as an ordinary user, at a terminal and in pipes.
#
# Run by root, all of it is done as the user 65534, whom nothing belongs to.
cases=$(realpath "$(dirname "$0")")
source=$(realpath "$cases/../..")
readme=$source/README.md
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo '1..0 # SKIP there is no python3'; exit 0; }
chmod 711 "$here"
mkdir yard bin && cp "$JOTTER" bin/jotter && cp "$cases/person.py" bin/ && chmod 755 bin bin/*
sed -n '/^## Sixty seconds/,/^## For agents/p' "$readme" | sed -n 's/^    \$ //p' >sixty && chmod 644 sixty
as_user=()
if [ "$(id -u)" = 0 ]; then
    chown 65534:65534 yard
    as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups --)
fi

# fresh: a directory and a HOME that have nothing in them, and the environment of a login.
fresh() { "${as_user[@]}" rm -rf "$here/yard/w" && "${as_user[@]}" mkdir -p "$here/yard/w/home/project"; }
# user SCRIPT: as they would type it, in their project; out, err and code are set.
user() {
    (cd yard/w/home/project && exec "${as_user[@]}" env -i PATH="$here/bin:/usr/bin:/bin" HOME="$here/yard/w/home" USER=ann TERM=xterm LC_ALL=C.UTF-8 \
        ${DATA:+JOTTER_PAD=$DATA} bash -c "$1") >"$here/.out" 2>"$here/.err" </dev/null
    code=$?
    heard
}
# person SCRIPT: the same at a terminal of 80 columns; what is shown is in out.
person() { user "python3 $here/bin/person.py -- /bin/bash -c '$1'"; }
own() { [ -e "yard/w/home/.local/share/jotter/pad" ]; }

sixty() {
    fresh && [ "$(wc -l <sixty)" -ge 10 ] || return 1
    # A conflict is part of the story: it ends with 75.
    sed 's/ *#.*//; /--if-version/s/$/ || [ $? = 75 ]/' sixty >typed && chmod 644 typed
    user "set -e; . $here/typed" && ends 0 && says 'ship on monday' && says '**ship** on' && says 'jotter-notes' && says outside && ! own
}
try 'the sixty seconds of the README work as they are typed, in any directory' sixty

clock() {
    local start now
    fresh
    start=$(date +%s%N)
    user 'jotter init && jotter write plan "ship on friday" && jotter search shipping' && ends 0 && says '**ship**' || return 1
    now=$(date +%s%N)
    echo "# from an installed program to the first search: $(((now - start) / 1000000)) ms"
}
try 'the first search finds what was written first' clock

# What somebody waits for who has a clone and a compiler.  It builds everything that is installed, which
# make test has no time for: make soak does it (JOT_TEST_WHOLE).
from_a_clone() {
    local start now home=$here/yard/w/home
    fresh && git clone -q "$source" yard/w/home/clone || return 1
    [ "$(id -u)" != 0 ] || chown -R 65534:65534 yard/w/home/clone
    start=$(date +%s)
    user 'cd ../clone && make install PREFIX=~/.local' && ends 0 && says "installed $home/.local/bin/jotter" && says "but 'jotter' is $here/bin/jotter in your PATH: put $home/.local/bin before it" || return 1
    user 'export PATH=~/.local/bin:$PATH && jotter init && jotter write plan "ship on friday" && jotter search shipping' && ends 0 && says '**ship**' || return 1
    now=$(date +%s)
    echo "first-hour: $((now - start)) s from a clone to the first search"
    user 'cd ../clone && make uninstall' && ends 0 && [ -z "$(find "$home/.local" -type f -o -type l | grep -v /state/)" ]
}
[ -z "${JOT_TEST_WHOLE-}" ] || try 'from a clone, make install and a search work for an ordinary user' from_a_clone

before_anything() {
    fresh
    user 'for k in $(jotter list); do echo "key $k"; done; jotter list' && ends 0 && is '' && tells 'there is no pad yet' && tells '(empty)' && user 'jotter status' && ends 0 && says 'not there yet' &&
        user 'jotter history' && ends 0 && is '' && user 'jotter context' && ends 0 && is '' && user 'jotter search x' && ! own &&
        user 'jotter list --json' && is '{"notes":[],"more":false}' && [ -z "$err" ]
}
try 'before the first write the own pad is empty, in words on standard error' before_anything

first_write() {
    user 'echo text | jotter write plan' && ends 0 && tells "this makes your own pad, files:$here/yard/w/home/.local/share/jotter/pad" && own && user 'echo more | jotter append plan' && [ -z "$err" ]
}
try 'the first write to the own pad says so, once, with its path' first_write

named() {
    fresh
    user 'jotter --pad week.db list' && ends 66 && user 'echo x | jotter --pad week.db write plan' && ends 0 && user 'jotter --pad week.db list' && is plan && user 'head -c 6 week.db' && is SQLite &&
        DATA=.jotter user 'jotter list' && ends 66 && tells 'there is no pad' && DATA=.jotter user 'echo x | jotter write plan && jotter list' && says plan && ! own &&
        user 'jotter --pad nonsense list' && ends 64 && user 'jotter --pad notes/here.sqlite list' && ends 66 && tells 'here.sqlite'
}
try 'a plain path is a pad; one that was named and is not there is an error' named

habits() {
    fresh
    user 'jotter init && jotter add plan one && jotter add plan two && jotter ls && jotter cat plan && jotter show plan && jotter mv plan later && jotter rm later && jotter undo later && jotter -v && jotter version && jotter -V' && ends 0 && says two || return 1
    user 'jotter -h' && ends 0 && says 'Keep and find' && user 'jotter read latr' && ends 66 && tells "did you mean 'later'" && user 'jotter read later --at yesterday' && ends 66 && tells 'no version as old as' &&
        user 'jotter write later three && jotter read later --version ~1' && ends 0 && says two
}
try 'words of habit do what they do elsewhere' habits

mistaken() {
    fresh
    user 'jotter init && jotter write plan one && jotter find one' && ends 64 && tells "did you mean 'search'" && user 'jotter list -l' && ends 64 && tells '--long' && user 'jotter setup claude' && tells "did you mean 'claude-code'" &&
        user 'jotter --pad . list' && ends 66 && tells 'there is one in .jotter below it' && user 'jotter run --resume nosuch' && ends 66 && tells "run 'nosuch' not found" &&
        user 'jotter lease renew 999' && ends 76 && tells 'there never was a lease 999' && user 'jotter lease acquire plan && jotter lease release 1 && jotter lease renew 1' && ends 76 && tells 'lease 1 has ended' && user 'jotter read plan --lines 5:6' && says 'there is only 1 line' && user 'jotter task add t x --needs nosuch' && ends 64 && tells 'later: --later' && user 'jotter search nothing' && ends 0 && is '' && tells '(nothing found)'
}
try 'what is mistaken is answered with what is meant' mistaken

back() {
    fresh
    user 'jotter init && mkdir -p .jotter/notes && echo one >.jotter/notes/plan.txt && touch -d "3 days ago" .jotter/notes/plan.txt && jotter read plan && jotter write plan two && jotter diff plan yesterday && jotter diff plan 1d today && jotter diff plan 7d' &&
        ends 66 && says '-one' && says '+two' && tells 'no version as old as' &&
        user 'jotter undo plan && jotter diff plan && jotter redo plan && jotter read plan && v=$(jotter history plan --json | grep -o "\"version\":\"[0-9a-f]*" | tail -n 1 | cut -c 12-18) && echo "short $v" && jotter read plan --version $v' &&
        ends 0 && says '-two' && says '+one' && says 'short '
}
try 'undo, diff, redo, and a version by seven digits' back

tasks() {
    fresh
    user 'jotter init && jotter task add "fix the login" --priority 2 && jotter task add "write the docs" && jotter task next && jotter --as bob task start fix-the-login' && ends 75 && tells "'ann' has it" && says 'fix-the-login' &&
        user 'jotter --as bob task next && jotter task list --mine' && ends 0 && says 'write-the-docs' && says 'running  2  fix-the-login  ann' && user 'jotter task edit write-the-docs --priority 7 && jotter task cancel write-the-docs nope --manual && jotter status' && ends 0 &&
        says 'task fix-the-login'
}
try 'tasks are added, taken, edited, cancelled and listed' tasks

terminal() {
    fresh
    user 'jotter init && jotter task add "fix the login" && seq 100 | jotter write long' && ends 0 && person 'jotter task list' && ends 0 && says 'state' && says 'description' && says ' s ago' &&
        person 'JOTTER_PAGER="tail -n 1" jotter read long' && is 100 && person 'jotter history' && says 'ago' && person 'jotter history --utc' && says 'Z  ' && person 'jotter list nothing' && says '(empty)'
}
try 'at a terminal there are heads, times that people read, and a pager' terminal

happened() {
    fresh
    user 'jotter init && jotter --as bob write plan "step one" && jotter write findings "the key is in the vault" && jotter task add t1 "do it" && jotter context --budget 100' && ends 0 && says 'jotter-' && user 'jotter context --query vault' && says 'the key is in the vault' && says 't1' &&
        user 'jotter history --since 1d --by bob' && says plan && user 'jotter history --kind tasks' && says 't1' && user 'jotter list --recent --long' && says 'step one' && user 'jotter status' && says 'last changes'
}
try 'a session begins with what matters, and what happened is seen' happened

plan
