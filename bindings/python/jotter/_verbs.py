"""The verbs of every noun: made by tools/gen-python from jot_verbs(), not by hand."""

from __future__ import annotations

from typing import Any, Literal, Mapping, Optional, Protocol, Sequence

from ._answer import Answer


class Doer(Protocol):
    """Does a verb by its name."""

    def __call__(self, noun: str, verb: str, args: Mapping[str, Any]) -> Answer: ...


class Noun:
    def __init__(self, do: Doer) -> None:
        self._do = do


class Artifact(Noun):
    """JSON documents by category and id, with their hash, type and task."""

    def write(
        self,
        category: str,
        id: str,
        data: Any,
        *,
        type: Optional[str] = None,
        task_id: Optional[str] = None,
        if_version: Optional[str] = None,
        if_absent: Optional[bool] = None,
    ) -> Answer:
        """Keep a JSON value under a category and an id: results of work that others look up by
        category, type or task.
        """
        return self._do("artifact", "write", {
            "category": category,
            "id": id,
            "data": data,
            "type": type,
            "task_id": task_id,
            "if_version": if_version,
            "if_absent": if_absent,
        })

    def read(
        self,
        category: str,
        id: str,
        *,
        version: Optional[str] = None,
        raw: Optional[bool] = None,
    ) -> Answer:
        """Print an artifact."""
        return self._do("artifact", "read", {
            "category": category,
            "id": id,
            "version": version,
            "raw": raw,
        })

    def list(
        self,
        *,
        category: Optional[str] = None,
        type: Optional[str] = None,
        task_id: Optional[str] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Answer:
        """Print the artifacts of a category and those below it, one per line."""
        return self._do("artifact", "list", {
            "category": category,
            "type": type,
            "task_id": task_id,
            "after": after,
            "limit": limit,
        })

    def delete(
        self,
        category: str,
        id: str,
        *,
        if_version: Optional[str] = None,
    ) -> Answer:
        """Delete an artifact; its older versions stay readable."""
        return self._do("artifact", "delete", {
            "category": category,
            "id": id,
            "if_version": if_version,
        })


class Run(Noun):
    """List the runs, newest first; read and record what happens in one."""

    def begin(
        self,
        query: str,
        *,
        limit: Optional[int] = None,
        similarity: Optional[int] = None,
    ) -> Answer:
        """Begin the log of your work on a query; answers with the run's id."""
        return self._do("run", "begin", {
            "query": query,
            "limit": limit,
            "similarity": similarity,
        })

    def say(
        self,
        run: str,
        kind: Literal["thinking", "plan", "answer"],
        text: str,
    ) -> Answer:
        """Record what you think, your plan as it is now, or your answer, in a run."""
        return self._do("run", "say", {
            "run": run,
            "kind": kind,
            "text": text,
        })

    def call(
        self,
        run: str,
        tool: str,
        *,
        args: Optional[Mapping[str, Any]] = None,
        call: Optional[str] = None,
        mutating: Optional[bool] = None,
        limit: Optional[int] = None,
        similarity: Optional[int] = None,
    ) -> Answer:
        """Record a tool call before you make it, so that an agent that takes over knows it was
        begun.
        """
        return self._do("run", "call", {
            "run": run,
            "tool": tool,
            "args": args,
            "call": call,
            "mutating": mutating,
            "limit": limit,
            "similarity": similarity,
        })

    def result(
        self,
        run: str,
        call: str,
        result: str,
        *,
        failed: Optional[bool] = None,
    ) -> Answer:
        """Record what came of a call that run_call recorded, exactly."""
        return self._do("run", "result", {
            "run": run,
            "call": call,
            "result": result,
            "failed": failed,
        })

    def finish(
        self,
        run: str,
        tool: str,
        result: str,
        *,
        args: Optional[Mapping[str, Any]] = None,
        failed: Optional[bool] = None,
        call: Optional[str] = None,
        limit: Optional[int] = None,
        similarity: Optional[int] = None,
    ) -> Answer:
        """Record a tool call that has ended, with its result, in one step."""
        return self._do("run", "finish", {
            "run": run,
            "tool": tool,
            "args": args,
            "result": result,
            "failed": failed,
            "call": call,
            "limit": limit,
            "similarity": similarity,
        })

    def results(
        self,
        run: str,
        *,
        from_: Optional[int] = None,
        to: Optional[int] = None,
        all: Optional[bool] = None,
    ) -> Answer:
        """Print the results as a prompt shows them."""
        return self._do("run", "results", {
            "run": run,
            "from": from_,
            "to": to,
            "all": all,
        })

    def usage(
        self,
        run: str,
        *,
        tool: Optional[str] = None,
        args: Optional[Mapping[str, Any]] = None,
        limit: Optional[int] = None,
        similarity: Optional[int] = None,
    ) -> Answer:
        """Print how often each tool was called, and warnings."""
        return self._do("run", "usage", {
            "run": run,
            "tool": tool,
            "args": args,
            "limit": limit,
            "similarity": similarity,
        })

    def clear(
        self,
        run: str,
        keep: int,
    ) -> Answer:
        """Show only the newest results of a run from now on; all stay in it."""
        return self._do("run", "clear", {
            "run": run,
            "keep": keep,
        })

    def compact(
        self,
        run: str,
        text: str,
    ) -> Answer:
        """From now on this text stands for all results of the run so far; they stay in it."""
        return self._do("run", "compact", {
            "run": run,
            "text": text,
        })

    def final(
        self,
        run: str,
    ) -> Answer:
        """Print every result that is not a failure, for a final answer."""
        return self._do("run", "final", {
            "run": run,
        })

    def read(
        self,
        run: str,
        *,
        from_record: Optional[int] = None,
        limit: Optional[int] = None,
        all: Optional[bool] = None,
        record: Optional[int] = None,
    ) -> Answer:
        """Print what happened in a run, step by step."""
        return self._do("run", "read", {
            "run": run,
            "from_record": from_record,
            "limit": limit,
            "all": all,
            "record": record,
        })

    def list(
        self,
        *,
        limit: Optional[int] = None,
    ) -> Answer:
        """List the runs, newest first."""
        return self._do("run", "list", {
            "limit": limit,
        })

    def unfinished(
        self,
        run: str,
    ) -> Answer:
        """Print the calls that were issued and not completed."""
        return self._do("run", "unfinished", {
            "run": run,
        })

    def timeline(
        self,
        run: str,
        *,
        from_record: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Answer:
        """List the steps of a run with their durations and tokens."""
        return self._do("run", "timeline", {
            "run": run,
            "from_record": from_record,
            "limit": limit,
        })


class Cycle(Noun):
    """Wake, step and put to sleep an agent that keeps one state between its turns."""

    def status(
        self,
        *,
        agent: Optional[str] = None,
    ) -> Answer:
        """Print where an agent stands, and its state."""
        return self._do("cycle", "status", {
            "agent": agent,
        })

    def wake(
        self,
        *,
        agent: Optional[str] = None,
        iterations: Optional[int] = None,
        ttl: Optional[int] = None,
    ) -> Answer:
        """Begin a cycle: answers with the state and the cycle's id."""
        return self._do("cycle", "wake", {
            "agent": agent,
            "iterations": iterations,
            "ttl": ttl,
        })

    def step(
        self,
        cycle: str,
        *,
        agent: Optional[str] = None,
        reply: Optional[str] = None,
        is_result: Optional[bool] = None,
        failed: Optional[bool] = None,
        unknown: Optional[bool] = None,
    ) -> Answer:
        """One iteration: reply is {"tool": "update_scratchpad", "args": {...}} to change the
        state, {"tool": "done", "args": {"summary": ...}} to end the task, or any other tool,
        whose result is the next step.
        """
        return self._do("cycle", "step", {
            "cycle": cycle,
            "agent": agent,
            "reply": reply,
            "is_result": is_result,
            "failed": failed,
            "unknown": unknown,
        })

    def sleep(
        self,
        cycle: str,
        *,
        agent: Optional[str] = None,
    ) -> Answer:
        """End a cycle: what its steps made of the state becomes the state."""
        return self._do("cycle", "sleep", {
            "cycle": cycle,
            "agent": agent,
        })

    def fail(
        self,
        cycle: str,
        *,
        why: Optional[str] = None,
        agent: Optional[str] = None,
        trace: Optional[str] = None,
    ) -> Answer:
        """End a cycle as failed: the state is as it was before, with a line that says why."""
        return self._do("cycle", "fail", {
            "cycle": cycle,
            "why": why,
            "agent": agent,
            "trace": trace,
        })

    def list(
        self,
        *,
        agent: Optional[str] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Answer:
        """Print the cycles, newest first: id, end, iterations, when, why."""
        return self._do("cycle", "list", {
            "agent": agent,
            "after": after,
            "limit": limit,
        })

    def read(
        self,
        *,
        cycle: Optional[str] = None,
        agent: Optional[str] = None,
        before: Optional[bool] = None,
        after: Optional[bool] = None,
    ) -> Answer:
        """Print the state, or that of a cycle as it is now."""
        return self._do("cycle", "read", {
            "cycle": cycle,
            "agent": agent,
            "before": before,
            "after": after,
        })

    def steps(
        self,
        *,
        cycle: Optional[str] = None,
        agent: Optional[str] = None,
        after: Optional[int] = None,
    ) -> Answer:
        """Print every reply of the model and every result of a tool, whole."""
        return self._do("cycle", "steps", {
            "cycle": cycle,
            "agent": agent,
            "after": after,
        })

    def log(
        self,
        *,
        cycle: Optional[str] = None,
        agent: Optional[str] = None,
    ) -> Answer:
        """Print the log of a cycle: what the model said, what the tools gave, how it ended."""
        return self._do("cycle", "log", {
            "cycle": cycle,
            "agent": agent,
        })

    def diff(
        self,
        *,
        cycle: Optional[str] = None,
        to: Optional[str] = None,
        agent: Optional[str] = None,
    ) -> Answer:
        """Print what a cycle changed, or what differs between the ends of two."""
        return self._do("cycle", "diff", {
            "cycle": cycle,
            "to": to,
            "agent": agent,
        })

    def explain(
        self,
        *,
        cycle: Optional[str] = None,
        agent: Optional[str] = None,
    ) -> Answer:
        """Explain how a cycle ended, and what it changed."""
        return self._do("cycle", "explain", {
            "cycle": cycle,
            "agent": agent,
        })


class Task(Noun):
    """Pieces of work, with states and dependencies."""

    def add(
        self,
        *,
        id: Optional[str] = None,
        description: Optional[str] = None,
        expected_output: Optional[str] = None,
        agent: Optional[str] = None,
        dependencies: Optional[Sequence[str]] = None,
        later: Optional[bool] = None,
        tools: Optional[Sequence[str]] = None,
        priority: Optional[int] = None,
        max_retries: Optional[int] = None,
    ) -> Answer:
        """Add a piece of work and what it depends on."""
        return self._do("task", "add", {
            "id": id,
            "description": description,
            "expected_output": expected_output,
            "agent": agent,
            "dependencies": dependencies,
            "later": later,
            "tools": tools,
            "priority": priority,
            "max_retries": max_retries,
        })

    def list(
        self,
        *,
        status: Optional[Literal["pending", "ready", "running", "completed", "failed", "blocked"]] = None,
        mine: Optional[bool] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Answer:
        """Print the tasks: state, priority, id, who has it, since when, what it is."""
        return self._do("task", "list", {
            "status": status,
            "mine": mine,
            "after": after,
            "limit": limit,
        })

    def next(
        self,
    ) -> Answer:
        """Start the task that is ready and has the highest priority, in one step, and answer with
        it.
        """
        return self._do("task", "next", {
        })

    def read(
        self,
        id: str,
    ) -> Answer:
        """Print a task."""
        return self._do("task", "read", {
            "id": id,
        })

    def edit(
        self,
        id: str,
        *,
        description: Optional[str] = None,
        expected_output: Optional[str] = None,
        agent: Optional[str] = None,
        dependencies: Optional[Sequence[str]] = None,
        later: Optional[bool] = None,
        tools: Optional[Sequence[str]] = None,
        priority: Optional[int] = None,
        max_retries: Optional[int] = None,
        if_seq: Optional[int] = None,
    ) -> Answer:
        """Change what a task says, its priority or what it depends on; what is not given stays."""
        return self._do("task", "edit", {
            "id": id,
            "description": description,
            "expected_output": expected_output,
            "agent": agent,
            "dependencies": dependencies,
            "later": later,
            "tools": tools,
            "priority": priority,
            "max_retries": max_retries,
            "if_seq": if_seq,
        })

    def cancel(
        self,
        id: str,
        *,
        reason: Optional[str] = None,
        manual: Optional[bool] = None,
        if_seq: Optional[int] = None,
    ) -> Answer:
        """A task that is not to be done any more."""
        return self._do("task", "cancel", {
            "id": id,
            "reason": reason,
            "manual": manual,
            "if_seq": if_seq,
        })

    def ready(
        self,
    ) -> Answer:
        """Print the tasks that can be started now."""
        return self._do("task", "ready", {
        })

    def move(
        self,
        id: str,
        to: Literal["pending", "ready", "running", "completed", "failed", "blocked"],
        *,
        reason: Optional[str] = None,
        result: Optional[str] = None,
        manual: Optional[bool] = None,
        if_seq: Optional[int] = None,
    ) -> Answer:
        """Mark a task as running, completed (with its result), failed or blocked (with the
        reason), or ready again (manual).
        """
        return self._do("task", "move", {
            "id": id,
            "to": to,
            "reason": reason,
            "result": result,
            "manual": manual,
            "if_seq": if_seq,
        })

    def history(
        self,
        id: str,
        *,
        from_: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Answer:
        """Print what happened to a task, oldest first."""
        return self._do("task", "history", {
            "id": id,
            "from": from_,
            "limit": limit,
        })


class Plan(Noun):
    """Steps and postconditions, closed with evidence."""

    def create(
        self,
        objective: str,
        steps: Sequence[str],
        plan: str,
        *,
        postconditions: Optional[Sequence[str]] = None,
    ) -> Answer:
        """Write down what is to be done in steps, and what must be true at the end."""
        return self._do("plan", "create", {
            "objective": objective,
            "steps": steps,
            "postconditions": postconditions,
            "plan": plan,
        })

    def list(
        self,
    ) -> Answer:
        """List the plans."""
        return self._do("plan", "list", {
        })

    def show(
        self,
        plan: str,
    ) -> Answer:
        """Print a plan."""
        return self._do("plan", "show", {
            "plan": plan,
        })

    def step(
        self,
        n: int,
        status: Literal["pending", "in_progress", "done", "blocked"],
        plan: str,
        *,
        evidence: Optional[str] = None,
        notes: Optional[str] = None,
    ) -> Answer:
        """Mark a step of the plan as in_progress, done (with evidence: what you saw that shows it)
        or blocked (with notes: why).
        """
        return self._do("plan", "step", {
            "n": n,
            "status": status,
            "evidence": evidence,
            "notes": notes,
            "plan": plan,
        })

    def verify(
        self,
        n: int,
        evidence: str,
        plan: str,
    ) -> Answer:
        """Mark a postcondition of the plan as satisfied, with evidence: what you saw that shows
        it.
        """
        return self._do("plan", "verify", {
            "n": n,
            "evidence": evidence,
            "plan": plan,
        })


class Sink(Noun):
    """Results of tools: kept once, shown in part, read back in ranges."""

    def write(
        self,
        call: str,
        tool: str,
        result: str,
        *,
        args: Optional[Mapping[str, Any]] = None,
        task_id: Optional[str] = None,
        inline_max: Optional[int] = None,
        inline: Optional[bool] = None,
    ) -> Answer:
        """Keep the whole result of a tool call outside your context, once: its id is taken for
        ever.
        """
        return self._do("sink", "write", {
            "call": call,
            "tool": tool,
            "result": result,
            "args": args,
            "task_id": task_id,
            "inline_max": inline_max,
            "inline": inline,
        })

    def read(
        self,
        call: str,
        *,
        byte_range: Optional[str] = None,
        line_range: Optional[str] = None,
    ) -> Answer:
        """Print a result, or a range of it."""
        return self._do("sink", "read", {
            "call": call,
            "byte_range": byte_range,
            "line_range": line_range,
        })


class LineLog(Noun):
    """Logs of lines, by category and name."""

    def append(
        self,
        category: str,
        name: str,
        line: str,
        *,
        id: Optional[str] = None,
    ) -> Answer:
        """Append one line to a log that others append to as well, such as the events of a task."""
        return self._do("line_log", "append", {
            "category": category,
            "name": name,
            "line": line,
            "id": id,
        })

    def read(
        self,
        category: str,
        name: str,
        *,
        from_: Optional[int] = None,
        limit: Optional[int] = None,
        tail: Optional[int] = None,
        times: Optional[bool] = None,
    ) -> Answer:
        """Print lines of a log."""
        return self._do("line_log", "read", {
            "category": category,
            "name": name,
            "from": from_,
            "limit": limit,
            "tail": tail,
            "times": times,
        })

    def list(
        self,
        *,
        category: Optional[str] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Answer:
        """Print the logs, one per line."""
        return self._do("line_log", "list", {
            "category": category,
            "after": after,
            "limit": limit,
        })


class Checkpoint(Noun):
    """States of a run: save, read, and go back."""

    def write(
        self,
        run: str,
        state: str,
        *,
        label: Optional[str] = None,
        keep: Optional[int] = None,
        age: Optional[int] = None,
    ) -> Answer:
        """Save the whole state of your work as a new version, before a step you may want to take
        back.
        """
        return self._do("checkpoint", "write", {
            "run": run,
            "state": state,
            "label": label,
            "keep": keep,
            "age": age,
        })

    def list(
        self,
        run: str,
        *,
        limit: Optional[int] = None,
    ) -> Answer:
        """Print the versions that are kept."""
        return self._do("checkpoint", "list", {
            "run": run,
            "limit": limit,
        })

    def read(
        self,
        run: str,
        *,
        version: Optional[int] = None,
    ) -> Answer:
        """Print the present state, or that of a version."""
        return self._do("checkpoint", "read", {
            "run": run,
            "version": version,
        })

    def undo(
        self,
        run: str,
        *,
        if_version: Optional[int] = None,
    ) -> Answer:
        """Go back to the state saved before the present one, and read it."""
        return self._do("checkpoint", "undo", {
            "run": run,
            "if_version": if_version,
        })


class ArtifactIndex(Noun):
    """Named documents beside the artifacts, replaced in one step."""

    def write(
        self,
        category: str,
        name: str,
        data: Any,
        *,
        if_version: Optional[str] = None,
        if_absent: Optional[bool] = None,
    ) -> Answer:
        """Replace a named JSON document beside the artifacts, in one step."""
        return self._do("artifact_index", "write", {
            "category": category,
            "name": name,
            "data": data,
            "if_version": if_version,
            "if_absent": if_absent,
        })

    def read(
        self,
        category: str,
        name: str,
    ) -> Answer:
        """Print an index document."""
        return self._do("artifact_index", "read", {
            "category": category,
            "name": name,
        })

    def list(
        self,
        *,
        category: Optional[str] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Answer:
        """Print the index documents, one per line."""
        return self._do("artifact_index", "list", {
            "category": category,
            "after": after,
            "limit": limit,
        })

    def delete(
        self,
        category: str,
        name: str,
    ) -> Answer:
        """Delete such a document."""
        return self._do("artifact_index", "delete", {
            "category": category,
            "name": name,
        })


class Note(Noun):
    """Notes and other documents, with what they were."""

    def list(
        self,
        *,
        prefix: Optional[str] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
        filter: Optional[str] = None,
        recent: Optional[bool] = None,
        offset: Optional[int] = None,
        first: Optional[bool] = None,
        deleted: Optional[bool] = None,
    ) -> Answer:
        """List notes, or other documents."""
        return self._do("note", "list", {
            "prefix": prefix,
            "after": after,
            "limit": limit,
            "filter": filter,
            "recent": recent,
            "offset": offset,
            "first": first,
            "deleted": deleted,
        })

    def read(
        self,
        key: str,
        *,
        version: Optional[str] = None,
    ) -> Answer:
        """Read a note, or another document, as it is or was."""
        return self._do("note", "read", {
            "key": key,
            "version": version,
        })

    def render(
        self,
        *,
        key: Optional[str] = None,
        version: Optional[str] = None,
        text: Optional[str] = None,
    ) -> Answer:
        """Make HTML of the Markdown of a note, safe to show."""
        return self._do("note", "render", {
            "key": key,
            "version": version,
            "text": text,
        })

    def write(
        self,
        key: str,
        text: str,
        *,
        if_version: Optional[str] = None,
        if_absent: Optional[bool] = None,
        merge: Optional[bool] = None,
    ) -> Answer:
        """Make a text the value of a document."""
        return self._do("note", "write", {
            "key": key,
            "text": text,
            "if_version": if_version,
            "if_absent": if_absent,
            "merge": merge,
        })

    def append(
        self,
        key: str,
        text: str,
        *,
        line: Optional[bool] = None,
        if_version: Optional[str] = None,
    ) -> Answer:
        """Add a text to the end of a document, which is made if there is none."""
        return self._do("note", "append", {
            "key": key,
            "text": text,
            "line": line,
            "if_version": if_version,
        })

    def edit(
        self,
        key: str,
        old_text: str,
        new_text: str,
        *,
        if_version: Optional[str] = None,
    ) -> Answer:
        """Replace the one place of a document that reads exactly so."""
        return self._do("note", "edit", {
            "key": key,
            "old_text": old_text,
            "new_text": new_text,
            "if_version": if_version,
        })

    def delete(
        self,
        key: str,
        *,
        if_version: Optional[str] = None,
    ) -> Answer:
        """Take a document out of sight."""
        return self._do("note", "delete", {
            "key": key,
            "if_version": if_version,
        })

    def move(
        self,
        key: str,
        to: str,
    ) -> Answer:
        """Give a document another name, which must be free."""
        return self._do("note", "move", {
            "key": key,
            "to": to,
        })

    def history(
        self,
        key: str,
        *,
        before: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> Answer:
        """List the versions of a note, newest first."""
        return self._do("note", "history", {
            "key": key,
            "before": before,
            "limit": limit,
        })

    def diff(
        self,
        key: str,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
    ) -> Answer:
        """Say what changed between two versions."""
        return self._do("note", "diff", {
            "key": key,
            "from": from_,
            "to": to,
        })

    def blame(
        self,
        key: str,
    ) -> Answer:
        """Say who wrote each line, and with which version."""
        return self._do("note", "blame", {
            "key": key,
        })

    def undo(
        self,
        key: str,
        *,
        if_version: Optional[str] = None,
    ) -> Answer:
        """Restore what was there before the last change of a document."""
        return self._do("note", "undo", {
            "key": key,
            "if_version": if_version,
        })

    def redo(
        self,
        key: str,
        *,
        if_version: Optional[str] = None,
    ) -> Answer:
        """Bring back what the last undo of a document took away."""
        return self._do("note", "redo", {
            "key": key,
            "if_version": if_version,
        })

    def restore(
        self,
        key: str,
        version: str,
        *,
        if_version: Optional[str] = None,
    ) -> Answer:
        """Write an older version of a document again."""
        return self._do("note", "restore", {
            "key": key,
            "version": version,
            "if_version": if_version,
        })


class Pad(Noun):
    """All of a pad: what is in it, what happened, what is open."""

    def now(
        self,
        *,
        since: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Answer:
        """Say what waits, what is under way and what changed last."""
        return self._do("pad", "now", {
            "since": since,
            "limit": limit,
        })

    def waiting(
        self,
    ) -> Answer:
        """List what waits for a person."""
        return self._do("pad", "waiting", {
        })

    def since(
        self,
        since: str,
    ) -> Answer:
        """Sum up what changed since a moment, by author and by name."""
        return self._do("pad", "since", {
            "since": since,
        })

    def status(
        self,
    ) -> Answer:
        """Say what the pad holds, and what is open."""
        return self._do("pad", "status", {
        })

    def search(
        self,
        query: str,
        *,
        kind: Optional[str] = None,
        prefix: Optional[str] = None,
        by: Optional[str] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        explain: Optional[bool] = None,
    ) -> Answer:
        """Find notes, memory files, artifacts and steps of runs by their words."""
        return self._do("pad", "search", {
            "query": query,
            "kind": kind,
            "prefix": prefix,
            "by": by,
            "since": since,
            "until": until,
            "limit": limit,
            "offset": offset,
            "explain": explain,
        })

    def changes(
        self,
        *,
        kind: Optional[str] = None,
        by: Optional[str] = None,
        since: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Answer:
        """List what changed in the pad, newest first."""
        return self._do("pad", "changes", {
            "kind": kind,
            "by": by,
            "since": since,
            "limit": limit,
        })

    def context(
        self,
        *,
        budget: Optional[int] = None,
        query: Optional[str] = None,
        run: Optional[str] = None,
        agent: Optional[str] = None,
    ) -> Answer:
        """Make what a model should see, within a budget of tokens."""
        return self._do("pad", "context", {
            "budget": budget,
            "query": query,
            "run": run,
            "agent": agent,
        })

    def stats(
        self,
    ) -> Answer:
        """Count what is in the pad, kind by kind."""
        return self._do("pad", "stats", {
        })

    def verify(
        self,
    ) -> Answer:
        """Read every byte of the pad and report what is wrong."""
        return self._do("pad", "verify", {
        })

    def where(
        self,
    ) -> Answer:
        """Say what the pad's store promises."""
        return self._do("pad", "where", {
        })

    def gc(
        self,
        *,
        keep: Optional[int] = None,
        before: Optional[str] = None,
        bytes: Optional[int] = None,
        prefix: Optional[str] = None,
    ) -> Answer:
        """Say what dropping old versions would free."""
        return self._do("pad", "gc", {
            "keep": keep,
            "before": before,
            "bytes": bytes,
            "prefix": prefix,
        })


class Rules(Noun):
    """Which notes are rules for models, because a person approved their text."""

    def list(
        self,
    ) -> Answer:
        """List the notes that can be rules, and whether they are."""
        return self._do("rules", "list", {
        })


class Nouns:
    """Every noun, as a member of a pad."""

    def __init__(self, do: Doer) -> None:
        self.artifact = Artifact(do)
        self.run = Run(do)
        self.cycle = Cycle(do)
        self.task = Task(do)
        self.plan = Plan(do)
        self.sink = Sink(do)
        self.line_log = LineLog(do)
        self.checkpoint = Checkpoint(do)
        self.artifact_index = ArtifactIndex(do)
        self.note = Note(do)
        self.pad = Pad(do)
        self.rules = Rules(do)
