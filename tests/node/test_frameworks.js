// What the frameworks' modules keep, and how: bindings/LAYOUT.md. These two need nothing of their frameworks;
// `make conformance` has the frameworks' own tests, for LangGraph's too.
"use strict";

const assert = require("node:assert/strict");
const path = require("node:path");
const test = require("node:test");
const jotter = require("jotter");
const { jotterMemoryTool, memoryHandlers } = require("jotter/anthropic");
const { JotterSession } = require("jotter/openai-agents");
const { all, withPad } = require("./case.js");

const threads = require(path.join(path.dirname(require.resolve("jotter")), "threads.js"));
const holds = (name, run) => test(name, withPad(run));

test("a word is one segment, and comes back from it", () => {
  const words = { "": "%", plain_Word: "plain_Word", "a/b.c": "a%2Fb%2Ec", "é %": "%C3%A9%20%25", "a\0": "a%00", "😀": "%F0%9F%98%80" };
  for (const [word, segment] of Object.entries(words)) {
    assert.equal(threads.segment(word), segment);
    assert.equal(threads.wordOf(segment), word);
  }
  const long = threads.segment("x".repeat(121));
  assert.equal(long, `${"x".repeat(50)}%-${threads.sha256("x".repeat(121))}`);
  assert.equal(threads.segment("x".repeat(120)), "x".repeat(120));
  assert.equal(threads.wordOf(long), null);
  assert.throws(() => threads.segment("\ud800"), jotter.Invalid);
  assert.throws(() => threads.segment(7), jotter.Invalid);
});

test("a record is a header, a line break and its parts; what is none is refused", () => {
  const text = threads.encode({ what: "x", id: "é" }, [["msgpack", Buffer.from([1, 10, 2])], ["json", Buffer.from("{}")]]);
  assert.equal(text.toString("latin1"), Buffer.from('{"v":1,"what":"x","id":"é","parts":[["msgpack",3],["json",2]]}\n\x01\n\x02{}').toString("latin1"));
  const doc = { data: text, seq: 3, version: "v", name: "threads/x", redacted: false, deleted: false };
  assert.deepEqual(threads.decode(doc).parts, [["msgpack", Buffer.from([1, 10, 2])], ["json", Buffer.from("{}")]]);
  assert.equal(threads.decode({ ...doc, redacted: true }), null);
  assert.equal(threads.decode({ ...doc, data: Buffer.from('{"v":2,"what":"new"}\n') }), null);
  for (const bad of ["", "x", "{}\n", '{"v":1,"parts":[["a",1]]}\n', '{"v":1,"parts":[]}\nx', '{"v":1,"parts":[["a",-1]]}\n', "null\n", '{"v":1,"parts":[]}'])
    assert.throws(() => threads.decode({ ...doc, data: Buffer.from(bad) }), jotter.Corrupt, bad);
  assert.throws(() => threads.encode({ what: "x" }, [["pickle", Buffer.from("")]]), jotter.Invalid);
  assert.throws(() => threads.safePart(["pickle", Buffer.from("")]), jotter.Invalid);
});

holds("a session is a stream that processes share, and clearing it leaves nothing", async ({ pad, url }) => {
  const [one, two] = [new JotterSession("user/1", pad), new JotterSession("user/1", url)];
  await one.addItems([{ role: "user", content: "xyzzy" }, { role: "assistant", content: "2" }]);
  await two.addItems([{ role: "user", content: "3" }]);
  assert.deepEqual((await one.getItems()).map((item) => item.content), ["xyzzy", "2", "3"]);
  assert.deepEqual((await two.getItems(2)).map((item) => item.content), ["2", "3"]);
  assert.equal((await pad.read("threads/openai-agents/user%2F1")).meta.what, "items");
  const popped = await Promise.all([one.popItem(), two.popItem(), one.popItem(), two.popItem()]);
  assert.deepEqual(popped.map((item) => item?.content).sort(), ["2", "3", "xyzzy", undefined]);
  await one.addItems([{ role: "user", content: "again" }]);
  await two.clearSession();
  assert.deepEqual(await one.getItems(), []);
  assert.deepEqual(await all(pad.list("threads/")), []);
  await one.clearSession();
  await assert.rejects(one.addItems("text"), jotter.Invalid);
  await assert.rejects(one.addItems([() => 1]), jotter.Invalid);
  assert.throws(() => new JotterSession(7, pad), jotter.Invalid);
  assert.throws(() => new JotterSession("s", 7), jotter.Invalid);
});

holds("a session sees what another wrote, popped, cleared and began again", async ({ pad, url }) => {
  const [one, two] = [new JotterSession("s", pad), new JotterSession("s", url)];
  const texts = async (session) => (await session.getItems()).map((item) => item.content).join(" ");
  const add = (session, content) => session.addItems([{ role: "user", content }]);
  await add(one, "a");
  assert.deepEqual([await texts(one), await texts(two)], ["a", "a"]);
  await add(two, "b");
  assert.deepEqual([await texts(one), await texts(two), await texts(one)], ["a b", "a b", "a b"]);
  assert.equal((await one.popItem()).content, "b");
  assert.deepEqual([await texts(two), await texts(one)], ["a", "a"]);
  await one.clearSession();
  for (const word of ["x", "y", "z"]) await add(one, word); // as many as before: the newest has the number the last one had
  assert.deepEqual([await texts(two), await texts(one)], ["x y z", "x y z"]);
  await two.clearSession();
  assert.deepEqual([await texts(one), await texts(two)], ["", ""]);
  await Promise.all(["1", "2", "3"].flatMap((word) => [add(one, word), one.getItems(), two.getItems()]));
  assert.equal((await texts(two)).split(" ").sort().join(""), "123");
});

holds("the memory tool works on the pad's memory files", async ({ pad, open }) => {
  const tool = jotterMemoryTool(await open({ dialect: "typescript" }), { cache_control: { type: "ephemeral" } });
  assert.deepEqual([tool.type, tool.name, tool.cache_control.type], ["memory_20250818", "memory", "ephemeral"]);
  await tool.run({ command: "create", path: "/memories/a.txt", file_text: "one\n" });
  assert.equal((await pad.read("memories/a.txt")).text, "one\n");
  await assert.rejects(tool.run({ command: "view", path: "/memories/none" }), /does not exist/);
  assert.throws(() => tool.run({ command: "constructor" }), /not implemented/);
  assert.throws(() => memoryHandlers(pad), jotter.Invalid);
});
