#!/bin/bash
# plan.t - plans from the shell: nothing is done without evidence.
. "$(dirname "$0")/lib.sh"

for pad in files:pad sqlite:pad.db; do
    export JOTTER_PAD=$pad

    none() { jot plan list && ends 66 && "$JOTTER" init >/dev/null && jot plan list && is '' && tells '(empty)' && ends 0 && jot plan show none && ends 66; }
    try "a named pad that is not there is no empty one; a new one has no plans ($pad)" none

    made() {
        jot plan create p 'know the kernel' --step look --step 'write it down' --post 'a note has it' && ends 0 && says '1. [ ] look' &&
            says '# Plan: know the kernel' && says open && jot plan list && is p
    }
    try "a plan is made ($pad)" made

    refused() {
        jot plan step p 1 done && ends 64 && tells "marking step 1 done needs 'evidence'" && jot plan step p 2 blocked && ends 64 && tells "needs 'notes'" &&
            jot plan step p 3 done --evidence x && ends 64 && tells 'there is no step 3: the plan has steps 1 to 2' && jot plan step p one done && ends 64 &&
            tells "invalid N 'one'" && jot plan step p 1 finished && ends 64 && tells "invalid STATE 'finished'" && jot plan create p 'without steps' && ends 64 &&
            tells '--step TEXT is missing'
    }
    try "nothing is done without evidence ($pad)" refused

    closed() {
        jot plan step p 1 done --evidence 'uname says 6.1' && ends 0 && says 'evidence: uname says 6.1' && jot plan step p 2 blocked --notes 'read-only' &&
            says '[!] write it down' && says open && jot plan verify p 1 'read it' && says ready && jot plan show p --json && says '"ready":true'
    }
    try "a plan whose steps are closed is ready ($pad)" closed
done

plan
