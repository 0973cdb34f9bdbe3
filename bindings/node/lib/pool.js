// Handles of the library, and who may use them.
//
// A jot_pad belongs to one thread at a time (rule 7 of jotter.h), so a call borrows one for as long as it
// takes, results copied: with `pool` 1 that is a queue, with more so many calls run side by side, in
// threads of Node's own pool.
//
//     call ──► borrow a handle ──► leases in step? ──► C function ──► copy the result ──► give it back
//              (waits for one)     (adopt, let go)
//
// Leases belong to handles in the library. Here they belong to the pad, so each handle adopts what the pad
// holds before it is used, and lets go of what the pad gave up.
"use strict";

const { addon } = require("./addon.js");
const { Closed, Fenced, errorOf } = require("./errors.js");

const FENCED = Fenced.prototype.status;

/** One jot_pad. */
class Handle {
  constructor() {
    this.native = addon().handle();
    this.tokens = new Set();
  }

  /** Call a function of jotter.h: [status, sentence, result]. */
  raw(name, ...args) {
    return addon().call(this.native, name, ...args);
  }

  /** The same: its result, or its error. `refused` may add to the error what a failed call left. */
  async call(name, args, refused) {
    const [status, sentence, result] = await this.raw(name, ...args);
    if (status === 0) return result;
    const error = errorOf(status, sentence);
    if (refused && result) refused(error, result);
    throw error;
  }

  /** Hold exactly the leases of the pad. One that has ended makes the next write Fenced, not this. */
  async inStep(pool) {
    const wanted = new Set(pool.tokens);
    for (const token of wanted) if (!this.tokens.has(token)) await this.adopt(token, pool);
    for (const token of this.tokens) if (!wanted.has(token)) await this.raw("jot_lease_release", token);
    this.tokens = wanted;
  }

  /** Hold a lease that another handle took. One that was released meanwhile binds nobody any more. */
  async adopt(token, pool) {
    await this.raw("jot_lease_adopt", token);
    const [status] = await this.raw("jot_lease_check", token);
    if (status === FENCED && pool.isEnding(token)) await this.raw("jot_lease_release", token);
  }

  isInStep(tokens) {
    if (tokens.size !== this.tokens.size) return false;
    for (const token of tokens) if (!this.tokens.has(token)) return false;
    return true;
  }
}

/** All handles of a pad. */
class Pool {
  constructor(open, size) {
    this.open = open; // makes a handle that is open
    this.size = size;
    this.count = 0; // of handles that are open, or being opened
    this.free = [];
    this.waiting = []; // of whom the first gets the next handle
    this.tokens = new Set(); // of the leases that the pad has ...
    this.ending = new Set(); // ... and of those that are being released
    this.closing = null;
  }

  check() {
    if (this.closing) throw new Closed("this pad is closed");
  }

  async borrow() {
    this.check();
    if (this.free.length) return this.free.pop();
    if (this.count === this.size) return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
    this.count++;
    try {
      return await this.open();
    } catch (error) {
      this.count--;
      this.settle();
      throw error;
    }
  }

  giveBack(handle) {
    this.free.push(handle);
    this.settle();
  }

  /** Whoever can go on does. One that waits for a handle that could not be opened tries it itself. */
  settle() {
    if (this.closing) {
      if (this.free.length === this.count) this.closing.resolve();
    } else if (this.waiting.length && this.free.length) {
      this.waiting.shift().resolve(this.free.pop());
    } else if (this.waiting.length && this.count === 0) {
      const { resolve, reject } = this.waiting.shift();
      this.borrow().then(resolve, reject);
    }
  }

  /** What `use` makes of a handle. */
  async with(use) {
    const handle = await this.borrow();
    try {
      this.check();
      if (!handle.isInStep(this.tokens)) await handle.inStep(this);
      return await use(handle);
    } finally {
      this.giveBack(handle);
    }
  }

  /** Release a lease; afterwards the other handles let go of it. */
  async release(handle, token) {
    this.ending.add(token);
    try {
      await handle.call("jot_lease_release", [token]);
      handle.tokens.delete(token);
    } finally {
      this.tokens.delete(token);
      this.ending.delete(token);
    }
  }

  /** Whether the pad gives this lease up, or did. */
  isEnding(token) {
    return this.ending.has(token) || !this.tokens.has(token);
  }

  /** Wait for the calls under way and close; those that had not begun are Closed. */
  close() {
    if (!this.closing) {
      this.closing = {};
      const idle = new Promise((resolve) => (this.closing.resolve = resolve));
      for (const { reject } of this.waiting.splice(0)) reject(new Closed("this pad is closed"));
      this.closing.done = idle.then(async () => {
        for (const handle of this.free.splice(0)) await addon().close(handle.native);
      });
      this.settle();
    }
    return this.closing.done;
  }
}

module.exports = { Handle, Pool };
