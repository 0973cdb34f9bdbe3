// Sessions of the OpenAI Agents SDK in a pad:
//
//     await run(agent, "hello", { session: new JotterSession("user-1", "files:memory") });
//
// Every item is durable when addItems is fulfilled; any number of processes may share a session. The SDK asks
// for these methods only, so nothing of it is loaded here.
"use strict";

const { randomUUID } = require("node:crypto");
const check = require("./check.js");
const { Conflict, Invalid, NotFound } = require("./errors.js");
const { add, decode, isAt, newest, padOf, purge, segment, texts } = require("./threads.js");

const NOTHING = { seq: 0, sha256: "", version: undefined, items: [] };

/** One conversation: a stream of the pad, each call one append. */
class JotterSession {
  #pad;
  #name;
  #seen = NOTHING;

  constructor(sessionId, pad) {
    this.sessionId = check.string(sessionId, "a session's id");
    this.#pad = padOf(pad);
    this.#name = `threads/openai-agents/${segment(sessionId, "a session's id")}`;
  }

  async getSessionId() {
    return this.sessionId;
  }

  /** The items, and the version of the stream they are of. Of what was seen before, only what came since is read. */
  async #look() {
    const pad = await this.#pad();
    const head = await newest(pad, this.#name);
    if (!head) this.#seen = NOTHING;
    else if (!isAt(this.#seen, head)) this.#seen = (await this.#since(pad, this.#seen)) ?? (await this.#since(pad, NOTHING)) ?? NOTHING;
    return { pad, ...this.#seen };
  }

  /** What was seen, with what came since; null: it is another stream by now. */
  async #since(pad, seen) {
    const items = [...seen.items];
    let last = null;
    for await (const doc of texts(pad, this.#name, Math.max(seen.seq, 1))) {
      const isFirst = last === null;
      last = doc;
      if (isFirst && seen.seq) {
        if (!isAt(seen, doc)) return null;
        continue;
      }
      const record = decode(doc);
      if (record?.header.what === "items") items.push(...record.parts.map(([, data]) => data));
      else if (record?.header.what === "pop") items.pop();
    }
    return last && { seq: last.seq, sha256: last.sha256, version: last.version, items };
  }

  /** The id makes each record another text, also if it says what the last one said. */
  #header(what) {
    return { what, session: this.sessionId, id: randomUUID().replaceAll("-", "") };
  }

  /** The items, oldest first; with `limit` the newest so many. */
  async getItems(limit) {
    const { items } = await this.#look();
    const chosen = limit === undefined || limit === null ? items : limit > 0 ? items.slice(-limit) : [];
    return chosen.map((data) => JSON.parse(data.toString("utf8")));
  }

  async addItems(items) {
    if (!Array.isArray(items)) throw new Invalid(`items must be an array, not ${check.kindOf(items)}`);
    if (!items.length) return;
    const parts = items.map((item) => ["json", check.text(check.json(item, "an item"), "an item")]);
    await add(await this.#pad(), this.#name, this.#header("items"), parts);
  }

  /** Take the last item away, and give it. Of two who ask at once each gets one. */
  async popItem() {
    for (;;) {
      const { pad, items, version } = await this.#look();
      if (!items.length) return undefined;
      try {
        await add(pad, this.#name, this.#header("pop"), [], {}, version);
      } catch (error) {
        if (error instanceof Conflict || error instanceof NotFound) continue;
        throw error;
      }
      return JSON.parse(items.at(-1).toString("utf8"));
    }
  }

  /** Remove the conversation for good. */
  async clearSession() {
    await purge(await this.#pad(), this.#name);
  }
}

module.exports = { JotterSession };
