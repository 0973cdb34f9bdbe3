// The types of jotter/langgraph.
import { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type {
  ChannelVersions, Checkpoint, CheckpointListOptions, CheckpointMetadata, CheckpointTuple, Operation,
  OperationResults, PendingWrite, SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Pad } from "./index.js";

/** Checkpoints of LangGraph in a pad: an open one, or its URL. Deleting a thread purges it. */
export declare class JotterSaver extends BaseCheckpointSaver {
  constructor(pad?: Pad | string | null, options?: { serde?: SerializerProtocol });
  getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined>;
  list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple>;
  put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig>;
  putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void>;
  deleteThread(threadId: string): Promise<void>;
}

/** Items of LangGraph in a pad: an open one, or its URL. `ttl` in milliseconds. */
export declare class JotterStore extends BaseStore {
  constructor(pad?: Pad | string | null, options?: { ttl?: number });
  batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>>;
  /** Purge what has expired; how many items that were. */
  sweepTtl(): Promise<number>;
}
