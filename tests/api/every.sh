#!/bin/sh
# every SOURCE: each function of jotter.h is used by a test here, given wrong arguments, in the manual.
set -u
cd "$1" || exit 1
n=0
manual=$(mktemp)
trap 'rm -f "$manual"' EXIT
tools/man3 include/jotter.h >"$manual"

# holds SENTENCE NAME FILE...: the name stands as a word in one of the files.
holds() {
    sentence=$1 name=$2
    shift 2
    n=$((n + 1))
    if grep -q -w "$name" "$@"; then
        echo "ok $n - $name $sentence"
    else
        echo "not ok $n - $name $sentence"
    fi
}

uses=$(ls tests/api/test_*.c tests/api/caller.c | grep -v arguments)
for name in $(sed -n 's/^JOT_API .*[ *]\(jot_[a-z0-9_]*\)(.*/\1/p' include/jotter.h); do
    holds 'is used' "$name" $uses
    holds 'is in the manual' "$name" "$manual"
    case $name in
    jot_version | jot_status_name | jot_str | jot_tokens | jot_prompt | jot_new) ;; # they take no pad
    *) holds 'is given wrong arguments' "$name" tests/api/test_arguments.c ;;
    esac
done
[ $n -gt 0 ] || echo "not ok 1 - jotter.h declares something"
echo "1..$n"
