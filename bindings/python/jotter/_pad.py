"""Pad: one open scratchpad."""

from __future__ import annotations

import ctypes
import datetime
import json
import os
import sys
import time
from types import TracebackType
from typing import (
    Any, Callable, Dict, Iterator, List, Mapping, Optional, Type, TypeVar, Union, overload,
)

from . import _abi
from ._answer import Answer
from ._errors import Conflict, Error, Fenced, Invalid, Leased, NotFound, error_of
from ._handle import (
    Handle, Pool, at_ms_of, count_of, encode, flag_of, function_of, json_of, ms_of, text_arg,
)
from ._library import library
from ._results import (
    Changes, Collected, Context, Diff, Doc, Evidence, Hit, Info, KindStats, Lease, Merge, Redacted,
    Report, ToolReply, Verified, docs_of, listed, text_of,
)
from ._verbs import Nouns

Text = Union[str, bytes, bytearray, memoryview]
Moment = Optional[datetime.datetime]
Place = Union[str, "os.PathLike[str]"]
R = TypeVar("R")
D = TypeVar("D")

PAGE = 1000  # what one call lists at most
WATCH_SLICE = 0.2  # seconds: Python sees Ctrl-C only between calls
PAUSE, PAUSE_MAX = 0.01, 0.2  # seconds between two looks at a lease that somebody else has


def pauses(wait: float) -> Iterator[float]:
    """How long to sleep before each further look, for somebody who waits so many seconds."""
    until, pause = time.monotonic() + ms_of(wait, "wait") / 1000, PAUSE
    left = until - time.monotonic()
    while left > 0:
        yield min(pause, left)
        left, pause = until - time.monotonic(), min(2 * pause, PAUSE_MAX)


def as_bytes(text: Text, what: str = "a text") -> bytes:
    """What a program gives as a text."""
    if isinstance(text, str):
        try:
            return text.encode("utf-8")
        except UnicodeEncodeError:
            raise Invalid(f"{what} has half a character (a lone surrogate) in it") from None
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    raise Invalid(f"{what} must be str or bytes, not {type(text).__name__}")


def _name(value: Any, what: str = "a key") -> bytes:
    if not isinstance(value, str):
        raise Invalid(f"{what} must be str, not {type(value).__name__}")
    return encode(value, what) or b""


def _place(value: Optional[Place], what: str) -> Optional[bytes]:
    """A URL or a path.  A Path is a path also where it looks like a word."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
        if isinstance(value, str) and "/" not in value:
            value = "./" + value
    return encode(value, what)


def _needed(value: Place, what: str) -> bytes:
    if value is None:
        raise Invalid(f"{what} must be str, not NoneType")
    return _place(value, what) or b""


def _author() -> str:
    """Who writes, where nobody said: the program."""
    said = sys.argv[0] if sys.argv and sys.argv[0] not in ("", "-", "-c", "-m") else "python"
    if os.path.basename(said) == "__main__.py":  # of a package: python -m NAME
        said = os.path.dirname(said)
    name = os.path.basename(said)
    return (name[:-3] if name.endswith(".py") else name) or "python"


class Held:
    """A lease that this pad holds, for a ``with`` block.

    Writes of the pad to what it covers succeed only while it stands; afterwards they, and the end of
    the block, raise Fenced.
    """

    def __init__(self, pad: "Pad", lease: Lease) -> None:
        self._pad = pad
        self._ended = False  # by release
        self.lease = lease

    @property
    def token(self) -> int:
        """The number of the lease, under which another process may ``adopt`` it."""
        return self.lease.token

    def __repr__(self) -> str:
        return f"<jotter.Held {self.lease.on!r}, token {self.token}>"

    def renew(self, ttl: Optional[float] = None) -> Lease:
        """Have the whole time again; ``ttl`` in seconds, None: as long as before."""
        self.lease = self._pad._call(
            "jot_lease_renew", self.token, ms_of(ttl, "ttl"), out=_abi.jot_lease, give=Lease.of)
        return self.lease

    def check(self) -> Lease:
        """How long it still stands; Fenced if it has ended."""
        return self._pad._call("jot_lease_check", self.token, out=_abi.jot_lease, give=Lease.of)

    def release(self) -> None:
        """Let others have it.  Fenced: it had ended already.  Releasing twice is fine."""
        pad = self._pad
        if self._ended:
            return

        def let_go(handle: Handle) -> None:
            with pad._pool.ending(self.token):
                pad._call_on(handle, "jot_lease_release", self.token)
                handle.tokens = handle.tokens - {self.token}

        try:
            pad._pool.use(let_go)
        except Fenced:
            self._ended = True
            raise
        self._ended = True

    def __enter__(self) -> "Held":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        try:
            self.release()
        except Fenced:
            if kind is None:  # an error of the block says more than this
                raise


class Pad(Nouns):
    """One open scratchpad, and the agent that uses it.

    Notes are read and written by key; ``pad["plan"] = "ship"`` writes whatever is there, so use
    ``write(..., if_version=...)`` or ``update`` where somebody else may write too.  Any thread may
    use a pad: calls wait for each other, unless ``pool`` allows several at once.
    """

    def __init__(
        self,
        url: Optional[Place] = None,
        *,
        as_: Optional[str] = None,
        language: Optional[str] = None,
        wait: Optional[float] = None,
        existing: bool = False,
        read_only: bool = False,
        pool: int = 1,
        dialect: Optional[str] = None,
    ) -> None:
        super().__init__(self._do)
        self._options: Dict[str, Any] = {
            "as": encode(as_ if as_ is not None else _author(), "as_"),
            "language": encode(language, "language"),
            "wait_ms": -1 if wait == 0 else ms_of(wait, "wait"),
            "existing": flag_of(existing, "existing"),
            "read_only": flag_of(read_only, "read_only"),
            "dialect": encode(dialect, "dialect"),
        }
        self._url = _place(url, "a URL")
        self.dialect = dialect
        if count_of(pool, "pool") > 1 and self._url is not None and self._url.startswith(b"mem:"):
            raise Invalid("a pad in memory is one handle's own: pool must be 1")
        self._pool = Pool(self._open, pool)

    def _open(self) -> Handle:
        o = _abi.jot_open_options(size=ctypes.sizeof(_abi.jot_open_options))
        for name, value in self._options.items():
            setattr(o, name, value)
        return Handle(self._url, o)

    def close(self) -> None:
        """Close it; leases that live with it are free.  Closing twice is fine."""
        self._pool.close()

    def __enter__(self) -> "Pad":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_pool"):
            self._pool.close()

    def __repr__(self) -> str:
        by = (self._options["as"] or b"").decode("utf-8", "replace")
        url = "of the command line" if self._url is None else repr(os.fsdecode(self._url))
        return (f"<jotter.Pad {url} as {by!r}"
                f"{'' if self._pool.is_open() else ', closed'}>")

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Neither pickle nor copy: two of them would close one file."""
        raise TypeError("a pad cannot be pickled or copied: open it again there, by its URL")

    # --- How a call is made ---------------------------------------------------------------------

    def _call(self, function: str, *arguments: Any, out: Any = None,
              give: Callable[[Any], R] = lambda _: None,  # type: ignore[assignment,return-value]
              refused: Optional[Callable[[Error, Any], None]] = None) -> R:
        """Call a function of jotter.h; ``give`` copies its result of type ``out``.  ``refused`` may
        add to the error what a failed call left in its result."""
        return self._pool.use(
            lambda handle: self._call_on(handle, function, *arguments, out=out, give=give, refused=refused))

    def _call_on(self, handle: Handle, function: str, *arguments: Any, out: Any = None,
                 give: Callable[[Any], R] = lambda _: None,  # type: ignore[assignment,return-value]
                 refused: Optional[Callable[[Error, Any], None]] = None) -> R:
        result = ctypes.POINTER(out)() if out is not None else None
        more = () if result is None else (ctypes.byref(result),)
        status = getattr(handle.lib, function)(handle.pad, *arguments, *more)
        if status == _abi.JOT_OK:
            return give(result.contents if result else result)
        error = error_of(status, handle.sentence())
        if refused and result:
            refused(error, result.contents)
        raise error

    def _do(self, noun: str, verb: str, args: Mapping[str, Any]) -> Answer:
        given = {name: value for name, value in args.items() if value is not None}
        said = json_of(given, f"the arguments of {noun} {verb}")

        def give(a: Any) -> Answer:
            return Answer(a.data, text_of(a.body) if a.has_body else None)

        def refused(error: Error, a: Any) -> None:
            error.answer = give(a)

        return self._call("jot_verb", noun.encode(), verb.encode(), said, out=_abi.jot_answer,
                          give=give, refused=refused)

    def _changed(self, function: str, key: str, *arguments: Any, mine: Optional[bytes] = None,
                 base: Optional[str] = None) -> Doc:
        """A call that changes a document; a conflict has both texts and what comes of them."""
        def refused(error: Error, now: Any) -> None:
            if isinstance(error, Conflict):
                error.now = Doc.of(now)

        try:
            return self._call(function, _name(key), *arguments, out=_abi.jot_doc, give=Doc.of,
                              refused=refused)
        except Conflict as conflict:
            conflict.mine = mine
            self._explain(conflict, key, base)
            raise

    def _explain(self, conflict: Conflict, key: str, base: Optional[str]) -> None:
        """The present text and the merge.  What fails here takes nothing from the conflict itself."""
        try:
            if base and conflict.mine is not None:
                merge = self.merge(key, base, conflict.mine)
                conflict.now, conflict.merged, conflict.clean = merge.now, merge.data, merge.clean
            elif conflict.now and not conflict.now.deleted:
                conflict.now = self.read(key)
        except Error:
            pass

    # --- Notes ----------------------------------------------------------------------------------

    def write(self, key: str, text: Text, *, if_version: Optional[str] = None,
              if_absent: bool = False, merge: bool = False,
              meta: Optional[Mapping[str, Any]] = None, id: Optional[str] = None) -> Doc:
        """Make ``text`` the value; durable when it returns.

        ``if_version``: only if it is still that one, else Conflict; with ``merge`` both changes are
        written if they do not touch each other.  ``if_absent``: only if there is none.  A retry with
        the same ``id`` and text changes nothing.
        """
        data = as_bytes(text)
        o = _abi.jot_write_options(
            size=ctypes.sizeof(_abi.jot_write_options), if_version=encode(if_version, "if_version"),
            meta=None if meta is None else json_of(meta, "the members of meta"), id=encode(id, "id"),
            if_absent=flag_of(if_absent, "if_absent"), merge=flag_of(merge, "merge"))
        return self._changed("jot_doc_write", key, text_arg(data), ctypes.byref(o), mine=data,
                             base=if_version)

    def append(self, key: str, text: Text, *, if_version: Optional[str] = None,
               line: bool = False) -> Doc:
        """Append to it, or make it.  ``line``: begin a new line.  Appends of others are never lost."""
        data = as_bytes(text)
        o = _abi.jot_append_options(size=ctypes.sizeof(_abi.jot_append_options),
                                    if_version=encode(if_version, "if_version"), line=flag_of(line, "line"))
        return self._changed("jot_doc_append", key, text_arg(data), ctypes.byref(o), mine=data)

    def edit(self, key: str, old: Text, new: Text, *, if_version: Optional[str] = None) -> Doc:
        """Replace the one place that reads exactly ``old``.  Invalid: there is none, or several."""
        return self._changed("jot_doc_edit", key, text_arg(as_bytes(old)), text_arg(as_bytes(new)),
                             encode(if_version, "if_version"), mine=as_bytes(new))

    def read(self, key: str, version: Optional[str] = None, *, from_line: int = 0, lines: int = 0,
             tokens: int = 0) -> Doc:
        """The document, or an older version of it (12 hex digits, ``~1``, a time).  NotFound."""
        o = _abi.jot_read_options(size=ctypes.sizeof(_abi.jot_read_options), version=encode(version, "a version"),
                                  line_from=count_of(from_line, "from_line"),
                                  lines=count_of(lines, "lines"), tokens=count_of(tokens, "tokens"))
        return self._call("jot_doc_read", _name(key), ctypes.byref(o), out=_abi.jot_doc, give=Doc.of)

    def update(self, key: str, change: Callable[[Optional[str]], Text], *,
               attempts: int = 100) -> Doc:
        """Read it, call ``change`` with its text (None: there is none), write what that returns; again
        if somebody wrote in between.  Conflict after so many attempts."""
        function_of(change, "change")
        for attempt in range(count_of(attempts, "attempts")):
            try:
                old: Optional[Doc] = self.read(key)
            except NotFound:
                old = None
            text = change(None if old is None else old.text)
            try:
                if old is None:
                    return self.write(key, text, if_absent=True)
                return self.write(key, text, if_version=old.version)
            except Conflict:
                if attempt + 1 == attempts:
                    raise
        raise Invalid("attempts must be 1 or more")

    def delete(self, key: str, *, if_version: Optional[str] = None) -> Doc:
        """Delete it; the history stays.  NotFound."""
        return self._changed("jot_doc_delete", key, encode(if_version, "if_version"))

    def move(self, key: str, to: str) -> Doc:
        """Give it another key; the history stays with the old one.  Conflict: that one is taken."""
        return self._changed("jot_doc_move", key, _name(to))

    def list(self, prefix: str = "", *, deleted: bool = False) -> Iterator[Doc]:
        """All notes whose keys begin so ("memories/": documents by their whole name), without texts."""
        after: Optional[bytes] = None
        while True:
            o = _abi.jot_list_options(size=ctypes.sizeof(_abi.jot_list_options), after=after,
                                      limit=PAGE, deleted=flag_of(deleted, "deleted"))
            page, more = self._call(
                "jot_doc_list", _name(prefix, "a prefix"), ctypes.byref(o), out=_abi.jot_docs,
                give=lambda d: (docs_of(d), d.more))
            yield from page
            if not more or not page:
                return
            after = encode(page[-1].name)

    def __getitem__(self, key: str) -> str:
        return self.read(key).text

    def __setitem__(self, key: str, text: Text) -> None:
        """Overwrite it, whoever wrote last: ``write(..., if_version=...)`` looks first."""
        self.write(key, text)

    def __delitem__(self, key: str) -> None:
        self.delete(key)

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        try:
            self.read(key, lines=1)
        except NotFound:
            return False
        return True

    @overload
    def get(self, key: str) -> Optional[str]: ...

    @overload
    def get(self, key: str, default: D) -> Union[str, D]: ...

    def get(self, key: str, default: Any = None) -> Any:
        """Its text; ``default`` if there is none."""
        try:
            return self.read(key).text
        except NotFound:
            return default

    def __iter__(self) -> Iterator[str]:
        return (doc.name for doc in self.list())

    # --- What a note was ------------------------------------------------------------------------

    def history(self, key: str) -> Iterator[Doc]:
        """Its versions, newest first, without texts.  NotFound."""
        before = 0
        while True:
            page, more = self._call("jot_doc_history", _name(key), before, PAGE, out=_abi.jot_docs,
                                    give=lambda d: (docs_of(d), d.more))
            yield from page
            if not more or not page:
                return
            before = page[-1].seq

    def versions(self, key: str, from_: int = 1, *, limit: Optional[int] = None) -> Iterator[Doc]:
        """Its versions from this seq on, oldest first, with their texts.  NotFound."""
        count_of(from_, "from_")
        if limit is not None:
            count_of(limit, "limit")
        while limit is None or limit > 0:
            count = PAGE if limit is None else min(PAGE, limit)
            page, more = self._call("jot_doc_versions", _name(key), from_, count, out=_abi.jot_docs,
                                    give=lambda d: (docs_of(d), d.more))
            yield from page
            if not more or not page:
                return
            from_ = page[-1].seq + 1
            limit = None if limit is None else limit - len(page)

    def diff(self, key: str, old: Optional[str] = None, new: Optional[str] = None) -> Diff:
        """How a version became another; by default what the last change did."""
        return self._call("jot_doc_diff", _name(key), encode(old, "a version"), encode(new, "a version"), out=_abi.jot_diff,
                          give=lambda d: Diff(text_of(d.text), d.added, d.removed))

    def blame(self, key: str) -> List[Dict[str, Any]]:
        """Who wrote each line, and when."""
        lines: List[Dict[str, Any]] = json.loads(self._string("jot_doc_blame_json", _name(key)))["lines"]
        return lines

    def merge(self, key: str, base: str, mine: Text) -> Merge:
        """What comes of ``mine``, made of the version ``base``, and what was written since."""
        return self._call("jot_doc_merge", _name(key), encode(base, "a version"), text_arg(as_bytes(mine)),
                          out=_abi.jot_merge, give=Merge.of)

    def undo(self, key: str, *, if_version: Optional[str] = None) -> Doc:
        """Bring back what was before the last change."""
        return self._changed("jot_doc_undo", key, encode(if_version, "if_version"))

    def redo(self, key: str, *, if_version: Optional[str] = None) -> Doc:
        """Bring back what the last undo took away, if nothing was written since."""
        return self._changed("jot_doc_redo", key, encode(if_version, "if_version"))

    def restore(self, key: str, version: str, *, if_version: Optional[str] = None) -> Doc:
        """Write an older version again."""
        return self._changed("jot_doc_restore", key, encode(version, "a version"), encode(if_version, "if_version"))

    def purge(self, key: str) -> None:
        """Remove it and all its versions for good.  NotFound: it was never there."""
        self._call("jot_doc_purge", _name(key))

    def redact(self, key: str, version: str) -> int:
        """Remove an older version's text for good; in how many records it was."""
        return self._count("jot_doc_redact", _name(key), encode(version, "a version"))

    def redact_text(self, key: str, phrase: Text) -> int:
        """Take a phrase out of every version for good; how many older ones lost their texts."""
        return self._count("jot_doc_redact_text", _name(key), text_arg(as_bytes(phrase, "a phrase")))

    def redact_run(self, run: str, phrase: Text = b"", *, seq: int = 0) -> int:
        """Take a phrase out of a run for good, or the text of the one record ``seq``; from how many
        records."""
        return self._count("jot_run_redact", _name(run, "a run"), count_of(seq, "seq"),
                           text_arg(as_bytes(phrase, "a phrase")))

    def redact_all(self, phrase: Text) -> Redacted:
        """Take a phrase, 4 bytes or more, out of the whole pad for good.  NotFound: it is nowhere.
        Unsupported: it stays in some places, which the error's ``report`` tells."""
        return self._whole("jot_redact_all", text_arg(as_bytes(phrase, "a phrase")),
                           out=_abi.jot_redacted, give=Redacted.of)

    def purge_run(self, run: str) -> None:
        """Remove a run and all its records for good; its id is not given again."""
        self._call("jot_run_purge", _name(run, "a run"))

    def reset_cycle(self, agent: Optional[str] = None, state: Text = b"", *, clean: bool = False) -> int:
        """Let an agent's cycles start, or start over, with this state, YAML as it is (empty: the empty
        one).  ``clean``: delete what is kept of those there were; how many things that was.  Leased: one
        is running."""
        return self._count("jot_cycle_reset", encode(agent, "agent"), text_arg(as_bytes(state, "a state")),
                           flag_of(clean, "clean"))

    # --- Finding --------------------------------------------------------------------------------

    def _search_options(self, kind: Optional[str], prefix: Optional[str], by: Optional[str],
                        since: Moment, until: Moment) -> Any:
        return _abi.jot_search_options(
            size=ctypes.sizeof(_abi.jot_search_options), kind=encode(kind, "kind"),
            prefix=encode(prefix, "a prefix"), by=encode(by, "by"), since_ms=at_ms_of(since, "since"),
            until_ms=at_ms_of(until, "until"))

    def search(self, query: str, *, kind: Optional[str] = None, prefix: Optional[str] = None,
               by: Optional[str] = None, since: Moment = None, until: Moment = None, limit: int = 10,
               offset: int = 0) -> List[Hit]:
        """The best hits of notes, memories, artifacts and runs (``kind``: one of them), written by
        ``by``, and not before ``since`` nor after ``until``."""
        o = self._search_options(kind, prefix, by, since, until)
        o.limit, o.offset = count_of(limit, "limit"), count_of(offset, "offset")
        return self._call("jot_search", _name(query, "a query"), ctypes.byref(o), out=_abi.jot_hits,
                          give=lambda h: listed(Hit.of, h.items, h.count))

    def evidence(self, query: str, budget: int, *, kind: Optional[str] = None,
                 prefix: Optional[str] = None, by: Optional[str] = None, since: Moment = None,
                 until: Moment = None) -> Evidence:
        """What the hits say, in at most ``budget`` tokens: the lines that matter, nothing twice."""
        o = self._search_options(kind, prefix, by, since, until)
        return self._call("jot_search_evidence", _name(query, "a query"), count_of(budget, "budget"),
                          ctypes.byref(o),
                          out=_abi.jot_evidence, give=Evidence.of)

    def rebuild_index(self) -> None:
        """Rebuild the index of the search.  It is a cache: this is never needed, only sometimes quicker."""
        self._call("jot_search_rebuild")

    def context(self, budget: int = 8000, *, query: Optional[str] = None, run: Optional[str] = None,
                agent: Optional[str] = None, rules: Text = b"", limit: int = 0,
                tools: bool = False) -> Context:
        """What a model should see of the pad, in at most ``budget`` tokens: behind standing ``rules``,
        what the pad says to the ``query``, the results of a ``run`` and how many calls of one tool are
        suggested (``limit``), the state of an ``agent``.  ``tools``: the reader has the tools of a pad,
        and is told what was left out by their calls."""
        o = _abi.jot_context_options(
            size=ctypes.sizeof(_abi.jot_context_options), budget=count_of(budget, "budget"),
            run=encode(run, "run"), agent=encode(agent, "agent"), query=encode(query, "a query"),
            rules=text_arg(as_bytes(rules, "rules")), limit=count_of(limit, "limit"),
            tools=flag_of(tools, "tools"))
        return self._call("jot_context", ctypes.byref(o), out=_abi.jot_shown, give=Context.of)

    def watch(self, prefix: str = "", *, timeout: Optional[float] = None) -> Iterator[Doc]:
        """Changes as they come, from when the first is asked for, in streams whose names begin with
        ``prefix``; ends when nothing happened for ``timeout`` seconds (None: never).  ``changes`` also
        tells what came before."""
        if timeout is not None:
            ms_of(timeout, "timeout")
        other = self._twin() if self.where().shared else self
        try:
            other._watched(prefix, 0)
            idle = 0.0
            while timeout is None or idle < timeout:
                wait = WATCH_SLICE if timeout is None else min(WATCH_SLICE, timeout - idle)
                changed = other._watched(prefix, ms_of(max(wait, 0), "timeout"))
                yield from changed
                idle = 0.0 if changed else idle + max(wait, 0.001)
        finally:
            if other is not self:
                other.close()

    def changes(self, cursor: Optional[str] = None, *, wait: float = 0.0) -> Changes:
        """What may have changed since ``cursor`` (None: everything), which may be as old as you like;
        waits up to ``wait`` seconds for the first change.  ``watch`` is the simpler one, for a program
        that stays."""
        until = time.monotonic() + ms_of(wait, "wait") / 1000
        while True:  # in slices: Python sees Ctrl-C only between calls
            left = max(until - time.monotonic(), 0.0)
            changed = self._call("jot_changes", encode(cursor, "a cursor"), int(min(left, WATCH_SLICE) * 1000),
                                 out=_abi.jot_changed, give=Changes.of)
            if changed.names or changed.rescan or left <= WATCH_SLICE:
                return changed
            cursor = changed.next

    def _twin(self) -> "Pad":
        """Another pad on the same URL, for a call that takes long."""
        by = self._options["as"] or b""
        return Pad(None if self._url is None else self._url.decode("utf-8", "surrogateescape"), as_=by.decode("utf-8", "surrogateescape"), existing=True)

    def _watched(self, prefix: str, wait_ms: int) -> List[Doc]:
        return self._call("jot_watch", _name(prefix, "a prefix"), wait_ms, out=_abi.jot_docs,
                          give=docs_of)

    # --- Leases ---------------------------------------------------------------------------------

    def lease(self, name: str, *, ttl: float = 60.0, wait: float = 0.0, prefix: bool = False,
              live: bool = True) -> Held:
        """Hold a note, or with ``prefix`` all that begin so, for ``ttl`` seconds::

            with pad.lease("plan") as held:
                pad["plan"] = "mine alone"

        Leased: somebody else has it, for longer than ``wait`` seconds.  ``live``: it ends at once when
        this pad is closed or its process dies.
        """
        for pause in pauses(wait):  # not in C: other calls go on, and Ctrl-C ends it
            try:
                return self._lease(name, ttl, prefix, live)
            except Leased:
                time.sleep(pause)
        return self._lease(name, ttl, prefix, live)

    def _lease(self, name: str, ttl: float, prefix: bool, live: bool) -> Held:
        o = _abi.jot_lease_options(size=ctypes.sizeof(_abi.jot_lease_options), ttl_ms=ms_of(ttl, "ttl"),
                                   prefix=flag_of(prefix, "prefix"), live=flag_of(live, "live"))

        def refused(error: Error, found: Any) -> None:
            if isinstance(error, Leased):
                error.lease = Lease.of(found)

        def take(handle: Handle) -> Held:  # the one that takes it holds it: nothing to adopt
            lease = self._call_on(handle, "jot_lease_acquire", _name(name), ctypes.byref(o),
                                  out=_abi.jot_lease, give=Lease.of, refused=refused)
            self._pool.hold(handle, lease.token)
            return Held(self, lease)

        return self._pool.use(take)

    def adopt(self, token: int) -> Held:
        """Write under a lease that another process took, and gave the number of.  Fenced: it has ended."""
        def take(handle: Handle) -> Held:
            number = count_of(token, "a token")
            self._call_on(handle, "jot_lease_adopt", number)
            try:
                lease = self._call_on(handle, "jot_lease_check", number, out=_abi.jot_lease, give=Lease.of)
            except Error:  # a lease that has ended must not bind what else the pad writes
                handle.lib.jot_lease_release(handle.pad, number)
                raise
            self._pool.hold(handle, lease.token)
            return Held(self, lease)

        return self._pool.use(take)

    def leased(self, name: str, *, prefix: bool = False) -> Optional[Lease]:
        """The lease in the way of somebody who asks for this name; None: it is free."""
        try:
            return self._call("jot_lease_find", _name(name), flag_of(prefix, "prefix"), out=_abi.jot_lease,
                              give=Lease.of)
        except NotFound:
            return None

    def leases(self) -> List[Lease]:
        """All leases that stand."""
        return self._call("jot_lease_list", out=_abi.jot_leases,
                          give=lambda x: listed(Lease.of, x.items, x.count))

    # --- For a model ----------------------------------------------------------------------------

    def tools(self, profiles: Optional[str] = None) -> List[Dict[str, Any]]:
        """The tools of these profiles ("artifacts,memory", "all"), as MCP lists them."""
        tools: List[Dict[str, Any]] = json.loads(self._string("jot_tools", encode(profiles, "profiles")))
        return tools

    def tool(self, name: str, args: Optional[Mapping[str, Any]] = None) -> ToolReply:
        """Do what a model asked for.  What it did wrong is an answer, not an error."""
        said = None if args is None else json_of(args, "the arguments of a tool")
        return self._call("jot_tool_call", _name(name, "a tool's name"), said,
                          out=_abi.jot_tool_reply, give=ToolReply.of)

    # --- The whole pad --------------------------------------------------------------------------

    def where(self) -> Info:
        """Where the pad is and what it promises."""
        return self._call("jot_where", out=_abi.jot_info, give=Info.of)

    def stats(self) -> List[KindStats]:
        """What is in the pad, by kind."""
        return self._call("jot_stats", out=_abi.jot_stats_list,
                          give=lambda s: listed(KindStats.of, s.items, s.count))

    def copy(self, url: Place) -> Report:
        """Bring the whole pad, with its history, to another URL or path, and continue where the last
        copy stopped.  Corrupt, Conflict: the error's ``report`` has what was not copied whole."""
        return self._whole("jot_copy", _needed(url, "a URL"), out=_abi.jot_report, give=Report.of)

    def import_(self, path: Place, *, layout: Optional[str] = None, replace: bool = False) -> Report:
        """Bring in an archive, or the files of another program, recognised by what they are (or said by
        ``layout``).  What exists with another text is left so, unless ``replace``.  Importing twice adds
        nothing.  Look at ``skipped``: that something was is no error."""
        return self._whole("jot_import", _needed(path, "a path"), encode(layout, "layout"),
                           flag_of(replace, "replace"), out=_abi.jot_report, give=Report.of)

    def export(self, path: Place, *, layout: Optional[str] = None) -> Report:
        """Write the whole pad, with its history, to a new file that ends in ".jotter"; with ``layout``
        what another program knows, to an empty directory."""
        return self._whole("jot_export", _needed(path, "a path"), encode(layout, "layout"),
                           out=_abi.jot_report, give=Report.of)

    def verify(self) -> Verified:
        """Read every byte of the pad, and compare the index with it.  That there are faults is no error."""
        return self._call("jot_verify", out=_abi.jot_verified, give=Verified.of)

    def doctor(self, *, after_crash: bool = False) -> Verified:
        """Repair what can be repaired without losing anything; what is left.  ``where`` says what was
        done."""
        return self._call("jot_doctor", flag_of(after_crash, "after_crash"), out=_abi.jot_verified,
                          give=Verified.of)

    def gc(self, *, prefix: Optional[str] = None, keep: int = 0, before: Moment = None, bytes: int = 0,
           dry_run: bool = False) -> Collected:
        """Let old records of the streams whose names begin with ``prefix`` go, never the newest 16: those
        with more than ``keep`` newer ones, written before ``before``, or with more than ``bytes`` bytes in
        newer ones.  ``dry_run``: only say what would go."""
        o = _abi.jot_gc_options(
            size=ctypes.sizeof(_abi.jot_gc_options), prefix=encode(prefix, "a prefix"),
            keep=count_of(keep, "keep"), before_ms=at_ms_of(before, "before"),
            bytes=count_of(bytes, "bytes"), dry_run=flag_of(dry_run, "dry_run"))
        return self._call("jot_gc", ctypes.byref(o), out=_abi.jot_gc_count, give=Collected.of)

    def _whole(self, function: str, *arguments: Any, out: Any, give: Callable[[Any], R]) -> R:
        """A call on the whole pad, which says what it did also where it failed."""
        def refused(error: Error, found: Any) -> None:
            error.report = give(found)  # type: ignore[assignment]

        return self._call(function, *arguments, out=out, give=give, refused=refused)

    def _count(self, function: str, *arguments: Any) -> int:
        """A call that counts."""
        def call(handle: Handle) -> int:
            count = ctypes.c_uint64()
            status = getattr(handle.lib, function)(handle.pad, *arguments, ctypes.byref(count))
            if status != _abi.JOT_OK:
                raise error_of(status, handle.sentence())
            return count.value

        return self._pool.use(call)

    def _string(self, function: str, *arguments: Any) -> str:
        def call(handle: Handle) -> str:
            out = ctypes.c_char_p()
            status = getattr(handle.lib, function)(handle.pad, *arguments, ctypes.byref(out))
            if status != _abi.JOT_OK:
                raise error_of(status, handle.sentence())
            return (out.value or b"").decode("utf-8")

        return self._pool.use(call)


def open(url: Optional[Place] = None, *, as_: Optional[str] = None, language: Optional[str] = None,
         wait: Optional[float] = None, existing: bool = False, read_only: bool = False,
         pool: int = 1, dialect: Optional[str] = None) -> Pad:
    """Open the pad a URL or path names: ``files:notes``, ``sqlite:pad.db``, ``mem:``,
    ``postgres://...``; None: the one the command line would use.

    ``as_`` signs what is written (by default the program's name), ``wait`` is how many seconds to
    wait for other writers (10; 0: not at all), ``existing`` refuses to make a new pad, ``pool`` is
    how many calls may run at once, ``dialect`` how the tool ``memory`` answers ("python",
    "typescript": as that SDK does).
    """
    return Pad(url, as_=as_, language=language, wait=wait, existing=existing, read_only=read_only,
               pool=pool, dialect=dialect)


def tokens(text: Text) -> int:
    """About how many tokens a text costs a model."""
    counted: int = library().jot_tokens(text_arg(as_bytes(text)))
    return counted


def prompt(*, brief: bool = False) -> str:
    """What to tell a model about the scratchpad; ``brief``: in less than 2 KiB."""
    said: bytes = library().jot_prompt(flag_of(brief, "brief"))
    return said.decode("utf-8")
