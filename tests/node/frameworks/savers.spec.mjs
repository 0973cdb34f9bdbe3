// Two savers at one thread, as two processes are, which LangGraph's own suite does not ask about.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as jotter from "jotter";
import { JotterSaver } from "jotter/langgraph";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";

const CONFIG = { configurable: { thread_id: "1", checkpoint_ns: "" } };

describe.each(["files", "sqlite"])("two savers on %s", (engine) => {
  it("see what the other wrote, deleted and began again", async () => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), "jotter-node-"));
    const pads = [await jotter.open(`${engine}:${path.join(dir, "pad.db")}`), await jotter.open(`${engine}:${path.join(dir, "pad.db")}`)];
    const [one, two] = pads.map((pad) => new JotterSaver(pad));
    let n = 0;
    const put = (said) =>
      one.put(CONFIG, { ...emptyCheckpoint(), id: uuid6(n++), channel_values: { said }, channel_versions: { said: 1 } },
        { source: "loop", step: 1, parents: {} }, { said: 1 });
    const said = async (saver) => (await saver.getTuple(CONFIG))?.checkpoint.channel_values.said;
    for (const word of ["a", "b"]) {
      await put(word);
      expect([await said(one), await said(two), await said(two)]).toEqual([word, word, word]);
    }
    await one.deleteThread("1");
    expect([await said(one), await said(two)]).toEqual([undefined, undefined]);
    for (const word of ["c", "d"]) await put(word); // as many as before: the newest has the number the last one had
    expect([await said(one), await said(two)]).toEqual(["d", "d"]);
    for (const pad of pads) await pad.close();
    fs.rmSync(dir, { recursive: true });
  });
});
