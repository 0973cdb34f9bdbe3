"""Durable memory for agents, outside the context window.

    import jotter

    with jotter.open("files:notes") as pad:
        pad["plan"] = "ship on friday"
        plan = pad.read("plan")
        pad.write("plan", "ship on monday", if_version=plan.version)

Every error is a jotter.Error; jotter.aio has the same names for asyncio.
"""

from typing import TYPE_CHECKING, Any

from ._abi import VERSION as __version__
from ._answer import Answer
from ._errors import (
    Cancelled, Closed, Conflict, Corrupt, Denied, Error, Failed, Fenced, IdReused, Invalid, Leased,
    NoLibrary, NotFound, ReadOnly, TooBig, Unavailable, Unknown, Unsupported,
)
from ._pad import Held, Pad, open, prompt, tokens
from ._results import (
    Changes, Collected, Context, Diff, Doc, Evidence, Fault, Hit, Info, KindStats, Lease, Merge, Passage,
    Problem, Redacted, Report, ToolReply, Verified,
)

__all__ = [
    "Answer", "Cancelled", "Changes", "Closed", "Collected", "Conflict", "Context", "Corrupt",
    "Denied", "Diff", "Doc", "Error", "Evidence", "Failed", "Fault", "Fenced", "Held", "Hit",
    "IdReused", "Info", "Invalid", "KindStats", "Lease", "Leased", "Merge", "NoLibrary", "NotFound",
    "Pad", "Passage", "Problem", "ReadOnly", "Redacted", "Report", "TooBig", "ToolReply",
    "Unavailable", "Unknown", "Unsupported", "Verified", "__version__", "open", "prompt", "tokens",
]

if TYPE_CHECKING:
    from . import aio as aio


def __getattr__(name: str) -> Any:
    """jotter.aio is loaded when it is first used: asyncio is large."""
    if name == "aio":
        import importlib

        return importlib.import_module("jotter.aio")
    raise AttributeError(f"module 'jotter' has no attribute {name!r}")
