// The memory tool of Anthropic's SDK, kept in a pad:
//
//     client.beta.messages.toolRunner({ tools: [jotterMemoryTool("files:memory")], ... });
//
// It answers word for word as the SDK's own tool on a file system does; what it keeps are the pad's memory files,
// memories/..., with their history, for every other door of the pad too. What the SDK's betaMemoryTool() makes of
// handlers is one object, so it is made here, and nothing of the SDK is loaded.
"use strict";

const { Invalid } = require("./errors.js");
const { Pad } = require("./pad.js");
const { padOf } = require("./threads.js");

const COMMANDS = ["view", "create", "str_replace", "insert", "delete", "rename"];

/** The handlers that betaMemoryTool() asks for. */
function memoryHandlers(pad) {
  if (pad instanceof Pad && pad.dialect !== "typescript")
    throw new Invalid('open this pad with { dialect: "typescript" }, or give its URL');
  const get = padOf(pad, { dialect: "typescript" });
  const answer = async (command) => {
    const reply = await (await get()).tool("memory", command);
    if (reply.isError) throw new Error(reply.text);
    return reply.text;
  };
  return Object.fromEntries(COMMANDS.map((command) => [command, answer]));
}

/** The tool; `extra` is more of its definition, such as cache_control. */
function jotterMemoryTool(pad, extra) {
  const handlers = memoryHandlers(pad);
  return {
    ...extra,
    type: "memory_20250818",
    name: "memory",
    parse: (content) => content,
    run: (args) => {
      if (!Object.hasOwn(handlers, args.command)) throw new Error(`${args.command} not implemented`);
      return handlers[args.command](args);
    },
  };
}

module.exports = { jotterMemoryTool, memoryHandlers };
