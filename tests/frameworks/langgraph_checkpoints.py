#!/usr/bin/env python3
"""langgraph_checkpoints.py: JotterSaver under LangGraph's own suite, every capability it tests, on files and on SQLite;
a graph that is interrupted in one process and goes on in another; and what the suite does not ask: who else is at a thread,
and how much of a long one is read."""
import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import tracemalloc

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import ALL_CAPABILITIES

import jotter
from jotter.langgraph import JotterSaver

GRAPH = '''
import sys
from typing import Annotated, TypedDict
import operator
from langgraph.graph import StateGraph, START, END
from langgraph.types import Command, interrupt
from jotter.langgraph import JotterSaver, JotterStore
class State(TypedDict):
    said: Annotated[list, operator.add]
def ask(state, *, store=None):
    return {"said": ["ask"]}
def wait(state):
    return {"said": [interrupt("what?")]}
saver = JotterSaver(sys.argv[1])
builder = StateGraph(State)
builder.add_node("ask", ask); builder.add_node("wait", wait)
builder.add_edge(START, "ask"); builder.add_edge("ask", "wait"); builder.add_edge("wait", END)
graph = builder.compile(checkpointer=saver)
config = {"configurable": {"thread_id": "t/1 ü"}}
out = graph.invoke(Command(resume="cake") if sys.argv[2] == "resume" else {"said": ["begin"]}, config)
print(out["said"], len(list(graph.get_state_history(config))))
'''


def suite(engine):
    @checkpointer_test(name="JotterSaver")
    async def saver():
        with tempfile.TemporaryDirectory(prefix="jotter-langgraph-") as folder:
            with jotter.open(f"{engine}:{os.path.join(folder, 'pad')}") as pad:
                yield JotterSaver(pad)

    results = asyncio.run(validate(saver)).results
    passed = sum(r.tests_passed for r in results.values())
    failed = sum(r.tests_failed for r in results.values())
    tried = sum(1 for r in results.values() if r.detected and r.passed)
    for name, result in results.items():
        for failure in result.failures or ():
            print(f"  {name}: {failure}")
    print(f"LangGraph's checkpointer suite on {engine}: {passed} of {passed + failed} tests, "
          f"{tried} of {len(ALL_CAPABILITIES)} capabilities")
    return failed == 0 and tried == len(ALL_CAPABILITIES)


def two_processes():
    with tempfile.TemporaryDirectory(prefix="jotter-langgraph-") as folder:
        url = "files:" + os.path.join(folder, "pad")
        said = [subprocess.run([sys.executable, "-c", GRAPH, url, word], stdout=subprocess.PIPE, text=True).stdout
                for word in ("begin", "resume")]
    good = said == ["['begin', 'ask'] 3\n", "['begin', 'ask', 'cake'] 4\n"]
    print(f"a graph that goes on in another process: {int(good)} of 1" + ("" if good else f" {said}"))
    return good


CONFIG = {"configurable": {"thread_id": "1", "checkpoint_ns": ""}}


def put(saver, word):
    checkpoint = {**empty_checkpoint(), "channel_values": {"said": word}, "channel_versions": {"said": "1"}}
    return saver.put(CONFIG, checkpoint, {"source": "loop", "step": 1}, {"said": "1"})


def said(saver):
    got = saver.get_tuple(CONFIG)
    return got and got.checkpoint["channel_values"]["said"]


def others_are_seen(url):
    """Two savers, as two processes have them: what one writes, deletes and begins again the other sees."""
    one, two = JotterSaver(url), JotterSaver(url)
    seen = []
    for word in ("a", "b"):
        put(one, word)
        seen += [said(one), said(two)]
    one.delete_thread("1")
    seen += [said(one), said(two)]
    for word in ("c", "d"):  # as many as before: the newest has the number the last one had
        put(one, word)
    seen += [said(one), said(two), len(list(two.list(CONFIG)))]
    one.prune(["1"])
    return seen + [said(two), len(list(two.list(CONFIG)))] == ["a", "a", "b", "b", None, None, "d", "d", 2, "d", 1]


def threads_share_one(url):
    """Lists and reads go on while other threads write."""
    saver, wrong = JotterSaver(url), []

    def use(call):
        try:
            for _ in range(40):
                call()
        except Exception as error:
            wrong.append(error)

    calls = [lambda: put(saver, "x"), lambda: list(saver.list(CONFIG, limit=3)), lambda: said(saver)] * 2
    threads = [threading.Thread(target=use, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return not wrong and len(list(saver.list(CONFIG))) == 80


def long_threads_are_not_held(url):
    """The first look at a thread does not take its checkpoints into memory."""
    saver = JotterSaver(url)
    for _ in range(60):
        put(saver, "x" * 100000)
    again = JotterSaver(url)
    tracemalloc.start()
    again.get_tuple(CONFIG)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak < 3000000  # all of them are 6 MB


def beyond():
    asked = [others_are_seen, threads_share_one, long_threads_are_not_held]
    good = 0
    for engine in ("files", "sqlite"):
        for ask in asked:
            with tempfile.TemporaryDirectory(prefix="jotter-langgraph-") as folder:
                if ask(f"{engine}:{os.path.join(folder, 'pad')}"):
                    good += 1
                else:
                    print(f"  {engine}: {ask.__doc__} That does not hold.")
    print(f"JotterSaver beyond that: {good} of {2 * len(asked)}")
    return good == 2 * len(asked)


if __name__ == "__main__":
    sys.exit(not all([suite("files"), suite("sqlite"), two_processes(), beyond()]))
