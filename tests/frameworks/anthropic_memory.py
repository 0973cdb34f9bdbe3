#!/usr/bin/env python3
"""anthropic_memory.py [SEED [COMMANDS]]: random commands to JotterMemoryTool and to the SDK's own memory tool on files, which
must answer word for word; what is left out is what tests/mcp/peers/compare_memory.py leaves out, by whose words it asks."""
import asyncio
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mcp", "peers"))

from anthropic.lib.tools import ToolError  # noqa: E402
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool  # noqa: E402
from compare_memory import EPISODE, Commands, comparable, files_below, ours_like  # noqa: E402

import jotter  # noqa: E402
from jotter.anthropic import JotterAsyncMemoryTool, JotterMemoryTool  # noqa: E402


def ask(tool, asked):
    try:
        text = tool.call(asked)
        return {"text": asyncio.run(text) if asyncio.iscoroutine(text) else text, "error": False}
    except ToolError as refused:
        return {"text": str(refused), "error": True}
    except OSError as refused:
        return {"text": str(refused), "error": True, "system": True}


def prune(root):
    for place, _, _ in os.walk(root, topdown=False):
        if place != root and not os.listdir(place):
            os.rmdir(place)


def episode(chance, folder, n, count):
    """How many of its commands were answered alike, and how many were tried."""
    theirs = BetaLocalFilesystemMemoryTool(base_path=os.path.join(folder, "theirs"))
    root, source = os.path.join(folder, "theirs", "memories"), Commands(chance)
    kind = JotterAsyncMemoryTool if n % 4 == 3 else JotterMemoryTool
    with jotter.open("files:" + os.path.join(folder, "ours"), dialect="python") as pad:
        ours = kind(pad)
        for i in range(count):
            asked = source.next()
            want = comparable(asked, ask(theirs, asked))
            prune(root)
            got = ours_like(want, comparable(asked, ask(ours, asked)))
            files = files_below(os.path.join(folder, "ours", "memories"))
            if got != want or files != files_below(root):
                print(f"  {asked}: {got}, not {want}")
                return i, i + 1
    return count, count


if __name__ == "__main__":
    seed = int(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("JOT_TEST_SEED") or random.SystemRandom().getrandbits(32))
    whole = int(sys.argv[2]) if len(sys.argv) > 2 else 1200
    randomly, good, tried = random.Random(seed), 0, 0
    for number in range(0, whole // EPISODE):
        with tempfile.TemporaryDirectory(prefix="jotter-memory-") as place:
            alike, done = episode(randomly, place, number, EPISODE)
            good, tried = good + alike, tried + done
    print(f"the SDK's memory tool and JotterMemoryTool, seed {seed}: {good} of {tried} answers word for word")
    sys.exit(good != tried)
