// memory_sdk.mjs: the memory tool of the TypeScript SDK, one JSON value a line.
//
// {"base": DIR} begins anew there; anything else is the input of a memory tool call.  The answer is
// {"text", "error"}, and "system" if it is not the tool that refuses but the operating system.
import * as readline from 'node:readline';
import { BetaLocalFilesystemMemoryTool, betaMemoryTool } from '@anthropic-ai/sdk/tools/memory/node';

let tool;

async function answer(asked) {
  if (asked.base !== undefined) {
    tool = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(asked.base));
    return {};
  }
  try {
    return { text: await tool.run(asked), error: false };
  } catch (e) {
    return { text: e.message, error: true, system: e.code !== undefined };
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await answer(JSON.parse(line))));
}
