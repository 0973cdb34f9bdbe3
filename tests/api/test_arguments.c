/* test_arguments.c - whatever a caller passes, every function of jotter.h answers.
 *
 * Each row is a call that is wrong in one way.  It must answer JOT_INVALID with a
 * sentence, change nothing and leave the pad in working order; the same call on
 * no pad at all, and on one that is not open, is JOT_INVALID too.  (every.sh sees
 * to it that no function is left out.) */
#include "api/caller.h"

/* Texts and options that are wrong. */
static const jot_text good = { "x", 1 }, bad = { NULL, 5 };
static const char *const null_name[] = { NULL };
static char long_name[1000];
static jot_open_options no_open;
static jot_write_options no_write, both, lone_merge;
static jot_append_options no_append;
static jot_read_options no_read, odd_size, huge_size;
static jot_list_options no_list, long_list;
static jot_artifact_options no_artifact, both_artifact;
static jot_artifact_query no_query, long_query;
static jot_sink_options no_sink;
static jot_task_options no_task, null_tools, null_dependency;
static jot_task_move_options no_move, bad_reason;
static jot_task_query no_tasks, odd_status;
static jot_lease_options no_lease, negative_wait, negative_ttl;
static jot_search_options no_search, long_search;
static jot_run_options no_run, odd_run;
static jot_call_options no_call, odd_call;
static jot_finish_options no_finish, odd_finish;
static jot_context_options no_context, small_budget, bad_rules;
static jot_cycle_options no_cycle, null_goals;
static jot_wake_options no_wake, odd_wake;
static jot_gc_options no_gc, no_rule, small_keep;
static jot_line_log_cursor no_place;

static void make_options(void)
{
    both.size = sizeof both;
    both.if_version = "0123456789ab";
    both.if_absent = true;
    lone_merge.size = sizeof lone_merge;
    lone_merge.merge = true;
    odd_size.size = sizeof odd_size - 1;
    huge_size.size = (size_t)-1;
    long_list.size = sizeof long_list;
    long_list.limit = 1001;
    both_artifact.size = sizeof both_artifact;
    both_artifact.if_version = "0123456789ab";
    both_artifact.if_absent = true;
    long_query.size = sizeof long_query;
    long_query.limit = 1001;
    null_tools.size = sizeof null_tools;
    null_tools.tools_count = 1;
    null_dependency.size = sizeof null_dependency;
    null_dependency.dependencies = null_name;
    null_dependency.dependencies_count = 1;
    bad_reason.size = sizeof bad_reason;
    bad_reason.reason = bad;
    odd_status.size = sizeof odd_status;
    odd_status.status = (jot_task_status)7;
    odd_run.size = sizeof odd_run;
    odd_run.similarity = 101;
    odd_call.size = sizeof odd_call;
    odd_call.similarity = 101;
    odd_finish.size = sizeof odd_finish;
    odd_finish.similarity = 101;
    negative_wait.size = sizeof negative_wait;
    negative_wait.wait_ms = -1;
    negative_ttl.size = sizeof negative_ttl;
    negative_ttl.ttl_ms = -1;
    long_search.size = sizeof long_search;
    long_search.limit = 101;
    small_budget.size = sizeof small_budget;
    small_budget.budget = 1;
    bad_rules.size = sizeof bad_rules;
    bad_rules.rules = bad;
    null_goals.size = sizeof null_goals;
    null_goals.goals_count = 1;
    odd_wake.size = sizeof odd_wake;
    odd_wake.iterations_max = -1;
    no_rule.size = sizeof no_rule;
    small_keep.size = sizeof small_keep;
    small_keep.keep = 1;
    memset(no_place.cursor, 'x', sizeof no_place.cursor);
}

/* Options with a size of 0 are `no_...`: somebody forgot to set it. */
#define WRONG(X)                                                                          \
    X(open_size, jot_open(p, "mem:", &no_open))                                           \
    X(changes_wait, jot_changes(p, NULL, -1, NULL))                                       \
    X(changes_cursor, jot_changes(p, long_name, 0, NULL))                                 \
    X(write_name, jot_doc_write(p, NULL, good, NULL, NULL))                               \
    X(write_key, jot_doc_write(p, "a*b", good, NULL, NULL))                               \
    X(write_empty, jot_doc_write(p, "", good, NULL, NULL))                                \
    X(write_long, jot_doc_write(p, long_name, good, NULL, NULL))                          \
    X(write_up, jot_doc_write(p, "memories/../x", good, NULL, NULL))                      \
    X(write_bytes, jot_doc_write(p, "memories/\xff", good, NULL, NULL))                   \
    X(write_text, jot_doc_write(p, "k", bad, NULL, NULL))                                 \
    X(write_size, jot_doc_write(p, "k", good, &no_write, NULL))                           \
    X(write_both, jot_doc_write(p, "k", good, &both, NULL))                               \
    X(write_merge, jot_doc_write(p, "k", good, &lone_merge, NULL))                        \
    X(append_name, jot_doc_append(p, NULL, good, NULL, NULL))                             \
    X(append_text, jot_doc_append(p, "k", bad, NULL, NULL))                               \
    X(append_size, jot_doc_append(p, "k", good, &no_append, NULL))                        \
    X(edit_name, jot_doc_edit(p, NULL, good, good, NULL, NULL))                           \
    X(edit_old, jot_doc_edit(p, "k", bad, good, NULL, NULL))                              \
    X(edit_new, jot_doc_edit(p, "k", good, bad, NULL, NULL))                              \
    X(edit_version, jot_doc_edit(p, "k", good, jot_str("y"), "nonsense", NULL))           \
    X(read_name, jot_doc_read(p, NULL, NULL, NULL))                                       \
    X(read_size, jot_doc_read(p, "k", &no_read, NULL))                                    \
    X(read_odd, jot_doc_read(p, "k", &odd_size, NULL))                                    \
    X(read_huge, jot_doc_read(p, "k", &huge_size, NULL))                                  \
    X(list_prefix, jot_doc_list(p, "a*b", NULL, NULL))                                    \
    X(list_size, jot_doc_list(p, NULL, &no_list, NULL))                                   \
    X(list_limit, jot_doc_list(p, NULL, &long_list, NULL))                                \
    X(delete_name, jot_doc_delete(p, NULL, NULL, NULL))                                   \
    X(delete_version, jot_doc_delete(p, "k", "", NULL))                                   \
    X(move_from, jot_doc_move(p, NULL, "k", NULL))                                        \
    X(move_to, jot_doc_move(p, "k", NULL, NULL))                                          \
    X(history_name, jot_doc_history(p, NULL, 0, 0, NULL))                                 \
    X(history_limit, jot_doc_history(p, "k", 0, 1001, NULL))                              \
    X(versions_name, jot_doc_versions(p, NULL, 0, 0, NULL))                               \
    X(versions_limit, jot_doc_versions(p, "k", 0, 1001, NULL))                            \
    X(diff_name, jot_doc_diff(p, NULL, NULL, NULL, NULL))                                 \
    X(diff_version, jot_doc_diff(p, "k", "nonsense", NULL, NULL))                         \
    X(blame_name, jot_doc_blame_json(p, NULL, NULL))                                      \
    X(merge_name, jot_doc_merge(p, NULL, "0123456789ab", good, NULL))                     \
    X(merge_base, jot_doc_merge(p, "k", NULL, good, NULL))                                \
    X(merge_version, jot_doc_merge(p, "k", "x", good, NULL))                              \
    X(merge_text, jot_doc_merge(p, "k", "0123456789ab", bad, NULL))                       \
    X(undo_name, jot_doc_undo(p, NULL, NULL, NULL))                                       \
    X(redo_name, jot_doc_redo(p, NULL, NULL, NULL))                                       \
    X(redo_version, jot_doc_redo(p, "k", "x", NULL))                                      \
    X(undo_version, jot_doc_undo(p, "k", "x", NULL))                                      \
    X(restore_name, jot_doc_restore(p, NULL, "1", NULL, NULL))                            \
    X(restore_version, jot_doc_restore(p, "k", NULL, NULL, NULL))                         \
    X(restore_word, jot_doc_restore(p, "k", "x", NULL, NULL))                             \
    X(purge_name, jot_doc_purge(p, NULL))                                                 \
    X(redact_name, jot_doc_redact(p, NULL, "1", NULL))                                    \
    X(redact_version, jot_doc_redact(p, "k", NULL, NULL))                                 \
    X(redact_text_name, jot_doc_redact_text(p, NULL, good, NULL))                         \
    X(redact_text_text, jot_doc_redact_text(p, "k", bad, NULL))                           \
    X(redact_text_empty, jot_doc_redact_text(p, "k", jot_str(""), NULL))                  \
    X(artifact_category, jot_artifact_write(p, NULL, "i", good, NULL, NULL))              \
    X(artifact_id, jot_artifact_write(p, "c", NULL, good, NULL, NULL))                    \
    X(artifact_text, jot_artifact_write(p, "c", "i", bad, NULL, NULL))                    \
    X(artifact_json, jot_artifact_write(p, "c", "i", good, NULL, NULL))                   \
    X(artifact_size, jot_artifact_write(p, "c", "i", jot_str("1"), &no_artifact, NULL))   \
    X(artifact_both, jot_artifact_write(p, "c", "i", jot_str("1"), &both_artifact, NULL)) \
    X(artifact_read_c, jot_artifact_read(p, NULL, "i", NULL, NULL))                       \
    X(artifact_read_i, jot_artifact_read(p, "c", NULL, NULL, NULL))                       \
    X(artifact_read_v, jot_artifact_read(p, "c", "i", "x", NULL))                         \
    X(artifact_delete_c, jot_artifact_delete(p, NULL, "i", NULL))                         \
    X(artifact_delete_i, jot_artifact_delete(p, "c", NULL, NULL))                         \
    X(artifact_list_size, jot_artifact_list(p, &no_query, NULL))                          \
    X(artifact_list_limit, jot_artifact_list(p, &long_query, NULL))                       \
    X(index_category, jot_artifact_index_write(p, NULL, "n", jot_str("1"), NULL, NULL))   \
    X(index_name, jot_artifact_index_write(p, "c", NULL, jot_str("1"), NULL, NULL))       \
    X(index_text, jot_artifact_index_write(p, "c", "n", bad, NULL, NULL))                 \
    X(index_read_c, jot_artifact_index_read(p, NULL, "n", NULL))                          \
    X(index_read_n, jot_artifact_index_read(p, "c", NULL, NULL))                          \
    X(index_delete_c, jot_artifact_index_delete(p, NULL, "n"))                            \
    X(index_delete_n, jot_artifact_index_delete(p, "c", NULL))                            \
    X(sink_call, jot_sink_write(p, NULL, "t", good, NULL, NULL))                          \
    X(sink_tool, jot_sink_write(p, "c", NULL, good, NULL, NULL))                          \
    X(sink_text, jot_sink_write(p, "c", "t", bad, NULL, NULL))                            \
    X(sink_size, jot_sink_write(p, "c", "t", good, &no_sink, NULL))                       \
    X(sink_view_call, jot_sink_view(p, NULL, 0, NULL))                                    \
    X(sink_read_call, jot_sink_read(p, NULL, JOT_WHOLE, 0, 0, NULL))                      \
    X(sink_read_unit, jot_sink_read(p, "c", (jot_unit)3, 0, 0, NULL))                     \
    X(log_category, jot_line_log_append(p, NULL, "n", good, NULL, NULL))                  \
    X(log_name, jot_line_log_append(p, "c", NULL, good, NULL, NULL))                      \
    X(log_text, jot_line_log_append(p, "c", "n", bad, NULL, NULL))                        \
    X(log_read_category, jot_line_log_read(p, NULL, "n", 1, 0, NULL))                     \
    X(log_read_limit, jot_line_log_read(p, "c", "n", 1, 1001, NULL))                      \
    X(log_tail_name, jot_line_log_tail(p, "c", NULL, 0, NULL))                            \
    X(log_tail_limit, jot_line_log_tail(p, "c", "n", 1001, NULL))                         \
    X(log_follow_name, jot_line_log_follow(p, "c", NULL, &no_place, 0, NULL))             \
    X(log_follow_place, jot_line_log_follow(p, "c", "n", NULL, 0, NULL))                  \
    X(log_follow_garbage, jot_line_log_follow(p, "c", "n", &no_place, 0, NULL))           \
    X(checkpoint_run, jot_checkpoint_write(p, NULL, good, NULL, NULL))                    \
    X(checkpoint_text, jot_checkpoint_write(p, "r", bad, NULL, NULL))                     \
    X(checkpoint_read_run, jot_checkpoint_read(p, NULL, 0, NULL))                         \
    X(checkpoint_undo_run, jot_checkpoint_undo(p, NULL, 0, NULL))                         \
    X(checkpoint_list_run, jot_checkpoint_list(p, NULL, 0, NULL))                         \
    X(checkpoint_list_limit, jot_checkpoint_list(p, "r", 1001, NULL))                     \
    X(checkpoint_trim_run, jot_checkpoint_trim(p, NULL, 1, 0, NULL))                      \
    X(checkpoint_trim_age, jot_checkpoint_trim(p, "r", 1, -1, NULL))                      \
    X(run_query, jot_run_begin(p, bad, NULL, NULL))                                       \
    X(run_size, jot_run_begin(p, good, &no_run, NULL))                                    \
    X(run_similarity, jot_run_begin(p, good, &odd_run, NULL))                             \
    X(run_say_run, jot_run_say(p, NULL, JOT_STEP_PLAN, good))                             \
    X(run_say_kind, jot_run_say(p, "r", JOT_STEP_CALL, good))                             \
    X(run_say_text, jot_run_say(p, "r", JOT_STEP_PLAN, bad))                              \
    X(run_call_run, jot_run_call(p, NULL, "c", "t", NULL, NULL))                          \
    X(run_call_call, jot_run_call(p, "r", NULL, "t", NULL, NULL))                         \
    X(run_call_tool, jot_run_call(p, "r", "c", NULL, NULL, NULL))                         \
    X(run_call_size, jot_run_call(p, "r", "c", "t", &no_call, NULL))                      \
    X(run_call_empty, jot_run_call(p, "r", "", "t", NULL, NULL))                          \
    X(run_call_similarity, jot_run_call(p, "r", "c", "t", &odd_call, NULL))               \
    X(run_finish_run, jot_run_finish(p, NULL, "t", good, NULL, NULL))                     \
    X(run_finish_tool, jot_run_finish(p, "r", NULL, good, NULL, NULL))                    \
    X(run_finish_text, jot_run_finish(p, "r", "t", bad, NULL, NULL))                      \
    X(run_finish_size, jot_run_finish(p, "r", "t", good, &no_finish, NULL))               \
    X(run_finish_similarity, jot_run_finish(p, "r", "t", good, &odd_finish, NULL))        \
    X(run_result_run, jot_run_result(p, NULL, "c", true, good, NULL))                     \
    X(run_result_call, jot_run_result(p, "r", NULL, true, good, NULL))                    \
    X(run_result_text, jot_run_result(p, "r", "c", true, bad, NULL))                      \
    X(run_clear_run, jot_run_clear(p, NULL, 1, NULL))                                     \
    X(run_compact_run, jot_run_compact(p, NULL, good))                                    \
    X(run_compact_text, jot_run_compact(p, "r", bad))                                     \
    X(run_purge_run, jot_run_purge(p, NULL))                                              \
    X(run_redact_run, jot_run_redact(p, NULL, 1, jot_str(""), NULL))                      \
    X(run_redact_text, jot_run_redact(p, "r", 0, bad, NULL))                              \
    X(run_redact_empty, jot_run_redact(p, "r", 0, jot_str(""), NULL))                     \
    X(run_redact_both, jot_run_redact(p, "r", 1, good, NULL))                             \
    X(redact_all_text, jot_redact_all(p, bad, NULL))                                      \
    X(redact_all_short, jot_redact_all(p, jot_str("abc"), NULL))                          \
    X(run_read_run, jot_run_read(p, NULL, NULL))                                          \
    X(run_history_run, jot_run_history(p, NULL, 1, 0, NULL))                              \
    X(run_history_limit, jot_run_history(p, "r", 1, 1001, NULL))                          \
    X(run_list_limit, jot_run_list(p, 1001, NULL))                                        \
    X(run_results_run, jot_run_results(p, NULL, 0, 0, NULL))                              \
    X(run_final_run, jot_run_final(p, NULL, NULL))                                        \
    X(run_usage_run, jot_run_usage(p, NULL, 0, NULL))                                     \
    X(run_unfinished_run, jot_run_unfinished(p, NULL, NULL))                              \
    X(context_size, jot_context(p, &no_context, NULL))                                    \
    X(context_budget, jot_context(p, &small_budget, NULL))                                \
    X(context_rules, jot_context(p, &bad_rules, NULL))                                    \
    X(watch_wait, jot_watch(p, NULL, -1, NULL))                                           \
    X(cycle_init_size, jot_cycle_init(p, NULL, &no_cycle, NULL))                          \
    X(cycle_init_goals, jot_cycle_init(p, NULL, &null_goals, NULL))                       \
    X(cycle_init_agent, jot_cycle_init(p, "a b", NULL, NULL))                             \
    X(cycle_wake_size, jot_cycle_wake(p, NULL, &no_wake, NULL))                           \
    X(cycle_wake_max, jot_cycle_wake(p, NULL, &odd_wake, NULL))                           \
    X(cycle_wake_agent, jot_cycle_wake(p, "a/b", NULL, NULL))                             \
    X(cycle_step_id, jot_cycle_step(p, NULL, NULL, JOT_CYCLE_STEP_REPLY, good, NULL))     \
    X(cycle_step_text, jot_cycle_step(p, NULL, "i", JOT_CYCLE_STEP_RESULT, bad, NULL))    \
    X(cycle_step_end, jot_cycle_step(p, NULL, "i", JOT_CYCLE_STEP_END, good, NULL))       \
    X(cycle_step_kind, jot_cycle_step(p, NULL, "i", (jot_cycle_step_kind)-1, good, NULL)) \
    X(cycle_sleep_id, jot_cycle_sleep(p, NULL, NULL, NULL))                               \
    X(cycle_fail_id, jot_cycle_fail(p, NULL, NULL, good, good, NULL))                     \
    X(cycle_fail_why, jot_cycle_fail(p, NULL, "i", bad, good, NULL))                      \
    X(cycle_read_agent, jot_cycle_read(p, "a b", NULL, NULL))                             \
    X(cycle_explain_agent, jot_cycle_explain_json(p, "a b", NULL, NULL))                  \
    X(cycle_steps_agent, jot_cycle_steps(p, "a b", NULL, 1, 1, NULL))                     \
    X(cycle_steps_limit, jot_cycle_steps(p, NULL, "20260101_000000", 1, 0, NULL))         \
    X(cycle_log_agent, jot_cycle_log(p, "a b", NULL, NULL))                               \
    X(cycle_reset_text, jot_cycle_reset(p, NULL, bad, false, NULL))                       \
    X(cycle_reset_state, jot_cycle_reset(p, NULL, jot_str("- a list"), false, NULL))      \
    X(gc_size, jot_gc(p, &no_gc, NULL))                                                   \
    X(gc_rule, jot_gc(p, &no_rule, NULL))                                                 \
    X(gc_none, jot_gc(p, NULL, NULL))                                                     \
    X(gc_keep, jot_gc(p, &small_keep, NULL))                                              \
    X(task_id, jot_task_add(p, NULL, NULL, NULL))                                         \
    X(task_slash, jot_task_add(p, "a/b", NULL, NULL))                                     \
    X(task_size, jot_task_add(p, "t", &no_task, NULL))                                    \
    X(task_tools, jot_task_add(p, "t", &null_tools, NULL))                                \
    X(task_dependency, jot_task_add(p, "t", &null_dependency, NULL))                      \
    X(task_read_id, jot_task_read(p, NULL, NULL))                                         \
    X(plan_create_id, jot_plan_create(p, NULL, NULL, NULL))                               \
    X(plan_create_objective, jot_plan_create(p, "x", NULL, NULL))                         \
    X(plan_read_id, jot_plan_read(p, NULL, NULL))                                         \
    X(plan_step_id, jot_plan_step(p, NULL, 1, NULL, NULL))                                \
    X(plan_verify_id, jot_plan_verify(p, NULL, 1, "x", NULL))                             \
    X(task_move_id, jot_task_move(p, NULL, JOT_TASK_READY, NULL, NULL))                   \
    X(task_move_status, jot_task_move(p, "t", (jot_task_status)0, NULL, NULL))            \
    X(task_move_size, jot_task_move(p, "t", JOT_TASK_READY, &no_move, NULL))              \
    X(task_move_reason, jot_task_move(p, "t", JOT_TASK_FAILED, &bad_reason, NULL))        \
    X(task_edit_id, jot_task_edit(p, NULL, NULL, NULL))                                   \
    X(task_cancel_id, jot_task_cancel(p, NULL, NULL, NULL))                               \
    X(task_start_id, jot_task_start(p, NULL, false, NULL))                                \
    X(task_history_id, jot_task_history(p, NULL, 1, 0, NULL))                             \
    X(task_history_limit, jot_task_history(p, "t", 1, 1001, NULL))                        \
    X(task_list_size, jot_task_list(p, &no_tasks, NULL))                                  \
    X(task_list_status, jot_task_list(p, &odd_status, NULL))                              \
    X(lease_name, jot_lease_acquire(p, NULL, NULL, NULL))                                 \
    X(lease_key, jot_lease_acquire(p, "a*b", NULL, NULL))                                 \
    X(lease_size, jot_lease_acquire(p, "k", &no_lease, NULL))                             \
    X(lease_wait, jot_lease_acquire(p, "k", &negative_wait, NULL))                        \
    X(lease_ttl, jot_lease_acquire(p, "k", &negative_ttl, NULL))                          \
    X(lease_renew_token, jot_lease_renew(p, 0, 0, NULL))                                  \
    X(lease_renew_huge, jot_lease_renew(p, UINT64_MAX, 0, NULL))                          \
    X(lease_release_token, jot_lease_release(p, 0))                                       \
    X(lease_adopt_token, jot_lease_adopt(p, 0))                                           \
    X(lease_check_token, jot_lease_check(p, 0, NULL))                                     \
    X(lease_find_name, jot_lease_find(p, NULL, false, NULL))                              \
    X(search_query, jot_search(p, NULL, NULL, NULL))                                      \
    X(search_size, jot_search(p, "x", &no_search, NULL))                                  \
    X(search_limit, jot_search(p, "x", &long_search, NULL))                               \
    X(search_json_query, jot_search_json(p, NULL, NULL, NULL))                            \
    X(search_evidence_query, jot_search_evidence(p, NULL, 500, NULL, NULL))               \
    X(search_evidence_budget, jot_search_evidence(p, "x", 99, NULL, NULL))                \
    X(tools_profiles, jot_tools(p, "nonsense", NULL))                                     \
    X(tool_name, jot_tool_call(p, NULL, NULL, NULL))                                      \
    X(tool_args, jot_tool_call(p, "scratchpad_list", "[1]", NULL))                        \
    X(tool_not_json, jot_tool_call(p, "scratchpad_list", "{", NULL))                      \
    X(verb_noun, jot_verb(p, NULL, "list", NULL, NULL))                                   \
    X(verb_verb, jot_verb(p, "task", NULL, NULL, NULL))                                   \
    X(verb_args, jot_verb(p, "task", "list", "[1]", NULL))                                \
    X(verb_not_json, jot_verb(p, "task", "list", "{", NULL))                              \
    X(verb_no_parameter, jot_verb(p, "task", "list", "{\"x\": 1}", NULL))                 \
    X(copy_url, jot_copy(p, NULL, NULL))                                                  \
    X(copy_words, jot_copy(p, "", NULL))                                                  \
    X(import_path, jot_import(p, NULL, NULL, false, NULL))                                \
    X(import_layout, jot_import(p, "x", "nonsense", false, NULL))                         \
    X(export_path, jot_export(p, NULL, NULL, NULL))                                       \
    X(export_layout, jot_export(p, "x", "nonsense", NULL))                                \
    X(export_suffix, jot_export(p, "x", NULL, NULL))

/* What takes nothing that could be wrong but the pad. */
#define PLAIN(X)                                 \
    X(where, jot_where(p, NULL))                 \
    X(lease_list, jot_lease_list(p, NULL))       \
    X(task_ready, jot_task_ready(p, NULL, NULL)) \
    X(task_next, jot_task_next(p, NULL))         \
    X(plan_list, jot_plan_list(p, NULL))         \
    X(search_rebuild, jot_search_rebuild(p))     \
    X(verbs, jot_verbs(p, NULL))                 \
    X(verify, jot_verify(p, NULL))               \
    X(mend, jot_doctor(p, true, NULL))           \
    X(stats, jot_stats(p, NULL))                 \
    X(cycle_list, jot_cycle_list(p, NULL, NULL))

typedef struct Row {
    const char *name;
    jot_status (*call)(jot_pad *p);
} Row;

#define AS_FUNCTION(name, call)              \
    static jot_status name##_row(jot_pad *p) \
    {                                        \
        return call;                         \
    }
#define AS_ROW(name, call) { #name, name##_row },

WRONG(AS_FUNCTION)
PLAIN(AS_FUNCTION)
static const Row wrong[] = { WRONG(AS_ROW) };
static const Row plain[] = { PLAIN(AS_ROW) };

static void must_be_invalid(const Row *row, jot_pad *pad, const char *which)
{
    jot_status got = row->call(pad);
    const char *text = jot_error(pad);
    size_t n = strlen(text);
    if (got != JOT_INVALID)
        fail_msg("%s on %s: %s: %s", row->name, which, jot_status_name(got), text);
    if (n == 0 || text[n - 1] == '.' || strpbrk(text, "\n\r\t"))
        fail_msg("%s on %s: not a sentence: '%s'", row->name, which, text);
}

static void a_wrong_argument_is_refused_and_changes_nothing(Caller *c)
{
    const jot_docs *list;
    const jot_doc *d;
    size_t i;
    ok(c->pad, jot_doc_write(c->pad, "k", jot_str("x"), NULL, NULL));
    for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        must_be_invalid(&wrong[i], c->pad, "an open pad");
    ok(c->pad, jot_doc_list(c->pad, NULL, NULL, &list));
    assert_int_equal(list->count, 1);
    ok(c->pad, jot_doc_read(c->pad, "k", NULL, &d));
    assert_int_equal(d->seq, 1);
    ok(c->pad, jot_task_add(c->pad, "t", NULL, NULL)); /* for task_next to take */
    for (i = 0; i < sizeof plain / sizeof plain[0]; i++)
        ok(c->pad, plain[i].call(c->pad));
}

static void a_pad_that_is_not_there_or_not_open_is_refused(Caller *c)
{
    jot_pad *closed = jot_new();
    size_t i;
    (void)c;
    for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        must_be_invalid(&wrong[i], NULL, "no pad");
        must_be_invalid(&wrong[i], closed, "a closed pad");
    }
    for (i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        must_be_invalid(&plain[i], NULL, "no pad");
        must_be_invalid(&plain[i], closed, "a closed pad");
    }
    jot_free(NULL);
    jot_free(closed);
}

static void a_text_beyond_the_limit_is_too_big(Caller *c)
{
    size_t size = 16 * 1024 * 1024 + 1;
    jot_text large = { NULL, 0 };
    char *bytes = calloc(1, size);
    assert_non_null(bytes);
    large.data = bytes;
    large.size = size;
    expect(c->pad, JOT_TOO_BIG, jot_doc_write(c->pad, "k", large, NULL, NULL));
    expect(c->pad, JOT_TOO_BIG, jot_doc_merge(c->pad, "k", "0123456789ab", large, NULL));
    expect(c->pad, JOT_TOO_BIG, jot_sink_write(c->pad, "c", "t", large, NULL, NULL));
    free(bytes);
}

static void an_error_shows_readable_text_as_it_is(Caller *c)
{
    const jot_doc *doc;
    const jot_task *task;
    jot_pad *other = caller_open(c, "gr\xc3\xb6\xc3\x9f"
                                    "e");
    jot_write_options old = { 0 };
    expect(c->pad, JOT_INVALID,
           jot_doc_read(c->pad,
                        "gr\xc3\xb6\xc3\x9f"
                        "e?",
                        NULL, &doc));
    assert_says(jot_error(c->pad), "'gr\xc3\xb6\xc3\x9f"
                                   "e?'");
    expect(c->pad, JOT_NOT_FOUND, jot_task_read(c->pad, "\xe6\x97\xa5\xe6\x9c\xac", &task));
    assert_says(jot_error(c->pad), "'\xe6\x97\xa5\xe6\x9c\xac'");
    ok(other, jot_doc_write(other, "k", good, NULL, NULL));
    old.size = sizeof old;
    old.if_version = "000000000000";
    expect(c->pad, JOT_CONFLICT, jot_doc_write(c->pad, "k", good, &old, NULL));
    assert_says(jot_error(c->pad), "written by 'gr\xc3\xb6\xc3\x9f"
                                   "e'");
    jot_free(other);
}

int main(void)
{
    static const CallerTest tests[] = {
        CALLER_TEST(an_error_shows_readable_text_as_it_is),
        CALLER_TEST(a_wrong_argument_is_refused_and_changes_nothing),
        CALLER_TEST(a_pad_that_is_not_there_or_not_open_is_refused),
        CALLER_TEST(a_text_beyond_the_limit_is_too_big),
    };
    make_options();
    memset(long_name, 'k', sizeof long_name - 1);
    return caller_run(tests, CALLER_COUNT(tests));
}
