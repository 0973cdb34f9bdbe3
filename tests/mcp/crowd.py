#!/usr/bin/env python3
"""crowd.py JOTTER ENGINE: 16 servers on one pad, killed again and again; what was acknowledged is there.

Half of the servers are asked one thing at a time, the others a dozen.  Half of the writes go to the
writer's own notes, half to notes that all share, and those name the version they are based on.  Every
text is written once, so a version says which write it was.  In the end each note's history is read
once and compared with what the writers were told:

  - a write that was acknowledged is in the history, once, and one that was refused is not;
  - nothing is there that nobody wrote;
  - a write on a shared note follows the very version it names: whatever it supersedes, it has seen;
  - a write that was acknowledged before another was sent comes before it;
  - a writer's own writes to a note are in the order he sent them.

What was sent and not answered before a kill may be there or not.  The comparison itself is tried on
histories that were falsified."""
import hashlib
import json
import os
import random
import re
import selectors
import shutil
import subprocess
import sys
import tempfile
import time

import wire

SMALL = os.environ.get("JOT_TEST_VOLUME") == "small"
SERVERS = 16
SHARED = 96  # notes all write to
OWN = 4  # notes of each writer
KILLS = 12 if SMALL else 100
WRITES = 1200 if SMALL else 20000  # acknowledged ones
ON_SERVERS = 5  # times fewer of both: there each write waits for a server's disk
IN_FLIGHT = 12
STUCK = 300  # seconds without any answer; nothing depends on it unless it fails

HELLO = (json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                     "params": {"protocolVersion": "2025-11-25", "capabilities": {}}}) + "\n").encode()
TOLD = re.compile(r"version ([0-9a-f]{12})\b")


def version_of(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def server_of(engine):
    """The URL of the server that tests/rig/with-servers started for it, if it did."""
    return os.environ.get("JOT_TEST_" + engine.upper())


def pad_on(engine, place):
    """A fresh pad, on its server or in a place of ours."""
    server = server_of(engine)
    if not server:
        return "%s:%s/pad" % (engine, place)
    return "%s%spad=crowd%d" % (server, "&" if "?" in server else "?", os.getpid())


class Write:
    """One that was sent.  `sent` and `told` are moments of the rig's own count."""
    __slots__ = ("key", "version", "base", "writer", "sent", "told", "outcome")

    def __init__(self, key, version, base, writer, sent):
        self.key, self.version, self.base, self.writer, self.sent = key, version, base, writer, sent
        self.told, self.outcome = None, "unknown"


class Rig:
    def __init__(self, program, engine, place, seed):
        self.program, self.url = program, pad_on(engine, place)
        self.random = random.Random(seed)
        self.moment = 0
        self.texts = 0
        self.writes = {}  # by version
        self.acknowledged = self.guarded = self.refused = self.kills = 0
        self.wrong = []
        fewer = ON_SERVERS if server_of(engine) and not SMALL else 1
        self.goal, self.kills_goal = WRITES // fewer, KILLS // fewer

    def tick(self):
        self.moment += 1
        return self.moment


class Writer:
    """A client and its server; a new server after each kill."""

    def __init__(self, rig, number):
        self.rig, self.number = rig, number
        self.room = 1 if number % 2 else IN_FLIGHT
        self.known = {}  # shared note: its version as last seen
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.rig.program, "mcp", "--pad", self.rig.url, "--as", "w%d" % self.number],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.pending = {}
        self.held = set()  # shared notes with a write in flight
        self.again = []  # shared notes whose last write was refused
        self.rest = b""
        self.next_id = 0
        self.push(HELLO)

    def push(self, data):
        try:
            os.write(self.process.stdin.fileno(), data)
        except BrokenPipeError:
            pass  # it was killed; what it did is found out below

    def choose(self):
        """The note to write to next, and the version it must have.  A refused write is tried again."""
        if self.again:
            key = self.again.pop()
            return key, self.known[key]
        if self.rig.guarded * 2 > self.rig.acknowledged:
            return "own-%d-%d" % (self.number, self.rig.random.randrange(OWN)), None
        key = "shared-%d" % self.rig.random.randrange(SHARED)
        while key in self.held:  # one at a time: the next is based on what comes of it
            key = "shared-%d" % self.rig.random.randrange(SHARED)
        return key, self.known.get(key)

    def fill(self):
        lines = []
        while len(self.pending) < self.room:
            key, base = self.choose()
            self.rig.texts += 1
            text = "%s by w%d, text %d%s" % (key, self.number, self.rig.texts, " more" * (self.rig.texts % 40))
            args = {"key": key, "content": text}
            shared = key.startswith("shared")
            if shared:
                # A version that never was makes the server tell the present one.
                args["if_version"] = base or version_of("nothing")
                self.held.add(key)
            self.next_id += 1
            write = Write(key, version_of(text), args.get("if_version"), self.number, self.rig.tick())
            self.pending[self.next_id] = write
            self.rig.writes[write.version] = write
            lines.append(json.dumps({"jsonrpc": "2.0", "id": self.next_id, "method": "tools/call",
                                     "params": {"name": "scratchpad_write", "arguments": args}}))
        if lines:
            self.push(("\n".join(lines) + "\n").encode())

    def take(self, line):
        reply = json.loads(line)
        write = self.pending.pop(reply["id"], None)
        if reply["id"] == 0:
            return
        result = reply["result"]
        text = result["content"][0]["text"]
        write.told = self.rig.tick()
        self.held.discard(write.key)
        version = TOLD.search(text)
        if not result.get("isError"):
            write.outcome = "acknowledged"
            self.rig.acknowledged += 1
            self.rig.guarded += bool(write.base)
            if version.group(1) != write.version:
                self.rig.wrong.append("acknowledged as %s: %s" % (version.group(1), write.version))
        elif "has changed" in text:
            write.outcome = "refused"
            self.rig.refused += 1
            self.held.add(write.key)
            self.again.append(write.key)
        else:
            self.rig.wrong.append("an error: %s" % text)
        if write.key.startswith("shared") and version:
            self.known[write.key] = version.group(1)

    def read(self):
        """What has come; False at the end of output."""
        while True:
            try:
                data = os.read(self.process.stdout.fileno(), 1 << 16)
            except BlockingIOError:
                return True
            if not data:
                return False
            *lines, self.rest = (self.rest + data).split(b"\n")
            for line in lines:
                self.take(line)

    def finish(self):
        """Take what it still said; it is gone or will be."""
        os.set_blocking(self.process.stdout.fileno(), True)
        self.process.stdin.close()
        while self.read():
            pass
        self.process.stdout.close()
        return self.process.wait(STUCK)


def kill_one(rig, watch, writer):
    watch.unregister(writer.process.stdout)
    writer.process.kill()
    writer.finish()
    rig.kills += 1
    writer.start()
    watch.register(writer.process.stdout, selectors.EVENT_READ, writer)
    writer.fill()


def seed_shared(rig):
    """Every shared note begins with a text that names no version."""
    for i in range(SHARED):
        key, text = "shared-%d" % i, "the beginning of %d" % i
        subprocess.run([rig.program, "--pad", rig.url, "write", key], input=text.encode(), check=True,
                       stdout=subprocess.DEVNULL)
        write = Write(key, version_of(text), None, None, rig.tick())
        write.told, write.outcome = rig.tick(), "acknowledged"
        rig.writes[write.version] = write


def drive(rig, writers):
    watch = selectors.DefaultSelector()
    for writer in writers:
        watch.register(writer.process.stdout, selectors.EVENT_READ, writer)
        writer.fill()
    next_kill = rig.goal // (rig.kills_goal + 1)
    while rig.acknowledged < rig.goal or rig.kills < rig.kills_goal:
        ready = watch.select(STUCK)
        if not ready:
            rig.wrong.append("nothing came for %d seconds" % STUCK)
            return
        for event, _ in ready:
            writer = event.data
            if not writer.read():
                rig.wrong.append("a server ended by itself")
                return
            writer.fill()
        if rig.kills < rig.kills_goal and rig.acknowledged >= next_kill:
            next_kill += rig.goal // (rig.kills_goal + 1)
            kill_one(rig, watch, rig.random.choice(writers))
    for writer in writers:
        if writer.finish() != 0:
            rig.wrong.append("a server did not end with 0")
        if writer.pending:
            rig.wrong.append("%d requests were not answered at the end" % len(writer.pending))


# --- What is there in the end -----------------------------------------------------------------

def read_histories(rig):
    """For each note the versions, oldest first."""
    histories = {}
    for key in sorted({w.key for w in rig.writes.values()}):
        got = subprocess.run([rig.program, "--pad", rig.url, "history", key, "--json"],
                             stdout=subprocess.PIPE)
        if got.returncode == 0:
            told = json.loads(got.stdout)
            if told["damaged"]:
                rig.wrong.append("%s: damaged records" % key)
            histories[key] = [v["version"] for v in reversed(told["versions"])]
    return histories


def check_note(key, versions, writes):
    wrong = []
    before, last_of, latest = None, {}, 0
    for version in versions:
        write = writes.get(version)
        if not write or write.key != key:
            wrong.append("%s: %s was written by nobody" % (key, version))
            continue
        if write.outcome == "refused":
            wrong.append("%s: %s was refused and is there" % (key, version))
        if write.base and write.base != before:
            wrong.append("%s: %s is based on %s and follows %s" % (key, version, write.base, before))
        if write.told is not None and write.told < latest:
            wrong.append("%s: %s was acknowledged before its predecessor was sent" % (key, version))
        if last_of.get(write.writer, 0) > write.sent:
            wrong.append("%s: %s overtook a later one of its writer" % (key, version))
        before, latest = version, max(latest, write.sent)
        last_of[write.writer] = write.sent
    return wrong


def check(writes, histories):
    """Sentences about what is wrong."""
    wrong = []
    count = {}
    for key, versions in histories.items():
        wrong += check_note(key, versions, writes)
        for version in versions:
            count[version] = count.get(version, 0) + 1
    for version, write in writes.items():
        n = count.get(version, 0)
        if n > 1:
            wrong.append("%s: %s is there %d times" % (write.key, version, n))
        if n == 0 and write.outcome == "acknowledged":
            wrong.append("%s: %s is lost" % (write.key, version))
    return wrong


def falsify(writes, histories):
    """Falsified histories: what is wrong with them, and the words by which that must be noticed."""
    shared = next(k for k in sorted(histories) if k.startswith("shared") and len(histories[k]) > 4)
    own = next(k for k in sorted(histories) if k.startswith("own") and len(histories[k]) > 4)
    refused = next(w for w in writes.values() if w.outcome == "refused")
    there = histories[own]
    sure = [v for v in there if writes[v].outcome == "acknowledged"]
    yield "is_lost", "is lost", own, [v for v in there if v != sure[1]]
    yield "is_there_twice", "2 times", own, there + there[-1:]
    yield "overtook_its_successor", "overtook", own, there[::-1]
    yield "came_too_late", "before its predecessor", own, there[::-1]
    yield "is_nobodys", "nobody", own, there + ["0" * 12]
    yield "was_refused", "was refused", refused.key, histories[refused.key] + [refused.version]
    yield "unseen_was_replaced", "is based on", shared, histories[shared][:2] + histories[shared][3:]


def check_read(rig, histories):
    server = wire.Server(rig.program, rig.url)
    server.hello()
    told = {key: server.call("scratchpad_read", key=key) for key in histories}
    server.end()
    server.stop()
    return ["%s: %s" % (key, wire.text_of(reply)) for key, reply in told.items()
            if not wire.text_of(reply).endswith("version " + histories[key][-1])]


def verify(rig):
    """What is wrong with the pad; what a killed writer left half done, or what was put aside of it, is not."""
    got = subprocess.run([rig.program, "--pad", rig.url, "verify", "--json"], stdout=subprocess.PIPE)
    told = json.loads(got.stdout)
    return [json.dumps(x) for x in told.get("problems", [told]) if x.get("kind") not in ("leftover", "quarantine")]


class Cases:
    def __init__(self):
        self.n, self.bad = 0, False

    def say(self, sentence, wrong):
        self.n += 1
        self.bad = self.bad or bool(wrong)
        print("%s %d - %s" % ("not ok" if wrong else "ok", self.n, sentence))
        for line in wrong[:20]:
            print("# " + line)


def run(program, engine, place):
    cases = Cases()
    seed = int(os.environ.get("JOT_TEST_SEED") or time.time_ns() % 1000000)
    rig = Rig(program, engine, place, seed)
    seed_shared(rig)
    writers = [Writer(rig, n) for n in range(SERVERS)]
    try:
        drive(rig, writers)
    finally:
        for writer in writers:
            if writer.process.poll() is None:
                writer.process.kill()
                writer.process.wait()
    cases.say("every_answer_was_one_that_may_come", rig.wrong)
    histories = read_histories(rig)
    wrong = check(rig.writes, histories)
    cases.say("what_was_acknowledged_survived_or_was_rightly_superseded", wrong)
    for what, words, key, versions in falsify(rig.writes, histories):
        noticed = check(rig.writes, dict(histories, **{key: versions}))
        cases.say("a_history_in_which_something_%s_is_noticed" % what,
                  [] if any(words in line for line in noticed) else ["it was not"])
    cases.say("a_new_server_reads_the_newest_of_each_history", check_read(rig, histories))
    cases.say("the_pad_verifies", verify(rig))
    tame = rig.refused < rig.goal // 100 or rig.kills < rig.kills_goal
    cases.say("the_run_was_wild_enough", ["refused %d, kills %d" % (rig.refused, rig.kills)] if tame else [])
    print("mcp %s: %d acknowledged writes checked, %d of them guarded, %d refused, %d processes, %d kills, %d lost"
          % (engine, rig.acknowledged, rig.guarded, rig.refused, SERVERS, rig.kills,
             sum(line.endswith("is lost") for line in wrong)))
    if cases.bad:
        print("# JOT_TEST_SEED=%d" % seed)
    print("1..%d" % cases.n)
    return cases.bad


def main():
    wire.environment()
    program, engine = sys.argv[1:]
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    place = tempfile.mkdtemp(prefix="jotter-crowd-", dir=memory)
    try:
        sys.exit(run(program, engine, place))
    finally:
        shutil.rmtree(place)


main()
