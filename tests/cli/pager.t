#!/bin/bash
# pager.t - what is longer than the screen goes through a pager, where a person reads it.
cases=$(realpath "$(dirname "$0")")
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo '1..0 # SKIP there is no python3'; exit 0; }
export TERM=xterm NO_COLOR=1 JOTTER_PAGER='sed s/^/paged:/' JOTTER_PAD=files:pad
unset CI CLAUDECODE CODEX_SANDBOX CURSOR_AGENT GEMINI_CLI PAGER LINES COLUMNS
seq 1 100 | "$JOTTER" write long >/dev/null
seq 1 5 | "$JOTTER" write short >/dev/null

# person WORDS...: at a terminal of 24 lines and 80 columns; what was shown is in .shown.
person() { python3 "$cases/person.py" -- "$JOTTER" "$@" >.shown 2>&1; }
paged() { grep -q '^paged:' .shown; }
whole() { ! paged && grep -qx "$1" .shown; }

long() { person read long && paged && grep -qx 'paged:100' .shown; }
try 'what is longer than the screen goes through the pager, all of it' long

short() { person read short && whole 5; }
try 'what fits on the screen is printed as it is' short

by_name() {
    JOTTER_PAGER= person read long && whole 100 && JOTTER_PAGER=cat person read long && whole 100 && (unset JOTTER_PAGER && PAGER='sed s/^/paged:/' person read long && paged) &&
        JOTTER_PAGER=no-such-pager person read long && grep -qx 100 .shown
}
try 'the pager is JOTTER_PAGER, else PAGER; none if that is empty, cat or not there' by_name

never() {
    person read long --no-pager && whole 100 && person read long --json && ! paged && CI=1 person read long && whole 100 && CLAUDECODE=1 person read long && whole 100 && TERM=dumb person read long && whole 100
}
try 'there is no pager with --no-pager, --json, in CI, under an agent, on a dumb terminal' never

pipes() { "$JOTTER" read long | tail -n 1 | grep -qx 100 && "$JOTTER" read long >file </dev/null && ! grep -q paged file; }
try 'there is no pager in a pipe' pipes

left() { JOTTER_PAGER='head -n 1' person read long && grep -qx 1 .shown && ! grep -qx 50 .shown; }
try 'a pager that is left before the end is no fault' left

fails() { person read none; [ $? = 66 ] && grep -q "no 'none'\|not found" .shown; }
try 'a failure ends with its own exit code' fails

narrow() {
    "$JOTTER" task add wide "$(printf 'word %.0s' $(seq 40))" >/dev/null && person task list && grep -q '^state .*description' .shown && grep -q ' \.\.\.$' .shown &&
        ! grep -q '.\{81\}' .shown && "$JOTTER" task list | grep -q '.\{120\}' && ! "$JOTTER" task list | grep -q '^state'
}
try 'on a terminal a table has heads and keeps to its width; in a pipe neither' narrow

wide() {
    "$JOTTER" task add cjk '数据库备份数据库备份数据库备份数据库备份数据库备份数据库备份数据库备份' >/dev/null && "$JOTTER" write 'list' '数据库备份' >/dev/null && person task list && grep -q '备 \.\.\.$\|份 \.\.\.$\|据 \.\.\.$\|库 \.\.\.$\|数 \.\.\.$' .shown || return 1
    # A character of East Asia takes two columns: none of the lines is wider than the screen.
    python3 -c 'import sys, unicodedata
widths = [sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line.rstrip("\n")) for line in open(sys.argv[1])]
sys.exit(max(widths) > 80)' .shown && person list --long && grep -q '^version .*key .*first line' .shown
}
try 'characters that take two columns are counted so' wide

heads() {
    person history && grep -q '^when .*who .*what' .shown && person history short && grep -q '^ *seq  when .*version .*who' .shown && ! "$JOTTER" history short | grep -q '^ *seq' &&
        ! "$JOTTER" history | grep -q '^when' && person blame short && grep -q ' s ago\| min ago' .shown && person search 5 && grep -q ' ago' .shown && person stats && grep -q ' ago' .shown &&
        "$JOTTER" runs begin 'a question' >/dev/null && person runs && grep -q ' ago .*a question' .shown && "$JOTTER" runs | grep -q 'Z .*a question' && echo x | "$JOTTER" checkpoint write r1 >/dev/null && person checkpoint list r1 && grep -q ' ago' .shown && person task read wide && grep -q '^at .* ago' .shown && person stats && ! grep -q '.\{101\}' .shown
}
try 'history, blame, search and stats have heads and times for people' heads

moments() {
    person history --since yesterday && grep -q "'yesterday' is ... 20..-..-.. 00:00:00 " .shown && person read short --at today && grep -q "'today' is .* 23:59:59 " .shown && person history --since 2020-01-31T18:45:00Z && ! grep -q "' is " .shown &&
        ! "$JOTTER" history --since yesterday 2>&1 | grep -q "' is " && person history --since yesterday --json && ! grep -q "' is " .shown
}
try 'at a terminal it is said which moment a word was taken for' moments

plan
