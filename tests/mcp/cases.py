"""cases.py: tests that are functions, named by what they prove; each prints a line of TAP."""
import os
import sys
import tempfile
import time
import traceback

import wire

program = sys.argv[1]
tests = []


def test(function):
    tests.append(function)
    return function


class Room:
    """A directory of its own, and servers that are gone when it is."""

    def __init__(self, engine="files", where=None):
        self.engine = engine
        self.where = where
        self.servers = []

    def __enter__(self):
        self.dir = tempfile.TemporaryDirectory(prefix="jotter-mcp-", dir=self.where)
        self.pad = os.path.join(self.dir.name, "pad")
        self.url = "%s:%s" % (self.engine, self.pad)
        return self

    def __exit__(self, *failure):
        for server in self.servers:
            server.stop()
        self.dir.cleanup()


def main():
    """Run all of them, or those that the command line names behind the program."""
    wire.environment()
    wanted = sys.argv[2:]
    chosen = [t for t in tests if not wanted or t.__name__ in wanted]
    print("1..%d" % len(chosen))
    bad = False
    for number, one in enumerate(chosen, 1):
        began = time.monotonic()
        try:
            one()
            print("ok %d - %s # %.1f s" % (number, one.__name__, time.monotonic() - began), flush=True)
        except BaseException as why:
            bad = True
            print("not ok %d - %s" % (number, one.__name__))
            for frame in traceback.extract_tb(why.__traceback__)[1:]:
                print("# %s:%d: %s" % (os.path.basename(frame.filename), frame.lineno, frame.line))
            print("# %s: %s" % (type(why).__name__, str(why).replace("\n", "\n# ")), flush=True)
    sys.exit(bad)
