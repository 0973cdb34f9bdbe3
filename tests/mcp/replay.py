#!/usr/bin/env python3
"""replay.py JOTTER TRANSCRIPT: speak a transcript to `jotter mcp` and compare, over a pipe and over
HTTP, on each engine.

    # words           a comment
    @ files sqlite    the engines to run it on; files, sqlite and mem if nothing is said
    & --tools graph   options for the server
    % pipe            the lines behind it are for this transport only; % alone ends that
    > TEXT            send this line
    < JSON            the next message is this one
    $ COMMAND         run in a shell, $PAD is the path of the pad and $JOTTER the program
    ~                 nothing comes for a moment

In an expected message "*" stands for any value, "abc*" for any text that begins so, and a member
"*": "*" for any other members.  $MODERN in a line is the _meta of the stateless era.  Answers come
in the order they are expected, and so do notifications; between the two nothing is promised."""
import json
import os
import queue
import subprocess
import sys
import tempfile

import wire

TRANSPORTS = {"pipe": wire.Server, "http": wire.HttpServer}


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


def is_notification(message):
    return isinstance(message, dict) and "method" in message


def receive(server, notification):
    """The next notification, or the next of everything else."""
    for i, message in enumerate(server.held):
        if is_notification(message) == notification:
            return server.held.pop(i)
    while True:
        message = server.receive()
        if message is None or is_notification(message) == notification:
            return message
        server.held.append(message)


def step(server, sign, rest, pad, program):
    if sign == ">":
        server.send(rest)
    elif sign == "<":
        want = json.loads(rest)
        got = receive(server, is_notification(want))
        if not answers(want, got):
            return "came: %s" % json.dumps(got)[:1000]
    elif sign == "$":
        subprocess.run(rest, shell=True, check=True, env=dict(os.environ, PAD=pad, JOTTER=program))
    elif sign == "~":
        if server.held or not server.quiet():
            return "something came"
    else:
        return "no such sign"
    return None


def replay(program, options, lines, engine, transport):
    with tempfile.TemporaryDirectory(prefix="jotter-mcp-") as here:
        pad = os.path.join(here, "pad")
        url = "mem:" if engine == "mem" else "%s:%s" % (engine, pad)
        server = TRANSPORTS[transport](program, url, *options)
        try:
            for number, line in lines:
                try:
                    why = step(server, line[0], line[1:].strip(), pad, program)
                except queue.Empty:
                    why = "nothing came; before it: %s" % json.dumps(server.held)
                except (AssertionError, OSError, ValueError) as wrong:
                    why = "%s: %s" % (type(wrong).__name__, wrong)
                if why:
                    return "line %d: %s\n#   %s" % (number, line, why)
            if server.end() != 0:
                return "it did not end with 0"
            left = server.held or server.lines.get(timeout=wire.WAIT)
            return "left over: %r" % left if left else None
        finally:
            server.stop()


def read(path):
    """The engines, the server's options, and for each transport its lines with their numbers."""
    engines, options = ["files", "sqlite", "mem"], []
    meta = json.dumps(wire.MODERN)
    lines = {transport: [] for transport in TRANSPORTS}
    wanted = list(TRANSPORTS)
    with open(path, encoding="utf-8") as transcript:
        for number, line in enumerate(transcript, 1):
            line = line.rstrip("\n").replace("$MODERN", meta)
            if line.startswith("@"):
                engines = line[1:].split()
            elif line.startswith("&"):
                options = line[1:].split()
            elif line.startswith("%"):
                wanted = line[1:].split() or list(TRANSPORTS)
            elif line and not line.startswith("#"):
                for transport in wanted:
                    lines[transport].append((number, line))
    return engines, options, lines


def main():
    wire.environment()
    program, path = sys.argv[1:]
    engines, options, lines = read(path)
    cases = [(t, e) for t in TRANSPORTS for e in engines]
    print("1..%d" % len(cases))
    bad = False
    for i, (transport, engine) in enumerate(cases, 1):
        why = replay(program, options, lines[transport], engine, transport)
        print("%s %d - %s over %s on %s" % ("not ok" if why else "ok", i, os.path.basename(path), transport, engine))
        if why:
            print("# " + why)
            bad = True
    sys.exit(bad)


main()
