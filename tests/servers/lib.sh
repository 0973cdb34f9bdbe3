# lib.sh - words for tests of the command line on servers that tests/rig/with-servers started, beside those of
# tests/cli/lib.sh.
#
#   pad URL NAME           the URL of a pad on a server
#   writers N TIMES DIR    N processes that write TIMES notes each to $JOTTER_PAD; the keys that were acknowledged are
#                          in DIR/acked.*, one a line; they end when DIR/stop is there
#   all_there DIR          every key that was acknowledged is in the pad
. "$(dirname "$0")/../cli/lib.sh"
export XDG_CACHE_HOME=$here/cache

pad() { case $1 in *\?*) echo "$1&pad=$2" ;; *) echo "$1?pad=$2" ;; esac; }

writers() {
    local i n dir=$3
    mkdir -p "$dir"
    for i in $(seq "$1"); do
        (for n in $(seq "$2"); do
            [ ! -e "$dir/stop" ] || break
            "$JOTTER" write "k$i-$n" "text $i $n" >/dev/null 2>>"$dir/said.$i" && echo "k$i-$n" >>"$dir/acked.$i"
        done) &
    done
}

all_there() {
    "$JOTTER" list >"$1/list" 2>/dev/null || return 1
    sort "$1"/acked.* >"$1/acked"
    [ -s "$1/acked" ] && sed 's/[[:space:]].*//' "$1/list" | sort | comm -23 "$1/acked" - >"$1/gone"
    [ ! -s "$1/gone" ] || { sed 's/^/# gone: /' "$1/gone" | head -5; return 1; }
}

# Ask for the failover, and wait for it.
fail_over() { touch "$JOT_TEST_FAILOVER" && until_true test -e "$JOT_TEST_FAILOVER.done"; }
