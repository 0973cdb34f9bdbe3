// What can go wrong: one class for each status of jotter.h.
//
// Every error is a JotterError and has the sentence of the library, which says what is wrong and what is
// allowed. `code` is the status's name, as every other door to a pad tells it ("not_found").
"use strict";

class JotterError extends Error {
  get name() {
    return this.constructor.name;
  }
}

/** A class of errors, with the number and the name of its status. */
function define(name, status, code) {
  const made = { [name]: class extends JotterError {} }[name];
  Object.defineProperties(made.prototype, { status: { value: status }, code: { value: code } });
  return made;
}

const STATUSES = [
  ["Invalid", "invalid"],
  ["NotFound", "not_found"],
  ["Conflict", "conflict"],
  ["TooBig", "too_big"],
  ["Unavailable", "unavailable"],
  ["Failed", "io"],
  ["Leased", "leased"],
  ["Fenced", "fenced"],
  ["ReadOnly", "read_only"],
  ["Corrupt", "corrupt"],
  ["Unsupported", "unsupported"],
  ["Unknown", "unknown"],
  ["Cancelled", "cancelled"],
  ["Denied", "denied"],
  ["IdReused", "id_reused"],
];

const classes = Object.fromEntries(STATUSES.map(([name, code], i) => [name, define(name, i + 1, code)]));

Object.defineProperties(JotterError.prototype, { status: { value: -1 }, code: { value: "error" } });

/** The pad is closed. */
class Closed extends JotterError {}
Object.defineProperties(Closed.prototype, { status: { value: 1 }, code: { value: "closed" } });

/** The addon is not there, or is of another version than this package. */
class NoAddon extends JotterError {}
Object.defineProperties(NoAddon.prototype, { status: { value: 11 }, code: { value: "no_addon" } });

/** The error of a status. */
function errorOf(status, sentence) {
  const Made = STATUSES[status - 1] ? classes[STATUSES[status - 1][0]] : JotterError;
  return new Made(sentence);
}

module.exports = { JotterError, ...classes, Closed, NoAddon, errorOf };
