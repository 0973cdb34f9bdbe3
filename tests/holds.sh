# holds.sh - for tests that are shell and print TAP: a directory of their own, and one case after another.
#
#   holds SENTENCE COMMAND...    one case; what the command had to say is shown if it fails
#   $tmp, $n, $failed            the directory, gone at the end; how many cases there were, and of them failed
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 failed=0

holds() {
    sentence=$1
    shift
    n=$((n + 1))
    if "$@" >"$tmp/log" 2>&1; then
        echo "ok $n - $sentence"
    else
        failed=$((failed + 1))
        echo "not ok $n - $sentence"
        sed 's/^/# /' "$tmp/log"
    fi
}
