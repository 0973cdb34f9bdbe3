// The tools of a pad for the Vercel AI SDK, with a model that answers from a script instead of a provider.
//
//     node vercel-ai.mjs [URL of a pad]
//
// With a real model, only `model` changes. What the model writes is in the pad, for the next session, another
// process, or a person with `cat`.
import { dynamicTool, generateText, jsonSchema, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import * as jotter from "jotter";

const pad = await jotter.open(process.argv[2] ?? "files:memory", { as: "assistant" });

/** Every tool of the pad as the SDK wants it. */
async function padTools() {
  const made = {};
  for (const { name, description, inputSchema } of await pad.tools())
    made[name] = dynamicTool({
      description,
      inputSchema: jsonSchema(inputSchema),
      execute: async (input) => (await pad.tool(name, input)).text,
    });
  return made;
}

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const call = (toolName, input) => ({
  content: [{ type: "tool-call", toolCallId: toolName, toolName, input: JSON.stringify(input) }],
  finishReason: { unified: "tool-calls" }, usage, warnings: [],
});
const script = [
  call("scratchpad_write", { key: "plan", content: "ship on friday" }),
  call("scratchpad_read", { key: "plan" }),
  { content: [{ type: "text", text: "I noted that we ship on friday." }], finishReason: { unified: "stop" }, usage, warnings: [] },
];
const model = new MockLanguageModelV3({ doGenerate: async () => script.shift() });

const { text, steps } = await generateText({
  model,
  system: (await pad.context(2000)).text,
  prompt: "Remember that we ship on friday.",
  tools: await padTools(),
  stopWhen: stepCountIs(5),
});
for (const step of steps) for (const result of step.toolResults) console.log(`${result.toolName}: ${result.output}`);
console.log(text);
console.log(`plan: ${await pad.get("plan")}`);
await pad.close();
