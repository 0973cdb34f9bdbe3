"""What the frameworks' modules stand on; the modules themselves are tried by `make conformance`."""

import json

from case import PadCase

import jotter
from jotter import _threads
from jotter._threads import Record


class Threads(PadCase):
    def test_any_word_becomes_one_segment_and_comes_back(self):
        words = ["", "a", "a/b", "..", "größe", "日本", "%", "%41", "a b.c", "\x00\n", "x" * 120, "Ü" * 20]
        for word in words:
            part = _threads.segment(word)
            self.assertEqual(_threads.word_of(part), word)
            self.pad.write(f"threads/test/{part}", word)
        self.assertEqual(len(set(map(_threads.segment, words))), len(words))

    def test_a_long_word_is_its_beginning_and_its_hash(self):
        one, two = _threads.segment("y" * 5000), _threads.segment("y" * 5000 + "z")
        self.assertEqual(len(one), 50 + 2 + 64)
        self.assertNotEqual(one, two)
        self.assertIsNone(_threads.word_of(one))

    def test_half_a_character_is_refused(self):
        with self.assertRaisesRegex(jotter.Invalid, "half a character"):
            _threads.segment("\ud800")

    def test_records_come_back_with_their_bytes(self):
        name = "threads/test/a"
        parts = [("msgpack", bytes(range(256))), ("json", b""), ("json", b"\n{}\n")]
        _threads.add(self.pad, name, Record({"what": "x", "thread": "größe"}, parts), {"id": "1"})
        _threads.add(self.pad, name, Record({"what": "y"}, []), {})
        first, second = _threads.records(self.pad, name)
        self.assertEqual(first.parts, parts)
        self.assertEqual(first.header, {"what": "x", "thread": "größe"})
        self.assertEqual(second.parts, [])
        self.assertEqual(next(self.pad.history(name)).meta, {"what": "y"})

    def test_pickles_are_refused(self):
        with self.assertRaisesRegex(jotter.Invalid, "pickle"):
            _threads.add(self.pad, "threads/test/a", Record({"what": "x"}, [("pickle", b"x")]), {})
        with self.assertRaises(jotter.NotFound):
            self.pad.read("threads/test/a")

    def test_what_is_no_record_is_damage_and_a_newer_one_is_passed_over(self):
        for i, text in enumerate(["", "no\n", "{}\n", '{"v":1,"parts":[["x",9]]}\nshort', '{"v":1,"parts":7}\n', "[]\n",
                                  '{"v":1,"parts":[["x",-1],["y",1]]}\n']):
            self.pad.write(f"threads/test/{i}", text)
            with self.assertRaises(jotter.Corrupt):
                list(_threads.records(self.pad, f"threads/test/{i}"))
        self.pad.write("threads/test/new", '{"v":2,"parts":[]}\n')
        self.assertEqual(list(_threads.records(self.pad, "threads/test/new")), [])

    def test_a_purged_thread_is_gone_and_purging_again_is_fine(self):
        name = "threads/test/a"
        _threads.add(self.pad, name, Record({"what": "x"}, []), {})
        _threads.purge(self.pad, name)
        _threads.purge(self.pad, name)
        self.assertEqual(list(_threads.records(self.pad, name)), [])
        self.assertEqual(list(self.pad.list("threads/")), [])

    def test_a_search_does_not_look_into_threads(self):
        _threads.add(self.pad, "threads/test/a", Record({"what": "cake"}, [("json", b'"cake"')]), {})
        self.pad["plan"] = "cake"
        self.assertEqual([hit.name for hit in self.pad.search("cake")], ["plan"])


class ThreadsOnSqlite(Threads):
    engine = "sqlite"


class Versions(PadCase):
    def test_versions_have_texts_and_go_on_from_anywhere(self):
        for text in ("one", "two", "three"):
            self.pad["plan"] = text
        self.assertEqual([doc.text for doc in self.pad.versions("plan")], ["one", "two", "three"])
        self.assertEqual([doc.text for doc in self.pad.versions("plan", 2)], ["two", "three"])
        self.assertEqual([doc.text for doc in self.pad.versions("plan", 2, limit=1)], ["two"])
        self.assertEqual(list(self.pad.versions("plan", limit=0)), [])
        with self.assertRaises(jotter.NotFound):
            list(self.pad.versions("nothing"))

    def test_a_redacted_version_has_no_text(self):
        for text in ("secret", "plain"):
            self.pad["plan"] = text
        self.assertEqual(self.pad.redact("plan", "1"), 1)
        first, second = self.pad.versions("plan")
        self.assertTrue(first.redacted)
        self.assertEqual((first.data, second.text), (b"", "plain"))
        with self.assertRaises(jotter.Invalid):
            self.pad.redact("plan", second.version)

    def test_a_phrase_is_taken_out_of_every_version(self):
        for text in ("the word is mellon", "the word is still mellon"):
            self.pad["plan"] = text
        self.pad.redact_text("plan", "mellon")
        self.assertNotIn("mellon", json.dumps([doc.text for doc in self.pad.versions("plan")]))

    def test_undo_and_redo(self):
        for text in ("one", "two"):
            self.pad["plan"] = text
        self.pad.undo("plan")
        self.assertEqual(self.pad["plan"], "one")
        self.pad.redo("plan")
        self.assertEqual(self.pad["plan"], "two")

    def test_a_dialect_is_one_that_is_known(self):
        with self.assertRaises(jotter.Invalid):
            jotter.open(self.url, dialect="klingon")
