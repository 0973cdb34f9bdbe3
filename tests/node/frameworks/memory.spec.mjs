// The memory tool of the pad answers word for word as the SDK's own on a file system.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { expect, test } from "vitest";
import { BetaLocalFilesystemMemoryTool, betaMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import { jotterMemoryTool, memoryHandlers } from "jotter/anthropic";
import { withPad } from "./place.mjs";

const at = "/memories/";
const COMMANDS = [
  { command: "create", path: `${at}a.txt`, file_text: "one\ntwo\nthree\n" },
  { command: "create", path: `${at}a.txt`, file_text: "again" },
  { command: "create", path: `${at}d/b.md`, file_text: "" },
  { command: "view", path: `${at}a.txt` },
  { command: "view", path: `${at}a.txt`, view_range: [2, 3] },
  { command: "view", path: `${at}none` },
  { command: "str_replace", path: `${at}a.txt`, old_str: "two", new_str: "2" },
  { command: "str_replace", path: `${at}a.txt`, old_str: "nowhere", new_str: "x" },
  { command: "str_replace", path: `${at}a.txt`, old_str: "e", new_str: "x" },
  { command: "insert", path: `${at}a.txt`, insert_line: 1, insert_text: "half\n" },
  { command: "insert", path: `${at}a.txt`, insert_line: 99, insert_text: "x" },
  { command: "view", path: `${at}a.txt` },
  { command: "rename", old_path: `${at}a.txt`, new_path: `${at}c.txt` },
  { command: "rename", old_path: `${at}none`, new_path: `${at}x` },
  { command: "rename", old_path: `${at}c.txt`, new_path: `${at}d/b.md` },
  { command: "delete", path: `${at}none` },
  { command: "delete", path: "/memories" },
  { command: "view", path: "/etc/passwd" },
  { command: "view", path: `${at}../../etc/passwd` },
  { command: "delete", path: `${at}c.txt` },
  { command: "view", path: `${at}c.txt` },
];

async function answer(tool, command) {
  try {
    return { text: await tool.run(command) };
  } catch (error) {
    return { error: error.message };
  }
}

test.each(COMMANDS.map((command, i) => [JSON.stringify(command), i]))("%s", (_, last) =>
  withPad(async ({ pad }) => {
    const base = fs.mkdtempSync(path.join(os.tmpdir(), "jotter-node-"));
    const theirs = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(base));
    const ours = [jotterMemoryTool(pad), betaMemoryTool(memoryHandlers(pad))][last % 2];
    for (const command of COMMANDS.slice(0, last + 1)) expect(await answer(ours, command)).toEqual(await answer(theirs, command));
    fs.rmSync(base, { recursive: true });
  }, { dialect: "typescript" }));

test("the definition is the SDK's own", () =>
  withPad(({ pad }) => {
    const extra = { cache_control: { type: "ephemeral" } };
    const [ours, theirs] = [jotterMemoryTool(pad, extra), betaMemoryTool(memoryHandlers(pad), extra)];
    expect(JSON.stringify(ours)).toBe(JSON.stringify(theirs));
    expect(() => ours.run({ command: "constructor" })).toThrow("not implemented");
  }, { dialect: "typescript" }));
