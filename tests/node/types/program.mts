// A program that uses the package with types: it is compiled with --strict, never run. What must not compile is
// marked, and the compiler complains if it does.
import jotter, { Conflict, Doc, JotterError, Pad, open } from "jotter";
import { prompt, tokens } from "jotter";
import type { Answer, Changes, Fault, Hit, KindStats, Lease, OpenOptions, Redacted, Report } from "jotter";
import { jotterMemoryTool, memoryHandlers } from "jotter/anthropic";
import { JotterSaver, JotterStore } from "jotter/langgraph";
import { JotterSession } from "jotter/openai-agents";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { Session } from "@openai/agents-core";

const options: OpenOptions = { as: "ann", pool: 4, wait: 0, dialect: "typescript" };
await using pad: Pad = await open("files:notes", options);
const doc: Doc = await pad.write("plan", Buffer.from("ship"), { ifVersion: "0cb6db660bff", merge: true, meta: { a: 1 } });
await pad.write("plan", new Uint8Array(3));
const text: string = doc.text + doc.version + doc.at.toISOString();
const found: string | undefined = await pad.get("plan");
for await (const one of pad.list("p", { deleted: true })) console.log(one.name, one.meta?.why);
for await (const one of pad.watch("notes/", { timeout: 10, signal: AbortSignal.timeout(5) })) console.log(one.by);
const hits: Hit[] = await pad.search(text, { kind: "notes", limit: 3 });
await pad.update("n", async (old) => String(Number(old ?? 0) + hits.length), { attempts: 3 });
const size: number = await pad.withLease("plan", async (held) => (await held.check()).left, { prefix: true });
await using held = await pad.lease("plan", { ttl: size });
const lease: Lease = held.lease;
const answer: Answer = await pad.task.add({ id: "t", dependencies: ["a"], maxRetries: 3 });
await pad.run.say("r", "plan", String(answer.status) + answer.body?.length);
await pad.artifact.write("a", "b", { any: [1] }, { ifAbsent: true });
await pad.lineLog.append("c", "n", "line");
try {
  await pad.read("plan", { version: "~1", lines: 3 });
} catch (error) {
  if (error instanceof Conflict) console.log(error.now?.text, error.merged, error.clean, error.code);
  else if (error instanceof jotter.Leased) console.log(error.lease?.by, lease.by, found);
  else if (error instanceof JotterError) console.log(error.status, error.answer?.status);
}

const report: Report = await pad.import("notes.jotter", { layout: "archive", replace: true });
const faults: readonly Fault[] = (await pad.doctor({ afterCrash: true })).items;
const stats: KindStats[] = await pad.stats();
const gone: number = (await pad.gc({ keep: 16, before: new Date(), dryRun: true })).records + (await pad.redact("plan", "~1"));
const changes: Changes = await pad.changes(undefined, { wait: 10 });
const redacted: Redacted = await pad.redactAll(Buffer.from("a phrase"));
const taken: Lease | undefined = await pad.leased("plan", { prefix: true });
await pad.search(prompt({ brief: true }), { since: new Date(0), until: Date.now() });
console.log(report.skipped[0]?.why, faults, stats[0]?.newest?.toISOString(), gone + tokens(text), changes.next, redacted.items, taken?.by);

const saver: BaseCheckpointSaver = new JotterSaver(pad);
const store: BaseStore = new JotterStore("files:notes", { ttl: 1000 });
const session: Session = new JotterSession("user-1", pad);
const tools = [jotterMemoryTool("files:notes"), betaMemoryTool(memoryHandlers(pad))];
console.log(saver, store, session, tools);

// @ts-expect-error a key is a string
await pad.write(7, "x");
// @ts-expect-error a text is a string or bytes
await pad.write("k", 7);
// @ts-expect-error the option is ifVersion
await pad.write("k", "x", { if_version: "x" });
// @ts-expect-error there are three kinds
await pad.run.say("r", "song", "x");
// @ts-expect-error it needs an id
await pad.task.read();
// @ts-expect-error a moment is a Date or a number
await pad.search("x", { since: "yesterday" });
// @ts-expect-error pads are opened
new Pad("files:notes");
