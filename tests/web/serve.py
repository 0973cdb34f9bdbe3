#!/usr/bin/env python3
"""serve.py JOTTER: `jotter serve` as a process: who may ask, what reads, what writes, streams, hostile input, ends.

The cells of host, origin, token, route and method are made from the table of verbs that the server itself tells."""
import gzip
import hashlib
import http.client
import http.server
import itertools
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mcp"))
from cases import Room, main, program, test  # noqa: E402
from wire import WAIT  # noqa: E402


class Page:
    """A `jotter serve` at a port of its own choice."""

    def __init__(self, room, *options, pads=None, port=0, home=None, env=None):
        self.env = dict(os.environ, HOME=home or os.path.join(room.dir.name, "home"), **env or {})
        for name in ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
            self.env.pop(name, None)
        os.makedirs(self.env["HOME"], exist_ok=True)
        self.words = [program, "serve", "127.0.0.1:%d" % port, "--as", "ann", *options]
        for pad in pads or [room.url]:
            self.words += ["--pad", pad]
        self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=self.env)
        self.link = self.process.stdout.readline().decode().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#token=([0-9a-f]{64})", self.link)
        self.port, self.token = (int(found[1]), found[2]) if found else (None, None)
        room.servers.append(self)

    def ask(self, method, path, body=None, token="own", **headers):
        """Status, headers, body of one request on a connection of its own."""
        some = {}
        if token:
            some["Authorization"] = "Bearer " + (self.token if token == "own" else token)
        if body is not None:
            some["Content-Type"] = "application/json"
        some.update({n.replace("_", "-"): v for n, v in headers.items() if v is not None})
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        try:
            c.request(method, path, body, some)
            r = c.getresponse()
            return r.status, r.headers, r.read()
        finally:
            c.close()

    def get(self, verb, **params):
        status, _, body = self.ask("GET", "/api/v1/%s?%s" % (verb, urllib.parse.urlencode(params, doseq=True)))
        return status, json.loads(body)

    def post(self, verb, headers=None, **params):
        status, _, body = self.ask("POST", "/api/v1/" + verb, json.dumps(params), **(headers or {}))
        return status, json.loads(body)

    def must(self, got):
        assert got[0] == 200, got
        return got[1]

    def verbs(self):
        """(noun, verb) of all, as the server lists them."""
        return [(n["noun"], v) for n in self.must(self.get("verbs"))["nouns"] for v in n["verbs"]]

    def follow(self):
        """An open event stream: the response, whose lines can be read."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        c.request("GET", "/api/v1/pad/follow", headers={"Authorization": "Bearer " + self.token})
        return c.getresponse()

    def mcp_token(self):
        return open(os.path.join(self.env["HOME"], ".local/share/jotter/token")).read().strip()

    def token_file(self):
        return os.path.join(self.env["HOME"], ".local/state/jotter/page-token")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(WAIT)
        self.said = self.process.stderr.read().decode()
        return code

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(WAIT)
        self.process.stdout.close()
        self.process.stderr.close()


def event(stream):
    """The next event of a stream; None if it has ended."""
    while True:
        line = stream.readline()
        if not line:
            return None
        if line.startswith(b"data: "):
            return json.loads(line[6:])


def cli(room, *words, text=None, pad=None):
    done = subprocess.run([program, "--pad", pad or room.url, *words] if words[0].startswith("-") else
                          [program, words[0], *words[1:], "--pad", pad or room.url, "--as", "bob"],
                          input=text, capture_output=True, text=True, timeout=WAIT)
    assert done.returncode == 0, done
    return done.stdout


def made(room):
    """An empty pad: one that is named must be there."""
    cli(room, "init")


def same(before, after):
    """Two trees, or how they differ."""
    assert before == after, {n: (before.get(n), after.get(n)) for n in {**before, **after} if before.get(n) != after.get(n)}


def tree(top):
    """What is in a directory, but for the index of searches and locks, which hold nothing of their own."""
    out = {}
    for at, dirs, names in os.walk(top):
        dirs[:] = [d for d in dirs if not d.startswith("index")]
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as f:
                out[os.path.relpath(path, top)] = (hashlib.sha256(f.read()).hexdigest(), os.stat(path).st_mode)
    return out


def sentence(answer):
    """A refusal is one sentence."""
    text = answer["error"]
    assert text and "\n" not in text and not text.endswith(".") and len(text) < 400, answer
    return text


def filled(room):
    """A pad with something of every kind."""
    for i in range(3):
        cli(room, "write", "a", "text %d\n" % i)
    cli(room, "write", "plan", "# Plan\n\nship it\n")
    cli(room, "write", "pinned-x", "be kind\n")
    cli(room, "task", "add", "paint the fence")
    run = json.loads(cli(room, "runs", "begin", "why is the sky blue", "--json"))["run"]
    cli(room, "artifact", "write", "reports", "one", text='{"n":1}')
    return run


# What a verb that reads is asked with; those that are missing need nothing.
ASKED = {
    ("note", "read"): {"key": "a"}, ("note", "render"): {"key": "plan"}, ("note", "history"): {"key": "a"},
    ("note", "diff"): {"key": "a"}, ("note", "blame"): {"key": "a"}, ("pad", "search"): {"query": "text"},
    ("pad", "since"): {"since": "2026-01-01"}, ("pad", "gc"): {"keep": 16}, ("artifact", "read"): {"category": "reports", "id": "one"},
    ("task", "read"): {"id": "paint-the-fence"}, ("task", "history"): {"id": "paint-the-fence"},
}


# --- Who may ask ---------------------------------------------------------------------------------

HOSTS = {"127.0.0.1": 0, "localhost": 0, "evil.example": 421}
ORIGINS = {None: 0, "own": 0, "http://evil.example": 403, "null": 403}


def expected(route, method, host, origin, token):
    """By the rules, in the order of the guard: Host, Origin, token, then the route."""
    kind, methods = route
    if HOSTS[host] or ORIGINS[origin]:
        return HOSTS[host] or ORIGINS[origin]
    if token != {"open": "page"}.get(kind, kind) and not (kind == "open" and method in methods):
        return 401
    return 405 if method not in methods else 200


@test
def every_cell_of_host_origin_token_route_and_method_is_as_the_rules_say():
    with Room() as room:
        filled(room)
        page = Page(room)
        tokens = {"none": None, "page": page.token, "mcp": page.mcp_token(), "wrong": "0" * 64}
        routes = {"/": ("open", ["GET"]), "/page/index.html": ("open", ["GET"]), "/api/v1/pads": ("page", ["GET"]),
                  "/api/v1/verbs": ("page", ["GET"]), "/api/v1/note/list": ("page", ["GET", "POST"]),
                  "/api/v1/note/write": ("page", ["POST"]), "/mcp": ("mcp", ["POST", "GET", "DELETE"])}
        n = 0
        for (path, route), method, host, origin, token in itertools.product(
                routes.items(), ["GET", "POST", "PUT", "DELETE", "OPTIONS"], HOSTS, ORIGINS, tokens):
            headers = {"Host": "%s:%d" % (host, page.port)}
            if origin:
                headers["Origin"] = "http://127.0.0.1:%d" % page.port if origin == "own" else origin
            body = "{}" if method == "POST" else None
            status, _, text = page.ask(method, path, body, tokens[token], **headers)
            want = expected(route, method, host, origin, token)
            cell = (path, method, host, origin, token, status, text[:200])
            # Beyond the guard a route has its own reasons: what matters is that it was reached.
            assert status == want or (want == 200 and status in (200, 400, 404, 406)), cell
            if want != 200:
                assert sentence(json.loads(text)), cell
            n += 1
        assert n == 7 * 5 * 3 * 4 * 4, n
        assert cli(room, "read", "a") == "text 2\n"


@test
def every_verb_of_the_table_asks_for_host_origin_token_and_for_post_where_it_writes():
    with Room() as room:
        filled(room)
        page = Page(room)
        before = tree(room.pad)
        verbs = page.verbs()
        assert len(verbs) > 80, len(verbs)
        for noun, verb in verbs:
            path = "/api/v1/%s/%s" % (noun, verb["verb"])
            for token in (None, page.mcp_token(), "x" * 64):
                for method in ("GET", "POST"):
                    status, _, text = page.ask(method, path, "{}" if method == "POST" else None, token)
                    assert status == 401 and sentence(json.loads(text)), (path, method, token)
            for method in ("GET", "POST"):
                for want, headers in ((421, {"Host": "evil.example"}), (421, {"Host": "127.0.0.1.evil.example:%d" % page.port}),
                                      (403, {"Origin": "http://evil.example"}), (403, {"Origin": "null"}), (403, {"Sec-Fetch-Site": "cross-site"})):
                    status, _, text = page.ask(method, path, "{}" if method == "POST" else None, **headers)
                    assert status == want and sentence(json.loads(text)), (path, method, headers, status)
            status, headers, text = page.ask("GET", path)
            if verb["reads"] or verb.get("bare", {}).get("reads"):
                assert status in (200, 400, 404), (path, status, text)
            else:
                assert status == 405 and headers["Allow"] == "POST", (path, status, text)
            status, _, text = page.ask("POST", path, "[]")
            assert status == 400 and sentence(json.loads(text)), (path, status, text)
        same(before, tree(room.pad))
        for gone in ("import", "export", "copy", "setup", "run", "doctor", "init"):
            for noun in ("pad", "note", "run"):
                assert page.get("%s/%s" % (noun, gone))[0] == 404


@test
def a_verb_that_reads_where_it_is_given_nothing_does_so_for_a_get():
    with Room() as room:
        made(room)
        cli(room, "task", "add", "one")
        cli(room, "task", "add", "two", "--needs", "one")
        cli(room, "task", "ready", "one")
        page = Page(room)
        before = tree(room.pad)
        answer = page.must(page.get("task/ready"))
        assert [t["task_id"] for t in answer["ready"]] == ["one"] and len(answer["waiting"]) == 1, answer
        assert answer == json.loads(cli(room, "task", "ready", "--json")), answer
        pad = page.must(page.get("pads"))["pads"][0]["id"]
        assert page.must(page.get("task/ready", pad=pad)) == answer
        status, headers, _ = page.ask("GET", "/api/v1/task/ready?id=two")
        assert status == 405 and headers["Allow"] == "POST", status
        assert page.get("task/ready", nix="1")[0] == 400
        same(before, tree(room.pad))
        bare = [verb["bare"] for _, verb in page.verbs() if "bare" in verb]
        assert [(b["verb"], b["reads"]) for b in bare] == [("ready", True)], bare


@test
def a_refusal_names_parameters_not_options_of_a_command():
    with Room() as room:
        made(room)
        page = Page(room)
        for got, says in ((page.get("artifact/find", below="true"), "'below' goes with 'category'"),
                          (page.post("checkpoint/trim", run="r"), "'keep' or 'age'"),
                          (page.post("lease/renew"), "'token'"),
                          (page.get("sink/read", call="c", byte_range="0", line_range="1"), "'byte_range' or 'line_range'")):
            assert got[0] == 400 and says in got[1]["error"] and "--" not in got[1]["error"], got


@test
def a_browser_that_says_that_another_site_asks_is_refused():
    with Room() as room:
        filled(room)
        page = Page(room)
        for site, want in (("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403), ("x", 403)):
            assert page.ask("GET", "/api/v1/note/list", Sec_Fetch_Site=site)[0] == want
            status = page.ask("POST", "/api/v1/note/write", '{"key":"%s","text":"x"}' % site, Sec_Fetch_Site=site)[0]
            assert status == want, (site, status)


@test
def a_write_by_the_page_is_a_persons_and_one_by_mcp_an_agents():
    with Room() as room:
        made(room)
        page = Page(room)
        page.must(page.post("note/write", key="mine", text="by a person"))
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "scratchpad_write", "arguments": {"key": "its", "content": "by an agent"},
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                      "io.modelcontextprotocol/clientInfo": {"name": "robot", "version": "1"},
                      "io.modelcontextprotocol/clientCapabilities": {}}}}
        status, _, text = page.ask("POST", "/mcp", json.dumps(call), page.mcp_token(), Accept="application/json, text/event-stream",
                                   MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/call", Mcp_Name="scratchpad_write")
        assert status == 200, (status, text)
        assert page.must(page.get("note/read", key="mine"))["by"] == "ann"
        assert page.must(page.get("note/read", key="its"))["by"] in ("ann", "robot")
        assert page.ask("POST", "/mcp", json.dumps(call))[0] == 401


@test
def the_token_lies_in_a_file_of_0600_outlives_a_restart_and_is_changed_on_demand():
    with Room() as room:
        made(room)
        page = Page(room)
        info = os.stat(page.token_file())
        assert stat.S_IMODE(info.st_mode) == 0o600 and open(page.token_file()).read().strip() == page.token
        assert page.end() == 0
        assert page.token not in page.said
        again = Page(room)
        assert again.token == page.token
        again.end()
        fresh = Page(room, "--new-token")
        assert fresh.token != page.token
        assert fresh.ask("GET", "/api/v1/pads", token=page.token)[0] == 401
        fresh.end()
        os.chmod(page.token_file(), 0o644)
        refused = Page(room)
        assert refused.port is None and refused.process.wait(WAIT) != 0
        said = refused.process.stderr.read().decode()
        assert said.count("\n") == 1 and "0600" in said, said


@test
def a_command_of_an_agent_neither_reads_nor_replaces_the_tokens():
    """The agent works beside the server, in a directory of its own, as the same user."""
    with Room() as room:
        made(room)
        page = Page(room)
        work = os.path.join(room.dir.name, "work")
        os.mkdir(work)
        files = [page.token_file(), os.path.join(page.env["HOME"], ".local/share/jotter/token")]
        tokens = [open(f).read() for f in files]
        commands = ["cat '%s'; cp '%s' here; ln -s '%s' link; cat link; echo evil >'%s'; rm -f '%s'; mv '%s' x; echo done" % (f, f, f, f, f, f) for f in files]
        script = os.path.join(room.dir.name, "script.yaml")
        with open(script, "w") as out:
            out.write("- calls: %s\n- text: '{{result:c0}} {{result:c1}}'\n" % json.dumps([{"id": "c%d" % n, "name": "shell", "args": {"command": c}} for n, c in enumerate(commands)]))
        ran = subprocess.run([program, "--pad", room.url, "run", "look", "--allow", "shell", "--model", "script:" + script], cwd=work, env=page.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WAIT)
        assert ran.returncode == 0 and ran.stdout.count("done") == 2, ran
        left = [os.path.join(at, n) for at, _, names in os.walk(work) for n in names]
        said = ran.stdout + ran.stderr + "".join(open(f).read() for f in left if not os.path.islink(f))
        for f, token in zip(files, tokens):
            assert token.strip() not in said
            assert open(f).read() == token
        page.end()


# --- One server a pad ----------------------------------------------------------------------------

@test
def started_twice_for_a_pad_it_prints_the_link_of_the_one_that_runs():
    with Room() as room:
        made(room)
        page = Page(room)
        second = Page(room)
        assert second.link == page.link and second.process.wait(WAIT) == 0
        refused = Page(room, "--new-token")
        assert refused.process.wait(WAIT) != 0 and refused.process.stderr.read().count(b"\n") == 1
        page.process.kill()
        page.process.wait(WAIT)
        third = Page(room)
        assert third.port and third.process.poll() is None
        assert third.must(third.get("pads"))["pads"][0]["name"] == "pad"


@test
def a_taken_port_a_pad_that_is_not_there_and_one_in_memory_are_one_sentence_each():
    with Room() as room, Room() as other:
        made(room)
        page = Page(room)
        cli(other, "write", "x", "y")
        for options in (dict(port=page.port, pads=[other.url]), dict(pads=["files:" + room.dir.name + "/none"]),
                        dict(pads=["mem:"]), dict(pads=["nonsense"])):
            bad = Page(room, **options)
            said = bad.process.stderr.read().decode()
            assert bad.process.wait(WAIT) != 0 and said.count("\n") == 1 and said.startswith("jotter: "), (options, said)


@test
def several_pads_are_asked_by_their_ids_and_by_no_path():
    with Room() as room, Room() as other:
        cli(room, "write", "x", "here")
        cli(other, "write", "x", "there")
        page = Page(room, pads=[room.url, other.url])
        pads = page.must(page.get("pads"))["pads"]
        assert [len(p["id"]) for p in pads] == [8, 8]
        assert [page.must(page.get("note/read", key="x", pad=p["id"]))["text"] for p in pads] == ["here\n", "there\n"]
        assert page.must(page.get("note/read", key="x"))["text"] == "here\n"
        for bad in (room.url, "/etc/passwd", "files:/", "1", "../x", pads[0]["id"] + "0"):
            status, answer = page.get("note/read", key="x", pad=bad)
            assert status == 404 and sentence(answer), answer


# --- Reading changes nothing ---------------------------------------------------------------------

@test
def what_reads_changes_no_byte_of_a_pad_not_even_of_one_that_people_edited():
    with Room() as room:
        run = filled(room)
        with open(os.path.join(room.pad, "notes", "a.txt"), "w") as f:
            f.write("by hand, not recorded yet\n")
        before = tree(room.pad)
        page = Page(room)
        asked = 0
        for noun, verb in page.verbs():
            if not verb["reads"]:
                continue
            params = dict(ASKED.get((noun, verb["verb"]), {}))
            if "run" in verb["input"].get("required", []):
                params["run"] = run
            status, answer = page.get("%s/%s" % (noun, verb["verb"]), **params)
            assert status in (200, 400, 404, 423), (noun, verb["verb"], status, answer)
            asked += status == 200
        assert asked > 30, asked
        assert page.must(page.get("note/read", key="a"))["seq"] == 0
        same(before, tree(room.pad))


@test
def a_server_that_is_read_only_refuses_every_write_and_writes_nothing():
    with Room() as room:
        filled(room)
        before = tree(room.pad)
        page = Page(room, "--read-only")
        assert page.must(page.get("pads"))["server"]["read_only"] is True
        for verb, params in (("note/write", {"key": "a", "text": "x"}), ("note/delete", {"key": "a"}),
                             ("note/purge", {"key": "a", "again": "a"}), ("task/add", {"description": "x"}),
                             ("rules/revoke", {"key": "pinned-x"})):
            status, answer = page.post(verb, **params)
            assert status == 403 and answer["status"] == "read_only" and sentence(answer), (verb, answer)
        assert page.must(page.get("note/read", key="a"))["text"] == "text 2\n"
        assert page.must(page.get("pad/search", query="text"))["hits"]
        same(before, tree(room.pad))


# --- Notes ---------------------------------------------------------------------------------------

@test
def a_write_names_the_version_it_has_read_and_a_conflict_shows_both_texts_and_the_merge():
    with Room() as room:
        made(room)
        page = Page(room)
        first = page.must(page.post("note/write", {"If-None-Match": "*"}, key="n", text="one\ntwo\nthree\n"))
        assert page.post("note/write", {"If-None-Match": "*"}, key="n", text="x")[0] == 409
        status, headers, _ = page.ask("GET", "/api/v1/note/read?key=n")
        assert headers["ETag"] == '"%s"' % first["version"]
        cli(room, "write", "n", "one\ntwo\nTHREE\n")
        status, answer = page.post("note/write", {"If-Match": headers["ETag"]}, key="n", text="ONE\ntwo\nthree\n")
        data = answer["data"]
        assert status == 409 and answer["status"] == "conflict" and sentence(answer)
        assert data["present"]["text"] == "one\ntwo\nTHREE\n" and data["mine"] == "ONE\ntwo\nthree\n"
        assert data["merge"] == "ONE\ntwo\nTHREE\n" and data["clean"] is True
        assert cli(room, "read", "n") == "one\ntwo\nTHREE\n"
        merged = page.must(page.post("note/write", key="n", text=data["merge"], if_version=data["present"]["version"]))
        assert merged["by"] == "ann"
        page.must(page.post("note/undo", {"If-Match": '"%s"' % merged["version"]}, key="n"))
        assert cli(room, "read", "n") == "one\ntwo\nTHREE\n"
        assert page.post("note/write", {"If-Match": '"nonsense"'}, key="n", text="x")[0] == 400
        assert page.post("task/add", {"If-Match": '"abcdef1"'}, description="x")[0] == 400


@test
def purge_and_redact_ask_for_the_key_once_more():
    with Room() as room:
        filled(room)
        page = Page(room)
        for verb, more in (("note/purge", {}), ("note/redact", {"text": "text"})):
            for again in ("", "A", "b"):
                status, answer = page.post(verb, key="a", again=again, **more)
                assert status == 400 and sentence(answer), answer
            assert page.post(verb, key="a", **more)[0] == 400
        assert cli(room, "read", "a") == "text 2\n"
        assert page.must(page.post("note/redact", key="a", again="a", text="text")) == {"stream": "notes/a", "redacted": 3, "rewritten": True}
        assert page.must(page.post("note/purge", key="a", again="a"))["purged"] is True
        assert page.get("note/read", key="a")[0] == 404 and page.get("note/history", key="a")[1]


@test
def a_rule_is_approved_by_the_hash_of_the_text_that_was_read():
    with Room() as room:
        filled(room)
        page = Page(room)
        rule = [i for i in page.must(page.get("pad/waiting"))["items"] if i["what"] == "rule"][0]
        assert rule["name"] == "pinned-x" and rule["about"] == "be kind\n" and rule["approved_version"] is None
        cli(room, "write", "pinned-x", "be unkind\n")
        assert page.post("rules/approve", key="pinned-x", sha256=rule["sha256"])[0] == 409
        rule = [i for i in page.must(page.get("pad/waiting"))["items"] if i["what"] == "rule"][0]
        page.must(page.post("rules/approve", key="pinned-x", sha256=rule["sha256"]))
        assert [i for i in page.must(page.get("pad/waiting"))["items"] if i["what"] == "rule"] == []
        cli(room, "write", "pinned-x", "be cruel\n")
        again = [i for i in page.must(page.get("pad/waiting"))["items"] if i["what"] == "rule"][0]
        assert again["approved_version"] == rule["sha256"]
        assert "+be cruel" in page.must(page.get("note/diff", key="pinned-x", **{"from": rule["sha256"]}))["diff"]


@test
def what_lies_in_quarantine_waits_and_looking_leaves_it_there():
    with Room() as room:
        filled(room)
        os.makedirs(os.path.join(room.pad, "quarantine"), exist_ok=True)
        with open(os.path.join(room.pad, "quarantine", "0123456789abcdef-01234567"), "w") as f:
            f.write("rest of something")
        before = tree(room.pad)
        page = Page(room)
        items = [i["says"] for i in page.must(page.get("pad/waiting"))["items"] if i["what"] == "quarantine"]
        assert items == ["1 thing was moved to quarantine"], items
        same(before, tree(room.pad))


@test
def a_pad_is_called_read_only_only_if_it_is():
    with Room() as room:
        made(room)
        page = Page(room)
        for verb in ("pad/where", "pad/status", "pad/now"):
            assert page.must(page.get(verb))["read_only"] == "", verb
        page.end()
        page = Page(room, "--read-only")
        assert page.must(page.get("pad/where"))["read_only"] == "it was asked for"


@test
def markdown_becomes_html_that_can_do_nothing_but_be_shown():
    with Room() as room:
        made(room)
        page = Page(room)
        hostile = ("<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) [b](JaVaScRiPt:x) "
                   "[c](data:text/html,x) [d](vbscript:x) [e](&#106;avascript:x) <javascript:x> [f](//evil.example) [g](/api/v1/pads)\n\n"
                   "![i](https://evil.example/i.png) ![](data:image/png;base64,AA) [x ![j](https://evil.example/j.png)](https://ok.example)\n\n"
                   "[ref]\n\n[ref]: javascript:alert(1)\n\n`<b>` a\u202eb\n")
        answer = page.must(page.post("note/render", text=hostile))
        html = answer["html"]
        if html is None:
            assert "libcmark-gfm" in answer["why"]
            return
        assert not re.search(r"<(script|img|iframe|object|style|link|meta)\b", html, re.I), html
        assert all(href.startswith("https://") for href in re.findall(r'href="([^"]*)"', html)), html
        assert not re.search(r"\son\w+=", html) and "alert(1)</" not in html, html
        assert '<a href="https://evil.example/i.png">i</a>' in html
        table = page.must(page.post("note/render", text="|a|\n|-|\n|1|\n\n- [x] done\n\n~~no~~\n"))["html"]
        assert "<table>" in table and 'type="checkbox"' in table and "<del>" in table


# --- The past ------------------------------------------------------------------------------------

@test
def every_verb_that_reads_can_be_asked_about_the_past_unless_it_is_about_the_present():
    with Room() as room:
        made(room)
        page = Page(room)
        cli(room, "write", "n", "old\n")
        cli(room, "write", "gone", "was here\n")
        cli(room, "task", "add", "first")
        at = page.must(page.get("pad/now"))["at"]
        while page.must(page.get("pad/now"))["at"] == at:
            pass
        cli(room, "write", "n", "new\n")
        cli(room, "write", "later", "x\n")
        cli(room, "delete", "gone")
        cli(room, "task", "start", "first")
        cli(room, "task", "add", "second")
        names = [n["key"] for n in page.must(page.get("note/list", at=at))["notes"]]
        assert names == ["gone", "n"], names
        assert page.must(page.get("note/read", key="n", at=at))["text"] == "old\n"
        assert page.must(page.get("note/read", key="gone", at=at))["text"] == "was here\n"
        assert page.get("note/read", key="later", at=at)[0] == 404
        assert len(page.must(page.get("note/history", key="n", at=at))["versions"]) == 1
        tasks = page.must(page.get("task/list", at=at))["tasks"]
        assert [(t["task_id"], t["status"]) for t in tasks] == [("first", "pending")], tasks
        assert page.must(page.get("task/read", id="first", at=at))["status"] == "pending"
        assert all(c["at"] <= at for c in page.must(page.get("pad/changes", at=at))["changes"])
        for verb in ("pad/now", "pad/waiting", "pad/stats", "pad/verify", "lease/list", "rules/list"):
            status, answer = page.get(verb, at=at)
            assert status == 400 and "present" in sentence(answer), answer
        for bad in ("", "yesterday", "x", "1e9"):
            status, answer = page.get("note/list", at=bad)
            assert status == 400 and sentence(answer), (bad, answer)
        status, _, text = page.ask("POST", "/api/v1/note/write?at=" + urllib.parse.quote(at), '{"key":"n","text":"x"}')
        assert status == 400 and sentence(json.loads(text))
        assert cli(room, "read", "n") == "new\n"


# --- Streams -------------------------------------------------------------------------------------

@test
def a_stream_says_hello_then_every_change_of_every_process():
    with Room() as room:
        cli(room, "write", "a", "1")
        page = Page(room)
        streams = [page.follow() for _ in range(3)]
        for s in streams:
            assert s.headers["Content-Type"] == "text/event-stream"
            assert event(s)["event"] == "hello"
        cli(room, "write", "b", "2")
        page.must(page.post("note/delete", key="a"))
        for s in streams:
            seen = {}
            while len(seen) < 2:
                got = event(s)
                assert got["event"] == "change", got
                seen[got["stream"]] = (got["op"], got["by"])
            assert seen == {"notes/b": ("put", "bob"), "notes/a": ("delete", "ann")}, seen


@test
def a_stream_ends_with_its_server_and_the_next_one_says_that_it_is_another():
    with Room() as room:
        cli(room, "write", "a", "1")
        page = Page(room)
        stream = page.follow()
        hello = event(stream)
        assert page.end() == 0
        assert event(stream) is None
        again = Page(room, port=page.port)
        assert again.token == page.token
        fresh = event(again.follow())
        assert fresh["event"] == "hello" and fresh["server"] != hello["server"]


@test
def two_servers_of_two_users_on_one_pad_see_each_others_writes():
    with Room() as room:
        cli(room, "write", "n", "0")
        one, two = Page(room), Page(room, home=os.path.join(room.dir.name, "another"))
        assert one.port != two.port and one.token != two.token
        stream = two.follow()
        assert event(stream)["event"] == "hello"
        for i in range(20):
            writer, reader = (one, two) if i % 2 else (two, one)
            text = reader.must(reader.get("note/read", key="n"))
            writer.must(writer.post("note/write", key="n", text=str(i), if_version=text["version"]))
            assert reader.must(reader.get("note/read", key="n"))["text"] == str(i)
            assert reader.post("note/write", key="n", text="late", if_version=text["version"])[0] == 409
        assert event(stream)["stream"] == "notes/n"


@test
def a_pad_that_is_taken_away_is_one_sentence_and_its_return_is_noticed():
    with Room() as room:
        cli(room, "write", "n", "here")
        page = Page(room)
        stream = page.follow()
        assert event(stream)["event"] == "hello"
        os.rename(room.pad, room.pad + "-away")
        status, answer = page.get("note/read", key="n")
        assert status == 503 and answer["retry"] is True and sentence(answer), answer
        assert event(stream)["event"] == "gone"
        os.rename(room.pad + "-away", room.pad)
        assert page.must(page.get("note/read", key="n"))["text"] == "here\n"
        assert event(stream)["event"] == "hello"


# --- What a run would ask next -------------------------------------------------------------------

class Asked:
    """A server of models at this machine, in the words of two vendors: it keeps what it is asked, answers the first
    request with a call of a tool, and refuses every other."""

    def __init__(self):
        asked = self.bodies = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked.append(self.rfile.read(int(self.headers["Content-Length"])))
                call = {"id": "c1", "type": "function", "function": {"name": "scratchpad_list", "arguments": "{}"}}
                said = [{"choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [{"index": 0, **call}]}}]},
                        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}]
                text = "".join("data: %s\n\n" % json.dumps(s) for s in said) + "data: [DONE]\n\n"
                if "messages" in self.path:
                    said = [{"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {"input_tokens": 9, "output_tokens": 1}}},
                            {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "c1", "name": "scratchpad_list", "input": {}}},
                            {"type": "content_block_stop", "index": 0},
                            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}}, {"type": "message_stop"}]
                    text = "".join("event: %s\ndata: %s\n\n" % (s["type"], json.dumps(s)) for s in said)
                self.send_response(200 if len(asked) == 1 else 400)
                self.send_header("Content-Type", "text/event-stream" if len(asked) == 1 else "application/json")
                body = (text if len(asked) == 1 else '{"error":{"type":"invalid_request_error","message":"no more"}}').encode()
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def asked_run(room, address, key):
    """A run that made one call and was then refused: its id."""
    env = dict(os.environ, JOTTER_MODEL=address, **key)
    subprocess.run([program, "run", "what is here?", "--pad", room.url], env=env, capture_output=True, timeout=WAIT)
    return json.loads(cli(room, "runs", "list", "--json"))["runs"][0]["id"]


@test
def the_request_that_is_sent_next_is_shown_byte_for_byte_and_without_keys():
    for way, address in (("openai", "http://127.0.0.1:%d/v1#some-model"), ("anthropic", "anthropic:claude-x?base=http://127.0.0.1:%d")):
        with Room() as room:
            filled(room)
            model = Asked()
            address %= model.port
            key = {"ANTHROPIC_API_KEY": "sk-very-secret"} if way == "anthropic" else {"JOTTER_API_KEY": "sk-very-secret"}
            try:
                run = asked_run(room, address, key)
                assert len(model.bodies) >= 2, model.bodies
                sent = model.bodies[-1].decode()
                before = tree(room.pad)
                page = Page(room, env={"JOTTER_MODEL": address})
                said = page.must(page.get("run/next", run=run))
                assert said["body"] == sent, (said["body"], sent)
                assert said["way"] == "JOTTER_MODEL" and said["next"] == "ended" and said["bytes"] == len(sent.encode()), said
                assert "sk-very-secret" not in json.dumps(said)
                steps = page.must(page.get("run/timeline", run=run))["steps"]
                asked = [s["at"] for s in steps if s["kind"] in ("init", "setup", "reply")]
                then = page.must(page.get("run/next", run=run, at=asked[-1]))
                assert then["messages"] <= said["messages"] and then["next"] in ("calls", "request", "ended"), then
                assert page.get("run/next", run=run, at="2020-01-01T00:00:00Z")[0] == 404
                same(before, tree(room.pad))
                page.end()
                # Without the address it is written as the vendor wants it; the conversation is the same.
                page = Page(room)
                said = page.must(page.get("run/next", run=run, way=way))
                texts = [[m.get("content") or "" for m in json.loads(body)["messages"]] for body in (said["body"], sent)]
                assert said["way"] == way and texts[0] == texts[1], texts
                again = len(model.bodies)
                subprocess.run([program, "run", "--resume", run, "--pad", room.url], env=dict(os.environ, JOTTER_MODEL=address, **key),
                               capture_output=True, timeout=WAIT)
                assert model.bodies[again].decode() == sent
            finally:
                model.close()


@test
def a_run_that_no_request_follows_is_one_sentence():
    with Room() as room:
        run = filled(room)
        page = Page(room)
        for params, want in (({"run": run}, 400), ({"run": "nix"}, 404), ({"run": "../x"}, 400), ({"run": run, "way": "script:/etc/passwd"}, 400)):
            status, answer = page.get("run/next", **params)
            assert status == want and sentence(answer), (params, status, answer)


# --- Hostile input -------------------------------------------------------------------------------

@test
def bad_input_is_one_sentence_and_changes_nothing():
    with Room() as room:
        filled(room)
        page = Page(room)
        before = tree(room.pad)
        for query in ("key=%zz", "key=%", "key=%0", "key=a%00b", "key=%ff%fe", "key=a&key=b", "nix=1", "key=", "key", "limit=x", "limit=-1",
                      "limit=99999999999999999999", "before=1.5", "key=a&limit=0", "key=../../etc/passwd", "key=a&version=%3Cscript%3E",
                      "=a", "key=" + "k" * 3000, "&".join("a%d=1" % i for i in range(1500))):
            for verb in ("note/read", "note/history"):
                status, _, text = page.ask("GET", "/api/v1/%s?%s" % (verb, query))
                assert 400 <= status < 500 and sentence(json.loads(text)), (query[:80], status, text[:300])
        deep = "[" * 5000 + "]" * 5000
        for body in ("", "x", "[]", "null", "1", '{"key":1}', '{"key":"a"}', '{"key":"a","text":1}', '{"key":"a","text":"x","nix":1}',
                     '{"key":"a","key":"b","text":"x"}', '{"key":"a","text":"\\ud800"}', '{"key":"..","text":"x"}', '{"key":"leases/table","text":"x"}',
                     '{"key":"a","text":"x","if_version":"zz"}', '{"key":"a/b","text":"x"}', '{"text":%s}' % deep, '{"key":"a","text":"x"} {}'):
            status, _, text = page.ask("POST", "/api/v1/note/write", body)
            assert 400 <= status < 500 and sentence(json.loads(text)), (body[:80], status, text[:300])
        status, answer = page.post("lease/acquire", key="a", wait=5)
        assert status == 400 and sentence(answer), answer
        assert page.ask("POST", "/api/v1/note/write?key=a", '{"key":"a","text":"x"}')[0] == 400
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json, text/plain"):
            assert page.ask("POST", "/api/v1/note/write", '{"key":"a","text":"x"}', Content_Type=kind)[0] == 415
        for path in ("/api/v1/", "/api/v1", "/api/v1/note", "/api/v1/note/", "/api/v1/note/list/x", "/api/v1//list", "/api/v1/../pads", "/page/",
                     "/page/../index.html", "/page/%2e%2e/x", "/page/index.html/x", "/etc/passwd", "/api/v2/pads", "/favicon.ico"):
            status, _, text = page.ask("GET", path)
            assert status in (401, 404) and sentence(json.loads(text)), (path, status)
        assert page.ask("POST", "/api/v1/note/write", '{"key":"big","text":"%s"}' % ("x" * (17 << 20)))[0] == 413
        same(before, tree(room.pad))
        assert page.must(page.get("note/read", key="a"))["text"] == "text 2\n"


@test
def a_condition_that_says_nothing_is_no_permission_to_overwrite():
    with Room() as room:
        filled(room)
        page = Page(room)
        for tag in ("", '""', 'W/""', '"', "*", '"a", "b"', '"\xff"', '"~1"', '"now"', '"' + "0" * 64 + '"', '"' + "f" * 5000 + '"'):
            status, _, text = page.ask("POST", "/api/v1/note/write", '{"key":"a","text":"x"}', If_Match=tag)
            assert status in (400, 409, 413) and sentence(json.loads(text)), (tag, status, text)
        status, _, text = page.ask("POST", "/api/v1/note/write", '{"key":"a","text":"x","if_version":""}')
        assert status == 400 and sentence(json.loads(text)), (status, text)
        assert page.ask("POST", "/api/v1/note/write", '{"key":"a","text":"x"}', If_None_Match="*")[0] == 409
        assert cli(room, "read", "a") == "text 2\n"


@test
def a_text_that_was_made_to_take_long_is_laid_out_without_what_takes_long():
    with Room() as room:
        made(room)
        page = Page(room)
        if page.must(page.post("note/render", text="x"))["html"] is None:
            return
        table = "|a|b|\n|-|-|\n|1|2|\n\n"
        html = page.must(page.post("note/render", text=table * 300 + "see http://a.example and b@c.example\n"))["html"]
        assert html.count("<table>") == 300 and html.count("<a href") == 2, html[-300:]
        # Each of these took minutes, or gigabytes.
        for text in ("|a\n-|-\n" * 40000, "|" * 100000 + "\n|" + "-|" * 100000, "> |" + "a|" * 400 + "\n> |" + "-|" * 400 + "\n" + "> |\n" * 90000,
                     "a.b@c.d." * 37000, "xmpp:a@b." * 33000):
            html = page.must(page.post("note/render", text=text))["html"]
            assert "<table>" not in html and "<a " not in html and html, html[:200]


@test
def a_note_of_any_text_comes_back_as_it_is():
    with Room() as room:
        made(room)
        page = Page(room)
        texts = ["<script>alert(1)</script>", "\x1b[31mred\x1b[0m", "a\u202eb\u2066c", "x" * (1 << 20), "\u0000nul", "line\r\nother\u2028x", "\U0001f600"]
        for i, text in enumerate(texts):
            page.must(page.post("note/write", key="n%d" % i, text=text))
            assert page.must(page.get("note/read", key="n%d" % i))["text"] == text
        with open(os.path.join(room.pad, "notes", "raw.txt"), "wb") as f:
            f.write(b"\xff\xfe\x00bytes")
        raw = page.must(page.get("note/read", key="raw"))
        assert "text" not in raw and raw["body_base64"] == "//4AYnl0ZXM=", raw


@test
def clients_that_go_away_in_the_middle_leave_a_server_that_answers():
    with Room() as room:
        filled(room)
        page = Page(room)
        head = "GET /api/v1/pad/%s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + page.token + "\r\n\r\n"
        for i in range(60):
            s = socket.create_connection(("127.0.0.1", page.port), WAIT)
            s.sendall((head % ("now", "search?query=text", "verify")[i % 3]).encode())
            s.close()
        assert page.must(page.get("note/read", key="a"))["text"] == "text 2\n"


def send_all(s, text):
    """All of it, unless the other side has enough."""
    try:
        s.sendall(text)
    except OSError:
        pass


def memory_peak(page):
    """The most memory that the server has had, in MB."""
    with open("/proc/%d/status" % page.process.pid) as f:
        return int(re.search(r"VmHWM:\s+(\d+)", f.read())[1]) / 1000


@test
def requests_whose_answers_nobody_reads_wait_and_are_answered_when_they_are_read():
    with Room() as room:
        made(room)
        page = Page(room)
        page.must(page.get("note/list"))
        before, n, sockets = memory_peak(page), 2000, []
        ask = b"GET /page/app.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        last = ask.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        for text in (ask * 100 + last, ask * n, ask * n, ask * n):
            s = socket.create_connection(("127.0.0.1", page.port), WAIT)
            threading.Thread(target=send_all, args=(s, text), daemon=True).start()
            sockets.append(s)
        for _ in range(20):
            page.must(page.get("note/list"))
        got = b""
        while True:  # the first one reads in the end, and gets all
            piece = sockets[0].recv(1 << 20)
            if not piece:
                break
            got += piece
        assert got.count(b"HTTP/1.1 200 OK\r\n") == 101, got.count(b"HTTP/1.1 200 OK\r\n")
        assert memory_peak(page) - before < 50, (before, memory_peak(page))
        for s in sockets:
            s.shutdown(socket.SHUT_RDWR)
            s.close()


@test
def clients_that_never_come_to_an_end_leave_room_for_others():
    with Room() as room:
        filled(room)
        page = Page(room)
        auth = "Host: 127.0.0.1\r\nAuthorization: Bearer %s\r\n" % page.token
        slow = {"half a head": ("GET / HTTP/1.1\r\nX-", 300), "half a body": ("POST /api/v1/note/write HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{" % auth, 300),
                "a stream that nobody reads": ("GET /api/v1/pad/follow HTTP/1.1\r\n%s\r\n" % auth, 300), "many requests whose answers nobody reads": (("GET /page/app.css HTTP/1.1\r\n%s\r\n" % auth) * 100, 100)}
        for name, (text, n) in slow.items():
            sockets = []
            try:
                for _ in range(n):
                    s = socket.create_connection(("127.0.0.1", page.port), WAIT)
                    sockets.append(s)
                    s.setblocking(False)
                    try:
                        s.send(text.encode())
                    except OSError:
                        pass  # it has been dropped already
                for i in range(5):
                    page.must(page.post("note/write", key="n%d" % i, text="x" * 1000))
                    assert page.must(page.get("note/read", key="a"))["text"] == "text 2\n", name
            finally:
                for s in sockets:
                    s.close()
        streams, answers = [], []
        while 503 not in answers and len(answers) < 200:
            streams.append(page.follow())
            answers.append(streams[-1].status)
        assert 503 in answers and answers.count(200) >= 100, answers
        assert sentence(json.loads(streams[-1].read()))
        assert page.process.poll() is None


# --- The page's own files ------------------------------------------------------------------------

@test
def the_page_is_compressed_tagged_and_may_load_nothing_from_elsewhere():
    with Room() as room:
        made(room)
        page = Page(room)
        status, headers, plain = page.ask("GET", "/", token=None)
        policy = headers["Content-Security-Policy"]
        assert status == 200 and "default-src 'none'" in policy and "unsafe" not in policy and "img-src 'self' blob:" in policy
        assert "frame-ancestors 'none'" in policy and headers["Referrer-Policy"] == "no-referrer"
        assert headers["Content-Encoding"] is None and headers["Cache-Control"] == "no-cache"
        status, packed_headers, packed = page.ask("GET", "/", token=None, Accept_Encoding="br, gzip;q=0.5")
        assert packed_headers["Content-Encoding"] == "gzip" and gzip.decompress(packed) == plain
        assert page.ask("GET", "/", token=None, Accept_Encoding="gzip;q=0")[2] == plain
        for tag in (headers["ETag"], "W/" + headers["ETag"], '"x", ' + headers["ETag"]):
            status, _, body = page.ask("GET", "/", token=None, If_None_Match=tag)
            assert status == 304 and body == b""
        assert page.ask("GET", "/", token=None, If_None_Match='"x"')[0] == 200


@test
def answers_of_the_api_are_kept_by_nobody():
    with Room() as room:
        filled(room)
        page = Page(room)
        for path in ("/api/v1/pads", "/api/v1/note/read?key=a", "/api/v1/note/read?key=nix"):
            headers = page.ask("GET", path)[1]
            assert headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Content-Type"] == "application/json"


main()
