"""Results, copied out of the library's memory before a call returns."""

from __future__ import annotations

import ctypes
import datetime
import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar

R = TypeVar("R")
SHOWN = 60  # bytes of a text that its repr shows


def text_of(text: Any) -> bytes:
    """A jot_text, copied."""
    return ctypes.string_at(text.data, text.size) if text.size else b""


def _str(value: Optional[bytes]) -> str:
    return (value or b"").decode("utf-8", "surrogateescape")


def moment(at_ms: int) -> datetime.datetime:
    """Milliseconds since 1970 as a time in UTC."""
    return datetime.datetime.fromtimestamp(at_ms / 1000, datetime.timezone.utc)


def listed(of: Callable[[Any], R], items: Any, count: int) -> List[R]:
    """Pointers to structs, each copied."""
    return [of(items[i].contents) for i in range(count)]


def moment_or_none(at_ms: int) -> Optional[datetime.datetime]:
    """The same, where 0 and less say that there is none."""
    return moment(at_ms) if at_ms > 0 else None


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

    def __repr__(self) -> str:
        text = repr(self.data[:SHOWN]) + ("..." if len(self.data) > SHOWN else "")
        return (f"<jotter.Doc {self.name!r} seq {self.seq}, version {self.version!r}, by {self.by!r}, "
                f"{self.size} bytes: {text}>")

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
    return listed(Doc.of, docs.items, docs.count)


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
        passages = tuple(listed(Passage.of, e.items, e.count))
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
    results: int  # of the run that are shown in full
    damaged: int  # records that cannot be read
    left: Tuple[Dict[str, Any], ...]  # what is not shown in full, and how to get it

    @staticmethod
    def of(s: Any) -> "Context":
        left = []
        for i in range(s.left_count):
            one = s.left[i].contents
            left.append({"what": _str(one.what), "why": _str(one.why), "name": _str(one.name),
                         "from": getattr(one, "from"), "to": one.to, "get": _str(one.get),
                         "count": one.count})
        return Context(text_of(s.text).decode("utf-8"), s.prefix, s.tokens, s.budget, s.results,
                       s.damaged, tuple(left))


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
    torn: int  # what this handle met and repaired: unfinished records cut from the end of a stream
    damaged: int  # unreadable records passed over
    outside: int  # edits by people that became versions
    quarantined: int  # files moved to quarantine/
    restored: int  # files rebuilt from their history
    last: str  # the latest of these, as a sentence

    @staticmethod
    def of(i: Any) -> "Info":
        return Info(_str(i.url), _str(i.why), _str(i.engine), _str(i.read_only), i.durable,
                    i.shared, i.edits_seen, i.edits_guarded, i.torn, i.damaged, i.outside,
                    i.quarantined, i.restored, _str(i.last))


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


@dataclass(frozen=True)
class Changes:
    """What may have changed in a pad."""

    names: Tuple[str, ...]  # of streams, such as "notes/plan"; in no order
    rescan: bool  # anything may have changed
    next: str  # the cursor to continue from

    @staticmethod
    def of(c: Any) -> "Changes":
        return Changes(tuple(_str(c.names[i]) for i in range(c.count)), c.rescan, _str(c.next))


@dataclass(frozen=True)
class Problem:
    """Something that was not understood, and hides nothing else."""

    name: str
    why: str

    @staticmethod
    def of(p: Any) -> "Problem":
        return Problem(_str(p.name), _str(p.why))


@dataclass(frozen=True)
class Report:
    """What a copy, an import or an export did."""

    layout: str  # what it was: "archive", "notes", "beads", "pad" ...
    streams: int  # of archives and pads: looked at
    records: int  # likewise
    bytes: int  # likewise
    files: int  # of other layouts: read or written
    added: int  # records that were not there before
    unchanged: int  # files that were
    skipped: Tuple[Problem, ...]  # what was left out, and why; at most 1000 ...
    skipped_total: int  # ... of so many
    missed: int  # of these all but hidden and empty files
    renamed: Tuple[Problem, ...]  # names that cannot be one in a pad; ``why`` is the new one
    renamed_total: int

    @staticmethod
    def of(r: Any) -> "Report":
        return Report(
            _str(r.layout), r.streams, r.records, r.bytes, r.files, r.added, r.unchanged,
            tuple(listed(Problem.of, r.skipped, r.skipped_count)), r.skipped_total, r.missed,
            tuple(listed(Problem.of, r.renamed, r.renamed_count)), r.renamed_total)


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with a pad, or where a phrase stays."""

    kind: str  # "damage", "lost", "fork" ...
    stream: str
    what: str  # one sentence
    advice: str  # what to do
    counts: bool  # False: only worth knowing
    repairable: bool  # ``doctor`` repairs it

    @staticmethod
    def of(f: Any) -> "Fault":
        return Fault(_str(f.kind), _str(f.stream), _str(f.what), _str(f.advice), f.counts, f.repairable)


@dataclass(frozen=True)
class Verified:
    """What a look at every byte of a pad found."""

    streams: int
    records: int
    bytes: int
    faults: int  # that count
    items: Tuple[Fault, ...]  # at most 1000 ...
    total: int  # ... of so many
    heads_at: Optional[datetime.datetime]  # of the list of heads it was compared with; None: there is none

    @staticmethod
    def of(v: Any) -> "Verified":
        return Verified(v.streams, v.records, v.bytes, v.faults, tuple(listed(Fault.of, v.items, v.count)),
                        v.total, moment_or_none(v.heads_at))


@dataclass(frozen=True)
class Redacted:
    """What became of a phrase that was taken out of a whole pad."""

    streams: int  # looked at
    rewritten: int  # documents whose present text held it
    records: int  # that lost their texts
    items: Tuple[Fault, ...]  # where it stays; at most 1000 ...
    total: int  # ... of so many

    @staticmethod
    def of(r: Any) -> "Redacted":
        return Redacted(r.streams, r.rewritten, r.records, tuple(listed(Fault.of, r.items, r.count)), r.total)


@dataclass(frozen=True)
class Collected:
    """What was let go of, or would be."""

    streams: int  # of which something went
    records: int
    bytes: int

    @staticmethod
    def of(c: Any) -> "Collected":
        return Collected(c.streams, c.records, c.bytes)


@dataclass(frozen=True)
class KindStats:
    """What there is of one kind."""

    kind: str
    streams: int  # living ones
    deleted: int  # and tombstones
    records: int
    bytes: int
    damaged: int  # records that cannot be read
    oldest: Optional[datetime.datetime]  # of its records; None: there is none
    newest: Optional[datetime.datetime]

    @staticmethod
    def of(k: Any) -> "KindStats":
        return KindStats(_str(k.kind), k.streams, k.deleted, k.records, k.bytes, k.damaged,
                         moment_or_none(k.oldest_ms), moment_or_none(k.newest_ms))
