// sdk1.mjs - the official TypeScript SDK, version 1: the old era.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { command, converse, headers, mailbox, url } from "./converse.mjs";

const client = new Client({ name: "sdk1", version: "1" });
await client.connect(
  url ? new StreamableHTTPClientTransport(new URL(url), { requestInit: headers }) : new StdioClientTransport(command),
);
await converse(client, async (uri) => {
  const box = mailbox();
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, box.handler);
  await client.subscribeResource({ uri });
  return box.wait;
});
process.exit(0);
