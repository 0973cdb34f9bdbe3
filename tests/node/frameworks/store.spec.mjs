// JotterStore does what LangGraph's own InMemoryStore does, but lasts. Where that has no order (items of a search
// without a query) only what there is is compared.
import { expect, test } from "vitest";
import { InMemoryStore, AsyncBatchedStore } from "@langchain/langgraph-checkpoint";
import { JotterStore } from "jotter/langgraph";
import { withPad } from "./place.mjs";

const known = ({ createdAt, updatedAt, score, ...item }) => item;
const sorted = (items) => items.map(known).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

/** The same on both, and what both answered. */
async function both(pad, script) {
  const answers = [];
  for (const store of [new InMemoryStore(), new JotterStore(pad)]) answers.push(await script(store));
  expect(answers[1]).toEqual(answers[0]);
  return answers[1];
}

test("items are put, got, replaced and deleted as in memory", () =>
  withPad(({ pad }) =>
    both(pad, async (store) => {
      const said = [await store.get(["a"], "k")];
      await store.put(["a"], "k", { n: 1, text: "é\n", list: [1, null, { x: true }] });
      said.push(known(await store.get(["a"], "k")));
      await store.put(["a"], "k", { n: 2 });
      await store.put(["a", "b c/d"], "ключ %", { n: 3 });
      said.push(known(await store.get(["a"], "k")), known(await store.get(["a", "b c/d"], "ключ %")));
      await store.delete(["a"], "k");
      await store.delete(["a"], "never there");
      said.push(await store.get(["a"], "k"));
      return said;
    })));

test("searches filter and page as in memory", () =>
  withPad(({ pad }) =>
    both(pad, async (store) => {
      for (let i = 0; i < 12; i++) await store.put(["docs", i % 2 ? "odd" : "even"], `k${i}`, { i, kind: i % 3 ? "a" : "b" });
      await store.put(["other"], "x", { i: 99 });
      return [
        sorted(await store.search(["docs"], { limit: 50 })),
        sorted(await store.search(["docs", "odd"], { limit: 50 })),
        sorted(await store.search(["docs"], { filter: { kind: "b" }, limit: 50 })),
        sorted(await store.search(["docs"], { filter: { i: { $gte: 3, $lt: 7 } }, limit: 50 })),
        sorted(await store.search(["docs"], { filter: { kind: { $ne: "a" }, i: { $gt: 0 } }, limit: 50 })),
        (await store.search(["docs"])).length,
        (await store.search(["docs"], { limit: 5, offset: 10 })).length,
        (await store.search(["docs"], { filter: { kind: "a" }, limit: 5, offset: 6 })).length,
        (await store.search(["none"])).length,
      ];
    })));

test("namespaces are listed as in memory", () =>
  withPad(({ pad }) =>
    both(pad, async (store) => {
      for (const ns of [["a", "b", "c"], ["a", "b", "d"], ["a", "x", "c"], ["z"]]) await store.put(ns, "k", { n: 1 });
      return [
        await store.listNamespaces(), await store.listNamespaces({ prefix: ["a", "b"] }), await store.listNamespaces({ suffix: ["c"] }),
        await store.listNamespaces({ prefix: ["a", "*", "c"] }), await store.listNamespaces({ maxDepth: 2 }),
        await store.listNamespaces({ limit: 2, offset: 1 }),
      ];
    })));

test("a batch reads what was there before its writes, as in memory", () =>
  withPad(({ pad }) =>
    both(pad, async (store) => {
      await store.put(["a"], "k", { n: 1 });
      const said = await store.batch([
        { namespace: ["a"], key: "new", value: { n: 2 } }, { namespace: ["a"], key: "new" }, { namespace: ["a"], key: "new", value: { n: 3 } },
        { namespacePrefix: ["a"] }, { matchConditions: undefined, limit: 10, offset: 0 },
      ]);
      return [said[1], sorted(said[3]), said[4], known(await store.get(["a"], "new"))];
    })));

test("a query ranks by the pad's own search", () =>
  withPad(async ({ pad }) => {
    const store = new JotterStore(pad);
    await store.put(["m"], "a", { text: "the cat sleeps" });
    await store.put(["m"], "b", { text: "we ship the release on friday" });
    const found = await store.search(["m"], { query: "shipping releases", limit: 1 });
    expect([found[0].key, typeof found[0].score]).toEqual(["b", "number"]);
  }));

test("an item lasts, has its times, and is a file a person may read", () =>
  withPad(async ({ pad }) => {
    await new JotterStore(pad).put(["a"], "k", { n: 1 });
    const first = await new JotterStore(pad).get(["a"], "k");
    await new JotterStore(pad).put(["a"], "k", { n: 2 });
    const then = await new JotterStore(pad).get(["a"], "k");
    expect([then.createdAt, then.updatedAt >= first.updatedAt]).toEqual([first.createdAt, true]);
    expect((await pad.read("artifacts/langgraph/a/k")).text).toBe('{\n  "n": 2\n}');
  }));

test("an item past its time is not there, and a sweep purges it", () =>
  withPad(async ({ pad }) => {
    await new JotterStore(pad, { ttl: 0 }).put(["a"], "k", { n: 1 });
    const store = new JotterStore(pad);
    expect([await store.get(["a"], "k"), await store.search(["a"]), await store.sweepTtl(), await store.sweepTtl()]).toEqual([null, [], 1, 0]);
  }));

test("names of any length have an item each", () =>
  withPad(async ({ pad }) => {
    const store = new JotterStore(pad);
    const deep = Array.from({ length: 9 }, (_, i) => `${i}`.repeat(90));
    await store.put(deep, "k", { n: 1 });
    await store.put(["a"], "k".repeat(300), { n: 2 });
    expect([(await store.get(deep, "k")).value, (await store.get(["a"], "k".repeat(300))).value]).toEqual([{ n: 1 }, { n: 2 }]);
    expect((await store.search(deep.slice(0, 2))).map((item) => item.namespace)).toEqual([deep]);
    expect((await store.listNamespaces()).length).toBe(2);
  }));

test("LangGraph's own wrapper takes it, and wrong values are refused", () =>
  withPad(async ({ pad }) => {
    const batched = new AsyncBatchedStore(new JotterStore(pad));
    batched.start();
    await batched.put(["a"], "k", { n: 1 });
    expect((await batched.get(["a"], "k")).value).toEqual({ n: 1 });
    await batched.stop();
    const store = new JotterStore(pad);
    await expect(store.put(["a"], "k", { n: NaN })).rejects.toThrow("cannot be JSON");
    await expect(store.put(["a"], "\ud800", { n: 1 })).rejects.toThrow("surrogate");
    expect(() => new JotterStore(7)).toThrow("its URL");
  }));
