#!/bin/bash
# full_disk.t - a sqlite pad on a disk without room: it is read, and what must go from it goes.
#
# The disk is a small tmpfs of its own, in a mount namespace of its own; an ordinary user needs a
# system that lets him have one.
if [ -z "${JOTTER_FULL_DISK-}" ]; then
    map=-m
    [ "$(id -u)" = 0 ] || map=-rm
    room=$(mktemp -d) && trap 'rmdir "$room"' EXIT
    if unshare $map mount -t tmpfs none "$room" 2>/dev/null; then
        JOTTER_FULL_DISK=$room unshare $map bash "$0"
        exit
    fi
    echo '1..0 # SKIP a file system of its own needs a mount namespace, which this user cannot have'
    exit 0
fi
. "$(dirname "$0")/lib.sh"

room=$JOTTER_FULL_DISK
export JOTTER_PAD=sqlite:$room/p.db
gone() { ! grep -raq "$1" "$room"/p.db* || { echo "# still in: $(grep -rla "$1" "$room"/p.db*)"; return 1; }; }
# noise N: a text of N bytes that nothing makes smaller.
noise() { head -c "$1" /dev/urandom | base64 -w0 | head -c "$1"; }
free() { df --output=avail -k "$room" | tail -n 1 | tr -d ' '; }

# begin SIZE: a pad with a few things in it on a disk of that size, which is then filled.
begin() {
    mount -t tmpfs -o "size=$1" none "$room" && "$JOTTER" init >/dev/null || return 1
    for i in $(seq 30); do echo "manysecret $i" | "$JOTTER" write many >/dev/null || return 1; done
    { echo bigsecret && noise 1000000 && echo endsecret; } | "$JOTTER" write big >/dev/null && echo oldsecret | "$JOTTER" write turned >/dev/null && echo new | "$JOTTER" write turned >/dev/null &&
        echo kept | "$JOTTER" write kept >/dev/null && { [ "${2-}" != indexed ] || "$JOTTER" search bigsecret >/dev/null; } || return 1
    dd if=/dev/zero of="$room/fill" bs=1k 2>/dev/null
    [ "$(free)" = 0 ] || { echo "# $(free) KiB are free"; return 1; }
}
end() { umount "$room"; }

full() {
    begin 4m "$1" && jot read kept && ends 0 && is kept && jot list && ends 0 && jot write more <<<x && ends 74 && tells 'o space left' &&
        jot purge big && ends 0 && is 'purged scratchpad[big] and all its versions' && gone bigsecret && gone endsecret &&
        jot purge many && ends 0 && gone manysecret && jot redact turned 1 && ends 0 && gone oldsecret && jot read turned && is new &&
        jot read many && ends 66 && jot verify && ends 0 && { [ "$1" = indexed ] || [ "$(free)" = 0 ]; } || return 1 # the index gives its room back
    rm "$room/fill" && jot verify && ends 0 && says 'everything is as it should be' && noise 900000 >text && jot write reused <text && ends 0 &&
        [ "$(stat -c %s "$room/p.db")" -lt 1300000 ] && jot read kept && is kept && end
}
try 'on a full disk a pad is read, and purged and redacted text goes from every file; the pages are used again' full no
try 'the same with a search index' full indexed

# The reserve was never made, or somebody took its room.
without() {
    begin 4m && rm "$room/p.db.reserve" && dd if=/dev/zero of="$room/fill2" bs=1k 2>/dev/null
    jot purge big && ends 74 && tells 'o space left' && rm "$room/fill2" && jot purge big && ends 0 && gone bigsecret && jot verify && ends 0 && end
}
try 'without the reserve nothing is removed, and that is said' without

# Killed at every few system calls that write, until a purge comes to its end.
killed() {
    local i
    begin 4m || return 1
    for i in $(seq 1 7 400); do
        "$JOTTER" purge big >/dev/null 2>&1 &
        local pid=$!
        sleep "0.00$((i % 10))"
        kill -KILL $pid 2>/dev/null
        wait $pid 2>/dev/null
        [ $i -lt 60 ] || break
    done
    # What a dead process left is room that a whole file took: it is given back by who comes next.
    jot read kept && ends 0 && jot purge big && { ends 0 >/dev/null || { rm "$room/fill" && jot purge big && ends 0; }; } && gone bigsecret && gone endsecret && jot verify && ends 0 && end
}
try 'a purge that is killed on a full disk is finished by the next one' killed

# Whoever used the reserve died.  There is its room, but some of it is needed to empty the log.
spent() {
    local i
    mount -t tmpfs -o size=3m none "$room" && "$JOTTER" init >/dev/null && { echo manysecret && noise 80000; } >text || return 1
    for i in $(seq 40); do "$JOTTER" write "s$((i % 4))" <text >/dev/null 2>&1 || break; done
    dd if=/dev/zero of="$room/fill" bs=1k 2>/dev/null
    [ $i -lt 40 ] && rm "$room/p.db.reserve" && for i in 0 1 2 3; do jot purge s$i && ends 0 || return 1; done
    gone manysecret && jot verify && ends 0 && end
}
try 'a purge needs no more room than the reserve had, when that is gone' spent

plan
