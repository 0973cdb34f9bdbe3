#!/bin/bash
# readme.t - the examples of the README: they do what they say, and two shells can run them side by
# side on one pad, from the very first write on.  The script that docs/models.md shows runs, too.
readme=$(realpath "$(dirname "$0")")/../../README.md
. "$(dirname "$0")/lib.sh"
mkdir bin && ln -s "$JOTTER" bin/jotter
export PATH=$here/bin:$PATH
rounds=5

# The commands of the tour, and what it says they print.
sed -n 's/^    \$ //p' "$readme" >commands
sed -n '/^    \$ /,/^$/p' "$readme" | sed -n '/^    [^$.]/s/^    //p' >prints
# It shows a conflict, and an agent that the reader has to bring; the other shell may have the lease,
# or write while this one undoes: 75 is the right answer then, and 66 if there is nothing left to redo
# or to take.  Commands that share a line each stand on one of their own here: what is allowed to one
# of them is not lost on the others.
sed -i 's/ *#.*//; s/; */\n/g' commands
sed -i '/--if-version\|lease run/s/$/ || [ $? = 75 ]/; /undo\|redo\|task next/s/$/ || case $? in 66 | 75) ;; *) false ;; esac/' commands
printf '#!/bin/sh\nexit 0\n' >agent && chmod +x agent

found() { grep -q '^jotter init$' commands && grep -q 'jotter write plan' commands && [ "$(wc -l <commands)" -ge 8 ]; }
try 'the README has a tour' found

tour() {
    mkdir one && cp agent one && cd one || return 1
    bash -e ../commands >../out 2>&1
    code=$? out=$(cat ../out) err=$out
    cd .. || return 1
    ends 0 || return 1
    local line
    while IFS= read -r line; do says "$line" || return 1; done <prints
    says outside && says '-ship on friday' && says '+ship on monday' && says '**ship** on'
}
try 'it works as it is printed' tour

# Nobody has made the pad before; each of them may be the one who does.
first_writes() {
    local round key pad
    for round in $(seq 15); do
        for pad in files:fresh sqlite:fresh/pad.db; do
            rm -rf fresh && mkdir fresh || return 1
            for key in a b c d; do echo text | "$JOTTER" --pad $pad write $key >/dev/null 2>>err.first & done
            wait
            [ ! -s err.first ] && jot --pad $pad list && is "$(printf 'a\nb\nc\nd')" || { sed "s|^|# $pad: |" err.first; return 1; }
        done
    done
}
try 'of several first writes at once each succeeds' first_writes

# All lines, again and again; any failure ends the shell.
side_by_side() {
    mkdir -p two/.jotter && cp agent two && cd two || return 1
    # Two undos in a row lead further back than one; there is something to come back to.
    for text in a b c d e f; do echo $text | jotter write plan >/dev/null || return 1; done
    { echo "for round in $(seq -s ' ' $rounds); do"; cat ../commands; echo done; } >../script
    bash -e ../script >../out.a 2>../err.a &
    local first=$!
    bash -e ../script >../out.b 2>../err.b
    local b=$?
    wait $first
    local a=$?
    cd .. || return 1
    [ $a = 0 ] && [ $b = 0 ] || { echo "# ended with $a and $b"; sed 's/^/# /' err.a err.b; return 1; }
}
try 'two shells run it side by side on one pad' side_by_side

nothing_lost() {
    cd two || return 1
    jot verify && ends 0 && jot history plan --limit 1000 && cd .. || return 1
    local acknowledged recorded
    acknowledged=$(cat out.a out.b | grep -c '^wrote ')
    recorded=$(echo "$out" | grep -c ' put .* \(ann\|bob\)$')
    [ "$acknowledged" -ge $((rounds * 2)) ] || { echo "# $acknowledged writes were acknowledged"; return 1; }
    [ "$recorded" -ge "$acknowledged" ] || { echo "# $acknowledged writes, $recorded records"; return 1; }
}
try 'every write that was acknowledged is in the history' nothing_lost

scripted() {
    sed -n '/^```yaml$/,/^```$/{/^```/d;p}' "${readme%README.md}docs/models.md" >shown.yaml
    [ -s shown.yaml ] && jot run 'which kernel?' --model script:shown.yaml --allow shell --unconfined --quiet && ends 0 && is "The kernel is $(uname -r)."
}
try 'the scripted model of docs/models.md answers' scripted

plan
