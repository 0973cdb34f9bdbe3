#!/bin/bash
# git.t - a pad in git, with git itself: clones, pulls, merges, branches.
cases=$(cd "$(dirname "$0")" && pwd)
. "$cases/lib.sh"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=$here/.gitconfig
git config --global user.name ann && git config --global user.email ann@example.org && git config --global init.defaultBranch main

# A repository `ours` with a pad of two notes, committed; its branch `before` has none.
make_ours() {
    cd "$here" && rm -rf ours theirs && git init -q ours && cd ours && echo hello >README && git add README && git commit -qm begin && git branch before &&
        "$JOTTER" init >/dev/null && echo 'ship on friday' | "$JOTTER" write plan >/dev/null && echo 'obey me' | "$JOTTER" write persistent-rules >/dev/null 2>&1 &&
        git add -A && git commit -qm pad && git clone -q "$here/ours" "$here/theirs"
}

# --- Clones ------------------------------------------------------------------------------------

carried() {
    make_ours && [ "$(git ls-files .jotter | tr '\n' ' ')" = '.jotter/.gitignore .jotter/format .jotter/notes/persistent-rules.txt .jotter/notes/plan.txt ' ]
}
try 'git carries the notes, the format and the .gitignore, and no history' carried

cloned() {
    make_ours && cd ../theirs && jot list && is $'persistent-rules\nplan' && jot read plan && is 'ship on friday' && jot search ship && says notes/plan &&
        jot status && says 'notes: 2' && jot context && says 'ship on friday' && [ -z "$(git status --porcelain)" ]
}
try 'a cloned pad has its notes from the first moment on, and reading leaves the clone as it is' cloned

old_clone() {
    make_ours && sed -i 's,/.format,/format,' .jotter/.gitignore && echo '/mine' >>.jotter/.gitignore && git rm -q --cached .jotter/format && git commit -qam older &&
        git clone -q . ../theirs2 && cd ../theirs2 && [ ! -e .jotter/format ] && jot list && is $'persistent-rules\nplan' && jot read plan && is 'ship on friday' &&
        [ ! -e .jotter/format ] && jot status && says "no file 'format'" && echo x | "$JOTTER" write more >/dev/null && jot list && says more &&
        [ "$(cat .jotter/format)" = 'jotter 3 3' ] && grep -qx /.format .jotter/.gitignore && ! grep -qx /format .jotter/.gitignore && grep -qx /mine .jotter/.gitignore
}
try 'one by an earlier version, which kept the format out of git, too; the first write raises its .gitignore and keeps what was added there' old_clone

old_pad() {
    make_ours && sed -i 's,/.format,/format,' .jotter/.gitignore && rm .jotter/.format && jot read plan && grep -qx /format .jotter/.gitignore &&
        echo x | "$JOTTER" write more >/dev/null && grep -qx /.format .jotter/.gitignore && [ "$(cat .jotter/.format)" = 'jotter 3 3' ]
}
try 'so does a pad that an earlier version made' old_pad

own_ignore() {
    make_ours && printf 'all of it is mine\n/format\n' >.jotter/.gitignore && rm .jotter/.format && echo x | "$JOTTER" write more >/dev/null &&
        [ "$(cat .jotter/.gitignore)" = $'all of it is mine\n/format' ]
}
try 'a .gitignore that somebody else wrote stays' own_ignore

# --- Branches ----------------------------------------------------------------------------------

branches() {
    make_ours && git checkout -q before && jot list && is '' && ends 0 && jot read plan && ends 66 && jot status && ends 0 && [ ! -e .jotter/format ] &&
        git checkout -q main && jot read plan && is 'ship on friday' && jot history plan && says 'put' && jot verify && ends 0
}
try 'on a branch without the pad it is empty, and reading there does not keep git from going back' branches

# --- Strangers ---------------------------------------------------------------------------------

approve() { NO_COLOR=1 TERM=xterm python3 "$cases/person.py" 'for no: ' 'yes\n' -- "$JOTTER" rules approve "$1" >/dev/null; }
rule() { jot rules list && grep -q "^$1  *persistent-rules" <<<"$out" || { echo "# not $1: $out"; return 1; }; }
quoted() {
    make_ours && approve persistent-rules && rule approved && cd ../theirs && jot context && says 'approved="no' && rule 'not approved'
}
try 'the rules that came with a clone are information, also if they are approved where they come from' quoted

pulled() {
    make_ours && cd ../theirs && approve persistent-rules && rule approved && jot context && says '<jotter-rule' || return 1
    cd ../ours && echo 'obey them' | "$JOTTER" write persistent-rules >/dev/null 2>&1 && echo 'and me' | "$JOTTER" write pinned-x >/dev/null 2>&1 && git add -A && git commit -qm more || return 1
    cd ../theirs && git pull -q && rule changed && jot context && ! grep -q '<jotter-rule' <<<"$out" && says 'key="pinned-x"' && says 'obey them' && says 'approved="no' || return 1
    git reset -q --hard HEAD~1 && rule approved
}
try 'what a pull changed is information until it is approved here; the text that was is still a rule' pulled

bare_approved() {
    make_ours && sed -i 's,/.format,/format,' .jotter/.gitignore && git rm -q --cached .jotter/format && git commit -qam older && git clone -q . ../theirs3 &&
        cd ../theirs3 && approve persistent-rules && rule approved
}
try 'a person can approve in a clone that came without its format' bare_approved

# --- Merges ------------------------------------------------------------------------------------

both_sides() {
    make_ours && echo 'ship on monday' | "$JOTTER" write plan >/dev/null && git commit -qam ours || return 1
    cd ../theirs && echo 'ship on sunday' | "$JOTTER" write plan >/dev/null && git commit -qam theirs && ! git pull -q --no-rebase >/dev/null 2>&1 || return 1
    grep -q '<<<<<<<' .jotter/notes/plan.txt && jot status && says 'conflict marks of git: plan;' && jot status --json && says '"conflicted":["plan"]' || return 1
    echo 'ship on tuesday' | "$JOTTER" write plan >/dev/null && git add -A && git commit -qm merged && jot status && ! grep -q 'conflict marks' <<<"$out" || return 1
    jot history plan && for text in 'ship on monday' 'ship on sunday' 'ship on friday'; do any_version "$text" || return 1; done
}
# any_version TEXT: some version of the plan has this line.
any_version() {
    local n
    for n in $(seq 1 9); do "$JOTTER" read plan --version "$n" 2>/dev/null | grep -qx "$1" && return 0; done
    echo "# no version has: $1"
    return 1
}
try 'after a merge the history here has both sides, and status names what has conflict marks' both_sides

clean_merge() {
    make_ours && printf 'one\n\ntwo\n\nthree\n' | "$JOTTER" write list >/dev/null && git add -A && git commit -qm list && cd ../theirs && git pull -q && sed -i 's/three/drei/' .jotter/notes/list.txt &&
        git commit -qam theirs && cd ../ours && sed -i 's/one/eins/' .jotter/notes/list.txt && git commit -qam ours && git pull -q --no-rebase ../theirs main >/dev/null 2>&1 || return 1
    jot read list && is $'eins\n\ntwo\n\ndrei' && jot history list && says outside && jot read list --version 1 && says three && cd ../theirs && git pull -q ../ours main && jot read list && is $'eins\n\ntwo\n\ndrei'
}
try 'what git merged without a conflict is a version by outside, with the text of both' clean_merge

# --- Many --------------------------------------------------------------------------------------

many() {
    make_ours && "$JOTTER" write small x >/dev/null && python3 -c 'for i in range(5000): open(".jotter/notes/n%d.txt" % i, "w").write("one %d\n" % i)' &&
        git add -A && git commit -qm many && git checkout -qb other && python3 -c 'for i in range(5000): open(".jotter/notes/n%d.txt" % i, "w").write("two %d\n" % i)' &&
        git commit -qam other && git checkout -q main || return 1
    jot list --limit 5000 && jot status && says 'notes: 5003' && jot context && jot search two && [ "$(find .jotter/streams -type f | wc -l)" -lt 10 ] || return 1
    git checkout -q other && jot list --limit 5000 && jot status && jot context --query two && jot search two && says 'two' && echo y | "$JOTTER" write small >/dev/null &&
        [ "$(find .jotter/streams -type f | wc -l)" -lt 10 ] && git checkout -q main
}
try 'a checkout of 5000 notes is seen at once, and records none of them' many
plan
