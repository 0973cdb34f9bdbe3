#!/usr/bin/env python3
"""http_process.py JOTTER: `jotter mcp --http` as a process: who may ask, headers, sessions, streams, limits, ends."""
import base64
import io
import itertools
import json
import os
import queue
import select
import signal
import socket
import sqlite3
import stat
import subprocess
import threading
import time

import wire
from cases import Room, main, program, test


INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}



class Place(Room):
    """What is served there over HTTP."""

    def __enter__(self):
        super().__enter__()
        self.token = os.path.join(self.dir.name, "token")
        return self

    def serve(self, *options, token=None):
        server = wire.HttpProcess(program, self.url, *options, token=token)
        self.servers.append(server)
        assert server.port, server.said
        return server

    def client(self, *options):
        client = wire.HttpServer(program, self.url, *options)
        self.servers.append(client)
        client.hello()
        return client


def request(method, params=None, id=1, modern=False):
    params = dict(params or {})
    if modern:
        params["_meta"] = wire.MODERN
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def write(key, content, **more):
    return request("tools/call", {"name": "scratchpad_write", "arguments": {"key": key, "content": content}}, **more)


def post(server, message, **headers):
    """Status, headers and the JSON of the answer."""
    status, got, body = server.ask("POST", json.dumps(message), **headers)
    if got["Content-Type"] == "text/event-stream":  # it took a while
        data = [text for _, text in wire.events(io.BytesIO(body)) if text]
        return status, got, json.loads(data[-1])
    return status, got, json.loads(body) if body else None


def post_modern(server, message, **change):
    """The same with the headers of the stateless era; `change` replaces some, None leaves one out."""
    headers = wire.modern_headers(message)
    headers.update({name.replace("_", "-"): value for name, value in change.items()})
    return post(server, message, **{n: v for n, v in headers.items() if v is not None})


def begin(server, version="2025-11-25"):
    """A session: the headers of its requests."""
    status, headers, reply = post(server, request("initialize", dict(INITIALIZE, protocolVersion=version)))
    assert status == 200 and reply["result"]["protocolVersion"] == version, reply
    id = headers["Mcp-Session-Id"]
    assert 100 < len(id) <= 320 and all("!" <= c <= "~" for c in id), id
    session = {"Mcp-Session-Id": id, "MCP-Protocol-Version": version}
    status, _, _ = post(server, {"jsonrpc": "2.0", "method": "notifications/initialized"}, **session)
    assert status == 202, status
    return session


class Stream:
    """An event stream that is being read."""

    def __init__(self, server, method, message=None, wait=wire.WAIT, **headers):
        self.connection = server.connect(wait)
        self.connection.request(method, "/mcp", json.dumps(message) if message else None, server.headers(**headers))
        self.socket = self.connection.sock
        self.response = self.connection.getresponse()
        self.status = self.response.status
        self.events = wire.events(self.response)

    def next(self):
        """The next event that holds a message: its id and the message; None at the end."""
        for id, data in self.events:
            if data:
                return id, json.loads(data)
        return None

    def cut(self):
        self.socket.close()
        self.response.close()
        self.connection.close()


class Held:
    """A sqlite: pad in which nobody can write for a while: calls that write take as long."""

    def __init__(self, pad):
        self.db = sqlite3.connect(pad, isolation_level=None, check_same_thread=False)

    def __enter__(self):
        self.db.execute("BEGIN IMMEDIATE")
        return self

    def __exit__(self, *failure):
        self.release()

    def release(self):
        if self.db:
            self.db.execute("ROLLBACK")
            self.db.close()
        self.db = None


def read_note(pad_url, key):
    done = subprocess.run([program, "read", "--pad", pad_url, key], capture_output=True)
    return done.stdout.decode() if done.returncode == 0 else None


def soon(question):
    """True as soon as the question is answered with yes."""
    end = time.monotonic() + wire.WAIT
    while time.monotonic() < end:
        if question():
            return True
        time.sleep(0.01)
    return False


def until_idle(server):
    """Wait until a server has nothing to do; what was sent or closed before has been noticed then."""
    assert soon(lambda: wire.rests(server.process))


# --- Who may ask ----------------------------------------------------------------------------

def raw(port, text, wait=wire.WAIT):
    """The status of the answer to these very bytes; None if there is none."""
    with socket.create_connection(("127.0.0.1", port), wait) as s:
        s.sendall(text)
        got = b""
        while b"\r\n\r\n" not in got:
            more = s.recv(4096)
            if not more:
                break
            got += more
    return int(got.split(b" ")[1]) if got.startswith(b"HTTP/1.1 ") else None


PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
HOSTS = ["127.0.0.1:P", "localhost:P", "[::1]:P", "LOCALHOST", "evil.com", "evil.com:P", "0.0.0.0:P",
         "localhost.evil.com:P", "127.0.0.1:P@evil.com", "", None, ("localhost:P", "localhost:P")]
ORIGINS = [None, "http://127.0.0.1:P", "http://localhost:P", "null", "http://evil.com", "http://localhost:1",
           "http://127.0.0.1.evil.com:P", "https://allowed.example"]
TOKENS = ["none", "wrong", "right", "in query", "prefix"]
ROUTES = ["/mcp", "/", "/mcp/x"]
METHODS = ["GET", "POST", "DELETE", "PUT", "OPTIONS", "HEAD"]


def expected(host, origin, token, route, method):
    """What the server owes this cell, in the order in which it looks."""
    if host is None or isinstance(host, tuple):
        return 400  # exactly one Host
    if host not in ("127.0.0.1:P", "localhost:P", "[::1]:P", "LOCALHOST"):
        return 421
    if origin not in (None, "http://127.0.0.1:P", "http://localhost:P", "https://allowed.example"):
        return 403
    if token != "right":
        return 401
    if route != "/mcp":
        return 404
    # GET and DELETE name no session here.
    return {"POST": 200, "GET": 400, "DELETE": 400}.get(method, 405)


@test
def every_cell_of_host_origin_token_route_and_method_is_as_expected():
    with Place() as p:
        s = p.serve("--allow-origin", "https://allowed.example", token=p.token)
        port = str(s.port)
        bearer = {"none": None, "wrong": "Bearer " + "0" * 64, "right": "Bearer " + s.token, "in query": None,
                  "prefix": "Bearer " + s.token[:-1]}
        wrong, tally = [], {}
        cells = list(itertools.product(HOSTS, ORIGINS, TOKENS, ROUTES, METHODS))
        if os.environ.get("JOT_TEST_VOLUME") == "small":
            cells = cells[::7]
        for host, origin, token, route, method in cells:
            path = route + ("?token=" + s.token if token == "in query" else "")
            lines = ["%s %s HTTP/1.1" % (method, path), "Connection: close", "Accept: text/event-stream"]
            for one in host if isinstance(host, tuple) else [host]:
                lines += ["Host: " + one.replace("P", port)] if one is not None else []
            lines += ["Origin: " + origin.replace("P", port)] if origin else []
            lines += ["Authorization: " + bearer[token]] if bearer[token] else []
            if method == "POST":
                lines += ["Content-Type: application/json", "Content-Length: %d" % len(PING)]
            got = raw(s.port, "\r\n".join(lines).encode() + b"\r\n\r\n" + (PING if method == "POST" else b""))
            want = expected(host, origin, token, route, method)
            tally[got] = tally.get(got, 0) + 1
            if got != want:
                wrong.append((host, origin, token, route, method, want, got))
        print("# %d cells: %s" % (len(cells), ", ".join("%s %dx" % one for one in sorted(tally.items(), key=str))))
        assert not wrong, "%d cells of %d: %s" % (len(wrong), len(cells), wrong[:5])
        assert not os.path.exists(p.pad)


@test
def a_subscription_of_a_revision_nobody_speaks_is_refused_and_no_stream():
    with Place() as p:
        s = p.serve()
        listen = json.loads(json.dumps(LISTEN))
        version = "io.modelcontextprotocol/protocolVersion"
        listen["params"]["_meta"][version] = "2099-01-01"
        status, headers, body = s.ask("POST", json.dumps(listen), Content_Type="application/json", Mcp_Protocol_Version="2099-01-01",
                                      Mcp_Method="subscriptions/listen", Accept="application/json, text/event-stream")
        assert status == 400 and json.loads(body)["error"]["code"] == -32022, (status, body)


@test
def a_page_cannot_send_a_form():
    with Place() as p:
        s = p.serve()
        for type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "",
                     "text/plain;a=,application/json", "application/json2", "application/jso"):
            status, _, _ = s.ask("POST", PING, Content_Type=type)
            assert status == 415, (type, status)
        status, headers, _ = s.ask("POST", PING, Content_Type="application/json; charset=utf-8")
        assert status == 200
        assert not [h for h in headers if h.lower().startswith("access-control")]


@test
def what_two_readers_could_read_differently_is_refused():
    cases = {
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n": 400,
        b"Content-Length: 5\r\nContent-Length: 5\r\n": 400,
        b"Content-Length: 5\r\nContent-Length: 6\r\n": 400,
        b"Content-Length: +5\r\n": 400,
        b"Content-Length: 0x5\r\n": 400,
        b"Content-Length: 5, 5\r\n": 400,
        b"Content-Length : 5\r\n": 400,
        b"Content-Length: 99999999999999999999\r\n": 400,
        b"Content-Length: 9999999999\r\n": 413,
        b"Transfer-Encoding: gzip, chunked\r\n": 501,
        b"Transfer-Encoding: xchunked\r\n": 501,
        b"X: a\r\n b\r\n": 400,
        b"X: a\nY: b\r\n": 400,
        b"X: a\rb\r\n": 400,
        b"X: a\0b\r\n": 400,
        b": a\r\n": 400,
        b"Expect: something\r\n": 417,
        b"X: " + b"a" * 20000 + b"\r\n": 431,
        b"X: a\r\n" * 100: 431,
    }
    with Place() as p:
        s = p.serve()
        host = b"Host: localhost\r\nContent-Type: application/json\r\n"
        for lines, want in cases.items():
            got = raw(s.port, b"POST /mcp HTTP/1.1\r\n" + host + lines + b"\r\nhello")
            assert got == want, (lines[:60], want, got)
        for line, want in {b"GET /mcp HTTP/2.0": 505, b"GET http://localhost/mcp HTTP/1.1": 406, b"GET HTTP://LOCALHOST/mcp HTTP/1.1": 406,
                           b"GET http://127.0.0.1/mcp HTTP/1.1": 400, b"GET http://localhost HTTP/1.1": 400,
                           b"GET http://localhost/none HTTP/1.1": 404, b"GET ftp://localhost/mcp HTTP/1.1": 400,
                           b"GET http:///mcp HTTP/1.1": 400, b"GET http://localhost@evil.com/mcp HTTP/1.1": 400,
                           b"GET mcp HTTP/1.1": 400,
                           b"GET  /mcp HTTP/1.1": 400, b"GET /mcp": 400, b"\0": 400, b"G=T /mcp HTTP/1.1": 400}.items():
            got = raw(s.port, line + b"\r\n" + host + b"\r\n")
            assert got == want, (line, want, got)


@test
def a_token_is_made_once_and_only_its_owner_can_read_it():
    with Place() as p:
        s = p.serve(token=p.token)
        assert s.said[0] == "jotter: made a token in " + p.token, s.said
        assert stat.S_IMODE(os.stat(p.token).st_mode) == 0o600
        first = s.token
        assert len(first) == 64
        again = p.serve(token=p.token)
        assert len(again.said) == 1 and again.token == first
        assert os.listdir(p.dir.name) == ["token"]


def refused(p, *options):
    done = subprocess.run([program, "mcp", "--pad", p.url, *options], capture_output=True, timeout=wire.WAIT)
    assert done.returncode != 0 and done.stdout == b"", done
    return done.stderr.decode()


@test
def a_token_that_others_can_read_is_refused():
    with Place() as p:
        for mode in (0o640, 0o604, 0o666, 0o620):
            with open(p.token, "w") as f:
                f.write("x" * 64 + "\n")
            os.chmod(p.token, mode)
            said = refused(p, "--http", "127.0.0.1:0", "--token-file", p.token)
            assert "others can read the token file" in said, said
        os.chmod(p.token, 0o600)
        for text in ("", "short", "with a space in the middle", "x" * 600, "äöüäöüäöüäöüäöü"):
            with open(p.token, "w") as f:
                f.write(text)
            said = refused(p, "--http", "127.0.0.1:0", "--token-file", p.token)
            assert "has no valid token" in said, said
        os.remove(p.token)
        os.mkdir(p.token)
        assert "is not a regular file" in refused(p, "--http", "127.0.0.1:0", "--token-file", p.token)
        said = refused(p, "--http", "127.0.0.1:0", "--token-file", p.token + "3/deep/token")
        assert "could not find the directory of the token file" in said and not os.path.exists(p.token + "3"), said
        os.symlink("elsewhere", p.token + "2")
        assert "could not open" in refused(p, "--http", "127.0.0.1:0", "--token-file", p.token + "2")


@test
def an_address_others_can_reach_needs_a_token():
    with Place() as p:
        for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:0"):
            assert "needs a token" in refused(p, "--http", address, "--no-token")
        for address in ("localhost", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "evil.com:80", ":80", "[::1:0"):
            assert "invalid address" in refused(p, "--http", address, "--no-token"), address
        assert "goes with --http" in refused(p, "127.0.0.1:0")
        assert "goes with --http" in refused(p, "--no-token")
        assert "not both" in refused(p, "--http", "--no-token", "--token-file", p.token)
        for name in ("a b:1", "http://x", "x:80", "*"):
            assert "invalid host" in refused(p, "--http", "127.0.0.1:0", "--no-token", "--allow-host", name), name
        for name in ("x", "*", "http://x/", "https://*.x"):
            assert "invalid origin" in refused(p, "--http", "127.0.0.1:0", "--no-token", "--allow-origin", name), name


@test
def a_host_that_was_allowed_is_served():
    with Place() as p:
        s = p.serve("--allow-host", "pad.example,other.example")
        line = b"POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" + PING
        for host, want in {b"pad.example": 200, b"PAD.example:8080": 200, b"other.example": 200, b"evil.example": 421}.items():
            assert raw(s.port, line % (host, len(PING))) == want, host


@test
def the_address_it_says_is_one_it_answers_at():
    for address in ("127.0.0.2", "localhost", "[::1]", "[0:0:0:0:0:0:0:1]", "127.0.0.1"):
        with Place() as p:
            server = subprocess.Popen([program, "mcp", "--pad", p.url, "--http", address + ":0", "--no-token"],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                said = server.stderr.readline().decode().strip()
                if "could not make a socket" in said or "could not listen" in said:
                    continue  # a machine without IPv6
                port = int(said.rsplit(":", 1)[1].split("/")[0])
                assert said == "jotter: http://%s:%d/mcp" % (address, port), said
                with socket.create_connection((address.strip("[]"), port), wire.WAIT) as c:
                    head = "POST /mcp HTTP/1.1\r\nHost: %s:%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                    c.sendall((head % (address, port, len(PING))).encode() + PING)
                    assert c.recv(64).startswith(b"HTTP/1.1 200 "), address
                    c.sendall((head % ("evil.com", port, len(PING))).encode() + PING)
                    got = b""
                    while b"HTTP/1.1 421 " not in got:
                        more = c.recv(4096)
                        assert more, got
                        got += more
            finally:
                server.kill()
                server.wait()
                server.stderr.close()


@test
def a_page_that_was_allowed_may_ask_and_no_other_hears_of_it():
    with Place() as p:
        s = p.serve("--allow-origin", "https://page.example", token=p.token)
        asks = {"Access_Control_Request_Method": "POST", "Authorization": "none"}
        status, headers, _ = s.ask("OPTIONS", Origin="https://page.example", **asks)
        assert status == 204 and headers["Access-Control-Allow-Origin"] == "https://page.example"
        assert "POST" in headers["Access-Control-Allow-Methods"] and headers["Vary"] == "Origin"
        assert "Authorization" in headers["Access-Control-Allow-Headers"]
        status, headers, _ = s.ask("POST", PING, Origin="https://page.example")
        assert status == 200 and headers["Access-Control-Allow-Origin"] == "https://page.example"
        assert s.ask("POST", PING, Origin="https://page.example", Authorization="none")[0] == 401
        assert s.ask("OPTIONS", path="/none", Origin="https://page.example", **asks)[0] == 404
        for origin in ("https://evil.example", "null", "https://page.example.evil"):
            status, headers, _ = s.ask("OPTIONS", Origin=origin, **asks)
            assert status == 403 and not [h for h in headers if h.startswith("Access-Control")]
        status, headers, _ = s.ask("OPTIONS", Origin="http://127.0.0.1:%d" % s.port, **asks)
        assert status == 401 and not [h for h in headers if h.startswith("Access-Control")]


@test
def a_port_that_is_taken_is_told():
    with Place() as p:
        s = p.serve()
        assert "could not listen" in refused(p, "--http", "127.0.0.1:%d" % s.port, "--no-token")


# --- The stateless era ----------------------------------------------------------------------

@test
def headers_must_say_what_the_body_says():
    with Place() as p:
        s = p.serve()
        call = write("plan", "x", modern=True)
        packed = "=?base64?%s?=" % base64.b64encode(b"scratchpad_write").decode()
        table = [
            (call, {}, 200, None),
            (call, {"Mcp_Name": packed}, 200, None),
            (call, {"Mcp_Name": "  scratchpad_write  "}, 200, None),
            (call, {"MCP_Protocol_Version": None}, 400, -32020),
            (call, {"MCP_Protocol_Version": "2025-11-25"}, 400, -32020),
            (call, {"Mcp_Method": None}, 400, -32020),
            (call, {"Mcp_Method": "tools/list"}, 400, -32020),
            (call, {"Mcp_Method": "Tools/Call"}, 400, -32020),
            (call, {"Mcp_Name": None}, 400, -32020),
            (call, {"Mcp_Name": "scratchpad_read"}, 400, -32020),
            (call, {"Mcp_Name": "=?base64?!!?="}, 400, -32020),
            (call, {"Mcp_Name": "=?base64?%s?=" % base64.b64encode(b"other").decode()}, 400, -32020),
            (call, {"Mcp_Name": "scr\xe4tchpad_write"}, 400, -32020),
            (request("tools/list", modern=True), {"Mcp_Name": "whatever"}, 200, None),
            (request("resources/read", {"uri": "jotter://notes/plan"}, modern=True), {}, 200, None),
            (request("resources/read", {"uri": "jotter://notes/plan"}, modern=True), {"Mcp_Name": "plan"}, 400, -32020),
            (request("resources/read", {"uri": "jotter://notes/none"}, modern=True), {}, 200, -32602),
            (request("nonsense", modern=True), {}, 404, -32601),
            (request("initialize", INITIALIZE, modern=True), {}, 404, -32601),
            (request("ping", modern=True), {}, 404, -32601),
            (request("logging/setLevel", {"level": "info"}, modern=True), {}, 404, -32601),
            (request("resources/subscribe", {"uri": "jotter://notes/a"}, modern=True), {}, 404, -32601),
        ]
        for message, change, want, code in table:
            status, _, reply = post_modern(s, message, **change)
            got = reply.get("error", {}).get("code")
            assert (status, got) == (want, code), (message["method"], change, status, reply)
            assert reply["id"] == message["id"]


@test
def a_version_nobody_knows_and_a_request_that_says_too_little_get_400():
    with Place() as p:
        s = p.serve()
        message = request("tools/list", modern=True)
        message["params"]["_meta"] = dict(wire.MODERN, **{wire.VERSION: "2099-01-01"})
        status, _, reply = post_modern(s, message)
        assert status == 400 and reply["error"]["code"] == -32022, reply
        assert reply["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2099-01-01"}
        message["params"]["_meta"] = {wire.VERSION: "2026-07-28"}
        status, _, reply = post_modern(s, message)
        assert status == 400 and reply["error"]["code"] == -32602, reply
        status, _, reply = post(s, request("tools/list"), MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/list")
        assert status == 400 and reply["error"]["code"] == -32602, reply
        status, _, reply = post(s, request("tools/list"), MCP_Protocol_Version="1999-01-01")
        assert status == 400 and reply["error"]["code"] == -32022, reply
        status, _, reply = post(s, request("tools/list"))
        assert status == 400 and reply["error"]["code"] == -32602, reply
        # What needs no answer gets none, also without the headers.
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        status, _, reply = post(s, note, MCP_Protocol_Version="2026-07-28")
        assert status == 202 and reply is None
        for method in ("GET", "DELETE"):
            status, headers, _ = s.ask(method, MCP_Protocol_Version="2026-07-28")
            assert status == 405 and headers["Allow"] == "POST"


LISTEN = request("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["jotter://notes/plan"]}},
                 id="sub", modern=True)


@test
def a_subscription_is_a_stream_at_once_and_ends_with_the_server():
    with Place() as p:
        s = p.serve()
        st = Stream(s, "POST", LISTEN, **wire.modern_headers(LISTEN))
        assert st.status == 200 and st.response.headers["Content-Type"] == "text/event-stream"
        assert st.response.headers["X-Accel-Buffering"] == "no"
        _, first = st.next()
        assert first["method"] == "notifications/subscriptions/acknowledged", first
        assert s.end() == 0
        _, last = st.next()
        assert last["id"] == "sub" and last["result"]["resultType"] == "complete", last
        assert st.next() is None


@test
def a_subscription_that_is_closed_is_over():
    with Place() as p:
        s = p.serve()
        for _ in range(100):  # more than there may be at one time
            st = Stream(s, "POST", LISTEN, **wire.modern_headers(LISTEN))
            assert st.next()[1]["method"] == "notifications/subscriptions/acknowledged"
            st.cut()
        status, _, _ = post_modern(s, write("plan", "x", modern=True))
        assert status == 200
        status, _, _ = s.ask("POST", json.dumps(LISTEN), Accept="application/json", **wire.modern_headers(LISTEN))
        assert status == 406


@test
def in_the_stateless_era_closing_is_cancelling():
    with Place("sqlite") as p:
        s = p.serve()
        assert post_modern(s, write("first", "x", modern=True))[0] == 200
        with Held(p.pad) as held:
            # The first write runs and cannot go on; the second, about the same note, waits behind it.
            streams = []
            for text in ("one", "two"):
                message = write("plan", text, modern=True)
                streams.append(Stream(s, "POST", message, **wire.modern_headers(message)))
                assert streams[-1].response.headers["Content-Type"] == "text/event-stream"
            streams[1].cut()
            until_idle(s)
            held.release()
            assert "result" in streams[0].next()[1]
        assert wire.text_of(post_modern(s, request("tools/call", {
            "name": "scratchpad_read", "arguments": {"key": "plan"}}, modern=True))[2]).startswith("one\n")


# --- The old era ----------------------------------------------------------------------------

@test
def a_session_is_named_in_every_request_until_it_is_deleted():
    with Place() as p:
        s = p.serve()
        session = begin(s)
        other = begin(s, "2025-06-18")
        assert other["Mcp-Session-Id"] != session["Mcp-Session-Id"]
        assert post(s, request("tools/list"), **session)[0] == 200
        status, _, reply = post(s, request("nonsense"), **session)
        assert status == 200 and reply["error"]["code"] == -32601
        for method in ("GET", "DELETE"):
            assert s.ask(method)[0] == 400
        wrong = dict(session, **{"Mcp-Session-Id": "0" * 64})
        assert post(s, request("tools/list"), **wrong)[0] == 404
        assert s.ask("GET", **wrong)[0] == 404 and s.ask("DELETE", **wrong)[0] == 404
        assert post(s, request("tools/list"), **dict(session, **{"MCP-Protocol-Version": "1999-01-01"}))[0] == 400
        assert s.ask("GET", Accept="application/json", **session)[0] == 406
        st = Stream(s, "GET", **session)
        status, _, body = s.ask("DELETE", **session)
        assert status == 204 and body == b""
        assert st.next() is None  # its stream has ended
        assert post(s, request("tools/list"), **session)[0] == 404
        assert post(s, request("tools/list"), **other)[0] == 200
        # One that never came about has no id.
        status, headers, reply = post(s, request("initialize", {}))
        assert reply["error"]["code"] == -32602 and headers["Mcp-Session-Id"] is None, (reply, headers)
        assert s.ask("DELETE", **dict(other, **{"MCP-Protocol-Version": "1999-01-01"}))[0] == 400
        assert post(s, request("tools/list"), **other)[0] == 200


@test
def losing_the_connection_cancels_nothing_in_the_old_era():
    with Place("sqlite") as p:
        s = p.serve()
        session = begin(s)
        assert post(s, write("first", "x"), **session)[0] == 200
        with Held(p.pad):
            st = Stream(s, "POST", write("plan", "kept"), **session)
            assert st.response.headers["Content-Type"] == "text/event-stream"
            st.cut()
            until_idle(s)
        assert soon(lambda: (read_note(p.url, "plan") or "").startswith("kept"))


@test
def a_stream_that_was_cut_goes_on_where_it_ended():
    with Place("sqlite") as p:
        s = p.serve()
        session = begin(s)
        assert post(s, write("first", "x"), **session)[0] == 200
        with Held(p.pad):
            st = Stream(s, "POST", write("plan", "one", id=7), **session)
            id, data = next(st.events)
            assert data == "" and id, (id, data)
            st.cut()
        again = Stream(s, "GET", Last_Event_ID=id, **session)
        got, reply = again.next()
        assert reply["id"] == 7 and "result" in reply and got != id, reply
        assert again.next() is None  # that was all of it
        # The answer can be had again, and nothing follows it.
        assert Stream(s, "GET", Last_Event_ID=id, **session).next()[1] == reply
        assert Stream(s, "GET", Last_Event_ID=got, **session).next() is None
        for unknown in ("99-1", "x", "", "1-99", id + "0"):
            assert s.ask("GET", Last_Event_ID=unknown, **session)[0] == 400, unknown
        assert s.ask("GET", Last_Event_ID=id, **begin(s))[0] == 400  # of another session


@test
def an_older_revision_gets_no_event_without_a_message():
    with Place("sqlite") as p:
        s = p.serve()
        session = begin(s, "2025-06-18")
        assert post(s, write("first", "x"), **session)[0] == 200
        with Held(p.pad) as held:
            st = Stream(s, "POST", write("plan", "one", id=7), **session)
            held.release()
            id, data = next(st.events)
            assert json.loads(data)["id"] == 7 and id


@test
def what_changed_while_nobody_listened_is_told_on_the_next_stream():
    with Place() as p:
        s = p.serve()
        session = begin(s)
        other = begin(s)
        assert post(s, write("plan", "0"), **session)[0] == 200
        assert post(s, request("resources/subscribe", {"uri": "jotter://notes/plan"}), **session)[0] == 200
        seen = []
        for i in range(4):
            assert post(s, write("plan", "%d" % (i + 1)), **other)[0] == 200
            st = Stream(s, "GET", **session, **({"Last-Event-ID": seen[-1]} if seen else {}))
            id, message = st.next()
            assert message["method"] == "notifications/resources/updated", message
            assert id not in seen
            seen.append(id)
            st.cut()
        # From an earlier event on all that followed comes again, in order.
        st = Stream(s, "GET", Last_Event_ID=seen[0], **session)
        assert [st.next()[0] for _ in range(3)] == seen[1:]
        # A second stream takes over, and the first one ends.
        newer = Stream(s, "GET", **session)
        assert st.next() is None
        assert post(s, write("plan", "last"), **other)[0] == 200
        assert newer.next()[1]["method"] == "notifications/resources/updated"


def spellings(key, n):
    """Addresses of one note, written in different ways: each is followed for itself."""
    for bits in range(n):
        yield "jotter://notes/" + "".join("%%%02x" % ord(c) if bits >> i & 1 else c for i, c in enumerate(key))


@test
def what_is_not_kept_any_more_is_told_as_a_change_of_all():
    with Place() as p:
        s = p.serve()
        watcher, session = begin(s), begin(s)  # who came first is told last
        key, n = "abcdefghij", 400
        assert post(s, write(key, "0"), **session)[0] == 200
        post(s, request("resources/subscribe", {"uri": "jotter://notes/" + key}), **watcher)
        watch = Stream(s, "GET", **watcher)
        uris = set(spellings(key, n))
        for uri in uris:
            assert "result" in post(s, request("resources/subscribe", {"uri": uri}), **session)[2]
        st = Stream(s, "GET", **session)
        assert post(s, write(key, "1"), **session)[0] == 200
        first, _ = st.next()
        watch.next()
        st.cut()
        for i in range(3):  # more than is kept, while nobody listens
            assert post(s, write(key, "x%d" % i), **session)[0] == 200
            watch.next()
        again = Stream(s, "GET", Last_Event_ID=first, **session)
        got = [again.next() for _ in range(1000)]
        ids = [int(id.split("-")[1]) for id, _ in got]
        assert ids == list(range(ids[0], ids[0] + 1000)) and ids[0] > int(first.split("-")[1]) + 1, ids[:3]
        made_good = [again.next() for _ in range(n)]
        assert {message["params"]["uri"] for _, message in made_good} == uris, (ids[0], ids[-1], made_good[0], made_good[-1])


def taken_up(server, session):
    """True if the session had been put aside: only then an event of an earlier life may be named."""
    st = Stream(server, "GET", Last_Event_ID="0-0-other", **session)
    status = st.status
    told = st.next()[1] if status == 200 else None
    st.cut()
    assert status == 400 or "was resumed" in told["params"]["data"], (status, told)
    return status == 200


@test
def sessions_are_bounded_and_the_one_unused_longest_is_put_aside():
    with Place() as p:
        s = p.serve()
        oldest, kept = begin(s), begin(s)
        st = Stream(s, "GET", **oldest)  # it is in use, so it stays
        more = [begin(s) for _ in range(70)]
        assert [taken_up(s, one) for one in (oldest, more[-1], kept)] == [False, False, True]
        assert [post(s, request("ping"), **one)[0] for one in (oldest, more[-1], kept)] == [200] * 3
        st.cut()


@test
def sessions_nobody_uses_are_put_aside_and_taken_up_again():
    with Place() as p:
        s = p.serve("--idle", "1")
        session, heard = begin(s), begin(s)
        assert post(s, request("resources/subscribe", {"uri": "jotter://notes/a"}), **session)[0] == 200
        st = Stream(s, "GET", **heard)
        assert soon(lambda: not time.sleep(1.5) and taken_up(s, session))
        assert post(s, write("a", "x"), **session)[0] == 200
        assert not taken_up(s, heard)
        st.cut()


# --- After a restart ------------------------------------------------------------------------

def restart(p, server, *options, token=None):
    """Kill a server, and another one begins at a port of its own."""
    server.process.kill()
    server.process.wait(wire.WAIT)
    return p.serve(*options, token=token)


@test
def a_session_goes_on_when_the_server_was_started_anew():
    for token in (True, False):
        with Place() as p:
            token = p.token if token else None
            s = p.serve("--as", "", token=token)
            hello = dict(INITIALIZE, protocolVersion="2025-03-26", clientInfo={"name": "codex-mcp-client", "version": "1"})
            _, headers, _ = post(s, request("initialize", hello))
            session = {"Mcp-Session-Id": headers["Mcp-Session-Id"]}
            assert post(s, write("a", "1"), **session)[0] == 200
            assert post(s, request("resources/subscribe", {"uri": "jotter://notes/a"}), **session)[0] == 200
            st = Stream(s, "GET", **session)
            assert post(s, write("a", "2"), **session)[0] == 200
            last, told = st.next()
            assert told["method"] == "notifications/resources/updated", told
            st.cut()
            for round in range(2):
                s = restart(p, s, "--as", "", token=token)
                # Its batches are those of its revision, and it signs as before.
                status, headers, reply = post(s, [write("a", "more %d" % round, id=7)], **session)
                assert status == 200 and reply[0]["id"] == 7 and "isError" not in reply[0]["result"], reply
                assert headers["Mcp-Session-Id"] == session["Mcp-Session-Id"]
                st = Stream(s, "GET", Last_Event_ID=last, **session)
                first, told = st.next()
                assert told["method"] == "notifications/message" and "subscriptions" in told["params"]["data"], told
                last, told = st.next()
                assert told["method"] == "notifications/resources/list_changed" and last != first, told
                # Nobody follows for it until it asks again.
                assert post(s, request("resources/subscribe", {"uri": "jotter://notes/a"}), **session)[0] == 200
                assert post(s, write("a", "told %d" % round), **session)[0] == 200
                last, told = st.next()
                assert told["method"] == "notifications/resources/updated", told
                st.cut()
            history = subprocess.run([program, "--pad", p.url, "history", "a", "--json"], stdout=subprocess.PIPE)
            assert {v["by"] for v in json.loads(history.stdout)["versions"]} == {"codex"}, history.stdout


@test
def a_session_is_taken_up_only_with_its_token_and_its_pad():
    with Place() as p:
        s = p.serve(token=p.token)
        session = begin(s)
        other_token = p.serve(token=p.token + "2")
        assert post(other_token, request("ping"), **session)[0] == 404
        assert other_token.ask("DELETE", **session)[0] == 404
        assert post(p.serve(), request("ping"), **session)[0] == 404
        elsewhere = wire.HttpProcess(program, p.url + "2", token=p.token)
        p.servers.append(elsewhere)
        assert post(elsewhere, request("ping"), **session)[0] == 404
        same = p.serve(token=p.token)
        assert same.ask("POST", PING, Authorization="none", **session)[0] == 401
        assert post(same, request("ping"), **session)[0] == 200
        # Nothing of an id can be changed.
        id = session["Mcp-Session-Id"]
        parts = id.split(".")
        wrong = [id + "0", id[:-1], "0" + id, id.replace("1.", "2.", 1), "." * 5, "1" * 400, ""]
        for i, part in enumerate(parts):
            wrong.append(".".join(parts[:i] + [part[:-1] + ("0" if part[-1] != "0" else "1")] + parts[i + 1:]))
        fresh = restart(p, same, token=p.token)
        for one in wrong:
            assert post(fresh, request("ping"), **dict(session, **{"Mcp-Session-Id": one}))[0] == 404, one
        assert post(fresh, request("ping"), **session)[0] == 200


@test
def a_session_that_was_deleted_stays_ended_after_a_restart():
    with Place() as p:
        s = p.serve(token=p.token)
        ended, kept, later = begin(s), begin(s), begin(s)
        assert s.ask("DELETE", **ended)[0] == 204
        s = restart(p, s, token=p.token)
        assert post(s, request("ping"), **ended)[0] == 404 and s.ask("GET", **ended)[0] == 404
        assert s.ask("DELETE", **ended)[0] == 404
        assert post(s, request("ping"), **kept)[0] == 200
        assert s.ask("DELETE", **later)[0] == 204  # which nobody had taken up
        s = restart(p, s, token=p.token)
        got = [post(s, request("ping"), **one)[0] for one in (ended, later, kept)]
        assert got == [404, 404, 200], got


@test
def without_a_state_directory_sessions_end_with_their_server_and_it_says_so():
    with Place() as p:
        before = os.environ.pop("XDG_STATE_HOME"), os.environ.pop("HOME", None)
        os.environ["XDG_STATE_HOME"] = "/proc/nowhere"
        try:
            s = p.serve()
            assert "sessions will not survive a restart of this server: " in s.said[0], s.said
            session, ended = begin(s), begin(s)
            assert s.ask("DELETE", **ended)[0] == 204
            assert post(s, request("ping"), **ended)[0] == 404
            assert post(s, request("ping"), **session)[0] == 200
            s = restart(p, s)
            assert post(s, request("ping"), **session)[0] == 404
        finally:
            os.environ["XDG_STATE_HOME"] = before[0]
            if before[1]:
                os.environ["HOME"] = before[1]


@test
def if_all_sessions_are_in_use_the_next_one_is_refused():
    with Place() as p:
        s = p.serve()
        streams = [Stream(s, "GET", **begin(s)) for _ in range(64)]
        status, headers, _ = post(s, request("initialize", INITIALIZE))
        assert status == 503 and headers["Retry-After"]
        streams[0].cut()
        assert soon(lambda: post(s, request("initialize", INITIALIZE))[0] == 200)
        for st in streams[1:]:
            st.cut()


# --- Both -----------------------------------------------------------------------------------

@test
def an_edit_with_sed_is_told_to_subscribers_of_both_eras():
    with Place() as p:
        s = p.serve()
        session = begin(s)
        assert post(s, write("plan", "one\n"), **session)[0] == 200
        assert post(s, request("resources/subscribe", {"uri": "jotter://notes/plan"}), **session)[0] == 200
        old = Stream(s, "GET", **session)
        new = Stream(s, "POST", LISTEN, **wire.modern_headers(LISTEN))
        assert new.next()[1]["method"] == "notifications/subscriptions/acknowledged"
        subprocess.run(["sed", "-i", "s/one/two/", os.path.join(p.pad, "notes", "plan.txt")], check=True)
        for st in (old, new):
            message = st.next()[1]
            assert message["method"] == "notifications/resources/updated", message
            assert message["params"]["uri"] == "jotter://notes/plan"
        assert message["params"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": "sub"}


@test
def a_client_that_takes_no_streams_waits_for_a_plain_answer():
    with Place("sqlite") as p:
        s = p.serve()
        session = begin(s)
        assert post(s, write("first", "x"), **session)[0] == 200
        for headers, message in ((session, write("a", "1")), (None, write("b", "2", modern=True))):
            headers = headers or wire.modern_headers(message)
            with Held(p.pad) as held:
                threading.Timer(0.6, held.release).start()
                status, got, body = s.ask("POST", json.dumps(message), Accept="application/json", **headers)
                assert status == 200 and got["Content-Type"] == "application/json", got["Content-Type"]
                assert "result" in json.loads(body)
        assert s.ask("POST", PING, Accept="text/html")[0] == 406


@test
def a_body_in_chunks_and_one_that_is_waited_for_are_read():
    with Place() as p:
        s = p.serve()
        head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
        chunks = b"".join(b"%x;x=y\r\n%s\r\n" % (len(PING[i:i + 7]), PING[i:i + 7]) for i in range(0, len(PING), 7))
        assert raw(s.port, head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\nTrailer: x\r\n\r\n") == 200
        assert raw(s.port, head + b"Transfer-Encoding: chunked\r\n\r\n" + b"5\r\n123456\r\n0\r\n\r\n") == 400
        assert raw(s.port, head + b"Transfer-Encoding: chunked\r\n\r\n" + b"ffffffff\r\n") == 413
        with socket.create_connection(("127.0.0.1", s.port), wire.WAIT) as c:
            c.sendall(head + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(PING))
            assert c.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
            c.sendall(PING)
            assert c.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")


def sent_and_shut(server, *messages, begun=None, **headers):
    """All that comes back on a connection whose client says that it will send nothing more; `begun` is called when
    the answer begins."""
    with socket.create_connection(("127.0.0.1", server.port), wire.WAIT) as c:
        for message in messages:
            text = json.dumps(message).encode()
            lines = ["POST /mcp HTTP/1.1", "Host: localhost", "Content-Length: %d" % len(text)]
            lines += ["%s: %s" % one for one in server.headers(**headers).items()]
            c.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + text)
        c.shutdown(socket.SHUT_WR)
        got = b""
        while more := c.recv(65536):
            if begun and not got:
                begun()
            got += more
    return got


@test
def a_session_answers_a_client_that_has_shut_down_its_sending_half():
    with Place("sqlite") as p:
        s = p.serve()
        session = begin(s)
        assert post(s, write("first", "x"), **session)[0] == 200
        assert b"wrote 1 chars" in sent_and_shut(s, write("a", "x"), **session)
        got = sent_and_shut(s, write("a", "1", id=1), write("b", "2", id=2), request("ping", id=3), **session)
        assert [b'"id":%d' % i in got for i in (1, 2, 3)] == [True] * 3 and got.count(b"HTTP/1.1 200 OK") == 3, got
        with Held(p.pad) as held:  # also if it takes so long that the answer is a stream, which begins before it is there
            got = sent_and_shut(s, write("a", "y"), begun=held.release, **session)
            assert b"wrote 1 chars" in got and b"event-stream" in got, got
        with Held(p.pad) as held:
            threading.Timer(0.6, held.release).start()
            got = sent_and_shut(s, write("a", "z"), **dict(session, Accept="application/json"))
            assert b"wrote 1 chars" in got and b"event-stream" not in got, got


@test
def requests_on_one_connection_are_answered_in_their_order():
    with Place() as p:
        s = p.serve()
        n = 200
        one = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
        text = b""
        for i in range(n):
            body = json.dumps(request("ping", id=i)).encode()
            text += one % (len(body), body)
        with socket.create_connection(("127.0.0.1", s.port), wire.WAIT) as c:
            threading.Thread(target=c.sendall, args=(text,), daemon=True).start()
            got, seen = b"", 0
            while seen < n:
                got += c.recv(65536)
                seen = got.count(b'"result"')
        ids = [int(part.split(b",")[0]) for part in got.split(b'"id":')[1:]]
        assert ids == list(range(n)), ids


@test
def a_body_that_is_too_long_is_refused_before_it_is_read():
    with Place() as p:
        s = p.serve()
        with socket.create_connection(("127.0.0.1", s.port), wire.WAIT) as c:
            c.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                      b"Content-Length: 33554433\r\n\r\n")
            assert c.recv(4096).startswith(b"HTTP/1.1 413 ")
        big = json.dumps(request("ping", {"x": "y" * (2 << 20)})).encode()
        assert s.ask("POST", big)[0] == 200
        # Too much at the same time has to wait.
        sockets = []
        for i in range(6):
            c = socket.create_connection(("127.0.0.1", s.port), wire.WAIT)
            c.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                      b"Content-Length: 33554432\r\n\r\nx")
            sockets.append(c)
        assert sockets[4].recv(4096).startswith(b"HTTP/1.1 503 ")
        for c in sockets:
            c.close()
        assert soon(lambda: s.ask("POST", big)[0] == 200)


def chunked(server, message, **headers):
    """A connection on which a message was sent in chunks; None instead of a message: nothing but the head."""
    c = server.connect()
    c.putrequest("POST", "/mcp")
    for name, value in server.headers(Transfer_Encoding="chunked", **headers).items():
        c.putheader(name, value)
    c.endheaders()
    if message is not None:
        text = json.dumps(message).encode()
        c.send(b"%x\r\n%s\r\n0\r\n\r\n" % (len(text), text))
    return c


@test
def requests_in_chunks_take_no_more_room_than_they_have_bytes():
    with Place() as p:
        s = p.serve()
        listens = [chunked(s, dict(LISTEN, id=i), **wire.modern_headers(LISTEN)) for i in range(12)]
        assert [c.getresponse().status for c in listens] == [200] * 12
        heads = [chunked(s, None) for _ in range(12)]
        until_idle(s)
        message = request("tools/list", modern=True)
        assert chunked(s, message, **wire.modern_headers(message)).getresponse().status == 200
        for c in listens + heads:
            c.close()


def memory_peak(server):
    """The most memory a server has had so far, in bytes."""
    with open("/proc/%d/status" % server.process.pid) as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM:"))


SMALL = os.environ.get("JOT_TEST_VOLUME") == "small"


def almost_sent(server, text, **headers):
    """A connection on which all of a message but its last byte has been sent."""
    c = server.connect()
    c.putrequest("POST", "/mcp")
    for name, value in dict(server.headers(**headers), Content_Length=len(text)).items():
        c.putheader(name.replace("_", "-"), value)
    c.endheaders(text[:-1].encode())
    return c


def send_and_go(server, text, n):
    """Send a message n times at once, and close the connections without reading the answers."""
    connections = [almost_sent(server, text) for _ in range(n)]
    until_idle(server)
    with wire.Stopped(server.process):
        for c in connections:
            c.sock.sendall(text[-1:].encode())
            c.close()


def work_done(server):
    """The processor time a server has taken, in ticks."""
    with open("/proc/%d/stat" % server.process.pid) as f:
        return sum(int(ticks) for ticks in f.read().rsplit(")", 1)[1].split()[11:13])


# Read, it takes about 70 times its size.
MANY_VALUES = '{"a":[%s{}]}' % ("{}," * (100000 if SMALL else 400000))


class Queue:
    """Messages that end behind some that take long to read.  The server is stopped within the block, so that all that
    happens there has happened before it reads the first of them."""

    def __init__(self, server, *more, slow=12):
        """Each of `more` is a message and its headers."""
        self.slow = [almost_sent(server, MANY_VALUES) for _ in range(slow)]
        self.ends = [(c, MANY_VALUES[-1:]) for c in self.slow]
        for message, headers in more:
            text = json.dumps(message)
            self.ends.append((almost_sent(server, text, **headers), text[-1:]))
        self.stopped = wire.Stopped(server.process)
        until_idle(server)

    def __enter__(self):
        """The connections of `more`."""
        self.stopped.__enter__()
        for c, end in self.ends:
            c.sock.sendall(end.encode())
        return [c for c, _ in self.ends[len(self.slow):]]

    def __exit__(self, *failure):
        self.stopped.__exit__()

    def unread(self):
        """How many of the slow ones have no answer yet."""
        answered, _, _ = select.select([c.sock for c in self.slow], [], [], 0)
        return len(self.slow) - len(answered)

    def close(self):
        for c, _ in self.ends:
            c.close()


def ask_later(server, message, headers):
    """A connection on which the answer will come."""
    c = server.connect()
    c.request("POST", "/mcp", json.dumps(message), server.headers(**headers))
    return c


@test
def large_messages_hold_nobody_up():
    with Place() as p:
        s = p.serve()

        def overtakes():
            large = Queue(s)
            with large:
                discover = request("server/discover", modern=True)
                c = ask_later(s, discover, wire.modern_headers(discover))
            assert c.getresponse().status == 200
            left = large.unread()
            until_idle(s)
            large.close()
            return left > 0  # it came after all of them; on a busy machine we may look too late

        assert soon(overtakes)
        message = write("large", "x", modern=True)
        message["params"]["arguments"]["more"] = [1] * 2000000
        answer = post_modern(s, message)[2]
        assert answer["result"]["isError"] and "more" in json.dumps(answer), answer
        assert post_modern(s, write("large", "y" * 4000000, modern=True))[0] == 200
        assert len(read_note(p.url, "large")) == 4000000


@test
def large_messages_whose_clients_have_gone_are_not_read():
    with Place() as p:
        s = p.serve()
        began = work_done(s)
        for _ in range(10):
            assert s.ask("POST", MANY_VALUES)[0] == 400
        until_idle(s)
        one, ten_read = memory_peak(s), work_done(s) - began
        send_and_go(s, MANY_VALUES, n=30)
        until_idle(s)
        assert work_done(s) - began < 2 * ten_read, (ten_read, work_done(s) - began)
        assert memory_peak(s) < 3 * one + 30 * len(MANY_VALUES), (one >> 20, memory_peak(s) >> 20)


@test
def a_large_message_whose_client_has_gone_is_forgotten():
    with Place() as p:
        s = p.serve()
        for _ in range(8):
            assert s.ask("POST", MANY_VALUES)[0] == 400
        answered = memory_peak(s)
        for _ in range(5):  # it goes while its message is being read, or before
            c = ask_later(s, json.loads(MANY_VALUES), {})
            time.sleep(0.02)
            c.close()
            until_idle(s)
        assert memory_peak(s) < 2 * answered, (answered >> 20, memory_peak(s) >> 20)
        # And what it asked for does not come about.
        message = write("gone", "x" * 3000000, modern=True)
        waiting = Queue(s, (message, wire.modern_headers(message)))
        with waiting as (c,):
            c.close()
        until_idle(s)
        waiting.close()
        assert read_note(p.url, "gone") is None


@test
def what_cannot_be_read_is_refused_also_if_it_is_large():
    with Place() as p:
        s = p.serve()
        session = begin(s, "2025-03-26")
        pad = " " * 100000
        assert s.ask("POST", "{" + pad, **session)[0] == 400
        assert s.ask("POST", json.dumps(write("a", "x" * 100000)), **dict(session, Accept="text/html"))[0] == 406
        assert post(s, write("a", "x" * 100000), **dict(session, **{"Mcp-Session-Id": "0" * 64}))[0] == 404
        assert s.ask("POST", "[" + pad + "]", **session)[0] == 400
        batch = [write("a%d" % i, "x" * 20000, id=i) for i in range(10)]
        status, _, reply = post(s, batch, **session)
        assert status == 200 and sorted(r["id"] for r in reply) == list(range(10)), reply
        assert post(s, [write("a", "x", id=i) for i in range(101)] + [pad], **session)[0] == 400


@test
def what_a_session_sends_behind_a_large_message_waits_its_turn():
    with Place() as p:
        s = p.serve()
        session = begin(s)
        waiting = Queue(s, (write("k", "x" * 1000000, id=1), session))
        with waiting as (large,):
            small = ask_later(s, write("k", "small", id=2), session)
        answers = [c.getresponse() for c in (small, large)]
        assert [one.status for one in answers] == [200, 200]
        for one in answers:
            one.read()  # if it takes a while, an answer begins before the note is written
        assert read_note(p.url, "k") == "small"
        waiting.close()


@test
def what_a_session_sent_is_done_although_its_client_has_gone_before_it_was_read():
    with Place() as p:
        s = p.serve()
        old = begin(s, "2025-06-18")
        new = write("stateless", "x" * 1000000, modern=True)
        far = dict(old, **{"Mcp-Session-Id": old["Mcp-Session-Id"] + "0"})
        waiting = Queue(s, (write("large", "x" * 3000000), old), (write("small", "x", id=2), old), (new, wire.modern_headers(new)),
                        (write("far", "x" * 100000), far), (write("html", "x" * 100000), dict(old, Accept="text/html")))
        with waiting as sent:
            for c in sent:
                c.close()
        until_idle(s)
        waiting.close()
        assert len(read_note(p.url, "large") or "") == 3000000 and read_note(p.url, "small") == "x"
        assert [read_note(p.url, key) for key in ("stateless", "far", "html")] == [None] * 3
        # Its session is as before.
        assert post(s, write("large", "y", id=1), **old)[0] == 200


@test
def a_session_whose_message_waits_to_be_read_is_in_use():
    with Place() as p:
        s = p.serve()
        waited = False
        while not waited:  # on a busy machine we may look too late to know
            session = begin(s)
            others = [begin(s) for _ in range(63)]
            waiting = Queue(s, (write("k", "x" * 100000), session))
            with waiting as (sent,):
                sent.close()
                # One has to go for it, and that is not the oldest.
                new = ask_later(s, request("initialize", INITIALIZE), {})
            newest = {"Mcp-Session-Id": new.getresponse().headers["Mcp-Session-Id"]}
            waited = waiting.unread() > 0
            until_idle(s)
            waiting.close()
        assert len(read_note(p.url, "k") or "") == 100000
        got = [taken_up(s, one) for one in (session, others[1], newest, others[0])]
        assert got == [False, False, False, True], got


@test
def messages_that_wait_to_be_read_are_bounded():
    with Place() as p:
        s = p.serve()
        session = begin(s)
        ping = request("ping", {"x": "y" * 20000}), session
        full = False
        while not full:
            waiting = Queue(s, *[ping] * 200, slow=30)
            with waiting as sent:
                for c in sent:
                    c.close()
            assert soon(lambda: len(os.listdir("/proc/%d/fd" % s.process.pid)) < 100)  # there is room for more
            with wire.Stopped(s.process):
                more = [ask_later(s, *ping) for _ in range(60)]
                full = waiting.unread() > 0  # so there are at least 1 + 200 + 60
            got = [c.getresponse().status for c in more]
            until_idle(s)
            waiting.close()
        assert 503 in got, got
        assert post(s, ping[0], **session)[0] == 200


@test
def many_clients_at_once_are_all_answered():
    with Place("sqlite") as p:
        s = p.serve()
        wrong = queue.Queue()

        def client(n):
            try:
                session = begin(s) if n % 2 else None
                for i in range(10):
                    message = write("k%d-%d" % (n, i), "x", modern=not session)
                    status, _, reply = post(s, message, **session) if session else post_modern(s, message)
                    if status != 200 or "isError" in reply["result"]:
                        wrong.put(reply)
            except Exception as why:
                wrong.put(repr(why))

        threads = [threading.Thread(target=client, args=(n,)) for n in range(12)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert wrong.empty(), wrong.get()
        listed = post_modern(s, request("resources/list", modern=True))[2]["result"]
        assert len(listed["resources"]) == 100 and listed["nextCursor"]


@test
def what_was_acknowledged_survives_a_kill():
    for engine in ("files", "sqlite"):
        with Place(engine) as p:
            kept, n = [], 0
            for round in range(3):
                s = p.serve()
                session = begin(s)
                lock = threading.Lock()

                def client(first):
                    for i in range(40):
                        key = "k%d" % (first + i)
                        try:
                            status, _, reply = post(s, write(key, key, id=first + i), **session)
                        except (OSError, ValueError, wire.http.client.HTTPException):
                            return
                        if status == 200 and "isError" not in reply["result"]:
                            with lock:
                                kept.append(key)

                threads = [threading.Thread(target=client, args=(n + 100 * k,)) for k in range(3)]
                n += 300
                for t in threads:
                    t.start()
                assert soon(lambda: len(kept) > 8 * (round + 1))
                s.process.kill()
                for t in threads:
                    t.join()
            s = p.serve()
            for key in kept:
                reply = post_modern(s, request("tools/call", {"name": "scratchpad_read", "arguments": {"key": key}},
                                               modern=True))[2]
                assert wire.text_of(reply).startswith(key + "\n"), (engine, key, reply)


def ends_at_once(signum):
    with Place("sqlite") as p:
        s = p.serve()
        session = begin(s)
        assert post(s, write("plan", "x"), **session)[0] == 200
        st = Stream(s, "GET", **session)
        idle = s.connect()
        idle.connect()
        s.process.send_signal(signum)
        assert s.process.wait(wire.WAIT) == 0
        assert st.next() is None
        assert s.process.stderr.read() == b""
        idle.close()


@test
def sigterm_ends_it_with_clients_connected():
    ends_at_once(signal.SIGTERM)


@test
def sigint_ends_it_with_clients_connected():
    ends_at_once(signal.SIGINT)


@test
def sigterm_ends_it_although_a_call_hangs_and_nobody_reads():
    with Place("sqlite") as p:
        s = p.serve()
        assert post_modern(s, write("first", "x" * 100000, modern=True))[0] == 200
        with Held(p.pad):
            message = write("plan", "one", modern=True)
            st = Stream(s, "POST", message, **wire.modern_headers(message))
            s.process.terminate()
            assert s.process.wait(wire.WAIT) == 0
            st.cut()


@test
def nothing_is_written_before_the_first_write():
    with Place() as p:
        s = p.serve()
        session = begin(s)
        post(s, request("resources/list"), **session)
        post(s, request("resources/subscribe", {"uri": "jotter://notes/a"}), **session)
        post_modern(s, request("server/discover", modern=True))
        Stream(s, "GET", **session).cut()
        assert s.end() == 0
        assert os.listdir(p.dir.name) == []


main()
