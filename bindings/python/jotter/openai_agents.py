"""Sessions of the OpenAI Agents SDK in a pad::

    from jotter.openai_agents import JotterSession

    await Runner.run(agent, "hello", session=JotterSession("user-1", "files:memory"))

Every item is durable when ``add_items`` returns; any number of processes may share a session.
"""

from __future__ import annotations

import asyncio
import json
import threading
import uuid
from typing import Any, List, Optional, Tuple, Union

from agents.memory.session import SessionABC

from . import _threads
from ._errors import Conflict, Invalid, NotFound
from ._pad import Pad
from ._threads import Part, Record, pad_of, segment

__all__ = ["JotterSession"]


class JotterSession(SessionABC):
    """One conversation: a stream of the pad, each call one append.  ``clear_session`` purges it."""

    session_settings: Any = None

    def __init__(self, session_id: str, pad: Union[Pad, str, None] = None, *,
                 session_settings: Any = None) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self.pad = pad_of(pad)
        self._lock = threading.Lock()
        self._known: List[bytes] = []
        self._name = f"threads/openai-agents/{segment(session_id, 'a session')}"
        self._follower = _threads.Follower(self.pad, self._name)

    def _items(self) -> List[bytes]:
        return self._look()[0]

    def _look(self) -> Tuple[List[bytes], str]:
        """The items, and the version of the stream they are of."""
        with self._lock:
            head, anew, docs = self._follower.look()
            if anew:
                self._known = []
            for record in filter(None, map(_threads.decode, docs)):
                if record.header.get("what") == "items":
                    self._known += [data for _, data in record.parts]
                elif record.header.get("what") == "pop":
                    del self._known[-1:]
            return list(self._known), head.version if head else ""

    def _add(self, items: List[Any]) -> None:
        if not items:
            return
        try:
            parts = [("json", json.dumps(item, ensure_ascii=False, allow_nan=False,
                                         separators=(",", ":")).encode("utf-8")) for item in items]
        except (TypeError, ValueError) as why:
            raise Invalid(f"an item must be JSON: {why}") from None
        _threads.add(self.pad, self._name, self._record("items", parts), {})

    def _record(self, what: str, parts: List[Part]) -> Record:
        """The id makes each record another text, also if it says what the last one said."""
        return Record({"what": what, "session": self.session_id, "id": uuid.uuid4().hex}, parts)

    def _pop(self) -> Optional[Any]:
        while True:
            items, version = self._look()
            if not items:
                return None
            try:  # of two who ask at once each gets one
                _threads.add(self.pad, self._name, self._record("pop", []), {}, if_version=version)
            except (Conflict, NotFound):
                continue
            return json.loads(items[-1])

    async def get_items(self, limit: Optional[int] = None) -> List[Any]:
        """The items, oldest first; with ``limit`` the newest so many."""
        if limit is None and self.session_settings is not None:
            limit = getattr(self.session_settings, "limit", None)
        items = await asyncio.to_thread(self._items)
        chosen = items if limit is None else items[-limit:] if limit > 0 else []
        return [json.loads(item) for item in chosen]

    async def add_items(self, items: List[Any]) -> None:
        await asyncio.to_thread(self._add, items)

    async def pop_item(self) -> Optional[Any]:
        """Take the last item away, and give it."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Remove the conversation for good."""
        await asyncio.to_thread(_threads.purge, self.pad, self._name)
