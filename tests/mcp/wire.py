"""wire.py - one `jotter mcp` as a client sees it: lines in, lines out, with a deadline for each."""
import json
import os
import queue
import subprocess
import threading

WAIT = 20  # seconds; no test depends on it unless it fails

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Server:
    def __init__(self, program, pad, *options):
        self.process = subprocess.Popen(
            [program, "mcp", "--pad", pad, "--as", "tester", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines = queue.Queue()
        self.next_id = 0
        self.held = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def receive(self, wait=WAIT):
        """The next message; None at the end of output; queue.Empty after `wait`."""
        line = self.lines.get(timeout=wait)
        if line is None:
            return None
        assert line.endswith(b"\n"), "half a line: %r" % line[:200]
        return json.loads(line)

    def quiet(self, wait=0.3):
        try:
            return self.receive(wait) is None
        except queue.Empty:
            return True

    def ask_later(self, method, params=None, modern=False):
        """Send a request; its id."""
        self.next_id += 1
        params = dict(params or {})
        if modern:
            params["_meta"] = MODERN
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}))
        return self.next_id

    def answer(self, id):
        """The reply to a request; notifications that come before it are kept in `held`."""
        while True:
            message = self.receive()
            assert message is not None, "the server is gone"
            if message.get("id") == id:
                return message
            self.held.append(message)

    def ask(self, method, params=None, modern=False):
        return self.answer(self.ask_later(method, params, modern))

    def call(self, tool, modern=False, **args):
        return self.ask("tools/call", {"name": tool, "arguments": args}, modern)

    def hello(self, version="2025-11-25"):
        reply = self.ask("initialize", {"protocolVersion": version, "capabilities": {},
                                        "clientInfo": {"name": "test", "version": "1"}})
        self.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return reply

    def told(self, method):
        """The next notification of this method."""
        for i, message in enumerate(self.held):
            if message.get("method") == method:
                return self.held.pop(i)
        while True:
            message = self.receive()
            assert message is not None, "the server is gone"
            if message.get("method") == method:
                return message
            self.held.append(message)

    def end(self):
        """Close its input and wait; the exit code."""
        self.process.stdin.close()
        return self.process.wait(WAIT)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(WAIT)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except OSError:
                pass


def text_of(reply):
    return reply["result"]["content"][0]["text"]


def environment():
    for name in ("JOTTER_PAD", "JOTTER_AS", "JOTTER_LEASE"):
        os.environ.pop(name, None)
