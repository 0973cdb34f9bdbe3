/* table.h - the functions of jotter.h that lib/ names, and their structs.
 *
 * It is made by tools/gen-node, not by hand. */
/* clang-format off */
#ifndef JOT_NODE_TABLE_H
#define JOT_NODE_TABLE_H

#include "addon.h"

static const Member jot_changed_members[] = {
    { "names", KIND_STRINGS, offsetof(jot_changed, names), NULL, offsetof(jot_changed, count) },
    { "count", KIND_SIZE, offsetof(jot_changed, count), NULL, 0 },
    { "rescan", KIND_BOOL, offsetof(jot_changed, rescan), NULL, 0 },
    { "next", KIND_STRING, offsetof(jot_changed, next), NULL, 0 },
};
static const Shape jot_changed_shape = { jot_changed_members, 4, sizeof(jot_changed) };

static const Member jot_context_options_members[] = {
    { "size", KIND_SIZE, offsetof(jot_context_options, size), NULL, 0 },
    { "budget", KIND_UNSIGNED, offsetof(jot_context_options, budget), NULL, 0 },
    { "run", KIND_STRING, offsetof(jot_context_options, run), NULL, 0 },
    { "agent", KIND_STRING, offsetof(jot_context_options, agent), NULL, 0 },
    { "rules", KIND_TEXT, offsetof(jot_context_options, rules), NULL, 0 },
    { "limit", KIND_UNSIGNED, offsetof(jot_context_options, limit), NULL, 0 },
    { "tools", KIND_BOOL, offsetof(jot_context_options, tools), NULL, 0 },
    { "query", KIND_STRING, offsetof(jot_context_options, query), NULL, 0 },
};
static const Shape jot_context_options_shape = { jot_context_options_members, 8, sizeof(jot_context_options) };

static const Member jot_left_members[] = {
    { "what", KIND_STRING, offsetof(jot_left, what), NULL, 0 },
    { "why", KIND_STRING, offsetof(jot_left, why), NULL, 0 },
    { "name", KIND_STRING, offsetof(jot_left, name), NULL, 0 },
    { "from", KIND_UNSIGNED, offsetof(jot_left, from), NULL, 0 },
    { "to", KIND_UNSIGNED, offsetof(jot_left, to), NULL, 0 },
    { "get", KIND_STRING, offsetof(jot_left, get), NULL, 0 },
    { "count", KIND_UNSIGNED, offsetof(jot_left, count), NULL, 0 },
};
static const Shape jot_left_shape = { jot_left_members, 7, sizeof(jot_left) };

static const Member jot_shown_members[] = {
    { "text", KIND_TEXT, offsetof(jot_shown, text), NULL, 0 },
    { "prefix", KIND_SIZE, offsetof(jot_shown, prefix), NULL, 0 },
    { "tokens", KIND_UNSIGNED, offsetof(jot_shown, tokens), NULL, 0 },
    { "budget", KIND_UNSIGNED, offsetof(jot_shown, budget), NULL, 0 },
    { "results", KIND_UNSIGNED, offsetof(jot_shown, results), NULL, 0 },
    { "damaged", KIND_UNSIGNED, offsetof(jot_shown, damaged), NULL, 0 },
    { "left", KIND_LIST, offsetof(jot_shown, left), &jot_left_shape, offsetof(jot_shown, left_count) },
    { "left_count", KIND_SIZE, offsetof(jot_shown, left_count), NULL, 0 },
};
static const Shape jot_shown_shape = { jot_shown_members, 8, sizeof(jot_shown) };

static const Member jot_problem_members[] = {
    { "name", KIND_STRING, offsetof(jot_problem, name), NULL, 0 },
    { "why", KIND_STRING, offsetof(jot_problem, why), NULL, 0 },
};
static const Shape jot_problem_shape = { jot_problem_members, 2, sizeof(jot_problem) };

static const Member jot_report_members[] = {
    { "layout", KIND_STRING, offsetof(jot_report, layout), NULL, 0 },
    { "streams", KIND_UNSIGNED, offsetof(jot_report, streams), NULL, 0 },
    { "records", KIND_UNSIGNED, offsetof(jot_report, records), NULL, 0 },
    { "bytes", KIND_UNSIGNED, offsetof(jot_report, bytes), NULL, 0 },
    { "files", KIND_UNSIGNED, offsetof(jot_report, files), NULL, 0 },
    { "added", KIND_UNSIGNED, offsetof(jot_report, added), NULL, 0 },
    { "unchanged", KIND_UNSIGNED, offsetof(jot_report, unchanged), NULL, 0 },
    { "skipped", KIND_LIST, offsetof(jot_report, skipped), &jot_problem_shape, offsetof(jot_report, skipped_count) },
    { "skipped_count", KIND_SIZE, offsetof(jot_report, skipped_count), NULL, 0 },
    { "skipped_total", KIND_UNSIGNED, offsetof(jot_report, skipped_total), NULL, 0 },
    { "missed", KIND_UNSIGNED, offsetof(jot_report, missed), NULL, 0 },
    { "renamed", KIND_LIST, offsetof(jot_report, renamed), &jot_problem_shape, offsetof(jot_report, renamed_count) },
    { "renamed_count", KIND_SIZE, offsetof(jot_report, renamed_count), NULL, 0 },
    { "renamed_total", KIND_UNSIGNED, offsetof(jot_report, renamed_total), NULL, 0 },
};
static const Shape jot_report_shape = { jot_report_members, 14, sizeof(jot_report) };

static const Member jot_append_options_members[] = {
    { "size", KIND_SIZE, offsetof(jot_append_options, size), NULL, 0 },
    { "if_version", KIND_STRING, offsetof(jot_append_options, if_version), NULL, 0 },
    { "line", KIND_BOOL, offsetof(jot_append_options, line), NULL, 0 },
};
static const Shape jot_append_options_shape = { jot_append_options_members, 3, sizeof(jot_append_options) };

static const Member jot_doc_members[] = {
    { "name", KIND_STRING, offsetof(jot_doc, name), NULL, 0 },
    { "text", KIND_TEXT, offsetof(jot_doc, text), NULL, 0 },
    { "bytes", KIND_UNSIGNED, offsetof(jot_doc, bytes), NULL, 0 },
    { "version", KIND_STRING, offsetof(jot_doc, version), NULL, 0 },
    { "sha256", KIND_STRING, offsetof(jot_doc, sha256), NULL, 0 },
    { "seq", KIND_UNSIGNED, offsetof(jot_doc, seq), NULL, 0 },
    { "at_ms", KIND_SIGNED, offsetof(jot_doc, at_ms), NULL, 0 },
    { "by", KIND_STRING, offsetof(jot_doc, by), NULL, 0 },
    { "meta", KIND_STRING, offsetof(jot_doc, meta), NULL, 0 },
    { "deleted", KIND_BOOL, offsetof(jot_doc, deleted), NULL, 0 },
    { "redacted", KIND_BOOL, offsetof(jot_doc, redacted), NULL, 0 },
    { "merged", KIND_BOOL, offsetof(jot_doc, merged), NULL, 0 },
    { "line", KIND_SIZE, offsetof(jot_doc, line), NULL, 0 },
    { "next_line", KIND_SIZE, offsetof(jot_doc, next_line), NULL, 0 },
    { "left_out", KIND_STRING, offsetof(jot_doc, left_out), NULL, 0 },
    { "warning", KIND_STRING, offsetof(jot_doc, warning), NULL, 0 },
};
static const Shape jot_doc_shape = { jot_doc_members, 16, sizeof(jot_doc) };

static const Member jot_diff_members[] = {
    { "text", KIND_TEXT, offsetof(jot_diff, text), NULL, 0 },
    { "added", KIND_SIZE, offsetof(jot_diff, added), NULL, 0 },
    { "removed", KIND_SIZE, offsetof(jot_diff, removed), NULL, 0 },
};
static const Shape jot_diff_shape = { jot_diff_members, 3, sizeof(jot_diff) };

static const Member jot_docs_members[] = {
    { "items", KIND_LIST, offsetof(jot_docs, items), &jot_doc_shape, offsetof(jot_docs, count) },
    { "count", KIND_SIZE, offsetof(jot_docs, count), NULL, 0 },
    { "more", KIND_BOOL, offsetof(jot_docs, more), NULL, 0 },
    { "damaged", KIND_UNSIGNED, offsetof(jot_docs, damaged), NULL, 0 },
};
static const Shape jot_docs_shape = { jot_docs_members, 4, sizeof(jot_docs) };

static const Member jot_list_options_members[] = {
    { "size", KIND_SIZE, offsetof(jot_list_options, size), NULL, 0 },
    { "after", KIND_STRING, offsetof(jot_list_options, after), NULL, 0 },
    { "limit", KIND_SIZE, offsetof(jot_list_options, limit), NULL, 0 },
    { "deleted", KIND_BOOL, offsetof(jot_list_options, deleted), NULL, 0 },
};
static const Shape jot_list_options_shape = { jot_list_options_members, 4, sizeof(jot_list_options) };

static const Member jot_merge_members[] = {
    { "now", KIND_STRUCT, offsetof(jot_merge, now), &jot_doc_shape, 0 },
    { "text", KIND_TEXT, offsetof(jot_merge, text), NULL, 0 },
    { "based", KIND_BOOL, offsetof(jot_merge, based), NULL, 0 },
    { "clean", KIND_BOOL, offsetof(jot_merge, clean), NULL, 0 },
};
static const Shape jot_merge_shape = { jot_merge_members, 4, sizeof(jot_merge) };

static const Member jot_read_options_members[] = {
    { "size", KIND_SIZE, offsetof(jot_read_options, size), NULL, 0 },
    { "version", KIND_STRING, offsetof(jot_read_options, version), NULL, 0 },
    { "line_from", KIND_SIZE, offsetof(jot_read_options, line_from), NULL, 0 },
    { "lines", KIND_SIZE, offsetof(jot_read_options, lines), NULL, 0 },
    { "tokens", KIND_SIZE, offsetof(jot_read_options, tokens), NULL, 0 },
};
static const Shape jot_read_options_shape = { jot_read_options_members, 5, sizeof(jot_read_options) };

static const Member jot_write_options_members[] = {
    { "size", KIND_SIZE, offsetof(jot_write_options, size), NULL, 0 },
    { "if_version", KIND_STRING, offsetof(jot_write_options, if_version), NULL, 0 },
    { "meta", KIND_STRING, offsetof(jot_write_options, meta), NULL, 0 },
    { "id", KIND_STRING, offsetof(jot_write_options, id), NULL, 0 },
    { "if_absent", KIND_BOOL, offsetof(jot_write_options, if_absent), NULL, 0 },
    { "merge", KIND_BOOL, offsetof(jot_write_options, merge), NULL, 0 },
};
static const Shape jot_write_options_shape = { jot_write_options_members, 6, sizeof(jot_write_options) };

static const Member jot_fault_members[] = {
    { "kind", KIND_STRING, offsetof(jot_fault, kind), NULL, 0 },
    { "stream", KIND_STRING, offsetof(jot_fault, stream), NULL, 0 },
    { "what", KIND_STRING, offsetof(jot_fault, what), NULL, 0 },
    { "advice", KIND_STRING, offsetof(jot_fault, advice), NULL, 0 },
    { "counts", KIND_BOOL, offsetof(jot_fault, counts), NULL, 0 },
    { "repairable", KIND_BOOL, offsetof(jot_fault, repairable), NULL, 0 },
};
static const Shape jot_fault_shape = { jot_fault_members, 6, sizeof(jot_fault) };

static const Member jot_verified_members[] = {
    { "streams", KIND_UNSIGNED, offsetof(jot_verified, streams), NULL, 0 },
    { "records", KIND_UNSIGNED, offsetof(jot_verified, records), NULL, 0 },
    { "bytes", KIND_UNSIGNED, offsetof(jot_verified, bytes), NULL, 0 },
    { "faults", KIND_UNSIGNED, offsetof(jot_verified, faults), NULL, 0 },
    { "items", KIND_LIST, offsetof(jot_verified, items), &jot_fault_shape, offsetof(jot_verified, count) },
    { "count", KIND_SIZE, offsetof(jot_verified, count), NULL, 0 },
    { "total", KIND_UNSIGNED, offsetof(jot_verified, total), NULL, 0 },
    { "heads_at", KIND_SIGNED, offsetof(jot_verified, heads_at), NULL, 0 },
};
static const Shape jot_verified_shape = { jot_verified_members, 8, sizeof(jot_verified) };

static const Member jot_gc_options_members[] = {
    { "size", KIND_SIZE, offsetof(jot_gc_options, size), NULL, 0 },
    { "prefix", KIND_STRING, offsetof(jot_gc_options, prefix), NULL, 0 },
    { "keep", KIND_UNSIGNED, offsetof(jot_gc_options, keep), NULL, 0 },
    { "before_ms", KIND_SIGNED, offsetof(jot_gc_options, before_ms), NULL, 0 },
    { "bytes", KIND_UNSIGNED, offsetof(jot_gc_options, bytes), NULL, 0 },
    { "dry_run", KIND_BOOL, offsetof(jot_gc_options, dry_run), NULL, 0 },
};
static const Shape jot_gc_options_shape = { jot_gc_options_members, 6, sizeof(jot_gc_options) };

static const Member jot_gc_count_members[] = {
    { "streams", KIND_UNSIGNED, offsetof(jot_gc_count, streams), NULL, 0 },
    { "records", KIND_UNSIGNED, offsetof(jot_gc_count, records), NULL, 0 },
    { "bytes", KIND_UNSIGNED, offsetof(jot_gc_count, bytes), NULL, 0 },
};
static const Shape jot_gc_count_shape = { jot_gc_count_members, 3, sizeof(jot_gc_count) };

static const Member jot_lease_options_members[] = {
    { "size", KIND_SIZE, offsetof(jot_lease_options, size), NULL, 0 },
    { "ttl_ms", KIND_SIGNED, offsetof(jot_lease_options, ttl_ms), NULL, 0 },
    { "wait_ms", KIND_SIGNED, offsetof(jot_lease_options, wait_ms), NULL, 0 },
    { "prefix", KIND_BOOL, offsetof(jot_lease_options, prefix), NULL, 0 },
    { "live", KIND_BOOL, offsetof(jot_lease_options, live), NULL, 0 },
};
static const Shape jot_lease_options_shape = { jot_lease_options_members, 5, sizeof(jot_lease_options) };

static const Member jot_lease_members[] = {
    { "on", KIND_STRING, offsetof(jot_lease, on), NULL, 0 },
    { "prefix", KIND_BOOL, offsetof(jot_lease, prefix), NULL, 0 },
    { "live", KIND_BOOL, offsetof(jot_lease, live), NULL, 0 },
    { "token", KIND_UNSIGNED, offsetof(jot_lease, token), NULL, 0 },
    { "by", KIND_STRING, offsetof(jot_lease, by), NULL, 0 },
    { "ttl_ms", KIND_SIGNED, offsetof(jot_lease, ttl_ms), NULL, 0 },
    { "left_ms", KIND_SIGNED, offsetof(jot_lease, left_ms), NULL, 0 },
};
static const Shape jot_lease_shape = { jot_lease_members, 7, sizeof(jot_lease) };

static const Member jot_leases_members[] = {
    { "items", KIND_LIST, offsetof(jot_leases, items), &jot_lease_shape, offsetof(jot_leases, count) },
    { "count", KIND_SIZE, offsetof(jot_leases, count), NULL, 0 },
};
static const Shape jot_leases_shape = { jot_leases_members, 2, sizeof(jot_leases) };

static const Member jot_open_options_members[] = {
    { "size", KIND_SIZE, offsetof(jot_open_options, size), NULL, 0 },
    { "as", KIND_STRING, offsetof(jot_open_options, as), NULL, 0 },
    { "language", KIND_STRING, offsetof(jot_open_options, language), NULL, 0 },
    { "wait_ms", KIND_SIGNED, offsetof(jot_open_options, wait_ms), NULL, 0 },
    { "existing", KIND_BOOL, offsetof(jot_open_options, existing), NULL, 0 },
    { "read_only", KIND_BOOL, offsetof(jot_open_options, read_only), NULL, 0 },
    { "dialect", KIND_STRING, offsetof(jot_open_options, dialect), NULL, 0 },
};
static const Shape jot_open_options_shape = { jot_open_options_members, 7, sizeof(jot_open_options) };

static const Member jot_redacted_members[] = {
    { "streams", KIND_UNSIGNED, offsetof(jot_redacted, streams), NULL, 0 },
    { "rewritten", KIND_UNSIGNED, offsetof(jot_redacted, rewritten), NULL, 0 },
    { "records", KIND_UNSIGNED, offsetof(jot_redacted, records), NULL, 0 },
    { "items", KIND_LIST, offsetof(jot_redacted, items), &jot_fault_shape, offsetof(jot_redacted, count) },
    { "count", KIND_SIZE, offsetof(jot_redacted, count), NULL, 0 },
    { "total", KIND_UNSIGNED, offsetof(jot_redacted, total), NULL, 0 },
};
static const Shape jot_redacted_shape = { jot_redacted_members, 6, sizeof(jot_redacted) };

static const Member jot_search_options_members[] = {
    { "size", KIND_SIZE, offsetof(jot_search_options, size), NULL, 0 },
    { "kind", KIND_STRING, offsetof(jot_search_options, kind), NULL, 0 },
    { "prefix", KIND_STRING, offsetof(jot_search_options, prefix), NULL, 0 },
    { "by", KIND_STRING, offsetof(jot_search_options, by), NULL, 0 },
    { "since_ms", KIND_SIGNED, offsetof(jot_search_options, since_ms), NULL, 0 },
    { "until_ms", KIND_SIGNED, offsetof(jot_search_options, until_ms), NULL, 0 },
    { "limit", KIND_SIZE, offsetof(jot_search_options, limit), NULL, 0 },
    { "offset", KIND_SIZE, offsetof(jot_search_options, offset), NULL, 0 },
};
static const Shape jot_search_options_shape = { jot_search_options_members, 8, sizeof(jot_search_options) };

static const Member jot_hit_members[] = {
    { "name", KIND_STRING, offsetof(jot_hit, name), NULL, 0 },
    { "seq", KIND_UNSIGNED, offsetof(jot_hit, seq), NULL, 0 },
    { "at_ms", KIND_SIGNED, offsetof(jot_hit, at_ms), NULL, 0 },
    { "by", KIND_STRING, offsetof(jot_hit, by), NULL, 0 },
    { "version", KIND_STRING, offsetof(jot_hit, version), NULL, 0 },
    { "bytes", KIND_UNSIGNED, offsetof(jot_hit, bytes), NULL, 0 },
    { "tokens", KIND_UNSIGNED, offsetof(jot_hit, tokens), NULL, 0 },
    { "snippet", KIND_STRING, offsetof(jot_hit, snippet), NULL, 0 },
    { "score", KIND_DOUBLE, offsetof(jot_hit, score), NULL, 0 },
};
static const Shape jot_hit_shape = { jot_hit_members, 9, sizeof(jot_hit) };

static const Member jot_hits_members[] = {
    { "items", KIND_LIST, offsetof(jot_hits, items), &jot_hit_shape, offsetof(jot_hits, count) },
    { "count", KIND_SIZE, offsetof(jot_hits, count), NULL, 0 },
    { "more", KIND_BOOL, offsetof(jot_hits, more), NULL, 0 },
};
static const Shape jot_hits_shape = { jot_hits_members, 3, sizeof(jot_hits) };

static const Member jot_passage_members[] = {
    { "name", KIND_STRING, offsetof(jot_passage, name), NULL, 0 },
    { "seq", KIND_UNSIGNED, offsetof(jot_passage, seq), NULL, 0 },
    { "at_ms", KIND_SIGNED, offsetof(jot_passage, at_ms), NULL, 0 },
    { "by", KIND_STRING, offsetof(jot_passage, by), NULL, 0 },
    { "version", KIND_STRING, offsetof(jot_passage, version), NULL, 0 },
    { "from_line", KIND_SIZE, offsetof(jot_passage, from_line), NULL, 0 },
    { "to_line", KIND_SIZE, offsetof(jot_passage, to_line), NULL, 0 },
    { "lines", KIND_SIZE, offsetof(jot_passage, lines), NULL, 0 },
    { "text", KIND_TEXT, offsetof(jot_passage, text), NULL, 0 },
    { "score", KIND_DOUBLE, offsetof(jot_passage, score), NULL, 0 },
    { "found", KIND_BOOL, offsetof(jot_passage, found), NULL, 0 },
    { "cut", KIND_BOOL, offsetof(jot_passage, cut), NULL, 0 },
    { "joins", KIND_BOOL, offsetof(jot_passage, joins), NULL, 0 },
};
static const Shape jot_passage_shape = { jot_passage_members, 13, sizeof(jot_passage) };

static const Member jot_evidence_members[] = {
    { "items", KIND_LIST, offsetof(jot_evidence, items), &jot_passage_shape, offsetof(jot_evidence, count) },
    { "count", KIND_SIZE, offsetof(jot_evidence, count), NULL, 0 },
    { "text", KIND_TEXT, offsetof(jot_evidence, text), NULL, 0 },
    { "tokens", KIND_UNSIGNED, offsetof(jot_evidence, tokens), NULL, 0 },
    { "budget", KIND_UNSIGNED, offsetof(jot_evidence, budget), NULL, 0 },
    { "same", KIND_UNSIGNED, offsetof(jot_evidence, same), NULL, 0 },
    { "left", KIND_UNSIGNED, offsetof(jot_evidence, left), NULL, 0 },
    { "more", KIND_BOOL, offsetof(jot_evidence, more), NULL, 0 },
};
static const Shape jot_evidence_shape = { jot_evidence_members, 8, sizeof(jot_evidence) };

static const Member jot_kind_stats_members[] = {
    { "kind", KIND_STRING, offsetof(jot_kind_stats, kind), NULL, 0 },
    { "streams", KIND_UNSIGNED, offsetof(jot_kind_stats, streams), NULL, 0 },
    { "deleted", KIND_UNSIGNED, offsetof(jot_kind_stats, deleted), NULL, 0 },
    { "records", KIND_UNSIGNED, offsetof(jot_kind_stats, records), NULL, 0 },
    { "bytes", KIND_UNSIGNED, offsetof(jot_kind_stats, bytes), NULL, 0 },
    { "damaged", KIND_UNSIGNED, offsetof(jot_kind_stats, damaged), NULL, 0 },
    { "oldest_ms", KIND_SIGNED, offsetof(jot_kind_stats, oldest_ms), NULL, 0 },
    { "newest_ms", KIND_SIGNED, offsetof(jot_kind_stats, newest_ms), NULL, 0 },
};
static const Shape jot_kind_stats_shape = { jot_kind_stats_members, 8, sizeof(jot_kind_stats) };

static const Member jot_stats_list_members[] = {
    { "items", KIND_LIST, offsetof(jot_stats_list, items), &jot_kind_stats_shape, offsetof(jot_stats_list, count) },
    { "count", KIND_SIZE, offsetof(jot_stats_list, count), NULL, 0 },
};
static const Shape jot_stats_list_shape = { jot_stats_list_members, 2, sizeof(jot_stats_list) };

static const Member jot_tool_reply_members[] = {
    { "is_error", KIND_BOOL, offsetof(jot_tool_reply, is_error), NULL, 0 },
    { "text", KIND_TEXT, offsetof(jot_tool_reply, text), NULL, 0 },
    { "data", KIND_STRING, offsetof(jot_tool_reply, data), NULL, 0 },
    { "has_value", KIND_BOOL, offsetof(jot_tool_reply, has_value), NULL, 0 },
    { "value", KIND_TEXT, offsetof(jot_tool_reply, value), NULL, 0 },
};
static const Shape jot_tool_reply_shape = { jot_tool_reply_members, 5, sizeof(jot_tool_reply) };

static const Member jot_answer_members[] = {
    { "data", KIND_STRING, offsetof(jot_answer, data), NULL, 0 },
    { "body", KIND_TEXT, offsetof(jot_answer, body), NULL, 0 },
    { "has_body", KIND_BOOL, offsetof(jot_answer, has_body), NULL, 0 },
};
static const Shape jot_answer_shape = { jot_answer_members, 3, sizeof(jot_answer) };

static const Member jot_info_members[] = {
    { "url", KIND_STRING, offsetof(jot_info, url), NULL, 0 },
    { "why", KIND_STRING, offsetof(jot_info, why), NULL, 0 },
    { "engine", KIND_STRING, offsetof(jot_info, engine), NULL, 0 },
    { "read_only", KIND_STRING, offsetof(jot_info, read_only), NULL, 0 },
    { "durable", KIND_BOOL, offsetof(jot_info, durable), NULL, 0 },
    { "shared", KIND_BOOL, offsetof(jot_info, shared), NULL, 0 },
    { "edits_seen", KIND_BOOL, offsetof(jot_info, edits_seen), NULL, 0 },
    { "edits_guarded", KIND_BOOL, offsetof(jot_info, edits_guarded), NULL, 0 },
    { "torn", KIND_UNSIGNED, offsetof(jot_info, torn), NULL, 0 },
    { "damaged", KIND_UNSIGNED, offsetof(jot_info, damaged), NULL, 0 },
    { "outside", KIND_UNSIGNED, offsetof(jot_info, outside), NULL, 0 },
    { "quarantined", KIND_UNSIGNED, offsetof(jot_info, quarantined), NULL, 0 },
    { "restored", KIND_UNSIGNED, offsetof(jot_info, restored), NULL, 0 },
    { "last", KIND_STRING, offsetof(jot_info, last), NULL, 0 },
};
static const Shape jot_info_shape = { jot_info_members, 14, sizeof(jot_info) };

static jot_status call_jot_changes(jot_pad *pad, const Value *v, Out *out)
{
    const jot_changed *r = NULL;
    jot_status status = jot_changes(pad, v[0].string, (int64_t)v[1].number, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_context(jot_pad *pad, const Value *v, Out *out)
{
    const jot_shown *r = NULL;
    jot_status status = jot_context(pad, v[0].options, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_copy(jot_pad *pad, const Value *v, Out *out)
{
    const jot_report *r = NULL;
    jot_status status = jot_copy(pad, v[0].string, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_cycle_reset(jot_pad *pad, const Value *v, Out *out)
{
    return jot_cycle_reset(pad, v[0].string, v[1].text, v[2].truth, &out->number);
}

static jot_status call_jot_doc_append(jot_pad *pad, const Value *v, Out *out)
{
    const jot_doc *r = NULL;
    jot_status status = jot_doc_append(pad, v[0].string, v[1].text, v[2].options, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doc_blame_json(jot_pad *pad, const Value *v, Out *out)
{
    const char *r = NULL;
    jot_status status = jot_doc_blame_json(pad, v[0].string, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doc_delete(jot_pad *pad, const Value *v, Out *out)
{
    const jot_doc *r = NULL;
    jot_status status = jot_doc_delete(pad, v[0].string, v[1].string, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doc_diff(jot_pad *pad, const Value *v, Out *out)
{
    const jot_diff *r = NULL;
    jot_status status = jot_doc_diff(pad, v[0].string, v[1].string, v[2].string, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doc_edit(jot_pad *pad, const Value *v, Out *out)
{
    const jot_doc *r = NULL;
    jot_status status = jot_doc_edit(pad, v[0].string, v[1].text, v[2].text, v[3].string, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doc_history(jot_pad *pad, const Value *v, Out *out)
{
    const jot_docs *r = NULL;
    jot_status status = jot_doc_history(pad, v[0].string, v[1].number, (size_t)v[2].number, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doc_list(jot_pad *pad, const Value *v, Out *out)
{
    const jot_docs *r = NULL;
    jot_status status = jot_doc_list(pad, v[0].string, v[1].options, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doc_merge(jot_pad *pad, const Value *v, Out *out)
{
    const jot_merge *r = NULL;
    jot_status status = jot_doc_merge(pad, v[0].string, v[1].string, v[2].text, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doc_move(jot_pad *pad, const Value *v, Out *out)
{
    const jot_doc *r = NULL;
    jot_status status = jot_doc_move(pad, v[0].string, v[1].string, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doc_purge(jot_pad *pad, const Value *v, Out *out)
{
    return jot_doc_purge(pad, v[0].string);
}

static jot_status call_jot_doc_read(jot_pad *pad, const Value *v, Out *out)
{
    const jot_doc *r = NULL;
    jot_status status = jot_doc_read(pad, v[0].string, v[1].options, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doc_redact(jot_pad *pad, const Value *v, Out *out)
{
    return jot_doc_redact(pad, v[0].string, v[1].string, &out->number);
}

static jot_status call_jot_doc_redact_text(jot_pad *pad, const Value *v, Out *out)
{
    return jot_doc_redact_text(pad, v[0].string, v[1].text, &out->number);
}

static jot_status call_jot_doc_redo(jot_pad *pad, const Value *v, Out *out)
{
    const jot_doc *r = NULL;
    jot_status status = jot_doc_redo(pad, v[0].string, v[1].string, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doc_restore(jot_pad *pad, const Value *v, Out *out)
{
    const jot_doc *r = NULL;
    jot_status status = jot_doc_restore(pad, v[0].string, v[1].string, v[2].string, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doc_undo(jot_pad *pad, const Value *v, Out *out)
{
    const jot_doc *r = NULL;
    jot_status status = jot_doc_undo(pad, v[0].string, v[1].string, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doc_versions(jot_pad *pad, const Value *v, Out *out)
{
    const jot_docs *r = NULL;
    jot_status status = jot_doc_versions(pad, v[0].string, v[1].number, (size_t)v[2].number, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doc_write(jot_pad *pad, const Value *v, Out *out)
{
    const jot_doc *r = NULL;
    jot_status status = jot_doc_write(pad, v[0].string, v[1].text, v[2].options, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_doctor(jot_pad *pad, const Value *v, Out *out)
{
    const jot_verified *r = NULL;
    jot_status status = jot_doctor(pad, v[0].truth, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_export(jot_pad *pad, const Value *v, Out *out)
{
    const jot_report *r = NULL;
    jot_status status = jot_export(pad, v[0].string, v[1].string, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_gc(jot_pad *pad, const Value *v, Out *out)
{
    const jot_gc_count *r = NULL;
    jot_status status = jot_gc(pad, v[0].options, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_import(jot_pad *pad, const Value *v, Out *out)
{
    const jot_report *r = NULL;
    jot_status status = jot_import(pad, v[0].string, v[1].string, v[2].truth, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_lease_acquire(jot_pad *pad, const Value *v, Out *out)
{
    const jot_lease *r = NULL;
    jot_status status = jot_lease_acquire(pad, v[0].string, v[1].options, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_lease_adopt(jot_pad *pad, const Value *v, Out *out)
{
    return jot_lease_adopt(pad, v[0].number);
}

static jot_status call_jot_lease_check(jot_pad *pad, const Value *v, Out *out)
{
    const jot_lease *r = NULL;
    jot_status status = jot_lease_check(pad, v[0].number, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_lease_find(jot_pad *pad, const Value *v, Out *out)
{
    const jot_lease *r = NULL;
    jot_status status = jot_lease_find(pad, v[0].string, v[1].truth, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_lease_list(jot_pad *pad, const Value *v, Out *out)
{
    const jot_leases *r = NULL;
    jot_status status = jot_lease_list(pad, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_lease_release(jot_pad *pad, const Value *v, Out *out)
{
    return jot_lease_release(pad, v[0].number);
}

static jot_status call_jot_lease_renew(jot_pad *pad, const Value *v, Out *out)
{
    const jot_lease *r = NULL;
    jot_status status = jot_lease_renew(pad, v[0].number, (int64_t)v[1].number, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_open(jot_pad *pad, const Value *v, Out *out)
{
    return jot_open(pad, v[0].string, v[1].options);
}

static jot_status call_jot_redact_all(jot_pad *pad, const Value *v, Out *out)
{
    const jot_redacted *r = NULL;
    jot_status status = jot_redact_all(pad, v[0].text, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_run_purge(jot_pad *pad, const Value *v, Out *out)
{
    return jot_run_purge(pad, v[0].string);
}

static jot_status call_jot_run_redact(jot_pad *pad, const Value *v, Out *out)
{
    return jot_run_redact(pad, v[0].string, v[1].number, v[2].text, &out->number);
}

static jot_status call_jot_search(jot_pad *pad, const Value *v, Out *out)
{
    const jot_hits *r = NULL;
    jot_status status = jot_search(pad, v[0].string, v[1].options, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_search_evidence(jot_pad *pad, const Value *v, Out *out)
{
    const jot_evidence *r = NULL;
    jot_status status = jot_search_evidence(pad, v[0].string, v[1].number, v[2].options, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_search_rebuild(jot_pad *pad, const Value *v, Out *out)
{
    return jot_search_rebuild(pad);
}

static jot_status call_jot_stats(jot_pad *pad, const Value *v, Out *out)
{
    const jot_stats_list *r = NULL;
    jot_status status = jot_stats(pad, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_tool_call(jot_pad *pad, const Value *v, Out *out)
{
    const jot_tool_reply *r = NULL;
    jot_status status = jot_tool_call(pad, v[0].string, v[1].string, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_tools(jot_pad *pad, const Value *v, Out *out)
{
    const char *r = NULL;
    jot_status status = jot_tools(pad, v[0].string, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_verb(jot_pad *pad, const Value *v, Out *out)
{
    const jot_answer *r = NULL;
    jot_status status = jot_verb(pad, v[0].string, v[1].string, v[2].string, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_verify(jot_pad *pad, const Value *v, Out *out)
{
    const jot_verified *r = NULL;
    jot_status status = jot_verify(pad, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_watch(jot_pad *pad, const Value *v, Out *out)
{
    const jot_docs *r = NULL;
    jot_status status = jot_watch(pad, v[0].string, (int64_t)v[1].number, &r);
    out->pointer = r;
    return status;
}

static jot_status call_jot_where(jot_pad *pad, const Value *v, Out *out)
{
    const jot_info *r = NULL;
    jot_status status = jot_where(pad, &r);
    out->pointer = r;
    return status;
}

static const Function FUNCTIONS[] = {
    { "jot_changes", call_jot_changes, { { KIND_STRING, NULL }, { KIND_SIGNED, NULL } }, 2, RESULT_STRUCT, &jot_changed_shape },
    { "jot_context", call_jot_context, { { KIND_STRUCT, &jot_context_options_shape } }, 1, RESULT_STRUCT, &jot_shown_shape },
    { "jot_copy", call_jot_copy, { { KIND_STRING, NULL } }, 1, RESULT_STRUCT, &jot_report_shape },
    { "jot_cycle_reset", call_jot_cycle_reset, { { KIND_STRING, NULL }, { KIND_TEXT, NULL }, { KIND_BOOL, NULL } }, 3, RESULT_NUMBER, NULL },
    { "jot_doc_append", call_jot_doc_append, { { KIND_STRING, NULL }, { KIND_TEXT, NULL }, { KIND_STRUCT, &jot_append_options_shape } }, 3, RESULT_STRUCT, &jot_doc_shape },
    { "jot_doc_blame_json", call_jot_doc_blame_json, { { KIND_STRING, NULL } }, 1, RESULT_STRING, NULL },
    { "jot_doc_delete", call_jot_doc_delete, { { KIND_STRING, NULL }, { KIND_STRING, NULL } }, 2, RESULT_STRUCT, &jot_doc_shape },
    { "jot_doc_diff", call_jot_doc_diff, { { KIND_STRING, NULL }, { KIND_STRING, NULL }, { KIND_STRING, NULL } }, 3, RESULT_STRUCT, &jot_diff_shape },
    { "jot_doc_edit", call_jot_doc_edit, { { KIND_STRING, NULL }, { KIND_TEXT, NULL }, { KIND_TEXT, NULL }, { KIND_STRING, NULL } }, 4, RESULT_STRUCT, &jot_doc_shape },
    { "jot_doc_history", call_jot_doc_history, { { KIND_STRING, NULL }, { KIND_UNSIGNED, NULL }, { KIND_SIZE, NULL } }, 3, RESULT_STRUCT, &jot_docs_shape },
    { "jot_doc_list", call_jot_doc_list, { { KIND_STRING, NULL }, { KIND_STRUCT, &jot_list_options_shape } }, 2, RESULT_STRUCT, &jot_docs_shape },
    { "jot_doc_merge", call_jot_doc_merge, { { KIND_STRING, NULL }, { KIND_STRING, NULL }, { KIND_TEXT, NULL } }, 3, RESULT_STRUCT, &jot_merge_shape },
    { "jot_doc_move", call_jot_doc_move, { { KIND_STRING, NULL }, { KIND_STRING, NULL } }, 2, RESULT_STRUCT, &jot_doc_shape },
    { "jot_doc_purge", call_jot_doc_purge, { { KIND_STRING, NULL } }, 1, RESULT_NONE, NULL },
    { "jot_doc_read", call_jot_doc_read, { { KIND_STRING, NULL }, { KIND_STRUCT, &jot_read_options_shape } }, 2, RESULT_STRUCT, &jot_doc_shape },
    { "jot_doc_redact", call_jot_doc_redact, { { KIND_STRING, NULL }, { KIND_STRING, NULL } }, 2, RESULT_NUMBER, NULL },
    { "jot_doc_redact_text", call_jot_doc_redact_text, { { KIND_STRING, NULL }, { KIND_TEXT, NULL } }, 2, RESULT_NUMBER, NULL },
    { "jot_doc_redo", call_jot_doc_redo, { { KIND_STRING, NULL }, { KIND_STRING, NULL } }, 2, RESULT_STRUCT, &jot_doc_shape },
    { "jot_doc_restore", call_jot_doc_restore, { { KIND_STRING, NULL }, { KIND_STRING, NULL }, { KIND_STRING, NULL } }, 3, RESULT_STRUCT, &jot_doc_shape },
    { "jot_doc_undo", call_jot_doc_undo, { { KIND_STRING, NULL }, { KIND_STRING, NULL } }, 2, RESULT_STRUCT, &jot_doc_shape },
    { "jot_doc_versions", call_jot_doc_versions, { { KIND_STRING, NULL }, { KIND_UNSIGNED, NULL }, { KIND_SIZE, NULL } }, 3, RESULT_STRUCT, &jot_docs_shape },
    { "jot_doc_write", call_jot_doc_write, { { KIND_STRING, NULL }, { KIND_TEXT, NULL }, { KIND_STRUCT, &jot_write_options_shape } }, 3, RESULT_STRUCT, &jot_doc_shape },
    { "jot_doctor", call_jot_doctor, { { KIND_BOOL, NULL } }, 1, RESULT_STRUCT, &jot_verified_shape },
    { "jot_export", call_jot_export, { { KIND_STRING, NULL }, { KIND_STRING, NULL } }, 2, RESULT_STRUCT, &jot_report_shape },
    { "jot_gc", call_jot_gc, { { KIND_STRUCT, &jot_gc_options_shape } }, 1, RESULT_STRUCT, &jot_gc_count_shape },
    { "jot_import", call_jot_import, { { KIND_STRING, NULL }, { KIND_STRING, NULL }, { KIND_BOOL, NULL } }, 3, RESULT_STRUCT, &jot_report_shape },
    { "jot_lease_acquire", call_jot_lease_acquire, { { KIND_STRING, NULL }, { KIND_STRUCT, &jot_lease_options_shape } }, 2, RESULT_STRUCT, &jot_lease_shape },
    { "jot_lease_adopt", call_jot_lease_adopt, { { KIND_UNSIGNED, NULL } }, 1, RESULT_NONE, NULL },
    { "jot_lease_check", call_jot_lease_check, { { KIND_UNSIGNED, NULL } }, 1, RESULT_STRUCT, &jot_lease_shape },
    { "jot_lease_find", call_jot_lease_find, { { KIND_STRING, NULL }, { KIND_BOOL, NULL } }, 2, RESULT_STRUCT, &jot_lease_shape },
    { "jot_lease_list", call_jot_lease_list, { { 0 } }, 0, RESULT_STRUCT, &jot_leases_shape },
    { "jot_lease_release", call_jot_lease_release, { { KIND_UNSIGNED, NULL } }, 1, RESULT_NONE, NULL },
    { "jot_lease_renew", call_jot_lease_renew, { { KIND_UNSIGNED, NULL }, { KIND_SIGNED, NULL } }, 2, RESULT_STRUCT, &jot_lease_shape },
    { "jot_open", call_jot_open, { { KIND_STRING, NULL }, { KIND_STRUCT, &jot_open_options_shape } }, 2, RESULT_NONE, NULL },
    { "jot_redact_all", call_jot_redact_all, { { KIND_TEXT, NULL } }, 1, RESULT_STRUCT, &jot_redacted_shape },
    { "jot_run_purge", call_jot_run_purge, { { KIND_STRING, NULL } }, 1, RESULT_NONE, NULL },
    { "jot_run_redact", call_jot_run_redact, { { KIND_STRING, NULL }, { KIND_UNSIGNED, NULL }, { KIND_TEXT, NULL } }, 3, RESULT_NUMBER, NULL },
    { "jot_search", call_jot_search, { { KIND_STRING, NULL }, { KIND_STRUCT, &jot_search_options_shape } }, 2, RESULT_STRUCT, &jot_hits_shape },
    { "jot_search_evidence", call_jot_search_evidence, { { KIND_STRING, NULL }, { KIND_UNSIGNED, NULL }, { KIND_STRUCT, &jot_search_options_shape } }, 3, RESULT_STRUCT, &jot_evidence_shape },
    { "jot_search_rebuild", call_jot_search_rebuild, { { 0 } }, 0, RESULT_NONE, NULL },
    { "jot_stats", call_jot_stats, { { 0 } }, 0, RESULT_STRUCT, &jot_stats_list_shape },
    { "jot_tool_call", call_jot_tool_call, { { KIND_STRING, NULL }, { KIND_STRING, NULL } }, 2, RESULT_STRUCT, &jot_tool_reply_shape },
    { "jot_tools", call_jot_tools, { { KIND_STRING, NULL } }, 1, RESULT_STRING, NULL },
    { "jot_verb", call_jot_verb, { { KIND_STRING, NULL }, { KIND_STRING, NULL }, { KIND_STRING, NULL } }, 3, RESULT_STRUCT, &jot_answer_shape },
    { "jot_verify", call_jot_verify, { { 0 } }, 0, RESULT_STRUCT, &jot_verified_shape },
    { "jot_watch", call_jot_watch, { { KIND_STRING, NULL }, { KIND_SIGNED, NULL } }, 2, RESULT_STRUCT, &jot_docs_shape },
    { "jot_where", call_jot_where, { { 0 } }, 0, RESULT_STRUCT, &jot_info_shape },
};

#endif
