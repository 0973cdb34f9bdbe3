// Durable memory for agents, outside the context window.
//
//     const jotter = require("jotter");
//     const pad = await jotter.open("files:notes");
//     await pad.write("plan", "ship on friday");
//
// Every error is a JotterError.
"use strict";

const { version } = require("../package.json");
const { errorOf: _, ...errors } = require("./errors.js");
const { Held, Pad, open, prompt, tokens } = require("./pad.js");
const { Doc, Merge } = require("./results.js");

module.exports = { ...errors, Doc, Held, Merge, Pad, open, prompt, tokens, version };
