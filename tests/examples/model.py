#!/usr/bin/env python3
# model.py KEY: a small model on this machine, for models.sh.  It speaks as OpenAI's chat completions and as
# Anthropic's Messages do, streams, and is as strict about a request as they are.
#
# A request without tools is one of the JSON protocol: tools stand in the system text, calls in its own words.
#
# Nothing is recorded here: what comes next is decided from the request alone.  Asked to find something out,
# it plans, runs the commands that the question names, takes what they printed out of the results, and writes
# the note that is asked for; asked what is known, it lists the notes and reads them.
#
# Prints its port and serves until its standard input ends.  The path says how it behaves: /HOW/v1/...
#
#   plain      one call a reply.  The first reply after a command stops in its middle until the connection is
#              gone; who comes then must ask the very same thing again, byte for byte
#   fast       as plain, without stopping
#   eager      as fast; all calls that it can make in one reply, another wording, and tools that are not allowed
#   liar       as fast; what it says of the kernel it has not read
#   miscounts  as fast; it has read another number of CPUs
#   open       as fast; never closes its plan
#   idle       as fast; answers without a note
#   stubborn   as fast; asked what is known it wants to measure, again and again
import http.server
import json
import re
import sys
import threading

key = sys.argv[1]
stopped = {}
lock = threading.Lock()


class Refused(Exception):
    def __init__(self, status, kind, message):
        super().__init__(message)
        self.status, self.kind, self.message = status, kind, message


def need(good, message):
    if not good:
        raise Refused(400, "invalid_request_error", message)


class Talk:
    """A request, whichever dialect it came in."""

    def __init__(self):
        self.tools, self.users, self.calls, self.results, self.system = {}, [], [], {}, ""
        self.native = True

    def call(self, id, name, args):
        need(id and id not in [c[0] for c in self.calls], "an id of a call is there twice: %s" % id)
        self.calls.append((id, name, args))

    def result(self, id, text):
        need(id in [c[0] for c in self.calls] and id not in self.results, "a result of no call: %s" % id)
        self.results[id] = text

    def whole(self):
        need(all(c[0] in self.results for c in self.calls), "a call has no result")

    def answers(self, name, **args):
        """What calls like this one have answered, oldest first; what nobody knows the outcome of, is done again."""
        found = [self.results[i] for i, n, a in self.calls if n == name and args.items() <= a.items()]
        return [r for r in found if "[unknown outcome]" not in r]


# --- Reading ----------------------------------------------------------------------------------


def read_openai(body, headers):
    known = body.get("model") == "gpt-5"
    if known and headers.get("authorization") != "Bearer " + key:
        raise Refused(401, "invalid_request_error", "Incorrect API key provided: %s" % headers.get("authorization"))
    need(known or "authorization" not in headers, "this server takes no key")
    need(not known or "max_tokens" not in body, "max_tokens: use max_completion_tokens")
    need(known or "max_completion_tokens" not in body, "max_completion_tokens: unknown")
    need(known or body.get("max_tokens", 0) > 0, "without a limit this server stops after 16 tokens")
    need(body.get("stream") is True, "not a stream")
    if "tools" not in body:
        return read_words(body["messages"])
    talk = Talk()
    for t in body["tools"]:
        talk.tools[t["function"]["name"]] = t["function"]["parameters"]
    for m in body["messages"]:
        role = m["role"]
        if role == "tool":
            talk.result(m["tool_call_id"], m["content"])
            continue
        talk.whole()
        if role == "system":
            talk.system += m["content"]
        elif role == "user":
            talk.users.append(m["content"])
        for c in m.get("tool_calls", []):
            talk.call(c["id"], c["function"]["name"], json.loads(c["function"]["arguments"]))
    talk.whole()
    return talk


def words_of(content):
    """A result stands below a line with its call, from one line with the run's sign to the next."""
    sign = re.match(r"<jotter-results (\w+)>\n", content)
    need(sign, "a result without a sign: %s" % content)
    said = re.split(r"^<jotter-\w+ %s" % sign.group(1), content[sign.end():], flags=re.M)[0]
    return said.partition("\n")[2]


def read_words(messages):
    talk = Talk()
    talk.native = False
    talk.system = messages[0]["content"]
    for name, schema in re.findall(r"^- (\w+): .*\n  args: (\{.*\})$", talk.system, re.M):
        talk.tools[name] = json.loads(schema)
    for m in messages[1:]:
        if m["role"] == "assistant":
            call = json.loads(m["content"][m["content"].index('{"tool"'):])
            talk.call(str(len(talk.calls)), call["tool"], call["args"])
        elif len(talk.calls) > len(talk.results):
            talk.result(talk.calls[-1][0], words_of(m["content"]))
        else:
            talk.users.append(m["content"])
    return talk


def read_anthropic(body, headers):
    if headers.get("x-api-key") != key:
        raise Refused(401, "authentication_error", "invalid x-api-key %s" % headers.get("x-api-key"))
    need(headers.get("anthropic-version") == "2023-06-01", "anthropic-version: header is required")
    need(body.get("max_tokens", 0) > 0 and body.get("stream") is True, "max_tokens: Field required")
    need(body.get("model") == "claude-sonnet-5", "model: %s" % body.get("model"))
    talk = Talk()
    talk.system = "".join(b["text"] for b in body.get("system", []))
    for t in body.get("tools", []):
        talk.tools[t["name"]] = t["input_schema"]
    for i, m in enumerate(body["messages"]):
        need(m["role"] == ("assistant" if i % 2 else "user"), "roles must alternate")
        need(m["content"], "messages.%d: content is empty" % i)
        for b in m["content"]:
            if b["type"] == "text":
                need(b["text"].strip(), "text content blocks must be non-empty")
                if m["role"] == "user":
                    talk.users.append(b["text"])
            elif b["type"] == "tool_use":
                talk.call(b["id"], b["name"], b["input"])
            elif b["type"] == "tool_result":
                talk.result(b["tool_use_id"], b["content"])
        if m["role"] == "user":
            talk.whole()
    return talk


# --- Thinking ---------------------------------------------------------------------------------


def printed(results):
    """The first line of the newest command that ended well, or None."""
    good = [r for r in results if "(exit code 0)" in r]
    return good[-1].split("\n")[0].strip() if good else None


def investigate(talk, how, question):
    """The next (words, calls)."""
    commands = re.findall(r"\(([a-z]+(?: -[a-z]+)?)\)", question)
    names = re.findall(r"'(\w+): \.\.\.'", question)
    note = re.search(r"the note '(\w+)'", question).group(1)
    found = [printed(talk.answers("shell", command=c)) for c in commands]
    need(len(commands) == len(names) == 2, "the question is not understood: %s" % question)
    todo = []
    if not talk.answers("plan_create"):
        todo.append(("plan_create", {"objective": "know the machine", "steps": ["look", "keep it"],
                                     "postconditions": ["the note has both"]}))
    todo += [("shell", {"command": c}) for c, f in zip(commands, found) if f is None]
    if how == "eager" and not talk.answers("write_file"):
        todo.append(("write_file", {"path": "machine.txt", "content": "not allowed"}))
    if todo:
        return "First I look at the machine.", todo
    if how == "idle":
        return "It is a nice machine.", []
    if not talk.answers("scratchpad_write", key=note):
        text = "".join("%s: %s\n" % pair for pair in zip(names, found))
        return "", [("scratchpad_write", {"key": note, "content": text})]
    done = [("step_update", {"n": n, "status": "done", "evidence": "seen"}) for n in (1, 2)]
    done.append(("postcondition_verify", {"n": 1, "evidence": "written"}))
    todo = [(n, a) for n, a in done if not talk.answers(n, n=a["n"])]
    if todo and how != "open":
        return "The plan.", todo
    return "Kept: %s." % ", ".join(found), []


def recall(talk, how):
    if how in ("eager", "stubborn") and len(talk.answers("shell")) < (1 if how == "eager" else 100):
        return "I measure it.", [("shell", {"command": "uname -r; nproc"})]
    if not talk.answers("scratchpad_list"):
        return "What is there?", [("scratchpad_list", {})]
    keys = re.findall(r"^[\w-]+", talk.answers("scratchpad_list")[-1], re.M)
    todo = [("scratchpad_read", {"key": k}) for k in keys if not talk.answers("scratchpad_read", key=k)]
    if todo:
        return "", todo
    known = {}
    for k in keys:
        known.update(re.findall(r"^(\w+): (\S+)$", talk.answers("scratchpad_read", key=k)[-1], re.M))
    if how == "liar":
        known["kernel"] = "2.4.0"
    if how == "miscounts":
        known["cpus"] = str(int(known["cpus"]) + 1)
    if how == "eager":
        return "Here is what my notes hold:\n\n- **Kernel**: `%(kernel)s`\n- **CPUs**: %(cpus)s\n" % known, []
    return "The kernel is %(kernel)s. There are %(cpus)s CPUs." % known, []


def next_step(talk, how):
    question = talk.users[0]
    need("scratchpad" in talk.system, "nobody said what the scratchpad is")
    words, calls = investigate(talk, how, question) if "Find out" in question else recall(talk, how)
    for name, args in calls:
        need(name in talk.tools, "the tool %s is not there" % name)
        schema = talk.tools[name]
        need(set(schema.get("required", [])) <= set(args) <= set(schema.get("properties", {})),
             "%s does not take %s" % (name, args))
    calls = calls if how == "eager" else calls[:1]
    if talk.native:
        return words, calls
    call = calls[0] if calls else ("done", {"summary": words})
    return "%s\n%s" % (words, json.dumps({"tool": call[0], "args": call[1]})), []


# --- Speaking ---------------------------------------------------------------------------------


def pieces(text, n=5):
    return [text[i:i + n] for i in range(0, len(text), n)]


def event(data, name=None):
    return ("event: %s\n" % name if name else "").encode() + b"data: " + json.dumps(data).encode() + b"\n\n"


def say_openai(words, calls, first):
    def chunk(delta, reason=None):
        return event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                      "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(words):
        yield chunk({"content": piece})
    for i, (name, args) in enumerate(calls):
        yield chunk({"tool_calls": [{"index": i, "id": "call_%d" % (first + i), "type": "function",
                                     "function": {"name": name, "arguments": ""}}]})
        for piece in pieces(json.dumps(args)):
            yield chunk({"tool_calls": [{"index": i, "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls" if calls else "stop")
    yield event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [],
                 "usage": {"prompt_tokens": 3000, "completion_tokens": 50, "total_tokens": 3050}})
    yield b"data: [DONE]\n\n"


def say_anthropic(words, calls, first):
    def send(kind, **more):
        return event({"type": kind, **more}, kind)

    yield send("message_start", message={"id": "msg_01", "type": "message", "role": "assistant", "content": [],
                                         "model": "m", "stop_reason": None,
                                         "usage": {"input_tokens": 3000, "output_tokens": 1}})
    yield send("ping")
    n = 0
    if words:
        yield send("content_block_start", index=n, content_block={"type": "text", "text": ""})
        for piece in pieces(words):
            yield send("content_block_delta", index=n, delta={"type": "text_delta", "text": piece})
        yield send("content_block_stop", index=n)
        n += 1
    for i, (name, args) in enumerate(calls):
        yield send("content_block_start", index=n, content_block={"type": "tool_use", "id": "toolu_%d" % (first + i),
                                                                  "name": name, "input": {}})
        for piece in pieces(json.dumps(args)):
            yield send("content_block_delta", index=n, delta={"type": "input_json_delta", "partial_json": piece})
        yield send("content_block_stop", index=n)
        n += 1
    yield send("message_delta", delta={"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None},
               usage={"output_tokens": 50})
    yield send("message_stop")


# --- Serving ----------------------------------------------------------------------------------


def stops_here(how, who, talk, body):
    """In the middle of this reply: the first time that a command has answered."""
    if how != "plain" or not talk.answers("shell") or "Find out" not in talk.users[0]:
        return False
    with lock:
        before = stopped.get(who)
        if before is None:
            stopped[who] = body
            return True
        if before:
            stopped[who] = b""
            need(before == body, "who was killed asks something else than before")
    return False


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def refuse(self, e):
        body = json.dumps({"type": "error", "error": {"type": e.kind, "message": e.message}}).encode()
        self.send_response(e.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        _, how, path = self.path.split("/", 2)
        headers = {k.lower(): v for k, v in self.headers.items()}
        dialects = {"v1/messages": (read_anthropic, say_anthropic), "v1/chat/completions": (read_openai, say_openai)}
        try:
            if path not in dialects:
                raise Refused(404, "not_found_error", "no such path: %s" % self.path)
            read, say = dialects[path]
            asked = json.loads(body)
            talk = read(asked, headers)
            words, calls = next_step(talk, how)
            stop = stops_here(how, asked["model"], talk, body)
        except Refused as e:
            return self.refuse(e)
        return self.send(list(say(words, calls, len(talk.calls))), stop)

    def send(self, events, stop):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for e in events[:len(events) // 2] if stop else events:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(e), e))
        if stop:
            self.close_connection = True
            self.connection.settimeout(60)
            return self.connection.recv(1)
        return self.wfile.write(b"0\r\n\r\n")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
