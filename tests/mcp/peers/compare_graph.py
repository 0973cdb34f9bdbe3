#!/usr/bin/env python3
"""compare_graph.py JOTTER NODE SERVER [SEED [CALLS]]: the same random calls to the reference graph server and to us.

Every answer is compared, its text byte for byte and its data, and after each call the whole graph.  JOTTER is the
binary, SERVER the reference server's script, run by NODE.  The seed is printed; JOT_TEST_SEED sets it too.

What is left out, because there we are not the same on purpose (docs/mcp.md):
  - one call that names an entity or a relation twice: the reference keeps two of it, we one;
  - empty names of entities, which we refuse;
  - members that no schema has, which the reference drops and we refuse;
  - graphs longer than a tool's answer, which we cut and say how to go on;
  - a sigma at the end of a word, which we find as any other;
  - DEL, which we write as \\u007f inside a text."""
import os
import random
import shutil
import sys
import tempfile

import peer

NAMES = ["Ann", "ann", "ANNABEL", "ÜBER", "über uns", "日本", "Ελένη", "ΑΘΗΝΑ", "Юля", "a b", "x/y", "Émile", "E\u0301mile",
         'say "hi"', "back\\slash", "tab\there", "line\nbreak", "\u2028", "🙂", "İzmir", "ǅ", "straße", "\x7f", "..", "Ა",
         "𐐀", "null", "constructor", "__proto__"]
TYPES = ["person", "Person", "ΠΟΛΗ", "", "город", "place\n"]
TEXTS = ["likes tea", "LIKES TEA", "mag Tee", "ÄÖÜ äöü", "お茶", "ЧАЙ", "чай", "", " ", "ß", "two\nlines", "{\"a\":1}", "é",
         "e\u0301", "</x>", "\u0000", "\u001b[31m", "x" * 300]
RELATIONS = ["knows", "KNOWS", "mag", "\u00e9"]
EPISODE = 120  # calls on one graph: it must stay short enough to be shown whole


class Calls:
    """Random calls about a few names, so that they meet."""

    def __init__(self, chance):
        self.chance = chance
        self.names = chance.sample(NAMES, 6)

    def some(self, pool, most):
        return [self.chance.choice(pool) for _ in range(self.chance.randint(0, most))]

    def distinct(self, most):
        return self.chance.sample(self.names, self.chance.randint(0, most))

    def relations(self):
        found = {}
        for _ in range(self.chance.randint(0, 3)):
            one = (self.chance.choice(self.names), self.chance.choice(self.names), self.chance.choice(RELATIONS))
            found[one] = self.shuffled({"from": one[0], "to": one[1], "relationType": one[2]})
        return list(found.values())

    def shuffled(self, members):
        """The order of members is the client's."""
        names = list(members)
        self.chance.shuffle(names)
        return {name: members[name] for name in names}

    def query(self):
        text = self.chance.choice(NAMES + TYPES + TEXTS)
        begin = self.chance.randint(0, len(text))
        part = text[begin:begin + self.chance.randint(0, 4)]
        return self.chance.choice([str, str.upper, str.lower])(part)

    def next(self):
        c = self.chance
        return c.choice([
            lambda: ("create_entities", {"entities": [
                self.shuffled({"name": name, "entityType": c.choice(TYPES), "observations": self.some(TEXTS, 3)})
                for name in self.distinct(3)]}),
            lambda: ("create_relations", {"relations": self.relations()}),
            lambda: ("add_observations", {"observations": [
                self.shuffled({"entityName": c.choice(self.names), "contents": self.some(TEXTS, 3)})
                for _ in range(c.randint(0, 3))]}),
            lambda: ("delete_entities", {"entityNames": self.some(self.names, 2)}),
            lambda: ("delete_observations", {"deletions": [
                self.shuffled({"entityName": c.choice(self.names), "observations": self.some(TEXTS, 3)})
                for _ in range(c.randint(0, 3))]}),
            lambda: ("delete_relations", {"relations": self.relations()}),
            lambda: ("read_graph", {}),
            lambda: ("search_nodes", {"query": self.query()}),
            lambda: ("open_nodes", {"names": self.some(self.names, 3)}),
        ])()


def ask(server, name, args):
    """What it answers; DEL may stand as it is or be written out, which is the same JSON."""
    reply = server.tool(name, args)
    reply["text"] = reply["text"].replace("\\u007f", "\x7f")
    return reply


def play(chance, theirs, ours, calls, found):
    source = Calls(chance)
    for _ in range(calls):
        name, args = source.next()
        same = found.compare((name, args), ask(theirs, name, args), ask(ours, name, args), name)
        same &= found.compare(("the graph after", name, args), ask(theirs, "read_graph", {}),
                              ask(ours, "read_graph", {}), "graph after " + name)
        if not same:
            return  # the rest would only be told again


def main():
    jotter, node, server = sys.argv[1:4]
    seed = int(sys.argv[4] if len(sys.argv) > 4 else os.environ.get("JOT_TEST_SEED") or random.SystemRandom().getrandbits(32))
    calls = int(sys.argv[5]) if len(sys.argv) > 5 else 2400
    chance, found = random.Random(seed), peer.Differences("graph")
    print("graph: seed %d" % seed, flush=True)
    place = tempfile.mkdtemp(prefix="jotter-graph-")
    try:
        for n, begin in enumerate(range(0, calls, EPISODE)):
            engine = ("files", "sqlite")[n % 2]
            theirs = peer.Mcp([node, server], {"MEMORY_FILE_PATH": os.path.join(place, "memory%d.jsonl" % n)})
            ours = peer.jotter(jotter, "--pad", "%s:%s" % (engine, os.path.join(place, "pad%d" % n)),
                               "--tools", "graph,no-scratchpad")
            try:
                play(chance, theirs, ours, min(EPISODE, calls - begin), found)
            finally:
                theirs.stop()
                ours.stop()
    finally:
        shutil.rmtree(place)
    sys.exit(0 if found.tell(seed) else 1)


if __name__ == "__main__":
    main()
