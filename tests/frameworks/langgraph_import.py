#!/usr/bin/env python3
"""langgraph_import.py [SEED]: what LangGraph's SqliteStore wrote, brought in by import_, is what JotterStore has."""
import os
import random
import sys
import tempfile

from langgraph.store.sqlite import SqliteStore

import jotter
from jotter.langgraph import JotterStore

LABELS = ["a", "b", "größe", "x y", "%", "a/b", "d" * 150]
KEYS = ["k", "k2", "../x", "ü", "y" * 300, "a.b"]


def fill(store, chance):
    """Some items, some of them twice, some deleted, and some that live for a while."""
    for _ in range(200):
        namespace, key = tuple(chance.choice(LABELS) for _ in range(chance.choice([1, 1, 2, 3]))), chance.choice(KEYS)
        if chance.random() < 0.15:
            store.delete(namespace, key)
        else:
            value = {"n": chance.randint(0, 9), "t": chance.choice(["soup", "ü", "", "a\nb"]), "l": [1, None, {"x": 1.5}]}
            store.put(namespace, key, value, ttl=chance.choice([None, None, 60]))


def items(store):
    return {(tuple(i.namespace), i.key): i.value for i in store.search((), limit=10000)}


def compare(place, engine, chance, said):
    path, url = os.path.join(place, engine + ".sqlite"), "%s:%s" % (engine, os.path.join(place, engine))
    with SqliteStore.from_conn_string(path) as store:
        store.setup()
        fill(store, chance)
        wanted = items(store)
    with jotter.open(url) as pad:
        report = pad.import_(path)
        again = pad.import_(path)
        got = items(JotterStore(pad))
    same = sum(got.get(which) == value for which, value in wanted.items())
    print("items of LangGraph's SqliteStore imported to %s, %s: %d of %d" % (engine, said, same, len(wanted)))
    return got == wanted and report.layout == "langgraph" and report.skipped == () and again.added == 0 and len(wanted) > 50


def main():
    seed = int(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("JOT_TEST_SEED") or random.SystemRandom().getrandbits(32))
    with tempfile.TemporaryDirectory(prefix="jotter-import-") as place:
        good = [compare(place, engine, random.Random(seed), "seed %d" % seed) for engine in ("files", "sqlite")]
    sys.exit(0 if all(good) else 1)


main()
