// Wrong arguments, closed pads, workers that are stopped, wrong addons: an error with a sentence, never a crash.
"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const path = require("node:path");
const test = require("node:test");
const { Worker } = require("node:worker_threads");
const jotter = require("jotter");
const { all, withPad } = require("./case.js");

const holds = (name, run) => test(name, withPad(run));
const thrower = (what) => Object.defineProperty({}, what, { enumerable: true, get: () => { throw new RangeError("a getter's"); } });

function detached() {
  const bytes = new Uint8Array([1, 2, 3]);
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
}

holds("wrong types are refused with a sentence, and change nothing", async ({ pad }) => {
  const cycle = {};
  cycle.self = cycle;
  const calls = [
    () => pad.write(7, "x"), () => pad.write(null, "x"), () => pad.write(Symbol("k"), "x"), () => pad.write({}, "x"),
    () => pad.write("k", 7), () => pad.write("k", null), () => pad.write("k"), () => pad.write("k", ["x"]),
    () => pad.write("k", Symbol("x")), () => pad.write("k", detached()), () => pad.write("k", detached().buffer),
    () => pad.write("k", "\ud800"), () => pad.write("\udc00", "x"), () => pad.write("k\0", "x"),
    () => pad.write("k", "x", "options"), () => pad.write("k", "x", { if_version: "1" }),
    () => pad.write("k", "x", { ifAbsent: "yes" }), () => pad.write("k", "x", { ifVersion: 1 }),
    () => pad.write("k", "x", { meta: cycle }), () => pad.write("k", "x", { meta: { n: NaN } }),
    () => pad.read(Buffer.from("k")), () => pad.read("k", { lines: -1 }), () => pad.read("k", { lines: 1.5 }),
    () => pad.read("k", { lines: 2 ** 60 }), () => pad.read("k", { tokens: "many" }), () => pad.search(7),
    () => pad.search("x", { limit: 1000 }), () => pad.edit("k", 1, 2), () => pad.evidence("x", 1), () => pad.context("large"),
    () => pad.lease("k", { ttl: "long" }), () => pad.lease("k", { ttl: -1 }), () => pad.lease("k", { wait: NaN }),
    () => pad.lease("k", { ttl: Infinity }), () => pad.withLease("k", "no function"),
    () => pad.update("k", 5), () => pad.update("k", () => 5), () => pad.update("k", String, { attempts: 0 }),
    () => pad.task.add({ id: "t", priority: Symbol("p") }), () => pad.task.add({ id: "t", priority: 10n }),
    () => pad.task.add({ id: "t\0" }), () => pad.task.add({ task_id: "t" }), () => pad.task.read(), () => pad.task.next({}),
    () => pad.task.read("a", "b"), () => pad.artifact.write("a", "b", NaN), () => pad.artifact.write("a", "b", () => 1),
    () => all(pad.list(7)), () => all(pad.watch("", { timeout: "soon" })),
    () => jotter.open(7), () => jotter.open("mem:", { pool: 0 }), () => jotter.open("mem:", { pool: 2 }),
    () => jotter.open("mem:", { pool: 65 }), () => jotter.open("mem:", { readonly: true }),
  ];
  for (const call of calls) {
    const error = await call().catch((e) => e);
    assert.ok(error instanceof jotter.Invalid, `${call}: ${error}`);
    assert.ok(error.message.length > 10, String(call));
  }
  assert.deepEqual(await all(pad.list()), []);
});

holds("what a getter throws is thrown as it is", async ({ pad }) => {
  for (const call of [
    () => pad.write("k", "x", thrower("ifVersion")), () => pad.task.add(thrower("id")), () => jotter.open("mem:", thrower("as")),
  ])
    await assert.rejects(call(), RangeError);
  await assert.rejects(pad.artifact.write("a", "b", thrower("x")), /a getter's/);
});

holds("a closed pad says so", async ({ pad }) => {
  await pad.close();
  await pad.close();
  for (const call of [() => pad.read("k"), () => all(pad.list()), () => pad.where(), () => pad.task.list(), () => pad.lease("k"), () => all(pad.watch())])
    await assert.rejects(call(), (error) => error instanceof jotter.Closed && error.message.includes("closed"));
});

holds("closing waits for calls under way; those that had not begun are closed", async ({ open, url }) => {
  for (const pool of [1, 4]) {
    const pad = await open({ as: "ann", pool });
    const calls = Array.from({ length: 50 }, (_, i) => pad.write(`k${i}`, "x").then(() => i, (e) => e));
    await pad.write("last", "x").catch(() => {});
    const more = Array.from({ length: 50 }, (_, i) => pad.write(`m${i}`, "x").then(() => i, (e) => e));
    await pad.close();
    for (const got of await Promise.all([...calls, ...more])) assert.ok(typeof got === "number" || got instanceof jotter.Closed);
    const again = await jotter.open(url);
    const there = new Set((await all(again.list())).map((d) => d.name));
    for (const [i, got] of (await Promise.all(calls)).entries()) if (typeof got === "number") assert.ok(there.has(`k${i}`));
    await again.close();
  }
});

holds("a watch of a pad that is closed ends with Closed", async ({ pad }) => {
  const watching = all(pad.watch("notes/")).catch((e) => e);
  await pad.get("x");
  await pad.close();
  assert.ok((await watching) instanceof jotter.Closed);
});

holds("what is beyond a limit is too big", async ({ pad }) => {
  await assert.rejects(pad.write("k", Buffer.alloc(16 * 1024 * 1024 + 1, "x")), jotter.TooBig);
  await assert.rejects(pad.write("k", "x".repeat(64 * 1024 * 1024)), jotter.TooBig);
  await assert.rejects(pad.write("k".repeat(1 << 20), "x"), jotter.JotterError);
  await assert.rejects(jotter.open("mem:", { as: "x".repeat(200) }), jotter.TooBig);
});

holds("a pad that is not there is not made unless asked", async ({ dir }) => {
  await assert.rejects(jotter.open(`files:${dir}/none`, { existing: true }), jotter.NotFound);
  await assert.rejects(jotter.open("nonsense:x"), jotter.JotterError);
});

holds("a read-only pad refuses writes", async ({ pad, open }) => {
  await pad.write("k", "x");
  const reader = await open({ readOnly: true });
  assert.equal(await reader.get("k"), "x");
  await assert.rejects(reader.write("k", "y"), jotter.ReadOnly);
});

holds("a note that is not there has a sentence and a code", async ({ pad }) => {
  const error = await pad.read("nothing").catch((e) => e);
  assert.deepEqual([error.message, error.code, error.name], ["scratchpad[nothing] not found", "not_found", "NotFound"]);
});

holds("random calls end in a result or an error of ours", async ({ pad }) => {
  const first = Number(process.env.JOT_TEST_SEED ?? Math.random() * 2 ** 32) >>> 0;
  let seed = first;
  const chance = (n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
  const values = ["", "k", "a/b", "../x", "\0", "\ud800", "é".repeat(200), Buffer.alloc(0), Buffer.from([255]), 0, -1, 2 ** 70,
    1.5, NaN, null, undefined, true, [], {}, ["a"], { a: 1 }, "x".repeat(5000), "~1", "2026-01-01", Symbol("s"), 5n, () => "x",
    new Date(NaN), thrower("x"), new Proxy({}, { ownKeys: () => { throw new RangeError("a proxy's"); } }), detached(), new Map()];
  const nouns = Object.values(pad);
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(pad)).filter((n) => !["constructor", "dialect", "close", "watch", "list", "history", "versions"].includes(n));
  const calls = [...names.map((n) => pad[n].bind(pad)), ...nouns.flatMap((noun) => Object.values(noun))];
  const doing = [];
  for (let i = 0; i < 3000; i++) {
    const call = calls[chance(calls.length)];
    doing.push(call(...Array.from({ length: chance(4) }, () => values[chance(values.length)])).catch((error) => {
      assert.ok(error instanceof jotter.JotterError || error instanceof RangeError, `JOT_TEST_SEED=${first}: ${error.stack}`);
    }));
    if (i % 100 === 0) await Promise.all(doing.splice(0));
  }
  await Promise.all(doing);
  await pad.write("still", "alive");
  assert.equal(await pad.get("still"), "alive");
});

test("the addon itself refuses what lib never gives it", async () => {
  const { addon } = require(path.join(path.dirname(require.resolve("jotter")), "addon.js"));
  const native = addon();
  const handle = native.handle();
  const wrong = [undefined, null, 1, "x", Symbol("s"), {}, [], () => 1, 5n, Buffer.alloc(3), NaN, 2 ** 63, "a\0b", thrower("size"), thrower("as"), handle];
  for (const a of wrong) {
    if (a !== handle) assert.throws(() => native.call(a, "jot_where"), TypeError);
    if (a !== handle) assert.throws(() => native.close(a), TypeError);
    assert.throws(() => native.call(handle, a), TypeError);
  }
  for (const a of wrong) {
    if (!Buffer.isBuffer(a)) assert.throws(() => native.tokens(a), TypeError);
    assert.throws(() => native.prompt(a), TypeError);
  }
  const [opened] = await native.call(handle, "jot_open", "mem:", {});
  assert.equal(opened, 0);
  for (const name of ["jot_doc_write", "jot_doc_history", "jot_lease_renew", "jot_search", "jot_gc", "jot_redact_all", "jot_open"])
    for (const a of wrong) for (const b of wrong) for (const c of wrong.slice(0, 8)) {
      let made;
      try {
        made = native.call(handle, name, a, b, c);
      } catch (error) {
        assert.ok(error instanceof TypeError || error instanceof RangeError, String(error));
        continue;
      }
      assert.throws(() => native.call(handle, "jot_where"), /busy/);
      assert.equal((await made).length, 3);
    }
  await native.close(handle);
  assert.throws(() => native.call(handle, "jot_where"), /closed/);
  assert.throws(() => native.close(handle), /closed/);
});

holds("the event loop goes on while a call waits", async ({ pad, url }) => {
  const { addon } = require(path.join(path.dirname(require.resolve("jotter")), "addon.js"));
  const native = addon();
  const handle = native.handle();
  await native.call(handle, "jot_open", url, { as: "bob" });
  const held = await pad.lease("plan");
  let ended = false;
  const waits = native.call(handle, "jot_lease_acquire", "plan", { wait_ms: 600e3 }).then((answer) => ((ended = true), answer));
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(ended, false);
  await held.release();
  assert.equal((await waits)[0], 0);
  await native.close(handle);
});

holds("each worker thread opens pads of its own", async ({ pad, url }) => {
  const code = `const jotter = require("jotter"); const { workerData: d } = require("node:worker_threads");
    jotter.open(d.url, { as: d.as }).then(async (pad) => {
      for (let i = 0; i < 5; i++) await pad.append("all", d.as + i, { line: true });
      await pad.close(); });`;
  const done = ["w0", "w1", "w2", "w3"].map((as) => new Promise((resolve, reject) => {
    new Worker(code, { eval: true, workerData: { url, as } }).on("error", reject).on("exit", resolve);
  }));
  await Promise.all(done);
  const lines = (await pad.get("all")).split("\n").sort();
  assert.deepEqual(lines, ["w0", "w1", "w2", "w3"].flatMap((w) => [0, 1, 2, 3, 4].map((i) => w + i)));
});

holds("a worker that is stopped in the middle of calls harms nobody", async ({ pad, url }) => {
  const code = `const jotter = require("jotter"); const { parentPort, workerData: url } = require("node:worker_threads");
    jotter.open(url, { as: "worker", pool: 3 }).then(async (pad) => {
      parentPort.postMessage("open");
      (async () => { for await (const doc of pad.watch("")) void doc; })();
      for (;;) await Promise.all([1, 2, 3, 4].map((i) => pad.append("busy" + i, "x")));
    });`;
  for (let i = 0; i < 4; i++) {
    const worker = new Worker(code, { eval: true, workerData: url });
    await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    for (let n = 0; n < i; n++) await pad.append("mine", "x");
    await worker.terminate();
  }
  assert.ok(await pad.has("mine"));
});

// In processes of their own: how they end is the question.
function run(code, env = {}) {
  return spawnSync(process.execPath, ["-e", code], { encoding: "utf8", env: { ...process.env, ...env } });
}

holds("a process may exit in the middle of calls", async ({ pad, url }) => {
  const code = `const jotter = require("jotter");
    jotter.open(${JSON.stringify(url)}, { as: "child", pool: 3 }).then(async (pad) => {
      for (let i = 0; i < 20; i++) pad.append("k" + i, "x").catch(() => {});
      await pad.write("done", "x"); process.exit(7); });`;
  const got = run(code);
  assert.deepEqual([got.status, got.signal, got.stderr], [7, null, ""]);
  assert.equal(await pad.get("done"), "x");
});

holds("a process that never closes its pad ends, and its live leases with it", async ({ pad, url }) => {
  const got = run(`require("jotter").open(${JSON.stringify(url)}, { as: "child" }).then((pad) => pad.lease("plan"));`);
  assert.deepEqual([got.status, got.signal, got.stderr], [0, null, ""]);
  await (await pad.lease("plan")).release();
});

holds("pads that nobody has any more are freed", async ({ url }) => {
  const code = `const jotter = require("jotter"); const fs = require("node:fs");
    const open = () => fs.readdirSync("/proc/self/fd").length;
    (async () => {
      const one = async () => { await (await jotter.open(${JSON.stringify(url)})).write("k", "x"); };
      await one(); const before = open();
      for (let i = 0; i < 10; i++) await one();
      for (let i = 0; i < 1000 && open() > before; i++) { gc(); await new Promise(setImmediate); }
      console.log(open() <= before);
    })();`;
  const got = spawnSync(process.execPath, ["--expose-gc", "-e", code], { encoding: "utf8" });
  assert.equal(got.stdout, "true\n", got.stderr);
});

const said = (file) => run(`require("jotter").open("mem:").catch((e) => console.log(e.name + ": " + e.message));`, { JOTTER_ADDON: file }).stdout;

test("an addon that is not there is named", () => assert.match(said("/nowhere/jotter.node"), /^NoAddon: cannot use '\/nowhere\/jotter.node'/));

test("a file of another kind is refused", () => {
  assert.match(said(process.execPath), /^NoAddon: cannot use/);
  assert.match(said(path.join(__dirname, "case.js")), /^NoAddon: .* is not Jotter's addon/);
});

test("an addon of another version is refused", () => {
  assert.ok(process.env.JOTTER_TEST_OTHER_ADDON, "the test's own addon of another version was not built");
  assert.match(said(process.env.JOTTER_TEST_OTHER_ADDON), /^NoAddon: .*this package was made for/);
});
