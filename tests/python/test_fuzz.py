"""Nonsense at every edge of the binding: an exception with a sentence, never a crash.

Run with a library that has a sanitizer in it, this sees what a wrong byte count would do.  JOT_TEST_SEED repeats it."""

import inspect
import itertools
import os
import random

from case import PadCase

import jotter

VALUES = [
    None, True, 0, 1, -1, 7, 2 ** 31, 2 ** 63, 2 ** 64, -2 ** 63 - 1, 10 ** 30, 0.5, -0.1, float("nan"), float("inf"), "", "plan", "a b",
    "notes/plan", "memories/a.md", "threads/x/y", "artifacts/a/b", "\0", "a\0b", "\ud800", "ü" * 300, "x" * 100000, "~1", "1", "now",
    "0123456789ab", b"", b"plan", b"\xff\0", bytearray(b"x"), memoryview(b"abc"), memoryview(b"abcdef")[::2], [], ["a", 1], (), {}, {"a": 1},
    {"a": float("nan")}, {1: 2}, {"a": "\ud800"}, {"a": "x" * 5000}, object(), jotter, lambda *_: "x", lambda *_: 1, Ellipsis, range(3), 1j,
]
NOT_THESE = {"close", "watch", "lease", "changes"}  # they end it, or wait as long as they are asked to; tried apart
ALLOWED = (jotter.Error, TypeError)  # a wrong number of arguments is Python's own


class Fuzz(PadCase):
    def setUp(self):
        super().setUp()
        seed = int(os.environ.get("JOT_TEST_SEED") or random.SystemRandom().getrandbits(32))
        self.said = f"JOT_TEST_SEED={seed}"
        self.chance = random.Random(seed)
        self.pad["plan"] = "one"
        self.pad["plan"] = "two"

    def edges(self):
        """Every public method of the pad and of its nouns."""
        nouns = [value for value in vars(self.pad).values() if type(value).__module__.endswith("_verbs")]
        for owner in (self.pad, *nouns):
            for name, method in inspect.getmembers(owner, inspect.ismethod):
                if not name.startswith("_") and name not in NOT_THESE:
                    yield f"{type(owner).__name__}.{name}", method

    def arguments(self, method):
        """Some for what it takes, rarely too many."""
        words, named = [], {}
        for parameter in inspect.signature(method).parameters.values():
            value = self.chance.choice(VALUES)
            if parameter.kind is parameter.KEYWORD_ONLY:
                if self.chance.random() < 0.4:
                    named[parameter.name] = value
            elif parameter.default is parameter.empty or self.chance.random() < 0.4:
                words.append(value)
            else:
                break
        named.pop("attempts", None)
        return words + ([1] if self.chance.random() < 0.02 else []), named

    def attempt(self, name, method):
        words, named = self.arguments(method)
        try:
            got = method(*words, **named)
            if inspect.isgenerator(got):
                list(itertools.islice(got, 3))
        except ALLOWED as refused:
            self.assertTrue(str(refused))
        except Exception as other:
            self.fail(f"{self.said}: {name} {words} {named}: {other!r}"[:2000])

    def test_nonsense_is_refused_with_a_sentence(self):
        edges = list(self.edges())
        self.assertGreater(len(edges), 60)
        for _ in range(4):
            for name, method in edges:
                self.attempt(name, method)
        self.pad["plan"] = "as good as ever"
        self.assertEqual(self.pad["plan"], "as good as ever")

    def test_nonsense_is_refused_as_a_lease_or_a_watch(self):
        for _ in range(60):
            value = self.chance.choice(VALUES)
            for call in (lambda: self.pad.lease(value, ttl=1).release(), lambda: self.pad.lease("plan", ttl=value).release(),
                         lambda: list(self.pad.watch(value, timeout=0)), lambda: self.pad[value], lambda: self.pad.__setitem__(value, value),
                         lambda: self.pad.__delitem__(value), lambda: value in self.pad):
                try:
                    call()
                except ALLOWED as refused:
                    self.assertTrue(str(refused))
                except Exception as other:
                    self.fail(f"{self.said}: {value!r}: {other!r}"[:2000])

    def test_a_pad_opens_with_good_options_or_none(self):
        for option in ("url", "as_", "language", "wait", "existing", "read_only", "pool", "dialect"):
            for value in VALUES:
                if option == "pool" and isinstance(value, int) and value > 100 or option == "url" and value in (None, "plan", "1"):
                    continue  # so many handles, or a pad of the user's own
                if option == "url" and isinstance(value, str) and len(value) < 1000 and "\0" not in value:
                    continue
                try:
                    jotter.open(**{"url": self.url, option: value}).close()
                except ALLOWED as refused:
                    self.assertTrue(str(refused))
                except Exception as other:
                    self.fail(f"{option}={value!r}: {other!r}"[:2000])

    def test_a_closed_pad_says_so_at_every_edge(self):
        edges = list(self.edges())
        self.pad.close()
        for name, method in edges:
            required = [p for p in inspect.signature(method).parameters.values()
                        if p.default is p.empty and p.kind is not p.KEYWORD_ONLY]
            named = {p.name: "x" for p in inspect.signature(method).parameters.values()
                     if p.default is p.empty and p.kind is p.KEYWORD_ONLY}
            with self.assertRaises(jotter.Error, msg=name):
                got = method(*["x"] * len(required), **named)
                if inspect.isgenerator(got):
                    next(got)
