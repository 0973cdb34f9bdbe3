// LangGraph's checkpoints and store in a pad, made for the framework that was loaded: import and require
// bring a copy each, and a class must be of the caller's.
//
// What is written is durable when a call is fulfilled, any number of processes may share the pad, and all
// versions of an item stay readable. bindings/LAYOUT.md says how it is kept.
"use strict";

const check = require("./check.js");
const { Corrupt, Invalid, NotFound } = require("./errors.js");
const { add, decode, isAt, newest, padOf, purge, recordAt, safePart, segment, sha256, versions, wordOf } = require("./threads.js");

const THREADS = "threads/langgraph/";
const ITEMS = "artifacts/langgraph/";
const NAME_MAX = 480;
const INDEXES_MAX = 256; // threads whose list of records is remembered
const FOUND_MAX = 100; // hits of one search

/** Strings by their bytes, as every language sorts them. */
function byBytes(a, b) {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

// --- Checkpoints -----------------------------------------------------------------------------------

/** Where the records of a stream are: by checkpoint. Found in their metas, without reading the records. */
class Index {
  seq = 0; // the newest record that was looked at, ...
  sha256 = ""; // ... which tells whether it is still the same stream
  head = null; // the newest one, with its text
  checkpoints = new Map(); // id to the newest record
  writes = new Map(); // id to the records of its writes
  latest = undefined; // the greatest id

  async take(pad, name, doc) {
    this.seq = doc.seq;
    this.sha256 = doc.sha256;
    if (doc.deleted || doc.redacted || !doc.meta) return;
    const { what, id } = doc.meta;
    if (what === "checkpoint") this.checkpoints.set(id, doc.seq);
    else if (what === "writes") this.writes.set(id, [...(this.writes.get(id) ?? []), doc.seq]);
    else if (what === "gone") {
      const record = await recordAt(pad, name, doc.seq);
      for (const gone of record?.header.ids ?? []) {
        this.checkpoints.delete(gone);
        this.writes.delete(gone);
      }
    }
  }
}

function makeSaver({ BaseCheckpointSaver, TASKS, WRITES_IDX_MAP, copyCheckpoint, getCheckpointId, maxChannelVersion }) {
  /** Checkpoints of LangGraph in a pad: one stream a thread and namespace, one append a call. */
  return class JotterSaver extends BaseCheckpointSaver {
    #pad;
    #indexes = new Map();

    constructor(pad, options) {
      const { serde } = check.options(options, ["serde"], "JotterSaver");
      super(serde);
      this.#pad = padOf(pad);
    }

    // --- The records of a stream ---

    #place(config, of, needsCheckpoint = false) {
      const { thread_id, checkpoint_ns = "", checkpoint_id } = config?.configurable ?? {};
      if (thread_id === undefined || thread_id === null || (needsCheckpoint && !checkpoint_id))
        throw new Invalid(`${of} needs config.configurable with thread_id${needsCheckpoint ? " and checkpoint_id" : ""}`);
      const thread = String(thread_id);
      const name = `${THREADS}${segment(thread, "thread_id")}/${segment(checkpoint_ns, "checkpoint_ns")}`;
      return { name, thread, ns: checkpoint_ns, id: checkpoint_id };
    }

    /** What there is in a stream. */
    async #index(pad, name) {
      const known = this.#indexes.get(name) ?? new Index();
      const head = await newest(pad, name);
      const index = !head ? new Index() : isAt(known, head) ? known : await this.#anew(pad, name, known);
      index.head = head;
      this.#indexes.delete(name);
      this.#indexes.set(name, index);
      if (this.#indexes.size > INDEXES_MAX) this.#indexes.delete(this.#indexes.keys().next().value);
      return index;
    }

    /** The same with what came since. If it is another stream by now, nothing of what was known counts. */
    async #anew(pad, name, known) {
      const fresh = [];
      let same = false;
      for await (const doc of versions(pad, name)) {
        same = isAt(known, doc);
        if (same) break;
        fresh.push(doc);
      }
      const index = new Index();
      if (same) [index.checkpoints, index.writes] = [new Map(known.checkpoints), new Map(known.writes)];
      for (const doc of fresh.reverse()) await index.take(pad, name, doc);
      for (const id of index.checkpoints.keys()) if (index.latest === undefined || byBytes(id, index.latest) > 0) index.latest = id;
      return index;
    }

    async #names(pad, thread) {
      const names = [];
      const prefix = thread === undefined || thread === null ? THREADS : `${THREADS}${segment(String(thread), "thread_id")}/`;
      for await (const doc of pad.list(prefix)) names.push(doc.name);
      return names;
    }

    #load(part) {
      const [kind, data] = safePart(part);
      return this.serde.loadsTyped(kind, data);
    }

    // --- Reading ---

    /** The writes of a checkpoint: of one task and index the first, or the last below 0. */
    async #pending(pad, name, seqs = []) {
      const found = new Map();
      for (const record of await Promise.all(seqs.map((seq) => recordAt(pad, name, seq)))) {
        const { task, path = "", writes = [] } = record?.header ?? {};
        writes.forEach(([index, channel], i) => {
          const key = JSON.stringify([task, index]);
          if (index < 0 || !found.has(key)) found.set(key, { path, task, index, channel, part: record.parts[i] });
        });
      }
      const order = [...found.values()].sort(
        (a, b) => byBytes(a.path, b.path) || byBytes(a.task, b.task) || a.index - b.index,
      );
      return Promise.all(order.map(async (w) => [w.task, w.channel, await this.#load(w.part)]));
    }

    /** Checkpoints before version 4 have what was sent to tasks in the writes of their parents. */
    async #migrate(checkpoint, pad, name, index, parent) {
      const sent = (await this.#pending(pad, name, index.writes.get(parent))).filter(([, channel]) => channel === TASKS);
      const versions = (checkpoint.channel_versions ??= {});
      (checkpoint.channel_values ??= {})[TASKS] = sent.map(([, , value]) => value);
      const seen = Object.values(versions);
      versions[TASKS] = seen.length ? maxChannelVersion(...seen) : this.getNextVersion(undefined);
    }

    async #tuple(pad, name, index, id) {
      const seq = index.checkpoints.get(id);
      const record = seq === undefined ? null : seq === index.head?.seq ? decode(index.head) : await recordAt(pad, name, seq);
      if (!record) return undefined;
      const { thread, ns, parent } = record.header;
      const [checkpoint, metadata, pendingWrites] = await Promise.all([
        this.#load(record.parts[0]), this.#load(record.parts[1]), this.#pending(pad, name, index.writes.get(id)),
      ]);
      if (checkpoint.v < 4 && parent) await this.#migrate(checkpoint, pad, name, index, parent);
      const place = { thread_id: thread, checkpoint_ns: ns };
      return {
        config: { configurable: { ...place, checkpoint_id: id } },
        checkpoint,
        metadata,
        pendingWrites,
        ...(parent ? { parentConfig: { configurable: { ...place, checkpoint_id: parent } } } : {}),
      };
    }

    async getTuple(config) {
      if (config?.configurable?.thread_id === undefined) return undefined;
      const { name } = this.#place(config, "getTuple");
      const pad = await this.#pad();
      const index = await this.#index(pad, name);
      const id = getCheckpointId(config) || index.latest;
      return id === undefined ? undefined : this.#tuple(pad, name, index, id);
    }

    async *list(config, options) {
      const { before, limit, filter } = options ?? {};
      const { thread_id, checkpoint_ns, checkpoint_id } = config?.configurable ?? {};
      const bound = before?.configurable?.checkpoint_id;
      const pad = await this.#pad();
      const found = [];
      for (const name of await this.#names(pad, thread_id)) {
        if (checkpoint_ns !== undefined && !name.endsWith(`/${segment(checkpoint_ns, "checkpoint_ns")}`)) continue;
        const index = await this.#index(pad, name);
        for (const id of index.checkpoints.keys())
          if ((!checkpoint_id || id === checkpoint_id) && (!bound || byBytes(id, bound) < 0)) found.push({ id, name, index });
      }
      found.sort((a, b) => byBytes(b.id, a.id) || byBytes(b.name, a.name));
      let given = 0;
      for (const { id, name, index } of found) {
        if (limit !== undefined && given >= limit) return;
        const tuple = await this.#tuple(pad, name, index, id);
        if (!tuple || !Object.entries(filter ?? {}).every(([key, value]) => tuple.metadata?.[key] === value)) continue;
        given++;
        yield tuple;
      }
    }

    // --- Writing ---

    async put(config, checkpoint, metadata, _newVersions) {
      const { name, thread, ns, id: parent } = this.#place(config, "put");
      const header = { what: "checkpoint", thread, ns, id: checkpoint.id, parent: parent ?? null };
      const parts = await Promise.all([this.#dump(copyCheckpoint(checkpoint)), this.#dump(metadata)]);
      await add(await this.#pad(), name, header, parts, { id: checkpoint.id });
      return { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: checkpoint.id } };
    }

    async putWrites(config, writes, taskId) {
      const { name, thread, ns, id } = this.#place(config, "putWrites", true);
      const header = {
        what: "writes", thread, ns, id, task: taskId, path: "",
        writes: writes.map(([channel], i) => [WRITES_IDX_MAP[channel] ?? i, channel]),
      };
      const parts = await Promise.all(writes.map(([, value]) => this.#dump(value)));
      await add(await this.#pad(), name, header, parts, { id });
    }

    async #dump(value) {
      const [kind, data] = await this.serde.dumpsTyped(value);
      return [kind, Buffer.from(data)];
    }

    /** Remove a thread for good. */
    async deleteThread(threadId) {
      const pad = await this.#pad();
      for (const name of await this.#names(pad, check.string(threadId, "a thread"))) {
        await purge(pad, name);
        this.#indexes.delete(name);
      }
    }
  };
}

// --- Items -----------------------------------------------------------------------------------------

/** What a filter says of one member, as LangGraph's own stores read it. */
function compare(value, wanted) {
  const signs = wanted && typeof wanted === "object" ? Object.keys(wanted).filter((key) => key.startsWith("$")) : [];
  if (!signs.length) return JSON.stringify(value) === JSON.stringify(wanted);
  return Object.entries(wanted).every(([sign, other]) => {
    if (sign === "$eq") return value === other;
    if (sign === "$ne") return value !== other;
    const [one, two] = [Number(value), Number(other)];
    if (sign === "$gt") return one > two;
    if (sign === "$gte") return one >= two;
    if (sign === "$lt") return one < two;
    if (sign === "$lte") return one <= two;
    throw new Invalid(`no operator '${sign}': use $eq, $ne, $gt, $gte, $lt or $lte`);
  });
}

function matches({ matchType, path }, ns) {
  if (path.length > ns.length) return false;
  const part = matchType === "prefix" ? ns : ns.slice(ns.length - path.length);
  return path.every((want, i) => want === "*" || want === part[i]);
}

function isGone(doc) {
  return typeof doc.meta?.expires === "number" && doc.meta.expires <= Date.now();
}

/** The stream of an item, and whether its name says all of it. */
function nameOf(ns, key) {
  const parts = [...ns.map((word) => segment(word, "a namespace")), segment(key, "a key")];
  const name = ITEMS + parts.join("/");
  if (name.length <= NAME_MAX) return [name, parts.every((part) => !part.includes("%-"))];
  return [`${ITEMS}%/${sha256(JSON.stringify([...ns, key]))}`, false];
}

/** Namespace and key of a stream; null: nobody knows. */
function placeOf(doc) {
  const { ns, key } = doc.meta ?? {};
  if (Array.isArray(ns) && typeof key === "string") return { namespace: ns, key };
  const words = doc.name.slice(ITEMS.length).split("/").map(wordOf);
  return words.length < 2 || words.includes(null) ? null : { namespace: words.slice(0, -1), key: words.at(-1) };
}

function itemOf(doc, place) {
  let value;
  try {
    value = JSON.parse(doc.data.toString("utf8"));
  } catch {
    value = null;
  }
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new Corrupt(`${doc.name} is no JSON object any more: somebody edited it`);
  const { created } = doc.meta ?? {};
  return { value, ...place, createdAt: Number.isInteger(created) ? new Date(created) : doc.at, updatedAt: doc.at };
}

function makeStore({ BaseStore }) {
  /**
   * Items of LangGraph in a pad, each an artifact of JSON that a person may read and edit. A query is answered by
   * the pad's own search, without a model and without embeddings: what it finds comes first, then the others.
   */
  return class JotterStore extends BaseStore {
    #pad;
    #ttl;

    constructor(pad, options) {
      super();
      const { ttl } = check.options(options, ["ttl"], "JotterStore");
      this.#pad = padOf(pad);
      this.#ttl = ttl === undefined ? undefined : check.duration(ttl, "ttl");
    }

    async #read(pad, name, options) {
      try {
        const doc = await pad.read(name, options);
        return isGone(doc) ? null : doc;
      } catch (error) {
        if (error instanceof NotFound) return null;
        throw error;
      }
    }

    async #get(pad, { namespace, key }) {
      const doc = await this.#read(pad, nameOf(namespace, key)[0]);
      return doc && itemOf(doc, { namespace, key });
    }

    async #put(pad, { namespace, key, value }) {
      const [name, whole] = nameOf(namespace, key);
      if (value === null) {
        await pad.delete(name).catch((error) => {
          if (!(error instanceof NotFound)) throw error;
        });
        return;
      }
      const data = JSON.stringify(JSON.parse(check.json(value, "an item")), null, 2);
      const now = Date.now();
      const meta = { created: (await this.#read(pad, name, { lines: 1 }))?.meta?.created ?? now };
      if (this.#ttl !== undefined) Object.assign(meta, { ttl: this.#ttl / 60000, expires: now + this.#ttl });
      if (!whole) Object.assign(meta, { ns: namespace, key });
      await pad.write(name, data, { meta });
    }

    /** The items of a namespace and those below it, without their texts. */
    async #listed(pad, ns) {
      const prefix = ITEMS + ns.map((word) => `${segment(word, "a namespace")}/`).join("");
      const found = [];
      for (const begin of [...(prefix.length <= NAME_MAX ? [prefix] : []), ...(ns.length ? [`${ITEMS}%/`] : [])])
        for await (const doc of pad.list(begin)) {
          const place = placeOf(doc);
          if (place && !isGone(doc) && ns.every((word, i) => place.namespace[i] === word)) found.push({ doc, place });
        }
      return found;
    }

    async #ranks(pad, query, ns) {
      if (!query) return new Map();
      const prefix = ITEMS + ns.map((word) => `${segment(word, "a namespace")}/`).join("");
      const kind = { kind: "artifacts", prefix: prefix.length > NAME_MAX ? `${ITEMS}%/` : prefix };
      return new Map((await pad.search(query, { ...kind, limit: FOUND_MAX })).map((hit, i) => [hit.name, [i, hit.score]]));
    }

    async #search(pad, { namespacePrefix, filter, limit = 10, offset = 0, query }) {
      const ranks = await this.#ranks(pad, query, namespacePrefix);
      const listed = await this.#listed(pad, namespacePrefix);
      const rank = ({ doc }) => ranks.get(doc.name)?.[0] ?? FOUND_MAX;
      listed.sort((a, b) => rank(a) - rank(b) || b.doc.at - a.doc.at);
      const items = [];
      let skip = offset;
      for (const { doc, place } of listed) {
        if (items.length >= limit) break;
        if (skip && !filter && skip--) continue;
        const item = await this.#seen(pad, doc.name, place);
        if (!item || !Object.entries(filter ?? {}).every(([key, want]) => compare(item.value[key], want))) continue;
        if (skip && skip--) continue;
        items.push({ ...item, score: ranks.get(doc.name)?.[1] });
      }
      return items;
    }

    /** An item of a list; null if it was removed meanwhile, or edited by hand: it hides nothing else. */
    async #seen(pad, name, place) {
      const doc = await this.#read(pad, name);
      try {
        return doc && itemOf(doc, place);
      } catch (error) {
        if (error instanceof Corrupt) return null;
        throw error;
      }
    }

    async #namespaces(pad, { matchConditions, maxDepth, limit, offset = 0 }) {
      const found = new Map();
      for (const { place } of await this.#listed(pad, [])) {
        if (!(matchConditions ?? []).every((condition) => matches(condition, place.namespace))) continue;
        const ns = place.namespace.slice(0, maxDepth);
        found.set(JSON.stringify(ns), ns);
      }
      const sorted = [...found.values()].sort((a, b) => {
        for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return byBytes(a[i], b[i]);
        return a.length - b.length;
      });
      return sorted.slice(offset, limit === undefined ? undefined : offset + limit);
    }

    /** Reads see what was there before the writes of the batch; of two writes to one item the last counts. */
    async batch(operations) {
      const pad = await this.#pad();
      const puts = new Map();
      const results = [];
      for (const op of operations) {
        if ("namespacePrefix" in op) results.push(await this.#search(pad, op));
        else if ("value" in op) {
          puts.set(JSON.stringify([op.namespace, op.key]), op);
          results.push(null);
        } else if ("key" in op) results.push(await this.#get(pad, op));
        else if ("matchConditions" in op || "maxDepth" in op || "limit" in op) results.push(await this.#namespaces(pad, op));
        else throw new Invalid("no operation of a store: use get, put, search, delete or listNamespaces");
      }
      for (const op of puts.values()) await this.#put(pad, op);
      return results;
    }

    /** Purge what has expired; how many items that were. */
    async sweepTtl() {
      const pad = await this.#pad();
      let n = 0;
      for await (const doc of pad.list(ITEMS))
        if (isGone(doc)) {
          await purge(pad, doc.name);
          n++;
        }
      return n;
    }
  };
}

module.exports = (framework) => ({ JotterSaver: makeSaver(framework), JotterStore: makeStore(framework) });
