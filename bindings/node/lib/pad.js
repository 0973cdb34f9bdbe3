// Pad: one open scratchpad.
"use strict";

const path = require("node:path");
const { inspect } = require("node:util");
const { addon } = require("./addon.js");
const check = require("./check.js");
const { Conflict, Fenced, Invalid, JotterError, Leased, NotFound } = require("./errors.js");
const { Handle, Pool } = require("./pool.js");
const {
  Doc, Merge, answerOf, changesOf, collectedOf, contextOf, diffOf, docsOf, evidenceOf, hitOf, infoOf, kindStatsOf, leaseOf,
  redactedOf, replyOf, reportOf, verifiedOf,
} = require("./results.js");
const verbs = require("./verbs.js");

const PAGE = 1000; // what one call lists at most
const PAGE_FIRST = 4; // who stops early pays for few; each page is larger
const SLICE = 200; // milliseconds that a call waits for others at most: threads are for all
const AUTHOR_MAX = 128; // bytes
const DISPOSE = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

const OPEN = ["as", "language", "wait", "existing", "readOnly", "dialect", "pool"];

/** Who writes, where nobody said: the program. */
function author() {
  const said = process.argv[1] ?? "-"; // "-": it came through standard input
  const name = path.basename(said === "-" ? "node" : said).replace(/\.[cm]?[jt]sx?$/, "") || "node";
  return Buffer.byteLength(name) > AUTHOR_MAX ? "node" : name.toWellFormed?.() ?? name;
}

/** task_id as taskId. */
function camel(name) {
  return name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
}

// --- Waiting ---------------------------------------------------------------------------------------
//
// Node has four threads for everything that blocks. Calls that wait for something to happen (watches,
// leases of others) take turns, so that all of them together have one of the four.

let waiters = 0;
let turn = Promise.resolve();

/** What `call` makes of so many milliseconds to wait, when it is its turn. */
function inTurn(call, limit = SLICE) {
  const mine = turn.then(() => call(Math.min(limit, Math.ceil(SLICE / Math.max(waiters, 1)))));
  turn = mine.catch(() => {});
  return mine;
}

// --- Leases ----------------------------------------------------------------------------------------

/** A lease that a pad holds. */
class Held {
  #pad;
  #pool;

  constructor(pad, pool, lease) {
    this.#pad = pad;
    this.#pool = pool;
    this.lease = lease;
  }

  get token() {
    return this.lease.token;
  }

  /** Have the whole time again; `ttl` in milliseconds, undefined: as long as before. */
  async renew(ttl) {
    const ms = check.duration(ttl, "ttl", 0);
    this.lease = leaseOf(await this.#pool.with((h) => h.call("jot_lease_renew", [this.token, ms])));
    return this.lease;
  }

  /** How long it still stands; Fenced if it has ended. */
  async check() {
    return leaseOf(await this.#pool.with((h) => h.call("jot_lease_check", [this.token])));
  }

  /** Let others have it. Fenced: it had ended already. Releasing twice is fine. */
  async release() {
    if (!this.#pad) return;
    this.#pad = null;
    await this.#pool.with((h) => this.#pool.release(h, this.token));
  }

  [DISPOSE]() {
    return this.release();
  }
}

// --- The pad ---------------------------------------------------------------------------------------

class Pad {
  #pool;
  #url;
  #opening;

  /** Not for programs: `open` makes pads. */
  constructor(url, options = {}) {
    const o = check.options(options, OPEN, "open");
    const pool = check.count(o.pool, "pool", 1, 1);
    this.#url = check.optional(url, "a URL");
    if (pool > 64) throw new Invalid(`pool is ${pool}: use 1 to 64`);
    if (pool > 1 && this.#url?.startsWith("mem:"))
      throw new Invalid("a pad in memory is one handle's own: pool must be 1");
    const wait = check.duration(o.wait, "wait", undefined);
    this.#opening = {
      as: check.optional(o.as, "as") ?? author(),
      language: check.optional(o.language, "language"),
      dialect: check.optional(o.dialect, "dialect"),
      wait_ms: wait === 0 ? -1 : (wait ?? 0),
      existing: check.flag(o.existing, "existing"),
      read_only: check.flag(o.readOnly, "readOnly"),
    };
    this.#pool = new Pool(() => this.#handle(), pool);
    for (const [noun, its] of Object.entries(verbs)) this[camel(noun)] = this.#noun(noun, its);
  }

  get dialect() {
    return this.#opening.dialect;
  }

  static async open(url, options) {
    const pad = new Pad(url, options);
    await pad.#pool.with(async () => {});
    return pad;
  }

  async #handle() {
    const handle = new Handle();
    await handle.call("jot_open", [this.#url, this.#opening]);
    return handle;
  }

  /** Close it; leases that live with it are free. Closing twice is fine. */
  async close() {
    await this.#pool.close();
  }

  [DISPOSE]() {
    return this.close();
  }

  // --- How a call is made --------------------------------------------------------------------------

  #call(name, args, refused) {
    return this.#pool.with((handle) => handle.call(name, args, refused));
  }

  #noun(noun, its) {
    const made = {};
    for (const [verb, [needed, others]] of Object.entries(its))
      made[verb] = async (...given) => this.#do(noun, verb, needed, others, given);
    return Object.freeze(made);
  }

  async #do(noun, verb, needed, others, given) {
    const of = `${camel(noun)}.${verb}`;
    if (given.length > needed.length + (others.length ? 1 : 0))
      throw new Invalid(`${of} takes ${[...needed, ...(others.length ? ["options"] : [])].map(camel).join(", ") || "nothing"}`);
    const args = {};
    needed.forEach((p, i) => {
      if (given[i] === undefined) throw new Invalid(`${of} needs ${camel(p)}`);
      args[p] = given[i];
    });
    const o = check.options(given[needed.length], others.map(camel), of);
    for (const p of others) if (o[camel(p)] !== undefined && o[camel(p)] !== null) args[p] = o[camel(p)];
    const said = check.json(args, `the arguments of ${of}`);
    const answer = await this.#call("jot_verb", [noun, verb, said], (error, a) => (error.answer = answerOf(a)));
    return answerOf(answer);
  }

  /** A call that changes a document; a conflict has both texts and what comes of them. */
  async #changed(name, key, args, mine, base) {
    try {
      return new Doc(
        await this.#call(name, [check.name(key), ...args], (error, now) => {
          if (error instanceof Conflict) error.now = new Doc(now);
        }),
      );
    } catch (error) {
      if (error instanceof Conflict) await this.#explain(error, key, mine, base);
      throw error;
    }
  }

  /** The present text and the merge. What fails here takes nothing from the conflict itself. */
  async #explain(conflict, key, mine, base) {
    Object.assign(conflict, { now: conflict.now ?? null, mine: mine ?? null, merged: null, clean: false });
    try {
      if (base && mine) {
        const merge = await this.merge(key, base, mine);
        Object.assign(conflict, { now: merge.now, merged: merge.data, clean: merge.clean });
      } else if (conflict.now && !conflict.now.deleted) {
        conflict.now = await this.read(key);
      }
    } catch (error) {
      if (!(error instanceof JotterError)) throw error;
    }
  }

  // --- Notes ---------------------------------------------------------------------------------------

  async write(key, text, options) {
    const o = check.options(options, ["ifVersion", "ifAbsent", "merge", "meta", "id"], "write");
    const data = check.text(text);
    const ifVersion = check.optional(o.ifVersion, "ifVersion");
    const made = {
      if_version: ifVersion,
      meta: o.meta === undefined || o.meta === null ? undefined : check.json(o.meta, "meta"),
      id: check.optional(o.id, "id"),
      if_absent: check.flag(o.ifAbsent, "ifAbsent"),
      merge: check.flag(o.merge, "merge"),
    };
    return this.#changed("jot_doc_write", key, [data, made], data, ifVersion);
  }

  async append(key, text, options) {
    const o = check.options(options, ["ifVersion", "line"], "append");
    const data = check.text(text);
    const made = { if_version: check.optional(o.ifVersion, "ifVersion"), line: check.flag(o.line, "line") };
    return this.#changed("jot_doc_append", key, [data, made], data);
  }

  async edit(key, before, after, options) {
    const o = check.options(options, ["ifVersion"], "edit");
    const [from, to] = [check.text(before), check.text(after)];
    return this.#changed("jot_doc_edit", key, [from, to, check.optional(o.ifVersion, "ifVersion")], to);
  }

  async read(key, options) {
    const o = check.options(options, ["version", "fromLine", "lines", "tokens"], "read");
    const made = {
      version: check.optional(o.version, "version"),
      line_from: check.count(o.fromLine, "fromLine"),
      lines: check.count(o.lines, "lines"),
      tokens: check.count(o.tokens, "tokens"),
    };
    return new Doc(await this.#call("jot_doc_read", [check.name(key), made]));
  }

  async get(key) {
    return (await this.#found(() => this.read(key)))?.text;
  }

  async has(key) {
    return (await this.#found(() => this.read(key, { lines: 1 }))) !== undefined;
  }

  async #found(read) {
    try {
      return await read();
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  async update(key, change, options) {
    const o = check.options(options, ["attempts"], "update");
    const attempts = check.count(o.attempts, "attempts", 100, 1);
    check.func(change, "change");
    for (let attempt = 1; ; attempt++) {
      const old = await this.#found(() => this.read(key));
      const text = await change(old?.text);
      try {
        return await this.write(key, text, old ? { ifVersion: old.version } : { ifAbsent: true });
      } catch (error) {
        if (!(error instanceof Conflict) || attempt === attempts) throw error;
      }
    }
  }

  async delete(key, options) {
    const o = check.options(options, ["ifVersion"], "delete");
    return this.#changed("jot_doc_delete", key, [check.optional(o.ifVersion, "ifVersion")]);
  }

  async move(key, to) {
    return this.#changed("jot_doc_move", key, [check.name(to)]);
  }

  async *list(prefix = "", options) {
    const o = check.options(options, ["deleted"], "list");
    const [begin, deleted] = [check.name(prefix, "a prefix"), check.flag(o.deleted, "deleted")];
    for (let after, limit = PAGE_FIRST; ; limit = Math.min(PAGE, limit * 8)) {
      const page = await this.#call("jot_doc_list", [begin, { after, limit, deleted }]);
      yield* docsOf(page);
      if (!page.more || !page.items.length) return;
      after = page.items.at(-1).name;
    }
  }

  // --- What a note was -----------------------------------------------------------------------------

  async *history(key) {
    for (let before = 0, limit = PAGE_FIRST; ; limit = Math.min(PAGE, limit * 8)) {
      const page = await this.#call("jot_doc_history", [check.name(key), before, limit]);
      yield* docsOf(page);
      if (!page.more || !page.items.length) return;
      before = page.items.at(-1).seq;
    }
  }

  async *versions(key, options) {
    const o = check.options(options, ["from", "limit"], "versions");
    const name = check.name(key);
    let left = check.count(o.limit, "limit", Infinity);
    for (let from = check.count(o.from, "from", 1); left > 0; ) {
      const page = await this.#call("jot_doc_versions", [name, from, Math.min(PAGE, left)]);
      yield* docsOf(page);
      if (!page.more || !page.items.length) return;
      from = page.items.at(-1).seq + 1;
      left -= page.items.length;
    }
  }

  async diff(key, from, to) {
    const versions = [check.optional(from, "a version"), check.optional(to, "a version")];
    return diffOf(await this.#call("jot_doc_diff", [check.name(key), ...versions]));
  }

  async blame(key) {
    return JSON.parse(await this.#call("jot_doc_blame_json", [check.name(key)])).lines;
  }

  async merge(key, base, mine) {
    return new Merge(
      await this.#call("jot_doc_merge", [check.name(key), check.name(base, "a version"), check.text(mine)]),
    );
  }

  async undo(key, options) {
    const o = check.options(options, ["ifVersion"], "undo");
    return this.#changed("jot_doc_undo", key, [check.optional(o.ifVersion, "ifVersion")]);
  }

  async redo(key, options) {
    const o = check.options(options, ["ifVersion"], "redo");
    return this.#changed("jot_doc_redo", key, [check.optional(o.ifVersion, "ifVersion")]);
  }

  async restore(key, version, options) {
    const o = check.options(options, ["ifVersion"], "restore");
    const versions = [check.name(version, "a version"), check.optional(o.ifVersion, "ifVersion")];
    return this.#changed("jot_doc_restore", key, versions);
  }

  async purge(key) {
    await this.#call("jot_doc_purge", [check.name(key)]);
  }

  async redact(key, version) {
    return this.#call("jot_doc_redact", [check.name(key), check.name(version, "a version")]);
  }

  async redactText(key, phrase) {
    return this.#call("jot_doc_redact_text", [check.name(key), check.text(phrase, "a phrase")]);
  }

  async redactRun(run, phrase = "", options) {
    const o = check.options(options, ["seq"], "redactRun");
    return this.#call("jot_run_redact", [check.name(run, "a run"), check.count(o.seq, "seq"), check.text(phrase, "a phrase")]);
  }

  async redactAll(phrase) {
    return this.#whole("jot_redact_all", [check.text(phrase, "a phrase")], redactedOf);
  }

  async purgeRun(run) {
    await this.#call("jot_run_purge", [check.name(run, "a run")]);
  }

  async resetCycle(agent, state = "", options) {
    const o = check.options(options, ["clean"], "resetCycle");
    return this.#call("jot_cycle_reset", [
      check.optional(agent, "agent"), check.text(state, "a state"), check.flag(o.clean, "clean"),
    ]);
  }

  // --- Finding -------------------------------------------------------------------------------------

  #searching(options, of, more = []) {
    const o = check.options(options, ["kind", "prefix", "by", "since", "until", ...more], of);
    return {
      kind: check.optional(o.kind, "kind"),
      prefix: check.optional(o.prefix, "prefix"),
      by: check.optional(o.by, "by"),
      since_ms: check.moment(o.since, "since"),
      until_ms: check.moment(o.until, "until"),
      limit: check.count(o.limit, "limit", more.length ? 10 : 0),
      offset: check.count(o.offset, "offset"),
    };
  }

  async search(query, options) {
    const o = this.#searching(options, "search", ["limit", "offset"]);
    return (await this.#call("jot_search", [check.name(query, "a query"), o])).items.map(hitOf);
  }

  async evidence(query, budget, options) {
    const o = this.#searching(options, "evidence");
    const asked = [check.name(query, "a query"), check.count(budget, "budget"), o];
    return evidenceOf(await this.#call("jot_search_evidence", asked));
  }

  async rebuildIndex() {
    await this.#call("jot_search_rebuild", []);
  }

  async context(budget = 8000, options) {
    const o = check.options(options, ["query", "run", "agent", "rules", "limit", "tools"], "context");
    const made = {
      budget: check.count(budget, "budget"),
      query: check.optional(o.query, "query"),
      run: check.optional(o.run, "run"),
      agent: check.optional(o.agent, "agent"),
      rules: check.text(o.rules ?? "", "rules"),
      limit: check.count(o.limit, "limit"),
      tools: check.flag(o.tools, "tools"),
    };
    return contextOf(await this.#call("jot_context", [made]));
  }

  async *watch(prefix = "", options) {
    const o = check.options(options, ["timeout", "signal"], "watch");
    const timeout = check.duration(o.timeout, "timeout", Infinity);
    const name = check.name(prefix, "a prefix");
    const own = (await this.where()).shared ? await this.#twin() : this;
    waiters++;
    try {
      await own.#call("jot_watch", [name, 0]);
      for (let idle = 0; idle < timeout && !o.signal?.aborted; ) {
        this.#pool.check();
        const began = Date.now();
        const { items } = await inTurn((ms) => own.#call("jot_watch", [name, ms]), Math.max(1, timeout - idle));
        for (const item of items) yield new Doc(item);
        idle = items.length ? 0 : idle + Math.max(1, Date.now() - began);
      }
    } finally {
      waiters--;
      if (own !== this) await own.close();
    }
  }

  async changes(cursor, options) {
    const o = check.options(options, ["wait"], "changes");
    const until = Date.now() + check.duration(o.wait, "wait", 0);
    let from = check.optional(cursor, "a cursor");
    waiters++;
    try {
      for (;;) {
        const left = Math.max(until - Date.now(), 0);
        const ask = (ms) => this.#call("jot_changes", [from, ms]);
        const changed = changesOf(await (left ? inTurn(ask, left) : ask(0)));
        if (changed.names.length || changed.rescan || !left) return changed;
        from = changed.next;
      }
    } finally {
      waiters--;
    }
  }

  /** Another pad on the same URL, for calls that take long. */
  #twin() {
    return Pad.open(this.#url, { as: this.#opening.as, existing: true });
  }

  // --- Leases --------------------------------------------------------------------------------------

  async lease(name, options) {
    const o = check.options(options, ["ttl", "wait", "prefix", "live"], "lease");
    const made = {
      ttl_ms: check.duration(o.ttl, "ttl", 60000),
      prefix: check.flag(o.prefix, "prefix"),
      live: check.flag(o.live ?? true, "live"),
    };
    const until = Date.now() + check.duration(o.wait, "wait", 0);
    const refused = (error, found) => {
      if (error instanceof Leased) error.lease = leaseOf(found);
    };
    const take = (wait_ms) =>
      this.#pool.with(async (h) => {
        const lease = leaseOf(await h.call("jot_lease_acquire", [check.name(name), { ...made, wait_ms }], refused));
        h.tokens.add(lease.token); // the handle that takes it holds it: nothing to adopt
        this.#pool.tokens.add(lease.token);
        return new Held(this, this.#pool, lease);
      });
    waiters++;
    try {
      for (let left = until - Date.now(); left > 0; left = until - Date.now())
        try {
          return await inTurn(take, left);
        } catch (error) {
          if (!(error instanceof Leased)) throw error;
        }
      return await take(0);
    } finally {
      waiters--;
    }
  }

  async withLease(name, use, options) {
    check.func(use, "what is done under a lease");
    const held = await this.lease(name, options);
    let made;
    try {
      made = await use(held);
    } catch (error) {
      await held.release().catch((late) => {
        if (!(late instanceof Fenced)) throw late;
      }); // an error of the block says more than this
      throw error;
    }
    await held.release();
    return made;
  }

  async adopt(token) {
    const number = check.count(token, "a token");
    return this.#pool.with(async (h) => {
      await h.raw("jot_lease_adopt", number);
      try {
        const lease = leaseOf(await h.call("jot_lease_check", [number]));
        h.tokens.add(number);
        this.#pool.tokens.add(number);
        return new Held(this, this.#pool, lease);
      } catch (error) {
        await h.raw("jot_lease_release", number); // one that has ended must not bind what else the pad writes
        throw error;
      }
    });
  }

  async leased(name, options) {
    const o = check.options(options, ["prefix"], "leased");
    const asked = [check.name(name), check.flag(o.prefix, "prefix")];
    const found = await this.#found(() => this.#call("jot_lease_find", asked));
    return found && leaseOf(found);
  }

  async leases() {
    return (await this.#call("jot_lease_list", [])).items.map(leaseOf);
  }

  // --- For a model ---------------------------------------------------------------------------------

  async tools(profiles) {
    return JSON.parse(await this.#call("jot_tools", [check.optional(profiles, "profiles")]));
  }

  async tool(name, args) {
    const said = args === undefined || args === null ? undefined : check.json(args, "the arguments of a tool");
    return replyOf(await this.#call("jot_tool_call", [check.name(name, "a tool's name"), said]));
  }

  // --- The whole pad -------------------------------------------------------------------------------

  async where() {
    return infoOf(await this.#call("jot_where", []));
  }

  async stats() {
    return (await this.#call("jot_stats", [])).items.map(kindStatsOf);
  }

  async copy(url) {
    return this.#whole("jot_copy", [check.name(url, "a URL")], reportOf);
  }

  async import(path, options) {
    const o = check.options(options, ["layout", "replace"], "import");
    const asked = [check.name(path, "a path"), check.optional(o.layout, "layout"), check.flag(o.replace, "replace")];
    return this.#whole("jot_import", asked, reportOf);
  }

  async export(path, options) {
    const o = check.options(options, ["layout"], "export");
    return this.#whole("jot_export", [check.name(path, "a path"), check.optional(o.layout, "layout")], reportOf);
  }

  async verify() {
    return verifiedOf(await this.#call("jot_verify", []));
  }

  async doctor(options) {
    const o = check.options(options, ["afterCrash"], "doctor");
    return verifiedOf(await this.#call("jot_doctor", [check.flag(o.afterCrash, "afterCrash")]));
  }

  async gc(options) {
    const o = check.options(options, ["prefix", "keep", "before", "bytes", "dryRun"], "gc");
    const made = {
      prefix: check.optional(o.prefix, "a prefix"),
      keep: check.count(o.keep, "keep"),
      before_ms: check.moment(o.before, "before"),
      bytes: check.count(o.bytes, "bytes"),
      dry_run: check.flag(o.dryRun, "dryRun"),
    };
    return collectedOf(await this.#call("jot_gc", [made]));
  }

  /** A call on the whole pad, which says what it did also where it failed. */
  async #whole(name, args, of) {
    return of(await this.#call(name, args, (error, found) => (error.report = of(found))));
  }

  [inspect.custom]() {
    const url = this.#url === undefined ? "of the command line" : `'${this.#url}'`;
    return `<jotter.Pad ${url} as '${this.#opening.as}'${this.#pool.closing ? ", closed" : ""}>`;
  }
}

/** Open the pad a URL or path names. */
async function open(url, options) {
  return Pad.open(url, options);
}

/** About how many tokens a text costs a model. */
function tokens(text) {
  return addon().tokens(check.text(text));
}

/** What to tell a model about the scratchpad; `brief`: in less than 2 KiB. */
function prompt(options) {
  return addon().prompt(check.flag(check.options(options, ["brief"], "prompt").brief, "brief"));
}

module.exports = { Held, Pad, open, prompt, tokens };
