// sdk2.mjs - the official TypeScript SDK, version 2: MODE is legacy, auto, or the revision to insist on.
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { command, converse, headers, mailbox, mode, url } from "./converse.mjs";

const words = ["legacy", "auto"];
const client = new Client(
  { name: "sdk2", version: "1" },
  { versionNegotiation: { mode: words.includes(mode) ? mode : { pin: mode } } },
);
await client.connect(
  url ? new StreamableHTTPClientTransport(new URL(url), { requestInit: headers }) : new StdioClientTransport(command),
);
await converse(client, async (uri) => {
  const box = mailbox();
  client.setNotificationHandler("notifications/resources/updated", box.handler);
  if (mode === "legacy") {
    await client.subscribeResource({ uri });
  } else {
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    assert(subscription);
  }
  return box.wait;
});
process.exit(0);
