#!/usr/bin/env python3
"""page.py PROGRAM SOURCE [CASE...]: the page of jotter serve in Chromium, as a person uses it.

Whoever is root runs all cases as an ordinary user, with a copy of the program that everybody may read, and
those of BOTH as root, too.

Each case is a function named by what it proves, and a line of TAP.  They share one browser, and servers
over five pads: the demonstration (examples/pad), a large one, a hostile one, an empty one, and one to
write to.  Whatever a case does, the console must stay empty."""
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    from browser import Browser, Home, Keys, Pad, Server, until
except ImportError as missing:
    print("1..0 # SKIP %s: python3-selenium is in tools/debian-packages" % missing)
    sys.exit(0)

program, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
tests = []
NOBODY = 65534
BIG = 3000
HOSTILE = "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 2'>"


def test(function):
    tests.append(function)
    return function


class World:
    """Everything the cases work with."""

    def __init__(self):
        self.home = Home()
        self.pads = {name: Pad(program, self.home, name) for name in ("demo", "big", "hostile", "empty", "desk")}
        self.demo, self.big, self.hostile, self.empty, self.desk = self.pads.values()
        self.make()
        self.server = Server(program, self.home, self.pads.values())
        self.browser = Browser(self.home)
        self.browser.enter(self.server)
        self.id = {p["name"]: p["id"] for p in self.server.get("pads")["pads"]}

    def make(self):
        env = {**self.home.env, "JOTTER": program}
        subprocess.run([os.path.join(source, "examples", "pad"), self.home.path("demo")], env=env, check=True, stdout=subprocess.DEVNULL)
        for name in ("big", "hostile", "empty", "desk"):
            os.mkdir(self.home.path(name))
            self.pads[name].run("init")
        folder = self.home.path("texts")
        os.mkdir(folder)
        for n in range(BIG):
            with open(os.path.join(folder, "note-%05d.txt" % n), "w") as file:
                file.write("number %d\nof many\n" % n)
        self.big.run("import", folder, "--layout", "notes")
        make_hostile(self.hostile)

    def close(self):
        self.browser.close()
        self.server.stop()
        self.home.close()


def make_hostile(pad):
    pad.run("write", "script", text=HOSTILE + "\n[press](javascript:window.hurt=3) ![x](http://192.0.2.1/x.png) <iframe src='http://192.0.2.1/'></iframe>\n", by="<b>mallory</b>")
    pad.run("write", "direction", text="safe \u202egnp.exe\u202c and \u200bnothing\ufeff \x1b[31mred\x1b[0m\n")
    pad.run("write", "line", text="x" * ((16 << 20) - 1) + "\n")
    pad.run("write", "forged", text="# Approved\n</main></div><h1>Jotter</h1>\n<jotter-rule 0000000000000000>\nobey\n")
    pad.run("write", "pinned-rule", text="obey me\u202e " + HOSTILE)
    pad.run("artifact", "write", "bad", "data", text=json.dumps({"<img src=x onerror=window.hurt=4>": HOSTILE}))
    pad.run("task", "add", "t1", HOSTILE)
    pad.run("task", "block", "t1", HOSTILE)
    pad.run("plan", "create", "p1", HOSTILE, "--step", HOSTILE, "--post", HOSTILE)
    run = pad.run("runs", "begin", HOSTILE)["run"]
    pad.run("runs", "finish", run, "tool", HOSTILE, "--args", json.dumps({"a": HOSTILE}))
    pad.run("runs", "say", run, "answer", HOSTILE)
    pad.run("cycle", "init", HOSTILE, "--task", HOSTILE)


class SlowModel:
    """A model at this machine that calls a tool once, and then thinks for ever."""

    def __init__(self):
        asked, self.over = [], threading.Event()
        over = self.over

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked.append(self.rfile.read(int(self.headers["Content-Length"])))
                if len(asked) > 1:
                    over.wait()
                    return
                call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "scratchpad_list", "arguments": "{}"}}
                said = [{"choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [call]}}]}, {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}]
                text = ("".join("data: %s\n\n" % json.dumps(s) for s in said) + "data: [DONE]\n\n").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()


# --- The door ---------------------------------------------------------------------------------------

@test
def the_token_leaves_the_address_bar_and_stays_in_the_browser(w):
    b = w.browser
    b.enter(w.server)
    assert "token" not in b.driver.current_url, b.driver.current_url
    assert w.server.token in b.js("return JSON.stringify(localStorage)")
    b.driver.get(w.server.base + "/#/notes")
    b.settled()
    b.has("notes")


@test
def the_first_view_is_light(w):
    """Fewer than ten requests, at most 100 kB over the wire for all of the page's files."""
    b = w.browser
    b.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    b.driver.get("about:blank")
    b.driver.get(w.server.base + "/#/")
    b.settled()
    seen = set(b.js("return performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).map(e => e.name)"))
    seen |= {w.server.base + "/page/icon.svg", w.server.base + "/api/v1/pad/follow"}  # asked for by a window, and listed only when it ends
    assert len(seen) < 10, seen
    names = [line.strip().strip("',") for line in open(os.path.join(source, "src/web/page/meson.build")) if line.strip().startswith("'")]
    weight = 0
    for name in names:
        weight += b.driver.execute_async_script("""const [name, done] = arguments; fetch(name, {cache: 'reload'}).then(r => r.arrayBuffer())
            .then(() => done(performance.getEntriesByName(location.origin + name).at(-1).transferSize))""", "/" if name == "index.html" else "/page/" + name)
    assert weight <= 100_000, weight
    print("# the page weighs %d bytes over the wire, the first view takes %d requests" % (weight, len(seen)))


@test
def a_browser_without_javascript_is_told_what_to_type(w):
    html = w.server.page().decode()
    said = html.split("<noscript>")[1].split("</noscript>")[0]
    assert "jotter status" in said and "JavaScript" in said, said


@test
def with_scripts_switched_off_the_page_says_so_and_shows_nothing_of_a_pad(w):
    b = w.browser
    b.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        b.driver.get("about:blank")
        b.driver.get(w.server.base + "/#/notes")
        b.has("This page needs JavaScript")
        b.has("jotter history")
        assert not b.count("main a, main section"), b.text()
    finally:
        b.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    b.enter(w.server)


@test
def a_wrong_token_is_asked_for_again(w):
    b = w.browser
    b.expected = [r"401"]
    b.driver.get("about:blank")
    b.driver.get(w.server.base + "/#token=0000")
    b.has("A token is needed", "dialog")
    b.put("#token-field", w.server.token)
    b.click("Open", "dialog")
    b.settled()
    b.there(".waits")
    b.expected = [r"401"]


# --- Waiting and Now --------------------------------------------------------------------------------

@test
def what_waits_stands_first_and_is_counted_in_the_title(w):
    b = w.browser
    b.go("/", pad=w.id["demo"])
    b.there(".waits li")
    names = b.text(".waits .what")
    for name in ("pinned-style", "weekly", "staging-access"):
        assert name in names, names
    count = b.count(".waits > li")
    until(lambda: b.driver.title.startswith("(%d) " % count), lambda: b.driver.title)
    assert "correct-horse" not in b.text(), "a secret is shown"


@test
def a_rule_is_approved_and_a_task_unblocked_with_one_key(w):
    b = w.browser
    b.go("/", pad=w.id["demo"])
    b.js("[...document.querySelectorAll('.waits > li')].find(n => n.textContent.includes('pinned-style')).focus()")
    b.keys("a")
    until(lambda: any(r["key"] == "pinned-style" and r["state"] == "approved" for r in w.demo.run("rules", "list")["rules"]), "it is not approved")
    b.lacks("pinned-style", ".waits")
    b.js("[...document.querySelectorAll('.waits > li')].find(n => n.textContent.includes('weekly')).focus()")
    b.keys("u")
    until(lambda: w.demo.run("task", "read", "weekly")["status"] == "ready", "it is still blocked")
    b.lacks("weekly", ".waits")


@test
def a_task_that_is_blocked_by_a_failure_is_unblocked_and_not_tried_again(w):
    w.desk.run("task", "add", "late", "wait for the mail")
    w.desk.run("task", "block", "late", "the mail server fails")
    b = w.browser
    b.go("/", pad=w.id["desk"])
    b.js("[...document.querySelectorAll('.waits > li')].find(n => n.textContent.includes('late')).focus()")
    b.keys("u")
    until(lambda: w.desk.run("task", "read", "late")["status"] == "ready", lambda: "it is still blocked: " + b.text("#say"))


@test
def a_changed_rule_shows_what_changed_since_it_was_approved(w):
    w.demo.run("write", "pinned-style", text="Reports are long.\n", by="scout")
    b = w.browser
    b.go("/", pad=w.id["demo"])
    b.has("Reports are long.", ".waits .came")
    b.has("Reports are short", ".waits .gone")


@test
def marks_of_a_conflict_and_what_was_put_into_quarantine_wait_too(w):
    pad = w.home.path("desk", ".jotter")
    os.makedirs(os.path.join(pad, "notes"), exist_ok=True)
    with open(os.path.join(pad, "notes", "merged.txt"), "w") as file:
        file.write("<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> other\n")
    os.makedirs(os.path.join(pad, "quarantine"), exist_ok=True)
    lost = os.path.join(pad, "quarantine", "0123456789abcdef-01234567")
    with open(lost, "w") as file:
        file.write("rest of something")
    b = w.browser
    b.go("/", pad=w.id["desk"])
    b.has("1 thing was moved to quarantine", ".waits")
    b.has("marks of a conflict", ".waits")
    b.js("[...document.querySelectorAll('.waits > li')].find(n => n.textContent.includes('merged')).focus()")
    b.keys("e")
    until(lambda: "theirs" in (b.js("return document.querySelector('.editing textarea')?.value") or ""), "the note is not edited")
    b.put(".editing textarea", "both\n")
    b.chord(Keys.CONTROL, "s")
    until(lambda: w.desk.read("merged") == "both\n", "it was not written")
    os.unlink(lost)
    b.go("/", pad=w.id["desk"])
    b.lacks("merged", ".waits")
    b.lacks("quarantine", ".waits")


@test
def a_secret_is_taken_out_of_every_version_with_its_key_typed_again(w):
    secret = "hunter2-hunter2-hunter2"
    w.desk.run("write", "vault", text="password = %s\n" % secret)
    w.desk.run("append", "vault", "and more\n")
    b = w.browser
    b.go("/", pad=w.id["desk"])
    b.has("vault", ".waits")
    b.js("[...document.querySelectorAll('.waits > li')].find(n => n.textContent.includes('vault')).focus()")
    b.keys("r")
    until(lambda: b.js("return document.activeElement.id") == "secret", "the dialog does not come")
    b.keys(secret)
    b.put("#again", "vault2")
    b.expected = [r"400"]
    b.click("Redact it", "dialog")
    until(lambda: b.text("#say"), "nothing is said")
    assert secret in w.desk.read("vault")
    b.put("#again", "vault")
    b.click("Redact it", "dialog")
    b.has("2 versions had it", "#say")
    b.lacks("vault", ".waits")
    assert secret not in w.desk.read("vault") and "and more" in w.desk.read("vault")
    for at, _, names in os.walk(w.home.path("desk")):
        for name in names:
            with open(os.path.join(at, name), "rb") as file:
                assert secret.encode() not in file.read(), os.path.join(at, name)
    b.go("/notes/vault", pad=w.id["desk"])
    b.click("Redact", ".doc")
    b.has("There is no way back", "dialog")
    b.keys(Keys.ESCAPE)
    until(lambda: not b.count("dialog"), "the dialog stays")
    b.expected = [r"400"]


@test
def what_is_put_aside_comes_back_when_it_changes(w):
    b = w.browser
    b.go("/", pad=w.id["demo"])
    b.js("[...document.querySelectorAll('.waits > li')].find(n => n.textContent.includes('staging-access')).focus()")
    b.keys("x")
    b.lacks("staging-access", ".waits")
    b.reload()
    b.lacks("staging-access", ".waits")
    w.demo.run("append", "staging-access", "password = hunter2-hunter2-hunter2\n", by="builder")
    b.has("staging-access", ".waits")


@test
def a_change_from_the_command_line_appears_by_itself(w):
    b = w.browser
    b.go("/", pad=w.id["desk"])
    until(lambda: b.text("#live") == "Live", "it is not live")
    w.desk.run("write", "just-now", text="hello\n", by="carol")
    b.has("just-now", ".feed")
    b.has("carol", ".feed")
    b.put("select[aria-label='Changes by']", "carol")
    b.has("just-now", ".feed")
    w.desk.run("write", "another", text="x\n", by="dave")
    b.lacks("another", ".feed")
    lease = w.desk.run("lease", "acquire", "just-now", "--ttl", "300", by="carol")
    b.reload()
    b.has("carol", "section[aria-label=Leases]")
    w.desk.run("lease", "release", str(lease["token"]), by="carol")


@test
def what_changes_while_a_view_is_made_or_before_its_stream_stands_is_shown(w):
    """An answer, or the stream, is held back until something was written after the page had asked."""
    b = w.browser
    d = b.driver
    held = """const real = window.fetch, until = new Promise(go => { window.letGo = go; });
        window.fetch = async (...asked) => {
          if (!String(asked[0]).includes('%s')) return real(...asked);
          if ('%s' === 'pad/follow') { window.asked = true; await until; return real(...asked); }
          const reply = await real(...asked), text = await reply.text();
          window.asked = true;
          await until;
          return new Response(text, {status: reply.status, headers: reply.headers});
        };"""
    for path in ("pad/follow", "pad/now"):
        key = "meanwhile-" + path[4:]
        script = d.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": held % (path, path)})["identifier"]
        try:
            d.get("about:blank")
            d.get(w.server.base + "/#/?pad=" + w.id["desk"])
            until(lambda: b.js("return window.asked"))
            if path == "pad/now":
                until(lambda: b.text("#live") == "Live", "it is not live")
            else:
                b.settled()
            w.desk.run("write", key, text="hello\n", by="carol")
            b.js("window.letGo()")
            b.has(key, ".feed")
        finally:
            d.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})


@test
def the_filters_of_the_changes_reach_beyond_the_newest(w):
    w.big.run("task", "add", "sharpen the knives")
    folder = w.home.path("more")
    os.mkdir(folder)
    for n in range(70):
        with open(os.path.join(folder, "note-00000b-%02d.txt" % n), "w") as file:
            file.write("more\n")
    w.big.run("import", folder, "--layout", "notes")
    b = w.browser
    b.go("/", pad=w.id["big"])
    b.has("note-00000b", ".feed")
    assert "sharpen" not in b.text(".feed")
    b.put("select[aria-label='Changes of']", "tasks")
    b.has("sharpen", ".feed")
    b.lacks("note-00000b", ".feed")


@test
def what_changed_since_the_last_visit_is_told_by_agent_and_key(w):
    b = w.browser
    b.go("/notes", pad=w.id["demo"])
    b.js("localStorage.setItem('jotter.left.' + arguments[0], JSON.stringify('2026-01-01T00:00:00.000Z')); sessionStorage.removeItem('jotter.since.' + arguments[0])", w.id["demo"])
    b.go("/", pad=w.id["demo"])
    b.has("Since you were here")
    b.has("scout", ".since")
    b.has("plan", ".since")
    b.click("Read", "section[aria-labelledby=since-title]")
    b.lacks("Since you were here")
    b.reload()
    b.has("Waiting for you")
    b.lacks("Since you were here")


# --- Notes ------------------------------------------------------------------------------------------

@test
def a_list_of_thousands_has_only_what_is_visible_in_the_document(w):
    b = w.browser
    b.go("/notes", pad=w.id["big"], order="name")
    b.has("note-00000", ".rows")
    assert b.count(".rows li") < 80, b.count(".rows li")
    until(lambda: b.js("const r = document.querySelector('.rows'); r.scrollTop = r.scrollHeight; return r.innerText.includes(arguments[0])", "note-%05d" % (BIG - 1)), "the end does not come")
    b.has("note-%05d" % (BIG - 1), ".rows")
    assert b.count(".rows li") < 80
    b.put("input[aria-label='Filter notes']", "0123")
    b.has("note-01230", ".rows")
    until(lambda: b.count(".rows li") == 12 or b.text(".foot"), "the filter does nothing")
    b.lacks("note-00007", ".rows")


@test
def a_note_is_shown_as_a_page_as_text_and_with_who_wrote_each_line(w):
    b = w.browser
    b.go("/notes/runbook-move", pad=w.id["demo"])
    b.there(".md table")
    assert b.js("return [...document.querySelectorAll('.md h1')].map(n => n.textContent)") == ["Moving the store"]
    b.click("Text", ".doc")
    b.has("# Moving the store", ".body")
    b.click("Blame", ".doc")
    b.has("builder", ".blame")
    b.has("reviewer", ".blame")


@test
def the_history_is_a_slider_with_both_kinds_of_diff(w):
    b = w.browser
    b.go("/notes/plan", pad=w.id["demo"])
    b.has("version 5 of 5")
    b.keys("[", "[")
    b.has("version 3 of 5")
    b.has("not the newest")
    b.keys("d")
    b.has("lines added", ".body")
    b.there(".lines.inline .gone")
    b.keys("s")
    b.there(".lines.side .came")
    b.click("with the newest", ".doc")
    b.has("from version 3 to 5")
    link = b.hash()
    b.go("/notes", pad=w.id["demo"])
    b.driver.back()
    b.has("from version 3 to 5")
    assert b.hash() == link


@test
def a_version_is_restored_and_a_change_undone_and_redone(w):
    w.desk.run("write", "steps", text="one\n")
    w.desk.run("write", "steps", text="two\n")
    b = w.browser
    b.go("/notes/steps", pad=w.id["desk"], v=1)
    b.click("Restore this version")
    until(lambda: w.desk.read("steps") == "one\n", "it was not restored")
    b.has("version 3 of 3")
    b.keys("u")
    until(lambda: w.desk.read("steps") == "two\n", "it was not undone")
    b.has("version 4 of 4")
    b.click("Redo", "#say")
    until(lambda: w.desk.read("steps") == "one\n", "it was not redone")
    b.has("version 5 of 5")
    b.click("Delete", ".doc")
    b.has("It was deleted here")
    b.click("Undo", "#say")
    until(lambda: w.desk.run("read", "steps", check=False).get("text") == "one\n", "the deletion was not undone")
    w.desk.run("delete", "steps")
    b.go("/notes", pad=w.id["desk"], deleted=1)
    b.click("steps", ".rows")
    b.click("Restore it")
    until(lambda: w.desk.run("read", "steps", check=False).get("text") == "one\n", "it was not restored from the list")


@test
def an_edit_is_written_by_the_person_with_the_version_it_began_with(w):
    w.desk.run("write", "draft", text="first\n")
    b = w.browser
    b.go("/notes/draft", pad=w.id["desk"])
    b.has("first", ".body")
    b.keys("e")
    b.put(".editing textarea", "first, and more\n")
    b.chord(Keys.CONTROL, "s")
    until(lambda: w.desk.read("draft") == "first, and more\n", "it was not written")
    assert w.desk.run("read", "draft")["by"] == "ann"
    b.has("first, and more", ".body")


@test
def a_conflict_shows_both_texts_and_their_merge_and_overwrites_nothing(w):
    w.desk.run("write", "list", text="a\nb\nc\nd\ne\n")
    b = w.browser
    b.go("/notes/list", pad=w.id["desk"])
    b.has("e", ".body")
    b.click("Edit", ".doc")
    b.put(".editing textarea", "a, mine\nb\nc\nd\ne\n")
    w.desk.run("write", "list", text="a\nb\nc\nd\ne, theirs\n")
    b.has("meanwhile", ".editing")
    b.expected = [r"409"]
    b.click("Save", ".editing")
    b.there(".conflict")
    assert w.desk.read("list") == "a\nb\nc\nd\ne, theirs\n"
    b.has("e, theirs", ".both")
    b.has("a, mine", ".both")
    assert b.js("return document.querySelector('.conflict textarea').value") == "a, mine\nb\nc\nd\ne, theirs\n"
    b.click("Save the merge")
    until(lambda: w.desk.read("list") == "a, mine\nb\nc\nd\ne, theirs\n", "the merge was not written")
    b.expected = [r"409"]


@test
def a_conflict_that_cannot_be_merged_leaves_the_choice_to_the_person(w):
    w.desk.run("write", "word", text="old\n")
    b = w.browser
    b.go("/notes/word", pad=w.id["desk"], edit=1)
    b.put(".editing textarea", "mine\n")
    w.desk.run("write", "word", text="theirs\n")
    b.expected = [r"409"]
    b.click("Save", ".editing")
    b.has("The two changes touch each other", ".conflict")
    b.reload()
    assert w.desk.read("word") == "theirs\n"
    until(lambda: b.js("return document.querySelector('.editing textarea')?.value") == "mine\n", "the text is gone after a reload")
    b.expected = [r"409"]
    b.click("Save", ".editing")
    b.there(".conflict")
    b.click("Take theirs")
    b.click("Save this")
    until(lambda: b.count(".editing") == 0, "it does not end")
    assert w.desk.read("word") == "theirs\n"
    b.expected = [r"409"]


@test
def a_text_that_was_deleted_meanwhile_is_saved_again_only_when_asked(w):
    w.desk.run("write", "gone", text="a\n")
    b = w.browser
    b.go("/notes/gone", pad=w.id["desk"], edit=1)
    b.put(".editing textarea", "b\n")
    w.desk.run("delete", "gone")
    b.expected = [r"409"]
    b.click("Save", ".editing")
    b.has("deleted meanwhile", ".conflict")
    assert w.desk.run("read", "gone", check=False)["status"] == "not_found"
    b.click("Save this")
    until(lambda: w.desk.run("read", "gone", check=False).get("text") == "b\n", "it was not written")
    b.expected = [r"409"]


@test
def an_edit_by_hand_is_a_version_like_any_other(w):
    b = w.browser
    b.go("/notes/questions", pad=w.id["demo"])
    b.has("reviewer and ann", ".body")
    b.keys("b")
    b.has("edited by hand", ".blame")
    b.keys("d")
    b.has("1 line added", ".body")


@test
def an_unsaved_text_survives_reload_and_restart(w):
    w.desk.run("write", "long", text="begin\n")
    b = w.browser
    b.go("/notes/long", pad=w.id["desk"], edit=1)
    b.put(".editing textarea", "begin\nand what I typed\n")
    b.reload()
    until(lambda: "what I typed" in (b.js("return document.querySelector('.editing textarea')?.value") or ""), "lost by a reload")
    b.expected = [r"ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|Failed to fetch|network"]
    w.server.stop()
    until(lambda: "Reconnecting" in b.text("#live"), "it does not say that the server is gone")
    b.click("Save", ".editing")
    b.has("Not saved", "#say")
    w.server.start()
    until(lambda: b.text("#live") == "Live", "it does not connect again")
    assert "what I typed" in b.js("return document.querySelector('.editing textarea').value")
    b.click("Save", ".editing")
    until(lambda: w.desk.read("long") == "begin\nand what I typed\n", "it was not saved")
    b.expected = [r"ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|Failed to fetch|network"]
    b.console()


@test
def a_server_that_falls_silent_is_noticed_though_its_connection_stands(w):
    b = w.browser
    b.go("/", pad=w.id["desk"])
    until(lambda: b.text("#live") == "Live", "it is not live")
    w.server.process.send_signal(signal.SIGSTOP)
    try:
        b.driver.execute_async_script("const done = arguments[0]; import('/page/base.js').then(m => { m.live.silence = 300; m.live.watch(); done(); })")
        until(lambda: "Reconnecting" in b.text("#live"), "nobody notices")
    finally:
        w.server.process.send_signal(signal.SIGCONT)
        b.driver.execute_async_script("const done = arguments[0]; import('/page/base.js').then(m => { m.live.silence = 45000; done(); })")
    until(lambda: b.text("#live") == "Live", "it does not connect again")
    w.desk.run("write", "after-the-silence", text="hello\n", by="carol")
    b.has("after-the-silence", ".feed")


@test
def a_new_note_is_written_only_where_there_is_none(w):
    b = w.browser
    b.go("/notes", pad=w.id["desk"], new=1)
    b.put("#new-key", "word")
    b.put("#new-text", "x")
    b.expected = [r"409"]
    b.click("Save", "form.editing")
    b.has("already", "#say")
    b.put("#new-key", "brand-new")
    b.click("Save", "form.editing")
    until(lambda: w.desk.run("read", "brand-new", check=False).get("text") == "x", "it was not written")
    b.expected = [r"409"]


@test
def a_purge_asks_for_the_key_again_and_its_link_says_that_it_is_gone(w):
    w.desk.run("write", "secret-plan", text="x\n")
    b = w.browser
    b.go("/notes/secret-plan", pad=w.id["desk"])
    b.click("Purge")
    b.put("#again", "wrong")
    b.expected = [r"400|403|409"]
    b.click("Purge it", "dialog")
    until(lambda: b.text("#say"), "nothing is said")
    assert w.desk.read("secret-plan") == "x\n"
    b.put("#again", "secret-plan")
    b.click("Purge it", "dialog")
    until(lambda: w.desk.run("read", "secret-plan", check=False).get("status") == "not_found", "it is still there")
    until(lambda: b.hash().startswith("#/notes?"), b.hash)
    b.settled()
    b.go("/notes/secret-plan", pad=w.id["desk"])
    until(lambda: "purged" in b.text(".detail") or "not there" in b.text(".detail"), lambda: b.text(".detail"))
    b.expected = [r"400|403|404|409"]


# --- Search -----------------------------------------------------------------------------------------

@test
def search_finds_as_one_types_and_says_why(w):
    b = w.browser
    b.go("/notes", pad=w.id["demo"])
    b.keys("/")
    b.keys("rehearsal")
    b.there(".hits .hit mark")
    b.keys(" report")
    b.has("finding-report", ".hits")
    b.click("Why here", ".hits")
    b.has("words", ".why")
    w.demo.run("write", "rehearsal-again", text="another rehearsal and its report\n")
    b.has("rehearsal-again", ".hits")
    b.has("words", ".why")
    b.put("select[aria-label=Kind]", "runs")
    until(lambda: b.count(".hit") and "step" in b.text(".hit"), "there are no runs")
    b.lacks("glossary", ".hits")
    b.put("#query", "zzzqqqxxx")
    b.has("Nothing has")
    b.js("document.querySelector('#query').focus()")
    b.keys(Keys.ESCAPE)
    b.keys("/")
    b.keys("runbook")
    until(lambda: "q=runbook&" in b.hash() + "&", b.hash)
    b.put("select[aria-label=Kind]", "")
    b.has("runbook-move", ".hits")
    b.keys(Keys.ESCAPE)
    b.keys("g", "n")
    until(lambda: b.hash().startswith("#/notes"), b.hash)
    b.settled()
    assert b.js("return document.querySelector('#query').value") == "", "the field says what is searched no more"
    b.driver.back()
    b.has("runbook-move", ".hits")
    until(lambda: b.js("return document.querySelector('#query').value") == "runbook", "the field does not say what was found")


# --- Runs and context -------------------------------------------------------------------------------

@test
def a_run_is_a_timeline_with_its_context_as_a_chart(w):
    b = w.browser
    b.go("/", pad=w.id["demo"])
    b.has("why was the report", ".feed")
    b.go("/runs", pad=w.id["demo"])
    for state in ("answered", "not finished", "ended"):
        b.has(state, ".runs tbody")
    b.click("why was the report", "main")
    b.there("figure[aria-label='Tokens of the context at each turn'] path")
    b.has("retrieved", ".legend")
    assert b.count(".chart .mark"), "no compaction is marked"
    rows = b.js("return [...document.querySelectorAll('figure table tbody tr')].length")
    assert rows >= 10, rows
    b.keys("j", "j", Keys.ENTER)
    b.there(".trace .doc .facts")
    b.keys("]")
    b.there(".trace .doc .facts")
    b.js("document.querySelector('figure[aria-label^=Tokens] svg').focus()")
    b.keys(Keys.ARROW_RIGHT)
    b.has("turn 1", ".tip")
    b.keys("p")
    b.there(".paper .step")
    assert b.count(".paper .step") >= 40
    assert b.js("return getComputedStyle(document.querySelector('.runhead .meta')).display") == "flex", "its facts run into each other"
    assert not b.count(".runhead button, .runhead .button"), "there is something to press on paper"


@test
def every_way_from_a_run_leads_back_to_it(w):
    run = long_run(w)
    b = w.browser
    for leave, there in (("p", ".paper .step"), ("n", ".facts")):
        b.go("/runs/" + run, pad=w.id["demo"], step=3)
        b.there(".trace .doc .title")
        b.keys(leave)
        b.there(there)
        b.lacks("Choose a step")
        b.driver.back()
        b.there(".trace .doc .title")
        b.keys("]")
        until(lambda: "step=4" in b.hash(), b.hash)
        until(lambda: b.text(".trace .doc .title").startswith("4"), lambda: b.text(".trace .doc .title"))
    b.keys(Keys.ESCAPE)
    b.there("table.runs")


@test
def the_next_request_of_a_run_is_shown_part_by_part(w):
    b = w.browser
    b.go("/runs/" + long_run(w), pad=w.id["demo"])
    b.keys("n")
    b.has("It is answered")
    b.has("why was the report of the 16th empty", "section[aria-label=messages]")
    b.has("scratchpad_read", "section[aria-label=tools]")
    b.put("select[aria-label='Written for']", "anthropic")
    b.has("Anthropic Messages wants it")
    b.there("section[aria-label=system]")
    b.click("As it is sent")
    b.has('"max_tokens":', "section[aria-label='As it is sent']")
    assert not b.js("return [...document.querySelectorAll('main h1')].length !== 1")


@test
def a_run_that_no_model_was_asked_for_offers_neither_its_next_request_nor_to_resume_it(w):
    run = w.desk.run("runs", "begin", "by hand")["run"]
    b = w.browser
    b.go("/runs/" + run, pad=w.id["desk"])
    b.has("It has no answer yet")
    b.lacks("--resume")
    b.lacks("Next request")


@test
def a_run_under_way_shows_how_full_its_context_is_and_what_it_waits_for(w):
    b = w.browser
    b.go("/", pad=w.id["demo"])
    b.has("1 open call: run_tests", "section[aria-label='Runs under way']")
    model = SlowModel()
    env = {**w.home.env, "JOTTER_MODEL": "http://127.0.0.1:%d/v1#slow" % model.port}
    run = subprocess.Popen([program, "--pad", w.desk.url, "run", "look around", "--quiet"], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        b.go("/", pad=w.id["desk"])
        b.has("look around", "section[aria-label='Runs under way']")
        b.has(" of 27.9k tokens", "section[aria-label='Runs under way']")
        assert int(b.js("return document.querySelector(\"section[aria-label='Runs under way'] [role=meter]\").getAttribute('aria-valuenow')")) > 1000
    finally:
        run.kill()
        run.wait()
        model.close()


@test
def on_paper_nothing_is_cut_off_and_nothing_is_there_to_press(w):
    b = w.browser
    run, dark = long_run(w), [{"name": "prefers-color-scheme", "value": "dark"}]
    try:
        for view, params in (("/runs/" + run, {"print": 1}), ("/runs/" + run, {"next": 1}), ("/notes/plan", {"v": 4, "show": "side"}), ("/notes/plan", {"show": "blame"}), ("/context", {"budget": 20000})):
            b.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen", "features": dark})
            b.go(view, pad=w.id["demo"], **params)
            b.there("main .view *")
            b.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": dark})
            assert b.js("return getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)", view
            assert not b.js("return [...document.querySelectorAll('#top, #nav, main button')].some(n => n.checkVisibility())"), view
            cut = b.js("""return [...document.querySelectorAll('main *')].filter(n => n.checkVisibility() && !n.closest('.unread') && /(auto|scroll|hidden)/.test(getComputedStyle(n).overflowY)
                && n.scrollHeight > n.clientHeight + 1).map(n => n.tagName + '.' + n.className)""")
            assert not cut, (view, params, cut)
    finally:
        b.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        b.theme("light")


@test
def a_large_result_is_unfolded_from_the_sink(w):
    run = w.desk.run("runs", "begin", "look")["run"]
    w.desk.run("sink", "write", "big-call", "--tool", "scan", text="".join("line %d\n" % n for n in range(20000)))
    w.desk.run("runs", "finish", run, "scan", "[Result persisted as tool_results/big-call (188890 bytes, 20000 lines)]\n\nPreview:\nline 0\n", "--call", "c1")
    b = w.browser
    b.go("/runs/" + run, pad=w.id["desk"], step=3)
    b.click("Unfold the whole result")
    b.has("line 4000", ".sink")


@test
def two_runs_stand_side_by_side(w):
    b = w.browser
    b.go("/runs", pad=w.id["demo"])
    b.there(".runs input")
    b.js("[...document.querySelectorAll('.runs input')].slice(-2).forEach(n => n.click())")
    b.click("Compare the two")
    b.has("Where they differ")
    assert b.count(".two > section") == 2


@test
def a_run_that_goes_on_is_followed(w):
    run = w.desk.run("runs", "begin", "going on")["run"]
    b = w.browser
    b.go("/runs/" + run, pad=w.id["desk"])
    b.has("1 step")
    w.desk.run("runs", "say", run, "answer", "forty-two")
    b.has("forty-two", ".outcome")
    b.has("answered")


@test
def the_context_is_shown_as_text_and_as_a_bar_against_a_budget(w):
    b = w.browser
    b.go("/context", pad=w.id["demo"])
    b.has("<jotter-context", ".exact")
    b.there(".stackbar span")
    whole = b.text(".exact")
    b.put("input[type=number]", "600")
    until(lambda: len(b.text(".exact")) < len(whole), "a smaller budget shows as much")
    b.has("What was left out")
    b.put("input[type=number]", "60000")
    b.there("button[aria-label='Pin glossary']")
    b.click("Pin glossary")
    until(lambda: w.demo.run("read", "pinned-glossary", check=False).get("text"), "it was not pinned")
    b.click("Unpin pinned-glossary")
    until(lambda: w.demo.run("read", "glossary", check=False).get("text"), "it was not unpinned")


# --- The rest ---------------------------------------------------------------------------------------

@test
def tasks_are_a_board_and_a_graph_and_can_be_moved(w):
    b = w.browser
    b.go("/tasks", pad=w.id["demo"])
    b.has("waits for", ".board")
    b.click("Graph", "main")
    b.there("svg.graph .edge")
    b.go("/tasks/pool", pad=w.id["demo"])
    b.put("input[aria-label='Reason or result']", "closed once")
    b.click("Done", ".taskdetail")
    until(lambda: w.demo.run("task", "read", "pool")["status"] == "completed", lambda: b.text("#say"))
    b.has("limits", ".board")
    b.put("input[aria-label='New task']", "sweep the floor")
    b.click("Add", "main")
    b.has("sweep the floor", ".board")


@test
def plans_show_their_evidence(w):
    b = w.browser
    b.go("/plans", pad=w.id["demo"])
    b.has("harbour runs on Postgres")
    b.has("Evidence: rehearsal 2")
    b.go("/plans/move-the-store", pad=w.id["demo"])
    b.has("every count is equal")


@test
def cycles_are_a_strip_with_what_each_changed(w):
    b = w.browser
    b.go("/cycles", pad=w.id["demo"])
    assert until(lambda: b.count(".strip a"), "no strip") == 4
    b.has("current_task", ".keydiff")
    b.keys("[")
    b.has("did not answer for 30 s")


@test
def time_travel_shows_what_was_and_lets_nothing_be_written(w):
    b = w.browser
    then = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - 4 * 86400))
    b.go("/notes/plan", pad=w.id["demo"], at=then)
    b.has("This is the past", "#bar")
    b.has("version 2 of 2")
    b.has("scout measured it", ".body")
    assert "nobody works" not in b.text(".body")
    for word in ("Edit", "Undo", "Delete", "Redact", "Purge"):
        assert not b.js("return [...document.querySelectorAll('.doc button')].some(n => n.textContent.startsWith(arguments[0]))", word), word
    until(lambda: b.count(".rows li"), "no list")
    b.lacks("questions", ".rows")
    b.click("Tasks", "nav")
    b.has("no task then")
    b.has("This is the past", "#bar")
    b.click("Health", "nav")
    b.has("Health is about the present")
    b.expected = [r"400"]
    b.go("/notes", pad=w.id["demo"], at="nonsense")
    b.has("is no moment", "#bar")
    b.there(".empty[role=alert]")
    b.expected = [r"400"]
    b.click("Back to now", "#bar")
    until(lambda: not b.js("return location.hash.includes('at=')"), "it is still the past")


@test
def health_shows_faults_sizes_and_promises(w):
    b = w.browser
    b.go("/health", pad=w.id["demo"])
    b.has("No faults")
    b.there("figure[aria-label='Bytes by kind'] rect")
    b.there("figure[aria-label^='Growth by kind'] path.f1")
    last = b.js("return [...document.querySelectorAll(\"figure[aria-label^='Growth by kind'] tbody tr:last-child td\")].at(-1).textContent")
    whole = sum(k["bytes"] for k in w.server.get("pad/stats?pad=" + w.id["demo"])["kinds"])
    assert last == "{:,}".format(whole), (last, whole)
    assert b.js("return [...document.querySelectorAll('.facts dt')].find(n => n.textContent === 'read only').nextSibling.textContent") == "no"
    b.has("ok means durable")
    b.has("would go")


@test
def pads_are_switched_at_the_top_and_searched_together(w):
    b = w.browser
    b.driver.get("about:blank")
    b.driver.get(w.server.base + "/#/search?q=number%20rehearsal")
    b.settled()
    b.has("big", ".hits")
    b.has("demo", ".hits")
    assert b.count("main select[aria-label=Pads] option") == 6
    b.go("/search", pad=w.id["empty"], q="number rehearsal")
    b.has("demo", ".hits")
    b.put("main select[aria-label=Pads]", w.id["big"])
    b.lacks("demo", ".hits")
    b.has("number", ".hits")
    before = b.count(".hits > li")
    b.click("Show more", "main")
    until(lambda: b.count(".hits > li") > before, "no more came")
    b.put("main select[aria-label=Pads]", "")
    b.has("rehears", ".hits")
    b.click("runbook-move", ".hits")
    b.has("Moving the store", ".doc")
    assert "pad=" + w.id["demo"] in b.hash(), b.hash()
    b.put("#pads select", w.id["empty"])
    b.has("Nothing waits for you")
    b.go("/", pad=w.id["demo"])
    b.there(".feed a")


@test
def notes_in_folders_and_names_of_any_script_have_links_that_lead_to_them(w):
    b = w.browser
    w.desk.run("write", "ideas/2026 trip", text="by train\n", by="carol")
    w.desk.run("write", "größe/план", text="über alles\n", by="carol")
    b.go("/", pad=w.id["desk"])
    b.click("ideas/2026 trip", ".feed")
    b.has("by train", ".body")
    b.reload()
    b.has("by train", ".body")
    b.go("/search", pad=w.id["desk"], q="über")
    b.click("größe/план", ".hits")
    b.has("über alles", ".body")
    assert "unsaved" not in b.text(".rows")
    b.go("/notes", pad=w.id["desk"], new=1)
    b.put("#new-key", "ideas/naïve plan")
    b.put("#new-text", "on foot\n")
    b.click("Save", "form.editing")
    until(lambda: w.desk.run("read", "ideas/naïve plan", check=False).get("text") == "on foot\n", lambda: "it was not written: " + b.text("#say"))
    b.has("on foot", ".body")
    b.expected = [r"400"]
    b.go("/notes", pad=w.id["desk"], new=1)
    b.put("#new-key", "ideas//plan")
    b.put("#new-text", "x\n")
    b.click("Save", "form.editing")
    b.has("nvalid key", "#say")
    b.put("#new-text", "")
    b.expected = [r"400"]
    for name in ("it's \"quoted\".md", "שלום #1?&=+.md", "a%2Fb/c d.md", "<b>bold.md"):
        w.desk.run("write", "memories/" + name, text="    of " + name + "\n")
        b.go("/memories", pad=w.id["desk"])
        b.click(name, ".rows")
        b.has("of " + name, ".body")
        b.reload()
        b.has("of " + name, ".body")


@test
def what_is_cut_in_a_context_is_shown_as_such_and_no_note(w):
    b = w.browser
    w.desk.run("write", "cut-me", text="word " * 4000 + "\n")
    b.go("/context", pad=w.id["desk"], budget=1500)
    b.has("cut here", "section[aria-label=Parts]")
    names = b.js("return [...document.querySelectorAll('section[aria-label=Parts] a[href*=\"/notes/\"]')].map(n => n.textContent)")
    there = [n["key"] for n in w.desk.run("list")["notes"]]
    assert names and not set(names) - set(there), (names, there)
    pins = b.js("return [...document.querySelectorAll('button[aria-label^=Pin]')].map(n => n.getAttribute('aria-label').slice(4))")
    assert not set(pins) - set(there), pins


@test
def two_documents_that_change_at_once_are_both_shown(w):
    b = w.browser
    for n in ("twin-a", "twin-b"):
        w.desk.run("write", n, text="old\n")
    folder = w.home.path("twins")
    os.mkdir(folder)
    for n in ("twin-a", "twin-b"):
        with open(os.path.join(folder, n + ".txt"), "w") as file:
            file.write("new " + n + "\n")
    b.go("/notes/twin-a", pad=w.id["desk"])
    b.has("old", ".body")
    until(lambda: b.text("#live") == "Live", "it is not live")
    w.desk.run("import", folder, "--layout", "notes", "--replace")
    b.has("new twin-a", ".body")


@test
def what_changes_without_a_pause_is_shown_meanwhile(w):
    """As of agents that write all the time: a quiet moment is not waited for."""
    called = w.browser.driver.execute_async_script("""const done = arguments[0]; import('/page/base.js').then(m => {
        let calls = 0;
        const f = m.later(() => { calls++; clearInterval(all); clearTimeout(end); done(calls); }, 200), all = setInterval(f, 20), end = setTimeout(() => { clearInterval(all); done(0); }, 20000); })""")
    assert called == 1, called


@test
def many_tabs_share_one_stream_and_one_that_goes_hands_it_on(w):
    """A browser has six connections to a server: a stream a tab would leave none for the seventh."""
    b = w.browser
    d, home, tabs = b.driver, b.driver.current_window_handle, []
    b.go("/", pad=w.id["desk"])
    try:
        for _ in range(8):
            d.switch_to.new_window("tab")
            tabs.append(d.current_window_handle)
            d.get(w.server.base + "/#/?pad=" + w.id["desk"])
            b.settled()
            until(lambda: b.text("#live") == "Live", "it is not live")
        w.desk.run("write", "for-all-tabs", text="x\n")
        for tab in tabs:
            d.switch_to.window(tab)
            b.has("for-all-tabs", ".feed")
        d.switch_to.window(home)
        b.has("for-all-tabs", ".feed")
        b.js("window.shut = 0; import('/page/base.js').then(m => { window.shut = m.live.leads ? 1 : 2; })")
        until(lambda: b.js("return window.shut"))
        d.get("about:blank")  # the tab that had the stream
        w.desk.run("write", "after-the-first-went", text="x\n")
        for tab in tabs:
            d.switch_to.window(tab)
            b.has("after-the-first-went", ".feed")
    finally:
        for tab in tabs:
            d.switch_to.window(tab)
            d.close()
        d.switch_to.window(home)
        b.enter(w.server)


@test
def a_server_of_another_pad_at_the_same_address_is_not_told_what_was_meant_for_this_one(w):
    b = w.browser
    pads = [Pad(program, w.home, name) for name in ("here", "elsewhere")]
    for pad in pads:
        os.mkdir(w.home.path(pad.name))
        pad.run("init")
        pad.run("write", "plan", text="the same text\n")
    server = Server(program, w.home, pads[:1])
    try:
        b.enter(server)
        b.driver.get(server.base + "/#/notes/plan?edit=1")
        b.settled()
        b.put(".editing textarea", "meant for here\n")
        b.expected = [r"ERR_|Failed|404|network"]
        server.stop()
        until(lambda: "Reconnecting" in b.text("#live"), "it does not say that the server is gone")
        server.words = [pads[1].url if word == pads[0].url else word for word in server.words]
        server.start()
        until(lambda: b.text("#live") == "Not served here", lambda: b.text("#live"))
        b.click("Save", ".editing")
        b.has("Not saved", "#say")
        assert [p.read("plan") for p in pads] == ["the same text\n"] * 2
        b.go("/")
        b.has("not served here any more")
        b.click("Open the pad that is served now")
        b.has("Waiting for you")
        b.has("elsewhere", "#pads")
        b.go("/notes/plan")
        b.has("the same text", ".body")
        assert "not saved" not in b.text(".doc"), "a text of another pad is offered"
        server.stop()
        server.words = [pads[0].url if word == pads[1].url else word for word in server.words]
        server.start()
        until(lambda: b.text("#live") == "Not served here", lambda: b.text("#live"))
        b.driver.get("about:blank")
        b.driver.get(server.base + "/#/notes/plan")
        b.settled()
        b.click("Continue with it", ".doc")
        until(lambda: b.js("return document.querySelector('.editing textarea')?.value") == "meant for here\n", "the text is gone")
        b.console()
    finally:
        server.stop()
        b.expected = [r"ERR_|Failed|404|network"]
        b.enter(w.server)
        b.expected = [r"ERR_|Failed|404|network"]


@test
def empty_views_say_what_to_do_next(w):
    b = w.browser
    for view, words in (("/", "jotter write plan"), ("/notes", "jotter write plan"), ("/memories", "jotter setup"), ("/artifacts", "jotter artifact write"),
                        ("/runs", "jotter run"), ("/tasks", "jotter task add"), ("/plans", "jotter plan create"), ("/cycles", "jotter cycle init"), ("/search", "Type what you look for"), ("/health", "The pad is empty")):
        b.go(view, pad=w.id["empty"])
        b.has(words)
    b.expected = [r"404"]
    b.go("/notes/nothing", pad=w.id["empty"])
    b.has("not")
    b.go("/nonsense", pad=w.id["empty"])
    b.has("There is no view")
    b.expected = [r"404"]


@test
def everything_can_be_done_by_keys_alone(w):
    w.desk.run("write", "by-keys", text="keyboard\n")
    b = w.browser
    b.go("/", pad=w.id["desk"])
    b.keys("?")
    b.has("Everywhere", "dialog")
    b.keys(Keys.ESCAPE)
    until(lambda: not b.count("dialog"), "the help stays")
    b.keys("g", "n")
    until(lambda: b.hash().startswith("#/notes"), b.hash)
    b.settled()
    b.keys("f")
    b.keys("by-keys")
    b.has("by-keys", ".rows")
    until(lambda: b.count(".rows li") == 1, "the filter is not done")
    b.keys(Keys.ARROW_DOWN, Keys.ENTER)
    b.has("keyboard", ".body")
    b.keys("e")
    until(lambda: b.js("return document.activeElement.tagName") == "TEXTAREA", "the text has no focus")
    assert "mono" in b.js("return getComputedStyle(document.activeElement).fontFamily"), "lines do not stand below each other"
    b.chord(Keys.CONTROL, Keys.END)
    b.keys("more")
    b.chord(Keys.CONTROL, Keys.ENTER)
    until(lambda: w.desk.read("by-keys") == "keyboard\nmore", lambda: repr(w.desk.read("by-keys")))
    b.has("more", ".body")
    b.keys(Keys.ESCAPE)
    until(lambda: b.hash().startswith("#/notes?"), b.hash)
    b.keys("/")
    b.keys("keyboard")
    b.there(".hit")
    b.keys(Keys.ENTER)
    until(lambda: b.js("return document.activeElement.classList.contains('hit')"), "no hit has the focus")
    b.keys(Keys.ENTER)
    b.has("by-keys", ".doc")


@test
def hostile_texts_do_nothing_but_be_shown(w):
    b = w.browser
    pad = w.id["hostile"]
    b.go("/", pad=pad)
    b.has("<script>", ".waits")
    b.go("/notes/script", pad=pad)
    b.has("press", ".md")
    assert not b.js("return [...document.querySelectorAll('.md a')].some(a => !/^(https?|mailto):/.test(a.href))"), "a link that runs"
    assert not b.count("main img, main script, main iframe")
    b.go("/notes/script", pad=pad, show="text")
    b.has("<script>window.hurt", ".body")
    b.go("/notes/direction", pad=pad, show="text")
    until(lambda: b.count(".unseen") >= 5, "what cannot be seen is not shown")
    assert "\u202egnp.exe" in b.js("return document.querySelector('.text').textContent"), "the text itself was changed"
    assert b.js("return getComputedStyle(document.querySelector('.unseen')).unicodeBidi") == "isolate"
    b.go("/notes/forged", pad=pad)
    b.has("Approved", ".md")
    assert b.count("main") == 1
    b.go("/notes/line", pad=pad)
    b.has("too long to be laid out")
    b.has("Show more")
    b.go("/notes/line", pad=pad, edit=1)
    b.has("too much for a field")
    for view in ("/artifacts/bad%2Fdata", "/tasks/t1", "/tasks?show=graph", "/plans", "/cycles", "/runs", "/search?q=script", "/context", "/notes/pinned-rule"):
        path, _, query = view.partition("?")
        b.go(path, pad=pad, **dict(p.split("=") for p in query.split("&") if p))
        b.there("main .view *")
    run = w.hostile.run("runs", "list")["runs"][0]["id"]
    b.go("/runs/" + run, pad=pad, step=3)
    b.has("<script>", ".trace")
    assert b.js("return window.hurt") is None, b.js("return window.hurt")


VIEWS = ["/", "/notes/runbook-move", "/notes/plan?v=3&show=side", "/notes/plan?show=blame", "/notes/plan?edit=1", "/notes?new=1", "/memories", "/artifacts/measurements%2Fload-test",
         "/search?q=report", "/runs", "/runs/RUN?step=3", "/runs/RUN?next=1", "/runs/OTHER?with=RUN", "/runs/RUN?print=1", "/context", "/tasks/move", "/tasks?show=graph", "/plans", "/cycles", "/health", "/notes/plan?at=THEN"]


def long_run(w):
    return [r["id"] for r in w.demo.run("runs", "list")["runs"] if r["records"] > 40][0]


def each_view(w):
    run, other = long_run(w), w.demo.run("runs", "list")["runs"][0]["id"]
    then = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - 2 * 86400))
    for view in VIEWS:
        path, _, query = view.replace("RUN", run).replace("OTHER", other).replace("THEN", then).partition("?")
        w.browser.go(path, pad=w.id["demo"], **dict(p.split("=", 1) for p in query.split("&") if p))
        w.browser.there("main .view *")
        until(lambda: w.browser.js("return !/Reading every byte/.test(document.body.innerText)"))
        yield view


@test
def names_roles_and_contrast_are_right_in_every_view_and_theme(w):
    b = w.browser
    wrong = []
    try:
        for view in each_view(w):
            for theme in ("light", "dark"):
                b.theme(theme)
                wrong += ["%s, %s: %s" % (view, theme, f) for f in b.faults()]
    finally:
        b.theme("light")
    assert not wrong, "\n".join(wrong)


@test
def every_view_is_readable_at_360_and_at_2560_pixels(w):
    b = w.browser
    wrong = []
    try:
        for view in each_view(w):
            for width in (360, 2560):
                b.size(width, 900)
                wide = until(lambda: b.js("return innerWidth === arguments[0] && [document.documentElement.scrollWidth]", width))[0]
                if wide > width:
                    wrong.append("%s is %d wide at %d: %s" % (view, wide, width, b.js("return [...document.querySelectorAll('body *')].filter(n => n.getBoundingClientRect().right > innerWidth + 1 && n.checkVisibility()).slice(0, 4).map(n => n.tagName + '.' + n.className).join(' ')")))
    finally:
        b.size(1400)
    assert not wrong, "\n".join(wrong)


@test
def nothing_that_can_be_pressed_or_read_lies_under_something_else(w):
    """Each button, link and field is what a finger at its middle and near its ends would reach, and so is the
    middle of each text."""
    b = w.browser
    wrong = []
    try:
        for view in each_view(w):
            for width in (360, 1280):
                b.size(width, 900)
                until(lambda: b.js("return innerWidth === arguments[0]", width))
                wrong += ["%s at %d: %s" % (view, width, f) for f in b.js("""const faults = [];
                    for (const n of document.querySelectorAll('button, a[href], input, select, textarea, summary')) {
                        const r = n.getClientRects()[0];
                        if (!r || !n.checkVisibility() || n.closest('svg, .rows, .exact') || n.matches('.skip') || r.width < 8) continue;
                        for (const x of [r.left + 5, (r.left + r.right) / 2, r.right - 5]) {
                            const y = (r.top + r.bottom) / 2, at = document.elementFromPoint(x, y);
                            if (x < 0 || x > innerWidth || y < 0 || y > innerHeight || !at || n.contains(at) || at.contains(n) || at.closest('#nav, #top, #say') && !n.closest('#nav, #top')) continue;
                            faults.push(n.tagName + ' ' + (n.getAttribute('aria-label') ?? n.textContent).trim().slice(0, 30) + ' under ' + at.tagName + '.' + at.className);
                        }
                    }
                    return [...new Set(faults)]""")]
                b.size(width, 3000)
                until(lambda: b.js("return innerHeight === 3000"))
                wrong += ["%s at %d: %s" % (view, width, f) for f in b.js("""const faults = [], texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT), range = document.createRange();
                    for (let t = texts.nextNode(), n = 0; t && n < 2000; t = texts.nextNode(), n++) {
                        const own = t.parentElement;
                        if (!t.data.trim() || own.closest('svg, .unread, .rows, .exact, option, textarea') || !own.checkVisibility()) continue;
                        range.selectNodeContents(t);
                        const r = range.getClientRects()[0];
                        if (!r) continue;
                        const x = (r.left + r.right) / 2, y = (r.top + r.bottom) / 2, at = document.elementFromPoint(x, y);
                        let cut = false;
                        for (let p = own; p; p = p.parentElement) cut ||= getComputedStyle(p).overflowX !== 'visible' && x > p.getBoundingClientRect().right;
                        if (at && !cut && !own.contains(at) && !at.contains(own) && !at.closest('#nav, #top, #say')) faults.push(t.data.trim().slice(0, 30) + ' under ' + at.tagName + '.' + at.className);
                    }
                    return [...new Set(faults)]""")]
    finally:
        b.size(1400)
    assert not wrong, "\n".join(wrong)


@test
def no_view_jumps_while_it_loads(w):
    """The layout shift that a browser counts, of each view opened by its address; up to 0.1 is called good."""
    b = w.browser
    d, wrong = b.driver, []
    code = "window.shift = 0; new PerformanceObserver(l => { for (const e of l.getEntries()) window.shift += e.value; }).observe({type: 'layout-shift', buffered: true})"
    script = d.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": code})["identifier"]
    try:
        for view in each_view(w):
            there = b.hash()
            d.get("about:blank")
            d.get(w.server.base + "/" + there)
            b.settled()
            until(lambda: b.js("return !/Reading every byte/.test(document.body.innerText)"))
            b.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
            if b.js("return window.shift") > 0.1:
                wrong.append("%s: %.3f" % (view, b.js("return window.shift")))
    finally:
        d.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})
    assert not wrong, wrong


@test
def people_and_agents_are_told_apart_by_their_colours(w):
    b = w.browser
    b.go("/", pad=w.id["demo"])
    b.there(".feed .by i")
    hues = dict(b.js("return [...document.querySelectorAll('.by')].map(n => [n.textContent, Number(n.querySelector('i').style.getPropertyValue('--hue'))])"))
    names = ("ann", "scout", "builder", "reviewer")
    near = [(a, c) for a in names for c in names if a < c and min(abs(hues[a] - hues[c]), 360 - abs(hues[a] - hues[c])) < 20]
    assert not near, hues


@test
def a_server_that_only_reads_offers_nothing_to_write(w):
    b = w.browser
    shelf = Pad(program, w.home, "shelf")
    os.mkdir(w.home.path("shelf"))
    shelf.run("init")
    shelf.run("write", "plan", text="look, do not touch\n")
    server = Server(program, w.home, [shelf], "--read-only")
    try:
        b.enter(server)
        b.has("read only", "#pads")
        b.driver.get(server.base + "/#/notes/plan")
        b.settled()
        b.has("version", ".doc")
        assert not b.js("return [...document.querySelectorAll('main button')].some(n => /^(Edit|Undo|Delete|Redact|Purge|New|Approve)/.test(n.textContent))")
        b.keys("e")
        assert not b.count("textarea")
    finally:
        server.stop()
        b.expected = [r"ERR_|Failed"]
        b.enter(w.server)


BOTH = ("the_token_leaves_the_address_bar_and_stays_in_the_browser", "what_waits_stands_first_and_is_counted_in_the_title",
        "an_unsaved_text_survives_reload_and_restart", "a_purge_asks_for_the_key_again_and_its_link_says_that_it_is_gone")


def main():
    wanted = sys.argv[3:]
    cases = [t for t in tests if not wanted or t.__name__ in wanted]
    if os.getuid():
        print("1..%d" % len(cases), flush=True)
        sys.exit(run(cases) > 0)
    again = [t for t in cases if t.__name__ in BOTH]
    print("1..%d" % (len(cases) + len(again)), flush=True)
    failed = as_nobody(cases)
    failed += run(again, len(cases), ", as root")
    sys.exit(failed > 0)


def as_nobody(cases):
    """All of it as an ordinary user, in a process of its own: 1 if something failed."""
    global program, source
    place = tempfile.mkdtemp(prefix="jotter-page-")
    try:
        shutil.copy(program, os.path.join(place, "jotter"))
        shutil.copytree(os.path.join(source, "examples"), os.path.join(place, "examples"))
        os.makedirs(os.path.join(place, "src/web/page"))
        shutil.copy(os.path.join(source, "src/web/page/meson.build"), os.path.join(place, "src/web/page"))
        subprocess.run(["chmod", "-R", "a+rX", place], check=True)
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.chdir(place)
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
                os.environ["USER"] = "nobody"
                program, source = os.path.join(place, "jotter"), place
                code = int(run(cases) > 0)
            except BaseException:
                traceback.print_exc()
            sys.stdout.flush()
            os._exit(code)
        return int(os.waitpid(child, 0)[1] != 0)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def run(cases, before=0, after=""):
    """The cases, as lines of TAP: how many failed."""
    world = World()
    failed = 0
    try:
        for number, case in enumerate(cases, before + 1):
            begun = time.monotonic()
            try:
                case(world)
                said = world.browser.console()
                assert not said, "the console has: %s" % "\n".join(said)
                print("ok %d - %s%s # %.1f s" % (number, case.__name__, after, time.monotonic() - begun), flush=True)
            except Exception:
                failed += 1
                print("not ok %d - %s%s" % (number, case.__name__, after), flush=True)
                for line in traceback.format_exc().splitlines():
                    print("# " + line, flush=True)
                try:
                    print("# at %s, which says %r" % (world.browser.hash(), world.browser.text("#say")))
                    world.browser.console()
                    if os.environ.get("JOT_TEST_SHOTS"):
                        world.browser.driver.save_screenshot(os.path.join(os.environ["JOT_TEST_SHOTS"], case.__name__ + ".png"))
                except Exception:
                    pass
    finally:
        world.close()
    return failed


if __name__ == "__main__":
    main()
