#!/bin/bash
# json.t - every command answers with exactly one JSON value if --json is given, also when it fails.
#
# The commands are those that completion offers, so that a new one without a line here is noticed.
# A line is: the command | how it succeeds | how it fails.  Answers are collected and read in one go.
docs=$(realpath "$(dirname "$0")")/../../docs/cli.md
cases=$(realpath "$(dirname "$0")")
. "$(dirname "$0")/lib.sh"
export EDITOR='sed -i s/a/b/'
mkdir answers
unset JOTTER_MODEL ANTHROPIC_API_KEY OPENAI_API_KEY
echo '- text: It is so.' >answer.yaml
echo "- text: '{\"tool\": \"done\", \"args\": {\"summary\": \"done\"}}'" >done.yaml

# The commands, each with its words, as completion has them; what it offers behind some of them are
# no further words of the command.
walk() {
    local word below
    case $* in help | setup | completion) return ;; esac
    for word in $("$JOTTER" --pad files:nowhere complete -- "$@" ''); do
        below=$(walk "$@" "$word")
        [ -n "$below" ] && printf '%s\n' "$below" || echo "$@" "$word"
    done
}
walk | sed 's/^ *//' | sort >commands

# WORDS are read by a shell, so that they can be quoted; $run, $id and the like are known.
cat >table <<'TABLE'
init | init | init --pad nonsense:x
write | write plan | write 'no*key'
append | append plan --line | append plan --if-version 000000000000
read | read plan --tokens 3 | read none
edit | edit plan | edit plan --old zzz --new y
list | list --long --deleted | list 'no*prefix'
move | move plan plan2 | move none other
history | history plan2 | history none
diff | diff plan2 1 1 | diff plan2 9999
undo | undo plan2 | undo none
redo | redo plan2 | redo plan2
restore | restore plan2 1 | restore plan2 9999
blame | blame plan2 | blame none
redact | redact plan2 --text more | redact plan2 --text 'is nowhere'
search | search --explain text | search --kind nonsense text
delete | delete plan2 | delete plan2
purge | purge plan2 | purge none
prompt | prompt --short | prompt nonsense
models | models | models nobody-knows
rules list | rules list | rules list nonsense
rules show | rules show | rules show nonsense
rules approve | jotter-approve | rules approve none
rules revoke | rules revoke pinned-j | rules revoke pinned-j
artifact write | artifact write planning p1 --type t --task t1 <<<'{"a": 1}' | artifact write planning p2 <<<'{'
artifact read | artifact read planning p1 | artifact read planning none
artifact list | artifact list planning | artifact list 'a/../b'
artifact find | artifact find --task t1 | artifact find --frobnicate
artifact ref | artifact ref planning p1 | artifact ref planning none
artifact delete | artifact delete planning p1 | artifact delete planning p1
artifact index write | artifact index write planning by-x <<<'{"a": 1}' | artifact index write planning by-x <<<'{'
artifact index read | artifact index read planning by-x | artifact index read planning none
artifact index list | artifact index list planning | artifact index list 'a/../b'
artifact index delete | artifact index delete planning by-x | artifact index delete planning by-x
line-log append | line-log append planning steps 'a line' | line-log append planning '../x' x
line-log read | line-log read planning steps | line-log read planning none
line-log follow | line-log follow planning steps --from 1 --for 0 | line-log follow planning '../x'
line-log list | line-log list planning | line-log list 'a/../b'
task add | task add t1 'to do' --retries 2 | task add t1 'to do'
task next | task add t9 --priority 9 && task next | task next none
task edit | task edit t1 'to do soon' | task edit t1 'to do soon'
task cancel | task cancel t9 | task cancel t9
task ready | task ready t1 | task ready none
task list | task list | task list --status nonsense
task read | task read t1 | task read none
task move | task add t0 && task move t0 blocked --reason why | task move t0 odd
task start | task start t1 | task start none
task block | task block t1 why | task block none why
task unblock | task unblock t1 | task unblock t1
task fail | task start t1 && task fail t1 why | task fail t1 why
task retry | task retry t1 | task retry t1
task done | task start t1 && task done t1 result | task done t1
task history | task history t1 | task history none
plan create | plan create p1 'know it' --step look --post known | plan create p1 'know it'
plan list | plan list | plan list none
plan show | plan show p1 | plan show none
plan step | plan step p1 1 done --evidence seen | plan step p1 1 done --evidence '' && plan step p1 9 done
plan verify | plan verify p1 1 seen | plan verify p1 2 seen
checkpoint write | checkpoint write r1 <<<'{"a": 1}' | checkpoint write '../x' <<<'{}'
checkpoint list | checkpoint list r1 | checkpoint list '../x'
checkpoint read | checkpoint read r1 | checkpoint read r1 99
checkpoint undo | checkpoint write r1 <<<'{"a": 2}' && checkpoint undo r1 | checkpoint undo none
checkpoint trim | checkpoint trim r1 --keep 1 | checkpoint trim r1
sink write | sink write call_1 --tool fetch | sink write call_1
sink read | sink read call_1 | sink read none
sink view | sink view call_1 | sink view none
runs list | runs list | runs list --limit 0
runs begin | runs begin 'a question' | runs begin --frobnicate
runs say | runs say last thinking hm | runs say last nonsense x
runs call | runs call last fetch --args '{}' --call c1 | runs call none fetch
runs finish | runs finish last fetch done --call c2 | runs finish none fetch x
runs read | runs read last | runs read none
runs result | runs result last c1 result | runs result last none x
runs results | runs results last | runs results none
runs compact | runs compact last summary | runs compact none x
runs clear | runs clear last --keep 1 | runs clear last
runs usage | runs usage last | runs usage none
runs unfinished | runs unfinished last | runs unfinished none
runs final | runs final last | runs final none
runs redact | runs redact last --text 'a question' | runs redact last --text 'is nowhere'
context | context --run last --budget 1000 | context --budget 0
runs purge | runs purge last | runs purge none
cycle init | cycle init 'a goal' | cycle init 'a goal'
cycle run | cycle run --agent runner --model script:done.yaml | cycle run --model script:none.yaml
cycle status | cycle status | cycle status --agent 'no name'
cycle wake | cycle wake | cycle wake
cycle step | cycle step $id <<<'{"tool": "look", "args": {}}' | cycle step none <<<'{}'
cycle sleep | cycle step $id --result <<<seen && cycle sleep $id | cycle sleep none
cycle list | cycle list | cycle list --limit x
cycle read | cycle read $id --before | cycle read none
cycle steps | cycle steps $id | cycle steps none
cycle log | cycle log $id | cycle log none
cycle diff | cycle diff $id | cycle diff none
cycle explain | cycle explain $id | cycle explain none
cycle fail | cycle fail $(jotter cycle wake) why | cycle fail none
cycle reset | cycle reset --clean | cycle reset --template none
lease acquire | lease acquire plan | lease acquire plan
lease renew | lease renew $token | lease renew 999
lease list | lease list | lease list nonsense
lease check | lease check other | lease check plan
lease release | lease release $token | lease release $token
lease run | lease run plan -- echo output | lease run '../x' -- true
export | export pad.jotter | export pad.jotter
import | import pad.jotter --pad files:second | import none.jotter
copy | copy sqlite:copy.db | copy nonsense:x
verify | verify | verify --pad files:nowhere
doctor | doctor --fix | doctor --pad files:nowhere
embed | embed --dry-run | embed nonsense
gc | gc --keep 20 --dry-run | gc
stats | stats | stats nonsense
status | status | status nonsense
watch | watch --count 1 | watch --count x
where | where | where --pad nonsense:x
safe add | safe add . | safe add none
safe list | safe list | safe list nonsense
safe remove | safe remove . | safe remove .
setup | setup codex | setup nonsense
serve | serve | serve nonsense
run | run 'a question' --model script:answer.yaml | run 'a question' --model script:none.yaml
mcp | mcp <<<'{"jsonrpc":"2.0","id":1,"method":"ping"}' | mcp --tools nonsense
memory-tool | memory-tool <<<'{"command":"view","path":"/memories"}' | memory-tool <<<'{'
demo | demo | demo nonsense
help | help lease run | help nonsense
completion | completion fish | completion csh
TABLE

cut -d '|' -f 1 table | sed 's/ *$//' | sort >told
all() { diff commands told | sed 's/^/# /'; cmp -s commands told; }
try 'every command is in this test' all

documented() {
    local ok=0 words last
    while read -r words; do
        last=${words##* }
        # With its whole name, or beside its siblings: `read\|list`, `x`, `list`.
        grep -qE "\`(jotter )?$words[ \`]" "$docs" ||
            { [ "$last" != "$words" ] && grep -E "jotter ${words% *}[ |]" "$docs" | grep -qE "[|\`, ]$last[\\\\ \`]"; } ||
            { echo "# docs/cli.md does not tell of: $words"; ok=1; }
    done <commands
    return $ok
}
try 'every command is in the documentation' documented

# Run what the line says, with --json in each call; the last answer is kept.
jotter() { "$JOTTER" "$@"; }
answer() { # NAME WORDS
    local part rest=$2
    while [ -n "$rest" ]; do
        part=${rest%% && *}
        [ "$part" = "$rest" ] && rest='' || rest=${rest#* && }
        case $part in *' -- '*) part=${part/ -- / --json -- } ;; *'<<<'*) part=${part/<<</--json <<<} ;; *) part="$part --json" ;; esac
        case $part in *'<<<'*) ;; *) part="$part <<<'some text'" ;; esac
        eval "timeout 300 \"\$JOTTER\" $part" >"answers/$1" 2>"answers/.err"
        code=$?
    done
    echo $code >"answers/$1.code"
}
value_of() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "answers/$1" "$2"; }
approve_one() {
    jotter write pinned-j <<<text >/dev/null 2>&1
    python3 "$cases/person.py" 'for no: ' 'yes\n' -- /bin/sh -c "'$JOTTER' rules approve pinned-j --json >.approved" >/dev/null && cat .approved
}
id='' token=''
while IFS='|' read -r name good fails; do
    name=$(echo $name | tr ' ' -)
    case $name in
    init) rm -rf .jotter ;;
    move) echo "$(printf 'some text\nmore\n')" | jotter write plan >/dev/null ;;
    embed) export JOTTER_EMBED=http://127.0.0.1:1/v1#tiny ;; # a dry run sends nothing
    serve) "$JOTTER" serve 127.0.0.1:0 >.serving 2>&1 & server=$!
        until [ -s .serving ] || ! kill -0 $server; do sleep 0.05; done ;;
    watch) (while sleep 0.1; do jotter write watched <<<"$RANDOM" >/dev/null; done) & writer=$! ;;
    esac
    case $name in
    # Somebody at a terminal says yes; the answer goes to standard output.
    rules-approve) approve_one >answers/rules-approve.good && echo 0 >answers/rules-approve.good.code ;;
    *) answer "$name.good" "$(echo $good)" ;;
    esac
    case $name in
    embed) unset JOTTER_EMBED ;;
    watch) kill $writer 2>/dev/null; wait $writer 2>/dev/null ;;
    serve) kill $server; wait $server ;;
    cycle-wake) id=$(value_of cycle-wake.good cycle) ;;
    lease-acquire) token=$(value_of lease-acquire.good token) ;;
    esac
    answer "$name.fails" "$(echo $fails)"
done <table

cat >check.py <<'PY'
import json, os, sys
bad = 0
for name in sorted(os.listdir("answers")):
    if name.endswith(".code") or name.startswith("."):
        continue
    text = open("answers/" + name, encoding="utf-8").read()
    code = int(open("answers/" + name + ".code").read())
    try:
        many = name.startswith(("watch.good", "line-log-follow.good"))
        values = [json.loads(line) for line in text.splitlines()]
        if not text.endswith("\n") and not (many and not text):
            raise ValueError("no line break at its end")
        if len(values) != 1 and not many:
            raise ValueError("%d lines" % len(values))
        if name.endswith(".good") and code != 0:
            raise ValueError("exit code %d" % code)
        if name.endswith(".fails") and (code == 0 or not {"status", "error", "retry"} <= set(values[0])):
            raise ValueError("no failure: exit code %d" % code)
    except Exception as why:
        print("# %s: %s: %s" % (name, why, text[:200].strip()))
        bad = 1
sys.exit(bad)
PY
try 'every command answers with one JSON value, if it succeeds and if it fails' python3 check.py

# What an answer has is a promise to programs: json.golden has the members of each command's answer and
# what they are.  New ones may come; one that goes or becomes something else is a change of "schema"
# (jotter version --json).
#   JOT_GOLDEN=write JOTTER=$PWD/build/jotter tests/cli/json.t    write json.golden again
cat >shapes.py <<'PY'
import json, os, re, sys
MOMENT = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
MOMENTS = {"at", "created", "started", "ended", "oldest"}
DEEP = {"meta", "data", "state", "args", "options"}  # somebody else's
bad = 0

def walk(name, value, path, into):
    global bad
    if isinstance(value, dict):
        into.add(path + " object")
        for key, one in value.items():
            if path.rsplit(".", 1)[-1] not in DEEP:
                walk(name, one, path + "." + key, into)
    elif isinstance(value, list):
        into.add(path + " list")
        for one in value:
            walk(name, one, path + "[]", into)
    else:
        last = path.rsplit(".", 1)[-1]
        kind = {bool: "bool", int: "number", float: "number", str: "text", type(None): "null"}[type(value)]
        if last in MOMENTS and value is not None and not (kind == "text" and MOMENT.match(value)):
            print("# %s: %s is no moment: %r" % (name, path, value))
            bad = 1
        if last in ("time", "timestamp", "ts", "date"):
            print("# %s: %s: a moment is called 'at'" % (name, path))
            bad = 1
        into.add("%s %s" % (path, "moment" if last in MOMENTS and kind == "text" else kind))

lines = []
for name in sorted(os.listdir("answers")):
    if not name.endswith(".good"):
        continue
    shape = set()
    for line in open("answers/" + name, encoding="utf-8"):
        walk(name, json.loads(line), "", shape)
    lines += ["%s%s" % (name[:-5], one) for one in sorted(shape) if one != " object"]
text = "".join(line + "\n" for line in lines)
golden = sys.argv[1]
if os.environ.get("JOT_GOLDEN") == "write":
    open(golden, "w").write(text)
else:
    was, now = set(open(golden).read().splitlines()), set(text.splitlines())
    for line in sorted(was - now):
        print("# no more: " + line)
    bad = bad or not was <= now  # new members may come
sys.exit(bad)
PY
try 'every answer has the members that json.golden has, and every moment is RFC 3339' python3 shapes.py "$cases/json.golden"

early() { for words in 'nonsense --json' '--json nonsense' 'list --frobnicate --json' 'read --json' '--json' 'list --pad --json --limit'; do
    jot $words
    ends 64 && says '"status":"invalid"' && [ -z "$(echo "$err" | grep '^jotter: ')" ] || { echo "# $words"; return 1; }
done; }
try 'words that are wrong are told as JSON too' early

plain() { jot read --json -- --json && ends 66 && says not_found && jot read -- --json && ends 66 && tells 'scratchpad[--json] not found'; }
try 'behind two dashes --json is a word like others' plain

version() { jot --version --json && ends 0 && says '{"version":"0.' && says '"schema":1}' && jot write --help --json && ends 0 && says '{"help":"usage: jotter write' &&
    jot help --man --json && ends 0 && says '{"man":"'; }
try 'version, help and the manual page are told as JSON' version

no_terminal() { unset EDITOR VISUAL; jot edit plan </dev/null && ends 64 && tells 'there is no terminal for an editor'; }
try 'without a terminal no editor is started that was not asked for' no_terminal

plan
