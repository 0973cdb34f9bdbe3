// What the tests of the binding share: a pad of their own in a directory of their own.
"use strict";

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const jotter = require("jotter");

/**
 * `run(one)` with a directory and an empty pad, which are gone afterwards. It runs where it may leave files, two
 * directories deep, because some try the path ../x.
 */
function withPad(run, engine = "files") {
  return async () => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), "jotter-node-"));
    const url = `${engine}:${path.join(dir, engine === "sqlite" ? "pad.db" : "notes")}`;
    const opened = [];
    const before = process.cwd();
    fs.mkdirSync(path.join(dir, "a", "b"), { recursive: true });
    process.chdir(path.join(dir, "a", "b"));
    const open = async (options) => {
      opened.push(await jotter.open(url, options));
      return opened.at(-1);
    };
    try {
      await run({ dir, url, open, pad: await open({ as: "ann" }) });
    } finally {
      await Promise.all(opened.map((pad) => pad.close()));
      process.chdir(before);
      fs.rmSync(dir, { recursive: true, force: true });
    }
  };
}

/** All that an iterator has. */
async function all(items) {
  const list = [];
  for await (const item of items) list.push(item);
  return list;
}

module.exports = { all, withPad };
