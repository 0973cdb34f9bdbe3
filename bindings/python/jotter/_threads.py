"""What the frameworks' modules share: how their words and records are kept (bindings/LAYOUT.md)."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from ._errors import Corrupt, Invalid, NotFound
from ._pad import Pad, open as open_pad
from ._results import Doc

Part = Tuple[str, bytes]  # what it was serialised by, and its bytes

SEGMENT_MAX = 120
SEGMENT_KEPT = 50
FORMAT = 1


def pad_of(pad: Union[Pad, str, None]) -> Pad:
    """A pad, or the one that a URL names."""
    return pad if isinstance(pad, Pad) else open_pad(pad)


def utf8(word: Any, what: str) -> bytes:
    if not isinstance(word, str):
        raise Invalid(f"{what} must be str, not {type(word).__name__}")
    try:
        return word.encode("utf-8")
    except UnicodeEncodeError:
        raise Invalid(f"{what} has half a character (a lone surrogate) in it") from None


def segment(word: str, what: str = "a name") -> str:
    """A word as one segment of a stream's name."""
    data = utf8(word, what)
    plain = re.sub(rb"[^A-Za-z0-9_-]", lambda found: b"%%%02X" % found.group()[0], data) or b"%"
    if len(plain) <= SEGMENT_MAX:
        return plain.decode()
    return f"{plain[:SEGMENT_KEPT].decode()}%-{hashlib.sha256(data).hexdigest()}"


def word_of(part: str) -> Optional[str]:
    """The word a segment stands for; None if it does not say it whole."""
    if part == "%":
        return ""
    if "%-" in part:
        return None
    data = re.sub(rb"%([0-9A-F]{2})", lambda found: bytes([int(found.group(1), 16)]), part.encode())
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


class Record:
    """One record of a thread."""

    __slots__ = ("header", "parts", "seq", "version")

    def __init__(self, header: Dict[str, Any], parts: Sequence[Part], seq: int = 0,
                 version: str = "") -> None:
        self.header = header
        self.parts = list(parts)
        self.seq = seq
        self.version = version


def safe_part(part: Part) -> Part:
    """Bytes that are no program: pickle is one."""
    if part[0] == "pickle":
        raise Invalid("this value can only be pickled, and pickles are programs: "
                      "they are neither stored nor read")
    return part


def encode(record: Record) -> bytes:
    parts = [safe_part(part) for part in record.parts]
    header = {"v": FORMAT, **record.header, "parts": [[kind, len(data)] for kind, data in parts]}
    try:
        line = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        raise Invalid("a name has half a character (a lone surrogate) in it") from None
    return line + b"\n" + b"".join(data for _, data in parts)


def decode(doc: Doc) -> Optional[Record]:
    """The record of a version; None: its text was removed, or a newer version wrote it."""
    if doc.redacted or doc.deleted:
        return None
    line, _, rest = doc.data.partition(b"\n")
    try:
        header = json.loads(line)
        sizes = [(str(kind), int(size)) for kind, size in header.pop("parts")]
        if header.pop("v") != FORMAT:
            return None
        whole = sum(size for _, size in sizes) == len(rest) and all(n >= 0 for _, n in sizes)
    except (ValueError, KeyError, TypeError, AttributeError):
        whole = False
    if not whole:
        raise Corrupt(f"record {doc.seq} of {doc.name} is none of a framework's")
    parts: List[Part] = []
    for kind, size in sizes:
        parts.append((kind, rest[:size]))
        rest = rest[size:]
    return Record(header, parts, doc.seq, doc.version)


def add(pad: Pad, name: str, record: Record, meta: Dict[str, Any],
        if_version: Optional[str] = None) -> Doc:
    """Append it; durable when it returns."""
    return pad.write(name, encode(record), meta={"what": record.header["what"], **meta},
                     if_version=if_version)


def records(pad: Pad, name: str, after: int = 0) -> Iterator[Record]:
    """All records from ``after`` on, oldest first."""
    try:
        for doc in pad.versions(name, after):
            record = decode(doc)
            if record is not None:
                yield record
    except NotFound:
        return


class Follower:
    """Who looks at each record of a stream once, and at all of them if it is another stream."""

    def __init__(self, pad: Pad, name: str) -> None:
        self._pad = pad
        self._name = name
        self._last = 0
        self._sha256 = ""

    def look(self) -> Tuple[Optional[Doc], bool, List[Doc]]:
        """The newest record (None: there is no stream), whether what was seen before counts no more,
        and what is new."""
        try:
            head = self._pad.read(self._name)
            if head.seq == self._last and head.sha256 == self._sha256:
                return head, False, []
            docs = list(self._pad.versions(self._name, max(self._last, 1)))
            same = bool(self._last and docs and docs[0].seq == self._last
                        and docs[0].sha256 == self._sha256)
            if self._last and not same:
                docs = list(self._pad.versions(self._name))
        except NotFound:
            self._last, self._sha256 = 0, ""
            return None, True, []
        self._last, self._sha256 = docs[-1].seq, docs[-1].sha256
        return docs[-1], not same, docs[1:] if same else docs


def purge(pad: Pad, name: str) -> None:
    try:
        pad.purge(name)
    except NotFound:
        pass
