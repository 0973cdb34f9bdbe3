"""LangGraph's store and checkpoints in a pad::

    from jotter.langgraph import JotterSaver, JotterStore

    graph = builder.compile(checkpointer=JotterSaver("files:memory"), store=JotterStore("files:memory"))

What is written is durable when the call returns, any number of processes may share the pad, and all
versions of an item stay readable.  bindings/LAYOUT.md says how it is kept.
"""

from __future__ import annotations

import asyncio
import collections
import datetime
import json
import random
import threading
from typing import (
    Any, AsyncIterator, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, Union,
)

from langgraph.checkpoint.base import (
    WRITES_IDX_MAP, BaseCheckpointSaver, ChannelVersions, Checkpoint, CheckpointMetadata,
    CheckpointTuple, get_checkpoint_id, get_checkpoint_metadata,
)
from langgraph.store.base import (
    BaseStore, GetOp, Item, ListNamespacesOp, MatchCondition, Op, PutOp, Result, SearchItem, SearchOp,
    TTLConfig,
)

from . import _threads
from ._errors import Conflict, Corrupt, Error, Invalid, NotFound
from ._pad import Pad
from ._results import Doc, moment
from ._threads import Part, Record, pad_of, segment, utf8, word_of

__all__ = ["JotterSaver", "JotterStore"]

THREADS = "threads/langgraph/"
ITEMS = "artifacts/langgraph/"
NAME_MAX = 480
INDEXES_MAX = 256  # threads whose list of records is remembered
FOUND_MAX = 100  # hits of one search


# --- Checkpoints ------------------------------------------------------------------------------------


class _Index:
    """Where the records of a stream are, by checkpoint, found in their metas without reading them.  It is
    changed while it is made only, so that threads may share it."""

    def __init__(self, known: Optional["_Index"] = None) -> None:
        self.last, self.sha256 = 0, ""  # the newest record that was looked at: is it still the same stream?
        self.head: Optional[Doc] = None  # the newest record, with its text
        self.checkpoints: Dict[str, int] = dict(known.checkpoints) if known else {}  # id to the newest record
        self.writes: Dict[str, Tuple[int, ...]] = dict(known.writes) if known else {}

    def knows(self, doc: Doc) -> bool:
        return (doc.seq, doc.sha256) == (self.last, self.sha256)

    def take(self, doc: Doc, gone: Iterable[str]) -> None:
        meta = {} if doc.deleted or doc.redacted else doc.meta or {}
        self.last, self.sha256 = doc.seq, doc.sha256
        if meta.get("what") == "checkpoint":
            self.checkpoints[meta["id"]] = doc.seq
        elif meta.get("what") == "writes":
            self.writes[meta["id"]] = (*self.writes.get(meta["id"], ()), doc.seq)
        for id in gone:
            self.checkpoints.pop(id, None)
            self.writes.pop(id, None)


class JotterSaver(BaseCheckpointSaver[str]):
    """Checkpoints of LangGraph in a pad: one stream a thread and namespace, one append a call.

    ``pad`` is an open pad or its URL.  Deleting a thread purges it.  Values that only pickle could
    store are refused.
    """

    def __init__(self, pad: Union[Pad, str, None] = None, *, serde: Any = None) -> None:
        super().__init__(serde=serde)
        self.pad = pad_of(pad)
        self._lock = threading.Lock()
        self._indexes: "collections.OrderedDict[str, _Index]" = collections.OrderedDict()

    # The records of a stream

    def _stream(self, thread: Any, ns: str) -> str:
        return f"{THREADS}{segment(str(thread), 'a thread')}/{segment(ns, 'a namespace')}"

    def _index(self, name: str) -> Optional[_Index]:
        """What there is in a stream; None: there is no such stream."""
        with self._lock:
            known = self._indexes.pop(name, None)
            try:
                head = self.pad.read(name)
                index = known if known and known.knows(head) else self._anew(name, known)
            except NotFound:
                return None
            index.head = head
            self._indexes[name] = index
            while len(self._indexes) > INDEXES_MAX:
                self._indexes.popitem(last=False)
            return index

    def _anew(self, name: str, known: Optional[_Index]) -> _Index:
        """The same with what came since.  If it is another stream by now, nothing of what was known counts."""
        fresh: List[Doc] = []
        for doc in self.pad.history(name):
            if known and known.knows(doc):
                break
            fresh.append(doc)
        else:
            known = None
        index = _Index(known)
        for doc in reversed(fresh):
            record = self._record(name, doc.seq) if (doc.meta or {}).get("what") == "gone" else None
            index.take(doc, record.header["ids"] if record else ())
        return index

    def _record(self, name: str, seq: int, head: Optional[Doc] = None) -> Optional[Record]:
        if head is not None and head.seq == seq:
            return _threads.decode(head)
        for doc in self.pad.versions(name, seq, limit=1):
            return _threads.decode(doc) if doc.seq == seq else None
        return None

    def _names(self, thread: Optional[str] = None) -> List[str]:
        prefix = THREADS if thread is None else f"{THREADS}{segment(str(thread), 'a thread')}/"
        return [doc.name for doc in self.pad.list(prefix)]

    def _load(self, part: Part) -> Any:
        return self.serde.loads_typed(_threads.safe_part(part))

    # Reading

    def _pending(self, name: str, seqs: Sequence[int]) -> List[Tuple[str, str, Any]]:
        """The writes of a checkpoint: of one task and index the first, or the last below 0."""
        found: Dict[Tuple[str, int], Tuple[str, str, Part]] = {}
        for seq in seqs:
            record = self._record(name, seq)
            if record is None:
                continue
            header = record.header
            for (index, channel), part in zip(header["writes"], record.parts):
                key = (header["task"], index)
                if index < 0 or key not in found:
                    found[key] = (header.get("path", ""), channel, part)
        order = sorted(found, key=lambda key: (found[key][0], *key))
        return [(key[0], found[key][1], self._load(found[key][2])) for key in order]

    def _tuple(self, name: str, index: _Index, id: str) -> Optional[CheckpointTuple]:
        seq = index.checkpoints.get(id)
        record = None if seq is None else self._record(name, seq, index.head)
        if record is None:
            return None
        header = record.header
        place = {"thread_id": header["thread"], "checkpoint_ns": header["ns"]}
        parent = header.get("parent")
        return CheckpointTuple(
            config={"configurable": {**place, "checkpoint_id": id}},
            checkpoint=self._load(record.parts[0]),
            metadata=self._load(record.parts[1]),
            parent_config={"configurable": {**place, "checkpoint_id": parent}} if parent else None,
            pending_writes=self._pending(name, index.writes.get(id, ())),
        )

    def get_tuple(self, config: Any) -> Optional[CheckpointTuple]:
        place = config["configurable"]
        name = self._stream(place["thread_id"], place.get("checkpoint_ns", ""))
        index = self._index(name)
        if index is None or not index.checkpoints:
            return None
        id = get_checkpoint_id(config) or max(index.checkpoints)
        return self._tuple(name, index, id)

    def list(self, config: Any, *, filter: Optional[Dict[str, Any]] = None, before: Any = None,
             limit: Optional[int] = None) -> Iterator[CheckpointTuple]:
        place = config["configurable"] if config else {}
        wanted = get_checkpoint_id(config) if config else None
        bound = get_checkpoint_id(before) if before else None
        found: List[Tuple[str, str, _Index]] = []
        ns = place.get("checkpoint_ns")
        for name in self._names(place.get("thread_id")):
            if ns is not None and not name.endswith("/" + segment(ns, "a namespace")):
                continue
            index = self._index(name)
            if index is None:
                continue
            found += [(id, name, index) for id in index.checkpoints
                      if (not wanted or id == wanted) and (not bound or id < bound)]
        given = 0
        for id, name, index in sorted(found, key=lambda f: f[:2], reverse=True):
            if limit is not None and given >= limit:
                return
            got = self._tuple(name, index, id)
            if got is None or not _has(got.metadata, filter):
                continue
            given += 1
            yield got

    # Writing

    def put(self, config: Any, checkpoint: Checkpoint, metadata: CheckpointMetadata,
            new_versions: ChannelVersions) -> Any:
        place = config["configurable"]
        thread, ns = str(place["thread_id"]), place.get("checkpoint_ns", "")
        header = {"what": "checkpoint", "thread": thread, "ns": ns, "id": checkpoint["id"],
                  "parent": place.get("checkpoint_id")}
        parts = [self.serde.dumps_typed(checkpoint),
                 self.serde.dumps_typed(get_checkpoint_metadata(config, metadata))]
        _threads.add(self.pad, self._stream(thread, ns), Record(header, parts), {"id": checkpoint["id"]})
        return {"configurable": {"thread_id": thread, "checkpoint_ns": ns,
                                 "checkpoint_id": checkpoint["id"]}}

    def put_writes(self, config: Any, writes: Sequence[Tuple[str, Any]], task_id: str,
                   task_path: str = "") -> None:
        place = config["configurable"]
        thread, ns, id = str(place["thread_id"]), place.get("checkpoint_ns", ""), place["checkpoint_id"]
        header = {"what": "writes", "thread": thread, "ns": ns, "id": id, "task": task_id,
                  "path": task_path,
                  "writes": [[WRITES_IDX_MAP.get(channel, i), channel]
                             for i, (channel, _) in enumerate(writes)]}
        parts = [self.serde.dumps_typed(value) for _, value in writes]
        _threads.add(self.pad, self._stream(thread, ns), Record(header, parts), {"id": id})

    def get_next_version(self, current: Optional[str], channel: None) -> str:
        number = 0 if current is None else int(str(current).split(".")[0])
        return f"{number + 1:032}.{random.random():016}"

    # Deleting

    def delete_thread(self, thread_id: str) -> None:
        for name in self._names(thread_id):
            _threads.purge(self.pad, name)

    def _remove(self, name: str, index: _Index, ids: Set[str]) -> None:
        """Remove checkpoints and their writes; the last ones take the stream with them."""
        if not ids:
            return
        if ids >= set(index.checkpoints):
            _threads.purge(self.pad, name)
            return
        seqs = [seq for id in ids for seq in [index.checkpoints[id], *index.writes.get(id, ())]]
        first = next(filter(None, (self._record(name, seq) for seq in seqs)), None)
        if first is None:
            return  # somebody else removed them
        place = {word: first.header[word] for word in ("thread", "ns")}
        _threads.add(self.pad, name, Record({"what": "gone", **place, "ids": sorted(ids)}, []), {})
        for seq in seqs:
            try:
                self.pad.redact(name, str(seq))
            except NotFound:
                pass  # somebody else removed it, too

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        runs = set(run_ids)
        for name in self._names():
            index = self._index(name)
            ids = set()
            for id, seq in index.checkpoints.items() if index else ():
                record = self._record(name, seq)
                if record is not None and self._load(record.parts[1]).get("run_id") in runs:
                    ids.add(id)
            if index:
                self._remove(name, index, ids)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        for name in self._names(source_thread_id):
            index = self._index(name)
            if index is None:
                continue
            live = {*index.checkpoints.values(), *(s for seqs in index.writes.values() for s in seqs)}
            for record in _threads.records(self.pad, name):
                if record.seq in live:
                    record.header["thread"] = target_thread_id
                    _threads.add(self.pad, self._stream(target_thread_id, record.header["ns"]), record,
                                 {"id": record.header["id"]})

    def _needed(self, name: str, index: _Index, id: str) -> Set[str]:
        """A checkpoint, and the older ones its delta channels are made from."""
        keep: Set[str] = set()
        missing: Optional[Set[str]] = None
        current: Optional[str] = id
        while current is not None and current not in keep:
            seq = index.checkpoints.get(current)
            record = None if seq is None else self._record(name, seq)
            if record is None:
                break
            keep.add(current)
            if missing is None:
                missing = set(self._load(record.parts[1]).get("counters_since_delta_snapshot") or ())
            missing -= set(self._load(record.parts[0]).get("channel_values") or ())
            if not missing:
                break
            current = record.header.get("parent")
        return keep

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        if strategy not in ("keep_latest", "delete"):
            raise Invalid(f"no strategy '{strategy}': use keep_latest or delete")
        for thread in thread_ids:
            if strategy == "delete":
                self.delete_thread(thread)
                continue
            for name in self._names(thread):
                index = self._index(name)
                if index and index.checkpoints:
                    keep = self._needed(name, index, max(index.checkpoints))
                    self._remove(name, index, set(index.checkpoints) - keep)

    # The same for asyncio: the pad's calls do not hold the event loop up

    async def aget_tuple(self, config: Any) -> Optional[CheckpointTuple]:
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(self, config: Any, *, filter: Optional[Dict[str, Any]] = None, before: Any = None,
                    limit: Optional[int] = None) -> AsyncIterator[CheckpointTuple]:
        listed = self.list(config, filter=filter, before=before, limit=limit)
        while True:
            got = await asyncio.to_thread(lambda: next(listed, None))
            if got is None:
                return
            yield got

    async def aput(self, config: Any, checkpoint: Checkpoint, metadata: CheckpointMetadata,
                   new_versions: ChannelVersions) -> Any:
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: Any, writes: Sequence[Tuple[str, Any]], task_id: str,
                          task_path: str = "") -> None:
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        await asyncio.to_thread(self.prune, thread_ids, strategy=strategy)


def _has(metadata: Any, filter: Optional[Dict[str, Any]]) -> bool:
    return all(metadata.get(key) == value for key, value in (filter or {}).items())


# --- Items ------------------------------------------------------------------------------------------


def _now() -> int:
    return int(datetime.datetime.now(datetime.timezone.utc).timestamp() * 1000)


def _compare(value: Any, wanted: Any) -> bool:
    """What a filter says of one member, as LangGraph's own stores read it."""
    if not (isinstance(wanted, dict) and any(str(key).startswith("$") for key in wanted)):
        return bool(value == wanted)
    for sign, other in wanted.items():
        if sign == "$eq":
            good = value == other
        elif sign == "$ne":
            good = value != other
        elif sign in ("$gt", "$gte", "$lt", "$lte"):
            try:
                one, two = float(value), float(other)
            except (TypeError, ValueError):
                return False
            good = {"$gt": one > two, "$gte": one >= two, "$lt": one < two, "$lte": one <= two}[sign]
        else:
            raise Invalid(f"no operator '{sign}': use $eq, $ne, $gt, $gte, $lt or $lte")
        if not good:
            return False
    return True


def _matches(condition: MatchCondition, ns: Tuple[str, ...]) -> bool:
    path = tuple(condition.path)
    if len(ns) < len(path):
        return False
    part = ns[:len(path)] if condition.match_type == "prefix" else ns[len(ns) - len(path):]
    return all(want in ("*", have) for want, have in zip(path, part))


class JotterStore(BaseStore):
    """Items of LangGraph in a pad, each an artifact of JSON that a person may read and edit.

    ``pad`` is an open pad or its URL.  A query is answered by the pad's own search, without a model
    and without embeddings: what it finds comes first, by rank, then the other items.  ``ttl`` as for
    LangGraph's stores; an item past its time is not there, and ``sweep_ttl`` purges it.
    """

    supports_ttl = True

    def __init__(self, pad: Union[Pad, str, None] = None, *, ttl: Optional[TTLConfig] = None) -> None:
        super().__init__()
        self.pad = pad_of(pad)
        self.ttl_config = ttl

    # Names

    def _name(self, ns: Tuple[str, ...], key: str) -> Tuple[str, bool]:
        """The stream of an item, and whether its name says all of it."""
        parts = [segment(word, "a namespace") for word in ns] + [segment(key, "a key")]
        name = ITEMS + "/".join(parts)
        if len(name) <= NAME_MAX:
            return name, all("%-" not in part for part in parts)
        import hashlib
        words = json.dumps([*ns, key], ensure_ascii=False, separators=(",", ":"))
        return f"{ITEMS}%/{hashlib.sha256(words.encode('utf-8')).hexdigest()}", False

    def _place(self, doc: Doc) -> Optional[Tuple[Tuple[str, ...], str]]:
        """Namespace and key of a stream; None: nobody knows."""
        meta = doc.meta or {}
        if isinstance(meta.get("ns"), list) and isinstance(meta.get("key"), str):
            return tuple(meta["ns"]), meta["key"]
        words = [word_of(part) for part in doc.name[len(ITEMS):].split("/")]
        if len(words) < 2 or any(word is None for word in words):
            return None
        return tuple(str(word) for word in words[:-1]), str(words[-1])

    # One item

    def _item(self, doc: Doc, place: Tuple[Tuple[str, ...], str]) -> Item:
        try:
            value = json.loads(doc.data)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise Corrupt(f"{doc.name} is no JSON object any more: somebody edited it")
        created = (doc.meta or {}).get("created")
        return Item(value=value, key=place[1], namespace=place[0], updated_at=doc.at,
                    created_at=moment(created) if isinstance(created, int) else doc.at)

    def _gone(self, doc: Doc) -> bool:
        expires = (doc.meta or {}).get("expires")
        return isinstance(expires, (int, float)) and expires <= _now()

    def _refresh(self, doc: Doc) -> None:
        """It was read: its time begins again."""
        ttl = (doc.meta or {}).get("ttl")
        if ttl is None:
            return
        try:
            self.pad.write(doc.name, doc.data, if_version=doc.version,
                           meta={**(doc.meta or {}), "expires": _now() + int(ttl * 60000)})
        except (Conflict, NotFound):
            pass  # somebody wrote it meanwhile, which begins its time too

    def _get(self, op: GetOp) -> Optional[Item]:
        name, _ = self._name(op.namespace, str(op.key))
        try:
            doc = self.pad.read(name)
        except NotFound:
            return None
        if self._gone(doc):
            return None
        if op.refresh_ttl:
            self._refresh(doc)
        return self._item(doc, (op.namespace, str(op.key)))

    def _put(self, op: PutOp) -> None:
        name, whole = self._name(op.namespace, str(op.key))
        if op.value is None:
            try:
                self.pad.delete(name)
            except NotFound:
                pass
            return
        try:
            text = json.dumps(op.value, ensure_ascii=False, allow_nan=False, indent=2)
            data = text.encode("utf-8")
        except (TypeError, ValueError) as why:
            raise Invalid(f"an item must be JSON: {why}") from None
        now = _now()
        meta: Dict[str, Any] = {"created": self._created(name, now)}
        if op.ttl is not None:
            meta.update(ttl=op.ttl, expires=now + int(op.ttl * 60000))
        if not whole:
            meta.update(ns=list(op.namespace), key=str(op.key))
        self.pad.write(name, data, meta=meta)

    def _created(self, name: str, now: int) -> int:
        try:
            doc = self.pad.read(name, lines=1)
        except NotFound:
            return now
        created = (doc.meta or {}).get("created")
        return now if self._gone(doc) or not isinstance(created, int) else created

    # Many

    def _listed(self, ns: Tuple[str, ...]) -> List[Tuple[Doc, Tuple[Tuple[str, ...], str]]]:
        """The items of a namespace and those below it, without their texts."""
        prefix = ITEMS + "".join(segment(word, "a namespace") + "/" for word in ns)
        docs: List[Doc] = []
        if len(prefix) <= NAME_MAX:
            docs += self.pad.list(prefix)
        if ns:
            docs += self.pad.list(ITEMS + "%/")
        out = []
        for doc in docs:
            place = self._place(doc)
            if place is not None and place[0][:len(ns)] == ns and not self._gone(doc):
                out.append((doc, place))
        return out

    def _ranks(self, query: Optional[str], ns: Tuple[str, ...]) -> Dict[str, float]:
        if not query or "\0" in query:
            return {}
        prefix = ITEMS + "".join(segment(word) + "/" for word in ns)
        if len(prefix) > NAME_MAX:
            prefix = ITEMS + "%/"
        utf8(query, "a query")
        return {hit.name: hit.score for hit in
                self.pad.search(query, kind="artifacts", prefix=prefix, limit=FOUND_MAX)}

    def _search(self, op: SearchOp) -> List[SearchItem]:
        ns = tuple(op.namespace_prefix)
        ranks = self._ranks(op.query, ns)
        listed = self._listed(ns)
        listed.sort(key=lambda one: one[0].at, reverse=True)
        if ranks:
            order = list(ranks)
            listed.sort(key=lambda one: order.index(one[0].name) if one[0].name in ranks else len(order))
        out: List[SearchItem] = []
        skip = op.offset
        for found, place in listed:
            if len(out) >= op.limit:
                break
            if skip and not op.filter:
                skip -= 1
                continue
            try:
                doc = self.pad.read(found.name)
                item = self._item(doc, place)
            except (NotFound, Corrupt):
                continue  # removed meanwhile, or edited by hand: it hides nothing else
            if op.filter and not all(_compare(item.value.get(key), want)
                                     for key, want in op.filter.items()):
                continue
            if skip:
                skip -= 1
                continue
            if op.refresh_ttl:
                self._refresh(doc)
            out.append(SearchItem(namespace=item.namespace, key=item.key, value=item.value,
                                  created_at=item.created_at, updated_at=item.updated_at,
                                  score=ranks.get(found.name)))
        return out

    def _namespaces(self, op: ListNamespacesOp) -> List[Tuple[str, ...]]:
        found = set()
        for _, (ns, _) in self._listed(()):
            if all(_matches(condition, ns) for condition in op.match_conditions or ()):
                found.add(ns[:op.max_depth] if op.max_depth is not None else ns)
        return sorted(found)[op.offset:op.offset + op.limit]

    def batch(self, ops: Iterable[Op]) -> List[Result]:
        """Reads see what was there before the writes of the batch; of two writes to one item the last
        counts."""
        results: List[Result] = []
        puts: Dict[Tuple[Tuple[str, ...], str], PutOp] = {}
        for op in ops:
            if isinstance(op, GetOp):
                results.append(self._get(op))
            elif isinstance(op, SearchOp):
                results.append(self._search(op))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._namespaces(op))
            elif isinstance(op, PutOp):
                puts[(op.namespace, str(op.key))] = op
                results.append(None)
            else:
                raise Invalid(f"no operation of a store: {type(op).__name__}")
        for put in puts.values():
            self._put(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> List[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Purge what has expired; how many items that were."""
        n = 0
        for doc in list(self.pad.list(ITEMS)):
            if self._gone(doc):
                _threads.purge(self.pad, doc.name)
                n += 1
        return n
