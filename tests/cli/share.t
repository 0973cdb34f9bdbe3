#!/bin/bash
# share.t - tasks and plans that git carries, with git itself: two clones, pulls, merges, strangers.
cases=$(cd "$(dirname "$0")" && pwd)
. "$cases/lib.sh"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=$here/.gitconfig
git config --global user.name ann && git config --global user.email ann@example.org && git config --global init.defaultBranch main &&
    git config --global pull.rebase false

# Two people, ann in a/ and bob in b/, who meet in hub.git; ann has a pad that shares tasks and plans.
as_ann() { cd "$here/a" && export JOTTER_AS=ann; }
as_bob() { cd "$here/b" && export JOTTER_AS=bob; }
# send: what is here goes to the others; get: what they sent comes here.
send() { git add -A && git commit -qm more && git push -q; }
get() { git pull -q >/dev/null; }
clean() { [ -z "$(git status --porcelain)" ] || { git status --porcelain | sed 's/^/# /'; return 1; }; }
recorded() { find .jotter/streams -type f 2>/dev/null | wc -l; }
meet() {
    cd "$here" && rm -rf hub.git a b && git init -q --bare hub.git && git clone -q hub.git a 2>/dev/null && as_ann &&
        "$JOTTER" init --share tasks,plans >/dev/null && "$JOTTER" task add first 'the first' >/dev/null &&
        "$JOTTER" task add second 'the second' --needs first >/dev/null &&
        "$JOTTER" plan create ship 'ship it' --step build --step test >/dev/null && send && cd .. && git clone -q hub.git b
}

# --- What travels ------------------------------------------------------------------------------

carried() {
    meet && [ "$(git -C a ls-files | tr '\n' ' ')" = '.jotter/.gitignore .jotter/format .jotter/shared/kinds.json .jotter/shared/plans/ship.json .jotter/shared/tasks/first.json .jotter/shared/tasks/second.json ' ]
}
try 'git carries a file of each task and plan, and no stream' carried

cloned() {
    meet && as_bob && jot task list && says 'first' && says 'the second' && ends 0 && jot task ready && says first && jot plan show ship && says '1. [ ] build' &&
        jot status && says 'plans: 1, tasks: 2' && jot context && says 'the first' && jot where && says 'git carries its tasks, plans' && jot where --json &&
        says '"share":["tasks","plans"]' && clean && [ "$(recorded)" = 0 ]
}
try 'a clone shows tasks and plans before its first write, and looking leaves it as it is' cloned

mcp_list() {
    meet && as_bob && printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
        '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"task_list","arguments":{}}}' |
        "$JOTTER" mcp --tools tasks >"$here/.out" 2>"$here/.err"
    heard && says 'the second' && clean
}
try 'so does a server' mcp_list

there_and_back() {
    meet && as_bob && jot task start first && jot task done first 'it works' && jot plan step ship 1 done --evidence 'it links' && send && as_ann && get &&
        jot task list && says completed && jot plan show ship && says 'it links' && [ "$(git log --oneline | wc -l)" = 2 ] && clean || return 1
    jot task start second && ends 0 && jot task edit first --priority 3 && ends 64 && jot task history first && says 'pending -> completed  outside' &&
        grep -q '"holder": "ann"' .jotter/shared/tasks/second.json && send && as_bob && get && jot task start second && ends 75 && tells "'ann' has it"
}
try 'what one does the other sees after a pull, and goes on from there' there_and_back

both_at_once() {
    meet && as_bob && jot task edit first --priority 5 && jot task add third 'from bob' && send &&
        as_ann && jot task start first && jot task add fourth 'from ann' && git add -A && git commit -qm mine && git pull -q >/dev/null && [ -z "$(git diff --name-only --diff-filter=U)" ] &&
        jot task show first --json && says '"priority":5' && says '"status":"running"' && jot task list && says 'from bob' && says 'from ann' && jot verify && ends 0
}
try 'what two did to different parts of a task is merged by git and is both' both_at_once

taken_away() {
    meet && as_bob && git rm -q .jotter/shared/tasks/second.json && git commit -qm without && git push -q && as_ann && get && jot task list && ! grep -q second <<<"$out" &&
        jot task start second && ends 66 && jot task list && says first && clean
}
try 'a file that a pull removed takes its task along' taken_away

# --- Conflicts ---------------------------------------------------------------------------------

conflicted() {
    meet && as_bob && jot task start first && send && as_ann && jot task block first 'rain' && git add -A && git commit -qm mine && ! git pull -q >/dev/null 2>&1 || return 1
    grep -q '<<<<<<<' .jotter/shared/tasks/first.json && jot task list && says blocked && jot status && says 'conflict marks of git: shared/tasks/first' &&
        says "the file of task 'first' is not taken" && jot status --json && says '"refused":[{"stream":"shared/tasks/first"' && jot verify && ! ends 0 >/dev/null &&
        jot task unblock first && tells 'is not taken' && ends 75 && grep -q '<<<<<<<' .jotter/shared/tasks/first.json || return 1
    git checkout -q --theirs .jotter/shared/tasks/first.json && send && jot task list && says running && jot status && ! grep -q 'marks\|not taken' <<<"$out" &&
        jot verify && ends 0 && jot task fail first 'no luck' && ends 0 && jot task history first && says 'blocked -> running' || return 1
    "$JOTTER" history shared/tasks/first >/dev/null && for n in 1 2 3 4 5 6 7 8; do "$JOTTER" read shared/tasks/first --version $n 2>/dev/null; done | grep -q '<<<<<<<'
}
try 'conflict marks are named and not taken, the first change is refused, what is resolved counts, and both sides stay in the history' conflicted

illegal() {
    meet && as_ann && jot task start first && jot task done first ok && sed -i 's/"completed"/"pending"/' .jotter/shared/tasks/first.json && jot task list --json &&
        says '"status":"completed"' && says '"task_id":"first","why"' && jot status && says 'completed -> pending; allowed: none' && jot verify && says 'completed -> pending' &&
        ! ends 0 >/dev/null && git checkout -q .jotter/shared && jot task show first && says completed
}
try 'what no way leads to is told by list, status and verify' illegal

# --- Turning it on and off ---------------------------------------------------------------------

later() {
    cd "$here" && rm -rf later && git init -q later && cd later && jot init && jot task add one x && jot plan create p y --step z && [ ! -e .jotter/shared ] &&
        jot init --share tasks && says '1 file written' && [ -e .jotter/shared/tasks/one.json ] && [ ! -e .jotter/shared/plans ] && jot init --share tasks && says '0 files written' &&
        jot init --share tasks,plans && [ -e .jotter/shared/plans/p.json ] && git add -A && git ls-files | grep -q shared/plans/p.json && ! git ls-files | grep -q streams || return 1
    jot init --share none && says '2 files removed' && [ ! -e .jotter/shared/tasks/one.json ] && [ ! -e .jotter/shared/kinds.json ] && jot task list && says one &&
        jot plan list && says p && jot init --json && says '"share":[]' && jot init --share tasks,songs && ends 64 && tells "cannot share 'songs'"
}
try 'a pad that is there can be shared later, and taken back' later

elsewhere() {
    cd "$here" && jot init --pad "sqlite:$here/x.db" --share tasks && ! ends 0 >/dev/null && tells 'a sqlite: pad has no files that git could carry'
}
try 'a pad without files is refused with a sentence' elsewhere

branches() {
    meet && as_ann && git checkout -q -b without && git rm -rq .jotter/shared && git commit -qm without && jot task list && says first && jot task start first && ends 0 && clean &&
        git checkout -q main && jot task list && says running && jot status && says 'that do not show the newest: 1' && jot init --share tasks,plans && says '1 file written' &&
        grep -q running .jotter/shared/tasks/first.json
}
try 'on a branch that shares nothing the tasks are those of this machine, and back on the other their files are behind' branches

# --- Strangers ---------------------------------------------------------------------------------

planted() {
    meet && as_bob && cd .jotter/shared/tasks && ln -s /etc/passwd link.json && mkdir dir.json && touch dir.json/x && head -c 6000000 /dev/zero >huge.json &&
        printf '{"task_id":"loop","status":"pending","dependencies":["loop"]}' >loop.json && printf '{"task_id":"bell","status":"pending","description":"\\u0007\\u001b[31mred"}' >bell.json &&
        printf '{"task_id":"%s","status":"pending"}' 'a b' >'a b.json' && touch 'two
lines.json' .hidden.json && cd ../../.. && send && as_ann && get || return 1
    rm -f .jotter/shared/tasks/huge.json && mkfifo .jotter/shared/tasks/fifo.json && truncate -s 20000000 .jotter/shared/tasks/huge.json && cp .jotter/shared/tasks/first.json .jotter/shared/tasks/other.json || return 1
    jot task list && ends 0 && says first && says 'a b' && says bell && ! grep -q $'[\a\e]' <<<"$out" && jot task list --json && for id in link huge loop fifo other; do
        says "\"task_id\":\"$id\",\"why\":\"the file of task '$id' is not taken" || return 1
    done
    jot status && ends 0 && says "'loop' is not taken: it depends on itself" && says "it says that it is task 'first'" && jot context && ends 0 && jot verify && ! ends 0 >/dev/null && says 'link' &&
        jot task start first && ends 0 && jot task start 'a b' && ends 0 && jot task start loop && ends 64 && jot task start huge && ends 64 && [ -L .jotter/shared/tasks/link.json ]
}
try 'nothing that a stranger puts there breaks anything, and each thing has its sentence' planted

elsewhere_led() {
    meet && as_ann && mv .jotter/shared/tasks ../led && ln -s ../../../led .jotter/shared/tasks && jot task list && says first && tells 'a symlink leads to it' && jot task start first && ends 0 &&
        grep -q pending ../led/first.json && jot verify && ! ends 0 >/dev/null && says "the file of task 'first' is not taken" && rm .jotter/shared/tasks && mv ../led .jotter/shared/tasks || return 1
    mv .jotter/shared ../led && ln -s ../../led .jotter/shared && jot task list && says running && jot where && ! grep -q 'git carries' <<<"$out" && jot verify && ! ends 0 >/dev/null && says "'shared' is not a directory"
}
try 'a link out of the pad leads nowhere' elsewhere_led

once() {
    meet && as_ann && rm .jotter/shared/tasks/first.json && ln -s /etc/passwd .jotter/shared/tasks/first.json && printf '<<<<<<< a\n=======\n>>>>>>> b\n' >.jotter/shared/tasks/second.json && jot verify --json &&
        [ "$(grep -o '"stream":"shared/tasks/first"' <<<"$out" | wc -l)" = 1 ] && [ "$(grep -o '"stream":"shared/tasks/second","what":"its file holds' <<<"$out" | wc -l)" = 1 ] && says '"faults":2'
}
try 'verify tells of each file once' once

# --- Many --------------------------------------------------------------------------------------

many() {
    meet && as_ann && python3 -c '
for i in range(5000):
    open(".jotter/shared/tasks/n%d.json" % i, "w").write("{\n  \"task_id\": \"n%d\",\n  \"status\": \"pending\"\n}\n" % i)' && before=$(recorded) && git add -A && git commit -qm many &&
        jot task list --limit 1000 && jot status && says 'tasks: 5002' && jot context && jot task ready && [ "$(recorded)" = "$before" ] && jot task start n4711 && ends 0 &&
        [ "$(recorded)" -le $((before + 2)) ]
}
try 'a checkout of 5000 tasks is seen at once, and records none of them' many
plan
