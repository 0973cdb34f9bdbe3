#!/usr/bin/env python3
"""compare_memory.py JOTTER NODE HOME [SEED [COMMANDS]]: random commands to the SDKs' memory tools and to ours.

HOME has the SDKs: node_modules/ and, for Python, python/; the adapters of this directory lie in HOME/peers.
Each SDK is compared with our dialect of its name: every answer byte for byte, and after each command every
file.  Our own dialect, `documented`, must say what both SDKs say wherever they say the same of the same files.
The seed is printed; JOT_TEST_SEED sets it too.

What is left out, because there we are not the same on purpose (docs/mcp.md):
  - directories without files: we have none, so they are removed from the SDKs' after each command;
  - the size of a directory, which is its file system's business there and that of its files here;
  - what the operating system refuses there is refused here too, but in our words;
  - names a pad does not take (hidden ones, control characters, a dot or a space at the end);
  - /memoriesX, which both SDKs take for /memories/X;  an empty old_str; views of more than 16,000 characters."""
import json
import os
import random
import shutil
import sys
import tempfile

import peer

LINES = ["alpha", "beta", "al", "aaa", "a a", "", "ä", "日本", "\ttab", "cr\r", "$& $1 \\1", "`tick`", "z" * 30, "🙂 𐐀", "tail "]
SEGMENTS = ["a", "b", "a.txt", "a-b", "d", "notes.md", "größe", "日本", "x y", "\ue000", "😀", "node_modules"]
ODD = ["/memories", "/memories/", "/memories/.", "/memories/a/..", "/memories/../memories/a", "/memories/..", "/etc/passwd",
       "memories/a", "", "/memories/../../etc/passwd", "/memories/d/../a.txt", "/memories/./a.txt", "/memories//a.txt",
       "/memories/a.txt/", "/memories/.hidden", "/memories/d/./", "/memory", "/memories/a/../../b"]
DIALECTS = ("typescript", "python")
EPISODE = 60
SIZES = [0, 1, 1023, 1024, 1280, 1536, 2048, 2201, 10291, 12800]


def fixed():
    """What chance would not meet: the limit of lines."""
    path = "/memories/long"
    yield {"command": "create", "path": path, "file_text": "\n" * 999999}
    yield {"command": "view", "path": path}
    yield {"command": "view", "path": path, "view_range": [1, 2]}
    yield {"command": "insert", "path": path, "insert_line": 1000001, "insert_text": "x"}
    yield {"command": "str_replace", "path": path, "old_str": "x", "new_str": "y"}
    yield {"command": "delete", "path": path}


class Commands:
    """Random commands about a few paths, so that they meet."""

    def __init__(self, chance):
        self.chance = chance
        self.names = chance.sample(SEGMENTS, 5)
        self.made = ["/memories"]  # paths that may be there
        self.said = list(LINES)  # texts that may be in them

    def path(self, made=False):
        """A path; one that is to be `made` is one a pad takes, and others are mostly there already."""
        if self.chance.random() < 0.1:
            return self.chance.choice([path for path in ODD if not made or "/.h" not in path])
        if not made and self.chance.random() < 0.75:
            return self.chance.choice(self.made[-8:])
        depth = self.chance.choice([1, 1, 1, 2, 2, 3])
        path = "/memories/" + "/".join(self.chance.choice(self.names) for _ in range(depth))
        if made:
            self.made.append(path)
        return path

    def text(self):
        if self.chance.random() < 0.05:
            return "s" * self.chance.choice(SIZES)
        lines = [self.chance.choice(LINES) for _ in range(self.chance.choice([0, 1, 1, 2, 3, 5, 9]))]
        text = "\n".join(lines) + self.chance.choice(["", "\n", "\n\n"])
        self.said.append(text)
        return text

    def part(self):
        """Something that may be in a file; never empty."""
        text = self.chance.choice(self.said[-8:])
        begin = self.chance.randint(0, len(text)) if self.chance.random() < 0.5 else 0
        return text[begin:begin + self.chance.randint(1, 12)] or "alpha"

    def view(self):
        asked = {"command": "view", "path": self.path() if self.chance.random() < 0.8 else "/memories"}
        if self.chance.random() < 0.4:
            length = self.chance.choice([2, 2, 2, 2, 2, 0, 1, 3])
            asked["view_range"] = [self.chance.choice([-2, -1, 0, 1, 1, 2, 3, 5, 20]) for _ in range(length)]
        return asked

    def next(self):
        c = self.chance
        kind = c.choice(["view", "view", "create", "create", "create", "str_replace", "str_replace", "insert", "insert",
                         "delete", "rename"])
        if kind == "view":
            return self.view()
        if kind == "rename":
            return {"command": kind, "old_path": self.path(), "new_path": self.path(True)}
        asked = {"command": kind, "path": self.path(kind == "create")}
        if kind == "create":
            asked["file_text"] = self.text()
        if kind == "str_replace":
            asked.update(old_str=self.part(), new_str=self.text() if c.random() < 0.5 else c.choice(LINES))
        if kind == "insert":
            asked.update(insert_line=c.choice([-1, 0, 0, 1, 1, 2, 3, 4, 50]), insert_text=self.text())
        return asked


class Sdk:
    """An SDK's memory tool, and its files."""

    def __init__(self, command, environment=None):
        self.lines = peer.Lines(command, environment)

    def begin(self, base):
        self.base = base
        self.lines.say({"base": base})

    def ask(self, asked):
        return self.lines.say(asked)

    def files(self):
        return files_below(os.path.join(self.base, "memories"))

    def prune(self):
        """Directories without files go."""
        root = os.path.join(self.base, "memories")
        for place, _, _ in os.walk(root, topdown=False):
            if place != root and not os.listdir(place):
                os.rmdir(place)


class Ours:
    """The same by jotter, in one dialect."""

    def __init__(self, jotter, dialect, url):
        self.url = url
        self.server = peer.jotter(jotter, "--pad", url, "--tools", "memory,no-scratchpad", "--dialect", dialect)

    def ask(self, asked):
        reply = self.server.tool("memory", asked)
        return {"text": reply["text"], "error": reply["error"]}

    def files(self):
        """None on an engine that keeps them elsewhere."""
        engine, place = self.url.split(":", 1)
        return files_below(os.path.join(place, "memories")) if engine == "files" else None


def files_below(root):
    found = {}
    for place, _, names in os.walk(root):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, root)] = file.read().decode()
    return found


def comparable(asked, reply):
    """An answer without what is not compared: the sizes of directories, the words of the operating system."""
    text = reply["text"]
    if reply.get("system"):
        text = None
    elif text.startswith("Here're the files"):
        lines = text.split("\n")
        lines[1] = "-\t" + lines[1].split("\t", 1)[1]
        lines[2:] = ["-\t" + line.split("\t", 1)[1] if line.endswith("/") else line for line in lines[2:]]
        text = "\n".join(lines)
    return {"error": reply["error"], "text": text}


def ours_like(theirs, ours):
    """Our answer, without its words where theirs have none that count."""
    return {"error": ours["error"], "text": None if theirs["text"] is None else ours["text"]}


class Episode:
    def __init__(self, sdks, jotter, place, engine):
        self.sdks = sdks
        self.ours = {}
        for dialect in (*DIALECTS, "documented"):
            self.ours[dialect] = Ours(jotter, dialect, "%s:%s" % (engine, os.path.join(place, dialect)))
        for dialect in DIALECTS:
            sdks[dialect].begin(os.path.join(place, "sdk-" + dialect))
        self.together = True  # the same was done to all files so far

    def stop(self):
        for one in self.ours.values():
            one.server.stop()

    def step(self, asked, found):
        """One command to all; False: what follows would only be told again."""
        same, replies = True, {}
        for dialect in DIALECTS:
            theirs = comparable(asked, self.sdks[dialect].ask(asked))
            self.sdks[dialect].prune()
            ours = ours_like(theirs, comparable(asked, self.ours[dialect].ask(asked)))
            same &= found[dialect].compare(asked, theirs, ours, asked["command"])
            files = self.ours[dialect].files()
            if files is not None:
                same &= found[dialect].compare(("files after", asked), self.sdks[dialect].files(), files,
                                               "files after " + asked["command"])
            replies[dialect] = theirs
        return self.step_documented(asked, replies, found["documented"]) and same

    def step_documented(self, asked, replies, found):
        ours, same = comparable(asked, self.ours["documented"].ask(asked)), True
        first, second = (replies[dialect] for dialect in DIALECTS)
        if self.together and first == second:
            same = found.compare(asked, first, ours_like(first, ours), asked["command"])
        states = [self.sdks[dialect].files() for dialect in DIALECTS]
        files = self.ours["documented"].files()
        self.together = self.together and states[0] == states[1] and files in (None, states[0])
        # Where the files cannot be seen, an answer they disagree about may have changed them.
        if files is None and first != second and asked["command"] != "view":
            self.together = False
        return same


def begin_sdks(node, home):
    here = os.path.join(home, "peers")
    return {"typescript": Sdk([node, os.path.join(here, "memory_sdk.mjs")]),
            "python": Sdk([sys.executable, os.path.join(here, "memory_sdk.py")],
                          {"PYTHONPATH": os.path.join(home, "python")}),
            "python -a": Sdk([sys.executable, os.path.join(here, "memory_sdk.py"), "-a"],
                             {"PYTHONPATH": os.path.join(home, "python")})}


def main():
    jotter, node, home = sys.argv[1:4]
    seed = int(sys.argv[4] if len(sys.argv) > 4 else os.environ.get("JOT_TEST_SEED") or random.SystemRandom().getrandbits(32))
    count = int(sys.argv[5]) if len(sys.argv) > 5 else 2400
    print("memory: seed %d" % seed, flush=True)
    found = {dialect: peer.Differences("memory, " + dialect) for dialect in (*DIALECTS, "documented")}
    chance, sdks = random.Random(seed), begin_sdks(node, home)
    place = tempfile.mkdtemp(prefix="jotter-memory-")
    try:
        for n, begin in enumerate(range(0, count, EPISODE)):
            here = os.path.join(place, str(n))
            os.mkdir(here)
            some = dict(sdks, python=sdks["python -a" if n % 4 == 3 else "python"])
            episode, source = Episode(some, jotter, here, ("files", "sqlite")[n % 2]), Commands(chance)
            first = list(fixed()) if n < 2 else []
            try:
                for asked in first + [source.next() for _ in range(min(EPISODE, count - begin))]:
                    if not episode.step(asked, found):
                        break
            finally:
                episode.stop()
    finally:
        for sdk in sdks.values():
            sdk.lines.stop()
        shutil.rmtree(place)
    sys.exit(0 if all([one.tell(seed) for one in found.values()]) else 1)


if __name__ == "__main__":
    main()
