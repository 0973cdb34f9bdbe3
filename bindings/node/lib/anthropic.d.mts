// The types of jotter/anthropic.
import type { MemoryToolHandlers, betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import type { Pad } from "./index.js";

/** The handlers that betaMemoryTool() asks for; `pad` is a URL, or was opened with `dialect: "typescript"`. */
export declare function memoryHandlers(pad?: Pad | string | null): MemoryToolHandlers;
/** The tool for `client.beta.messages.toolRunner`. */
export declare function jotterMemoryTool(
  pad?: Pad | string | null,
  extra?: Parameters<typeof betaMemoryTool>[1],
): ReturnType<typeof betaMemoryTool>;
