// What a program does with a pad, on files: and on sqlite:.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const jotter = require("jotter");
const { all, withPad } = require("./case.js");

for (const engine of ["files", "sqlite"]) {
  const holds = (name, run) => test(`${name} (${engine})`, withPad(run, engine));

  holds("a note is written, read, listed and deleted", async ({ pad }) => {
    await pad.write("plan", "ship");
    assert.equal(await pad.get("plan"), "ship");
    assert.equal(await pad.has("plan"), true);
    assert.deepEqual((await all(pad.list())).map((d) => d.name), ["plan"]);
    await pad.delete("plan");
    assert.equal(await pad.get("plan"), undefined);
    assert.equal(await pad.has("plan"), false);
    await assert.rejects(pad.read("plan"), jotter.NotFound);
  });

  holds("a read has the version and who wrote it", async ({ pad }) => {
    const written = await pad.write("plan", "ship", { meta: { why: "friday" } });
    const read = await pad.read("plan");
    assert.deepEqual([read.version, read.by, read.meta], [written.version, "ann", { why: "friday" }]);
    assert.ok(Math.abs(Date.now() - read.at) < 3600e3);
  });

  holds("any bytes come back", async ({ pad }) => {
    const data = Buffer.from(Array.from({ length: 768 }, (_, i) => i % 256));
    await pad.write("bytes", data);
    assert.deepEqual((await pad.read("bytes")).data, data);
    const read = await pad.read("bytes");
    assert.throws(() => read.text, jotter.Invalid);
    for (const same of [new Uint8Array(data), new DataView(new Uint8Array(data).buffer), new Uint8Array(data).buffer])
      assert.equal((await pad.write("same", same)).sha256, read.sha256);
    await pad.write("bom", "\ufeff\u00e9\ufffd");
    assert.equal(await pad.get("bom"), "\ufeff\u00e9\ufffd");
  });

  holds("bytes are those of the moment of the call", async ({ pad }) => {
    const data = Buffer.alloc(100000, "a");
    const writing = [pad.write("first", "x"), pad.write("bytes", data)];
    await new Promise(setImmediate);
    data.fill("b");
    await Promise.all(writing);
    const text = await pad.get("bytes");
    assert.ok(/^(a+|b+)$/.test(text));
  });

  holds("a conflict has both texts and the merge", async ({ pad, open }) => {
    const { version } = await pad.write("plan", "a\nb\nc\n");
    await (await open({ as: "bob" })).write("plan", "A\nb\nc\n");
    const conflict = await pad.write("plan", "a\nb\nC\n", { ifVersion: version }).catch((e) => e);
    assert.ok(conflict instanceof jotter.Conflict && conflict instanceof jotter.JotterError && conflict instanceof Error);
    assert.deepEqual([conflict.name, conflict.code, conflict.status], ["Conflict", "conflict", 3]);
    assert.equal(conflict.now.text, "A\nb\nc\n");
    assert.equal(conflict.mine.toString(), "a\nb\nC\n");
    assert.equal(conflict.clean, true);
    await pad.write("plan", conflict.merged, { ifVersion: conflict.now.version });
    assert.equal(await pad.get("plan"), "A\nb\nC\n");
  });

  holds("a conflict that does not merge says so and changes nothing", async ({ pad }) => {
    const { version } = await pad.write("plan", "one\n");
    await pad.write("plan", "two\n");
    const conflict = await pad.write("plan", "three\n", { ifVersion: version, merge: true }).catch((e) => e);
    assert.equal(conflict.clean, false);
    assert.ok(conflict.merged.includes("two"));
    assert.equal(await pad.get("plan"), "two\n");
  });

  holds("ifAbsent makes a note once", async ({ pad }) => {
    await pad.write("plan", "first", { ifAbsent: true });
    const conflict = await pad.write("plan", "second", { ifAbsent: true }).catch((e) => e);
    assert.equal(conflict.now.text, "first");
  });

  holds("update reads, calls and writes until nobody was faster", async ({ pad, open }) => {
    const other = await open({ as: "bob" });
    const seen = [];
    const change = async (text) => {
      seen.push(text);
      if (seen.length === 2) await other.write("n", "10");
      return String(Number(text ?? 0) + 1);
    };
    assert.equal((await pad.update("n", change)).text, "1");
    await pad.update("n", change);
    assert.deepEqual([await pad.get("n"), seen], ["11", [undefined, "1", "10"]]);
    const late = async () => (await other.append("n", "x"), "mine");
    await assert.rejects(pad.update("n", late, { attempts: 3 }), jotter.Conflict);
    assert.equal(await pad.get("n"), "11xxx");
  });

  holds("append, edit, move, undo, redo and restore do what they say", async ({ pad }) => {
    const first = (await pad.write("a", "one")).version;
    await pad.append("a", "two", { line: true });
    assert.equal((await pad.edit("a", "two", "three")).line, 2);
    assert.equal(await pad.get("a"), "one\nthree");
    await pad.undo("a");
    assert.equal(await pad.get("a"), "one\ntwo");
    await pad.redo("a");
    assert.equal(await pad.get("a"), "one\nthree");
    await pad.restore("a", first);
    await pad.move("a", "b");
    assert.deepEqual([(await all(pad.list())).map((d) => d.name), await pad.get("b")], [["b"], "one"]);
    await assert.rejects(pad.edit("b", "nowhere", "x"), jotter.Invalid);
  });

  holds("versions have texts and go on from anywhere", async ({ pad }) => {
    for (const text of ["one", "two", "three"]) await pad.write("plan", text);
    const said = async (options) => (await all(pad.versions("plan", options))).map((doc) => doc.text);
    assert.deepEqual(await said(), ["one", "two", "three"]);
    assert.deepEqual(await said({ from: 2 }), ["two", "three"]);
    assert.deepEqual(await said({ from: 2, limit: 1 }), ["two"]);
    assert.deepEqual(await said({ limit: 0 }), []);
    await assert.rejects(all(pad.versions("nothing")), jotter.NotFound);
    await assert.rejects(all(pad.versions("plan", { from: -1 })), jotter.Invalid);
    for (let i = 0; i < 1005; i++) await pad.append("long", "x");
    assert.equal((await all(pad.versions("long"))).length, 1005);
  });

  holds("history, diff and blame show what a note was", async ({ pad }) => {
    for (const text of ["a\n", "a\nb\n", "a\nB\n"]) await pad.write("n", text);
    const versions = await all(pad.history("n"));
    assert.deepEqual(versions.map((v) => v.seq), [3, 2, 1]);
    assert.equal((await pad.read("n", { version: versions.at(-1).version })).text, "a\n");
    const diff = await pad.diff("n");
    assert.deepEqual([diff.added, diff.removed], [1, 1]);
    assert.ok(diff.text.includes("+B"));
    assert.deepEqual((await pad.blame("n")).map((line) => line.seq), [1, 3]);
  });

  holds("a result stays what it was", async ({ pad }) => {
    const text = "x".repeat(1000);
    const { version } = await pad.write("n", text);
    const answer = await pad.task.add({ id: "t", description: text });
    const [read, [listed]] = [await pad.read("n"), await all(pad.list())];
    for (let i = 0; i < 20; i++) await pad.write("n", String(i).repeat(1000));
    await pad.close();
    assert.deepEqual([read.text, read.version, listed.version, answer.description], [text, version, version, text]);
  });

  holds("nobody writes as a person", async ({ pad, open }) => {
    await assert.rejects((await open({ as: "outside" })).write("k", "x"), /edits made outside/);
    assert.deepEqual(Object.keys(pad.rules), ["list"]);
  });

  const pages = engine === "files" ? holds : () => {}; // the paging is the binding's: once is enough
  pages("histories page by themselves", async ({ pad }) => {
    for (let i = 0; i < 1005; i++) await pad.write("n", String(i));
    assert.equal((await all(pad.history("n"))).length, 1005);
  });

  holds("a bounded read says what is left", async ({ pad }) => {
    await pad.write("n", Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join(""));
    const part = await pad.read("n", { fromLine: 2, lines: 3 });
    assert.deepEqual([part.text, part.nextLine], ["line 2\nline 3\nline 4\n", 5]);
    assert.ok(part.leftOut);
  });

  holds("a search finds what was just written", async ({ pad }) => {
    await pad.write("deploy", "ship the release on friday");
    await pad.write("lunch", "noodles");
    const hits = await pad.search("releases");
    assert.deepEqual(hits.map((h) => h.name), ["deploy"]);
    assert.ok(hits[0].snippet.includes("**release**"));
    const evidence = await pad.evidence("when is the release", 500);
    assert.ok(evidence.text.includes("friday") && evidence.tokens <= 500);
    assert.equal(evidence.passages[0].name, "deploy");
    const context = await pad.context(400);
    assert.ok(context.text.includes("ship the release") && context.tokens <= 400);
  });

  holds("verbs of every noun return data", async ({ pad }) => {
    const task = await pad.task.add({ id: "t1", description: "build", maxRetries: 3 });
    assert.deepEqual([task.task_id, task.status, task.by, task.max_retries], ["t1", "pending", "ann", 3]);
    const { run } = await pad.run.begin("why is it slow?");
    await pad.run.finish(run, "grep", "42 lines");
    assert.deepEqual((await pad.run.read(run)).steps.map((s) => s.kind), ["init", "tool_call", "tool_result"]);
    await pad.artifact.write("plans", "p1", { steps: [1, 2] });
    assert.equal(String((await pad.artifact.read("plans", "p1")).body), '{\n  "steps": [\n    1,\n    2\n  ]\n}');
    await pad.lineLog.append("logs", "l", "a line");
    await pad.checkpoint.write(run, "state one");
    assert.equal(String((await pad.checkpoint.read(run)).body), "state one");
    await pad.plan.create("ship", ["build", "test"], "p");
    assert.equal((await pad.plan.list()).plans[0].id, "p");
  });

  holds("a refused verb has what is in the way", async ({ pad }) => {
    await pad.task.add({ id: "t1" });
    const error = await pad.task.move("t1", "completed").catch((e) => e);
    assert.ok(error instanceof jotter.Invalid);
    assert.equal(error.answer.status, "pending");
    await assert.rejects(pad.task.read("t2"), jotter.NotFound);
  });

  holds("a lease keeps others out until it is released", async ({ pad, open }) => {
    const other = await open({ as: "bob" });
    await pad.withLease("plan", async (held) => {
      await pad.write("plan", "mine");
      const error = await other.lease("plan", { wait: 20 }).catch((e) => e);
      assert.ok(error instanceof jotter.Leased);
      assert.equal(error.lease.by, "ann");
      assert.ok((await held.renew(120000)).left > 60000);
      assert.deepEqual((await other.leases()).map((l) => l.token), [held.token]);
    });
    const theirs = await other.lease("plan");
    await other.write("plan", "theirs");
    await theirs[Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]();
    assert.equal(await pad.get("plan"), "theirs");
  });

  holds("a lease that is waited for comes when the other lets go", async ({ pad, open }) => {
    const other = await open({ as: "bob" });
    const held = await pad.lease("plan");
    const waiting = other.lease("plan", { wait: 600000 });
    assert.equal(await other.get("plan"), undefined); // its other calls go on
    await held.release();
    await (await waiting).release();
  });

  holds("a block that lost its lease is fenced", async ({ pad }) => {
    const lost = async (held) => {
      for (;;) await held.check(); // until it has ended by itself
    };
    await assert.rejects(pad.withLease("plan", lost, { ttl: 100 }), jotter.Fenced);
    const late = (held) => lost(held).catch(() => pad.write("plan", "too late"));
    await assert.rejects(pad.withLease("plan", late, { ttl: 100 }), jotter.Fenced);
    await assert.rejects(pad.withLease("plan", (held) => lost(held).catch(() => "done"), { ttl: 100 }), jotter.Fenced);
    assert.equal(await pad.has("plan"), false);
  });

  holds("leases taken and released at once through many handles are the pad's own", async ({ open }) => {
    const pad = await open({ as: "ann", pool: 8 });
    const use = async (i) => {
      for (let n = 0; n < 20; n++) {
        await pad.withLease(`k${i}`, async (held) => {
          await pad.write(`k${i}`, String(n));
          await held.check();
        });
        await pad.write(`k${i}`, "free");
      }
    };
    await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(use));
    assert.deepEqual(await pad.leases(), []);
  });

  holds("leases hold for every handle of a pool", async ({ open }) => {
    const [pad, other] = [await open({ as: "ann", pool: 4 }), await open({ as: "bob" })];
    await pad.withLease("n0", async () => {
      await Promise.all(Array.from({ length: 16 }, (_, i) => pad.write(`n0${i}`, "x")));
      await assert.rejects(other.lease("n01"), jotter.Leased);
    }, { prefix: true });
    assert.equal((await all(pad.list("n0"))).length, 16);
    await pad.write("n0", "after the block");
    await other.withLease("n01", () => {});
  });

  holds("calls side by side lose nothing", async ({ open }) => {
    for (const pool of [1, 4]) {
      const pad = await open({ as: "ann", pool });
      const add = (text) => String(Number(text ?? 0) + 1);
      await Promise.all(Array.from({ length: 20 }, () => pad.update(`n${pool}`, add, { attempts: 10000 })));
      assert.equal(await pad.get(`n${pool}`), "20");
    }
  });

  holds("a watch shows what others write, and lets other calls go on", async ({ pad, open }) => {
    const other = await open({ as: "bob" });
    let seen = false;
    const writing = (async () => {
      while (!seen) await other.append("news", "x"); // what came before its first step is not news
    })();
    for await (const doc of pad.watch("notes/")) {
      assert.deepEqual([doc.name, doc.by], ["news", "bob"]);
      assert.ok(await pad.get("news"));
      break;
    }
    seen = true;
    await writing;
    assert.deepEqual(await all(pad.watch("", { timeout: 10 })), []);
    assert.deepEqual(await all(pad.watch("", { signal: AbortSignal.abort() })), []);
  });

  holds("a model uses the tools through a pad", async ({ pad }) => {
    assert.ok((await pad.tools()).some((tool) => tool.name === "scratchpad_write"));
    assert.equal((await pad.tool("scratchpad_write", { key: "k", content: "x" })).isError, false);
    assert.equal((await pad.tool("scratchpad_write", { key: "../x", content: "" })).isError, true);
    assert.equal((await pad.tool("scratchpad_read", { key: "k" })).value.toString(), "x");
  });

  holds("writes are signed with the program's name unless said otherwise", async ({ open }) => {
    const pad = await open();
    await pad.write("n", "x");
    assert.ok(!["", "ann", "outside"].includes((await pad.read("n")).by));
  });

  holds("purged text is in no file", async ({ pad, dir }) => {
    await pad.write("n", "xyzzy-secret");
    await pad.purge("n");
    await pad.close();
    const look = (folder) => {
      for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
        const name = path.join(folder, entry.name);
        if (entry.isDirectory()) look(name);
        else assert.ok(!fs.readFileSync(name).includes("xyzzy-secret"), name);
      }
    };
    look(dir);
  });
}
