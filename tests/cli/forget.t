#!/bin/bash
# forget.t - purge and redact beyond documents: runs, line logs, the whole pad.
. "$(dirname "$0")/lib.sh"

secret=zqxjkvcanary
# The pad, on the engine at hand; its files are all in $here/pads.
pads="files:$here/pads/f sqlite:$here/pads/s.db"
mkdir pads
echo '- text: no' >one.yaml
gone() { ! grep -rlaq "$1" pads || { echo "# still in: $(grep -rla "$1" pads)"; return 1; }; }

# begin SECRET [CALL]: a run whose first three records hold the secret; its id is in $run.
begin() {
    local call=${2:-c1}
    run=$("$JOTTER" log new "what of $1?") && "$JOTTER" log add "$run" call --tool fetch --call "$call" --args "{\"q\":\"say \\\"$1\\\"\"}" >/dev/null &&
        printf 'say "%s"\n' "$1" | "$JOTTER" log add "$run" result --call "$call" >/dev/null && "$JOTTER" log add "$run" thinking hm >/dev/null
}

purged() {
    for JOTTER_PAD in $pads; do
        export JOTTER_PAD
        begin $secret && jot search $secret && says "$run" && jot log purge "$run" && ends 0 && is "purged run '$run' and all its records" && gone $secret || return 1
        for words in "log show $run" "log results $run" "log final $run" "log usage $run" "log open $run" "log add $run thinking x" "log purge $run" \
            "log redact $run 1" "context --run $run" "run --resume $run --model script:one.yaml"; do
            jot $words && [ "$code" != 0 ] && tells 'not found' || { echo "# $words"; return 1; }
        done
        jot log && ! says "$run" >/dev/null && jot search $secret && tells '(nothing found)' && jot verify && ends 0 || return 1
    done
}
try 'a purged run is not found by any command, and in no file' purged

told() {
    export JOTTER_PAD=files:$here/beside
    begin other c-other && echo text | "$JOTTER" sink write c-other --tool fetch >/dev/null && jot log purge last && ends 0 && tells '1 thing of this run is still in the pad' &&
        tells 'jotter purge artifacts/tool_results/c-other' && jot purge artifacts/tool_results/c-other && ends 0
}
try 'a purge tells what of the run lies elsewhere' told

by_number() {
    for JOTTER_PAD in $pads; do
        export JOTTER_PAD
        begin $secret && jot log redact "$run" 3 && ends 0 && is "redacted record 3 of run '$run'" && jot log redact "$run" 2 && jot log redact "$run" 1 && ends 0 && gone $secret &&
            jot log show "$run" && says '(redacted)' && says fetch && jot log results "$run" && says '[redacted]' && jot log final "$run" && says '[redacted]' &&
            jot context --run "$run" --budget 1000 && ends 0 && says '[redacted]' && jot log && says '[redacted]' && jot verify && ends 0 &&
            jot log redact "$run" 99 && ends 66 && tells 'has no record 99' && jot log redact "$run" x && ends 64 && jot log redact "$run" 0 && ends 64 || return 1
    done
}
try 'a record of a run is redacted by its number' by_number

by_phrase() {
    for JOTTER_PAD in $pads; do
        export JOTTER_PAD
        begin $secret c-$secret && jot log redact "$run" && ends 64 && tells 'give one of SEQ, --text and --stdin' && printf 'say "%s"\n' $secret | "$JOTTER" log redact "$run" --stdin >said &&
            [ "$(cat said)" = "redacted 2 records of run '$run'" ] && jot log show "$run" && says "what of $secret" && jot log redact "$run" --text $secret && ends 78 &&
            is "redacted 1 record of run '$run'" && tells '2 records of run' && tells 'only a purge removes it' && jot log redact "$run" --text nowhere && ends 66 || return 1
        jot log purge "$run" && gone $secret || return 1
    done
}
try 'a phrase of a run is found escaped too, and what stays in a meta is told' by_phrase

exported() {
    export JOTTER_PAD=files:$here/exported
    begin $secret && jot log redact last 1 && jot log redact last 3 && jot export all.jotter && ends 0 && jot import all.jotter --pad files:"$here/again" && ends 0 &&
        jot log show last --pad files:"$here/again" && ends 0 && says '(redacted)' && jot verify --pad files:"$here/again" && ends 0 &&
        jot export out --layout runs && ends 0 && jot import out --layout runs --pad files:"$here/third" && ends 0
}
try 'a run with redacted records is exported and imported' exported

everywhere() {
    for JOTTER_PAD in $pads; do
        export JOTTER_PAD
        begin x && printf 'it is %s\n' $secret | "$JOTTER" log add last answer >/dev/null && echo "a $secret" | "$JOTTER" write plan >/dev/null && echo "b $secret" | "$JOTTER" write plan >/dev/null &&
            echo "{\"a\":\"x $secret\"}" | "$JOTTER" artifact write p a >/dev/null && echo "long $secret" | "$JOTTER" sink write "call$RANDOM$RANDOM" --tool fetch >/dev/null &&
            "$JOTTER" line-log append build out "line $secret" >/dev/null && echo "was $secret" | "$JOTTER" write gone >/dev/null && "$JOTTER" delete gone >/dev/null &&
            jot search $secret && says plan || return 1
        echo $secret | "$JOTTER" redact --all --stdin >said 2>told || { cat said told; return 1; }
        grep -q '^redacted 7 records and rewrote 3 documents, in 6 of ' said || { sed 's/^/# /' said; return 1; }
        gone $secret && jot read plan && says 'b [redacted]' && jot artifact read p a && says 'x [redacted]' && jot line-log read build out && says '(redacted)' &&
            jot redact --all --text $secret && ends 66 && tells 'nothing in the pad holds' && jot verify && ends 0 || return 1
    done
}
try 'a phrase is taken out of the whole pad, and of every file' everywhere

left() {
    export JOTTER_PAD=files:$here/left
    jot task add t1 "use $secret" && echo x | "$JOTTER" write "n-$secret" >/dev/null && echo "a $secret" | "$JOTTER" write plan >/dev/null &&
        jot redact --all --text $secret && ends 78 && says 'left  tasks/t1: its present value' && says "left  notes/n-$secret: a name" && tells 'in 2 places' && jot read plan && says '[redacted]' &&
        jot redact --all --text $secret --json && ends 78 && says '"status":"unsupported"' && says '"stream":"tasks/t1"' &&
        jot purge tasks/t1 && ends 0 && jot task read t1 && ends 66 && jot redact --all --text $secret && ends 78 && ! says tasks >/dev/null
}
try 'what cannot be redacted is told by name, until it is purged' left

awake() {
    for JOTTER_PAD in $pads; do
        export JOTTER_PAD
        jot cycle init "$secret is the password" --agent ann && ends 0 && id=$("$JOTTER" cycle wake --agent ann) && jot redact --all --text $secret && ends 0 && gone $secret &&
            jot cycle sleep "${id%%[!0-9_]*}" --agent ann && ends 0 && jot cycle wake --agent ann && ends 0 && echo '{"phone": 5551234567}' | "$JOTTER" artifact write p phone >/dev/null &&
            jot redact --all --text 5551234567 && ends 0 && jot artifact read p phone && ends 0 && says '"phone": "[redacted]"' || return 1
    done
}
try 'after a redaction states and artifacts can still be read' awake

wrong() {
    jot redact --all && ends 64 && jot redact --all plan --text abcd && ends 64 && jot redact --all --text abc && ends 64 && tells 'at least 4' && jot redact && ends 64 && tells 'give a KEY, or --all' &&
        jot redact --all --text redacted && ends 64 && jot redact leases/table --text abcd && ends 64 && jot purge leases/table && ends 64 && jot log purge none && ends 66 && jot log redact none 1 && ends 66
}
try 'words that are wrong change nothing' wrong

log_lines() {
    export JOTTER_PAD=sqlite:$here/pads/l.db
    for i in 1 2 3; do "$JOTTER" line-log append build out "line $i $secret" >/dev/null || return 1; done
    jot redact logs/build/out 2 && ends 0 && is "redacted 1 record of 'logs/build/out'" && jot line-log read build out && says "line 1 $secret" && jot redact logs/build/out --text $secret &&
        is "redacted 2 records of 'logs/build/out'" && gone $secret && jot purge logs/build/out && ends 0 && jot line-log list && ! says out >/dev/null
}
try 'lines of a log are redacted, and the log is purged, by its name' log_lines

resumed() {
    export JOTTER_PAD=files:$here/pads/r
    printf -- '- {text: %s, calls: [{name: scratchpad_list}]}\n' $secret >one.yaml
    printf -- '- text: no\n- text: done\n' >two.yaml
    jot run 'a question' --model script:one.yaml --max-iterations 1 && ends 1 && jot redact --all --text $secret && ends 0 && gone $secret &&
        jot run --resume last --model "script:two.yaml?log=sent" && ends 0 && says done && grep -q '\[redacted\]' sent && ! grep -q $secret sent &&
        jot run 'b question' --model script:one.yaml --max-iterations 1 && jot log redact last 2 && jot run --resume last --model script:two.yaml && ends 64 && tells 'was redacted: it cannot be resumed'
}
try 'a run of which something was redacted goes on, or is refused in a sentence' resumed

# A program that stays in the middle of a read until its input ends; "begun" when it is there.
cat >reader.py <<'X'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN")
db.execute("SELECT count(*) FROM records").fetchall()
print("begun", flush=True)
sys.stdin.read()
X
held() {
    export JOTTER_PAD=sqlite:$here/pads/held.db
    local begun said secret=heldcanary
    echo "$secret" | "$JOTTER" write plan >/dev/null && echo "$secret here" | "$JOTTER" write other >/dev/null && echo clean | "$JOTTER" write other >/dev/null && begin $secret || return 1
    coproc READER { exec python3 reader.py "$here/pads/held.db"; }
    read -r begun <&"${READER[0]}" && [ "$begun" = begun ] &&
        jot purge plan && ends 69 && tells "scratchpad[plan] is forgotten, but still in the pad's file: another program is reading the pad" && ! gone $secret >/dev/null &&
        jot --json purge plan && ends 69 && says '"status":"unavailable"' && says '"retry":true' && jot read plan && ends 66 &&
        jot redact other --text $secret && ends 69 && tells "still in the pad's file" && jot log redact "$run" 3 && ends 69 && jot log purge "$run" && ends 69 && tells "still in the pad's file" &&
        jot redact --all --text $secret && ends 69 && tells "the text is forgotten, but still in the pad's file" &&
        jot verify && ends 70 && says 'leftover' && says "still in the pad's file" && jot doctor && ends 70 && says 'leftover'
    said=$?
    exec {READER[1]}>&- && wait "$READER_PID"
    [ $said = 0 ] && jot verify && ends 0 && gone $secret && jot purge plan && ends 0
}
try 'what a reader keeps in the file is told, until it has gone' held

helped() { jot help purge && says 'redact --all' && says 'runs purge RUN' && jot help log redact && says 'redact --all'; }
try 'the help of purge says where else the text may be' helped

plan
