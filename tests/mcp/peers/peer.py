"""peer.py - programs that do what jotter does, asked one thing at a time, and counting what they say otherwise.

A program of the same kind is either an MCP server (`Mcp`) or a small adapter around a library (`Lines`), which
takes one JSON value a line and answers with one."""
import json
import os
import queue
import subprocess
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import wire  # noqa: E402


class Lines(wire.Server):
    """A process that takes a line and answers a line."""

    def __init__(self, command, environment=None, log=subprocess.DEVNULL):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                                        env=dict(os.environ, **(environment or {})))
        self.lines = queue.Queue()
        self.held = []
        threading.Thread(target=self._listen, daemon=True).start()

    def say(self, value):
        self.send(json.dumps(value))
        reply = self.receive()
        assert reply is not None, "%s is gone" % self.process.args[0]
        return reply

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(wire.WAIT)
        self.process.stdin.close()
        self.process.stdout.close()


class Mcp(Lines):
    """An MCP server over its standard input and output."""

    def __init__(self, command, environment=None, log=subprocess.DEVNULL):
        super().__init__(command, environment, log)
        self.hello()

    def tool(self, name, args):
        """What a tool answers: {"text", "data", "error"}."""
        reply = self.ask("tools/call", {"name": name, "arguments": args})
        if "error" in reply:
            return {"text": reply["error"]["message"], "data": None, "error": True}
        result = reply["result"]
        return {"text": result["content"][0]["text"], "data": result.get("structuredContent"),
                "error": bool(result.get("isError"))}


def jotter(program, *options):
    """Ours, which says what goes wrong where it can be read."""
    return Mcp([program, "mcp", *options], log=None)


class Differences:
    """What was compared, and the first few of what was not the same."""

    SHOWN = 10

    def __init__(self, name):
        self.name, self.compared, self.refused, self.found, self.kinds = name, 0, 0, 0, {}

    def compare(self, what, theirs, ours, said):
        self.compared += 1
        self.refused += theirs.get("error") is True
        if theirs == ours:
            return True
        self.found += 1
        self.kinds[said] = self.kinds.get(said, 0) + 1
        if self.found <= self.SHOWN:
            print("%s: not the same: %s\n  theirs: %s\n  ours:   %s" % (
                self.name, what, json.dumps(theirs, ensure_ascii=False), json.dumps(ours, ensure_ascii=False)))
        return False

    def tell(self, seed):
        print("%s: %d compared (%d of them refusals), %d differences%s, seed %d" % (
            self.name, self.compared, self.refused, self.found,
            " (%s)" % ", ".join("%s: %d" % pair for pair in sorted(self.kinds.items())) if self.kinds else "", seed),
            flush=True)
        return self.found == 0
