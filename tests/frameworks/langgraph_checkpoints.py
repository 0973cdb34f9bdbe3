#!/usr/bin/env python3
"""langgraph_checkpoints.py: JotterSaver under LangGraph's own suite, every capability it tests, on files and on SQLite;
and a graph that is interrupted in one process and goes on in another."""
import asyncio
import os
import subprocess
import sys
import tempfile

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


if __name__ == "__main__":
    sys.exit(not all([suite("files"), suite("sqlite"), two_processes()]))
