// The package itself: both ways to load it are one module, its names are typed, its README runs.
"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");
const jotter = require("jotter");

const home = path.dirname(require.resolve("jotter/package.json"));
const read = (name) => fs.readFileSync(path.join(home, name), "utf8");

test("import and require give the same module", async () => {
  const imported = await import(path.join(home, "lib", "index.mjs"));
  assert.equal(imported.default, jotter);
  assert.deepEqual(Object.keys(imported).filter((n) => n !== "default").sort(), Object.keys(jotter).sort());
  for (const name of Object.keys(jotter)) assert.equal(imported[name], jotter[name]);
});

test("every name and every method has a type", async () => {
  const types = read("lib/index.d.ts");
  for (const name of Object.keys(jotter)) assert.match(types, new RegExp(`export declare (class|function|const) ${name}\\b`));
  for (const made of [jotter.Pad, jotter.Held, jotter.Doc, jotter.Merge])
    for (const name of Object.getOwnPropertyNames(made.prototype))
      if (name !== "constructor") assert.match(types, new RegExp(`^  (get )?${name}[(<]`, "m"), `${made.name}.${name}`);
  const pad = await jotter.open("mem:");
  for (const noun of Object.keys(pad)) assert.match(read("lib/verbs.d.ts"), new RegExp(`readonly ${noun}:`));
  await pad.close();
});

test("every module has types for both ways to load it, and the package names them", () => {
  const { exports } = JSON.parse(read("package.json"));
  for (const [name, ways] of Object.entries(exports)) {
    if (name === "./package.json") continue;
    for (const { types, default: code } of Object.values(ways)) for (const file of [types, code]) assert.ok(read(file).length > 50, file);
    // a module's own types import the framework's, which are others for each way
    if (name !== ".") assert.equal(read(ways.import.types), read(ways.require.types));
  }
});

test("the version stands in the header and in the package", () => {
  const header = fs.readFileSync(path.join(home, "..", "..", "include", "jotter.h"), "utf8");
  assert.equal(jotter.version, /#define JOT_VERSION "(.*)"/.exec(header)[1]);
});

test("the codes are the statuses of the header", () => {
  const header = fs.readFileSync(path.join(home, "..", "..", "include", "jotter.h"), "utf8");
  const statuses = [...header.matchAll(/^ {4}JOT_(\w+) = (\d+),? /gm)].slice(0, 15).map(([, name, n]) => [Number(n), name.toLowerCase()]);
  const known = Object.values(jotter).filter((c) => c.prototype instanceof jotter.JotterError && !["Closed", "NoAddon"].includes(c.name));
  assert.equal(known.length, 15);
  for (const [n, name] of statuses.filter(([n]) => n > 0)) assert.ok(known.some((c) => c.prototype.status === n && c.prototype.code === name), name);
});

test("every example of the README runs", () => {
  const examples = [...read("README.md").matchAll(/^```(js|cjs)\n([^]*?)^```/gm)];
  assert.equal(examples.length, 2);
  for (const [, kind, code] of examples) {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), "jotter-node-"));
    fs.mkdirSync(path.join(dir, "node_modules"));
    fs.symlinkSync(home, path.join(dir, "node_modules", "jotter"));
    fs.writeFileSync(path.join(dir, `example.${kind === "js" ? "mjs" : "cjs"}`), code);
    const got = spawnSync(process.execPath, [`example.${kind === "js" ? "mjs" : "cjs"}`], { cwd: dir, encoding: "utf8" });
    fs.rmSync(dir, { recursive: true });
    assert.equal(got.status, 0, got.stderr);
    assert.match(got.stdout, /plan/);
  }
});
