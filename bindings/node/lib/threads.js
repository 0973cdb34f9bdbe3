// What the frameworks' modules share: how their words and records are kept (bindings/LAYOUT.md).
"use strict";

const { createHash } = require("node:crypto");
const check = require("./check.js");
const { Corrupt, Invalid, NotFound } = require("./errors.js");
const { Pad, open } = require("./pad.js");

const SEGMENT_MAX = 120;
const SEGMENT_KEPT = 50;
const FORMAT = 1;

/** What gives the pad: an open one, or the one a URL names, opened when it is first needed. */
function padOf(pad, options) {
  if (pad instanceof Pad) return async () => pad;
  if (pad !== undefined && pad !== null && typeof pad !== "string")
    throw new Invalid(`a pad must be an open one or its URL, not ${check.kindOf(pad)}`);
  let opening;
  return () => (opening ??= open(pad, options).catch((error) => ((opening = undefined), Promise.reject(error))));
}

function sha256(data) {
  return createHash("sha256").update(data).digest("hex");
}

/** A word as one segment of a stream's name. */
function segment(word, what = "a name") {
  const data = check.text(check.string(word, what), what);
  let plain = "";
  for (const byte of data) {
    const c = String.fromCharCode(byte);
    plain += /[A-Za-z0-9_-]/.test(c) ? c : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  plain ||= "%";
  return plain.length <= SEGMENT_MAX ? plain : `${plain.slice(0, SEGMENT_KEPT)}%-${sha256(data)}`;
}

/** The word a segment stands for; null if it does not say it whole. */
function wordOf(part) {
  if (part === "%") return "";
  if (part.includes("%-")) return null;
  const data = Buffer.from(part.replace(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))), "latin1");
  const word = data.toString("utf8");
  return Buffer.from(word, "utf8").equals(data) ? word : null;
}

/** Bytes that are no program: pickle is one. */
function safePart(part) {
  if (part[0] === "pickle")
    throw new Invalid("this value was pickled, and pickles are programs: they are neither stored nor read");
  return part;
}

/** A record as the text of a version. */
function encode(header, parts) {
  const whole = { v: FORMAT, ...header, parts: parts.map((part) => [safePart(part)[0], part[1].length]) };
  const line = check.text(check.json(whole, "a record"), "a record");
  return Buffer.concat([line, Buffer.from("\n"), ...parts.map(([, data]) => data)]);
}

/** The record of a version: { header, parts, seq, version }; null: its text was removed, or a newer one wrote it. */
function decode(doc) {
  if (doc.redacted || doc.deleted) return null;
  const at = doc.data.indexOf(10);
  try {
    const { v, parts: sizes, ...header } = JSON.parse(doc.data.subarray(0, at).toString("utf8"));
    if (at >= 0 && v !== FORMAT && v !== undefined) return null;
    let from = at + 1;
    const parts = sizes.map(([kind, size]) => {
      if (typeof kind !== "string" || !Number.isSafeInteger(size) || size < 0) throw new TypeError("no part");
      return [kind, doc.data.subarray(from, (from += size))];
    });
    if (at < 0 || v === undefined || from !== doc.data.length) throw new TypeError("no record");
    return { header, parts, seq: doc.seq, version: doc.version };
  } catch {
    throw new Corrupt(`record ${doc.seq} of ${doc.name} is none of a framework's`);
  }
}

/** Append a record; durable when it is fulfilled. */
function add(pad, name, header, parts, meta = {}, ifVersion = undefined) {
  return pad.write(name, encode(header, parts), { meta: { what: header.what, ...meta }, ifVersion });
}

/** One record by its number; null: there is none any more. */
async function recordAt(pad, name, seq) {
  try {
    return decode(await pad.read(name, { version: String(seq) }));
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

/** The newest version, with its text; null: there is no such stream. */
async function newest(pad, name) {
  try {
    return await pad.read(name);
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

/** Whether what was seen ends with this version: a number alone may be of a stream that was begun again. */
function isAt({ seq, sha256 }, doc) {
  return doc.seq === seq && doc.sha256 === sha256;
}

/** The versions from a number on with their texts, oldest first; none if there is no such stream. */
async function* texts(pad, name, from) {
  try {
    yield* pad.versions(name, { from });
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
}

/** Its versions, newest first, without texts; none if there is no such stream. */
async function* versions(pad, name) {
  try {
    yield* pad.history(name);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
}

/** Remove a stream for good, if it is there. */
async function purge(pad, name) {
  try {
    await pad.purge(name);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
}

module.exports = { add, decode, encode, isAt, newest, padOf, purge, recordAt, safePart, segment, sha256, texts, versions, wordOf };
