// Finding the addon: JOTTER_ADDON names the file; else it is the one inside this package.
//
// It holds the whole of libjotter, so there is nothing else to find. One of another version is refused:
// members of results move between versions that are not yet 1.0.
"use strict";

const path = require("node:path");
const { version } = require("../package.json");
const { NoAddon } = require("./errors.js");

let loaded;

/** The addon, loaded when it is first needed. NoAddon says what to do. */
function addon() {
  if (loaded) return loaded;
  const beside = path.join(__dirname, "..", "prebuilds", `${process.platform}-${process.arch}`, "jotter.node");
  const file = process.env.JOTTER_ADDON || beside;
  let found;
  try {
    found = require(path.resolve(file));
  } catch (why) {
    throw new NoAddon(
      `cannot use '${file}' as Jotter's addon (${String(why.message).split("\n")[0]}): ` +
        "install the package for this system, or set JOTTER_ADDON to its file",
    );
  }
  if (typeof found?.call !== "function" || typeof found.version !== "string")
    throw new NoAddon(`'${file}' is not Jotter's addon: set JOTTER_ADDON to its file`);
  if (found.version !== version)
    throw new NoAddon(`'${file}' is Jotter ${found.version}: this package was made for ${version}`);
  loaded = found;
  return loaded;
}

module.exports = { addon };
