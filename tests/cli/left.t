#!/bin/bash
# left.t - what people leave comes with them: mem0, LangGraph's SqliteStore, beads, basic-memory's relations, the memory
# files of Claude Code and of Codex.  left/README.md says how the files were made.
left=$(cd "$(dirname "$0")/left" && pwd)
. "$(dirname "$0")/lib.sh"

for name in mem0 langgraph; do
    python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())' $name.db "$left/$name.sql"
done
mkdir -p shop/.beads && cp "$left/beads.jsonl" shop/.beads/issues.jsonl
claude=.claude/projects/-home-ann-shop/memory codex=.codex/memories
mkdir -p $claude $codex/rollout_summaries $codex/skills/bake
echo '- [Role](user_role.md): who ann is' >$claude/MEMORY.md
printf -- '---\nname: user-role\nmetadata:\n  type: user\n---\nAnn bakes.\n' >$claude/user_role.md
echo '{"type":"user"}' >${claude%/memory}/0123.jsonl
echo index >$codex/MEMORY.md
echo 'rollout' >$codex/rollout_summaries/2026-01-31T18-45-00-Ab3d-cake.md
echo 'print("cake")' >$codex/skills/bake/bake.py

mkdir -p basic/drinks
cat >'basic/drinks/Coffee Brewing.md' <<'NOTE'
---
title: "Coffee Brewing"
type: guide
permalink: drinks/coffee-brewing
tags: ['#brewing']
---
# Coffee Brewing
As [[Water|hot water]] shows, [[ ]] is nothing, nor [[this.
## Observations
- [method] Pour over is clear, like [[Tea]] #brewing
- [ ] [[Clean the grinder]]
## Relations
- requires [[Grinding Beans]] (fine)
* [[Größe]]
```
- not_this [[Example]]
```
NOTE
printf -- '---\ntitle: Tea\n---\n- requires [[Water]]\n' >basic/tea.md

# read_graph, as a client asks for it; relation TO TYPE: it has one from the note.
read_graph() {
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_graph","arguments":{}}}' | "$JOTTER" mcp --tools graph >"$here/.out" 2>"$here/.err"
    heard
}
relation() { says "{\"from\":\"Coffee Brewing\",\"to\":\"$1\",\"relationType\":\"$2\"}"; }

# twice PATH TEXT: all of it comes in, says so, and importing again adds nothing.
twice() { jot import "$1" && ends 0 && says "$2" && says ', 0 skipped' && jot import "$1" && ends 0 && says ', 0 records added'; }

for engine in files:$here/p sqlite:$here/p.db; do
    export JOTTER_PAD=$engine
    mem0() {
        one=mem0-11111111-2222-4333-8444-555555555555 two=mem0-22222222-2222-4333-8444-555555555555
        twice mem0.db 'mem0: 4 files, 8 records added' && jot read $one && is 'Likes soup and größe' &&
            jot read $one --version 1 && is 'Likes soup' && jot history $one && says '2026-02-01T18:45:00.123Z' &&
            jot list --deleted && is $two && jot read $two --version 1 && is 'Has a cat' &&
            jot read mem0-33333333-2222-4333-8444-555555555555 --version 1 && is 'Was a clerk' &&
            jot line-log read mem0 user_id-ann-665bfdd0 && says '"role":"user"' && says '"name":"bot"'
    }
    try "mem0's memories come with all their versions, on ${engine%%:*}" mem0

    langgraph() {
        twice langgraph.db 'langgraph: 4 files, 4 records added' && jot artifact read langgraph/users/ann likes && says cake &&
            jot artifact read 'langgraph/users/gr%C3%B6%C3%9Fe' a%2Fb%2Ec && says '"x"' &&
            jot history artifacts/langgraph/t/soon --json && says '"ttl":26280000.0,"expires":3371812859587'
    }
    try "the items of LangGraph's SqliteStore come as artifacts, on ${engine%%:*}" langgraph

    beads() {
        jot import shop && ends 64 && says 'beads: 3 files, 3 records added, 0 there already, 2 skipped' &&
            tells "skipped bd-d4: it was deleted there" && tells "skipped bd-e5: the status 'marinating' is unknown here" &&
            jot import shop && says ', 0 records added' && jot task show bd-a1b2 && says 'With cherries' && says 'bob: größer' && says 'bd-c3' &&
            jot task show bd-c3 && says completed && says bought && jot read oven && is 'it runs hot'
    }
    try "the issues of beads come as tasks, and what does not is named, on ${engine%%:*}" beads

    basic() {
        twice basic 'notes: 2 files, 8 records added' && read_graph && says '{"name":"Coffee Brewing","entityType":"guide","observations":["[method] Pour over is clear, like [[Tea]] #brewing"]}' &&
            relation 'Grinding Beans' requires && relation Größe relates_to && relation Water links_to && relation Tea links_to &&
            relation 'Clean the grinder' relates_to && [ "$(grep -o '"relationType":' "$here/.out" | wc -l)" = 5 ]
    }
    try "the notes of basic-memory come with their relations, on ${engine%%:*}" basic

    many() {
        mkdir -p many && { printf -- '---\ntitle: Hub\npermalink: hub\n---\n' && printf -- '- knows [[n%d]]\n' $(seq 1001); } >many/hub.md
        jot import many && ends 65 && says 'notes: 1 file, 1002 records added, 0 there already, 1 skipped' &&
            tells 'hub.md: it has more than 1000 relations'
    }
    try "a note with more relations than it may have says so, on ${engine%%:*}" many

    memories() {
        twice .claude 'memories: 2 files, 2 records added' && jot import ${claude%/memory} && says '2 there already' &&
            jot import $claude && says '2 there already' && twice .codex 'memories: 3 files, 3 records added' &&
            jot read memories/claude/-home-ann-shop/user_role.md && says 'Ann bakes.' && jot read memories/codex/skills/bake/bake.py && says cake &&
            jot search bakes && says user_role
    }
    try "the memory files of Claude Code and of Codex keep their names, on ${engine%%:*}" memories
done

export JOTTER_PAD=files:$here/q
several() {
    mkdir -p .claude/projects/-home-ann-bank/memory && echo x >.claude/projects/-home-ann-bank/memory/MEMORY.md
    jot import .claude && ends 64 && tells 'has several: projects/-home-ann-bank/memory, projects/-home-ann-shop/memory' && [ ! -e q ]
}
try 'of several projects one must be named' several

other() {
    python3 -c 'import sqlite3; c = sqlite3.connect("odd.db"); c.executescript("create view history as select 1 as memory_id, 2 as new_memory; create table store (x)")'
    jot import odd.db && ends 64 && tells "odd.db' has no table 'scratchpad'" && jot import odd.db --layout mem0 && ends 64 && tells "has no table 'history'" &&
        jot import shop/.beads/issues.jsonl --layout langgraph && ends 64 && tells 'langgraph is imported from a file of SQLite'
}
try 'a database of something else is refused, a view for a table too' other

one() { echo '# rules' >CLAUDE.md; jot import CLAUDE.md && ends 0 && says 'notes: 1 file, 1 record' && jot read CLAUDE && is '# rules'; }
try 'a single text becomes a note' one

only() { jot export out --layout mem0 && [ "$code" != 0 ] && tells 'mem0 is only imported' && [ ! -e out ]; }
try 'what is only imported is not exported' only

plan
