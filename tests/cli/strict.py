#!/usr/bin/env python3
# strict.py REPLIES LOG [BYTES]: a provider that keeps the vendors' rules, for wire.t.
#
# Prints its port and serves until its standard input ends.  A request that breaks a rule is answered with 400,
# one of more than BYTES as too long; each other one gets the next line of REPLIES, as the events of its dialect.
# LOG gets a line a request: its status, then its body.
import http.server
import json
import re
import sys
import threading

replies = [json.loads(line) for line in open(sys.argv[1]) if line.strip()]
log = open(sys.argv[2], "a", buffering=1)
limit = int(sys.argv[3]) if len(sys.argv) > 3 else None
lock = threading.Lock()
WORD = re.compile(r"^[A-Za-z0-9_-]{1,64}$")


class Refused(Exception):
    pass


def need(good, why):
    if not good:
        raise Refused(why)


def check_call(calls, open_, id, name):
    need(WORD.match(id) and id not in calls, "messages: tool ids must be unique words: %r" % id)
    need(WORD.match(name), "messages: tool name %r" % name)
    calls.add(id)
    open_.add(id)


def check_anthropic(body):
    calls, open_ = set(), set()
    need(body.get("max_tokens", 0) > 0, "max_tokens: Field required")
    for i, m in enumerate(body["messages"]):
        user = m["role"] == "user"
        need(m["content"] and (i or user), "messages.%d: content is empty, or the first is not the user's" % i)
        need(user or not open_, "messages.%d: tool_use without tool_result" % i)
        words = False
        for k, b in enumerate(m["content"]):
            if b["type"] == "text":
                need(b["text"].strip(), "text content blocks must contain non-whitespace text")
                words = True
            elif b["type"] == "tool_result":
                need(not words and b["tool_use_id"] in open_, "unexpected tool_result")
                open_.discard(b["tool_use_id"])
            elif b["type"] == "tool_use":
                check_call(calls, open_, b["id"], b["name"])
            elif b["type"] == "thinking":
                need(b.get("signature"), "Invalid `signature` in `thinking` block")
                need(k + 1 < len(m["content"]), "The final block in an assistant message cannot be `thinking`")
        need(not user or not open_, "messages.%d: tool_use without tool_result" % i)
    need(not open_, "tool_use without tool_result")


def check_openai(body):
    calls, open_ = set(), set()
    for m in body["messages"]:
        if m["role"] == "tool":
            need(m["tool_call_id"] in open_, "tool without tool_calls")
            open_.discard(m["tool_call_id"])
            continue
        need(not open_, "tool_calls must be followed by tool messages")
        need(isinstance(m.get("content"), str), "messages.content: Input should be a valid string")
        for c in m.get("tool_calls", []):
            check_call(calls, open_, c["id"], c["function"]["name"])
            need(m.get("reasoning_content") == "hm", "Missing reasoning_content in the assistant message")
    need(not open_, "tool_calls must be followed by tool messages")


def anthropic_events(reply):
    yield {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 9}}}
    for i, block in enumerate(reply["blocks"]):
        delta = {"text": ("text_delta", "text"), "thinking": ("thinking_delta", "thinking"),
                 "tool_use": ("input_json_delta", "partial_json")}[block["type"]]
        whole = block.pop(delta[1] if block["type"] != "tool_use" else "input")
        block.setdefault({"tool_use": "input"}.get(block["type"], delta[1]), {} if block["type"] == "tool_use" else "")
        yield {"type": "content_block_start", "index": i, "content_block": block}
        piece = json.dumps(whole) if block["type"] == "tool_use" else whole
        yield {"type": "content_block_delta", "index": i, "delta": {"type": delta[0], delta[1]: piece}}
        yield {"type": "content_block_stop", "index": i}
    yield {"type": "message_delta", "delta": {"stop_reason": reply["stop"]}, "usage": {"output_tokens": 9}}
    yield {"type": "message_stop"}


def openai_events(reply):
    yield {"choices": [{"index": 0, "delta": reply["delta"]}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": reply["stop"]}]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, kind, data):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        body = json.loads(text)
        anthropic = self.path.endswith("/messages")
        with lock:
            try:
                (check_anthropic if anthropic else check_openai)(body)
                need(limit is None or len(text) <= limit, "prompt is too long: %d" % len(text))
                need(replies, "there is nothing more to say")
                events = list((anthropic_events if anthropic else openai_events)(replies.pop(0)))
            except Refused as why:
                log.write("400 %s %s\n" % (why, text))
                refusal = {"type": "error", "error": {"type": "invalid_request_error", "message": str(why)}}
                return self.answer(400, "application/json", json.dumps(refusal).encode())
            log.write("200 %s\n" % text)
        data = b"".join(b"data: " + json.dumps(e).encode() + b"\n\n" for e in events)
        return self.answer(200, "text/event-stream", data)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
