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
const { add, decode, padOf, purge, segment, texts } = require("./threads.js");

/** One conversation: a stream of the pad, each call one append. */
class JotterSession {
  #pad;
  #name;

  constructor(sessionId, pad) {
    this.sessionId = check.string(sessionId, "a session's id");
    this.#pad = padOf(pad);
    this.#name = `threads/openai-agents/${segment(sessionId, "a session's id")}`;
  }

  async getSessionId() {
    return this.sessionId;
  }

  /** The items, and the version of the stream they are of. */
  async #look() {
    const pad = await this.#pad();
    const items = [];
    let version;
    for await (const doc of texts(pad, this.#name)) {
      const record = decode(doc);
      version = doc.version;
      if (record?.header.what === "items") items.push(...record.parts.map(([, data]) => data));
      else if (record?.header.what === "pop") items.pop();
    }
    return { pad, items, version };
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
