// jotter/anthropic for `import`.
import memory from "./anthropic.js";

export const { jotterMemoryTool, memoryHandlers } = memory;
