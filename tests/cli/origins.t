#!/bin/bash
# origins.t - what four other programs write, made by their own rules, comes in whole and goes out the same.
. "$(dirname "$0")/lib.sh"

# The files as those programs write them: json.dumps(indent=2), JSON lines, yaml.dump, sqlite3.
python3 - <<'E'
import hashlib, json, os, pathlib, sqlite3
def put(path, text):
    p = pathlib.Path(path); p.parent.mkdir(parents=True, exist_ok=True); p.write_text(text, encoding="utf-8")
    os.utime(p, (1769885100, 1769885100))
for key, text in {"plan": "ship\n", "größe": "groß", "日本": "x", "k" * 200: "long", "empty": ""}.items():
    put(f"book/.scratchpad/{key}.txt", text)
for path, text in {"plan.md": "# plan\n", "plan.txt": "plain", "sub/x y.md": "s", "sub/deep/ü.md": "d"}.items():
    put(f"vault/{path}", text)
db = sqlite3.connect("seed.db")
db.execute("CREATE TABLE IF NOT EXISTS scratchpad (key TEXT PRIMARY KEY, content TEXT NOT NULL, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)")
for key, text in {"plan": "ship", "größe": "g", "a/b": "c"}.items():
    db.execute("INSERT OR REPLACE INTO scratchpad (key, content) VALUES (?, ?)", (key, text))
db.commit()
root = "bench/.scratchbook"
def artifact(category, name, data): put(f"{root}/{category}/{name}.json", json.dumps(data, indent=2))
artifact("planning", "plan_001", {"plan": ["a", "ü"], "goal": "g"})
artifact("tool_results", "tool-result-call_1", {"stable_id": "tool-result-call_1", "tool_call_id": "call_1", "tool_name": "ls", "result": "a\nb", "timestamp": "2026-01-31T18:45:00.678901+00:00"})
artifact("tool_results", "tool-result-call_3", {"tool_call_id": "call_3", "tool_name": "get", "result": {"price": 1.5, "l": [1, {}]}, "timestamp": "2026-01-31T18:45:01+00:00"})
task = dict(description="look ü", expected_output="o", assigned_agent=42, tools=["t"], context_dependencies=[], task_id="t1", status="completed", priority=5, output_schema={"type": "object"}, max_retries=1)
artifact("tasks/snapshots", "t1_snapshot", task)
def event(kind, at, **more): return json.dumps(dict(entity_id=7, task_id="t1", **more, _event_type=kind, _timestamp=at)) + "\n"
put(f"{root}/tasks/events/t1_events.jsonl", event("TaskCreatedEvent", 1769885100.123, description="look ü") + event("TaskStateChangedEvent", 1769885101.5, old_status="pending", new_status="running")
    + event("TaskFailedEvent", 1769885102.5, error="boom", retry_count=1) + event("TaskCompletedEvent", 1769885103.5, result="ok"))
artifact("tasks", "task_index", {"entries": [{"id": "t1", "status": "completed"}]})
put(f"{root}/activity/activity.log", "one\ntwo")
artifact("index", "index", {"entries": [dict(stable_id="t1", artifact_id="plan_001", artifact_type="plan", category="planning",
    content_hash=hashlib.sha256(b"x").hexdigest(), timestamp="2026-01-31T18:45:00.123456+00:00")]})
def line(**members): return json.dumps(members, separators=(",", ":"), ensure_ascii=False) + "\n"
put("shares/.dexter/scratchpad/2026-01-31-184500_0123456789ab.jsonl",
    line(type="init", timestamp="2026-01-31T18:45:00.000Z", content="how many?") + line(type="thinking", timestamp="2026-01-31T18:45:01.000Z", content="hm")
    + line(type="tool_result", timestamp="2026-01-31T18:45:02.000Z", toolName="get", args={"q": "a b"}, result={"n": 1.5}, llmSummary="it is ü") + line(type="later", timestamp="2026-01-31T18:45:03.000Z", x=[1]))
state = "goals: &id001\n- a\ncurrent_task: one\npending_actions: []\ncompleted_tasks: []\nnotes: \"\\n[TOOL] shell({'command': 'date'}) \\u2192 Wed\"\nlast_updated: null\nagain: *id001\ndue: 2026-04-01\n"
put("wake/scratchpad/active.yaml", state)
put("wake/scratchpad/20260131_184500_before.yaml", state.replace("[TOOL] shell", "[TOOL] echo"))
put("wake/scratchpad/20260131_184500_after.yaml", state)
put("wake/logs/cycle_20260131_184500.log", "=== AGENT WAKING ===\nTraceback (most recent call last):\n  File \"x\"\n")
put("wake/config/active.yolo.yaml", "goals: [yolo]\n")
put("wake/config/config.yaml", "model: x\n")
E

# back NAME LAYOUT DIR: all of it comes in, importing again adds nothing, and it goes out the same.
back() {
    jot import "$1" && ends 0 && says ', 0 skipped' && jot import "$1" && ends 0 && says ', 0 records added' &&
        jot export "out-$1" --layout "$2" && ends 0 && says ', 0 left out' && diff -r "$3" "out-$1"
}

for engine in files:$here/p sqlite:$here/p.db; do
    export JOTTER_PAD=$engine
    book() { back book notes book/.scratchpad && jot list --long && says '2026-01-31T18:45:00.000Z  plan'; }
    try "a scratchpad of files, on ${engine%%:*}" book
    shares() { back shares runs shares/.dexter/scratchpad && jot log show 2026-01-31-184500_0123456789ab && says '2026-01-31T18:45:02.000Z  tool_result' && jot log && says '2026-01-31T18:45:03.000Z'; }
    try "runs, on ${engine%%:*}" shares
    bench() {
        back bench artifacts bench/.scratchbook && jot task list && says 'completed  5  t1' && jot task history t1 && says '2026-01-31T18:45:02.500Z  failed' && says boom || return 1
        jot sink read call_3 && says '"price": 1.5' && ! echo again | "$JOTTER" sink write call_3 --tool get >/dev/null 2>&1 &&
            jot artifact index list && says tasks/task_index.json && jot artifact read planning plan_001 --json && says '"at":"2026-01-31T18:45:00.123Z"'
    }
    try "artifacts, results, tasks and indexes, on ${engine%%:*}" bench
    wake() {
        jot import wake && ends 0 && jot import wake && says ', 0 records added' && jot export out-wake --layout cycles && ends 0 || return 1
        diff -r wake/logs out-wake/logs && cmp wake/config/active.yolo.yaml out-wake/config/active.yolo.yaml && rm -r out-wake/logs out-wake/config && diff -r wake/scratchpad out-wake || return 1
        jot cycle list && says '20260131_184500    limit       -  2026-01-31T18:45:00.000Z' && jot cycle log 20260131_184500 && says 'Traceback' && jot cycle explain 20260131_184500 && says 'it hit its limit of iterations' || return 1
        jot cycle wake && ends 0 && jot cycle read --before && says '&id001' && jot cycle reset --template yolo && ends 75
    }
    try "cycles with logs and templates, on ${engine%%:*}" wake
    rm -r out-*
done

JOTTER_PAD=files:$here/vault-pad
vault() { back vault notes vault && jot read plan && is plain; }
try 'markdown in directories' vault

JOTTER_PAD=files:$here/seed-pad
rows() {
    jot import seed.db && ends 0 && says 'notes: 3 files, 3 records added' && jot import seed.db && says '0 records added' && jot read plan && is ship && jot export out.db --layout notes && ends 0 || return 1
    python3 -c '
import sqlite3
rows = lambda path: sqlite3.connect(path).execute("SELECT key, content, updated_at FROM scratchpad ORDER BY key").fetchall()
assert rows("seed.db") == rows("out.db"), rows("out.db")'
    [ $? -eq 0 ] && jot export out.db --layout notes && ends 75 && tells "'out.db' exists"
}
try 'the rows of a database' rows

plan
