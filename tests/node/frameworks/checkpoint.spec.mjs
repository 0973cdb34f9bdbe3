// LangGraph's own suite for checkpoint savers, @langchain/langgraph-checkpoint-validation, on both engines.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as jotter from "jotter";
import { JotterSaver } from "jotter/langgraph";
import { validate } from "@langchain/langgraph-checkpoint-validation";

const places = new Map();

for (const engine of ["files", "sqlite"])
  validate({
    checkpointerName: `jotter/langgraph on ${engine}`,
    async createCheckpointer() {
      const dir = fs.mkdtempSync(path.join(os.tmpdir(), "jotter-node-"));
      const pad = await jotter.open(`${engine}:${path.join(dir, "pad.db")}`);
      const saver = new JotterSaver(pad);
      places.set(saver, { dir, pad });
      return saver;
    },
    async destroyCheckpointer(saver) {
      const { dir, pad } = places.get(saver);
      await pad.close();
      fs.rmSync(dir, { recursive: true });
    },
  });
