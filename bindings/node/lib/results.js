// Results, copied out of the library's memory before a call returns.
"use strict";

const { Invalid } = require("./errors.js");

/** Bytes as text. What is no UTF-8 is refused: `data` has the bytes. */
function decode(data) {
  const text = data.toString("utf8");
  if (text.includes("\ufffd") && !Buffer.from(text, "utf8").equals(data))
    throw new Invalid("these bytes are no UTF-8, so there is no text: use data");
  return text;
}

/** A document, or in lists and histories one without its text. */
class Doc {
  constructor(d) {
    this.name = d.name;
    this.data = d.text;
    this.size = d.bytes;
    this.version = d.version;
    this.sha256 = d.sha256;
    this.seq = d.seq;
    this.at = new Date(d.at_ms);
    this.by = d.by;
    this.meta = d.meta ? JSON.parse(d.meta) : null;
    this.deleted = d.deleted;
    this.redacted = d.redacted;
    this.merged = d.merged;
    this.line = d.line;
    this.nextLine = d.next_line;
    this.leftOut = d.left_out;
    this.warning = d.warning;
    Object.freeze(this);
  }

  get text() {
    return decode(this.data);
  }
}

function docsOf(docs) {
  return docs.items.map((d) => new Doc(d));
}

function hitOf(h) {
  return {
    name: h.name, seq: h.seq, at: new Date(h.at_ms), by: h.by, version: h.version, size: h.bytes,
    tokens: h.tokens, snippet: h.snippet, score: h.score,
  };
}

function passageOf(p) {
  return {
    name: p.name, seq: p.seq, at: new Date(p.at_ms), by: p.by, version: p.version, fromLine: p.from_line,
    toLine: p.to_line, lines: p.lines, text: p.text.toString("utf8"), score: p.score, found: p.found,
    cut: p.cut, joins: p.joins,
  };
}

function evidenceOf(e) {
  return {
    text: e.text.toString("utf8"), passages: e.items.map(passageOf), tokens: e.tokens, budget: e.budget,
    same: e.same, left: e.left, more: e.more,
  };
}

function leaseOf(l) {
  return { on: l.on, prefix: l.prefix, live: l.live, token: l.token, by: l.by, ttl: l.ttl_ms, left: l.left_ms };
}

/** What comes of two changes to one document. */
class Merge {
  constructor(m) {
    this.now = new Doc(m.now);
    this.data = m.based ? m.text : null;
    this.clean = m.clean;
    Object.freeze(this);
  }

  get text() {
    return this.data === null ? null : decode(this.data);
  }
}

function diffOf(d) {
  return { data: d.text, text: d.text.toString("utf8"), added: d.added, removed: d.removed };
}

function contextOf(s) {
  return {
    text: s.text.toString("utf8"), prefix: s.prefix, tokens: s.tokens, budget: s.budget, results: s.results,
    damaged: s.damaged, left: s.left,
  };
}

function infoOf(i) {
  return {
    url: i.url, why: i.why, engine: i.engine, readOnly: i.read_only, durable: i.durable, shared: i.shared,
    editsSeen: i.edits_seen, editsGuarded: i.edits_guarded, torn: i.torn, damaged: i.damaged, outside: i.outside,
    quarantined: i.quarantined, restored: i.restored, last: i.last,
  };
}

/** Where 0 and less say that there is none. */
function dateOrNull(ms) {
  return ms > 0 ? new Date(ms) : null;
}

function changesOf(c) {
  return { names: c.names, rescan: c.rescan, next: c.next };
}

function problemOf(p) {
  return { name: p.name, why: p.why };
}

function faultOf(f) {
  return {
    kind: f.kind, stream: f.stream, what: f.what, advice: f.advice, counts: f.counts, repairable: f.repairable,
  };
}

function reportOf(r) {
  return {
    layout: r.layout, streams: r.streams, records: r.records, bytes: r.bytes, files: r.files, added: r.added,
    unchanged: r.unchanged, skipped: r.skipped.map(problemOf), skippedTotal: r.skipped_total, missed: r.missed,
    renamed: r.renamed.map(problemOf), renamedTotal: r.renamed_total,
  };
}

function verifiedOf(v) {
  return {
    streams: v.streams, records: v.records, bytes: v.bytes, faults: v.faults, items: v.items.map(faultOf), total: v.total,
    headsAt: dateOrNull(v.heads_at),
  };
}

function redactedOf(r) {
  return { streams: r.streams, rewritten: r.rewritten, records: r.records, items: r.items.map(faultOf), total: r.total };
}

function collectedOf(c) {
  return { streams: c.streams, records: c.records, bytes: c.bytes };
}

function kindStatsOf(k) {
  return {
    kind: k.kind, streams: k.streams, deleted: k.deleted, records: k.records, bytes: k.bytes, damaged: k.damaged,
    oldest: dateOrNull(k.oldest_ms), newest: dateOrNull(k.newest_ms),
  };
}

function replyOf(r) {
  return {
    isError: r.is_error, text: r.text.toString("utf8"), data: r.data ? JSON.parse(r.data) : null,
    value: r.has_value ? r.value : null,
  };
}

/** The data of a verb; `body` is the stored bytes that were asked for, and no member of the data. */
function answerOf(a) {
  return Object.defineProperty(a.data ? JSON.parse(a.data) : {}, "body", {
    value: a.has_body ? a.body : undefined,
  });
}

module.exports = {
  Doc, Merge, answerOf, changesOf, collectedOf, contextOf, decode, diffOf, docsOf, evidenceOf, hitOf, infoOf, kindStatsOf,
  leaseOf, redactedOf, replyOf, reportOf, verifiedOf,
};
