// A pad of its own for a test, gone afterwards.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as jotter from "jotter";

export async function withPad(run, options) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "jotter-node-"));
  const pad = await jotter.open(`files:${path.join(dir, "notes")}`, options);
  try {
    return await run({ dir, pad });
  } finally {
    await pad.close();
    fs.rmSync(dir, { recursive: true });
  }
}
