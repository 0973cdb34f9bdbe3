// The types of the package. What the verbs of nouns take is in verbs.d.ts, which is made from their table.

/// <reference types="node" />

import type { Nouns } from "./verbs.js";

export * from "./verbs.js";

/** What a program gives as a text: a string becomes UTF-8, bytes stay as they are. */
export type Text = string | NodeJS.ArrayBufferView | ArrayBufferLike;

/** A document, or in lists and histories one without its text. */
export declare class Doc {
  private constructor();
  readonly name: string;
  readonly data: Buffer;
  /** The text; Invalid if the bytes are no UTF-8 (`data` has them). */
  get text(): string;
  /** Bytes of the whole text. */
  readonly size: number;
  /** 12 hex digits; "" if it is deleted. */
  readonly version: string;
  readonly sha256: string;
  /** 0: a person's edit that the next write will record. */
  readonly seq: number;
  readonly at: Date;
  /** Who wrote it; "outside": a person with an editor. */
  readonly by: string;
  readonly meta: Record<string, unknown> | null;
  readonly deleted: boolean;
  readonly redacted: boolean;
  /** By a write: it holds somebody else's change too. */
  readonly merged: boolean;
  /** By an edit: where it was made. */
  readonly line: number;
  /** By a bounded read: where to continue; 0: that was all. */
  readonly nextLine: number;
  /** By a bounded read: what is not in it. */
  readonly leftOut: string;
  /** By a write: it looks as if it held a secret. */
  readonly warning: string;
}

/** What a search found. */
export interface Hit {
  readonly name: string;
  readonly seq: number;
  readonly at: Date;
  readonly by: string;
  readonly version: string;
  /** Bytes of the whole text. */
  readonly size: number;
  /** About what reading all of it costs. */
  readonly tokens: number;
  /** What was found stands between **. */
  readonly snippet: string;
  readonly score: number;
}

/** Lines that answer a question, and where they are from. */
export interface Passage {
  readonly name: string;
  readonly seq: number;
  readonly at: Date;
  readonly by: string;
  readonly version: string;
  readonly fromLine: number;
  readonly toLine: number;
  readonly lines: number;
  readonly text: string;
  readonly score: number;
  /** False: a record beside the one that was found. */
  readonly found: boolean;
  readonly cut: boolean;
  /** It belongs to the passage before it. */
  readonly joins: boolean;
}

/** What a search found, within a budget of tokens. */
export interface Evidence {
  /** All of it for a model. */
  readonly text: string;
  readonly passages: readonly Passage[];
  readonly tokens: number;
  readonly budget: number;
  /** Hits that say nothing that is not shown. */
  readonly same: number;
  /** Hits there was no room for. */
  readonly left: number;
  readonly more: boolean;
}

/** A document, or all whose names begin alike, had by one writer for a while. */
export interface Lease {
  readonly on: string;
  readonly prefix: boolean;
  /** It also ends with the pad that took it. */
  readonly live: boolean;
  readonly token: number;
  readonly by: string;
  /** Milliseconds. */
  readonly ttl: number;
  /** Milliseconds until it ends by itself. */
  readonly left: number;
}

/** What comes of two changes to one document. */
export declare class Merge {
  private constructor();
  readonly now: Doc;
  /** Both changes; null: the base is not in the history. */
  readonly data: Buffer | null;
  get text(): string | null;
  /** They do not touch each other. */
  readonly clean: boolean;
}

/** How one version became another, as `diff -u` writes it. */
export interface Diff {
  readonly data: Buffer;
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

/** What a model should see of the pad, within a budget. */
export interface Context {
  readonly text: string;
  /** Bytes at its beginning that seldom change. */
  readonly prefix: number;
  readonly tokens: number;
  readonly budget: number;
  /** Of the run that are shown in full. */
  readonly results: number;
  /** Records that cannot be read. */
  readonly damaged: number;
  /** What is not shown in full, and how to get it. */
  readonly left: readonly {
    what: string; why: string; name: string; from: number; to: number; get: string; count: number;
  }[];
}

/** Where the pad is and what it promises. */
export interface Info {
  readonly url: string;
  readonly why: string;
  readonly engine: string;
  /** Why it cannot be written; "": it can. */
  readonly readOnly: string;
  readonly durable: boolean;
  readonly shared: boolean;
  readonly editsSeen: boolean;
  readonly editsGuarded: boolean;
  /** What this pad met and repaired: unfinished records cut from the end of a stream. */
  readonly torn: number;
  /** Unreadable records passed over. */
  readonly damaged: number;
  /** Edits by people that became versions. */
  readonly outside: number;
  /** Files moved to quarantine/. */
  readonly quarantined: number;
  /** Files rebuilt from their history. */
  readonly restored: number;
  /** The latest of these, as a sentence. */
  readonly last: string;
}

/** What may have changed in a pad. */
export interface Changes {
  /** Of streams, such as "notes/plan"; in no order. */
  readonly names: readonly string[];
  /** Anything may have changed. */
  readonly rescan: boolean;
  /** The cursor to continue from. */
  readonly next: string;
}

/** Something that was not understood, and hides nothing else. */
export interface Problem {
  readonly name: string;
  readonly why: string;
}

/** What a copy, an import or an export did. */
export interface Report {
  /** What it was: "archive", "notes", "beads", "pad" ... */
  readonly layout: string;
  /** Of archives and pads: looked at. */
  readonly streams: number;
  readonly records: number;
  readonly bytes: number;
  /** Of other layouts: read or written. */
  readonly files: number;
  /** Records that were not there before. */
  readonly added: number;
  /** Files that were. */
  readonly unchanged: number;
  /** What was left out, and why; at most 1000 ... */
  readonly skipped: readonly Problem[];
  /** ... of so many. */
  readonly skippedTotal: number;
  /** Of these all but hidden and empty files. */
  readonly missed: number;
  /** Names that cannot be one in a pad; `why` is the new one. */
  readonly renamed: readonly Problem[];
  readonly renamedTotal: number;
}

/** Something that is wrong with a pad, or where a phrase stays. */
export interface Fault {
  /** "damage", "lost", "fork" ... */
  readonly kind: string;
  readonly stream: string;
  /** One sentence. */
  readonly what: string;
  /** What to do. */
  readonly advice: string;
  /** False: only worth knowing. */
  readonly counts: boolean;
  /** `doctor` repairs it. */
  readonly repairable: boolean;
}

/** What a look at every byte of a pad found. */
export interface Verified {
  readonly streams: number;
  readonly records: number;
  readonly bytes: number;
  /** That count. */
  readonly faults: number;
  /** At most 1000 ... */
  readonly items: readonly Fault[];
  /** ... of so many. */
  readonly total: number;
  /** Of the list of heads it was compared with; null: there is none. */
  readonly headsAt: Date | null;
}

/** What became of a phrase that was taken out of a whole pad. */
export interface Redacted {
  /** Looked at. */
  readonly streams: number;
  /** Documents whose present text held it. */
  readonly rewritten: number;
  /** That lost their texts. */
  readonly records: number;
  /** Where it stays; at most 1000 ... */
  readonly items: readonly Fault[];
  /** ... of so many. */
  readonly total: number;
}

/** What was let go of, or would be. */
export interface Collected {
  /** Of which something went. */
  readonly streams: number;
  readonly records: number;
  readonly bytes: number;
}

/** What there is of one kind. */
export interface KindStats {
  readonly kind: string;
  /** Living ones. */
  readonly streams: number;
  /** And tombstones. */
  readonly deleted: number;
  readonly records: number;
  readonly bytes: number;
  /** Records that cannot be read. */
  readonly damaged: number;
  /** Of its records; null: there is none. */
  readonly oldest: Date | null;
  readonly newest: Date | null;
}

/** What to say to a model. */
export interface ToolReply {
  readonly isError: boolean;
  readonly text: string;
  readonly data: any;
  /** The stored text that `text` begins with, exactly. */
  readonly value: Buffer | null;
}

/** One of the tools of a pad, as MCP lists them. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  readonly [member: string]: unknown;
}

/** A line of a document and who wrote it. */
export interface BlameLine {
  readonly line: number;
  readonly text: string;
  readonly version: string;
  readonly seq: number;
  readonly at: string;
  readonly by: string;
}

/** The data of a verb, as `jotter ... --json` prints it. */
export interface Answer {
  /** The stored bytes that were asked for, exactly, where the verb has some; no member of the data. */
  readonly body?: Buffer;
  readonly [member: string]: any;
}

/** A lease that a pad holds: `release` it, or `await using` it, or use `pad.withLease`. */
export declare class Held implements AsyncDisposable {
  private constructor();
  readonly lease: Lease;
  get token(): number;
  /** Have the whole time again; `ttl` in milliseconds, undefined: as long as before. */
  renew(ttl?: number): Promise<Lease>;
  /** How long it still stands; Fenced if it has ended. */
  check(): Promise<Lease>;
  /** Let others have it. Fenced: it had ended already. */
  release(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface OpenOptions {
  /** Signs what is written; by default the program's name. */
  as?: string;
  /** Of word endings in a search: "german". */
  language?: string;
  /** How many milliseconds to wait for other writers (10,000; 0: not at all). */
  wait?: number;
  /** Refuse to make a new pad. */
  existing?: boolean;
  readOnly?: boolean;
  /** Of the tool "memory": as Anthropic's SDK of this language answers. */
  dialect?: "typescript" | "python";
  /** How many calls may run at once, 1 to 64. */
  pool?: number;
}

export interface SearchOptions {
  /** "notes", "memories", "artifacts", "runs"; undefined: all. */
  kind?: string;
  /** Of the stream's name: "notes/pl". */
  prefix?: string;
  /** Who wrote it. */
  by?: string;
  /** Not written before that; a number is milliseconds since 1970. */
  since?: Date | number;
  /** Nor after that. */
  until?: Date | number;
}

export interface LeaseOptions {
  /** Milliseconds; a minute. */
  ttl?: number;
  /** Milliseconds to wait for others to let go; 0. */
  wait?: number;
  /** On all names that begin so. */
  prefix?: boolean;
  /** It ends at once when this pad is closed or its process dies; true. */
  live?: boolean;
}

export declare interface Pad extends Nouns {}

/**
 * One open scratchpad, and the agent that uses it.
 *
 * `write` overwrites whatever is there, so name the version you read (`ifVersion`) or use `update` where
 * somebody else may write too. Calls wait for each other, unless `pool` allows several at once.
 */
export declare class Pad implements AsyncDisposable {
  private constructor();

  /** Of the tool "memory", as it was opened. */
  get dialect(): "typescript" | "python" | undefined;
  /** Close it; leases that live with it are free. Waits for calls under way; closing twice is fine. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;

  /**
   * Make `text` the value; durable when it is fulfilled.
   *
   * `ifVersion`: only if it is still that one, else Conflict; with `merge` both changes are written if they
   * do not touch each other. `ifAbsent`: only if there is none. A retry with the same `id` and text changes
   * nothing.
   */
  write(
    key: string,
    text: Text,
    options?: { ifVersion?: string; ifAbsent?: boolean; merge?: boolean; meta?: Record<string, unknown>; id?: string },
  ): Promise<Doc>;
  /** Append to it, or make it. `line`: begin a new line. Appends of others are never lost. */
  append(key: string, text: Text, options?: { ifVersion?: string; line?: boolean }): Promise<Doc>;
  /** Replace the one place that reads exactly `before`. Invalid: there is none, or several. */
  edit(key: string, before: Text, after: Text, options?: { ifVersion?: string }): Promise<Doc>;
  /** The document, or an older version of it (12 hex digits, `~1`, a time). NotFound. */
  read(
    key: string,
    options?: { version?: string; fromLine?: number; lines?: number; tokens?: number },
  ): Promise<Doc>;
  /** Its text; undefined if there is none. */
  get(key: string): Promise<string | undefined>;
  has(key: string): Promise<boolean>;
  /**
   * Read it, call `change` with its text (undefined: there is none), write what that returns; again if
   * somebody wrote in between. Conflict after so many `attempts` (100).
   */
  update(
    key: string,
    change: (text: string | undefined) => Text | Promise<Text>,
    options?: { attempts?: number },
  ): Promise<Doc>;
  /** Delete it; the history stays. NotFound. */
  delete(key: string, options?: { ifVersion?: string }): Promise<Doc>;
  /** Give it another key; the history stays with the old one. Conflict: that one is taken. */
  move(key: string, to: string): Promise<Doc>;
  /** All notes whose keys begin so ("memories/": documents by their whole name), without texts. */
  list(prefix?: string, options?: { deleted?: boolean }): AsyncGenerator<Doc, void, void>;

  /** Its versions, newest first, without texts. NotFound. */
  history(key: string): AsyncGenerator<Doc, void, void>;
  /** Its versions from this seq on (1), oldest first, with their texts. NotFound. */
  versions(key: string, options?: { from?: number; limit?: number }): AsyncGenerator<Doc, void, void>;
  /** How a version became another; by default what the last change did. */
  diff(key: string, from?: string, to?: string): Promise<Diff>;
  /** Who wrote each line, and when. */
  blame(key: string): Promise<BlameLine[]>;
  /** What comes of `mine`, made of the version `base`, and what was written since. */
  merge(key: string, base: string, mine: Text): Promise<Merge>;
  /** Bring back what was before the last change. */
  undo(key: string, options?: { ifVersion?: string }): Promise<Doc>;
  /** Bring back what the last undo took away. */
  redo(key: string, options?: { ifVersion?: string }): Promise<Doc>;
  /** Write an older version again. */
  restore(key: string, version: string, options?: { ifVersion?: string }): Promise<Doc>;
  /** Remove it and all its versions for good. NotFound: it was never there. */
  purge(key: string): Promise<void>;
  /** Remove an older version's text for good; in how many records it was. Invalid: it is the present one. */
  redact(key: string, version: string): Promise<number>;
  /** Take a phrase out of every version for good; how many older ones lost their texts. */
  redactText(key: string, phrase: Text): Promise<number>;
  /** Take a phrase out of a run for good, or the text of the one record `seq`; from how many records. */
  redactRun(run: string, phrase?: Text, options?: { seq?: number }): Promise<number>;
  /**
   * Take a phrase, 4 bytes or more, out of the whole pad for good. NotFound: it is nowhere. Unsupported: it
   * stays in some places, which the error's `report` tells.
   */
  redactAll(phrase: Text): Promise<Redacted>;
  /** Remove a run and all its records for good; its id is not given again. */
  purgeRun(run: string): Promise<void>;
  /**
   * Let an agent's cycles start, or start over, with this state, YAML as it is (empty: the empty one). `clean`:
   * delete what is kept of those there were; how many things that was. Leased: one is running.
   */
  resetCycle(agent?: string, state?: Text, options?: { clean?: boolean }): Promise<number>;

  /** The best hits of notes, memories, artifacts and runs. */
  search(query: string, options?: SearchOptions & { limit?: number; offset?: number }): Promise<Hit[]>;
  /** What the hits say, in at most `budget` tokens: the lines that matter, nothing twice. */
  evidence(query: string, budget: number, options?: SearchOptions): Promise<Evidence>;
  /** Rebuild the index of the search. It is a cache: this is never needed, only sometimes quicker. */
  rebuildIndex(): Promise<void>;
  /**
   * What a model should see of the pad, in at most `budget` tokens (8000): behind standing `rules`, what the pad
   * says to the `query`, the results of a `run` and how many calls of one tool are suggested (`limit`), the state
   * of an `agent`. `tools`: the reader has the tools of a pad, and is told what was left out by their calls.
   */
  context(
    budget?: number,
    options?: { query?: string; run?: string; agent?: string; rules?: Text; limit?: number; tools?: boolean },
  ): Promise<Context>;
  /**
   * Changes as they come, from when the first is asked for, in streams whose names begin with `prefix`; ends when
   * nothing happened for `timeout` milliseconds (undefined: never), or `signal` is aborted. `changes` also tells what
   * came before.
   */
  watch(prefix?: string, options?: { timeout?: number; signal?: AbortSignal }): AsyncGenerator<Doc, void, void>;
  /**
   * What may have changed since `cursor` (undefined: everything), which may be as old as you like; waits up to
   * `wait` milliseconds for the first change. `watch` is the simpler one, for a program that stays.
   */
  changes(cursor?: string, options?: { wait?: number }): Promise<Changes>;

  /** Hold a note, or with `prefix` all that begin so. Leased: somebody else has it. */
  lease(name: string, options?: LeaseOptions): Promise<Held>;
  /**
   * What `use` makes while the lease is held. Writes of the pad to what it covers succeed only while it
   * stands; afterwards they, and this, are Fenced.
   */
  withLease<T>(name: string, use: (held: Held) => T | Promise<T>, options?: LeaseOptions): Promise<T>;
  /** Write under a lease that another process took, and gave the number of. Fenced: it has ended. */
  adopt(token: number): Promise<Held>;
  /** The lease in the way of somebody who asks for this name; undefined: it is free. */
  leased(name: string, options?: { prefix?: boolean }): Promise<Lease | undefined>;
  /** All leases that stand. */
  leases(): Promise<Lease[]>;

  /** The tools of these profiles ("artifacts,memory", "all"), as MCP lists them. */
  tools(profiles?: string): Promise<Tool[]>;
  /** Do what a model asked for. What it did wrong is an answer, not an error. */
  tool(name: string, args?: Record<string, unknown>): Promise<ToolReply>;

  /** Where the pad is and what it promises. */
  where(): Promise<Info>;
  /** What is in the pad, by kind. */
  stats(): Promise<KindStats[]>;
  /**
   * Bring the whole pad, with its history, to another URL or path, and continue where the last copy stopped.
   * Corrupt, Conflict: the error's `report` has what was not copied whole.
   */
  copy(url: string): Promise<Report>;
  /**
   * Bring in an archive, or the files of another program, recognised by what they are (or said by `layout`). What
   * exists with another text is left so, unless `replace`. Importing twice adds nothing. Look at `skipped`: that
   * something was is no error.
   */
  import(path: string, options?: { layout?: string; replace?: boolean }): Promise<Report>;
  /**
   * Write the whole pad, with its history, to a new file that ends in ".jotter"; with `layout` what another program
   * knows, to an empty directory.
   */
  export(path: string, options?: { layout?: string }): Promise<Report>;
  /** Read every byte of the pad, and compare the index with it. That there are faults is no error. */
  verify(): Promise<Verified>;
  /** Repair what can be repaired without losing anything; what is left. `where` says what was done. */
  doctor(options?: { afterCrash?: boolean }): Promise<Verified>;
  /**
   * Let old records of the streams whose names begin with `prefix` go, never the newest 16: those with more than
   * `keep` newer ones, written before `before`, or with more than `bytes` bytes in newer ones. `dryRun`: only say
   * what would go.
   */
  gc(options: { prefix?: string; keep?: number; before?: Date | number; bytes?: number; dryRun?: boolean }): Promise<Collected>;
}

/**
 * Open the pad a URL or path names: `files:notes`, `sqlite:pad.db`, `mem:`, `postgres://...`; undefined: the
 * one the command line would use.
 */
export declare function open(url?: string | null, options?: OpenOptions): Promise<Pad>;

/** About how many tokens a text costs a model. */
export declare function tokens(text: Text): number;

/** What to tell a model about the scratchpad; `brief`: in less than 2 KiB. */
export declare function prompt(options?: { brief?: boolean }): string;

/** A call that did not do what it was asked to. Nothing was changed, unless it is Unknown. */
export declare class JotterError extends Error {
  /** As numbered in jotter.h. */
  readonly status: number;
  /** The status's name, as every door to a pad tells it: "not_found". */
  readonly code: string;
  /** Of a verb: what is in the way. */
  readonly answer?: Answer;
  /** Of a call on the whole pad: what it did do. */
  readonly report?: Report | Redacted;
}
/** The argument is malformed; retrying cannot help. */
export declare class Invalid extends JotterError {}
/** No such key, stream, record or pad. */
export declare class NotFound extends JotterError {}
/**
 * Somebody wrote in between. `merged` has both changes: write it with `ifVersion: now.version` if it is
 * `clean`, look at the marks in it if not. It is null where the version that was read is not in the history.
 */
export declare class Conflict extends JotterError {
  /** The document as it is, with its text. */
  readonly now: Doc | null;
  /** What was to be written. */
  readonly mine: Buffer | null;
  readonly merged: Buffer | null;
  readonly clean: boolean;
}
/** Beyond a documented limit. */
export declare class TooBig extends JotterError {}
/** The store is out of reach or busy; retrying may help. */
export declare class Unavailable extends JotterError {}
/** The store failed to read or write; nothing was changed. */
export declare class Failed extends JotterError {}
/** Somebody else holds a lease on it. */
export declare class Leased extends JotterError {
  readonly lease?: Lease;
}
/** The lease this write depends on has ended. */
export declare class Fenced extends JotterError {}
/** This pad, or this handle, cannot be written. */
export declare class ReadOnly extends JotterError {}
/** Stored bytes are damaged; they are kept. */
export declare class Corrupt extends JotterError {}
/** This build, engine or format cannot do that. */
export declare class Unsupported extends JotterError {}
/** It may or may not have happened: read before you retry. */
export declare class Unknown extends JotterError {}
/** Stopped on request. */
export declare class Cancelled extends JotterError {}
/** Not allowed by the system or by policy. */
export declare class Denied extends JotterError {}
/** The id was used before, with other content. */
export declare class IdReused extends JotterError {}
/** The pad is closed. */
export declare class Closed extends JotterError {}
/** The addon is not there, or is of another version than this package. */
export declare class NoAddon extends JotterError {}

export declare const version: string;
