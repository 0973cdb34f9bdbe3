"""include/jotter.h for ctypes: made by tools/gen-python, not by hand."""

from ctypes import (
    CDLL,
    POINTER,
    Structure,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_size_t,
    c_uint64,
    c_uint8,
    c_void_p,
)

VERSION = "0.1.0"

JOT_OK = 0
JOT_INVALID = 1
JOT_NOT_FOUND = 2
JOT_CONFLICT = 3
JOT_TOO_BIG = 4
JOT_UNAVAILABLE = 5
JOT_IO = 6
JOT_LEASED = 7
JOT_FENCED = 8
JOT_READ_ONLY = 9
JOT_CORRUPT = 10
JOT_UNSUPPORTED = 11
JOT_UNKNOWN = 12
JOT_CANCELLED = 13
JOT_DENIED = 14
JOT_ID_REUSED = 15

JOT_WHOLE = 0
JOT_BYTES = 1
JOT_LINES = 2

JOT_STEP_OTHER = 0
JOT_STEP_INIT = 1
JOT_STEP_THINKING = 2
JOT_STEP_CALL = 3
JOT_STEP_RESULT = 4
JOT_STEP_CLEAR = 5
JOT_STEP_COMPACT = 6
JOT_STEP_PLAN = 7
JOT_STEP_ANSWER = 8

JOT_CYCLE_RUNNING = 0
JOT_CYCLE_DONE = 1
JOT_CYCLE_LIMIT = 2
JOT_CYCLE_STOPPED = 3
JOT_CYCLE_FAILED = 4
JOT_CYCLE_KILLED = 5

JOT_ACTION_UNREADABLE = 0
JOT_ACTION_TOOL = 1
JOT_ACTION_UPDATE = 2
JOT_ACTION_DONE = 3
JOT_ACTION_REDACTED = 4

JOT_CYCLE_STEP_REPLY = 0
JOT_CYCLE_STEP_RESULT = 1
JOT_CYCLE_STEP_ERROR = 2
JOT_CYCLE_STEP_UNKNOWN = 3
JOT_CYCLE_STEP_END = 4

JOT_TASK_PENDING = 1
JOT_TASK_READY = 2
JOT_TASK_RUNNING = 3
JOT_TASK_COMPLETED = 4
JOT_TASK_FAILED = 5
JOT_TASK_BLOCKED = 6

JOT_PLAN_PENDING = 0
JOT_PLAN_IN_PROGRESS = 1
JOT_PLAN_DONE = 2
JOT_PLAN_BLOCKED = 3


class jot_text(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("size", c_size_t),
    ]


class jot_open_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("as", c_char_p),
        ("language", c_char_p),
        ("wait_ms", c_int64),
        ("existing", c_bool),
        ("read_only", c_bool),
        ("dialect", c_char_p),
    ]


class jot_info(Structure):
    _fields_ = [
        ("url", c_char_p),
        ("why", c_char_p),
        ("engine", c_char_p),
        ("read_only", c_char_p),
        ("durable", c_bool),
        ("shared", c_bool),
        ("edits_seen", c_bool),
        ("edits_guarded", c_bool),
        ("torn", c_uint64),
        ("damaged", c_uint64),
        ("outside", c_uint64),
        ("quarantined", c_uint64),
        ("restored", c_uint64),
        ("last", c_char_p),
    ]


class jot_changed(Structure):
    _fields_ = [
        ("names", POINTER(c_char_p)),
        ("count", c_size_t),
        ("rescan", c_bool),
        ("next", c_char_p),
    ]


class jot_doc(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("text", jot_text),
        ("bytes", c_uint64),
        ("version", c_char_p),
        ("sha256", c_char_p),
        ("seq", c_uint64),
        ("at_ms", c_int64),
        ("by", c_char_p),
        ("meta", c_char_p),
        ("deleted", c_bool),
        ("redacted", c_bool),
        ("merged", c_bool),
        ("line", c_size_t),
        ("next_line", c_size_t),
        ("left_out", c_char_p),
        ("warning", c_char_p),
    ]


class jot_docs(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_doc))),
        ("count", c_size_t),
        ("more", c_bool),
        ("damaged", c_uint64),
    ]


class jot_write_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("if_version", c_char_p),
        ("meta", c_char_p),
        ("id", c_char_p),
        ("if_absent", c_bool),
        ("merge", c_bool),
    ]


class jot_append_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("if_version", c_char_p),
        ("line", c_bool),
    ]


class jot_read_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("version", c_char_p),
        ("line_from", c_size_t),
        ("lines", c_size_t),
        ("tokens", c_size_t),
    ]


class jot_list_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("after", c_char_p),
        ("limit", c_size_t),
        ("deleted", c_bool),
    ]


class jot_diff(Structure):
    _fields_ = [
        ("text", jot_text),
        ("added", c_size_t),
        ("removed", c_size_t),
    ]


class jot_merge(Structure):
    _fields_ = [
        ("now", POINTER(jot_doc)),
        ("text", jot_text),
        ("based", c_bool),
        ("clean", c_bool),
    ]


class jot_artifact(Structure):
    _fields_ = [
        ("category", c_char_p),
        ("id", c_char_p),
        ("type", c_char_p),
        ("task", c_char_p),
        ("by", c_char_p),
        ("sha256", c_char_p),
        ("at_ms", c_int64),
        ("seq", c_uint64),
        ("bytes", c_uint64),
        ("text", jot_text),
    ]


class jot_problem(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("why", c_char_p),
    ]


class jot_artifacts(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_artifact))),
        ("count", c_size_t),
        ("more", c_bool),
        ("problems", POINTER(POINTER(jot_problem))),
        ("problems_count", c_size_t),
        ("problems_total", c_size_t),
    ]


class jot_artifact_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("type", c_char_p),
        ("task", c_char_p),
        ("if_version", c_char_p),
        ("if_absent", c_bool),
    ]


class jot_artifact_query(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("category", c_char_p),
        ("id", c_char_p),
        ("type", c_char_p),
        ("task", c_char_p),
        ("after", c_char_p),
        ("limit", c_size_t),
        ("below", c_bool),
        ("indexes", c_bool),
    ]


class jot_kept(Structure):
    _fields_ = [
        ("call", c_char_p),
        ("tool", c_char_p),
        ("handle", c_char_p),
        ("shown", jot_text),
        ("prompt", jot_text),
        ("spilled", c_bool),
        ("is_text", c_bool),
        ("same", c_bool),
        ("bytes", c_uint64),
        ("lines", c_uint64),
        ("sha256", c_char_p),
        ("at_ms", c_int64),
        ("by", c_char_p),
    ]


class jot_sink_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("arguments", c_char_p),
        ("task", c_char_p),
        ("inline_max", c_size_t),
        ("always_inline", c_bool),
    ]


class jot_slice(Structure):
    _fields_ = [
        ("text", jot_text),
        ("from", c_uint64),
        ("to", c_uint64),
        ("line_from", c_uint64),
        ("line_to", c_uint64),
        ("bytes", c_uint64),
        ("lines", c_uint64),
        ("more", c_bool),
    ]


class jot_line(Structure):
    _fields_ = [
        ("seq", c_uint64),
        ("at_ms", c_int64),
        ("by", c_char_p),
        ("text", jot_text),
        ("redacted", c_bool),
    ]


class jot_lines(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_line))),
        ("count", c_size_t),
        ("more", c_bool),
        ("next", c_uint64),
        ("damaged", c_uint64),
    ]


class jot_line_log_cursor(Structure):
    _fields_ = [
        ("seq", c_uint64),
        ("chain", c_uint8 * 32),
        ("cursor", c_char * 120),
    ]


class jot_checkpoint(Structure):
    _fields_ = [
        ("version", c_uint64),
        ("at_ms", c_int64),
        ("by", c_char_p),
        ("label", c_char_p),
        ("undone", c_uint64),
        ("restored", c_uint64),
        ("live", c_bool),
        ("bytes", c_uint64),
        ("sha256", c_char_p),
        ("state", jot_text),
    ]


class jot_checkpoints(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_checkpoint))),
        ("count", c_size_t),
        ("total", c_uint64),
        ("depth", c_uint64),
        ("damaged", c_uint64),
    ]


class jot_run_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("limit", c_uint64),
        ("similarity", c_uint64),
    ]


class jot_warnings(Structure):
    _fields_ = [
        ("limit", c_char_p),
        ("loop", c_char_p),
    ]


class jot_call_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("arguments", c_char_p),
        ("limit", c_uint64),
        ("mutating", c_bool),
        ("similarity", c_uint64),
    ]


class jot_finish_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("call", c_char_p),
        ("arguments", c_char_p),
        ("failed", c_bool),
        ("limit", c_uint64),
        ("similarity", c_uint64),
    ]


class jot_finished(Structure):
    _fields_ = [
        ("call", c_char_p),
        ("number", c_uint64),
        ("warnings", jot_warnings),
    ]


class jot_run(Structure):
    _fields_ = [
        ("id", c_char_p),
        ("query", jot_text),
        ("plan", jot_text),
        ("answer", jot_text),
        ("seq", c_uint64),
        ("results", c_uint64),
        ("shown", c_uint64),
        ("compacted", c_uint64),
        ("cleared", c_uint64),
        ("thoughts", c_uint64),
        ("open", c_uint64),
        ("damaged", c_uint64),
    ]


class jot_step(Structure):
    _fields_ = [
        ("kind", c_int),
        ("seq", c_uint64),
        ("at_ms", c_int64),
        ("by", c_char_p),
        ("text", jot_text),
        ("call", c_char_p),
        ("tool", c_char_p),
        ("mutating", c_bool),
        ("ok", c_bool),
        ("redacted", c_bool),
        ("number", c_uint64),
        ("from", c_uint64),
        ("to", c_uint64),
    ]


class jot_steps(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_step))),
        ("count", c_size_t),
        ("next", c_uint64),
        ("damaged", c_uint64),
    ]


class jot_run_line(Structure):
    _fields_ = [
        ("id", c_char_p),
        ("query", jot_text),
        ("at_ms", c_int64),
        ("by", c_char_p),
        ("records", c_uint64),
    ]


class jot_runs(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_run_line))),
        ("count", c_size_t),
        ("older", c_uint64),
    ]


class jot_open_call(Structure):
    _fields_ = [
        ("call", c_char_p),
        ("tool", c_char_p),
        ("arguments", jot_text),
        ("seq", c_uint64),
        ("mutating", c_bool),
        ("stored", c_bool),
    ]


class jot_open_calls(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_open_call))),
        ("count", c_size_t),
    ]


class jot_cycle(Structure):
    _fields_ = [
        ("agent", c_char_p),
        ("id", c_char_p),
        ("by", c_char_p),
        ("started_ms", c_int64),
        ("ended_ms", c_int64),
        ("end", c_int),
        ("why", jot_text),
        ("before", jot_text),
        ("after", jot_text),
        ("state", jot_text),
        ("done", c_bool),
        ("dead", c_bool),
        ("waiting", c_bool),
        ("tool", c_char_p),
        ("arguments", c_char_p),
        ("left_ms", c_int64),
        ("iterations", c_uint64),
        ("iterations_max", c_uint64),
        ("notice", c_char_p),
    ]


class jot_cycle_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("goals", POINTER(c_char_p)),
        ("goals_count", c_size_t),
        ("task", c_char_p),
        ("notes", c_char_p),
    ]


class jot_wake_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("iterations_max", c_int64),
        ("ttl_ms", c_int64),
        ("lease", c_uint64),
    ]


class jot_cycle_stepped(Structure):
    _fields_ = [
        ("action", c_int),
        ("tool", c_char_p),
        ("arguments", c_char_p),
        ("said", jot_text),
        ("cycle", POINTER(jot_cycle)),
    ]


class jot_cycle_record(Structure):
    _fields_ = [
        ("seq", c_uint64),
        ("at_ms", c_int64),
        ("by", c_char_p),
        ("kind", c_int),
        ("text", jot_text),
        ("action", c_int),
        ("tool", c_char_p),
        ("arguments", c_char_p),
        ("end", c_int),
        ("why", jot_text),
    ]


class jot_cycle_records(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_cycle_record))),
        ("count", c_size_t),
        ("more", c_bool),
        ("next", c_uint64),
        ("damaged", c_uint64),
    ]


class jot_cycle_line(Structure):
    _fields_ = [
        ("id", c_char_p),
        ("started_ms", c_int64),
        ("ended_ms", c_int64),
        ("end", c_int),
        ("iterations", c_uint64),
        ("why", jot_text),
    ]


class jot_cycles(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_cycle_line))),
        ("count", c_size_t),
    ]


class jot_left(Structure):
    _fields_ = [
        ("what", c_char_p),
        ("why", c_char_p),
        ("name", c_char_p),
        ("from", c_uint64),
        ("to", c_uint64),
        ("get", c_char_p),
        ("count", c_uint64),
    ]


class jot_shown(Structure):
    _fields_ = [
        ("text", jot_text),
        ("prefix", c_size_t),
        ("tokens", c_uint64),
        ("budget", c_uint64),
        ("results", c_uint64),
        ("damaged", c_uint64),
        ("left", POINTER(POINTER(jot_left))),
        ("left_count", c_size_t),
    ]


class jot_context_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("budget", c_uint64),
        ("run", c_char_p),
        ("agent", c_char_p),
        ("rules", jot_text),
        ("limit", c_uint64),
        ("tools", c_bool),
        ("query", c_char_p),
    ]


class jot_task(Structure):
    _fields_ = [
        ("id", c_char_p),
        ("description", jot_text),
        ("expected_output", jot_text),
        ("agent", c_char_p),
        ("tools", POINTER(c_char_p)),
        ("tools_count", c_size_t),
        ("dependencies", POINTER(c_char_p)),
        ("dependencies_count", c_size_t),
        ("priority", c_int64),
        ("max_retries", c_int64),
        ("retry_count", c_int64),
        ("status", c_int),
        ("reason", jot_text),
        ("result", jot_text),
        ("blocked_until_manual", c_bool),
        ("seq", c_uint64),
        ("at_ms", c_int64),
        ("by", c_char_p),
        ("waits", POINTER(c_char_p)),
        ("waits_count", c_size_t),
        ("holder", c_char_p),
        ("cancelled", c_bool),
    ]


class jot_task_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("description", jot_text),
        ("expected_output", jot_text),
        ("agent", c_char_p),
        ("tools", POINTER(c_char_p)),
        ("tools_count", c_size_t),
        ("dependencies", POINTER(c_char_p)),
        ("dependencies_count", c_size_t),
        ("priority", c_int64),
        ("max_retries", c_int64),
        ("later", c_bool),
    ]


class jot_task_move_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("reason", jot_text),
        ("result", jot_text),
        ("if_seq", c_uint64),
        ("manual", c_bool),
    ]


class jot_task_edit_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("description", POINTER(jot_text)),
        ("expected_output", POINTER(jot_text)),
        ("agent", c_char_p),
        ("priority", POINTER(c_int64)),
        ("max_retries", POINTER(c_int64)),
        ("tools", POINTER(c_char_p)),
        ("tools_count", c_size_t),
        ("dependencies", POINTER(c_char_p)),
        ("dependencies_count", c_size_t),
        ("later", c_bool),
        ("if_seq", c_uint64),
    ]


class jot_task_event(Structure):
    _fields_ = [
        ("seq", c_uint64),
        ("at_ms", c_int64),
        ("by", c_char_p),
        ("type", c_char_p),
        ("from", c_char_p),
        ("to", c_char_p),
        ("reason", jot_text),
        ("result", jot_text),
        ("manual", c_bool),
    ]


class jot_task_events(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_task_event))),
        ("count", c_size_t),
        ("more", c_bool),
        ("next", c_uint64),
        ("damaged", c_uint64),
    ]


class jot_tasks(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_task))),
        ("count", c_size_t),
        ("more", c_bool),
        ("problems", POINTER(POINTER(jot_problem))),
        ("problems_count", c_size_t),
        ("problems_total", c_size_t),
    ]


class jot_task_query(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("status", c_int),
        ("after", c_char_p),
        ("limit", c_size_t),
        ("mine", c_bool),
    ]


class jot_plan_step_state(Structure):
    _fields_ = [
        ("description", c_char_p),
        ("status", c_int),
        ("evidence", c_char_p),
        ("notes", c_char_p),
    ]


class jot_plan_postcondition(Structure):
    _fields_ = [
        ("description", c_char_p),
        ("satisfied", c_bool),
        ("evidence", c_char_p),
    ]


class jot_plan(Structure):
    _fields_ = [
        ("id", c_char_p),
        ("objective", c_char_p),
        ("steps", POINTER(POINTER(jot_plan_step_state))),
        ("steps_count", c_size_t),
        ("postconditions", POINTER(POINTER(jot_plan_postcondition))),
        ("postconditions_count", c_size_t),
        ("ready", c_bool),
        ("text", jot_text),
        ("seq", c_uint64),
        ("at_ms", c_int64),
        ("by", c_char_p),
    ]


class jot_plan_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("objective", c_char_p),
        ("steps", POINTER(c_char_p)),
        ("steps_count", c_size_t),
        ("postconditions", POINTER(c_char_p)),
        ("postconditions_count", c_size_t),
    ]


class jot_plan_step_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("status", c_int),
        ("evidence", c_char_p),
        ("notes", c_char_p),
    ]


class jot_plans(Structure):
    _fields_ = [
        ("ids", POINTER(c_char_p)),
        ("count", c_size_t),
    ]


class jot_lease(Structure):
    _fields_ = [
        ("on", c_char_p),
        ("prefix", c_bool),
        ("live", c_bool),
        ("token", c_uint64),
        ("by", c_char_p),
        ("ttl_ms", c_int64),
        ("left_ms", c_int64),
    ]


class jot_leases(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_lease))),
        ("count", c_size_t),
    ]


class jot_lease_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("ttl_ms", c_int64),
        ("wait_ms", c_int64),
        ("prefix", c_bool),
        ("live", c_bool),
    ]


class jot_hit(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("seq", c_uint64),
        ("at_ms", c_int64),
        ("by", c_char_p),
        ("version", c_char_p),
        ("bytes", c_uint64),
        ("tokens", c_uint64),
        ("snippet", c_char_p),
        ("score", c_double),
    ]


class jot_hits(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_hit))),
        ("count", c_size_t),
        ("more", c_bool),
    ]


class jot_search_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_char_p),
        ("prefix", c_char_p),
        ("by", c_char_p),
        ("since_ms", c_int64),
        ("until_ms", c_int64),
        ("limit", c_size_t),
        ("offset", c_size_t),
    ]


class jot_passage(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("seq", c_uint64),
        ("at_ms", c_int64),
        ("by", c_char_p),
        ("version", c_char_p),
        ("from_line", c_size_t),
        ("to_line", c_size_t),
        ("lines", c_size_t),
        ("text", jot_text),
        ("score", c_double),
        ("found", c_bool),
        ("cut", c_bool),
        ("joins", c_bool),
    ]


class jot_evidence(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_passage))),
        ("count", c_size_t),
        ("text", jot_text),
        ("tokens", c_uint64),
        ("budget", c_uint64),
        ("same", c_uint64),
        ("left", c_uint64),
        ("more", c_bool),
    ]


class jot_tool_reply(Structure):
    _fields_ = [
        ("is_error", c_bool),
        ("text", jot_text),
        ("data", c_char_p),
        ("has_value", c_bool),
        ("value", jot_text),
    ]


class jot_answer(Structure):
    _fields_ = [
        ("data", c_char_p),
        ("body", jot_text),
        ("has_body", c_bool),
    ]


class jot_report(Structure):
    _fields_ = [
        ("layout", c_char_p),
        ("streams", c_uint64),
        ("records", c_uint64),
        ("bytes", c_uint64),
        ("files", c_uint64),
        ("added", c_uint64),
        ("unchanged", c_uint64),
        ("skipped", POINTER(POINTER(jot_problem))),
        ("skipped_count", c_size_t),
        ("skipped_total", c_uint64),
        ("missed", c_uint64),
        ("renamed", POINTER(POINTER(jot_problem))),
        ("renamed_count", c_size_t),
        ("renamed_total", c_uint64),
    ]


class jot_fault(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("stream", c_char_p),
        ("what", c_char_p),
        ("advice", c_char_p),
        ("counts", c_bool),
        ("repairable", c_bool),
    ]


class jot_verified(Structure):
    _fields_ = [
        ("streams", c_uint64),
        ("records", c_uint64),
        ("bytes", c_uint64),
        ("faults", c_uint64),
        ("items", POINTER(POINTER(jot_fault))),
        ("count", c_size_t),
        ("total", c_uint64),
        ("heads_at", c_int64),
    ]


class jot_redacted(Structure):
    _fields_ = [
        ("streams", c_uint64),
        ("rewritten", c_uint64),
        ("records", c_uint64),
        ("items", POINTER(POINTER(jot_fault))),
        ("count", c_size_t),
        ("total", c_uint64),
    ]


class jot_gc_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("prefix", c_char_p),
        ("keep", c_uint64),
        ("before_ms", c_int64),
        ("bytes", c_uint64),
        ("dry_run", c_bool),
    ]


class jot_gc_count(Structure):
    _fields_ = [
        ("streams", c_uint64),
        ("records", c_uint64),
        ("bytes", c_uint64),
    ]


class jot_kind_stats(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("streams", c_uint64),
        ("deleted", c_uint64),
        ("records", c_uint64),
        ("bytes", c_uint64),
        ("damaged", c_uint64),
        ("oldest_ms", c_int64),
        ("newest_ms", c_int64),
    ]


class jot_stats_list(Structure):
    _fields_ = [
        ("items", POINTER(POINTER(jot_kind_stats))),
        ("count", c_size_t),
    ]


def declare(library: CDLL) -> None:
    """Say what every function takes and returns."""
    library.jot_version.restype = c_char_p
    library.jot_version.argtypes = []
    library.jot_status_name.restype = c_char_p
    library.jot_status_name.argtypes = [c_int]
    library.jot_str.restype = jot_text
    library.jot_str.argtypes = [c_char_p]
    library.jot_tokens.restype = c_size_t
    library.jot_tokens.argtypes = [jot_text]
    library.jot_prompt.restype = c_char_p
    library.jot_prompt.argtypes = [c_bool]
    library.jot_new.restype = c_void_p
    library.jot_new.argtypes = []
    library.jot_free.restype = None
    library.jot_free.argtypes = [c_void_p]
    library.jot_error.restype = c_char_p
    library.jot_error.argtypes = [c_void_p]
    library.jot_open.restype = c_int
    library.jot_open.argtypes = [c_void_p, c_char_p, POINTER(jot_open_options)]
    library.jot_where.restype = c_int
    library.jot_where.argtypes = [c_void_p, POINTER(POINTER(jot_info))]
    library.jot_changes.restype = c_int
    library.jot_changes.argtypes = [c_void_p, c_char_p, c_int64, POINTER(POINTER(jot_changed))]
    library.jot_doc_write.restype = c_int
    library.jot_doc_write.argtypes = [c_void_p, c_char_p, jot_text, POINTER(jot_write_options), POINTER(POINTER(jot_doc))]
    library.jot_doc_append.restype = c_int
    library.jot_doc_append.argtypes = [c_void_p, c_char_p, jot_text, POINTER(jot_append_options), POINTER(POINTER(jot_doc))]
    library.jot_doc_edit.restype = c_int
    library.jot_doc_edit.argtypes = [c_void_p, c_char_p, jot_text, jot_text, c_char_p, POINTER(POINTER(jot_doc))]
    library.jot_doc_read.restype = c_int
    library.jot_doc_read.argtypes = [c_void_p, c_char_p, POINTER(jot_read_options), POINTER(POINTER(jot_doc))]
    library.jot_doc_list.restype = c_int
    library.jot_doc_list.argtypes = [c_void_p, c_char_p, POINTER(jot_list_options), POINTER(POINTER(jot_docs))]
    library.jot_doc_delete.restype = c_int
    library.jot_doc_delete.argtypes = [c_void_p, c_char_p, c_char_p, POINTER(POINTER(jot_doc))]
    library.jot_doc_move.restype = c_int
    library.jot_doc_move.argtypes = [c_void_p, c_char_p, c_char_p, POINTER(POINTER(jot_doc))]
    library.jot_watch.restype = c_int
    library.jot_watch.argtypes = [c_void_p, c_char_p, c_int64, POINTER(POINTER(jot_docs))]
    library.jot_doc_history.restype = c_int
    library.jot_doc_history.argtypes = [c_void_p, c_char_p, c_uint64, c_size_t, POINTER(POINTER(jot_docs))]
    library.jot_doc_versions.restype = c_int
    library.jot_doc_versions.argtypes = [c_void_p, c_char_p, c_uint64, c_size_t, POINTER(POINTER(jot_docs))]
    library.jot_doc_diff.restype = c_int
    library.jot_doc_diff.argtypes = [c_void_p, c_char_p, c_char_p, c_char_p, POINTER(POINTER(jot_diff))]
    library.jot_doc_blame_json.restype = c_int
    library.jot_doc_blame_json.argtypes = [c_void_p, c_char_p, POINTER(c_char_p)]
    library.jot_doc_merge.restype = c_int
    library.jot_doc_merge.argtypes = [c_void_p, c_char_p, c_char_p, jot_text, POINTER(POINTER(jot_merge))]
    library.jot_doc_undo.restype = c_int
    library.jot_doc_undo.argtypes = [c_void_p, c_char_p, c_char_p, POINTER(POINTER(jot_doc))]
    library.jot_doc_redo.restype = c_int
    library.jot_doc_redo.argtypes = [c_void_p, c_char_p, c_char_p, POINTER(POINTER(jot_doc))]
    library.jot_doc_restore.restype = c_int
    library.jot_doc_restore.argtypes = [c_void_p, c_char_p, c_char_p, c_char_p, POINTER(POINTER(jot_doc))]
    library.jot_doc_purge.restype = c_int
    library.jot_doc_purge.argtypes = [c_void_p, c_char_p]
    library.jot_doc_redact.restype = c_int
    library.jot_doc_redact.argtypes = [c_void_p, c_char_p, c_char_p, POINTER(c_uint64)]
    library.jot_doc_redact_text.restype = c_int
    library.jot_doc_redact_text.argtypes = [c_void_p, c_char_p, jot_text, POINTER(c_uint64)]
    library.jot_artifact_write.restype = c_int
    library.jot_artifact_write.argtypes = [c_void_p, c_char_p, c_char_p, jot_text, POINTER(jot_artifact_options), POINTER(POINTER(jot_artifact))]
    library.jot_artifact_read.restype = c_int
    library.jot_artifact_read.argtypes = [c_void_p, c_char_p, c_char_p, c_char_p, POINTER(POINTER(jot_artifact))]
    library.jot_artifact_delete.restype = c_int
    library.jot_artifact_delete.argtypes = [c_void_p, c_char_p, c_char_p, c_char_p]
    library.jot_artifact_list.restype = c_int
    library.jot_artifact_list.argtypes = [c_void_p, POINTER(jot_artifact_query), POINTER(POINTER(jot_artifacts))]
    library.jot_artifact_index_write.restype = c_int
    library.jot_artifact_index_write.argtypes = [c_void_p, c_char_p, c_char_p, jot_text, c_char_p, POINTER(POINTER(jot_artifact))]
    library.jot_artifact_index_read.restype = c_int
    library.jot_artifact_index_read.argtypes = [c_void_p, c_char_p, c_char_p, POINTER(POINTER(jot_artifact))]
    library.jot_artifact_index_delete.restype = c_int
    library.jot_artifact_index_delete.argtypes = [c_void_p, c_char_p, c_char_p]
    library.jot_sink_write.restype = c_int
    library.jot_sink_write.argtypes = [c_void_p, c_char_p, c_char_p, jot_text, POINTER(jot_sink_options), POINTER(POINTER(jot_kept))]
    library.jot_sink_view.restype = c_int
    library.jot_sink_view.argtypes = [c_void_p, c_char_p, c_size_t, POINTER(POINTER(jot_kept))]
    library.jot_sink_read.restype = c_int
    library.jot_sink_read.argtypes = [c_void_p, c_char_p, c_int, c_uint64, c_uint64, POINTER(POINTER(jot_slice))]
    library.jot_line_log_append.restype = c_int
    library.jot_line_log_append.argtypes = [c_void_p, c_char_p, c_char_p, jot_text, c_char_p, POINTER(POINTER(jot_line))]
    library.jot_line_log_read.restype = c_int
    library.jot_line_log_read.argtypes = [c_void_p, c_char_p, c_char_p, c_uint64, c_size_t, POINTER(POINTER(jot_lines))]
    library.jot_line_log_tail.restype = c_int
    library.jot_line_log_tail.argtypes = [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(POINTER(jot_lines))]
    library.jot_line_log_follow.restype = c_int
    library.jot_line_log_follow.argtypes = [c_void_p, c_char_p, c_char_p, POINTER(jot_line_log_cursor), c_int64, POINTER(POINTER(jot_lines))]
    library.jot_checkpoint_write.restype = c_int
    library.jot_checkpoint_write.argtypes = [c_void_p, c_char_p, jot_text, c_char_p, POINTER(POINTER(jot_checkpoint))]
    library.jot_checkpoint_read.restype = c_int
    library.jot_checkpoint_read.argtypes = [c_void_p, c_char_p, c_uint64, POINTER(POINTER(jot_checkpoint))]
    library.jot_checkpoint_undo.restype = c_int
    library.jot_checkpoint_undo.argtypes = [c_void_p, c_char_p, c_uint64, POINTER(POINTER(jot_checkpoint))]
    library.jot_checkpoint_list.restype = c_int
    library.jot_checkpoint_list.argtypes = [c_void_p, c_char_p, c_size_t, POINTER(POINTER(jot_checkpoints))]
    library.jot_checkpoint_trim.restype = c_int
    library.jot_checkpoint_trim.argtypes = [c_void_p, c_char_p, c_uint64, c_int64, POINTER(c_uint64)]
    library.jot_run_begin.restype = c_int
    library.jot_run_begin.argtypes = [c_void_p, jot_text, POINTER(jot_run_options), POINTER(c_char_p)]
    library.jot_run_say.restype = c_int
    library.jot_run_say.argtypes = [c_void_p, c_char_p, c_int, jot_text]
    library.jot_run_call.restype = c_int
    library.jot_run_call.argtypes = [c_void_p, c_char_p, c_char_p, c_char_p, POINTER(jot_call_options), POINTER(POINTER(jot_warnings))]
    library.jot_run_result.restype = c_int
    library.jot_run_result.argtypes = [c_void_p, c_char_p, c_char_p, c_bool, jot_text, POINTER(c_uint64)]
    library.jot_run_finish.restype = c_int
    library.jot_run_finish.argtypes = [c_void_p, c_char_p, c_char_p, jot_text, POINTER(jot_finish_options), POINTER(POINTER(jot_finished))]
    library.jot_run_clear.restype = c_int
    library.jot_run_clear.argtypes = [c_void_p, c_char_p, c_uint64, POINTER(c_uint64)]
    library.jot_run_compact.restype = c_int
    library.jot_run_compact.argtypes = [c_void_p, c_char_p, jot_text]
    library.jot_run_purge.restype = c_int
    library.jot_run_purge.argtypes = [c_void_p, c_char_p]
    library.jot_run_redact.restype = c_int
    library.jot_run_redact.argtypes = [c_void_p, c_char_p, c_uint64, jot_text, POINTER(c_uint64)]
    library.jot_run_read.restype = c_int
    library.jot_run_read.argtypes = [c_void_p, c_char_p, POINTER(POINTER(jot_run))]
    library.jot_run_history.restype = c_int
    library.jot_run_history.argtypes = [c_void_p, c_char_p, c_uint64, c_size_t, POINTER(POINTER(jot_steps))]
    library.jot_run_list.restype = c_int
    library.jot_run_list.argtypes = [c_void_p, c_size_t, POINTER(POINTER(jot_runs))]
    library.jot_run_results.restype = c_int
    library.jot_run_results.argtypes = [c_void_p, c_char_p, c_uint64, c_uint64, POINTER(POINTER(jot_text))]
    library.jot_run_final.restype = c_int
    library.jot_run_final.argtypes = [c_void_p, c_char_p, POINTER(POINTER(jot_text))]
    library.jot_run_usage.restype = c_int
    library.jot_run_usage.argtypes = [c_void_p, c_char_p, c_uint64, POINTER(POINTER(jot_text))]
    library.jot_run_unfinished.restype = c_int
    library.jot_run_unfinished.argtypes = [c_void_p, c_char_p, POINTER(POINTER(jot_open_calls))]
    library.jot_cycle_init.restype = c_int
    library.jot_cycle_init.argtypes = [c_void_p, c_char_p, POINTER(jot_cycle_options), POINTER(POINTER(jot_text))]
    library.jot_cycle_wake.restype = c_int
    library.jot_cycle_wake.argtypes = [c_void_p, c_char_p, POINTER(jot_wake_options), POINTER(POINTER(jot_cycle))]
    library.jot_cycle_step.restype = c_int
    library.jot_cycle_step.argtypes = [c_void_p, c_char_p, c_char_p, c_int, jot_text, POINTER(POINTER(jot_cycle_stepped))]
    library.jot_cycle_sleep.restype = c_int
    library.jot_cycle_sleep.argtypes = [c_void_p, c_char_p, c_char_p, POINTER(POINTER(jot_cycle))]
    library.jot_cycle_fail.restype = c_int
    library.jot_cycle_fail.argtypes = [c_void_p, c_char_p, c_char_p, jot_text, jot_text, POINTER(POINTER(jot_cycle))]
    library.jot_cycle_read.restype = c_int
    library.jot_cycle_read.argtypes = [c_void_p, c_char_p, c_char_p, POINTER(POINTER(jot_cycle))]
    library.jot_cycle_steps.restype = c_int
    library.jot_cycle_steps.argtypes = [c_void_p, c_char_p, c_char_p, c_uint64, c_size_t, POINTER(POINTER(jot_cycle_records))]
    library.jot_cycle_log.restype = c_int
    library.jot_cycle_log.argtypes = [c_void_p, c_char_p, c_char_p, POINTER(POINTER(jot_text))]
    library.jot_cycle_explain_json.restype = c_int
    library.jot_cycle_explain_json.argtypes = [c_void_p, c_char_p, c_char_p, POINTER(c_char_p)]
    library.jot_cycle_list.restype = c_int
    library.jot_cycle_list.argtypes = [c_void_p, c_char_p, POINTER(POINTER(jot_cycles))]
    library.jot_cycle_reset.restype = c_int
    library.jot_cycle_reset.argtypes = [c_void_p, c_char_p, jot_text, c_bool, POINTER(c_uint64)]
    library.jot_context.restype = c_int
    library.jot_context.argtypes = [c_void_p, POINTER(jot_context_options), POINTER(POINTER(jot_shown))]
    library.jot_task_add.restype = c_int
    library.jot_task_add.argtypes = [c_void_p, c_char_p, POINTER(jot_task_options), POINTER(POINTER(jot_task))]
    library.jot_task_read.restype = c_int
    library.jot_task_read.argtypes = [c_void_p, c_char_p, POINTER(POINTER(jot_task))]
    library.jot_task_move.restype = c_int
    library.jot_task_move.argtypes = [c_void_p, c_char_p, c_int, POINTER(jot_task_move_options), POINTER(POINTER(jot_task))]
    library.jot_task_start.restype = c_int
    library.jot_task_start.argtypes = [c_void_p, c_char_p, c_bool, POINTER(POINTER(jot_task))]
    library.jot_task_next.restype = c_int
    library.jot_task_next.argtypes = [c_void_p, POINTER(POINTER(jot_task))]
    library.jot_task_edit.restype = c_int
    library.jot_task_edit.argtypes = [c_void_p, c_char_p, POINTER(jot_task_edit_options), POINTER(POINTER(jot_task))]
    library.jot_task_cancel.restype = c_int
    library.jot_task_cancel.argtypes = [c_void_p, c_char_p, POINTER(jot_task_move_options), POINTER(POINTER(jot_task))]
    library.jot_task_history.restype = c_int
    library.jot_task_history.argtypes = [c_void_p, c_char_p, c_uint64, c_size_t, POINTER(POINTER(jot_task_events))]
    library.jot_task_list.restype = c_int
    library.jot_task_list.argtypes = [c_void_p, POINTER(jot_task_query), POINTER(POINTER(jot_tasks))]
    library.jot_task_ready.restype = c_int
    library.jot_task_ready.argtypes = [c_void_p, POINTER(POINTER(jot_tasks)), POINTER(POINTER(jot_tasks))]
    library.jot_plan_create.restype = c_int
    library.jot_plan_create.argtypes = [c_void_p, c_char_p, POINTER(jot_plan_options), POINTER(POINTER(jot_plan))]
    library.jot_plan_read.restype = c_int
    library.jot_plan_read.argtypes = [c_void_p, c_char_p, POINTER(POINTER(jot_plan))]
    library.jot_plan_step.restype = c_int
    library.jot_plan_step.argtypes = [c_void_p, c_char_p, c_size_t, POINTER(jot_plan_step_options), POINTER(POINTER(jot_plan))]
    library.jot_plan_verify.restype = c_int
    library.jot_plan_verify.argtypes = [c_void_p, c_char_p, c_size_t, c_char_p, POINTER(POINTER(jot_plan))]
    library.jot_plan_list.restype = c_int
    library.jot_plan_list.argtypes = [c_void_p, POINTER(POINTER(jot_plans))]
    library.jot_lease_acquire.restype = c_int
    library.jot_lease_acquire.argtypes = [c_void_p, c_char_p, POINTER(jot_lease_options), POINTER(POINTER(jot_lease))]
    library.jot_lease_renew.restype = c_int
    library.jot_lease_renew.argtypes = [c_void_p, c_uint64, c_int64, POINTER(POINTER(jot_lease))]
    library.jot_lease_release.restype = c_int
    library.jot_lease_release.argtypes = [c_void_p, c_uint64]
    library.jot_lease_adopt.restype = c_int
    library.jot_lease_adopt.argtypes = [c_void_p, c_uint64]
    library.jot_lease_check.restype = c_int
    library.jot_lease_check.argtypes = [c_void_p, c_uint64, POINTER(POINTER(jot_lease))]
    library.jot_lease_find.restype = c_int
    library.jot_lease_find.argtypes = [c_void_p, c_char_p, c_bool, POINTER(POINTER(jot_lease))]
    library.jot_lease_list.restype = c_int
    library.jot_lease_list.argtypes = [c_void_p, POINTER(POINTER(jot_leases))]
    library.jot_search.restype = c_int
    library.jot_search.argtypes = [c_void_p, c_char_p, POINTER(jot_search_options), POINTER(POINTER(jot_hits))]
    library.jot_search_json.restype = c_int
    library.jot_search_json.argtypes = [c_void_p, c_char_p, POINTER(jot_search_options), POINTER(c_char_p)]
    library.jot_search_evidence.restype = c_int
    library.jot_search_evidence.argtypes = [c_void_p, c_char_p, c_uint64, POINTER(jot_search_options), POINTER(POINTER(jot_evidence))]
    library.jot_search_rebuild.restype = c_int
    library.jot_search_rebuild.argtypes = [c_void_p]
    library.jot_tools.restype = c_int
    library.jot_tools.argtypes = [c_void_p, c_char_p, POINTER(c_char_p)]
    library.jot_tool_call.restype = c_int
    library.jot_tool_call.argtypes = [c_void_p, c_char_p, c_char_p, POINTER(POINTER(jot_tool_reply))]
    library.jot_verbs.restype = c_int
    library.jot_verbs.argtypes = [c_void_p, POINTER(c_char_p)]
    library.jot_verb.restype = c_int
    library.jot_verb.argtypes = [c_void_p, c_char_p, c_char_p, c_char_p, POINTER(POINTER(jot_answer))]
    library.jot_copy.restype = c_int
    library.jot_copy.argtypes = [c_void_p, c_char_p, POINTER(POINTER(jot_report))]
    library.jot_import.restype = c_int
    library.jot_import.argtypes = [c_void_p, c_char_p, c_char_p, c_bool, POINTER(POINTER(jot_report))]
    library.jot_export.restype = c_int
    library.jot_export.argtypes = [c_void_p, c_char_p, c_char_p, POINTER(POINTER(jot_report))]
    library.jot_verify.restype = c_int
    library.jot_verify.argtypes = [c_void_p, POINTER(POINTER(jot_verified))]
    library.jot_doctor.restype = c_int
    library.jot_doctor.argtypes = [c_void_p, c_bool, POINTER(POINTER(jot_verified))]
    library.jot_redact_all.restype = c_int
    library.jot_redact_all.argtypes = [c_void_p, jot_text, POINTER(POINTER(jot_redacted))]
    library.jot_gc.restype = c_int
    library.jot_gc.argtypes = [c_void_p, POINTER(jot_gc_options), POINTER(POINTER(jot_gc_count))]
    library.jot_stats.restype = c_int
    library.jot_stats.argtypes = [c_void_p, POINTER(POINTER(jot_stats_list))]
