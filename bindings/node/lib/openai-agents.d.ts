// The types of jotter/openai-agents.
import type { AgentInputItem, Session } from "@openai/agents-core";
import type { Pad } from "./index.js";

/** One conversation of the OpenAI Agents SDK in a pad: an open one, or its URL. */
export declare class JotterSession implements Session {
  constructor(sessionId: string, pad?: Pad | string | null);
  readonly sessionId: string;
  getSessionId(): Promise<string>;
  /** The items, oldest first; with `limit` the newest so many. */
  getItems(limit?: number): Promise<AgentInputItem[]>;
  addItems(items: AgentInputItem[]): Promise<void>;
  /** Take the last item away, and give it. */
  popItem(): Promise<AgentInputItem | undefined>;
  /** Remove the conversation for good. */
  clearSession(): Promise<void>;
}
