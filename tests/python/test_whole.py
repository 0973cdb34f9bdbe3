"""What is done with the whole pad, and what is taken out of it for good, on files: and on sqlite:."""

import copy
import datetime
import os
import pathlib
import pickle
import subprocess
import sys
import threading

import jotter
import jotter.aio
from case import PadCase

HOUR = datetime.timedelta(hours=1)


class FilesWhole(PadCase):
    def nowhere(self, phrase):
        self.pad.close()
        for folder, _, names in os.walk(self.dir):
            for name in names:
                with open(os.path.join(folder, name), "rb") as f:
                    self.assertNotIn(phrase, f.read(), name)

    def test_an_old_version_is_redacted_and_the_present_one_is_not(self):
        self.pad["plan"] = "xyzzy-secret"
        self.pad["plan"] = "now"
        with self.assertRaises(jotter.Invalid):
            self.pad.redact("plan", "now")
        self.assertEqual(self.pad.redact("plan", "~1"), 1)
        self.assertEqual([v.redacted for v in self.pad.history("plan")], [False, True])
        self.nowhere(b"xyzzy-secret")

    def test_a_phrase_is_taken_out_of_a_note_a_run_and_the_whole_pad(self):
        self.pad["a"] = "old xyzzy-secret"
        self.pad["a"] = "new xyzzy-secret"
        self.pad["b"] = "xyzzy-secret too"
        run = self.pad.run.begin("what?")["run"]
        self.pad.run.say(run, "thinking", "it is xyzzy-secret")
        self.assertEqual(self.pad.redact_text("a", "xyzzy-secret"), 2)
        self.assertEqual(self.pad["a"], "new [redacted]")
        self.assertEqual(self.pad.redact_run(run, "xyzzy-secret"), 1)
        done = self.pad.redact_all("xyzzy-secret")
        self.assertEqual((done.rewritten, done.items), (1, ()))
        with self.assertRaises(jotter.NotFound):
            self.pad.redact_all("xyzzy-secret")
        self.nowhere(b"xyzzy-secret")

    def test_what_cannot_be_redacted_is_told_with_the_error(self):
        self.pad.write("m", "x", meta={"why": "xyzzy-secret"})
        with self.assertRaises(jotter.Unsupported) as caught:
            self.pad.redact_all("xyzzy-secret")
        self.assertEqual([(f.kind, f.stream) for f in caught.exception.report.items], [("meta", "notes/m")])

    def test_a_run_is_purged(self):
        run = self.pad.run.begin("xyzzy-secret")["run"]
        self.pad.purge_run(run)
        with self.assertRaises(jotter.NotFound):
            self.pad.run.read(run)
        self.nowhere(b"xyzzy-secret")

    def test_an_agents_cycles_start_with_a_state_and_start_over(self):
        self.pad.reset_cycle("ann", "task: bake\n")
        cycle = self.pad.cycle.wake(agent="ann")
        self.assertEqual(cycle["state"]["task"], "bake")
        with self.assertRaises(jotter.Leased):
            self.pad.reset_cycle("ann")
        self.pad.cycle.sleep(cycle["cycle"], agent="ann")
        self.assertGreater(self.pad.reset_cycle("ann", clean=True), 0)
        self.assertNotIn("bake", str(self.pad.cycle.wake(agent="ann")["state"]))

    def test_a_copy_has_the_history_and_goes_on_where_it_stopped(self):
        for text in "one", "two":
            self.pad["plan"] = text
        url = "sqlite:" + os.path.join(self.dir, "copy.db")
        self.assertEqual(self.pad.copy(url).added, 2)
        self.pad["plan"] = "three"
        self.assertEqual(self.pad.copy(url).added, 1)
        with jotter.open(url, existing=True) as pad:
            self.assertEqual([v.text for v in pad.versions("plan")], ["one", "two", "three"])

    def test_an_archive_is_written_and_brought_in_once(self):
        self.pad["plan"] = "ship"
        path = os.path.join(self.dir, "all.jotter")
        self.assertEqual(self.pad.export(path).records, 1)
        with jotter.open("mem:") as other:
            self.assertEqual(other.import_(path).added, 1)
            self.assertEqual(other.import_(path).added, 0)
            self.assertEqual(other["plan"], "ship")

    def test_an_import_says_what_it_left_out(self):
        place = os.path.join(self.dir, "place")
        os.mkdir(place)
        for name in "a.md", "b.bin":
            with open(os.path.join(place, name), "w") as f:
                f.write("soup\n")
        report = self.pad.import_(place, layout="notes")
        self.assertEqual((self.pad["a"], [p.name for p in report.skipped], report.missed), ("soup\n", ["b.bin"], 1))

    def test_old_records_go_when_they_are_let(self):
        for i in range(40):
            self.pad["plan"] = str(i)
        self.assertEqual(self.pad.gc(keep=20, dry_run=True).records, 20)
        self.assertEqual(self.pad.gc(keep=20).records, 20)
        self.assertEqual(self.pad.gc(before=datetime.datetime.now(datetime.timezone.utc) - HOUR).records, 0)
        self.assertEqual(len(list(self.pad.history("plan"))), 20)
        with self.assertRaises(jotter.Invalid):
            self.pad.gc()

    def test_a_pad_is_counted_verified_and_repaired(self):
        self.pad["plan"] = "ship"
        stats = {kind.kind: kind for kind in self.pad.stats()}
        self.assertEqual((stats["notes"].streams, stats["notes"].records, stats["notes"].bytes), (1, 1, 4))
        self.assertIsNotNone(stats["notes"].newest)
        self.assertEqual((self.pad.verify().faults, self.pad.doctor(after_crash=True).faults), (0, 0))
        self.pad.rebuild_index()
        self.assertEqual([hit.name for hit in self.pad.search("ships")], ["plan"])

    def saw_the_plan(self, changes):
        return changes.rescan or "notes/plan" in changes.names

    def test_changes_go_on_from_a_cursor(self):
        self.pad["plan"] = "begun"
        first = self.pad.changes()
        self.assertTrue(first.rescan)
        self.assertEqual(self.pad.changes(first.next).names, ())
        self.open(as_="bob")["plan"] = "ship"
        second = self.pad.changes(first.next, wait=60)
        self.assertTrue(self.saw_the_plan(second))
        self.assertEqual(self.pad.changes(second.next, wait=0.01).names, ())

    def test_who_waits_for_a_change_sees_it_when_it_comes(self):
        cursor = self.pad.changes().next
        writer = threading.Timer(0.3, self.open(as_="bob").write, ("plan", "ship"))
        writer.start()
        self.assertTrue(self.saw_the_plan(self.pad.changes(cursor, wait=600)))
        writer.join()

    def test_a_lease_is_found_and_adopted_by_its_token(self):
        other = self.open(as_="bob")
        self.assertIsNone(other.leased("plan"))
        with self.pad.lease("plan") as held:
            self.assertEqual(other.leased("plan").by, "ann")
            adopted = other.adopt(held.token)
            self.assertEqual(adopted.check().token, held.token)
            other["plan"] = "under the lease"
        with self.assertRaises(jotter.Fenced):
            other["plan"] = "too late"
        with self.assertRaises(jotter.Fenced):
            adopted.release()
        other["plan"] = "free"
        with self.assertRaises(jotter.Fenced):
            other.adopt(held.token)
        other["plan"] = "a lease that had ended binds nobody"

    def test_a_search_may_be_bounded_in_time(self):
        self.pad["plan"] = "ship it"
        now = datetime.datetime.now(datetime.timezone.utc)
        for since, until, found in ((now - HOUR, now + HOUR, 1), (now + HOUR, None, 0), (None, now - HOUR, 0)):
            self.assertEqual(len(self.pad.search("ship", since=since, until=until)), found)
            self.assertEqual(len(self.pad.evidence("ship", 500, since=since, until=until).passages), found)

    def test_a_context_begins_with_the_rules(self):
        self.pad["plan"] = "ship"
        context = self.pad.context(1000, rules="Be brief.", tools=True)
        self.assertLess(context.text.index("Be brief."), context.text.index("plan"))
        self.assertEqual((context.results, context.damaged), (0, 0))


class SqliteWhole(FilesWhole):
    engine = "sqlite"


class Manners(PadCase):
    def test_a_pad_and_what_it_gives_say_what_they_are(self):
        doc = self.pad.write("plan", "x" * 5000)
        self.assertEqual(repr(self.pad), f"<jotter.Pad {self.url!r} as 'ann'>")
        self.assertRegex(repr(doc), r"^<jotter.Doc 'plan' seq 1, version '\w{12}', by 'ann', 5000 bytes: b'x+'\.\.\.>$")
        self.assertLess(len(repr(self.pad.read("plan"))), 200)
        with self.pad.lease("plan") as held:
            self.assertEqual(repr(held), f"<jotter.Held 'notes/plan', token {held.token}>")
        self.pad.close()
        self.assertIn("closed", repr(self.pad))
        self.assertEqual(repr(jotter.aio.open(self.url)), "<jotter.aio.Pad, not open>")

    def test_a_pad_is_neither_pickled_nor_copied(self):
        for pad in self.pad, jotter.aio.open(self.url):
            for attempt in pickle.dumps, copy.copy, copy.deepcopy:
                with self.assertRaisesRegex(TypeError, "open it again"):
                    attempt(pad)
        self.pad["still"] = "open"

    def test_results_and_errors_are_pickled_and_copied(self):
        doc = self.pad.write("plan", "ship")
        self.pad["plan"] = "other"
        self.assertEqual(pickle.loads(pickle.dumps(doc)), doc)
        self.assertEqual(copy.copy(self.pad.task.add(id="t"))["status"], "pending")
        with self.assertRaises(jotter.Conflict) as caught:
            self.pad.write("plan", "mine", if_version=doc.version)
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((type(again), str(again), again.now.text, again.code),
                         (jotter.Conflict, str(caught.exception), "other", "conflict"))
        answer = self.pad.artifact.write("a", "b", {"x": 1}) and self.pad.artifact.read("a", "b")
        again = pickle.loads(pickle.dumps(answer))
        self.assertEqual((again, again.body), (answer, answer.body))

    def test_a_path_may_be_a_path_of_pathlib(self):
        self.pad["plan"] = "ship"
        place = pathlib.Path(self.dir)
        with jotter.open(place / "notes", existing=True) as pad:
            pad.export(place / "all.jotter")
            pad.copy(place / "copy")
        with jotter.open("mem:") as pad:
            pad.import_(place / "all.jotter")
            self.assertEqual(pad["plan"], "ship")
        for call in (lambda: jotter.open(7), lambda: self.pad.copy(None), lambda: self.pad.export(7)):
            with self.assertRaisesRegex(jotter.Invalid, "must be str"):
                call()
        code = "import jotter, pathlib; print(jotter.open(pathlib.Path('new')).where().engine)"
        self.assertEqual(self.said("-c", code), "files")

    def said(self, *words, code=""):
        """What a Python of its own prints."""
        done = subprocess.run([sys.executable, *words], cwd=self.dir, input=code, check=True, text=True, stdout=subprocess.PIPE)
        return done.stdout.strip()

    def test_who_writes_is_the_program_however_it_was_started(self):
        code = "import jotter\npad = jotter.open('mem:')\nprint(pad.write('k', 'x').by)\n"
        os.mkdir(os.path.join(self.dir, "cook"))
        for name in "bake.py", os.path.join("cook", "__main__.py"):
            with open(os.path.join(self.dir, name), "w") as f:
                f.write(code)
        self.assertEqual([self.said("-c", code), self.said("-", code=code), self.said(code=code)], ["python"] * 3)
        self.assertEqual([self.said("bake.py"), self.said("-m", "bake"), self.said("-m", "cook")], ["bake", "bake", "cook"])

    def test_the_module_for_asyncio_is_there_without_importing_it(self):
        self.assertEqual(self.said("-c", "import jotter, sys; print('asyncio' in sys.modules, jotter.aio.open.__name__)"),
                         "False open")
        with self.assertRaisesRegex(AttributeError, "has no attribute 'nothing'"):
            jotter.nothing

    def test_get_is_that_of_a_mapping(self):
        self.pad["plan"] = "ship"
        self.assertEqual((self.pad.get("plan"), self.pad.get("no"), self.pad.get("no", "x")), ("ship", None, "x"))
        self.assertNotIn(7, self.pad)
        self.pad["7"] = "x"
        self.assertNotIn(7, self.pad)

    def test_a_flag_is_true_or_false_and_nothing_that_looks_like_it(self):
        for call in (
            lambda: self.pad.write("k", "x", if_absent="no"),
            lambda: self.pad.write("k", "x", merge=0),
            lambda: self.pad.append("k", "x", line="false"),
            lambda: list(self.pad.list(deleted="no")),
            lambda: self.pad.lease("k", live="no"),
            lambda: self.pad.import_(self.dir, replace=1),
            lambda: jotter.open(self.url, read_only="no"),
            lambda: self.pad.gc(keep=20, dry_run="no"),
            lambda: self.pad.search("x", since=5),
            lambda: jotter.tokens(7),
            lambda: jotter.prompt(brief="no"),
        ):
            with self.assertRaisesRegex(jotter.Invalid, "must be"):
                call()
        self.assertEqual(list(self.pad), [])

    def test_tokens_and_the_prompt_need_no_pad(self):
        self.assertEqual((jotter.tokens(""), jotter.tokens("ship")), (0, 1))
        self.assertGreater(jotter.tokens("ship on friday " * 100), 200)
        self.assertIn("scratchpad", jotter.prompt())
        self.assertLess(len(jotter.prompt(brief=True)), 2048)
