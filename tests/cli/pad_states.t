#!/bin/bash
# pad_states.t - pads that cannot be used as they are: read-only, full, missing, of a newer format,
# copied in part.  Each says so in one sentence, with its exit code, and nothing in it changes.
. "$(dirname "$0")/lib.sh"
ulimit -c 0
chmod 755 "$here" # for the user below

# A pad of each engine, with two versions of a note, found by search.
make_pads() {
    rm -rf work && mkdir work
    for pad in files:work/pad sqlite:work/pad.db; do
        for text in one two; do echo "$text" | "$JOTTER" --pad $pad write plan >/dev/null || return 1; done
    done
}

# The bytes of all files but caches: the search index, the list of what changed lately, SQLite's log.
tree() {
    (cd work && find . \( -name 'index.d' -o -name '*.index' -o -name recent -o -name heads -o -name '*.db-wal' -o -name '*.db-shm' -o -name '*.lock' -o -name '*.reserve' \) -prune -o \
        -type f -exec sha256sum {} + | sort -k 2)
}

unchanged() { [ "$(tree)" = "$before" ] || { diff <(echo "$before") <(tree) | sed 's/^/# /'; return 1; }; }
sentence() { [ "$(printf '%s\n' "$err" | wc -l)" = 1 ] || { echo "# not one sentence: $err"; return 1; }; }

# as PAD CODE PART COMMAND...: it ends so, with this in the sentence, and changes nothing.
as() {
    local pad=$1 want=$2 part=$3
    shift 3
    run_jot --pad "$pad" "$@"
    ends "$want" && sentence && { [ -z "$part" ] || tells "$part"; } && unchanged || { echo "# $pad: $*"; return 1; }
}
run_jot() { jot "$@" <<<new; }

# refuses PAD CODE PART: all commands do.
refuses() {
    as "$1" "$2" "$3" write plan && as "$1" "$2" "$3" write fresh && as "$1" "$2" "$3" undo plan && as "$1" "$2" "$3" read plan &&
        as "$1" "$2" "$3" list && as "$1" "$2" "$3" history plan && as "$1" "$2" "$3" search two && as "$1" "$2" "$3" verify
}
# only_reads PAD CODE PART: reading works, writing ends so.
only_reads() {
    as "$1" "$2" "$3" write plan && as "$1" "$2" "$3" write fresh && as "$1" "$2" "$3" delete plan && as "$1" "$2" "$3" undo plan &&
        as "$1" "$2" "$3" purge plan && as "$1" "$2" "$3" lease acquire plan && as "$1" "$2" "$3" log new query &&
        as "$1" 0 '' read plan && is two && as "$1" 0 '' list && is plan && as "$1" 0 '' history plan && says 'put' &&
        as "$1" 0 '' search two && says notes/plan && as "$1" 0 '' verify
}

# --- Read-only ---------------------------------------------------------------------------------

as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups -- "$JOTTER" "$@"; }
run_read_only() {
    if [ "$(id -u)" = 0 ]; then
        echo new | as_nobody "$@" >.out 2>.err
        code=$? out=$(cat .out) err=$(cat .err)
    else
        jot "$@" <<<new
    fi
}
read_only() {
    make_pads && chmod -R a-w,a+rX work && before=$(tree) || return 1
    run_jot() { run_read_only "$@"; }
    only_reads files:work/pad 73 'read-only: its files may not be written' && only_reads sqlite:work/pad.db 73 'read-only: its lock file cannot be written'
    local ok=$?
    run_jot() { jot "$@" <<<new; }
    chmod -R u+w work
    return $ok
}
if [ "$(id -u)" != 0 ] || setpriv --reuid 65534 --regid 65534 --clear-groups -- test -x "$JOTTER"; then
    try 'a pad that may not be written can be read, and says why it is not written' read_only

    no_place() {
        rm -rf work && mkdir work && chmod 555 work && before=$(tree) || return 1
        run_jot() { run_read_only "$@"; }
        as files:work/pad 77 "could not make the pad's directory: Permission denied" write plan && as files:work/pad 77 "could not make" init &&
            as sqlite:work/pad.db 77 "could not make the pad's file: Permission denied" write plan && as sqlite:work/pad.db 77 "could not make" init
        local ok=$?
        run_jot() { jot "$@" <<<new; }
        chmod 755 work
        return $ok
    }
    try 'where nothing may be made, no engine makes a pad, and all say why' no_place
fi

# --- Full --------------------------------------------------------------------------------------

# A limit on the size of files fails a write in its middle, as a full disk does.
run_limited() {
    (ulimit -f 1; head -c 9000 /dev/zero | tr '\0' x | "$JOTTER" "$@" 2>&1 >&3 | cat >&4; exit "${PIPESTATUS[2]}") 3> >(cat >.out) 4> >(cat >.err)
    code=$?
    wait
    out=$(cat .out) err=$(cat .err)
}
full() {
    make_pads && before=$(tree) || return 1
    run_jot() { run_limited "$@"; }
    for pad in files:work/pad sqlite:work/pad.db; do
        as $pad 74 '' write plan && as $pad 74 '' write fresh && as $pad 74 '' append plan || { run_jot() { jot "$@" <<<new; }; return 1; }
    done
    run_jot() { jot "$@" <<<new; }
    for pad in files:work/pad sqlite:work/pad.db; do
        as $pad 0 '' read plan && is two && as $pad 0 '' verify && as $pad 66 '' read fresh || return 1
    done
    echo three | "$JOTTER" --pad files:work/pad write plan >/dev/null && jot --pad files:work/pad read plan && is three
}
try 'a write for which there is no room is refused, and the next one is not' full

# A real one, where a file system can be mounted.
full_disk() {
    make_pads && cp -a work work.tmp && mount -t tmpfs -o size=1m jotter-test work && cp -a work.tmp/. work || return 1
    for pad in files:work/pad sqlite:work/pad.db; do # an index, and what is not yet in it
        "$JOTTER" --pad $pad search two && head -c 30000 /dev/urandom | base64 | "$JOTTER" --pad $pad write later || return 1
    done >/dev/null
    head -c 2M /dev/zero >work/fill 2>/dev/null
    before=$(tree)
    run_jot() { head -c 9000 /dev/zero | tr '\0' x | "$JOTTER" "$@" >.out 2>.err; code=$? out=$(cat .out) err=$(cat .err); }
    as files:work/pad 74 'No space left' write plan && as files:work/pad 74 'No space left' write fresh && as files:work/pad 74 'No space left' log new query &&
        as files:work/pad 0 '' read plan && is two && as files:work/pad 0 '' list && as files:work/pad 0 '' history plan && as files:work/pad 0 '' search two && as files:work/pad 0 '' verify && [[ $out == *'2 texts of the search index compared'* ]] &&
        as sqlite:work/pad.db 74 'No space left' write plan && as sqlite:work/pad.db 0 '' read plan && is two && as sqlite:work/pad.db 0 '' list && rm work/fill &&
        "$JOTTER" --pad files:work/pad search two >/dev/null && "$JOTTER" --pad sqlite:work/pad.db search two >/dev/null && before=$(tree) && as files:work/pad 0 '' verify && as sqlite:work/pad.db 0 '' verify && as sqlite:work/pad.db 0 '' read plan && is two
    local ok=$?
    run_jot() { jot "$@" <<<new; }
    umount work
    rm -rf work.tmp
    return $ok
}
mkdir -p work
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k jotter-test work 2>/dev/null; then
    umount work
    try 'on a full disk nothing is written, nothing lost' full_disk
fi

# --- Missing -----------------------------------------------------------------------------------

missing() {
    rm -rf work && mkdir work && before=$(tree)
    for pad in files:work/pad sqlite:work/pad.db; do
        as $pad 66 'scratchpad[plan] not found' read plan && as $pad 66 'scratchpad[plan] not found' history plan && as $pad 66 'there is no pad' list && is '' &&
            as $pad 66 'there is no pad' search two && as $pad 66 'there is no pad' verify && as $pad 66 'not found' delete plan && as $pad 66 'not found' undo plan &&
            as $pad 0 '' where && says 'not there yet' || return 1
    done
}
try 'where no pad is, looking does not make one' missing

in_the_way() {
    rm -rf work && mkdir -p work/.jotter work/sub/deep && echo other >work/sub/.jotter && cd work/sub/deep || return 1
    for what in 'write plan' 'read plan' list; do
        # shellcheck disable=SC2086
        jot $what </dev/null && ends 64 && tells "sub/.jotter': the pad's path is not a directory" || { cd "$here" && return 1; }
    done
    rm ../.jotter && ln -s gone ../.jotter && jot where && ends 0 && says work/sub/.jotter && rm ../.jotter && jot where && ends 0 && says work/.jotter
    local ok=$?
    cd "$here" && return $ok
}
try 'a .jotter that is no directory is named, and no pad further up is taken instead' in_the_way

# --- Of a newer format -------------------------------------------------------------------------

user_version() { python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("pragma user_version=" + sys.argv[2])' work/pad.db "$1"; }
newer_write() {
    make_pads && echo 'jotter 3 4' >work/pad/format && user_version $((2 << 16 | 3)) && before=$(tree) &&
        only_reads files:work/pad 73 'newer version' && only_reads sqlite:work/pad.db 73 'needs format 3, this version knows 2'
}
try 'a pad that a newer version writes is only read' newer_write

newer_read() {
    make_pads && echo 'jotter 5 5 and more' >work/pad/format && user_version $((3 << 16 | 3)) && before=$(tree) &&
        refuses files:work/pad 78 'has format 5' && refuses sqlite:work/pad.db 78 'has format 3'
}
try 'a pad that needs a newer version is left alone' newer_read

# --- Changed by another program ----------------------------------------------------------------

no_body() {
    make_pads && echo only | "$JOTTER" --pad sqlite:work/one.db write only >/dev/null && python3 -c 'import sqlite3
for name in ("pad", "one"):
    db = sqlite3.connect("work/%s.db" % name)
    assert db.execute("update records set body = substr(body, 1, 1)").rowcount
    db.commit()' && jot --pad sqlite:work/pad.db verify && ends 70 && says notes/plan &&
        jot --pad sqlite:work/one.db verify && ends 70 && says notes/only
}
try 'a record that another program has cut is reported, also if its stream has no other' no_body

# --- Copied in part ----------------------------------------------------------------------------

no_format() { make_pads && rm work/pad/format work/pad/.format && before=$(tree) && refuses files:work/pad 70 "lost its file 'format'"; }
try 'a pad without its format is no new pad' no_format

kept_format() {
    make_pads && rm work/pad/format && before=$(tree) && as files:work/pad 0 '' read plan && is two && as files:work/pad 0 '' list && is plan &&
        as files:work/pad 0 '' history plan && says put && echo three | "$JOTTER" --pad files:work/pad write plan >/dev/null &&
        [ "$(cat work/pad/format)" = 'jotter 3 3' ] && jot --pad files:work/pad history plan && says ' 3 '
}
try 'one whose format a checkout took away is read as it is, and the next write makes it again' kept_format

kept_newer() {
    make_pads && rm work/pad/format && echo 'jotter 5 5' >work/pad/.format && before=$(tree) && refuses files:work/pad 78 'has format 5'
}
try 'also then a pad that needs a newer version is left alone' kept_newer

bad_format() { make_pads && : >work/pad/format && before=$(tree) && refuses files:work/pad 70 "format cannot be read"; }
try 'a format that is cut off is said to be' bad_format

no_streams() {
    make_pads && rm -r work/pad/streams && before=$(tree) && as files:work/pad 0 '' read plan && is two && as files:work/pad 0 '' list && is plan &&
        as files:work/pad 70 '2 problems' verify && says "directory 'streams' is missing" && says 'notes/plan: its stream is gone' &&
        rm work/pad/heads && as files:work/pad 70 '1 problem' verify && says 'its file has no history'
}
try 'without its streams a pad shows the texts, and verify says what is missing' no_streams

no_stream() {
    make_pads && echo other | "$JOTTER" --pad files:work/pad write other >/dev/null && rm work/pad/streams/notes.d/plan.jsonl && before=$(tree) &&
        as files:work/pad 0 '' read plan && is two && as files:work/pad 70 '1 problem' verify && says 'lost  notes/plan: its stream is gone' &&
        echo three | "$JOTTER" --pad files:work/pad write plan >/dev/null && jot --pad files:work/pad read plan --version 1 && is two
}
try 'a text whose stream is missing is shown, told, and becomes the first version' no_stream

no_views() {
    make_pads && rm -r work/pad/notes && before=$(tree) && as files:work/pad 0 '' verify && says 'removed by hand' && as files:work/pad 0 '' list && is '' &&
        jot --pad files:work/pad read plan && ends 66 && jot --pad files:work/pad history plan && says put && says 'delete' && jot --pad files:work/pad undo plan && ends 0 && jot --pad files:work/pad read plan && is two
}
try 'without the files people see the versions are there' no_views

cut_stream() {
    make_pads && truncate -s -9 work/pad/streams/notes.d/plan.jsonl && before=$(tree) && as files:work/pad 0 '' read plan && is two &&
        as files:work/pad 70 '2 problems' verify && says 'unfinished record' && says 'its newest records are gone'
}
try 'a stream that is cut off is told' cut_stream

# Sanitizers need more room than any limit leaves them.
no_memory() {
    for pad in files:work/pad sqlite:work/pad.db; do
        make_pads && head -c 15000000 /dev/zero | tr '\0' x >.big || return 1
        (ulimit -v 30000; "$JOTTER" --pad $pad write plan <.big >.out 2>.err)
        code=$? err=$(<.err)
        ends 71 && tells 'memory ran out' && "$JOTTER" --pad $pad verify >/dev/null &&
            echo three | "$JOTTER" --pad $pad append plan >/dev/null && jot --pad $pad read plan && is "two
three" || return 1
    done
}
grep -q '__[at]san_init' "$JOTTER" || try 'memory that runs out is an exit code, and the pad is whole' no_memory

cut_database() {
    for size in 50 99 100 4096 9000; do
        make_pads && truncate -s $size work/pad.db && before=$(tree) && refuses sqlite:work/pad.db 70 'pad.db' || { echo "# cut at $size"; return 1; }
    done
}
try 'a database that is cut off anywhere is refused' cut_database

homeless() {
    mkdir -p nowhere && cd nowhere || return 1
    for home in '' HOME=rel 'HOME=rel XDG_DATA_HOME=rel'; do
        for words in 'write plan' list where 'mcp --http --no-token'; do
            # shellcheck disable=SC2086
            err=$(env -u HOME -u XDG_DATA_HOME $home CODEX_HOME="$here" "$JOTTER" $words 2>&1 <<<text)
            code=$?
            ends 64 && tells 'HOME is not set to an absolute path' || { echo "# $home: $words"; return 1; }
        done
    done
    env -u HOME -u XDG_DATA_HOME "$JOTTER" write plan --pad files:pad <<<text >/dev/null && [ "$(ls -A)" = pad ]
}
try 'without a home nobody has a pad of his own, and the working directory does not stand in for it' eval '(homeless)'

gone() {
    mkdir -p lost && cd lost && rmdir ../lost || return 1
    jot init
    ends 66 && tells 'could not find the working directory' && [ ! -e "$XDG_DATA_HOME/jotter/pad" ]
}
try 'a directory that is deleted gets no pad, and nor does anybody else' eval '(gone)'

plan
