// converse.mjs - one conversation, as any client of the pad has it; sdk1.mjs and sdk2.mjs bring a client.
//
// usage: node sdkN.mjs MODE JOTTER PAD [URL TOKEN]
//
// PAD is the directory of a files pad.  With a URL the server there is asked, else JOTTER is started.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";

export const [mode, jotter, pad, url, token] = process.argv.slice(2);
export const command = { command: jotter, args: ["mcp", "--pad", `files:${pad}`], stderr: "inherit" };
export const headers = { headers: { Authorization: `Bearer ${token}` } };

const uri = "jotter://notes/plan";
const call = async (client, name, args) => {
  const result = await client.callTool({ name, arguments: args });
  return { error: result.isError === true, text: result.content[0].text };
};

// `follow` subscribes to the note and resolves with a function that waits for word of it.
export async function converse(client, follow) {
  const names = (await client.listTools()).tools.map((tool) => tool.name);
  assert(names.includes("scratchpad_write"), `tools: ${names}`);

  const wrote = await call(client, "scratchpad_write", { key: "plan", content: "one\n" });
  assert(!wrote.error && /version [0-9a-f]{12}/.test(wrote.text), wrote.text);
  assert.equal((await call(client, "scratchpad_read", { key: "plan" })).text, "one\n");

  const stale = await call(client, "scratchpad_write", { key: "plan", content: "two\n", if_version: "0".repeat(12) });
  assert(stale.error && stale.text.includes("has changed"), stale.text);

  const listed = (await client.listResources()).resources.map((resource) => resource.uri);
  assert(listed.includes(uri), `resources: ${listed}`);
  const prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
  assert(prompts.includes("continue"), `prompts: ${prompts}`);

  const told = await follow(uri);
  execFileSync("sed", ["-i", "s/one/uno/", `${pad}/notes/plan.txt`]);
  assert.equal(await told(), uri);
  const read = await client.readResource({ uri });
  assert.equal(read.contents[0].text, "uno\n");
  await client.close();
}

// A function that waits for what the returned handler is called with.
export function mailbox() {
  let arrived;
  const first = new Promise((resolve) => (arrived = resolve));
  const late = () => new Promise((_, reject) => setTimeout(() => reject(new Error("nobody was told")), 20000).unref());
  return { handler: (notification) => arrived(notification.params.uri), wait: () => Promise.race([first, late()]) };
}
