#!/usr/bin/env python3
"""replay.py JOTTER TRANSCRIPT: speak a transcript to `jotter mcp` and compare, on each engine.

    # words           a comment
    @ files sqlite    the engines to run it on; files, sqlite and mem if nothing is said
    > TEXT            send this line
    < JSON            the next message is this one
    $ COMMAND         run in a shell, $PAD is the path of the pad and $JOTTER the program
    ~                 nothing comes for a moment

In an expected message "*" stands for any value, "abc*" for any text that begins so, and a member
"*": "*" for any other members.  $MODERN in a line is the _meta of the stateless era."""
import json
import os
import queue
import subprocess
import sys
import tempfile

import wire


def same(want, got):
    if want == "*":
        return True
    if isinstance(want, str) and want.endswith("*"):
        return isinstance(got, str) and got.startswith(want[:-1])
    if isinstance(want, dict):
        if not isinstance(got, dict):
            return False
        if "*" not in want and set(got) - set(want):
            return False
        return all(k == "*" or (k in got and same(v, got[k])) for k, v in want.items())
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(same, want, got))
    return type(want) is type(got) and want == got


def answers(want, got):
    """A whole message; the answers of a batch come in any order."""
    if not isinstance(want, list) or not isinstance(got, list):
        return same(want, got)
    left = list(got)
    for one in want:
        fits = [other for other in left if same(one, other)]
        if not fits:
            return False
        left.remove(fits[0])
    return not left


def next_message(server, want):
    """An answer and a notification of the change it acknowledges come in any order."""
    told = isinstance(want, dict) and "method" in want
    if told and server.held:
        return server.held.pop(0)
    while True:
        got = server.receive()
        if told or not isinstance(got, dict) or "method" not in got:
            return got
        server.held.append(got)


def step(server, sign, rest, pad, program):
    if sign == ">":
        server.send(rest)
    elif sign == "<":
        got = next_message(server, json.loads(rest))
        if not answers(json.loads(rest), got):
            return "came: %s" % json.dumps(got)
    elif sign == "$":
        subprocess.run(rest, shell=True, check=True, env=dict(os.environ, PAD=pad, JOTTER=program))
    elif sign == "~":
        if server.held or not server.quiet():
            return "something came"
    else:
        return "no such sign"
    return None


def replay(program, lines, engine):
    with tempfile.TemporaryDirectory(prefix="jotter-mcp-") as here:
        pad = os.path.join(here, "pad")
        url = "mem:" if engine == "mem" else "%s:%s" % (engine, pad)
        server = wire.Server(program, url)
        try:
            for number, line in lines:
                try:
                    why = step(server, line[0], line[1:].strip(), pad, program)
                except queue.Empty:
                    why = "nothing came"
                if why:
                    return "line %d: %s\n#   %s" % (number, line, why)
            if server.end() != 0:
                return "it did not end with 0"
            left = server.held or server.lines.get(timeout=wire.WAIT)
            return None if not left else "left over: %r" % left
        finally:
            server.stop()


def main():
    wire.environment()
    program, path = sys.argv[1:]
    engines = ["files", "sqlite", "mem"]
    meta = json.dumps(wire.MODERN)
    lines = []
    with open(path, encoding="utf-8") as transcript:
        for number, line in enumerate(transcript, 1):
            line = line.rstrip("\n").replace("$MODERN", meta)
            if line.startswith("@"):
                engines = line[1:].split()
            elif line and not line.startswith("#"):
                lines.append((number, line))
    print("1..%d" % len(engines))
    bad = False
    for i, engine in enumerate(engines, 1):
        why = replay(program, lines, engine)
        print("%s %d - %s on %s" % ("not ok" if why else "ok", i, os.path.basename(path), engine))
        if why:
            print("# " + why)
            bad = True
    sys.exit(bad)


main()
