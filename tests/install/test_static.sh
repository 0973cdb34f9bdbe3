#!/bin/sh
# test_static SOURCE BUILD: the static binary alone in an empty root, and what it opens.
#
# A root is empty by chroot (root), by bubblewrap or by unshare, whichever works here; where none does, the
# binary runs with the machine's files in sight, and strace shows that it opens no library.
set -u
source=$1 build=$2
if [ "$build" != "$source/build" ]; then
    echo "1..0 # SKIP make static builds in build/, and this is another directory"
    exit 0
fi
unset MAKEFLAGS MFLAGS MAKELEVEL JOTTER_PAD
. "$(dirname "$0")/../holds.sh"

builds() { make -s -C "$source" static && cp "$build/static/jotter" "$tmp/jotter"; }
holds make_static_builds_it builds

needs_nothing() { ! readelf -d "$tmp/jotter" | grep NEEDED && ! readelf -l "$tmp/jotter" | grep INTERP; }
holds it_names_no_library_and_no_loader needs_nothing

root=$tmp/root
mkdir -p "$root/proc" "$root/empty"
cp "$tmp/jotter" "$root/jotter"

# alone COMMAND...: runs it with nothing but its binary, a /proc and an empty directory.
try_alone() {
    for way in \
        'bwrap --unshare-user --unshare-pid --bind ROOT / --proc /proc --clearenv --setenv HOME /empty --setenv JOTTER_PAD files:/empty/pad' \
        'chroot ROOT' \
        'unshare -r --root=ROOT'; do
        way=$(printf '%s' "$way" | sed "s,ROOT,$root,")
        if $way /jotter --version >/dev/null 2>&1; then
            echo "$way"
            return
        fi
    done
}
way=$(try_alone)
alone() {
    if [ -n "$way" ]; then
        HOME=/empty JOTTER_PAD=files:/empty/pad $way /jotter "$@"
    else
        HOME=$root/empty JOTTER_PAD=files:$root/empty/pad "$root/jotter" "$@"
    fi
}

writes() {
    printf 'we ship on friday' | alone write plan && [ "$(alone read plan)" = 'we ship on friday' ]
}
holds it_writes_and_reads_in_an_empty_root writes

finds() { alone search shipping | grep plan; }
holds it_finds_words_by_their_stems finds

serves() {
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' |
        alone mcp | grep '"id":1'
}
holds it_serves_mcp serves

# The server is stopped by its pid; the address it prints shows that libevent is inside.
listens() {
    HOME=$root/empty JOTTER_PAD=files:$root/empty/pad "$root/jotter" mcp 127.0.0.1:0 --http --no-token >"$tmp/http" 2>&1 &
    pid=$!
    for _ in $(seq 600); do
        grep -q 'http://127' "$tmp/http" && break
        kill -0 $pid 2>/dev/null || break
        sleep 0.1
    done
    kill $pid
    wait $pid
    cat "$tmp/http"
    grep -q 'http://127' "$tmp/http"
}
holds it_serves_http_without_a_library listens

refuses() {
    alone run hello --model http://127.0.0.1:1/v1#m >"$tmp/out" 2>&1
    cat "$tmp/out"
    grep -q 'HTTP needs libcurl.so.4, which the static build does not have' "$tmp/out"
}
holds it_says_in_one_sentence_what_it_does_not_have refuses

# Opened from the machine's own files: where it has libpq, too, the static binary must not load it.
refuses_servers() {
    for pad in postgres://127.0.0.1:1/pad redis://127.0.0.1:1; do
        HOME=$root/empty strace -f -qq -e trace=openat,open -o "$tmp/calls" "$root/jotter" --pad $pad read plan >"$tmp/out" 2>&1
        cat "$tmp/out"
        grep -q 'needs lib.*, which the static build does not have' "$tmp/out" && ! grep '\.so' "$tmp/calls" || return 1
    done
}
holds it_opens_no_library_for_a_pad_on_a_server refuses_servers

opens_no_library() {
    for words in 'read plan' 'search shipping' 'where' 'verify'; do
        HOME=$root/empty JOTTER_PAD=files:$root/empty/pad strace -f -qq -e trace=openat,open -o "$tmp/calls" "$root/jotter" $words || return 1
        ! grep '\.so' "$tmp/calls" || return 1
    done
}
holds it_opens_no_shared_library opens_no_library
echo "1..$n"
