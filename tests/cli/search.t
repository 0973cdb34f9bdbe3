#!/bin/bash
# search.t - finding things from the shell.
. "$(dirname "$0")/lib.sh"
export JOTTER_PAD=files:$here/pad

put() { printf '%s' "$2" | "$JOTTER" --as "${3:-ann}" write "$1" >/dev/null; }

missing() { jot search anything && ends 66 && tells 'there is no pad here' && [ ! -e "$here/pad" ]; }
try 'a pad that was named and is not there is an error, and is not made' missing

put ops 'Backups run nightly; restore with parseConfig from src/main.c' && put zh '数据库备份每天运行' bob

words() { jot search restoring backup && ends 0 && says 'notes/ops' && says '**Backups** run nightly; **restore**' && says 'version ' && says ' tokens'; }
try 'a hit has its name, version, cost and the words that were found' words

dense() { jot search 备份 && says 'notes/zh' && says '数据库**备份**每天运行'; }
try 'Chinese is found without spaces' dense

several() { jot search parse_config && says notes/ops && jot search '"restore with"' && says notes/ops && jot search 'night*' && says notes/ops; }
try 'identifiers, phrases and beginnings are found' several

filters() { jot search 备份 --by ann && is '' && tells '(nothing found)' && jot search 备份 --by bob --kind notes --since 1d --until 2999-12-31 && says notes/zh; }
try 'agent, kind and time are filters' filters

bad() {
    jot search && ends 64 && tells 'usage: jotter search' &&
        jot search '"open' && ends 0 && is '' && tells '(nothing found)' &&
        jot search x --kind leases && ends 64 && tells "no kind 'leases'" &&
        jot search x --since never && ends 64 && tells "--since 'never': use 2026-01-31" &&
        jot search x --limit 0 && ends 64 && tells '--limit'
}
try 'bad questions get one sentence' bad

json() {
    jot search backup --json --explain && ends 0 && says '"stream":"notes/ops"' && says '"snippet":"**Backups**' && says '"words":' && says '"more":false' &&
        jot search x --kind leases --json && ends 64 && says '"status":"invalid"'
}
try 'with --json hits and failures are JSON' json

evidence() {
    put copy 'Backups run nightly; restore with parseConfig from src/main.c' &&
        jot search backups --budget 300 && ends 0 && says 'version ' && says '| Backups run nightly' && says '(1 more says the same)' && ! says notes/ >/dev/null &&
        jot search backups --budget 300 --json && says '"from_line":1' && says '"same":1' && says '"left_out":[]' &&
        jot search nowhere --budget 300 && is '(nothing found)' &&
        jot search x --budget 99 && ends 64 && tells '--budget' && jot search x --budget 300 --explain && ends 64 && tells 'use one' && jot delete copy
}
try 'with --budget the lines that matter are shown, nothing twice' evidence

explained() { jot search backup --explain && says 'score ' && says 'words '; }
try 'a rank is explained' explained

reindexed() { rm -r "$here/pad/index.d" && jot search --reindex && is 'the index was rebuilt' && jot search backup && says notes/ops && jot where && says 'index      '; }
try 'the index may be deleted and made again' reindexed

purged() {
    put secret 'the word is xylophonequartz' && jot search xylophonequartz && says notes/secret &&
        jot search --reindex && grep -rq xylophonequartz "$here/pad/index.d" && jot purge secret && ends 0 &&
        ! grep -rq xylophonequartz "$here/pad" && jot search xylophonequartz && is ''
}
try 'purged text is in no file of the pad' purged

redacted() {
    put b 'first the word sphinxquartzite' && jot search sphinxquartzite && says notes/b && put b 'then another' &&
        jot redact b 1 && ends 0 && ! grep -rq sphinxquartzite "$here/pad"
}
try 'redacted text is in no file of the pad' redacted

mode() { [ "$(stat -c %a "$here/pad/index.d")" = 700 ]; }
try 'the index is its owner'"'"'s alone' mode

sqlite() {
    export JOTTER_PAD=sqlite:$here/pad.db
    put one 'apple tree' && jot search trees && says notes/one && [ -e "$here/pad.db.index" ]
}
try 'a sqlite pad has its index beside it' sqlite

plan
