"""Finding libjotter and declaring what it has.

``JOTTER_LIBRARY`` names the file; else it is the one inside this package (a wheel brings it along);
else the system's.  A library of another version is refused before anything is called: members of
results move between versions that are not yet 1.0.
"""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Optional

from . import _abi
from ._errors import NoLibrary

NAME = "libjotter.so.0"

_loaded: Optional[ctypes.CDLL] = None
_loading = threading.Lock()


def _path() -> str:
    named = os.environ.get("JOTTER_LIBRARY")
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), NAME)
    return named or (beside if os.path.exists(beside) else NAME)


def _load() -> ctypes.CDLL:
    path = _path()
    try:
        library = ctypes.CDLL(path)
        library.jot_version.restype = ctypes.c_char_p
        found = library.jot_version().decode()
    except (OSError, AttributeError) as why:
        raise NoLibrary(
            f"cannot use '{path}' as libjotter ({why}): install it, or set JOTTER_LIBRARY to its file"
        ) from None
    if found != _abi.VERSION:
        raise NoLibrary(
            f"'{path}' is libjotter {found}: this package was made for {_abi.VERSION}"
        )
    try:
        _abi.declare(library)
    except AttributeError as why:
        raise NoLibrary(f"'{path}' is not the libjotter this package was made for: {why}") from None
    return library


def library() -> ctypes.CDLL:
    """The library, loaded when it is first needed.  NoLibrary says what to do."""
    global _loaded
    with _loading:
        if _loaded is None:
            _loaded = _load()
        return _loaded
