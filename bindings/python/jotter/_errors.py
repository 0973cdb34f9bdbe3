"""What can go wrong: one class for each status of jotter.h.

Every error is a jotter.Error and has the sentence of the library, which says what is wrong and what
is allowed.  Those that Python has a class for are one of that class too, so that ``except KeyError``
does what it looks like.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Optional, Type, Union

from . import _abi

if TYPE_CHECKING:
    from ._answer import Answer
    from ._results import Doc, Lease, Redacted, Report


class Error(Exception):
    """A call that did not do what it was asked to.  Nothing was changed, unless it is Unknown."""

    status: int = -1  # as numbered in jotter.h
    code: str = "error"  # the status's name, as every door to a pad tells it: "not_found"
    report: "Optional[Union[Report, Redacted]]" = None  # of a call on the whole pad: what it did do
    answer: "Optional[Answer]" = None  # of a verb: what is in the way

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class Invalid(Error, ValueError):
    """The argument is malformed; retrying cannot help."""

    status = _abi.JOT_INVALID
    code = "invalid"


class NotFound(Error, KeyError):
    """No such key, stream, record or pad."""

    status = _abi.JOT_NOT_FOUND
    code = "not_found"


class Conflict(Error):
    """Somebody wrote in between.

    ``now`` is the document as it is, with its text; ``mine`` what was to be written.  ``merged`` has
    both changes: write it with ``if_version=now.version`` if it is ``clean``, look at the marks in it
    if not.  It is None where the version that was read is no longer in the history.
    """

    status = _abi.JOT_CONFLICT
    code = "conflict"
    now: "Optional[Doc]" = None
    mine: Optional[bytes] = None
    merged: Optional[bytes] = None
    clean: bool = False


class TooBig(Error, ValueError):
    """Beyond a documented limit."""

    status = _abi.JOT_TOO_BIG
    code = "too_big"


class Unavailable(Error, TimeoutError):
    """The store is out of reach or busy; retrying may help."""

    status = _abi.JOT_UNAVAILABLE
    code = "unavailable"


class Failed(Error, OSError):
    """The store failed to read or write; nothing was changed."""

    status = _abi.JOT_IO
    code = "io"


class Leased(Error):
    """Somebody else holds a lease on it: ``lease``."""

    status = _abi.JOT_LEASED
    code = "leased"
    lease: "Optional[Lease]" = None


class Fenced(Error):
    """The lease this write depends on has ended."""

    status = _abi.JOT_FENCED
    code = "fenced"


class ReadOnly(Error, PermissionError):
    """This pad, or this handle, cannot be written."""

    status = _abi.JOT_READ_ONLY
    code = "read_only"


class Corrupt(Error):
    """Stored bytes are damaged; they are kept."""

    status = _abi.JOT_CORRUPT
    code = "corrupt"


class Unsupported(Error, NotImplementedError):
    """This build, engine or format cannot do that."""

    status = _abi.JOT_UNSUPPORTED
    code = "unsupported"


class Unknown(Error):
    """It may or may not have happened: read before you retry."""

    status = _abi.JOT_UNKNOWN
    code = "unknown"


class Cancelled(Error):
    """Stopped on request."""

    status = _abi.JOT_CANCELLED
    code = "cancelled"


class Denied(Error, PermissionError):
    """Not allowed by the system or by policy."""

    status = _abi.JOT_DENIED
    code = "denied"


class IdReused(Error):
    """The id was used before, with other content."""

    status = _abi.JOT_ID_REUSED
    code = "id_reused"


class Closed(Error, ValueError):
    """The pad is closed, or was opened by another process than this one (fork)."""

    status = _abi.JOT_INVALID
    code = "closed"


class NoLibrary(Error, ImportError):
    """libjotter is not there, or is of another version than this package."""

    status = _abi.JOT_UNSUPPORTED
    code = "no_library"


_BY_STATUS: Dict[int, Type[Error]] = {
    c.status: c
    for c in (
        Invalid, NotFound, Conflict, TooBig, Unavailable, Failed, Leased, Fenced, ReadOnly, Corrupt,
        Unsupported, Unknown, Cancelled, Denied, IdReused,
    )
}


def error_of(status: int, sentence: str) -> Error:
    """The error of a status."""
    return _BY_STATUS.get(status, Error)(sentence)
