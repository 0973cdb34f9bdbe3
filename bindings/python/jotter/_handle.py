"""Handles of the library, and who may use them.

A jot_pad belongs to one thread at a time (rule 7 of jotter.h), so a call borrows one for as long as
it takes, results copied: with ``pool=1`` that is a queue, with more the calls of several threads run
side by side, because ctypes lets go of the interpreter's lock.  A handle does not survive a fork:
the child gets a sentence instead of somebody else's file locks.

    call ──► a handle's turn ──► its lock ──► leases in step? ──► C function ──► copy the result
             (waits for one)                  (adopt, let go)

Leases belong to handles in the library.  Here they belong to the pad, so each handle adopts what the
pad holds before it is used, and lets go of what the pad gave up.
"""

from __future__ import annotations

import ctypes
import datetime
import json
import os
import queue
import threading
from collections import deque
from contextlib import contextmanager
from typing import Any, Callable, Deque, FrozenSet, Iterator, List, Optional, TypeVar

from . import _abi
from ._errors import Closed, Error, error_of
from ._library import library

R = TypeVar("R")

LOST = 0.1  # seconds after which who waits for a handle looks whether one was lost


class Handle:
    """One jot_pad."""

    def __init__(self, url: Optional[bytes], options: _abi.jot_open_options) -> None:
        self.lib = library()
        self.pad = self.lib.jot_new()
        self.tokens: FrozenSet[int] = frozenset()
        self.lock = threading.Lock()  # whoever uses it has this
        if not self.pad:
            raise MemoryError("there is no memory for a pad")
        status = self.lib.jot_open(self.pad, url, ctypes.byref(options))
        if status != _abi.JOT_OK:
            error = error_of(status, self.sentence())
            self.close()
            raise error

    def sentence(self) -> str:
        said = self.lib.jot_error(self.pad)
        return (said or b"").decode("utf-8", "replace")

    def close(self) -> None:
        pad, self.pad = self.pad, None
        self.lib.jot_free(pad)

    def in_step(self, pool: "Pool") -> None:
        """Hold exactly the leases of the pad.  One that has ended makes the next write Fenced, not this."""
        wanted = pool.tokens
        for token in wanted - self.tokens:
            self.lib.jot_lease_adopt(self.pad, token)
            status = self.lib.jot_lease_check(self.pad, token, None)
            if status == _abi.JOT_FENCED and pool.is_ending(token):  # by us: it binds nobody any more
                self.lib.jot_lease_release(self.pad, token)
        for token in self.tokens - wanted:
            self.lib.jot_lease_release(self.pad, token)
        self.tokens = wanted


def invalid(sentence: str) -> Error:
    return error_of(_abi.JOT_INVALID, sentence)


def encode(text: Optional[str], what: str = "a name") -> Optional[bytes]:
    """A name as C has it.  What the file system gave Python comes back as it was."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise invalid(f"{what} must be str, not {type(text).__name__}")
    try:
        raw = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise invalid(f"{what} has half a character (a lone surrogate) in it") from None
    if b"\0" in raw:
        raise invalid(f"{text[:100]!r} holds a NUL, which no name can")
    return raw


def count_of(value: int, what: str) -> int:
    """A number of C's: ctypes would cut one that is too large."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise invalid(f"{what} must be int, not {type(value).__name__}")
    if not 0 <= value < 2 ** 63:
        raise invalid(f"{what} is {value}: use 0 to {2 ** 63 - 1}")
    return value


def function_of(value: Any, what: str) -> None:
    """Said before anything is read for it."""
    if not callable(value):
        raise invalid(f"{what} must be a function, not {type(value).__name__}")


def ms_of(seconds: Optional[float], what: str) -> int:
    """Seconds as milliseconds; None is 0."""
    if seconds is None:
        return 0
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise invalid(f"{what} must be a number of seconds, not {type(seconds).__name__}")
    if not 0 <= seconds < 2 ** 50:  # NaN is neither
        raise invalid(f"{what} is {seconds} seconds: use 0 or more")
    return int(seconds * 1000)


def flag_of(value: bool, what: str) -> bool:
    """True or False: any other text or number would count as true, also "no"."""
    if not isinstance(value, bool):
        raise invalid(f"{what} must be True or False, not {type(value).__name__}")
    return value


def at_ms_of(when: Optional[datetime.datetime], what: str) -> int:
    """A moment as milliseconds since 1970; None is 0.  One without a zone is local time, as Python has it."""
    if when is None:
        return 0
    if not isinstance(when, datetime.datetime):
        raise invalid(f"{what} must be a datetime, not {type(when).__name__}")
    try:
        return max(int(when.timestamp() * 1000), 1)
    except (OverflowError, OSError, ValueError):
        raise invalid(f"{what} is {when}, which is no time that a pad knows") from None


def json_of(value: Any, what: str) -> bytes:
    """JSON for C."""
    try:
        said = json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as why:
        raise invalid(f"{what} cannot be JSON: {why}") from None
    if b"\0" in said:
        raise invalid(f"{what} hold a NUL")
    return said


class Pool:
    """All handles of a pad.  Who waits for one gets it in turn.

    Ctrl-C may come between any two steps, so a handle can be lost on the way to or from its user.  That
    who has its lock is alone with it is certain all the same (``with`` of a lock is one step, from Python
    3.10 on); the list of free handles only says whose turn it is, and who waits for long looks for a lost one.
    """

    def __init__(self, make: Callable[[], Handle], size: int) -> None:
        if not 1 <= count_of(size, "pool") <= 64:
            raise invalid(f"pool is {size}: use 1 to 64")
        self._make = make
        self._size = size
        self._pid = os.getpid()
        self._lock = threading.Lock()  # of all that follows
        self._all: List[Handle] = [make()]
        self._free: List[Handle] = self._all[:]
        self._opening = 0
        self._waiting: "Deque[queue.SimpleQueue[Optional[Handle]]]" = deque()
        self._closed = False
        self.tokens: FrozenSet[int] = frozenset()  # of the leases that the pad has ...
        self._ending: FrozenSet[int] = frozenset()  # ... and of those that are being released

    def is_open(self) -> bool:
        """Whether a call may be made from here."""
        return os.getpid() == self._pid and not self._closed

    def check(self) -> None:
        """Closed, unless a call may be made from here."""
        if os.getpid() != self._pid:
            raise Closed("this pad was opened by the process that forked this one: open it again here")
        if self._closed:
            raise Closed("this pad is closed")

    def use(self, call: Callable[[Handle], R]) -> R:
        """What ``call`` makes of a handle: one call, and its result copied."""
        self.check()  # before the lock: after a fork somebody who is not here may have it
        handle = self._borrow()
        try:
            with handle.lock:
                self.check()
                if handle.tokens != self.tokens:
                    handle.in_step(self)
                return call(handle)
        finally:
            self._give_back(handle)

    def _borrow(self) -> Handle:
        turn: "queue.SimpleQueue[Optional[Handle]]" = queue.SimpleQueue()
        with self._lock:
            self.check()
            if self._free:
                return self._free.pop()
            grows = len(self._all) + self._opening < self._size
            if grows:
                self._opening += 1
            else:
                self._waiting.append(turn)
        return self._grow() if grows else self._wait(turn)

    def _grow(self) -> Handle:
        handle: Optional[Handle] = None
        try:
            handle = self._make()
        finally:
            with self._lock:
                self._opening -= 1
                late = self._closed
                if handle and not late:
                    self._all.append(handle)
        if late:
            handle.close()
            raise Closed("this pad is closed")
        return handle

    def _wait(self, turn: "queue.SimpleQueue[Optional[Handle]]") -> Handle:
        while True:
            try:
                handle = turn.get(timeout=LOST)
            except queue.Empty:
                handle = self._lost(turn)
                if handle is None:
                    continue
            if handle is None:
                raise Closed("this pad is closed")
            return handle

    def _lost(self, turn: "queue.SimpleQueue[Optional[Handle]]") -> Optional[Handle]:
        """A handle that is neither free nor used.  If its user is only slow, both have their turn at its lock."""
        with self._lock:
            lost = [h for h in self._all if h not in self._free and not h.lock.locked()]
            if not lost or turn not in self._waiting:
                return None
            self._waiting.remove(turn)
            return lost[0]

    def _give_back(self, handle: Handle) -> None:
        with self._lock:
            if self._waiting:
                self._waiting[0].put(handle)
                self._waiting.popleft()
            elif handle not in self._free:
                self._free.append(handle)

    def hold(self, handle: Handle, token: int) -> None:
        """The pad has this lease now; `handle` took it."""
        with self._lock:
            self.tokens = self.tokens | {token}
        handle.tokens = handle.tokens | {token}

    @contextmanager
    def ending(self, token: int) -> Iterator[None]:
        """While a handle releases this lease; afterwards the others let go of it."""
        with self._lock:
            self._ending = self._ending | {token}
        try:
            yield
        finally:
            with self._lock:
                self.tokens, self._ending = self.tokens - {token}, self._ending - {token}

    def is_ending(self, token: int) -> bool:
        """Whether the pad gives this lease up, or did."""
        with self._lock:
            return token in self._ending or token not in self.tokens

    def close(self) -> None:
        """Wait for the calls under way and close.  In a forked child nothing is closed: it is not ours."""
        if not self.is_open():
            return
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for turn in self._waiting:
                turn.put(None)
            self._waiting.clear()
        for handle in self._all:
            with handle.lock:
                handle.close()


def text_arg(data: bytes) -> "Any":
    """Bytes as a jot_text.  It keeps them alive."""
    text = _abi.jot_text(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))
    text._keeps = data
    return text
