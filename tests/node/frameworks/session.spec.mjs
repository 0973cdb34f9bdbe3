// JotterSession does what the OpenAI Agents SDK's own MemorySession does, with the SDK's runner and a scripted model.
import { expect, test } from "vitest";
import { Agent, MemorySession, Runner, Usage, setTracingDisabled } from "@openai/agents-core";
import { JotterSession } from "jotter/openai-agents";
import { withPad } from "./place.mjs";

setTracingDisabled(true);

/** A model that says how many items it was given. */
const model = {
  async getResponse(request) {
    const items = Array.isArray(request.input) ? request.input.length : 1;
    const content = [{ type: "output_text", text: `I saw ${items}` }];
    return { usage: new Usage(), responseId: "r", output: [{ type: "message", role: "assistant", status: "completed", content }] };
  },
};

const user = (text) => ({ type: "message", role: "user", content: text });

test("the runner continues a conversation from the pad as from memory", () =>
  withPad(async ({ pad }) => {
    const told = [];
    for (const session of [new MemorySession({ sessionId: "s" }), new JotterSession("s", pad)]) {
      const runner = new Runner({ modelProvider: { getModel: () => model }, tracingDisabled: true });
      const agent = new Agent({ name: "a", instructions: "count", model });
      const said = [];
      for (const text of ["one", "two", "three"]) said.push((await runner.run(agent, text, { session })).finalOutput);
      told.push([said, await session.getItems(), await session.getSessionId()]);
    }
    expect(told[1]).toEqual(told[0]);
    expect(told[1][0]).toEqual(["I saw 1", "I saw 3", "I saw 5"]);
  }));

test("items are added, limited, popped and cleared as in memory", () =>
  withPad(async ({ pad }) => {
    const told = [];
    for (const session of [new MemorySession({ sessionId: "s" }), new JotterSession("s", pad)]) {
      const said = [await session.popItem(), await session.getItems()];
      await session.addItems([user("1"), user("2"), user("é\n3")]);
      await session.addItems([]);
      await session.addItems([user("2")]);
      said.push(await session.getItems(2), await session.getItems(0), await session.getItems(99));
      said.push(await session.popItem(), await session.popItem(), await session.getItems());
      await session.addItems([user("4")]);
      said.push(await session.getItems());
      await session.clearSession();
      said.push(await session.getItems(), await session.popItem());
      told.push(said);
    }
    expect(told[1]).toEqual(told[0]);
  }));
