#!/bin/sh
# examples SOURCE BUILD JOTTER: the examples, the tour and the demonstration do what they say, on each engine, as anybody.
set -u
source=$1 build=$2 JOTTER=$3
export JOTTER
. "$(dirname "$0")/../holds.sh"

# prints URL PROGRAM LINE...: the program succeeds on that pad, and prints each of these.
prints() {
    url=$1 program=$2
    shift 2
    "$build/$program" "$url" >"$tmp/out" 2>&1 || { cat "$tmp/out" && return 1; }
    cat "$tmp/out"
    for line; do
        grep -q -F -- "$line" "$tmp/out" || { echo "it does not print: $line" && return 1; }
    done
}

for engine in files sqlite; do
    pad=$engine:$tmp/$engine
    holds "write_read writes and reads ($engine)" prints "$pad" write_read 'ship on friday'
    holds "write_read does so again ($engine)" prints "$pad" write_read 'ship on friday'
    holds "two agents merge, and one is fenced ($engine)" prints "$pad" two_agents \
        'bob was told' 'monday: test' 'wednesday: ship' 'is leased to ann' 'nothing was written'
    holds "a context keeps its budget ($engine)" prints "$pad" run_budget '20 results' 'of 4000 tokens' 'left out: results 1 to'
done

# What they need is copied, so that a user who may not look into the build can run them too.
mkdir -p "$tmp/examples" "$tmp/bin" "$tmp/root" "$tmp/anybody"
cp "$source/tour" "$source/demo" "$source/demo.yaml" "$tmp/examples/"
unset JOTTER_MODEL ANTHROPIC_API_KEY OPENAI_API_KEY
cp "$JOTTER" "$tmp/bin/jotter"
chmod 755 "$tmp" "$tmp/examples" "$tmp/bin"
tour() { JOTTER=$tmp/bin/jotter JOTTER_TOUR=$1/tour "$tmp/examples/tour"; }
holds 'the tour ends well' tour "$tmp/root"
holds 'the tour ends well a second time' tour "$tmp/root"

demo() { JOTTER=$tmp/bin/jotter JOTTER_DEMO=$1/demo "$tmp/examples/demo"; }
holds 'the demonstration ends well' demo "$tmp/root"

as_nobody() {
    JOTTER=$tmp/bin/jotter JOTTER_TOUR=$tmp/anybody/tour JOTTER_DEMO=$tmp/anybody/demo HOME=/nonexistent \
        setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/examples/$1"
}
if [ "$(id -u)" -eq 0 ] && chown 65534:65534 "$tmp/anybody" 2>/dev/null; then
    holds 'the tour ends well for an ordinary user' as_nobody tour
    holds 'the demonstration ends well for an ordinary user' as_nobody demo
else
    for what in tour demonstration; do
        n=$((n + 1))
        echo "ok $n - the $what ends well for an ordinary user # SKIP this is one already"
    done
fi
echo "1..$n"
