"""What a program does with a pad, on files: and on sqlite:."""

import ctypes
import os
import threading
import time
from unittest import mock

import jotter
from case import PadCase
from jotter import _abi


class Files(PadCase):
    def test_a_note_is_written_and_read_as_a_mapping(self):
        self.pad["plan"] = "ship"
        self.assertEqual(self.pad["plan"], "ship")
        self.assertIn("plan", self.pad)
        self.assertEqual(list(self.pad), ["plan"])
        del self.pad["plan"]
        self.assertNotIn("plan", self.pad)
        with self.assertRaises(KeyError):
            self.pad["plan"]

    def test_a_read_has_the_version_and_who_wrote_it(self):
        written = self.pad.write("plan", "ship", meta={"why": "friday"})
        read = self.pad.read("plan")
        self.assertEqual((read.version, read.by, read.meta), (written.version, "ann", {"why": "friday"}))
        self.assertEqual(read.at.utcoffset().total_seconds(), 0)

    def test_any_bytes_come_back(self):
        data = bytes(range(256)) * 3
        self.pad.write("bytes", data)
        self.assertEqual(self.pad.read("bytes").data, data)
        with self.assertRaises(UnicodeDecodeError):
            self.pad.read("bytes").text

    def test_a_conflict_has_both_texts_and_the_merge(self):
        version = self.pad.write("plan", "a\nb\nc\n").version
        self.open(as_="bob").write("plan", "A\nb\nc\n")
        with self.assertRaises(jotter.Conflict) as caught:
            self.pad.write("plan", "a\nb\nC\n", if_version=version)
        conflict = caught.exception
        self.assertEqual(conflict.now.text, "A\nb\nc\n")
        self.assertEqual(conflict.mine, b"a\nb\nC\n")
        self.assertTrue(conflict.clean)
        self.pad.write("plan", conflict.merged, if_version=conflict.now.version)
        self.assertEqual(self.pad["plan"], "A\nb\nC\n")

    def test_a_conflict_that_does_not_merge_says_so_and_changes_nothing(self):
        version = self.pad.write("plan", "one\n").version
        self.pad.write("plan", "two\n")
        with self.assertRaises(jotter.Conflict) as caught:
            self.pad.write("plan", "three\n", if_version=version, merge=True)
        self.assertFalse(caught.exception.clean)
        self.assertIn(b"two", caught.exception.merged)
        self.assertEqual(self.pad["plan"], "two\n")

    def test_if_absent_makes_a_note_once(self):
        self.pad.write("plan", "first", if_absent=True)
        with self.assertRaises(jotter.Conflict) as caught:
            self.pad.write("plan", "second", if_absent=True)
        self.assertEqual(caught.exception.now.text, "first")

    def test_update_reads_calls_and_writes_until_nobody_was_faster(self):
        other, seen = self.open(as_="bob"), []

        def change(text):
            seen.append(text)
            if len(seen) == 2:
                other.write("n", "10")
            return str(int(text or 0) + 1)

        self.assertEqual(self.pad.update("n", change).text, "1")
        self.pad.update("n", change)
        self.assertEqual((self.pad["n"], seen), ("11", [None, "1", "10"]))

    def test_update_gives_up_with_the_conflict(self):
        other = self.open(as_="bob")
        self.pad["n"] = "0"

        def change(text):
            other.append("n", "x")
            return "mine"

        with self.assertRaises(jotter.Conflict):
            self.pad.update("n", change, attempts=3)
        self.assertEqual(self.pad["n"], "0xxx")

    def test_append_edit_move_undo_and_restore_do_what_they_say(self):
        first = self.pad.write("a", "one").version
        self.pad.append("a", "two", line=True)
        self.assertEqual(self.pad["a"], "one\ntwo")
        self.assertEqual(self.pad.edit("a", "two", "three").line, 2)
        self.assertEqual(self.pad["a"], "one\nthree")
        self.pad.undo("a")
        self.assertEqual(self.pad["a"], "one\ntwo")
        self.pad.restore("a", first)
        self.assertEqual(self.pad["a"], "one")
        self.pad.move("a", "b")
        self.assertEqual((list(self.pad), self.pad["b"]), (["b"], "one"))
        with self.assertRaises(jotter.Invalid):
            self.pad.edit("b", "nowhere", "x")

    def test_history_diff_and_blame_show_what_a_note_was(self):
        for text in ("a\n", "a\nb\n", "a\nB\n"):
            self.pad.write("n", text)
        versions = list(self.pad.history("n"))
        self.assertEqual([v.seq for v in versions], [3, 2, 1])
        self.assertEqual(self.pad.read("n", versions[-1].version).text, "a\n")
        diff = self.pad.diff("n")
        self.assertEqual((diff.added, diff.removed), (1, 1))
        self.assertIn("+B", diff.text)
        self.assertEqual([line["seq"] for line in self.pad.blame("n")], [1, 3])

    def test_an_edit_of_the_file_that_was_read_stays_a_version(self):
        if self.engine != "files":
            return
        self.pad["n"] = "written"
        for text in ("read", "not read"):
            with open(os.path.join(self.dir, "notes", "notes", "n.txt"), "w") as f:
                f.write(text)
            if text == "read":
                self.assertEqual(self.pad.read("n").seq, 2)
        self.pad["n"] = "written again"
        texts = [self.pad.read("n", str(v.seq)).text for v in self.pad.history("n")]
        self.assertEqual(texts, ["written again", "not read", "read", "written"])

    def test_lists_and_histories_page_by_themselves(self):
        for i in range(1, 25):
            self.pad["n0"] = str(i)
        self.pad["n1"] = self.pad["n2"] = "x"
        for page in (1, 2, 3, 8, 24, 25):  # also of whole pages only
            with mock.patch.object(jotter._pad, "PAGE", page):
                self.assertEqual([d.seq for d in self.pad.history("n0")], list(range(24, 0, -1)))
                self.assertEqual([d.text for d in self.pad.versions("n0")], [str(i) for i in range(1, 25)])
                self.assertEqual([d.name for d in self.pad.list("n")], ["n0", "n1", "n2"])

    def test_a_list_goes_on_after_a_page_whatever_happens_meanwhile(self):
        for i in range(10):
            self.pad[f"n{i}"] = "x"
        with mock.patch.object(jotter._pad, "PAGE", 3):
            self.assertEqual([d.name for d in self.pad.list()], [f"n{i}" for i in range(10)])
            seen = []
            for doc in self.pad.list("n"):
                seen.append(doc.name)
                self.pad.delete(doc.name)
            self.assertEqual(seen, [f"n{i}" for i in range(10)])
            self.assertEqual((list(self.pad), len(list(self.pad.list(deleted=True)))), ([], 10))
            self.assertEqual([d.seq for d in self.pad.history("n0")], [2, 1])

    def test_a_result_stays_what_it_was(self):
        text = "x" * 1000
        doc, answer = self.pad.write("n", text), self.pad.task.add(id="t", description=text)
        read, listed = self.pad.read("n"), list(self.pad.list())[0]
        for i in range(20):
            self.pad.write("n", str(i) * 1000)
        self.pad.close()
        self.assertEqual((read.text, read.version, listed.version, answer["description"]),
                         (text, doc.version, doc.version, text))

    def test_nobody_writes_as_a_person(self):
        with self.assertRaisesRegex(jotter.Invalid, "edits made outside"):
            self.open(as_="outside").write("k", "x")
        self.assertEqual([verb for verb in dir(self.pad.rules) if not verb.startswith("_")], ["list"])

    def test_a_bounded_read_says_what_is_left(self):
        self.pad["n"] = "".join(f"line {i}\n" for i in range(1, 11))
        part = self.pad.read("n", from_line=2, lines=3)
        self.assertEqual((part.text, part.next_line), ("line 2\nline 3\nline 4\n", 5))
        self.assertTrue(part.left_out)

    def test_a_search_finds_what_was_just_written(self):
        self.pad["deploy"] = "ship the release on friday"
        self.pad["lunch"] = "noodles"
        hits = self.pad.search("releases")
        self.assertEqual([h.name for h in hits], ["deploy"])
        self.assertIn("**release**", hits[0].snippet)
        evidence = self.pad.evidence("when is the release", 500)
        self.assertIn("friday", evidence.text)
        self.assertEqual(evidence.passages[0].name, "deploy")
        self.assertLessEqual(evidence.tokens, 500)

    def test_a_context_fits_its_budget(self):
        self.pad["deploy"] = "ship the release on friday"
        context = self.pad.context(400)
        self.assertIn("ship the release", context.text)
        self.assertLessEqual(context.tokens, 400)

    def test_verbs_of_every_noun_return_data(self):
        task = self.pad.task.add(id="t1", description="build", priority=3)
        self.assertEqual((task["task_id"], task["status"], task["by"]), ("t1", "pending", "ann"))
        run = self.pad.run.begin("why is it slow?")["run"]
        self.pad.run.finish(run, "grep", "42 lines")
        self.assertEqual([step["kind"] for step in self.pad.run.read(run)["steps"]],
                         ["init", "tool_call", "tool_result"])
        self.pad.artifact.write("plans", "p1", {"steps": [1, 2]})
        self.assertEqual(self.pad.artifact.read("plans", "p1").text, '{\n  "steps": [\n    1,\n    2\n  ]\n}')
        self.pad.line_log.append("logs", "l", "a line")
        self.pad.checkpoint.write(run, "state one")
        self.assertEqual(self.pad.checkpoint.read(run).text, "state one")
        self.pad.plan.create("ship", ["build", "test"], plan="p")
        self.assertEqual(self.pad.plan.list()["plans"][0]["id"], "p")

    def test_a_refused_verb_has_what_is_in_the_way(self):
        self.pad.task.add(id="t1")
        with self.assertRaises(jotter.Invalid) as caught:
            self.pad.task.move("t1", "completed")
        self.assertEqual(caught.exception.answer["status"], "pending")
        with self.assertRaises(jotter.NotFound):
            self.pad.task.read("t2")

    def test_a_lease_keeps_others_out_and_ends_with_its_block(self):
        other = self.open(as_="bob")
        with self.pad.lease("plan") as held:
            self.pad["plan"] = "mine"
            with self.assertRaises(jotter.Leased) as caught:
                other.lease("plan")
            self.assertEqual(caught.exception.lease.by, "ann")
            self.assertGreater(held.renew(120).left, 60)
            self.assertEqual([lease.token for lease in other.leases()], [held.token])
        with other.lease("plan"):
            other["plan"] = "theirs"
        self.assertEqual(self.pad["plan"], "theirs")

    def test_a_lease_may_be_released_before_its_block_ends(self):
        other = self.open(as_="bob")
        with self.pad.lease("plan") as held:
            held.release()
            with other.lease("plan"):
                held.release()
                self.assertEqual(self.pad.leased("plan").by, "bob")
        with self.assertRaises(jotter.Fenced):
            held.check()

    def test_a_block_that_lost_its_lease_is_fenced(self):
        with self.assertRaises(jotter.Fenced):
            with self.pad.lease("plan", ttl=0.1) as held:
                while True:  # until it has ended by itself
                    held.check()
        self.assertNotIn("plan", self.pad)
        with self.assertRaises(jotter.Fenced):
            with self.pad.lease("plan", ttl=0.1) as held:
                try:
                    while True:
                        held.check()
                except jotter.Fenced:
                    self.pad["plan"] = "too late"
        self.assertNotIn("plan", self.pad)

    def test_leases_hold_for_every_handle_of_a_pool(self):
        pad, other = self.open(as_="ann", pool=4), self.open(as_="bob")
        with pad.lease("n0", prefix=True):
            threads = [threading.Thread(target=pad.write, args=(f"n0{i}", "x")) for i in range(16)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            with self.assertRaises(jotter.Leased):
                other.lease("n01")
        self.assertEqual(len(list(pad.list("n0"))), 16)
        pad["n0"] = "after the block"
        with other.lease("n01"):
            pass

    def test_threads_share_a_pad_and_lose_nothing(self):
        for pool in (1, 4):
            pad = self.open(as_="ann", pool=pool)
            key = f"count{pool}"
            errors = []

            def add(pad=pad, key=key, errors=errors):
                try:
                    for _ in range(10):
                        pad.update(key, lambda text: str(int(text or 0) + 1), attempts=10000)
                except Exception as error:  # reported by the assertion below
                    errors.append(error)

            threads = [threading.Thread(target=add) for _ in range(4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            self.assertEqual((errors, pad[key]), ([], "40"))

    def test_a_watch_shows_what_others_write(self):
        other, seen = self.open(as_="bob"), threading.Event()

        def write():  # a watch begins with its first step: what came before is not news
            while not seen.wait(0.01):
                other.append("news", "x")

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for doc in self.pad.watch("notes/"):
                self.assertEqual((doc.name, doc.by), ("news", "bob"))
                break
        finally:
            seen.set()
            writer.join()

    def test_a_call_lets_other_threads_run(self):
        held, taken = self.open(as_="bob").lease("plan"), []
        o = _abi.jot_lease_options(size=ctypes.sizeof(_abi.jot_lease_options), wait_ms=60000)

        def take():  # in one call, as the binding itself never does
            taken.append(self.pad._call("jot_lease_acquire", b"plan", ctypes.byref(o), out=_abi.jot_lease, give=jotter.Lease.of))

        waiter = threading.Thread(target=take)
        waiter.start()
        time.sleep(0.05)  # now it waits in C, as a rule
        held.release()
        waiter.join()
        self.assertEqual([lease.by for lease in taken], ["ann"])

    def test_a_watch_ends_when_nothing_happens(self):
        self.assertEqual(list(self.pad.watch(timeout=0.01)), [])

    def test_a_model_uses_the_tools_through_a_pad(self):
        names = [tool["name"] for tool in self.pad.tools()]
        self.assertIn("scratchpad_write", names)
        reply = self.pad.tool("scratchpad_write", {"key": "k", "content": "x"})
        self.assertFalse(reply.is_error)
        self.assertTrue(self.pad.tool("scratchpad_write", {"key": "../x", "content": ""}).is_error)
        self.assertEqual(self.pad.tool("scratchpad_read", {"key": "k"}).value, b"x")

    def test_writes_are_signed_with_the_programs_name_unless_said_otherwise(self):
        pad = self.open()
        pad["n"] = "x"
        self.assertNotIn(pad.read("n").by, ("", "ann", "outside"))

    def test_purged_text_is_in_no_file(self):
        self.pad["n"] = "xyzzy-secret"
        self.pad.purge("n")
        self.pad.close()
        for folder, _, names in os.walk(self.dir):
            for name in names:
                with open(os.path.join(folder, name), "rb") as f:
                    self.assertNotIn(b"xyzzy-secret", f.read(), name)


class Sqlite(Files):
    engine = "sqlite"
