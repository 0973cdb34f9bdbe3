# lib.sh - words for tests of the command line.  Each test runs in a directory of its own, on a pad
# of its own; $JOTTER is the program.
#
#   try 'a sentence that is true' COMMAND...    one case: passes if the command does
#   jot ARGS...                                 run jotter; out, err and code are set
#   says TEXT / tells TEXT                      standard output / standard error holds TEXT
#   ends CODE                                   the exit code was CODE
#   until_true COMMAND...                       wait until the command succeeds, five minutes at most
#   lines FILE N                                the file has at least N lines
#   "${ignoring[@]}" SIG,... PROGRAM ARGS...    run it with these signals ignored
set -u
umask 077
here=$(mktemp -d "${TMPDIR:-/tmp}/jotter-cli-XXXXXX")
trap 'rm -rf "$here" "$here-state" "$here-config"' EXIT
cd "$here" || exit 1
unset JOTTER_PAD JOTTER_AS JOTTER_LEASE NO_COLOR
export JOTTER_PAGER=cat HOME=$here USER=ann XDG_DATA_HOME=$here/data LC_ALL=C.UTF-8
# Not in the working directory, where an agent's commands would have to be kept out of it.
export XDG_STATE_HOME=$here-state XDG_CONFIG_HOME=$here-config
count=0 bad=0 out='' err='' code=0

jot() {
    "$JOTTER" "$@" >"$here/.out" 2>"$here/.err"
    code=$?
    heard
}

# Take up what a command said into .out and .err: out, err.
heard() { out=$(<"$here/.out") err=$(<"$here/.err"); }

remark() { printf '# %s\n' "${1//$'\n'/$'\n'# }"; } # each line of it
says() { case $out in *"$1"*) ;; *) remark "standard output: $out"; remark "does not say: $1"; return 1 ;; esac; }
tells() { case $err in *"$1"*) ;; *) remark "standard error: $err"; remark "does not tell: $1"; return 1 ;; esac; }
is() { [ "$out" = "$1" ] || { remark "standard output: $out"; remark "is not: $1"; return 1; }; }
ends() { [ "$code" = "$1" ] || { remark "ended with $code, not $1: $err"; return 1; }; }

try() {
    local sentence=$1
    shift
    count=$((count + 1))
    if "$@"; then
        echo "ok $count - $sentence"
    else
        echo "not ok $count - $sentence"
        bad=1
    fi
}

lines() { [ "$(wc -l <"$1")" -ge "$2" ]; }

# Only keeps a mistake from hanging: it measures nothing.
until_true() {
    for _ in $(seq 3000); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    echo "# never happened: $*"
    return 1
}

# Starts a program with signals ignored, as a supervisor or nohup does; it becomes that program.
ignoring=(python3 -c 'import os, signal, sys
for name in sys.argv[1].split(","):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
os.execv(sys.argv[2], sys.argv[2:])')

plan() {
    echo "1..$count"
    exit $bad
}
