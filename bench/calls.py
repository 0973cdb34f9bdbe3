#!/usr/bin/env python3
"""calls.py [--smoke] CALLS LIBRARY ADDON BINDINGS: what a call costs from Python and from Node, beside the same call from C, and beside
what a framework keeps its things in by default.

CALLS is the program calls.c, ADDON the one for Node (calls.js), BINDINGS the directory of both packages.  The sides take turns of a few calls each, in one run on one disk, and the turn counts that
a tenth of them is faster than: a ratio is meaningful on a busy machine, a time is not.  A framework that is neither installed nor left by `make conformance` is left out, and named.  Frameworks of Node
keep things in memory by default, so what they are beside is no disk at all."""
import asyncio
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

SMOKE = "--smoke" in sys.argv
TURNS = 3 if SMOKE else 41
CALLS, os.environ["JOTTER_LIBRARY"], os.environ["JOTTER_ADDON"], BINDINGS = (
    os.path.abspath(word) for word in sys.argv[1:] if not word.startswith("--"))
CONFORMANCE = os.path.join(os.path.dirname(os.path.dirname(CALLS)), "conformance")  # what make conformance left
sys.path.insert(0, os.path.join(BINDINGS, "python"))
sys.path.insert(1, os.path.join(CONFORMANCE, "frameworks"))  # before what is installed: these fit each other

import jotter  # noqa: E402


class C:
    """The same calls by a program in C."""

    def __init__(self, url):
        self.process = subprocess.Popen([CALLS, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def turn(self, verb, times):
        self.process.stdin.write(f"{verb} {times}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline()) / times

    def stop(self):
        self.process.stdin.close()
        self.process.wait(60)


class Node:
    """The same calls, and those of frameworks, by a program in Node."""

    def __init__(self, folder):
        environment = dict(os.environ, NODE_PATH=os.path.join(CONFORMANCE, "node", "node_modules"), NODE_NO_WARNINGS="1")
        self.process = subprocess.Popen(["node", os.path.join(os.path.dirname(os.path.abspath(__file__)), "calls.js"),
                                         os.path.join(BINDINGS, "node"), folder],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def turn(self, side, verb, times):
        self.process.stdin.write(f"{side} {verb} {times}\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline().split()
        if not said:
            sys.exit("calls: the program in Node ended")
        if said[0] == "missing":
            raise ModuleNotFoundError(said[1], name=said[1])
        return int(said[0]) / times

    def show(self, what, verb, sides, times):
        show(what, side_by_side({name: lambda n, s=side: self.turn(s, verb, n) for name, side in sides.items()}, 2 if SMOKE else times))

    def stop(self):
        self.process.stdin.close()
        self.process.wait(60)


def timed(function, times):
    begin = time.perf_counter_ns()
    for _ in range(times):
        function()
    return (time.perf_counter_ns() - begin) / times


def side_by_side(sides, times):
    """Microseconds a call of each side, in turns."""
    took = {name: [] for name in sides}
    for _ in range(TURNS):
        for name, side in sides.items():
            took[name].append(side(times))
    return {name: sorted(all)[len(all) // 10] / 1000 for name, all in took.items()}


def show(what, got):
    first = next(iter(got.values()))
    print(f"{what:<34}" + "  ".join(f"{name} {us:.1f} us" + ("" if us == first else f" ({us / first:.2f}x)")
                                    for name, us in got.items()), flush=True)


def counter(say):
    state = [0]

    def call():
        state[0] += 1
        say(state[0])
    return call


def plain(folder, engine, node):
    url = f"{engine}:{os.path.join(folder, 'calls-' + engine)}"
    c, pad = C(url + "-c"), jotter.open(url + "-python")
    write = counter(lambda n: pad.write("calls", f"value {n}"))
    write()
    for verb, call, times in (("write", write, 10), ("read", lambda: pad.read("calls"), 200)):
        show(f"{verb} a note, {engine}", side_by_side(
            {"C": lambda n, v=verb: c.turn(v, n), "Python": lambda n, f=call: timed(f, n),
             "Node": lambda n, v=verb: node.turn(f"note-{engine}", v, n)}, 2 if SMOKE else times))
    c.stop()
    pad.close()


def langgraph(folder):
    from langgraph.checkpoint.base import empty_checkpoint
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.store.sqlite import SqliteStore

    from jotter.langgraph import JotterSaver, JotterStore

    def connect(name):
        return sqlite3.connect(os.path.join(folder, name), check_same_thread=False, isolation_level=None)

    theirs, store = SqliteSaver(connect("saver.db")), SqliteStore(connect("store.db"))
    theirs.setup()
    store.setup()
    sides = {"SqliteSaver": theirs, "JotterSaver, sqlite": JotterSaver("sqlite:" + os.path.join(folder, "lg.pad")),
             "JotterSaver, files": JotterSaver("files:" + os.path.join(folder, "lg"))}
    config = {"configurable": {"thread_id": "1", "checkpoint_ns": ""}}
    state = {"messages": ["x" * 1000] * 10}

    def put(saver):
        checkpoint = {**empty_checkpoint(), "channel_values": state, "channel_versions": {"messages": "1"}}
        saver.put(config, checkpoint, {"source": "loop", "step": 1}, {})

    show("LangGraph: put 10 KB", side_by_side({name: lambda n, s=s: timed(lambda: put(s), n) for name, s in sides.items()}, 2 if SMOKE else 10))
    show("LangGraph: get the latest", side_by_side(
        {name: lambda n, s=s: timed(lambda: s.get_tuple(config), n) for name, s in sides.items()}, 2 if SMOKE else 20))
    stores = {"SqliteStore": store, "JotterStore, sqlite": JotterStore("sqlite:" + os.path.join(folder, "ls.pad")),
              "JotterStore, files": JotterStore("files:" + os.path.join(folder, "ls"))}
    calls = {name: counter(lambda n, s=s: s.put(("a", "b"), "k", {"n": n})) for name, s in stores.items()}
    show("LangGraph: store.put", side_by_side({name: lambda n, f=f: timed(f, n) for name, f in calls.items()}, 2 if SMOKE else 10))
    show("LangGraph: store.get", side_by_side(
        {name: lambda n, s=s: timed(lambda: s.get(("a", "b"), "k"), n) for name, s in stores.items()}, 2 if SMOKE else 50))


def openai_agents(folder):
    from agents import SQLiteSession

    from jotter.openai_agents import JotterSession

    sides = {"SQLiteSession": SQLiteSession("s", os.path.join(folder, "agents.db")),
             "JotterSession, sqlite": JotterSession("s", "sqlite:" + os.path.join(folder, "oa.pad")),
             "JotterSession, files": JotterSession("s", "files:" + os.path.join(folder, "oa"))}
    loop = asyncio.new_event_loop()
    items = [{"role": "user", "content": "hello"}]
    show("OpenAI Agents: add_items", side_by_side({name: lambda n, s=s: timed(
        lambda: loop.run_until_complete(s.add_items(items)), n) for name, s in sides.items()}, 2 if SMOKE else 5))
    show("OpenAI Agents: get_items", side_by_side({name: lambda n, s=s: timed(
        lambda: loop.run_until_complete(s.get_items()), n) for name, s in sides.items()}, 2 if SMOKE else 5))
    loop.close()


def anthropic(folder):
    from anthropic.tools.memory import BetaLocalFilesystemMemoryTool

    from jotter.anthropic import JotterMemoryTool

    sides = {"the SDK's own": BetaLocalFilesystemMemoryTool(base_path=os.path.join(folder, "memory")),
             "JotterMemoryTool, files": JotterMemoryTool("files:" + os.path.join(folder, "am"))}
    for tool in sides.values():
        tool.call({"command": "create", "path": "/memories/a.md", "file_text": "0\n"})
    insert = {"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "x\n"}
    view = {"command": "view", "path": "/memories/a.md"}
    for name, asked, times in (("insert", insert, 5), ("view", view, 20)):
        show(f"Anthropic: memory {name}", side_by_side(
            {side: lambda n, t=t, a=asked: timed(lambda: t.call(a), n) for side, t in sides.items()}, 2 if SMOKE else times))


def langgraph_in_node(node):
    for name, theirs, verbs in (("Saver", "MemorySaver", (("put", 10), ("get", 20))), ("Store", "InMemoryStore", (("put", 10), ("get", 50)))):
        sides = {theirs: theirs, f"Jotter{name}, sqlite": f"Jotter{name}-sqlite", f"Jotter{name}, files": f"Jotter{name}-files"}
        for verb, times in verbs:
            what = {"Saver": {"put": "put 10 KB", "get": "get the latest"}, "Store": {"put": "store.put", "get": "store.get"}}[name][verb]
            node.show(f"LangGraph in Node: {what}", verb, sides, times)


def openai_agents_in_node(node):
    sides = {"MemorySession": "MemorySession", "JotterSession, sqlite": "JotterSession-sqlite", "JotterSession, files": "JotterSession-files"}
    node.show("OpenAI Agents in Node: addItems", "add", sides, 5)
    node.show("OpenAI Agents in Node: getItems", "get", sides, 5)


def anthropic_in_node(node):
    sides = {"the SDK's own": "SDK-files", "jotterMemoryTool, files": "jotterMemoryTool-files"}
    node.show("Anthropic in Node: memory insert", "insert", sides, 5)
    node.show("Anthropic in Node: memory view", "view", sides, 20)


def main():
    with tempfile.TemporaryDirectory(prefix="jotter-calls-", dir=os.environ.get("JOTTER_BENCH_DIR")) as folder:
        node = Node(folder)
        for engine in ("sqlite", "files"):
            plain(folder, engine, node)
        measures = {m: folder for m in (langgraph, openai_agents, anthropic)}
        measures.update({m: node for m in (langgraph_in_node, openai_agents_in_node, anthropic_in_node)})
        for measure, where in measures.items():
            try:
                measure(where)
            except ModuleNotFoundError as missing:
                print(f"{measure.__name__}: not measured, there is no module {missing.name}")
        node.stop()


main()
