#!/usr/bin/env python3
# model.py LOG: a model that answers from a script, in the words of three vendors, on a free port of 127.0.0.1.
#
# For programs that are to show their hooks (tools/conformance): whatever is asked, the first answer writes a
# file, the next runs a command that fails, the next sets a list of things to do, and then it is done.  Which it is
# follows from how many results of tools the request has, so nothing is remembered.  A request
# without tools (a title, a summary) gets a sentence.  Prints its address; LOG gets the requests, a line each.
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DONE = "All done: hello.txt is written, and the check failed."


def pick(names, *wanted):
    return next((w for w in wanted if w in names), None)


def step(names, results):
    """The next call, (tool, arguments), or None."""
    calls = []
    write = pick(names, "Write", "write_file")
    shell = pick(names, "Bash", "run_shell_command", "exec_command", "shell_command", "shell")
    todo = pick(names, "TodoWrite", "TaskCreate", "update_plan", "write_todos")
    if write == "Write":
        calls.append((write, {"file_path": "hello.txt", "content": "hello\n"}))
    elif write:
        calls.append((write, {"file_path": "hello.txt", "content": "hello\n"}))
    elif "apply_patch" in names:
        calls.append(("apply_patch", "*** Begin Patch\n*** Add File: hello.txt\n+hello\n*** End Patch\n"))
    if shell == "Bash":
        calls.append((shell, {"command": "ls hello.txt; exit 3", "description": "check"}))
    elif shell == "shell":
        calls.append((shell, {"command": ["bash", "-lc", "ls hello.txt; exit 3"]}))
    elif shell == "exec_command":
        calls.append((shell, {"cmd": "ls hello.txt; exit 3"}))
    elif shell:
        calls.append((shell, {"command": "ls hello.txt; exit 3"}))
    if todo == "TodoWrite":
        calls.append((todo, {"todos": [{"content": "write hello", "status": "completed", "activeForm": "Writing"},
                                       {"content": "check it", "status": "in_progress", "activeForm": "Checking"}]}))
    elif todo == "TaskCreate":
        calls.append((todo, {"subject": "check it", "description": "check hello.txt", "activeForm": "Checking"}))
    elif todo == "update_plan":
        calls.append((todo, {"plan": [{"step": "write hello", "status": "completed"}, {"step": "check it", "status": "in_progress"}]}))
    elif todo:
        calls.append((todo, {"todos": [{"description": "write hello", "status": "completed"}, {"description": "check it", "status": "in_progress"}]}))
    return calls[results] if names and results < len(calls) else None


def anthropic(body):
    names = [t["name"] for t in body.get("tools", [])]
    results = sum(1 for m in body["messages"] if isinstance(m["content"], list) for p in m["content"] if p["type"] == "tool_result")
    call = step(names, results)
    block = {"type": "text", "text": DONE} if not call else {"type": "tool_use", "id": "toolu_%d" % results, "name": call[0], "input": call[1]}
    stop = "tool_use" if call else "end_turn"
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [block], "stop_reason": stop,
               "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 10}}
    if not body.get("stream"):
        return "application/json", json.dumps(message)
    events = [("message_start", {"message": dict(message, content=[], stop_reason=None)})]
    if call:
        events += [("content_block_start", {"index": 0, "content_block": dict(block, input={})}),
                   ("content_block_delta", {"index": 0, "delta": {"type": "input_json_delta", "partial_json": json.dumps(call[1])}})]
    else:
        events += [("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
                   ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": DONE}})]
    events += [("content_block_stop", {"index": 0}), ("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 10}}),
               ("message_stop", {})]
    return "text/event-stream", "".join("event: %s\ndata: %s\n\n" % (kind, json.dumps(dict(data, type=kind))) for kind, data in events)


def openai(body):
    names = [t.get("name", t["type"]) for t in body.get("tools", [])]
    results = sum(1 for i in body["input"] if i.get("type", "").endswith("_call_output"))
    call = step(names, results)
    if not call:
        item = {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": DONE, "annotations": []}]}
    elif isinstance(call[1], str):
        item = {"type": "custom_tool_call", "id": "ct_%d" % results, "call_id": "call_%d" % results, "name": call[0], "input": call[1]}
    else:
        item = {"type": "function_call", "id": "fc_%d" % results, "call_id": "call_%d" % results, "name": call[0], "arguments": json.dumps(call[1])}
    events = [("response.created", {"response": {"id": "resp_1"}}), ("response.output_item.done", {"output_index": 0, "item": item}),
              ("response.completed", {"response": {"id": "resp_1", "output": [item],
                                                   "usage": {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20,
                                                             "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}}})]
    return "text/event-stream", "".join("event: %s\ndata: %s\n\n" % (kind, json.dumps(dict(data, type=kind))) for kind, data in events)


def gemini(body, stream):
    names = [f["name"] for t in body.get("tools", []) for f in t.get("functionDeclarations", [])]
    results = sum(1 for c in body["contents"] for p in c.get("parts", []) if "functionResponse" in p)
    call = step(names, results)
    text = DONE
    if not names and body.get("generationConfig", {}).get("responseJsonSchema"):
        text = json.dumps({"reasoning": "it is simple", "next_speaker": "user", "complexity_reasoning": "simple", "complexity_score": 1, "model_choice": "flash"})
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": text}
    answer = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
              "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}}
    return ("text/event-stream", "data: %s\n\n" % json.dumps(answer)) if stream else ("application/json", json.dumps(answer))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def do_GET(self):
        self.reply("application/json", '{"data": [], "models": []}')

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        with open(sys.argv[1], "a") as log:
            log.write(json.dumps({"path": self.path, "body": body}) + "\n")
        if "countTokens" in self.path or "count_tokens" in self.path:
            self.reply("application/json", '{"totalTokens": 10, "input_tokens": 10}')
        elif "/messages" in self.path:
            self.reply(*anthropic(body))
        elif "/responses" in self.path:
            self.reply(*openai(body))
        elif "enerateContent" in self.path:
            self.reply(*gemini(body, "stream" in self.path))
        else:
            self.reply("application/json", "{}")

    def reply(self, kind, text):
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print("http://127.0.0.1:%d" % server.server_port, flush=True)
server.serve_forever()
