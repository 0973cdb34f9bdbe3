"""A program that uses the package with types: mypy --strict looks at it, and it is never run.  What must not pass is marked,
and mypy complains about a mark that is not needed."""

from __future__ import annotations

import asyncio
import datetime
import pathlib
from typing import Any, Dict, List, Optional

import jotter
from jotter import Conflict, Doc, Held, Hit, Lease, Pad, aio


def notes(pad: Pad) -> str:
    pad["plan"] = b"ship"
    text: str = pad["plan"]
    maybe: Optional[str] = pad.get("plan")
    text += pad.get("plan", "nothing") + pad.read("plan", "~1", lines=3).text
    doc: Doc = pad.write("plan", text, if_version=pad.read("plan").version, merge=True, meta={"why": 1})
    at: datetime.datetime = doc.at
    try:
        pad.update("n", lambda old: str(int(old or 0) + 1), attempts=3)
    except Conflict as conflict:
        if conflict.now is not None and conflict.merged is not None and conflict.clean:
            pad.write("n", conflict.merged, if_version=conflict.now.version)
    for key in pad:
        text += key.upper()
    for one in pad.watch("notes/", timeout=0.1):
        text += one.by
    return text + (maybe or "") + at.isoformat()


def others(pad: Pad) -> List[Hit]:
    answer: Dict[str, Any] = pad.task.add(id="t", dependencies=["a"], max_retries=3)
    body: Optional[bytes] = pad.artifact.read("a", "b").body
    pad.run.say("r", "plan", str(answer["status"]) + str(body))
    with pad.lease("plan", ttl=3) as held:
        kept: Held = held
        lease: Lease = kept.check()
    pad.gc(keep=16, before=datetime.datetime.now(), dry_run=True)
    return pad.search("x", since=lease.left and datetime.datetime.now() or None, limit=3)


async def tasks() -> Optional[str]:
    async with aio.open(pathlib.Path("notes"), pool=4) as pad:
        doc: Doc = await pad.write("plan", "x")
        async for one in pad.list(deleted=True):
            doc = one
        async with pad.lease("plan") as held:
            await held.renew(3)
        await pad.update("n", lambda old: "x")
        await pad.task.next()
        return (await pad.get("plan", "nothing")) + doc.name


def wrong(pad: Pad) -> None:
    pad[7] = "x"  # type: ignore[index]
    pad["k"] = 7  # type: ignore[assignment]
    pad.write("k", "x", ifVersion="x")  # type: ignore[call-arg]
    pad.run.say("r", "song", "x")  # type: ignore[arg-type]
    pad.task.read()  # type: ignore[call-arg]
    pad.search("x", since="yesterday")  # type: ignore[arg-type]
    pad.read("k").text = "x"  # type: ignore[misc]


with jotter.open("mem:", as_="ann", wait=0) as opened:
    print(notes(opened), others(opened), wrong(opened), asyncio.run(tasks()))  # type: ignore[func-returns-value]
