"""The memory tool of Anthropic's SDK, kept in a pad::

    from jotter.anthropic import JotterMemoryTool

    client.beta.messages.run_tools(tools=[JotterMemoryTool("files:memory")], ...)

It answers word for word as the SDK's own tool on a file system does; what it keeps are the pad's
memory files, ``memories/...``, with their history, for every other door of the pad too.
"""

from __future__ import annotations

import asyncio
from typing import Any, Union

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool

from ._errors import Invalid
from ._pad import Pad, open as open_pad

__all__ = ["JotterAsyncMemoryTool", "JotterMemoryTool"]

DIALECT = "python"


def _pad_of(pad: Union[Pad, str, None]) -> Pad:
    if not isinstance(pad, Pad):
        return open_pad(pad, dialect=DIALECT)
    if pad.dialect != DIALECT:
        raise Invalid(f"open this pad with dialect='{DIALECT}', or give its URL")
    return pad


def _asked(command: Any) -> Any:
    return command if isinstance(command, dict) else command.model_dump(exclude_unset=True)


def _answer(pad: Pad, command: Any) -> str:
    reply = pad.tool("memory", _asked(command))
    if reply.is_error:
        raise ToolError(reply.text)
    return reply.text


class JotterMemoryTool(BetaAbstractMemoryTool):
    """The memory tool; ``pad`` is a URL, or a pad that was opened with ``dialect="python"``."""

    def __init__(self, pad: Union[Pad, str, None] = None, **more: Any) -> None:
        super().__init__(**more)
        self.pad = _pad_of(pad)

    def view(self, command: Any) -> str:
        return _answer(self.pad, command)

    def create(self, command: Any) -> str:
        return _answer(self.pad, command)

    def str_replace(self, command: Any) -> str:
        return _answer(self.pad, command)

    def insert(self, command: Any) -> str:
        return _answer(self.pad, command)

    def delete(self, command: Any) -> str:
        return _answer(self.pad, command)

    def rename(self, command: Any) -> str:
        return _answer(self.pad, command)


class JotterAsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for asyncio."""

    def __init__(self, pad: Union[Pad, str, None] = None, **more: Any) -> None:
        super().__init__(**more)
        self.pad = _pad_of(pad)

    async def _do(self, command: Any) -> str:
        return await asyncio.to_thread(_answer, self.pad, command)

    async def view(self, command: Any) -> str:
        return await self._do(command)

    async def create(self, command: Any) -> str:
        return await self._do(command)

    async def str_replace(self, command: Any) -> str:
        return await self._do(command)

    async def insert(self, command: Any) -> str:
        return await self._do(command)

    async def delete(self, command: Any) -> str:
        return await self._do(command)

    async def rename(self, command: Any) -> str:
        return await self._do(command)
