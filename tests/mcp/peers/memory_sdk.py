#!/usr/bin/env python3
"""memory_sdk.py: the memory tool of the Python SDK, one JSON value a line; as memory_sdk.mjs.

With -a it is the asynchronous one."""
import asyncio
import json
import sys

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaAsyncLocalFilesystemMemoryTool, BetaLocalFilesystemMemoryTool


async def answer(asked, tool):
    try:
        text = tool.call(asked)
        return {"text": await text if asyncio.iscoroutine(text) else text, "error": False}
    except ToolError as refused:
        return {"text": str(refused), "error": True, "system": False}
    except OSError as refused:
        return {"text": str(refused), "error": True, "system": True}


async def main():
    kind = BetaAsyncLocalFilesystemMemoryTool if "-a" in sys.argv else BetaLocalFilesystemMemoryTool
    tool = None
    for line in sys.stdin:
        asked = json.loads(line)
        if "base" in asked:
            tool, told = kind(base_path=asked["base"]), {}
        else:
            told = await answer(asked, tool)
        print(json.dumps(told), flush=True)


asyncio.run(main())
