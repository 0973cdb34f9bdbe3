// The types of every noun's verbs: made by tools/gen-node from jot_verbs(), not by hand.

import type { Answer } from "./index.js";

/** JSON documents by category and id, with their hash, type and task. */
export interface Artifact {
  /**
   * Keep a JSON value under a category and an id: results of work that others look up by category,
   * type or task.
   */
  write(
    category: string,
    id: string,
    data: unknown,
    options?: {
      type?: string;
      taskId?: string;
      ifVersion?: string;
      ifAbsent?: boolean;
    },
  ): Promise<Answer>;
  /**
   * Print an artifact.
   */
  read(
    category: string,
    id: string,
    options?: {
      version?: string;
      raw?: boolean;
    },
  ): Promise<Answer>;
  /**
   * Print the artifacts of a category and those below it, one per line.
   */
  list(
    options?: {
      category?: string;
      type?: string;
      taskId?: string;
      after?: string;
      limit?: number;
    },
  ): Promise<Answer>;
  /**
   * Delete an artifact; its older versions stay readable.
   */
  delete(category: string, id: string, options?: { ifVersion?: string }): Promise<Answer>;
}

/** List the runs, newest first; read and record what happens in one. */
export interface Run {
  /**
   * Begin the log of your work on a query; answers with the run's id.
   */
  begin(query: string, options?: { limit?: number; similarity?: number }): Promise<Answer>;
  /**
   * Record what you think, your plan as it is now, or your answer, in a run.
   */
  say(run: string, kind: "thinking" | "plan" | "answer", text: string): Promise<Answer>;
  /**
   * Record a tool call before you make it, so that an agent that takes over knows it was begun.
   */
  call(
    run: string,
    tool: string,
    options?: {
      args?: Record<string, unknown>;
      call?: string;
      mutating?: boolean;
      limit?: number;
      similarity?: number;
    },
  ): Promise<Answer>;
  /**
   * Record what came of a call that run_call recorded, exactly.
   */
  result(
    run: string,
    call: string,
    result: string,
    options?: {
      failed?: boolean;
    },
  ): Promise<Answer>;
  /**
   * Record a tool call that has ended, with its result, in one step.
   */
  finish(
    run: string,
    tool: string,
    result: string,
    options?: {
      args?: Record<string, unknown>;
      failed?: boolean;
      call?: string;
      limit?: number;
      similarity?: number;
    },
  ): Promise<Answer>;
  /**
   * Print the results as a prompt shows them.
   */
  results(run: string, options?: { from?: number; to?: number; all?: boolean }): Promise<Answer>;
  /**
   * Print how often each tool was called, and warnings.
   */
  usage(
    run: string,
    options?: {
      tool?: string;
      args?: Record<string, unknown>;
      limit?: number;
      similarity?: number;
    },
  ): Promise<Answer>;
  /**
   * Show only the newest results of a run from now on; all stay in it.
   */
  clear(run: string, keep: number): Promise<Answer>;
  /**
   * From now on this text stands for all results of the run so far; they stay in it.
   */
  compact(run: string, text: string): Promise<Answer>;
  /**
   * Print every result that is not a failure, for a final answer.
   */
  final(run: string): Promise<Answer>;
  /**
   * Print what happened in a run, step by step.
   */
  read(
    run: string,
    options?: {
      fromRecord?: number;
      limit?: number;
      all?: boolean;
      record?: number;
    },
  ): Promise<Answer>;
  /**
   * List the runs, newest first.
   */
  list(options?: { limit?: number }): Promise<Answer>;
  /**
   * Print the calls that were issued and not completed.
   */
  unfinished(run: string): Promise<Answer>;
  /**
   * List the steps of a run with their durations and tokens.
   */
  timeline(run: string, options?: { fromRecord?: number; limit?: number }): Promise<Answer>;
}

/** Wake, step and put to sleep an agent that keeps one state between its turns. */
export interface Cycle {
  /**
   * Print where an agent stands, and its state.
   */
  status(options?: { agent?: string }): Promise<Answer>;
  /**
   * Begin a cycle: answers with the state and the cycle's id.
   */
  wake(options?: { agent?: string; iterations?: number; ttl?: number }): Promise<Answer>;
  /**
   * One iteration: reply is {"tool": "update_scratchpad", "args": {...}} to change the state,
   * {"tool": "done", "args": {"summary": ...}} to end the task, or any other tool, whose result is
   * the next step.
   */
  step(
    cycle: string,
    options?: {
      agent?: string;
      reply?: string;
      isResult?: boolean;
      failed?: boolean;
      unknown?: boolean;
    },
  ): Promise<Answer>;
  /**
   * End a cycle: what its steps made of the state becomes the state.
   */
  sleep(cycle: string, options?: { agent?: string }): Promise<Answer>;
  /**
   * End a cycle as failed: the state is as it was before, with a line that says why.
   */
  fail(cycle: string, options?: { why?: string; agent?: string; trace?: string }): Promise<Answer>;
  /**
   * Print the cycles, newest first: id, end, iterations, when, why.
   */
  list(options?: { agent?: string; after?: string; limit?: number }): Promise<Answer>;
  /**
   * Print the state, or that of a cycle as it is now.
   */
  read(
    options?: {
      cycle?: string;
      agent?: string;
      before?: boolean;
      after?: boolean;
    },
  ): Promise<Answer>;
  /**
   * Print every reply of the model and every result of a tool, whole.
   */
  steps(options?: { cycle?: string; agent?: string; after?: number }): Promise<Answer>;
  /**
   * Print the log of a cycle: what the model said, what the tools gave, how it ended.
   */
  log(options?: { cycle?: string; agent?: string }): Promise<Answer>;
  /**
   * Print what a cycle changed, or what differs between the ends of two.
   */
  diff(options?: { cycle?: string; to?: string; agent?: string }): Promise<Answer>;
  /**
   * Explain how a cycle ended, and what it changed.
   */
  explain(options?: { cycle?: string; agent?: string }): Promise<Answer>;
}

/** Pieces of work, with states and dependencies. */
export interface Task {
  /**
   * Add a piece of work and what it depends on.
   */
  add(
    options?: {
      id?: string;
      description?: string;
      expectedOutput?: string;
      agent?: string;
      dependencies?: readonly string[];
      later?: boolean;
      tools?: readonly string[];
      priority?: number;
      maxRetries?: number;
    },
  ): Promise<Answer>;
  /**
   * Print the tasks: state, priority, id, who has it, since when, what it is.
   */
  list(
    options?: {
      status?: "pending" | "ready" | "running" | "completed" | "failed" | "blocked";
      mine?: boolean;
      after?: string;
      limit?: number;
    },
  ): Promise<Answer>;
  /**
   * Start the task that is ready and has the highest priority, in one step, and answer with it.
   */
  next(): Promise<Answer>;
  /**
   * Print a task.
   */
  read(id: string): Promise<Answer>;
  /**
   * Change what a task says, its priority or what it depends on; what is not given stays.
   */
  edit(
    id: string,
    options?: {
      description?: string;
      expectedOutput?: string;
      agent?: string;
      dependencies?: readonly string[];
      later?: boolean;
      tools?: readonly string[];
      priority?: number;
      maxRetries?: number;
      ifSeq?: number;
    },
  ): Promise<Answer>;
  /**
   * A task that is not to be done any more.
   */
  cancel(
    id: string,
    options?: {
      reason?: string;
      manual?: boolean;
      ifSeq?: number;
    },
  ): Promise<Answer>;
  /**
   * Print the tasks that can be started now.
   */
  ready(): Promise<Answer>;
  /**
   * Mark a task as running, completed (with its result), failed or blocked (with the reason), or
   * ready again (manual).
   */
  move(
    id: string,
    to: "pending" | "ready" | "running" | "completed" | "failed" | "blocked",
    options?: {
      reason?: string;
      result?: string;
      manual?: boolean;
      ifSeq?: number;
    },
  ): Promise<Answer>;
  /**
   * Print what happened to a task, oldest first.
   */
  history(id: string, options?: { from?: number; limit?: number }): Promise<Answer>;
}

/** Steps and postconditions, closed with evidence. */
export interface Plan {
  /**
   * Write down what is to be done in steps, and what must be true at the end.
   */
  create(
    objective: string,
    steps: readonly string[],
    plan: string,
    options?: {
      postconditions?: readonly string[];
    },
  ): Promise<Answer>;
  /**
   * List the plans.
   */
  list(): Promise<Answer>;
  /**
   * Print a plan.
   */
  show(plan: string): Promise<Answer>;
  /**
   * Mark a step of the plan as in_progress, done (with evidence: what you saw that shows it) or
   * blocked (with notes: why).
   */
  step(
    n: number,
    status: "pending" | "in_progress" | "done" | "blocked",
    plan: string,
    options?: {
      evidence?: string;
      notes?: string;
    },
  ): Promise<Answer>;
  /**
   * Mark a postcondition of the plan as satisfied, with evidence: what you saw that shows it.
   */
  verify(n: number, evidence: string, plan: string): Promise<Answer>;
}

/** Results of tools: kept once, shown in part, read back in ranges. */
export interface Sink {
  /**
   * Keep the whole result of a tool call outside your context, once: its id is taken for ever.
   */
  write(
    call: string,
    tool: string,
    result: string,
    options?: {
      args?: Record<string, unknown>;
      taskId?: string;
      inlineMax?: number;
      inline?: boolean;
    },
  ): Promise<Answer>;
  /**
   * Print a result, or a range of it.
   */
  read(call: string, options?: { byteRange?: string; lineRange?: string }): Promise<Answer>;
}

/** Logs of lines, by category and name. */
export interface LineLog {
  /**
   * Append one line to a log that others append to as well, such as the events of a task.
   */
  append(category: string, name: string, line: string, options?: { id?: string }): Promise<Answer>;
  /**
   * Print lines of a log.
   */
  read(
    category: string,
    name: string,
    options?: {
      from?: number;
      limit?: number;
      tail?: number;
      times?: boolean;
    },
  ): Promise<Answer>;
  /**
   * Print the logs, one per line.
   */
  list(options?: { category?: string; after?: string; limit?: number }): Promise<Answer>;
}

/** States of a run: save, read, and go back. */
export interface Checkpoint {
  /**
   * Save the whole state of your work as a new version, before a step you may want to take back.
   */
  write(
    run: string,
    state: string,
    options?: {
      label?: string;
      keep?: number;
      age?: number;
    },
  ): Promise<Answer>;
  /**
   * Print the versions that are kept.
   */
  list(run: string, options?: { limit?: number }): Promise<Answer>;
  /**
   * Print the present state, or that of a version.
   */
  read(run: string, options?: { version?: number }): Promise<Answer>;
  /**
   * Go back to the state saved before the present one, and read it.
   */
  undo(run: string, options?: { ifVersion?: number }): Promise<Answer>;
}

/** Named documents beside the artifacts, replaced in one step. */
export interface ArtifactIndex {
  /**
   * Replace a named JSON document beside the artifacts, in one step.
   */
  write(
    category: string,
    name: string,
    data: unknown,
    options?: {
      ifVersion?: string;
      ifAbsent?: boolean;
    },
  ): Promise<Answer>;
  /**
   * Print an index document.
   */
  read(category: string, name: string): Promise<Answer>;
  /**
   * Print the index documents, one per line.
   */
  list(options?: { category?: string; after?: string; limit?: number }): Promise<Answer>;
  /**
   * Delete such a document.
   */
  delete(category: string, name: string): Promise<Answer>;
}

/** Notes and other documents, with what they were. */
export interface Note {
  /**
   * List notes, or other documents.
   */
  list(
    options?: {
      prefix?: string;
      after?: string;
      limit?: number;
      filter?: string;
      recent?: boolean;
      offset?: number;
      first?: boolean;
      deleted?: boolean;
    },
  ): Promise<Answer>;
  /**
   * Read a note, or another document, as it is or was.
   */
  read(key: string, options?: { version?: string }): Promise<Answer>;
  /**
   * Make HTML of the Markdown of a note, safe to show.
   */
  render(options?: { key?: string; version?: string; text?: string }): Promise<Answer>;
  /**
   * Make a text the value of a document.
   */
  write(
    key: string,
    text: string,
    options?: {
      ifVersion?: string;
      ifAbsent?: boolean;
      merge?: boolean;
    },
  ): Promise<Answer>;
  /**
   * Add a text to the end of a document, which is made if there is none.
   */
  append(
    key: string,
    text: string,
    options?: {
      line?: boolean;
      ifVersion?: string;
    },
  ): Promise<Answer>;
  /**
   * Replace the one place of a document that reads exactly so.
   */
  edit(
    key: string,
    oldText: string,
    newText: string,
    options?: {
      ifVersion?: string;
    },
  ): Promise<Answer>;
  /**
   * Take a document out of sight.
   */
  delete(key: string, options?: { ifVersion?: string }): Promise<Answer>;
  /**
   * Give a document another name, which must be free.
   */
  move(key: string, to: string): Promise<Answer>;
  /**
   * List the versions of a note, newest first.
   */
  history(key: string, options?: { before?: number; limit?: number }): Promise<Answer>;
  /**
   * Say what changed between two versions.
   */
  diff(key: string, options?: { from?: string; to?: string }): Promise<Answer>;
  /**
   * Say who wrote each line, and with which version.
   */
  blame(key: string): Promise<Answer>;
  /**
   * Restore what was there before the last change of a document.
   */
  undo(key: string, options?: { ifVersion?: string }): Promise<Answer>;
  /**
   * Bring back what the last undo of a document took away.
   */
  redo(key: string, options?: { ifVersion?: string }): Promise<Answer>;
  /**
   * Write an older version of a document again.
   */
  restore(key: string, version: string, options?: { ifVersion?: string }): Promise<Answer>;
}

/** All of a pad: what is in it, what happened, what is open. */
export interface Pad {
  /**
   * Say what waits, what is under way and what changed last.
   */
  now(options?: { since?: string; limit?: number }): Promise<Answer>;
  /**
   * List what waits for a person.
   */
  waiting(): Promise<Answer>;
  /**
   * Sum up what changed since a moment, by author and by name.
   */
  since(since: string): Promise<Answer>;
  /**
   * Say what the pad holds, and what is open.
   */
  status(): Promise<Answer>;
  /**
   * Find notes, memory files, artifacts and steps of runs by their words.
   */
  search(
    query: string,
    options?: {
      kind?: string;
      prefix?: string;
      by?: string;
      since?: string;
      until?: string;
      limit?: number;
      offset?: number;
      explain?: boolean;
    },
  ): Promise<Answer>;
  /**
   * List what changed in the pad, newest first.
   */
  changes(
    options?: {
      kind?: string;
      by?: string;
      since?: string;
      limit?: number;
    },
  ): Promise<Answer>;
  /**
   * Make what a model should see, within a budget of tokens.
   */
  context(
    options?: {
      budget?: number;
      query?: string;
      run?: string;
      agent?: string;
    },
  ): Promise<Answer>;
  /**
   * Count what is in the pad, kind by kind.
   */
  stats(): Promise<Answer>;
  /**
   * Read every byte of the pad and report what is wrong.
   */
  verify(): Promise<Answer>;
  /**
   * Say what the pad's store promises.
   */
  where(): Promise<Answer>;
  /**
   * Say what dropping old versions would free.
   */
  gc(
    options?: {
      keep?: number;
      before?: string;
      bytes?: number;
      prefix?: string;
    },
  ): Promise<Answer>;
}

/** Which notes are rules for models, because a person approved their text. */
export interface Rules {
  /**
   * List the notes that can be rules, and whether they are.
   */
  list(): Promise<Answer>;
}

/** Every noun, as a member of a pad. */
export interface Nouns {
  readonly artifact: Artifact;
  readonly run: Run;
  readonly cycle: Cycle;
  readonly task: Task;
  readonly plan: Plan;
  readonly sink: Sink;
  readonly lineLog: LineLog;
  readonly checkpoint: Checkpoint;
  readonly artifactIndex: ArtifactIndex;
  readonly note: Note;
  readonly pad: Pad;
  readonly rules: Rules;
}
