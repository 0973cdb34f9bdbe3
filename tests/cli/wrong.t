#!/bin/bash
# wrong.t - wrong usages and what they are told: wrong.golden has each command line, the exit code
# and the sentence, word for word.  The order of a refusal's words is an interface: people learn
# from it and programs match it, so a change of one is a change of this file.
#
#   JOT_GOLDEN=write JOTTER=$PWD/build/jotter tests/cli/wrong.t    write wrong.golden again
golden=$(realpath "$(dirname "$0")")/wrong.golden
. "$(dirname "$0")/lib.sh"
export JOTTER_PAD=files:pad

# What the command lines need: one of each noun.
{
    echo 'the plan' | "$JOTTER" write note
    echo '{"a": 1}' | "$JOTTER" artifact write reports r1
    echo '{"a": 1}' | "$JOTTER" artifact index write reports all
    "$JOTTER" artifact log append events l1 'a line'
    "$JOTTER" task add build && "$JOTTER" task add ship --needs build && "$JOTTER" task add stuck && "$JOTTER" task block stuck why
    "$JOTTER" plan create p goal --step one --post two
    echo state | "$JOTTER" checkpoint save work
    echo result | "$JOTTER" sink put call1 --tool t
    "$JOTTER" lease acquire note --ttl 86400
    "$JOTTER" cycle init goal
} >/dev/null || exit 1

# One command line as the file has it, and what it was told: the code, then the sentences, with TIME
# and N for what differs from run to run.
answer() {
    local code
    eval "\"$JOTTER\" $1" </dev/null >.out 2>.err
    code=$?
    printf '$ jotter %s\n%s\n' "$1" "$code"
    sed -E -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/TIME/g' -e 's/for [0-9]+ s/for N s/g' -e 's/"left_(m?s)":[0-9]+/"left_\1":N/g' .out .err
    echo
}

if [ "${JOT_GOLDEN:-}" = write ]; then
    sed -n 's/^\$ jotter //p' "$golden" >lines
    while IFS= read -r line; do answer "$line"; done <lines >new
    cp new "$golden"
    exit
fi

sed -n 's/^\$ jotter //p' "$golden" >lines
while IFS= read -r line; do
    same() {
        answer "$line" >now
        want="\$ jotter $line" awk 'BEGIN { RS = ""; ORS = "\n\n" } index($0, ENVIRON["want"] "\n") == 1' "$golden" | cmp -s - now && return 0
        sed 's/^/# /' now
        return 1
    }
    try "wrong: jotter $line" same
done <lines

enough() { [ "$count" -gt 60 ]; }
try 'at least sixty wrong usages are written down' enough

plan
