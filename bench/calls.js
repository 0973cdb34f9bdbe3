// calls.js PACKAGE FOLDER: the Node side of calls.py.
//
// Does what a line of standard input asks for, "SIDE VERB TIMES", one call after another, and answers with the
// nanoseconds that took, or with "missing" and the module that is not here. A side is made when it is first named, in
// FOLDER.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");
const [, , PACKAGE, FOLDER] = process.argv;
const jotter = require(PACKAGE);

let n = 0;
const url = (engine, name) => `${engine}:${path.join(FOLDER, `node-${name}-${engine}`)}`;
const ours = (name) => require(path.join(PACKAGE, "lib", name));

async function note(engine) {
  const pad = await jotter.open(url(engine, "calls"));
  const write = () => pad.write("calls", `value ${n++}`);
  await write();
  return { write, read: () => pad.read("calls") };
}

function checkpoints(saver) {
  const { emptyCheckpoint, uuid6 } = require("@langchain/langgraph-checkpoint");
  const config = { configurable: { thread_id: "1", checkpoint_ns: "" } };
  const state = { messages: Array(10).fill("x".repeat(1000)) };
  return {
    put: () =>
      saver.put(config, { ...emptyCheckpoint(), id: uuid6(n++), channel_values: state, channel_versions: { messages: 1 } },
        { source: "loop", step: 1, parents: {} }, { messages: 1 }),
    get: () => saver.getTuple(config),
  };
}

const items = (store) => ({ put: () => store.put(["a", "b"], "k", { n: n++ }), get: () => store.get(["a", "b"], "k") });

function turns(session) {
  return { add: () => session.addItems([{ type: "message", role: "user", content: "hello" }]), get: () => session.getItems() };
}

async function files(tool) {
  await tool.run({ command: "create", path: "/memories/a.md", file_text: "0\n" });
  return {
    insert: () => tool.run({ command: "insert", path: "/memories/a.md", insert_line: 0, insert_text: "x\n" }),
    view: () => tool.run({ command: "view", path: "/memories/a.md" }),
  };
}

async function sdkFiles() {
  const { BetaLocalFilesystemMemoryTool, betaMemoryTool } = require("@anthropic-ai/sdk/tools/memory/node");
  const base = path.join(FOLDER, "node-memory");
  fs.mkdirSync(base);
  return files(betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(base)));
}

const MAKE = {
  "note-sqlite": () => note("sqlite"),
  "note-files": () => note("files"),
  MemorySaver: () => checkpoints(new (require("@langchain/langgraph-checkpoint").MemorySaver)()),
  "JotterSaver-sqlite": () => checkpoints(new (ours("langgraph.js").JotterSaver)(url("sqlite", "saver"))),
  "JotterSaver-files": () => checkpoints(new (ours("langgraph.js").JotterSaver)(url("files", "saver"))),
  InMemoryStore: () => items(new (require("@langchain/langgraph-checkpoint").InMemoryStore)()),
  "JotterStore-sqlite": () => items(new (ours("langgraph.js").JotterStore)(url("sqlite", "store"))),
  "JotterStore-files": () => items(new (ours("langgraph.js").JotterStore)(url("files", "store"))),
  MemorySession: () => turns(new (require("@openai/agents-core").MemorySession)({ sessionId: "s" })),
  "JotterSession-sqlite": () => turns(new (ours("openai-agents.js").JotterSession)("s", url("sqlite", "session"))),
  "JotterSession-files": () => turns(new (ours("openai-agents.js").JotterSession)("s", url("files", "session"))),
  "SDK-files": sdkFiles,
  "jotterMemoryTool-files": () => files(ours("anthropic.js").jotterMemoryTool(url("files", "memory"))),
};

const made = {};

async function answer(line) {
  const [side, verb, times] = line.split(" ");
  made[side] ??= MAKE[side]();
  const call = (await made[side])[verb];
  const begin = process.hrtime.bigint();
  for (let i = 0; i < Number(times); i++) await call();
  return process.hrtime.bigint() - begin;
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    try {
      console.log(String(await answer(line)));
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
      console.log(`missing ${/'(.*?)'/.exec(error.message)[1]}`);
    }
  }
  process.exit(0); // pads of the sides stay open
}

main();
