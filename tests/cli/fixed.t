#!/bin/bash
# fixed.t - sentences that somebody else fixed: the product says each line of fixed.table exactly.
table=$(realpath "$(dirname "$0")")/fixed.table
. "$(dirname "$0")/lib.sh"
export JOTTER_PAD=files:pad
"$JOTTER" cycle init goal >/dev/null && cycle=$("$JOTTER" cycle wake --max 9) && run=$("$JOTTER" runs begin 'what?') || exit 1

said() {
    printf "$input" | eval "\"$JOTTER\" $command" >.out 2>.err
    [ -z "$line" ] || cat .out .err | grep -qxF -- "$line" && return 0
    sed 's/^/# /' .out .err
    return 1
}
while IFS= read -r row; do
    case $row in '#'* | '') continue ;; esac
    IFS=$'\x1f' read -r who input command line <<<"${row//$'\t'/$'\x1f'}"
    try "$who: ${line:-$command}" said
done <"$table"

plan
