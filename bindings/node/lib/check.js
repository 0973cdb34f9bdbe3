// What a program gives, looked at before it goes to C: each is the right thing, or Invalid with a sentence.
"use strict";

const { Invalid } = require("./errors.js");

/** What a value is, in a word. */
function kindOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : typeof value;
}

function string(value, what) {
  if (typeof value !== "string") throw new Invalid(`${what} must be a string, not ${kindOf(value)}`);
  return value;
}

/** A name as C has it. */
function name(value, what = "a key") {
  if (string(value, what).includes("\0")) throw new Invalid(`${what} holds a NUL, which no name can`);
  wellFormed(value, what);
  return value;
}

/** A name, or undefined. */
function optional(value, what) {
  return value === undefined || value === null ? undefined : name(value, what);
}

function wellFormed(value, what) {
  if (/\p{Surrogate}/u.test(value))
    throw new Invalid(`${what} holds half of a surrogate pair, which is no character: give whole ones`);
}

/** What a program gives as a text: bytes, or a string, which becomes UTF-8. */
function text(value, what = "a text") {
  if (typeof value === "string") {
    wellFormed(value, what);
    return Buffer.from(value, "utf8");
  }
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return view(value, 0, undefined, what);
  if (ArrayBuffer.isView(value)) return view(value.buffer, value.byteOffset, value.byteLength, what);
  throw new Invalid(`${what} must be a string or bytes (Buffer, Uint8Array, ArrayBuffer), not ${kindOf(value)}`);
}

/** A Buffer over these bytes. One that was given away (transferred) is no empty text. */
function view(buffer, offset, length, what) {
  try {
    new Uint8Array(buffer, 0, 0); // throws if it is detached, which a length of 0 does not tell
    return Buffer.from(buffer, offset, length);
  } catch {
    throw new Invalid(`${what} is a buffer that was transferred to somebody else: its bytes are not here`);
  }
}

/** A whole number from `least` on; undefined: `usual`. */
function count(value, what, usual = 0, least = 0) {
  if (value === undefined || value === null) return usual;
  if (!Number.isSafeInteger(value) || value < least)
    throw new Invalid(`${what} must be a whole number, ${least} or more`);
  return value;
}

/** Milliseconds; undefined: `usual`. */
function duration(value, what, usual) {
  if (value === undefined || value === null) return usual;
  if (typeof value !== "number" || !(value >= 0) || value > Number.MAX_SAFE_INTEGER)
    throw new Invalid(`${what} must be a number of milliseconds, 0 or more`);
  return Math.ceil(value);
}

/** A moment as milliseconds since 1970; undefined: 0. */
function moment(value, what) {
  if (value === undefined || value === null) return 0;
  const ms = value instanceof Date ? value.getTime() : value;
  if (!Number.isSafeInteger(ms)) throw new Invalid(`${what} must be a Date, or whole milliseconds since 1970`);
  return Math.max(ms, 1);
}

function flag(value, what) {
  if (value === undefined || value === null) return false;
  if (typeof value !== "boolean") throw new Invalid(`${what} must be true or false`);
  return value;
}

function func(value, what) {
  if (typeof value !== "function") throw new Invalid(`${what} must be a function, not ${kindOf(value)}`);
  return value;
}

/** An object of options with no other members than these. A wrong word is said, not passed over. */
function options(value, allowed, of) {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object") throw new Invalid(`the options of ${of} must be an object, not ${kindOf(value)}`);
  for (const member of Object.keys(value))
    if (!allowed.includes(member))
      throw new Invalid(
        `${of} has no option '${member}'; ${allowed.length ? `there are ${allowed.join(", ")}` : "it takes none"}`,
      );
  return value;
}

/** A value as JSON. */
function json(value, what) {
  let said;
  try {
    said = JSON.stringify(value, (_, v) => {
      if (typeof v === "number" && !Number.isFinite(v)) throw new TypeError(`${v} is no number of JSON`);
      if (typeof v === "function" || typeof v === "symbol") throw new TypeError(`it holds a ${typeof v}`);
      return v;
    });
  } catch (why) {
    throw new Invalid(`${what} cannot be JSON: ${why instanceof Error ? why.message : "it says so"}`);
  }
  if (said === undefined) throw new Invalid(`${what} cannot be JSON: it is ${kindOf(value)}`);
  return said;
}

module.exports = { count, duration, flag, func, json, kindOf, moment, name, optional, options, string, text };
