"""Results, copied out of the library's memory before a call returns."""

from __future__ import annotations

import ctypes
import datetime
import json
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple


def text_of(text: Any) -> bytes:
    """A jot_text, copied."""
    return ctypes.string_at(text.data, text.size) if text.size else b""


def _str(value: Optional[bytes]) -> str:
    return (value or b"").decode("utf-8", "surrogateescape")


def moment(at_ms: int) -> datetime.datetime:
    """Milliseconds since 1970 as a time in UTC."""
    return datetime.datetime.fromtimestamp(at_ms / 1000, datetime.timezone.utc)


@dataclass(frozen=True)
class Doc:
    """A document, or in lists and histories one without its text."""

    name: str
    data: bytes
    size: int  # bytes of the whole text
    version: str  # 12 hex digits; "" if it is deleted
    sha256: str
    seq: int  # 0: a person's edit that the next write will record
    at: datetime.datetime
    by: str  # who wrote it; "outside": a person with an editor
    meta: Optional[Dict[str, Any]]
    deleted: bool
    redacted: bool
    merged: bool  # by a write: it holds somebody else's change too
    line: int  # by an edit: where it was made
    next_line: int  # by a bounded read: where to continue; 0: that was all
    left_out: str  # by a bounded read: what is not in it
    warning: str  # by a write: it looks as if it held a secret

    @property
    def text(self) -> str:
        """The text; UnicodeDecodeError if the bytes are none (``data`` has them)."""
        return self.data.decode("utf-8")

    @staticmethod
    def of(d: Any) -> "Doc":
        return Doc(
            name=_str(d.name), data=text_of(d.text), size=d.bytes, version=_str(d.version),
            sha256=_str(d.sha256), seq=d.seq, at=moment(d.at_ms), by=_str(d.by),
            meta=json.loads(d.meta) if d.meta else None, deleted=d.deleted, redacted=d.redacted,
            merged=d.merged, line=d.line, next_line=d.next_line, left_out=_str(d.left_out),
            warning=_str(d.warning),
        )


def docs_of(docs: Any) -> List[Doc]:
    return [Doc.of(docs.items[i].contents) for i in range(docs.count)]


@dataclass(frozen=True)
class Hit:
    """What a search found."""

    name: str
    seq: int
    at: datetime.datetime
    by: str
    version: str
    size: int  # bytes of the whole text
    tokens: int  # about what reading all of it costs
    snippet: str  # what was found stands between **
    score: float

    @staticmethod
    def of(h: Any) -> "Hit":
        return Hit(_str(h.name), h.seq, moment(h.at_ms), _str(h.by), _str(h.version), h.bytes,
                   h.tokens, _str(h.snippet), h.score)


@dataclass(frozen=True)
class Passage:
    """Lines that answer a question, and where they are from."""

    name: str
    seq: int
    at: datetime.datetime
    by: str
    version: str
    from_line: int
    to_line: int
    lines: int
    text: str
    score: float
    found: bool  # False: a record beside the one that was found
    cut: bool
    joins: bool  # it belongs to the passage before it

    @staticmethod
    def of(p: Any) -> "Passage":
        return Passage(_str(p.name), p.seq, moment(p.at_ms), _str(p.by), _str(p.version),
                       p.from_line, p.to_line, p.lines, text_of(p.text).decode("utf-8", "replace"),
                       p.score, p.found, p.cut, p.joins)


@dataclass(frozen=True)
class Evidence:
    """What a search found, within a budget of tokens."""

    text: str  # all of it for a model
    passages: Tuple[Passage, ...]
    tokens: int
    budget: int
    same: int  # hits that say nothing that is not shown
    left: int  # hits there was no room for
    more: bool

    @staticmethod
    def of(e: Any) -> "Evidence":
        passages = tuple(Passage.of(e.items[i].contents) for i in range(e.count))
        return Evidence(text_of(e.text).decode("utf-8", "replace"), passages, e.tokens, e.budget,
                        e.same, e.left, e.more)


@dataclass(frozen=True)
class Lease:
    """A document, or all whose names begin alike, had by one writer for a while."""

    on: str
    prefix: bool
    live: bool  # it also ends with the pad that took it
    token: int
    by: str
    ttl: float  # seconds
    left: float  # seconds until it ends by itself

    @staticmethod
    def of(held: Any) -> "Lease":
        return Lease(_str(held.on), held.prefix, held.live, held.token, _str(held.by),
                     held.ttl_ms / 1000, held.left_ms / 1000)


@dataclass(frozen=True)
class Merge:
    """What comes of two changes to one document."""

    now: Doc
    data: Optional[bytes]  # both changes; None: the base is not in the history
    clean: bool  # they do not touch each other

    @property
    def text(self) -> Optional[str]:
        return None if self.data is None else self.data.decode("utf-8")

    @staticmethod
    def of(m: Any) -> "Merge":
        return Merge(Doc.of(m.now.contents), text_of(m.text) if m.based else None, m.clean)


@dataclass(frozen=True)
class Diff:
    """How one version became another, as ``diff -u`` writes it."""

    data: bytes
    added: int
    removed: int

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "replace")


@dataclass(frozen=True)
class Context:
    """What a model should see of the pad, within a budget."""

    text: str
    prefix: int  # bytes at its beginning that seldom change
    tokens: int
    budget: int
    left: Tuple[Dict[str, Any], ...]  # what is not shown in full, and how to get it

    @staticmethod
    def of(s: Any) -> "Context":
        left = []
        for i in range(s.left_count):
            one = s.left[i].contents
            left.append({"what": _str(one.what), "why": _str(one.why), "name": _str(one.name),
                         "from": getattr(one, "from"), "to": one.to, "get": _str(one.get),
                         "count": one.count})
        return Context(text_of(s.text).decode("utf-8"), s.prefix, s.tokens, s.budget, tuple(left))


@dataclass(frozen=True)
class Info:
    """Where the pad is and what it promises."""

    url: str
    why: str
    engine: str
    read_only: str  # why it cannot be written; "": it can
    durable: bool
    shared: bool
    edits_seen: bool
    edits_guarded: bool

    @staticmethod
    def of(i: Any) -> "Info":
        return Info(_str(i.url), _str(i.why), _str(i.engine), _str(i.read_only), i.durable,
                    i.shared, i.edits_seen, i.edits_guarded)


@dataclass(frozen=True)
class ToolReply:
    """What to say to a model."""

    is_error: bool
    text: str
    data: Optional[Any]
    value: Optional[bytes]  # the stored text that ``text`` begins with, exactly

    @staticmethod
    def of(r: Any) -> "ToolReply":
        return ToolReply(r.is_error, text_of(r.text).decode("utf-8"),
                         json.loads(r.data) if r.data else None,
                         text_of(r.value) if r.has_value else None)
