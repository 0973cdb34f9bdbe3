#!/bin/bash
# notes_dir.t - a pad whose notes are the files of a directory that people have anyway: init --notes.
cases=$(cd "$(dirname "$0")" && pwd)
. "$cases/lib.sh"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=$here/.gitconfig
git config --global user.name ann && git config --global user.email ann@example.org && git config --global init.defaultBranch main

# A project with documents of its own, and a pad that has them as its notes.
project() {
    cd "$here" && rm -rf p q && mkdir -p p/docs/guide p/docs/.obsidian && cd p && printf '# Read me\n' >docs/README.md &&
        printf 'first steps\n' >docs/guide/start.md && printf 'png' >docs/logo.png && printf 'x' >docs/.obsidian/cache.md &&
        ln -s README.md docs/link.md && "$JOTTER" init --notes docs/ >"$here/.init"
}
tree() { find "$1" -mindepth 1 -printf '%P %y %m\n' | sort; }

made() {
    project && before=$(tree docs) && says_file "$here/.init" "its notes are the .md and .txt files in 'docs', beside it" && jot list &&
        says 'README' && says 'guide/start' && ! grep -q 'link\|cache\|logo' "$here/.out" && jot where && says "files in 'docs'" &&
        jot where --json && says '"notes":"docs"' && [ "$(tree docs)" = "$before" ] && [ ! -e .jotter/notes ]
}
says_file() { grep -qF -- "$2" "$1" || { sed 's/^/# /' "$1"; return 1; }; }
try 'the Markdown files of a directory become the notes, and making the pad changes nothing there' made

written() {
    project && chmod 640 docs/README.md && jot append README 'a line' && grep -q 'a line' docs/README.md && [ "$(stat -c %a docs/README.md)" = 640 ] &&
        jot write plan 'the plan' && [ "$(cat docs/plan.md)" = 'the plan' ] && jot history README && says outside &&
        [ "$(find docs -name '.*' -not -path '*obsidian*' | wc -l)" = 0 ]
}
try 'a write keeps the name and the permissions of a file, and what was there is a version' written

found() {
    project && jot search 'first steps' && says 'guide/start' && jot context && says 'README' && printf 'by hand\n' >docs/new.md && jot status &&
        says 'edited by hand' && jot read new && says 'by hand' && jot verify && ends 0
}
try 'search, context and status see the files, and what a person adds to them' found

no_purge() {
    project && jot purge README && ends 77 && tells 'yours to remove' && [ -e docs/README.md ] || return 1
    jot gc --keep 100 && ends 0 && [ -e docs/README.md ] && [ -e docs/logo.png ] && jot delete guide/start && [ ! -e docs/guide/start.md ] && [ -d docs/guide ] &&
        jot undo guide/start && [ "$(cat docs/guide/start.md)" = 'first steps' ]
}
try 'purge and gc leave files alone that nobody recorded, and a deletion can be undone' no_purge

gone() {
    project && jot write plan 'the plan' && jot task add t1 'a task' && mv docs away
    jot list && ends 69 && tells 'no such directory'
    jot read plan && ends 69
    jot write plan 'other' && ends 69 && [ ! -e docs ]
    jot task list && ends 0 && says 'a task' && jot verify
    says 'no such directory' && [ "$(grep -o bring "$here/.out" | wc -l)" = 1 ] && mv away docs && jot read plan && says 'the plan' && jot history plan --json && [ "$(grep -c '"version"' "$here/.out")" -ge 1 ] && ! grep -q outside "$here/.out"
}
try 'a directory that is gone is said, and no note counts as deleted' gone

cloned() {
    project && git init -q && jot write plan 'the plan' && git add -A && git commit -qm all && git ls-files | grep -q '^.jotter/format$' &&
        ! git ls-files | grep -q 'jotter/\(drafts\|streams\)' && git clone -q . "$here/q" && cd "$here/q" && jot list && says plan && says 'guide/start' &&
        jot read plan && says 'the plan' && jot where && says "files in 'docs'" && jot append plan 'more' && grep -q more docs/plan.md
}
try 'a clone has the same notes in the same place' cloned

branch() {
    project && git init -q && jot write plan 'the plan' && git add -A && git commit -qm all && git checkout -q --orphan empty && git rm -rqf docs && rm -rf docs
    jot read plan && ends 69
    git checkout -q -f main && jot read plan && says 'the plan' && jot history plan && ! grep -q outside "$here/.out"
}
try 'a branch without the directory takes nothing away for good' branch

copied() {
    project && jot write plan 'the plan' && jot copy "files:$here/q" && cd "$here" && jot --pad "files:$here/q" read plan && says 'the plan' &&
        [ -e q/notes/plan.txt ] && cd p && jot export --layout notes "$here/out" && [ -n "$(find "$here/out" -name 'plan*')" ]
}
try 'a copy is an ordinary pad with the same notes' copied

elsewhere() {
    cd "$here" && rm -rf p && mkdir -p p/real && cd p && ln -s real link
    for dir in .. .jotter/x link /etc .git; do
        jot init --notes "$dir" && ends 64 && tells 'cannot lie in' && [ ! -e .jotter ] || return
    done
    jot init --notes docs && [ -d docs ] && jot init --notes other && ends 64 && tells "in 'docs', not in 'other'" &&
        jot init && says "'docs'"
}
try 'the directory lies beside the pad or below, never over a link, and stays the one' elsewhere

plan
