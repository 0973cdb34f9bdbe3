#!/bin/bash
# limits.t - too few descriptors: whatever cannot be opened, nothing is stolen, replaced or made.
#
# The limit is that of the process: with 4 not even the pad opens, with 40 everything does.
. "$(dirname "$0")/lib.sh"

# Run jotter with N descriptors; 0, 1 and 2 are among them.
few() {
    local n=$1
    shift
    (ulimit -n "$n" && exec "$JOTTER" "$@") </dev/null >"$here/.out" 2>"$here/.err"
    code=$?
    heard
}

lease() {
    jot --as ann lease acquire k --ttl 600 && ends 0 || return 1
    local token=${out#lease } n
    token=${token%% *}
    for n in $(seq 4 40); do
        few "$n" --as bob lease acquire k --ttl 60
        [ $code != 0 ] || { echo "# stolen with $n descriptors: $out"; return 1; }
        few "$n" --as bob lease acquire "free-$n" --ttl 60
        [ $code != 0 ] || { jot lease check "free-$n" && ends 75 || { echo "# a lease that binds nobody, with $n"; return 1; }; }
    done
    jot lease check k --lease "$token" && ends 0
}

cycle() {
    jot cycle init 'a goal' && ends 0 && jot cycle wake && ends 0 || return 1
    local id=$out n
    for n in $(seq 4 40); do
        few "$n" cycle wake
        [ $code != 0 ] || { echo "# ended with $n descriptors: $out"; return 1; }
    done
    ends 75 && jot cycle sleep "$id" && ends 0
}

# A note whose file is gone is deleted, one that is edited is edited: never put back, never lost.
person() {
    case $JOTTER_PAD in files:*) ;; *) return 0 ;; esac
    local n
    for n in $(seq 4 40); do
        echo "one $n" | "$JOTTER" write gone >/dev/null && echo "two $n" | "$JOTTER" write gone >/dev/null &&
            echo "one $n" | "$JOTTER" write old >/dev/null && echo "two $n" | "$JOTTER" write old >/dev/null || return 1
        rm pad/notes/gone.txt
        echo "one $n" >pad/notes/old.txt
        few "$n" read gone
        [ $code != 0 ] || { echo "# read with $n descriptors: $out"; return 1; }
        few "$n" write other --file /dev/null
        [ ! -e pad/notes/gone.txt ] || { echo "# restored with $n descriptors"; return 1; }
        [ "$(cat pad/notes/old.txt)" = "one $n" ] || { echo "# replaced with $n descriptors"; return 1; }
    done
    ends 0 && [ -z "$(ls pad/quarantine 2>/dev/null)" ]
}

# A pad that cannot be looked at is not made again.
made() {
    local n before after
    before=$(jot history gone; echo "$out")
    for n in $(seq 4 40); do
        few "$n" init
        after=$(jot history gone; echo "$out")
        [ "$before" = "$after" ] || { echo "# another pad with $n descriptors"; return 1; }
    done
}

for engine in files:pad sqlite:pad.db; do
    export JOTTER_PAD=$engine
    jot init
    try "a lease is not stolen by a process with 4 to 40 descriptors (${engine%%:*})" lease
    try "a running cycle is not ended by a process with 4 to 40 descriptors (${engine%%:*})" cycle
    try "what a person did is not undone by a process with 4 to 40 descriptors (${engine%%:*})" person
    try "a pad is not made again by a process with 4 to 40 descriptors (${engine%%:*})" made
done

plan
