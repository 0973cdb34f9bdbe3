"""wire.py - one `jotter mcp` as a client sees it, with a deadline for each message.

Over a pipe it is lines in, lines out.  Over HTTP each message is a POST; what comes back, plainly or
on event streams, is one queue of messages as it is over a pipe."""
import atexit
import base64
import http.client
import json
import os
import queue
import re
import signal
import subprocess
import tempfile
import threading
import time

WAIT = float(os.environ.get("JOT_TEST_WAIT", 120))  # seconds; no test depends on it unless it fails

VERSION = "io.modelcontextprotocol/protocolVersion"
MODERN = {
    VERSION: "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Stopped:
    """A process that does nothing for a while: all that is sent to it meanwhile is there when it goes on."""

    def __init__(self, process):
        self.process = process

    def __enter__(self):
        self.process.send_signal(signal.SIGSTOP)
        while any(state != "T" for state, _ in threads_of(self.process)):
            time.sleep(0.001)

    def __exit__(self, *failure):
        self.process.send_signal(signal.SIGCONT)


def threads_of(process):
    """Of each thread its state, and how often it has gone to sleep or been sent there."""
    found = []
    for id in os.listdir("/proc/%d/task" % process.pid):
        with open("/proc/%d/task/%s/status" % (process.pid, id)) as f:
            told = dict(line.split(":", 1) for line in f)
        switches = [int(told[kind + "voluntary_ctxt_switches"]) for kind in ("", "non")]
        found.append((told["State"].split()[0], switches))
    return found


def rests(process):
    """True if every thread waits for something to come; one that waits for a processor does not.

    Nothing ran between two looks, so there was a moment at which all of them waited."""
    first = threads_of(process)
    return all(state == "S" for state, _ in first) and threads_of(process) == first


def ignoring(signals):
    """The beginning of a command that starts with these signals ignored, and no others, wherever the tests were started."""
    others = {signal.SIGHUP, signal.SIGINT} - set(signals)
    return ["env", *("--ignore-signal=%d" % one for one in signals), *("--default-signal=%d" % one for one in others)]


class Client:
    """What both transports have in common: send() and receive() are theirs."""

    next_id = 0

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


class Server(Client):
    """Over standard input and output."""

    def __init__(self, program, pad, *options, ignored=()):
        self.process = subprocess.Popen(
            [*ignoring(ignored), program, "mcp", "--pad", pad, "--as", "tester", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines = queue.Queue()
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


class HttpProcess:
    """A `jotter mcp --http` at a port of its own choice."""

    def __init__(self, program, pad, *options, token=None, ignored=()):
        self.process = subprocess.Popen(
            [*ignoring(ignored), program, "mcp", "--pad", pad, "--as", "tester", "--http", "127.0.0.1:0",
             *(("--token-file", token) if token else ("--no-token",)), *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.said = []
        self.port = None
        for line in self.process.stderr:
            self.said.append(line.decode().rstrip("\n"))
            found = re.match(r"jotter: http://127\.0\.0\.1:(\d+)/mcp$", self.said[-1])
            if found:
                self.port = int(found.group(1))
                break
        self.token = open(token).read().strip() if token and self.port else None

    def connect(self, wait=WAIT):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=wait)

    def headers(self, **more):
        some = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.token:
            some["Authorization"] = "Bearer " + self.token
        some.update({name.replace("_", "-"): value for name, value in more.items()})
        return some

    def ask(self, method, body=None, path="/mcp", **headers):
        """One request on a connection of its own: status, headers, body."""
        c = self.connect()
        try:
            c.request(method, path, body, self.headers(**headers))
            r = c.getresponse()
            return r.status, r.headers, r.read()
        finally:
            c.close()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(WAIT)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(WAIT)
        self.process.stderr.close()


def plain_header(value):
    """A header's value; what is not plain ASCII is packed."""
    if re.fullmatch(r"[!-~]([ -~]*[!-~])?", value) and not value.startswith("=?base64?"):
        return value
    return "=?base64?%s?=" % base64.b64encode(value.encode()).decode()


def modern_headers(message):
    """What the stateless era repeats in headers."""
    params = message.get("params", {})
    version = params["_meta"][VERSION]
    some = {"MCP-Protocol-Version": version if isinstance(version, str) else MODERN[VERSION],
            "Mcp-Method": message["method"]}
    name = params.get("uri" if message.get("method") == "resources/read" else "name")
    if message.get("method") in ("tools/call", "prompts/get", "resources/read") and isinstance(name, str):
        some["Mcp-Name"] = plain_header(name)
    return some


def events(response):
    """The events of a stream, as (id, data)."""
    id, data = None, []
    while True:
        line = response.readline()
        if not line:
            return
        line = line.rstrip(b"\r\n").decode()
        if line.startswith("id:"):
            id = line[3:].strip()
        elif line.startswith("data:"):
            data.append(line[5:].strip())
        elif line == "" and (id is not None or data):
            yield id, "\n".join(data)
            id, data = None, []


class HttpServer(Client):
    """Over HTTP, as both eras do it: a session and its stream, or each message for itself."""

    def __init__(self, program, pad, *options, ignored=()):
        self.http = HttpProcess(program, pad, *options, ignored=ignored)
        self.process = self.http.process
        self.lines = queue.Queue()
        self.held = []
        self.session = {}
        self.open = {}  # by id: what ends a stream
        self.threads = []

    def _read_stream(self, connection, response, key):
        try:
            for _, data in events(response):
                if data:
                    self.lines.put(json.loads(data))
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass  # we closed it
        self.open.pop(key, None)
        connection.close()

    def _start(self, function, *args):
        thread = threading.Thread(target=function, args=args, daemon=True)
        self.threads.append(thread)
        thread.start()

    def _begin(self, response):
        """A session has begun: listen to what nobody asked for."""
        self.session = {"Mcp-Session-Id": response.headers["Mcp-Session-Id"],
                        "MCP-Protocol-Version": self.version}
        c = self.http.connect(None)
        c.request("GET", "/mcp", headers=self.http.headers(**self.session))
        r = c.getresponse()
        assert r.status == 200 and r.headers["Content-Type"] == "text/event-stream", r.status
        self.open["GET"] = c.sock
        self._start(self._read_stream, c, r, "GET")

    def _check(self, status, message, modern):
        """The status fits what was answered."""
        code = message.get("error", {}).get("code", 0) if isinstance(message, dict) else 0
        want = {200}
        if code in (-32700, -32600, -32020, -32021, -32022):
            want = {400}
        elif code == -32601 and (modern or not self.session):
            want = {404}
        elif code == -32602 and (modern or not self.session):
            want = {200, 400}
        assert status in want, "status %d: %s" % (status, message)

    def _post(self, data, message, headers):
        modern = "Mcp-Method" in headers
        c = self.http.connect(None)
        c.request("POST", "/mcp", data, self.http.headers(**headers))
        r = c.getresponse()
        if r.status == 202:
            assert r.read() == b""
            return
        if r.headers["Content-Type"] == "text/event-stream":
            key = json.dumps(message["id"])
            self.open[key] = r.fp.raw._sock if c.sock is None else c.sock
            self._start(self._read_stream, c, r, key)
            return
        answer = json.loads(r.read())
        if message and message.get("method") == "initialize" and "result" in answer and not modern:
            self.version = answer["result"]["protocolVersion"]
            self._begin(r)
        self._check(r.status, answer, modern)
        self.lines.put(answer)
        c.close()

    def send(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        try:
            message = json.loads(data)
            message = message if isinstance(message, dict) else None
        except ValueError:
            message = None
        params = message.get("params") if message else None
        params = params if isinstance(params, dict) else {}
        if message and message.get("method") == "notifications/cancelled":
            stream = self.open.get(json.dumps(params.get("requestId")))
            if stream:
                stream.shutdown(2)
                return
        meta = params.get("_meta") or {}
        modern = meta.get(VERSION) is not None and isinstance(message.get("method"), str)
        self._post(data, message, modern_headers(message) if modern else dict(self.session))

    def receive(self, wait=WAIT):
        return self.lines.get(timeout=wait)

    def end(self):
        code = self.http.end()
        for thread in self.threads:
            thread.join(WAIT)
        self.lines.put(None)
        return code

    def stop(self):
        self.http.stop()


def text_of(reply):
    """All of an answer, as a client shows it that joins the blocks."""
    return "\n".join(block["text"] for block in reply["result"]["content"])


def environment():
    for name in ("JOTTER_PAD", "JOTTER_AS", "JOTTER_LEASE"):
        os.environ.pop(name, None)
    # Not the state of whoever tests.
    place = tempfile.TemporaryDirectory()
    atexit.register(place.cleanup)
    os.environ["XDG_STATE_HOME"] = place.name
