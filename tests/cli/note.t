#!/bin/bash
# note.t - notes from the shell: exact answers, versions, history, conflicts, bad keys.
. "$(dirname "$0")/lib.sh"
mkdir .jotter

put() { printf "$2" | "$JOTTER" write "$1" >/dev/null; }
version_of() { "$JOTTER" read "$1" --json | sed 's/.*"version":"\([0-9a-f]*\)".*/\1/'; }
now() { [ "$("$JOTTER" read "$1")" = "$2" ] || { echo "# $1 is: $("$JOTTER" read "$1")"; return 1; }; }

exact() {
    out=$(echo text | "$JOTTER" write plan) code=0
    is "wrote 5 chars to scratchpad[plan]
version b9e68e1bea3e" && jot read plan && is text && printf 'a\0b\n' >bytes && "$JOTTER" write nul --file bytes >/dev/null &&
        "$JOTTER" read nul | cmp - bytes && "$JOTTER" delete nul >/dev/null
}
try 'write answers exactly, read gives the exact bytes' exact

as_argument() {
    jot write arg 'ship on friday' && ends 0 && is "wrote 15 chars to scratchpad[arg]
version $(version_of arg)" && echo 'ship on friday' | cmp - <("$JOTTER" read arg) &&
        jot append arg '- and tell ann' </dev/null && ends 0 && says 'appended 15 chars' && printf 'ship on friday\n- and tell ann\n' | cmp - <("$JOTTER" read arg) &&
        jot write arg $'two\nlines\n' && printf 'two\nlines\n' | cmp - <("$JOTTER" read arg) && jot write arg '' && ends 0 && says 'wrote 0 chars' && [ -z "$("$JOTTER" read arg)" ]
}
try 'a text can be an argument, and is a line' as_argument

not_stdin() { printf 'one\ntwo\n' | while read -r word; do "$JOTTER" append loop "$word" >/dev/null; done && now loop "one
two" && "$JOTTER" purge loop >/dev/null; }
try 'then standard input is left to whoever reads it' not_stdin

one_text() {
    echo file >a.file && jot write arg text --file a.file && ends 64 && tells 'give TEXT or --file, not both' && jot append arg text --file a.file && ends 64 && now arg '' &&
        jot write arg ship on friday && ends 64 && tells "no place for 'on'; several words need quotes: usage: jotter write KEY [TEXT]" && jot write arg $'a\xff' && ends 64 && tells 'must be UTF-8 text' &&
        jot write arg -- -x && ends 0 && now arg -x && "$JOTTER" purge arg >/dev/null
}
try 'two texts are refused, and change nothing' one_text

characters() { out=$(printf 'caf\303\251' | "$JOTTER" write cafe) && says 'wrote 4 chars' && "$JOTTER" purge cafe >/dev/null; }
try 'characters are counted, not bytes' characters

missing() { jot read none && ends 66 && tells 'jotter: scratchpad[none] not found'; }
try 'a key that is not there is not found' missing

list() { put b x; put a x; put ab x; jot list && is "a
ab
b
plan" && jot list a && is "a
ab" && jot list zz && is '' && tells '(empty)'; }
try 'list prints sorted keys, by prefix, or (empty)' list

no_pad() { jot --pad files:nowhere list && ends 66 && is '' && tells 'there is no pad' && [ ! -e nowhere ] && jot --pad files:nowhere read a && ends 66 && [ ! -e nowhere ]; }
try 'reading makes no pad' no_pad

binary() { printf 'a\377b' | "$JOTTER" write plan >.out 2>.err; code=$? err=$(cat .err); ends 64 && tells 'must be UTF-8 text: the byte at offset 1 is not' && now plan text; }
try 'what is not UTF-8 is refused and changes nothing' binary

if_version() {
    put cas 'one\n'; local v; v=$(version_of cas)
    out=$(echo two | "$JOTTER" write cas --if-version "$v") && says 'wrote 4 chars' || return 1
    echo three | "$JOTTER" write cas --if-version "$v" >.out 2>.err; code=$? out=$(cat .out) err=$(cat .err)
    ends 75 && tells 'scratchpad[cas] has changed: it is at version' && says 'two' && says 'three' && now cas two &&
        echo x | "$JOTTER" write cas --if-absent >.out 2>.err; code=$? err=$(cat .err); ends 75 && tells 'exists' && now cas two
}
try 'a write on condition of an older version shows both texts and changes nothing' if_version

merge() {
    put m 'a\nb\nc\nd\n'; local v; v=$(version_of m); put m 'A\nb\nc\nd\n'
    out=$(printf 'a\nb\nc\nD\n' | "$JOTTER" write m --if-version "$v" --json); says '"status":"conflict"' && says '"merge":"A\nb\nc\nD\n"' &&
        says '"mine":"a\nb\nc\nD\n"' || return 1
    out=$(printf 'a\nb\nc\nD\n' | "$JOTTER" write m --if-version "$v" --merge) && says ', merged' && now m 'A
b
c
D'
}
try 'a conflict has the clean merge, and --merge writes it' merge

edit() {
    put e 'one\ntwo\ntwo\n'
    jot edit e --old one --new 1 && says 'replaced 1 place in scratchpad[e], line 1' && jot edit e --old two --new 2 && ends 64 &&
        tells '2 times, at lines 2, 3' && jot edit e --old x --new y && ends 64 && tells 'is not in scratchpad[e]' && now e '1
two
two'
}
try 'edit replaces one exact place, or says why not' edit

editor() {
    put ed 'one\n'
    printf '#!/bin/sh\nsed -i s/one/two/ "$1"\n' >sed.sh; chmod +x sed.sh
    out=$(EDITOR=./sed.sh "$JOTTER" edit ed) && says 'wrote 4 chars' && now ed two && out=$(EDITOR=true "$JOTTER" edit ed) && says 'nothing was changed' || return 1
    EDITOR=false "$JOTTER" edit ed >.out 2>.err; code=$? err=$(cat .err); ends 130 && tells 'nothing was changed' && now ed two
}
try 'edit opens $EDITOR' editor

editor_ignored() { put ign 'one\n' && out=$(EDITOR=./sed.sh "${ignoring[@]}" SIGCHLD "$JOTTER" edit ign 2>&1) && says 'wrote 4 chars' && now ign two && "$JOTTER" purge ign >/dev/null; }
try 'what the editor left is written, also if the end of children is ignored around it' editor_ignored

editor_race() {
    put race 'a\nb\nc\nd\n'
    printf '#!/bin/sh\nprintf "A\\nb\\nc\\nd\\n" | "$JOTTER" write race >/dev/null\nsed -i s/%s/X/ "$1"\n' d >far.sh
    printf '#!/bin/sh\nprintf "Y\\nb\\nc\\nX\\n" | "$JOTTER" write race >/dev/null\nsed -i s/A/Z/ "$1"\n' >near.sh
    chmod +x far.sh near.sh; export JOTTER
    out=$(EDITOR=./far.sh "$JOTTER" edit race) && says 'merged with what others wrote' && now race 'A
b
c
X' || return 1
    TMPDIR=$here EDITOR=./near.sh "$JOTTER" edit race >.out 2>.err; code=$? out=$(cat .out) err=$(cat .err)
    ends 75 && says 'Z' && says 'Y' && tells 'your text is kept in' && grep -q Z "$(sed -n 's/.*kept in //p' .err)" && now race 'Y
b
c
X'
}
try 'what others write while the editor is open is merged, or both are kept' editor_race

append() {
    for i in 1 2 3 4 5 6; do
        (for k in 1 2 3 4 5; do echo "$i-$k" | "$JOTTER" append log >/dev/null || echo "# append failed"; done) &
    done
    wait
    [ "$("$JOTTER" read log | sort -u | wc -l)" = 30 ] && printf x | "$JOTTER" append log >/dev/null && echo y | "$JOTTER" append log --line >/dev/null &&
        [ "$("$JOTTER" read log | tail -2)" = 'x
y' ]
}
try 'no append of several processes is lost' append

bounds() {
    seq 100 | "$JOTTER" write hundred >/dev/null
    jot read hundred --lines 2:3 && is "2
3
[lines 2-3 of 100, about 4 of 200 tokens; more: jotter read hundred --lines 4:]
version 93d4e5c77838" && jot read hundred --lines 2:3 --raw && is "2
3" && jot read hundred --tokens 10 && says 'lines 1-5 of 100' && jot read hundred --lines 0 && ends 64 && tells "invalid lines '0'"
}
try 'bounded reads say what was left out, how to get it, and the version' bounds

older() {
    put old 'one\n'; put old 'two\n'; put old 'three\n'
    jot read old --version 1 && is one && jot read old --version '~1' && is two && jot read old --at 2000-01-01 && ends 66 &&
        tells 'has no version as old as' && jot read old --version zzz && ends 64 && tells 'names no version' &&
        jot read old --version '~99' && ends 66 && tells 'scratchpad[old] has no version 99 back' || return 1
    jot restore old 1 --if-version 000000000000 --json && ends 75 && says '"mine":"one\n"'
}
try 'older versions are read by seq, distance and time' older

none_of_mine() {
    put none 'one\n'; put none 'two\n'
    jot undo none --if-version 000000000000 && ends 75 && says 'present (version' && says two && [[ $out != *yours* ]] && jot undo none --if-version 000000000000 --json && ends 75 && says '"mine":null' &&
        jot delete none --if-version 000000000000 --json && ends 75 && says '"mine":null' && now none two
}
try 'a refused undo or delete has no text of the caller to show' none_of_mine

undo() {
    put u 'one\n'; put u 'two\n'; "$JOTTER" delete u >/dev/null
    jot undo u && says 'as it was at seq 2' && now u two && jot undo u && now u one && jot undo u && says deleted && jot read u && ends 66 &&
        jot undo u && ends 66 && tells 'there is nothing to undo' && jot restore u 2 && now u two
}
try 'undo walks back, also over a delete, and restore brings any version' undo

diff_blame() {
    put d 'one\ntwo\n'; printf 'one\n2\n' | "$JOTTER" --as bob write d >/dev/null
    jot diff d && says '-two
+2' && jot diff d 2 1 && says '-2
+two' && jot diff d now now && is '' && jot blame d && says 'bob' && [ "$(grep -c ' bob ' <<<"$out")" = 1 ] && jot diff d --json && says '"added":1,"removed":1'
}
try 'diff shows the last change or any other, blame who wrote which line' diff_blame

move() {
    put from 'text\n'; put taken 'other\n'
    jot move from taken && ends 75 && tells 'exists' && now taken other && jot move from to && now to text && jot read from && ends 66 &&
        jot history to && says '(from notes/from)'
}
try 'move refuses a key that is taken' move

history() {
    for i in 1 2 3; do put h "$i"; done
    jot history h && [ "$(awk '{print $1}' <<<"$out" | tr '\n' ' ')" = '3 2 1 ' ] && jot history h --limit 2 && tells '--before 2' &&
        jot history h --before 2 --json && says '"versions":[{' && says '"seq":1' && says '"more":false'
}
try 'history is newest first, in pages' history

deleted() { put del x; "$JOTTER" delete del >/dev/null; jot list --deleted del && is del && jot list del && is '' && tells '(empty)' && jot list --long h && says 'h        ann'; }
try 'list shows the deleted, or more about each' deleted

secret() {
    echo "token ghp_$(printf 'a1%.0s' $(seq 20))" | "$JOTTER" write secret >.out 2>.err; code=$? out=$(cat .out) err=$(cat .err)
    ends 0 && says 'wrote' && tells 'looks like a GitHub token' && tells "jotter redact secret" && printf 'ghp_%s' "$(printf 'a1%.0s' $(seq 20))" | "$JOTTER" redact secret --stdin >/dev/null &&
        now secret 'token [redacted]' && ! grep -rq ghp_a1a1 .jotter && "$JOTTER" purge secret >/dev/null && jot history secret && says delete && ! grep -rq redacted .jotter/streams
}
try 'a secret is stored with a warning, and can be redacted and purged' secret

redact() {
    put r 'one\n'; put r 'two\n'
    jot redact r && ends 64 && tells 'give one of VERSION, --text and --stdin' && jot redact r 2 && ends 64 && tells 'present text' && jot redact r 1 &&
        says 'redacted 1 record of' && jot read r --version 1 && ends 66 && tells 'was redacted'
}
try 'an old version can be redacted, the present one cannot' redact

documents() {
    echo doc | "$JOTTER" write memories/a.md >.out && out=$(cat .out) && says 'wrote 4 chars to memories/a.md' && jot read memories/a.md && is doc && jot list memories/ && is memories/a.md &&
        echo more | "$JOTTER" append memories/a.md >/dev/null && jot undo memories/a.md && now memories/a.md doc && jot read memories/none && ends 66 && tells "'memories/none' not found" &&
        jot history memories/a.md && says undo
}
try 'the same commands work on any document, by its whole name' documents

escapes() {
    printf 'red \033[31m\n' | "$JOTTER" write esc >/dev/null
    out=$(script -qec "'$JOTTER' read esc; '$JOTTER' diff esc; '$JOTTER' blame esc" /dev/null </dev/null) || return 1
    ! grep -q $'red \033' <<<"$out" && says '\x1B[31m'
}
if command -v script >/dev/null; then
    try 'escape sequences in stored text never reach a terminal' escapes
fi

prompt() {
    jot prompt && says scratchpad_read && says 'jotter rules show' && says constraints && says 'read it back' && jot prompt --short && says constraints && [ ${#out} -lt 2048 ] || return 1
    jot prompt --tools runs && says scratchpad_list && says run_call && [[ $out != *jotter* && $out != *--if-version* ]] && jot prompt --tools bogus && ends 64 && tells "there are no tools 'bogus'"
}
try 'prompt prints what to tell a model' prompt

init() {
    mkdir fresh && cd fresh && jot init && says "made files:$here/fresh/.jotter" && [ -e .jotter/format ] && jot init && says 'there already' && jot init --json && says '"made":false'
    local st=$?; cd .. ; return $st
}
try 'init makes a pad here' init

json() {
    local cmd
    put j 'one\n'; put j 'two\n'
    for cmd in 'read j' 'list' 'history j' 'diff j' 'blame j' 'undo j' 'restore j 2' 'edit j --old two --new 2' 'move j j2' 'redact j2 --text 2' 'delete j2' 'purge j2' 'prompt' 'read none' 'init'; do
        jot $cmd --json
        python3 -c 'import json,sys; json.loads(sys.argv[1])' "$out" 2>/dev/null && [ "$(wc -l <"$here/.out")" = 1 ] || { echo "# $cmd: $out"; return 1; }
    done
}
try 'every command answers with one JSON value' json

# Every verb, both arguments of those that have two, on both engines, one sentence.
bad_keys() {
    local key verb url want before
    local engines='files:bad sqlite:bad.db'
    local -a verbs=('write K' 'read K' 'move K new' 'move kept K')
    if [ "${JOT_TEST_VOLUME-}" = small ]; then
        engines=files:bad
    else
        verbs+=('append K' 'edit K --old a --new b' 'edit K' 'delete K' 'history K' 'diff K' 'undo K' 'restore K 1' 'blame K' 'purge K' 'redact K 1')
    fi
    for url in $engines; do
        echo kept | "$JOTTER" --pad "$url" write kept >/dev/null
        before=$("$JOTTER" --pad "$url" list memories/ --deleted; "$JOTTER" --pad "$url" list --long --json; "$JOTTER" --pad "$url" list --deleted)
        for key in . .. ../x ../../etc/evil a/../b /abs a//b 'a\b' %2e%2e%2f $'a\nb' $'\x7f' $'\xc0\xae' $'\xed\xa0\x80' $'\xef\xbb\xbfa' \
            $'a\xe2\x80\xae' $'a\xe2\x80\x8b' $'cafe\xcc\x81' 'a.' 'a ' .a .plan.new plan.txt plan.md a/.b 'a/b ' "x') OR '1'='1" '$(touch pwned)' '*?[' '' notes/../x \
            "$(printf 'k%.0s' $(seq 129))" "$(printf 'k%.0s' $(seq 255))" "$(printf 'k%.0s' $(seq 256))" "$(printf 'k%.0s' $(seq 4096))"; do
            want=
            for verb in "${verbs[@]}"; do
                set --
                for word in $verb; do [ "$word" = K ] && word=$key; set -- "$@" "$word"; done
                "$JOTTER" --pad "$url" "$@" </dev/null >.out 2>.err; code=$? err=$(cat .err)
                ends 64 || { echo "# $verb '$key' on $url"; return 1; }
                [ -n "$want" ] || want=$err
                case $key in '') tells 'key cannot be empty' ;; kkk*) tells 'use at most 128 bytes' ;; *) tells 'invalid key ' ;; esac || return 1
                [ "$err" = "$want" ] && [ "$(wc -l <.err)" = 1 ] || { echo "# $verb '$key' on $url says: $err"; return 1; }
            done
        done
        [ "$before" = "$("$JOTTER" --pad "$url" list memories/ --deleted; "$JOTTER" --pad "$url" list --long --json; "$JOTTER" --pad "$url" list --deleted)" ] || return 1
    done
    [ ! -e pwned ]
}
try 'every bad key gets the same sentence from every verb on both engines, and nothing changes' bad_keys

odd_keys() {
    local key
    for key in Plans plan CON -x _ format 0 a/b $'gr\xc3\xb6\xc3\x9fe' 'My note'; do echo "$key" | "$JOTTER" --pad sqlite:bad.db write -- "$key" >/dev/null && echo "$key" | "$JOTTER" --pad files:bad write -- "$key" >/dev/null || return 1; done
    for key in Plans plan CON -x _ format 0 a/b $'gr\xc3\xb6\xc3\x9fe' 'My note'; do [ "$("$JOTTER" --pad sqlite:bad.db read -- "$key")" = "$key" ] && [ "$("$JOTTER" --pad files:bad read -- "$key")" = "$key" ] || return 1; done
}
try 'keys that look odd are keys and differ from each other' odd_keys

more_notes() {
    for key in p1 p2 p3; do echo text | "$JOTTER" --pad files:more write $key >/dev/null || return 1; done
    jot --pad files:more list --limit 2 && is $'p1\np2' && tells "there are more: --after 'p2'" && jot --pad files:more list --after p2 && is p3
}
try 'a list that is cut says how to go on' more_notes

no_pad() {
    jot --pad files:typo read plan && ends 66 && tells "scratchpad[plan] not found: there is no pad 'files:typo'" &&
        jot --pad files:typo verify && ends 66 && tells "pad 'files:typo': there is no pad" && : >file && jot --pad files:file list && ends 64 && tells "pad 'files:file'"
}
try 'a pad that cannot be used is named' no_pad

plan
