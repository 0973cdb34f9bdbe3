#!/bin/bash
# words.t - one vocabulary: the verbs of the C API, of jot_verb and the bindings, of the tools and of the
# commands are the same words, and each noun is in the glossary of docs/design.md.  What differs is
# written down here, with why.
source=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$0")/lib.sh"

walk() {
    local word below
    for word in $("$JOTTER" --pad files:nowhere complete -- "$@" ''); do
        below=$(walk "$@" "$word")
        [ -n "$below" ] && printf '%s\n' "$below" || echo "$@" "$word"
    done
}
printf '%s\n' $("$JOTTER" --pad files:nowhere complete -- '') >top
for noun in task plan checkpoint sink line-log artifact runs cycle lease; do walk $noun; done >commands
sed -n 's/^JOT_API .*[ *]\(jot_[a-z0-9_]*\)(.*/\1/p' "$source/include/jotter.h" >functions
"$JOTTER" help --tools | sed -n 's/^### //p' >tools

cat >compare.py <<'PY'
import re, sys
source = sys.argv[1]
nouns = ["artifact_index", "line_log", "checkpoint", "artifact", "task", "plan", "sink", "run", "cycle", "lease"]
command = lambda line: line.strip().replace("line-log", "line_log").replace("artifact index", "artifact_index").replace("runs ", "run ")
cli = {tuple(command(l).split(" ", 1)) for l in open("commands")}

def split(name):
    for n in nouns:
        if name.startswith(n + "_"):
            return n, name[len(n) + 1:]

# The C API: what a process does with a handle, or gets as one struct, has no command of its own.
api_only = {("task", "start"), ("lease", "adopt"), ("lease", "find"), ("line_log", "tail"), ("run", "history"),
            ("plan", "read")}
# Tools whose names an origin or clients' allow-lists fix.
tool_only = {"plan_show", "step_update", "postcondition_verify"}
# What jot_verb does: a method each in Python, written from jot_verbs() and compared with it in tests/python.
verbs, noun = set(), None
for line in open(source + "/bindings/python/jotter/_verbs.py"):
    at = re.match(r"class (\w+)\(Noun\):", line)
    noun = re.sub(r"(?<!^)([A-Z])", r"_\1", at.group(1)).lower() if at else noun
    at = re.match(r"    def ([a-z]\w*)\(", line)
    if at and noun in nouns:
        verbs.add((noun, at.group(1)))
# A picture for the page, in no words of a terminal.
verb_only = {("run", "timeline")}
bad = []
for line in open("functions"):
    at = split(line.strip()[len("jot_"):])
    if at and at not in cli and at not in api_only and not at[1].endswith("_json"):
        bad.append("jot_%s_%s: no such command" % at)
for line in open("tools"):
    name = line.strip()
    at = split(name)
    if at and at not in cli and name not in tool_only:
        bad.append("%s: no such command" % name)
    if at and at not in verbs:
        bad.append("%s: no such verb of jot_verb" % name)
bad += ["%s %s: no such command" % at for at in sorted(verbs - cli - verb_only)]
if len(verbs) < 50:
    bad.append("only %d verbs of jot_verb were found" % len(verbs))
# Documents, and the pad as a whole, have words without a noun on a command line.
top = {l.strip() for l in open("top")}
top_only = {
    "merge": "write --merge",            # a merge of two texts, which writes nothing
    "versions": "history",               # the same with their texts, oldest first
    "redact_text": "redact",             # a phrase instead of a version
    "redact_all": "redact", "search_evidence": "search", "search_rebuild": "search",
    "changes": "watch",                  # the same in the caller's own loop
    "tokens": "context",                 # the measure of its budget
}
# What a process does with a handle, and what describes the library itself.
handle = {"new", "open", "free", "error", "str", "status_name", "version", "tools", "tool_call", "verbs", "verb"}
for line in open("functions"):
    name = line.strip()[len("jot_"):]
    if split(name) or name in handle:
        continue
    word = re.sub(r"^doc_|_json$", "", re.sub(r"^doc_", "", name))
    if top_only.get(word, word).split()[0] not in top:
        bad.append("jot_%s: no such command" % name)
for line in open("tools"):
    word = line.strip()
    if word.startswith("scratchpad_") and word[len("scratchpad_"):] not in top:
        bad.append("%s: no such command" % word)
glossary = re.findall(r"^\| ([a-z ]+) \|", open(source + "/docs/design.md").read(), re.M)
for n in nouns:
    if n.replace("_", " ") not in glossary:
        bad.append("%s: not in the glossary" % n.replace("_", " "))
print("\n".join("# " + b for b in bad))
sys.exit(bool(bad))
PY
same() { python3 compare.py "$source"; }
try 'the C API, jot_verb, the tools and the commands have the same verbs, the glossary their nouns' same

plan
