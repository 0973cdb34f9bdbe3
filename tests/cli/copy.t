#!/bin/bash
# copy.t - a pad copied again and again, as a backup is: past damage, beside leases and gc, with purges.
. "$(dirname "$0")/lib.sh"

from() { "$JOTTER" --pad files:from "$@"; }
to() { "$JOTTER" --pad sqlite:to.db "$@"; }

# One digit of a record in the middle.
spoil() { sed -i '2s/"at":1/"at":2/' from/streams/notes.d/b.jsonl; }
mend() { sed -i '2s/"at":2/"at":1/' from/streams/notes.d/b.jsonl; }

damaged() {
    for k in a b c d; do for i in 1 2 3; do echo "$k$i" | from write $k >/dev/null; done; done
    spoil
    jot --pad files:from copy sqlite:to.db && ends 70 && tells "record 2 of 'notes/b' cannot be read" && says '11 records new' &&
        [ "$(to list | tr '\n' ' ')" = 'a b c d ' ] && [ "$(to read b)" = b3 ] && [ "$(to history b | wc -l)" = 2 ] &&
        jot --pad files:from copy sqlite:to.db --json && ends 70 && says '"problems":[{"name":"notes/b","why":"record 2 of' &&
        jot --pad sqlite:to.db verify && ends 70 && says 'record 2 is lost'
}
try 'a copy goes on past a damaged record and says which' damaged

archive() {
    jot --pad files:from export damaged.jotter && ends 70 && tells "record 2 of 'notes/b' cannot be read" && says '11 records' &&
        jot --pad files:other import damaged.jotter && ends 0 && says '11 added' && [ "$("$JOTTER" --pad files:other read d)" = d3 ] && [ "$(head -1 damaged.jotter)" = 'jotter archive 4' ]
}
try 'an archive has what can be read, and can be imported' archive

mended() { mend; jot --pad files:from copy sqlite:to.db && ends 0 && says '1 record new' && [ "$(to history b | wc -l)" = 3 ] && jot --pad files:from export good.jotter && ends 0 && [ "$(head -1 good.jotter)" = 'jotter archive 3' ]; }
try 'a copy from a mended source has it all' mended

several() {
    spoil; echo mine | to write new >/dev/null; echo theirs | from write new >/dev/null
    jot --pad files:from copy sqlite:to.db && ends 70 && tells "notes/b: record 2 of 'notes/b' cannot be read" && tells "notes/new: record 1 of 'notes/new' is another one in the target" &&
        tells '2 streams could not be copied whole' && [ "$(to read new)" = mine ]
    local good=$?
    mend; to purge new >/dev/null; from purge new >/dev/null; rm -f to.db*; return $good
}
try 'each stream that was not copied whole is told' several

leased() {
    jot --pad files:from copy sqlite:to.db && ends 0 || return 1
    for _ in 1 2; do
        for _ in $(seq 35); do from lease run notes/a -- true || return 1; done
        echo more | from write z >/dev/null; from lease acquire notes/a --ttl 600 >/dev/null
        jot --pad files:from copy sqlite:to.db && ends 0 && [ "$(to read z)" = more ] || return 1
        from lease release "$(from lease list --json | sed 's/.*"token":\([0-9]*\).*/\1/')" >/dev/null
    done
    jot --pad sqlite:to.db --as bob lease acquire notes/a --ttl 600 && ends 0 && jot --pad files:from --as eve lease acquire notes/a && ends 0
}
try 'leases do not stop a copy, and bind nobody in it' leased

collected() {
    for round in 1 2 3; do
        for i in $(seq 40); do echo "$round $i" | from write a >/dev/null; done
        from gc --keep 16 >/dev/null
        jot --pad files:from copy sqlite:to.db && ends 0 && tells 'were trimmed at the source before they were copied; older ones stay' && [ "$(to read a)" = "$round 40" ] || return 1
    done
    to verify >/dev/null && [ "$(to history a --limit 200 | wc -l)" -ge 48 ]
}
try 'gc and copy in turn need nobody' collected

purged() {
    echo zzsecretzz | from write k >/dev/null; from copy sqlite:to.db >/dev/null; to search zzsecretzz >/dev/null; echo zzsecretzz2 | from write k >/dev/null
    grep -q zzsecret to.db* && from purge k >/dev/null && jot --pad files:from copy sqlite:to.db && ends 0 && tells 'notes/k: it was purged, as at the source' &&
        ! grep -q zzsecret to.db* && jot --pad sqlite:to.db read k && ends 66
}
try 'a purge reaches the copy and leaves no byte there' purged

stranger() {
    echo mine | to write own >/dev/null; for i in 1 2; do echo theirs | from write own >/dev/null; done; from purge own >/dev/null
    jot --pad files:from copy sqlite:to.db && ends 75 && tells "'notes/own' was purged at the source, and what the target has cannot be shown to be a copy of it" && [ "$(to read own)" = mine ]
}
try 'a purge does not reach what is no copy' stranger

own_tail() {
    local way
    for i in 1 2 3; do echo "v$i" | from write tail >/dev/null; done
    from copy sqlite:to.db >/dev/null; from export tail.jotter >/dev/null; "$JOTTER" --pad files:third import tail.jotter >/dev/null
    for way in "$1" "$2"; do echo own | "$JOTTER" --pad "$way" write tail >/dev/null; done
    for i in 4 5; do echo "v$i" | from write tail >/dev/null; done
    jot --pad files:from copy sqlite:to.db && ends 75 && tells "record 4 of 'notes/tail' is another one in the target" && from purge tail >/dev/null || return 1
    echo more | from write z >/dev/null
    jot --pad files:from copy sqlite:to.db && ends 75 && tells "'jotter --pad TARGET purge notes/tail' removes it there" && [ "$(to read tail)" = own ] && [ "$(to read z)" = more ] &&
        from export purged.jotter >/dev/null && jot --pad files:third import purged.jotter && ends 75 && tells "'jotter --pad TARGET purge notes/tail'" && [ "$("$JOTTER" --pad files:third read tail)" = own ]
}
try 'a purge leaves what the target wrote itself, in copies and archives' own_tail sqlite:to.db files:third

advice() {
    to purge notes/tail >/dev/null && to purge notes/own >/dev/null && jot --pad files:from copy sqlite:to.db && ends 0 && jot --pad sqlite:to.db read tail && ends 66 || return 1
    echo next | from write tail >/dev/null
    jot --pad files:from copy sqlite:to.db && ends 0 && [ "$(to read tail)" = next ] && jot --pad files:from copy sqlite:to.db && ends 0 && to verify >/dev/null
}
try 'the command that a refused purge names lets the next copy pass' advice

gone_there() {
    echo zzgonezz | from write there >/dev/null; from copy sqlite:to.db >/dev/null; to purge there >/dev/null
    jot --pad files:from copy sqlite:to.db && ends 75 && tells "'notes/there' was purged at the target, and the source has records from before that" && ! grep -q zzgonezz to.db* &&
        from purge there >/dev/null && jot --pad files:from copy sqlite:to.db && ends 0
}
try 'what was purged at the target does not come back' gone_there

spoilt() {
    for i in 1 2 3; do echo "zzsecret$i" | from write s >/dev/null; done; from copy sqlite:to.db >/dev/null
    echo more | from write s >/dev/null; sed -i '2s/"at":1/"at":2/' from/streams/notes.d/s.jsonl
    jot --pad files:from purge s && ends 0 && grep -q '"from":1,"chains":"[0-9a-f]\{8\}--------[0-9a-f]\{16\}"' from/streams/notes.d/s.jsonl &&
        jot --pad files:from copy sqlite:to.db && ends 0 && ! grep -q zzsecret to.db*
}
try 'a purge past a damaged record tells the others and reaches the copy' spoilt

plan
