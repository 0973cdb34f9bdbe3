// What is done with the whole pad, and what is taken out of it for good, on files: and on sqlite:.
"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const { inspect } = require("node:util");
const jotter = require("jotter");
const { all, withPad } = require("./case.js");

const HOUR = 3600e3;

/** Every file below a directory holds nothing of it. */
function isNowhere(dir, phrase) {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const name = path.join(dir, entry.name);
    if (entry.isDirectory()) isNowhere(name, phrase);
    else if (entry.isFile()) assert.ok(!fs.readFileSync(name).includes(phrase), name);
  }
}

for (const engine of ["files", "sqlite"]) {
  const holds = (name, run) => test(`${name} (${engine})`, withPad(run, engine));

  holds("an old version is redacted, and the present one is not", async ({ pad, dir }) => {
    await pad.write("plan", "xyzzy-secret");
    await pad.write("plan", "now");
    await assert.rejects(pad.redact("plan", "now"), jotter.Invalid);
    assert.equal(await pad.redact("plan", "~1"), 1);
    assert.deepEqual((await all(pad.history("plan"))).map((v) => v.redacted), [false, true]);
    await pad.close();
    isNowhere(dir, "xyzzy-secret");
  });

  holds("a phrase is taken out of a note, a run and the whole pad", async ({ pad, dir }) => {
    await pad.write("a", "old xyzzy-secret");
    await pad.write("a", "new xyzzy-secret");
    await pad.write("b", "xyzzy-secret too");
    const { run } = await pad.run.begin("what?");
    await pad.run.say(run, "thinking", "it is xyzzy-secret");
    assert.equal(await pad.redactText("a", Buffer.from("xyzzy-secret")), 2);
    assert.equal(await pad.get("a"), "new [redacted]");
    assert.equal(await pad.redactRun(run, "xyzzy-secret"), 1);
    const done = await pad.redactAll("xyzzy-secret");
    assert.deepEqual([done.rewritten, done.items], [1, []]);
    await assert.rejects(pad.redactAll("xyzzy-secret"), jotter.NotFound);
    await pad.close();
    isNowhere(dir, "xyzzy-secret");
  });

  holds("what cannot be redacted is told with the error", async ({ pad }) => {
    await pad.write("m", "x", { meta: { why: "xyzzy-secret" } });
    const error = await pad.redactAll("xyzzy-secret").catch((e) => e);
    assert.ok(error instanceof jotter.Unsupported);
    assert.deepEqual(error.report.items.map((f) => [f.kind, f.stream]), [["meta", "notes/m"]]);
  });

  holds("a run is purged", async ({ pad, dir }) => {
    const { run } = await pad.run.begin("xyzzy-secret");
    await pad.purgeRun(run);
    await assert.rejects(pad.run.read(run), jotter.NotFound);
    await pad.close();
    isNowhere(dir, "xyzzy-secret");
  });

  holds("an agent's cycles start with a state and start over", async ({ pad }) => {
    await pad.resetCycle("ann", "task: bake\n");
    const { cycle, state } = await pad.cycle.wake({ agent: "ann" });
    assert.equal(state.task, "bake");
    await assert.rejects(pad.resetCycle("ann"), jotter.Leased);
    await pad.cycle.sleep(cycle, { agent: "ann" });
    assert.ok((await pad.resetCycle("ann", "", { clean: true })) > 0);
    assert.ok(!JSON.stringify((await pad.cycle.wake({ agent: "ann" })).state).includes("bake"));
  });

  holds("a copy has the history, and goes on where it stopped", async ({ pad, dir }) => {
    for (const text of ["one", "two"]) await pad.write("plan", text);
    const url = `sqlite:${dir}/copy.db`;
    assert.equal((await pad.copy(url)).added, 2);
    await pad.write("plan", "three");
    assert.equal((await pad.copy(url)).added, 1);
    const copy = await jotter.open(url, { existing: true });
    assert.deepEqual((await all(copy.versions("plan"))).map((v) => v.text), ["one", "two", "three"]);
    await copy.close();
  });

  holds("an archive is written, and brought in once", async ({ pad, dir }) => {
    await pad.write("plan", "ship");
    assert.equal((await pad.export(`${dir}/all.jotter`)).records, 1);
    const other = await jotter.open("mem:");
    assert.equal((await other.import(`${dir}/all.jotter`)).added, 1);
    assert.equal((await other.import(`${dir}/all.jotter`)).added, 0);
    assert.equal(await other.get("plan"), "ship");
    await other.close();
  });

  holds("an import says what it left out", async ({ pad, dir }) => {
    fs.mkdirSync(`${dir}/place`);
    for (const name of ["a.md", "b.bin"]) fs.writeFileSync(`${dir}/place/${name}`, "soup\n");
    const report = await pad.import(`${dir}/place`, { layout: "notes" });
    assert.deepEqual([await pad.get("a"), report.skipped.map((p) => p.name), report.missed], ["soup\n", ["b.bin"], 1]);
  });

  holds("old records go when they are let", async ({ pad }) => {
    for (let i = 0; i < 40; i++) await pad.write("plan", String(i));
    assert.equal((await pad.gc({ keep: 20, dryRun: true })).records, 20);
    assert.equal((await pad.gc({ keep: 20 })).records, 20);
    assert.equal((await pad.gc({ before: new Date(Date.now() - HOUR) })).records, 0);
    assert.equal((await all(pad.history("plan"))).length, 20);
    await assert.rejects(pad.gc(), jotter.Invalid);
  });

  holds("a pad is counted, verified and repaired", async ({ pad }) => {
    await pad.write("plan", "ship");
    const notes = (await pad.stats()).find((kind) => kind.kind === "notes");
    assert.deepEqual([notes.streams, notes.records, notes.bytes], [1, 1, 4]);
    assert.ok(notes.newest instanceof Date);
    assert.deepEqual([(await pad.verify()).faults, (await pad.doctor({ afterCrash: true })).faults], [0, 0]);
    await pad.rebuildIndex();
    assert.deepEqual((await pad.search("ships")).map((hit) => hit.name), ["plan"]);
  });

  holds("changes go on from a cursor, and are waited for", async ({ pad, open }) => {
    const sawThePlan = (changes) => changes.rescan || changes.names.includes("notes/plan");
    const bob = await open({ as: "bob" });
    await pad.write("plan", "begun");
    const first = await pad.changes();
    assert.ok(first.rescan);
    assert.deepEqual((await pad.changes(first.next)).names, []);
    await bob.write("plan", "ship");
    const second = await pad.changes(first.next);
    assert.ok(sawThePlan(second));
    assert.deepEqual((await pad.changes(second.next, { wait: 10 })).names, []);
    const waiting = pad.changes(second.next, { wait: 600e3 });
    await pad.get("plan");
    await bob.write("plan", "shipped");
    assert.ok(sawThePlan(await waiting));
  });

  holds("a lease is found, and adopted by its token", async ({ pad, open }) => {
    const other = await open({ as: "bob" });
    assert.equal(await other.leased("plan"), undefined);
    const held = await pad.lease("plan");
    assert.equal((await other.leased("plan")).by, "ann");
    const adopted = await other.adopt(held.token);
    assert.equal((await adopted.check()).token, held.token);
    await other.write("plan", "under the lease");
    await held.release();
    await assert.rejects(other.write("plan", "too late"), jotter.Fenced);
    await assert.rejects(adopted.release(), jotter.Fenced);
    await other.write("plan", "free");
    await assert.rejects(other.adopt(held.token), jotter.Fenced);
    await other.write("plan", "a lease that had ended binds nobody");
  });

  holds("a search may be bounded in time", async ({ pad }) => {
    await pad.write("plan", "ship it");
    const now = Date.now();
    for (const [since, until, found] of [[now - HOUR, new Date(now + HOUR), 1], [now + HOUR, undefined, 0], [undefined, now - HOUR, 0]]) {
      assert.equal((await pad.search("ship", { since, until })).length, found);
      assert.equal((await pad.evidence("ship", 500, { since, until })).passages.length, found);
    }
    await assert.rejects(pad.search("ship", { since: new Date(NaN) }), jotter.Invalid);
    await assert.rejects(pad.search("ship", { since: "yesterday" }), jotter.Invalid);
  });

  holds("a context begins with the rules", async ({ pad }) => {
    await pad.write("plan", "ship");
    const context = await pad.context(1000, { rules: "Be brief.", tools: true });
    assert.ok(context.text.indexOf("Be brief.") >= 0 && context.text.indexOf("Be brief.") < context.text.indexOf("plan"));
    assert.deepEqual([context.results, context.damaged], [0, 0]);
  });
}

test("tokens and the prompt need no pad", () => {
  assert.deepEqual([jotter.tokens(""), jotter.tokens(Buffer.from("ship"))], [0, 1]);
  assert.ok(jotter.tokens("ship on friday ".repeat(100)) > 200);
  assert.match(jotter.prompt(), /scratchpad/);
  assert.ok(jotter.prompt({ brief: true }).length < 2048);
  for (const call of [() => jotter.tokens(7), () => jotter.tokens(), () => jotter.prompt(true), () => jotter.prompt({ brief: "no" })])
    assert.throws(call, jotter.Invalid);
});

test("who writes is the program, however it was started", withPad(async ({ dir }) => {
  const code = 'require("jotter").open("mem:").then(async (pad) => console.log((await pad.write("k", "x")).by));';
  fs.writeFileSync(`${dir}/bake.cjs`, code);
  const said = (words, input = "") => spawnSync(process.execPath, words, { cwd: dir, input, encoding: "utf8" }).stdout.trim();
  assert.deepEqual([said(["-e", code]), said(["-"], code), said([], code), said(["bake.cjs"])], ["node", "node", "node", "bake"]);
}));

test("a pad says what it is where it is printed", withPad(async ({ pad, url }) => {
  assert.equal(inspect(pad), `<jotter.Pad '${url}' as 'ann'>`);
  await pad.close();
  assert.match(inspect({ pad }), /closed/);
}));
