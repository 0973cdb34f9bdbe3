"""What a verb answers."""

from __future__ import annotations

import json
from typing import Any, Dict, Optional


class Answer(Dict[str, Any]):
    """The data of a verb, as ``jotter ... --json`` prints it.

    ``body`` is the stored text or bytes that were asked for, exactly, where the verb has one.
    """

    body: Optional[bytes]

    def __init__(self, data: bytes, body: Optional[bytes]) -> None:
        super().__init__(json.loads(data) if data else {})
        self.body = body

    @property
    def text(self) -> str:
        """The body as text; UnicodeDecodeError if it is none, "" without a body."""
        return (self.body or b"").decode("utf-8")
