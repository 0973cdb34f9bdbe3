"""The same names for asyncio: ``async with jotter.aio.open("files:notes") as pad: await pad.read("plan")``.

Calls run in threads of the pad's own, at most ``pool`` at a time, so the event loop never waits for a
disk.  A task that is cancelled leaves nothing half-done: a call that has not begun never does, one
that has is a single append, which completes or does not happen, and what it gains for a task that is
no more (a lease, an open pad) is let go.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from types import TracebackType
from typing import (
    Any, AsyncIterator, Awaitable, Callable, Dict, Generator, Iterator, List, Mapping, Optional, Type,
    TypeVar, Union, overload,
)

from . import _pad
from ._answer import Answer
from ._errors import Conflict, Fenced, Invalid, Leased, NotFound
from ._handle import count_of, function_of, ms_of
from ._pad import PAGE, WATCH_SLICE, Moment, Place, Text, pauses
from ._results import (
    Changes, Collected, Context, Diff, Doc, Evidence, Hit, Info, KindStats, Lease, Merge, Redacted,
    Report, ToolReply, Verified,
)
from ._verbs_aio import Nouns

R = TypeVar("R")
D = TypeVar("D")


class Held:
    """A lease that this pad holds; see jotter.Held."""

    def __init__(self, pad: "Pad", held: _pad.Held) -> None:
        self._pad = pad
        self._held = held

    @property
    def lease(self) -> Lease:
        return self._held.lease

    @property
    def token(self) -> int:
        return self._held.token

    async def renew(self, ttl: Optional[float] = None) -> Lease:
        return await self._pad._run(self._held.renew, ttl)

    async def check(self) -> Lease:
        return await self._pad._run(self._held.check)

    async def release(self) -> None:
        await self._pad._run(self._held.release)


class Leasing:
    """A lease that is being taken: ``held = await pad.lease(...)`` or ``async with pad.lease(...)``."""

    def __init__(self, pad: "Pad", wait: float, take: Callable[[], _pad.Held]) -> None:
        self._pad = pad
        self._wait = wait
        self._take = take
        self._held: Optional[Held] = None

    async def _once(self) -> Held:
        self._held = Held(self._pad, await self._pad._gain(self._take, _pad.Held.release))
        return self._held

    async def _taken(self) -> Held:
        for pause in pauses(self._wait):  # not in a thread, of which others have need
            try:
                return await self._once()
            except Leased:
                await asyncio.sleep(pause)
        return await self._once()

    def __await__(self) -> Generator[Any, None, Held]:
        return self._taken().__await__()

    async def __aenter__(self) -> Held:
        return await self._taken()

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        assert self._held is not None
        try:
            await asyncio.shield(self._held.release())
        except Fenced:
            if kind is None:
                raise


class Pad(Nouns):
    """One open scratchpad, for asyncio.  Made by ``open``; see jotter.Pad for what each call does."""

    def __init__(self, make: Callable[[], _pad.Pad], pool: int) -> None:
        super().__init__(self._do)
        self._make = make
        self._threads = ThreadPoolExecutor(max_workers=min(max(pool, 1), 64), thread_name_prefix="jotter")
        self._opened: Optional[_pad.Pad] = None

    @property
    def _pad(self) -> _pad.Pad:
        if self._opened is None:
            raise Invalid("this pad is not open: await it, or use it by 'async with'")
        return self._opened

    async def _run(self, function: Callable[..., R], *args: Any, **named: Any) -> R:
        if self._opened is not None:
            self._opened._pool.check()  # here, because after a fork or a close there are no threads
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, functools.partial(function, *args, **named))

    async def _gain(self, gain: Callable[[], R], lose: Callable[[R], None]) -> R:
        """What ``gain`` makes.  If the task is cancelled it is not kept: ``lose`` lets go of it."""
        lock, made, unwanted = threading.Lock(), [], threading.Event()

        def run() -> R:
            got = gain()
            with lock:
                made.append(got)
                if not unwanted.is_set():
                    return got
            lose(got)
            return got

        try:
            return await self._run(run)
        except asyncio.CancelledError:
            with lock:
                unwanted.set()
                late = list(made)
            with suppress(RuntimeError):  # the pad was closed meanwhile, and its leases with it
                for got in late:
                    self._threads.submit(lose, got)
            raise

    async def _open(self) -> "Pad":
        if self._opened is None:
            opened: _pad.Pad = await self._gain(self._make, _pad.Pad.close)
            self._opened = opened
        return self

    def __await__(self) -> Generator[Any, None, "Pad"]:
        return self._open().__await__()

    async def __aenter__(self) -> "Pad":
        return await self._open()

    async def __aexit__(self, *_: Any) -> None:
        await asyncio.shield(self.close())

    def __repr__(self) -> str:
        return "<jotter.aio.Pad, not open>" if self._opened is None else f"<jotter.aio.Pad of {self._opened!r}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a pad cannot be pickled or copied: open it again there, by its URL")

    async def close(self) -> None:
        """Wait for the calls under way and close.  Closing twice is fine."""
        if self._opened is not None:
            if not self._opened._pool.is_open():
                return
            await self._run(self._opened.close)
        self._threads.shutdown(wait=False)

    async def _do(self, noun: str, verb: str, args: Mapping[str, Any]) -> Answer:
        return await self._run(self._pad._do, noun, verb, args)

    async def _pages(self, items: Iterator[Doc]) -> AsyncIterator[Doc]:
        while True:
            page = await self._run(lambda: list(islice(items, PAGE)))
            for doc in page:
                yield doc
            if len(page) < PAGE:
                return

    # --- Notes ----------------------------------------------------------------------------------

    async def write(self, key: str, text: Text, *, if_version: Optional[str] = None,
                    if_absent: bool = False, merge: bool = False,
                    meta: Optional[Mapping[str, Any]] = None, id: Optional[str] = None) -> Doc:
        return await self._run(self._pad.write, key, text, if_version=if_version,
                               if_absent=if_absent, merge=merge, meta=meta, id=id)

    async def append(self, key: str, text: Text, *, if_version: Optional[str] = None,
                     line: bool = False) -> Doc:
        return await self._run(self._pad.append, key, text, if_version=if_version, line=line)

    async def edit(self, key: str, old: Text, new: Text, *, if_version: Optional[str] = None) -> Doc:
        return await self._run(self._pad.edit, key, old, new, if_version=if_version)

    async def read(self, key: str, version: Optional[str] = None, *, from_line: int = 0,
                   lines: int = 0, tokens: int = 0) -> Doc:
        return await self._run(self._pad.read, key, version, from_line=from_line, lines=lines,
                               tokens=tokens)

    @overload
    async def get(self, key: str) -> Optional[str]: ...

    @overload
    async def get(self, key: str, default: D) -> Union[str, D]: ...

    async def get(self, key: str, default: Any = None) -> Any:
        return await self._run(self._pad.get, key, default)

    async def update(self, key: str,
                     change: Callable[[Optional[str]], Union[Text, Awaitable[Text]]], *,
                     attempts: int = 100) -> Doc:
        function_of(change, "change")
        for attempt in range(count_of(attempts, "attempts")):
            try:
                old: Optional[Doc] = await self.read(key)
            except NotFound:
                old = None
            made = change(None if old is None else old.text)
            text: Text = await made if inspect.isawaitable(made) else made  # type: ignore[assignment]
            try:
                if old is None:
                    return await self.write(key, text, if_absent=True)
                return await self.write(key, text, if_version=old.version)
            except Conflict:
                if attempt + 1 == attempts:
                    raise
        raise Invalid("attempts must be 1 or more")

    async def delete(self, key: str, *, if_version: Optional[str] = None) -> Doc:
        return await self._run(self._pad.delete, key, if_version=if_version)

    async def move(self, key: str, to: str) -> Doc:
        return await self._run(self._pad.move, key, to)

    def list(self, prefix: str = "", *, deleted: bool = False) -> AsyncIterator[Doc]:
        return self._pages(self._pad.list(prefix, deleted=deleted))

    # --- What a note was ------------------------------------------------------------------------

    def history(self, key: str) -> AsyncIterator[Doc]:
        return self._pages(self._pad.history(key))

    def versions(self, key: str, from_: int = 1, *, limit: Optional[int] = None) -> AsyncIterator[Doc]:
        return self._pages(self._pad.versions(key, from_, limit=limit))

    async def diff(self, key: str, old: Optional[str] = None, new: Optional[str] = None) -> Diff:
        return await self._run(self._pad.diff, key, old, new)

    async def blame(self, key: str) -> List[Dict[str, Any]]:
        return await self._run(self._pad.blame, key)

    async def merge(self, key: str, base: str, mine: Text) -> Merge:
        return await self._run(self._pad.merge, key, base, mine)

    async def undo(self, key: str, *, if_version: Optional[str] = None) -> Doc:
        return await self._run(self._pad.undo, key, if_version=if_version)

    async def redo(self, key: str, *, if_version: Optional[str] = None) -> Doc:
        return await self._run(self._pad.redo, key, if_version=if_version)

    async def restore(self, key: str, version: str, *, if_version: Optional[str] = None) -> Doc:
        return await self._run(self._pad.restore, key, version, if_version=if_version)

    async def purge(self, key: str) -> None:
        await self._run(self._pad.purge, key)

    async def redact(self, key: str, version: str) -> int:
        return await self._run(self._pad.redact, key, version)

    async def redact_text(self, key: str, phrase: Text) -> int:
        return await self._run(self._pad.redact_text, key, phrase)

    async def redact_run(self, run: str, phrase: Text = b"", *, seq: int = 0) -> int:
        return await self._run(self._pad.redact_run, run, phrase, seq=seq)

    async def redact_all(self, phrase: Text) -> Redacted:
        return await self._run(self._pad.redact_all, phrase)

    async def purge_run(self, run: str) -> None:
        await self._run(self._pad.purge_run, run)

    async def reset_cycle(self, agent: Optional[str] = None, state: Text = b"", *,
                          clean: bool = False) -> int:
        return await self._run(self._pad.reset_cycle, agent, state, clean=clean)

    # --- Finding --------------------------------------------------------------------------------

    async def search(self, query: str, *, kind: Optional[str] = None, prefix: Optional[str] = None,
                     by: Optional[str] = None, since: Moment = None, until: Moment = None,
                     limit: int = 10, offset: int = 0) -> List[Hit]:
        return await self._run(self._pad.search, query, kind=kind, prefix=prefix, by=by, since=since,
                               until=until, limit=limit, offset=offset)

    async def evidence(self, query: str, budget: int, *, kind: Optional[str] = None,
                       prefix: Optional[str] = None, by: Optional[str] = None, since: Moment = None,
                       until: Moment = None) -> Evidence:
        return await self._run(self._pad.evidence, query, budget, kind=kind, prefix=prefix, by=by,
                               since=since, until=until)

    async def rebuild_index(self) -> None:
        await self._run(self._pad.rebuild_index)

    async def context(self, budget: int = 8000, *, query: Optional[str] = None,
                      run: Optional[str] = None, agent: Optional[str] = None, rules: Text = b"",
                      limit: int = 0, tools: bool = False) -> Context:
        return await self._run(self._pad.context, budget, query=query, run=run, agent=agent,
                               rules=rules, limit=limit, tools=tools)

    async def watch(self, prefix: str = "", *,
                    timeout: Optional[float] = None) -> AsyncIterator[Doc]:
        """As jotter.Pad.watch; other calls go on meanwhile, because it has a handle of its own."""
        if timeout is not None:
            ms_of(timeout, "timeout")
        own = Pad(self._pad._twin, 1) if (await self.where()).shared else self
        await own._open()
        try:
            await own._run(own._pad._watched, prefix, 0)
            idle = 0.0
            while timeout is None or idle < timeout:
                wait = WATCH_SLICE if timeout is None else min(WATCH_SLICE, timeout - idle)
                changed = await own._run(own._pad._watched, prefix, int(wait * 1000))
                for doc in changed:
                    yield doc
                idle = 0.0 if changed else idle + max(wait, 0.001)
        finally:
            if own is not self:
                await asyncio.shield(own.close())

    async def changes(self, cursor: Optional[str] = None, *, wait: float = 0.0) -> Changes:
        until = asyncio.get_running_loop().time() + ms_of(wait, "wait") / 1000
        while True:  # in slices, between which other calls go on and a cancelled one ends
            left = max(until - asyncio.get_running_loop().time(), 0.0)
            changed = await self._run(self._pad.changes, cursor, wait=min(left, WATCH_SLICE))
            if changed.names or changed.rescan or left <= WATCH_SLICE:
                return changed
            cursor = changed.next

    # --- Leases, tools, the whole pad -----------------------------------------------------------

    def lease(self, name: str, *, ttl: float = 60.0, wait: float = 0.0, prefix: bool = False,
              live: bool = True) -> Leasing:
        return Leasing(self, wait, functools.partial(self._pad.lease, name, ttl=ttl, prefix=prefix, live=live))

    async def adopt(self, token: int) -> Held:  # takes nothing from anybody, so a cancelled one may stand
        return Held(self, await self._run(self._pad.adopt, token))

    async def leased(self, name: str, *, prefix: bool = False) -> Optional[Lease]:
        return await self._run(self._pad.leased, name, prefix=prefix)

    async def leases(self) -> List[Lease]:
        return await self._run(self._pad.leases)

    async def tools(self, profiles: Optional[str] = None) -> List[Dict[str, Any]]:
        return await self._run(self._pad.tools, profiles)

    async def tool(self, name: str, args: Optional[Mapping[str, Any]] = None) -> ToolReply:
        return await self._run(self._pad.tool, name, args)

    async def where(self) -> Info:
        return await self._run(self._pad.where)

    async def stats(self) -> List[KindStats]:
        return await self._run(self._pad.stats)

    async def copy(self, url: Place) -> Report:
        return await self._run(self._pad.copy, url)

    async def import_(self, path: Place, *, layout: Optional[str] = None, replace: bool = False) -> Report:
        return await self._run(self._pad.import_, path, layout=layout, replace=replace)

    async def export(self, path: Place, *, layout: Optional[str] = None) -> Report:
        return await self._run(self._pad.export, path, layout=layout)

    async def verify(self) -> Verified:
        return await self._run(self._pad.verify)

    async def doctor(self, *, after_crash: bool = False) -> Verified:
        return await self._run(self._pad.doctor, after_crash=after_crash)

    async def gc(self, *, prefix: Optional[str] = None, keep: int = 0, before: Moment = None,
                 bytes: int = 0, dry_run: bool = False) -> Collected:
        return await self._run(self._pad.gc, prefix=prefix, keep=keep, before=before, bytes=bytes,
                               dry_run=dry_run)


def open(url: Optional[Place] = None, *, as_: Optional[str] = None, language: Optional[str] = None,
         wait: Optional[float] = None, existing: bool = False, read_only: bool = False,
         pool: int = 1, dialect: Optional[str] = None) -> Pad:
    """As jotter.open: ``pad = await open(...)``, or ``async with open(...) as pad``."""
    return Pad(functools.partial(_pad.open, url, as_=as_, language=language, wait=wait,
                                 existing=existing, read_only=read_only, pool=pool, dialect=dialect),
               count_of(pool, "pool"))


def _document(mine: type, its: type) -> None:
    """What a method does is said once: by the one of the same name that does not wait."""
    for name, made in vars(mine).items():
        said = getattr(getattr(its, name, None), "__doc__", None)
        if not name.startswith("_") and not made.__doc__ and said:
            made.__doc__ = said


_document(Pad, _pad.Pad)
_document(Held, _pad.Held)
