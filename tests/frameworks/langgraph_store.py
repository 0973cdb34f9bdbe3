#!/usr/bin/env python3
"""langgraph_store.py [SEED [OPERATIONS]]: random operations to JotterStore and to LangGraph's InMemoryStore, which must
answer alike; then what only a durable one has: times to live, odd names, search."""
import asyncio
import os
import random
import sys
import tempfile

from langgraph.store.base import GetOp, InvalidNamespaceError, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

import jotter
from jotter.langgraph import JotterStore

LABELS = ["a", "b", "größe", "x y", "%", "a/b", "d" * 150]
KEYS = ["k", "k2", "", "../x", "ü", "y" * 300]


def shown(item):
    return None if item is None else (tuple(item.namespace), item.key, item.value)


class Both:
    def __init__(self, chance, ours):
        self.chance, self.ours, self.theirs = chance, ours, InMemoryStore()

    def namespace(self):
        return tuple(self.chance.choice(LABELS) for _ in range(self.chance.choice([1, 1, 2, 3, 6])))

    def value(self):
        c = self.chance
        return {"n": c.randint(0, 3), "t": c.choice(["soup", "cake", "ü"]), "l": [1, None, {"x": 1.5}]}

    def one(self):
        c = self.chance
        kind, ns, key = c.choice("pppgdsnb"), self.namespace(), c.choice(KEYS)
        if kind == "p":
            value = self.value()
            return ("put", ns, key), lambda s: s.put(ns, key, value)
        if kind == "d":
            return ("delete", ns, key), lambda s: s.delete(ns, key)
        if kind == "g":
            return ("get", ns, key), lambda s: shown(s.get(ns, key))
        if kind == "s":
            prefix = ns[:c.randint(0, 2)]
            wanted = c.choice([None, {"n": 1}, {"n": {"$gte": 2}}, {"t": "cake", "n": {"$lt": 2}}, {"n": {"$ne": 0}}])
            return ("search", prefix, wanted), lambda s: sorted(map(repr, map(shown, s.search(prefix, filter=wanted, limit=1000))))
        if kind == "n":
            more = c.choice([{}, {"max_depth": 1}, {"prefix": ("a",)}, {"suffix": ("b",)}, {"prefix": ("*", "b")}])
            return ("namespaces", more), lambda s: sorted(s.list_namespaces(limit=1000, **more))
        value = self.value()
        ops = [GetOp(ns, key), PutOp(ns, key, value), PutOp(ns, key, {**value, "n": 9}), SearchOp(ns[:1], None, 1000, 0, None)]
        return ("batch", ns, key), lambda s: [sorted(map(repr, map(shown, r))) if isinstance(r, list) else shown(r)
                                               for r in s.batch(ops)]

    def step(self):
        what, do = self.one()
        for empty in [ns for ns, items in self.theirs._data.items() if not items]:
            del self.theirs._data[empty]  # it lists what it was only asked about
        theirs, ours = do(self.theirs), do(self.ours)
        if theirs != ours:
            print(f"  {what}: {ours}, not {theirs}"[:2000])
        return theirs == ours


def compare(engine, folder, seed, count):
    with jotter.open(f"{engine}:{os.path.join(folder, engine)}") as pad:
        both = Both(random.Random(seed), JotterStore(pad))
        same = sum(both.step() for _ in range(count))
    print(f"LangGraph's InMemoryStore and JotterStore on {engine}, seed {seed}: {same} of {count} answers alike")
    return same == count


def says(good, what, results):
    results.append(bool(good))
    if not good:
        print("  not so: " + what)


def refused(call, kind=jotter.Error):
    try:
        call()
    except kind:
        return True
    return False


def beyond(folder):
    """What the other one does not have."""
    results = []
    with jotter.open("files:" + os.path.join(folder, "more")) as pad:
        store = JotterStore(pad, ttl={"default_ttl": None, "refresh_on_read": True})
        store.put(("d",), "1", {"text": "how to bake a cake"})
        store.put(("d",), "2", {"text": "the price of flour"})
        found = store.search(("d",), query="baking cakes")
        says([i.key for i in found] == ["1", "2"] and found[0].score and found[1].score is None, "a query ranks", results)
        store.put(("d",), "gone", {"x": 1}, ttl=-1)
        says(store.get(("d",), "gone") is None, "what is past its time is not there", results)
        says(len(store.search(("d",))) == 2 and store.sweep_ttl() == 1 and store.sweep_ttl() == 0, "a sweep removes it", results)
        store.put(("d",), "stays", {"x": 1}, ttl=60)
        before = pad.read("artifacts/langgraph/d/stays").meta["expires"]
        store.put(("d",), "2", {"text": "x"})
        says(store.get(("d",), "stays").value == {"x": 1} and pad.read("artifacts/langgraph/d/stays").meta["expires"] > before,
             "a read begins its time again", results)
        made = store.get(("d",), "1").created_at
        store.put(("d",), "1", {"text": "new"})
        says(store.get(("d",), "1").created_at == made and store.get(("d",), "1").updated_at > made, "times", results)
        says(len(list(pad.versions("artifacts/langgraph/d/1"))) == 2, "every version stays", results)
        says(refused(lambda: store.put(("d",), "nan", {"x": float("nan")})), "NaN is refused", results)
        says(refused(lambda: store.put(("d",), "set", {"x": {1}})), "what is no JSON is refused", results)
        says(refused(lambda: store.put(("d",), "half", {"x": "\ud800"})), "half a character is refused", results)
        says(refused(lambda: store.put(("d\ud800",), "half", {})), "half a character in a name, too", results)
        says(refused(lambda: store.put((), "k", {}), InvalidNamespaceError), "no namespace", results)
        says(refused(lambda: store.search(("d",), filter={"text": {"$where": 1}})), "an unknown operator is refused", results)
        says(asyncio.run(store.aget(("d",), "2")).value == {"text": "x"}, "asyncio", results)
        pad.write("artifacts/langgraph/d/2", "no json")
        says(len(store.search(("d",))) == 2 and refused(lambda: store.get(("d",), "2"), jotter.Corrupt),
             "a broken one hides nothing else", results)
    print(f"JotterStore beyond that: {sum(results)} of {len(results)}")
    return all(results)


if __name__ == "__main__":
    first = int(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("JOT_TEST_SEED") or random.SystemRandom().getrandbits(32))
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 600
    with tempfile.TemporaryDirectory(prefix="jotter-store-") as place:
        good = [compare("files", place, first, n), compare("sqlite", place, first + 1, n), beyond(place)]
    sys.exit(not all(good))
