#!/usr/bin/env python3
"""peers.py [--smoke] JOTTER [PEERS]: how long a search over MCP takes, beside other memory servers, in one run.

JOTTER is the program; PEERS a directory with what npm made of the packages below (beside JOTTER, in conformance/search,
if none is named; `tools/conformance build search` puts them there).  A peer that is not there, or cannot be started, is named and left out.

Every server gets the same notes of thirty words, drawn from a vocabulary in which the second word is half as frequent as
the first, and so on, over MCP; then all are asked the same two words that stand beside each other in some note, in turns of
a few calls each, for ten answers where that can be said.  Two words, because some look for the words and some for the line
as it is: all of them find the note.  One client speaks to all over pipes.  Everything lies in memory, /dev/shm if there is
one: a search waits for no disk.  What is shown is the median of the round trips, and how many times a peer's is Jotter's."""
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SMOKE = "--smoke" in sys.argv
WORDS = [word for word in sys.argv[1:] if not word.startswith("--")]
JOTTER = os.path.abspath(WORDS[0])
PEERS = os.path.abspath(WORDS[1] if len(WORDS) > 1 else os.path.join(os.path.dirname(JOTTER), "conformance", "search"))
MODULES = os.path.join(PEERS, "node_modules")
SIZES = (20,) if SMOKE else (100, 1000, 10000)
TURNS, CALLS = (2, 2) if SMOKE else (40, 5)
LETTERS = "bcdfghjklmnpqrtvwxza"


def vocabulary(n=8000):
    """Letters that no stemmer shortens; the more frequent, the shorter."""
    words = []
    for i in range(n):
        word, x = "", i + 400
        while x:
            word, x = word + LETTERS[x % 20], x // 20
        words.append(word + "o")
    return words


def draw_notes(n):
    chance, words = random.Random(1), vocabulary()
    weights = [1 / (i + 1) for i in range(len(words))]
    return [chance.choices(words, weights, k=30) for _ in range(n)]


class Server:
    """A server over pipes: one line is a message."""

    def __init__(self, words, folder, environment):
        self.process = subprocess.Popen(words, cwd=folder, env=dict(os.environ, **environment), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            raise OSError("the server ended")
        return line

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            answer = json.loads(self.line())
            if answer.get("id") == self.number:
                if "error" in answer or answer.get("result", {}).get("isError"):
                    raise OSError(json.dumps(answer)[:300])
                return answer

    def call(self, tool, arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def trip(self, tool, arguments):
        """From the request as it is sent to the answer as it came, in microseconds."""
        self.number += 1
        request = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": "tools/call",
                              "params": {"name": tool, "arguments": arguments}}).encode() + b"\n"
        begin = time.perf_counter_ns()
        self.process.stdin.write(request)
        self.process.stdin.flush()
        line = self.line()
        took = (time.perf_counter_ns() - begin) / 1000
        return took, line

    def stop(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def one_by_one(tool, arguments):
    def fill(server, notes):
        for i, text in enumerate(notes):
            server.call(tool, arguments(f"note-{i}", text))
    return fill


def as_entities(together):
    """So many notes a call."""
    def fill(server, notes):
        for begin in range(0, len(notes), together):
            server.call("create_entities", {"entities": [
                {"name": f"note-{i}", "entityType": "note", "observations": [notes[i]]}
                for i in range(begin, min(begin + together, len(notes)))]})
    return fill


def node(package, script):
    return ["node", os.path.join(MODULES, package, script)]


def jotter(pad):
    return [JOTTER, "mcp", "--pad", pad]


SCRATCHPAD = one_by_one("scratchpad_write", lambda key, text: {"key": key, "content": text})
KINDS = {  # name: (how it is started, its environment in a folder, how it is filled, what it is asked)
    "jotter, files": (jotter("files:pad"), lambda at: {}, SCRATCHPAD, ("scratchpad_search", {"limit": 10})),
    "jotter, sqlite": (jotter("sqlite:pad.db"), lambda at: {}, SCRATCHPAD, ("scratchpad_search", {"limit": 10})),
    "sqlite-memory-mcp": (
        node("sqlite-memory-mcp", "dist/index.js"), lambda at: {"HOME": at},
        one_by_one("memory_write", lambda key, text: {"key": key, "content": text}), ("memory_search", {"limit": 10})),
    "@modelcontextprotocol/server-memory": (
        node("@modelcontextprotocol/server-memory", "dist/index.js"),
        lambda at: {"MEMORY_FILE_PATH": os.path.join(at, "memory.jsonl")}, as_entities(1000), ("search_nodes", {})),
    "@itseasy21/mcp-knowledge-graph": (
        node("@itseasy21/mcp-knowledge-graph", "dist/index.js"),
        lambda at: {"MEMORY_FILE_PATH": os.path.join(at, "memory.jsonl")}, as_entities(1000), ("search_nodes", {})),
    "mcp-memory-libsql": (
        node("mcp-memory-libsql", "dist/index.js"), lambda at: {"LIBSQL_URL": f"file:{at}/memory.db"}, as_entities(50),
        ("search_nodes", {"limit": 10})),
    "mcp-memory-keeper": (
        node("mcp-memory-keeper", "dist/index.js"), lambda at: {"DATA_DIR": at},
        one_by_one("context_save", lambda key, text: {"key": key, "value": text}), ("context_search", {"limit": 10})),
}


def start(name, folder, notes):
    """The server, with the notes; None if it is not there or does not work."""
    words, environment, fill, _ = KINDS[name]
    if words[0] == "node" and not os.path.exists(words[1]):
        print(f"  {name}: not here")
        return None
    at = os.path.join(folder, name.replace("/", "-").replace(", ", "-"))
    os.mkdir(at)
    server = None
    try:
        if words[0] == JOTTER:
            subprocess.run([JOTTER, "--pad", words[3], "init"], cwd=at, check=True, stdout=subprocess.DEVNULL)
        server = Server(words, at, environment(at))
        fill(server, notes)
        return server
    except (OSError, subprocess.CalledProcessError) as why:
        print(f"  {name}: left out, {why}")
        if server:
            server.stop()
        return None


def measure(size, folder):
    notes = draw_notes(size)
    texts = [" ".join(words) for words in notes]
    print(f"{size} notes")
    servers = {name: server for name in KINDS if (server := start(name, folder, texts))}
    trips, found = {name: [] for name in servers}, {name: 0 for name in servers}
    chance, asked = random.Random(2), 0
    try:
        for turn in range(TURNS + 1):  # the first is for warming up
            queries = []
            for _ in range(CALLS):
                words, at = chance.choice(notes), chance.randrange(29)
                queries.append(" ".join(words[at:at + 2]))
            asked += CALLS
            for name in sorted(servers, key=lambda name: chance.random()):
                tool, more = KINDS[name][3]
                for query in queries:
                    took, line = servers[name].trip(tool, dict(more, query=query))
                    found[name] += b"note-" in line
                    if turn:
                        trips[name].append(took)
    finally:
        for server in servers.values():
            server.stop()
    ours = max(statistics.median(trips[name]) for name in trips if name.startswith("jotter"))
    for name, all_of_it in sorted(trips.items(), key=lambda pair: statistics.median(pair[1])):
        middle = statistics.median(all_of_it)
        print(f"  {middle:9.0f} us  {middle / ours:7.2f} of Jotter's  {name}: found something {found[name]} times of {asked}")


def main():
    room = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    for size in SIZES:
        folder = tempfile.mkdtemp(prefix="jotter-peers-", dir=room)
        try:
            measure(size, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        sys.stdout.flush()


main()
