#!/usr/bin/env python3
# server.py STREAMS PEM: providers that behave well and badly, on this machine, for test_provider.c.
#
# Prints its two ports (HTTP, HTTPS) and serves until its standard input ends.  The path of a request
# says what happens: /ID/STEP/STEP/.../v1/messages, .../chat/completions or .../responses.  The first request with
# this ID gets the first STEP, the next one the second; the last step is given again and again.
#
#   ok-NAME    the recorded stream      bytes-NAME  the same, byte by byte
#   cut-NAME   half of it, then closed  hang-NAME   half of it, then silence
#   json-...   not a stream             stall       no answer at all
#   NUMBER...  a refusal, see refuse()
#
# GET /log/ID answers what was asked under this ID: a list of {path, headers, body}.
import email.utils
import http.server
import json
import os
import ssl
import sys
import threading
import urllib.parse

streams, pem = sys.argv[1], sys.argv[2]
asked = {}
lock = threading.Lock()

OVERFLOW = {
    "anthropic": {"type": "error", "error": {"type": "invalid_request_error",
                  "message": "prompt is too long: 210000 tokens > 200000 maximum"}},
    "openai": {"error": {"message": "This model's maximum context length is 8192 tokens. However, your messages "
               "resulted in 9000 tokens.", "type": "invalid_request_error", "param": "messages",
               "code": "context_length_exceeded"}},
}
OTHER_OVERFLOW = {
    "anthropic": {"type": "error", "error": {"type": "invalid_request_error", "message": "input length and "
                  "`max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length"}},
    "openai": {"error": {"code": 400, "message": "the request exceeds the available context size. try increasing "
               "the context size", "type": "exceed_context_size_error", "n_prompt_tokens": 9, "n_ctx": 8}},
}
TYPES = {400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error",
         404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 500: "api_error",
         529: "overloaded_error"}


VENDORS = {"messages": "anthropic", "completions": "openai", "responses": "responses"}
OVERFLOW["responses"], OTHER_OVERFLOW["responses"] = OVERFLOW["openai"], OTHER_OVERFLOW["openai"]


def refuse(vendor, step, headers):
    """(status, headers, body) of a refusal: STATUS, or STATUS-how."""
    number, _, how = step.partition("-")
    status = int(number)
    extra, body = {}, {"error": {"type": TYPES.get(status, "unknown_error"), "message": "because of %d." % status}}
    if how == "overflow":
        body = OVERFLOW[vendor]
    elif how == "other_overflow":
        body = OTHER_OVERFLOW[vendor]
    elif how == "quota":
        body = {"error": {"message": "You exceeded your quota", "type": "insufficient_quota",
                          "code": "insufficient_quota"}}
    elif how == "too_large":
        body = {"error": {"message": "Request too large for gpt on tokens per min (TPM): Limit 30000, Requested 45000",
                          "type": "tokens", "code": "rate_limit_exceeded"}}
    elif how.startswith("after_ms_"):
        extra = {"retry-after-ms": how[9:], "Retry-After": "50"}
    elif how.startswith("after_"):
        extra = {"Retry-After": how[6:]}
    elif how == "date":
        extra = {"Retry-After": email.utils.formatdate(1000 + 7, usegmt=True)}
    elif how == "invalid":  # llama-cpp-python
        body = {"error": {"message": "[{'type': 'string_type', 'loc': ('body', 'messages', 2, 'content'), "
                          "'msg': 'Input should be a valid string'}]",
                          "type": "internal_server_error", "param": None, "code": None}}
    elif how.startswith("code_"):  # vLLM behind a proxy
        body = {"object": "error", "message": "no such field", "type": "Error", "code": int(how[5:])}
    elif how == "bad_request":  # LiteLLM
        body = {"error": {"message": "litellm.BadRequestError: OpenAIException - nothing fits", "type": None}}
    elif how == "type":
        body["error"]["type"] = "invalid_request_error"
    elif how == "usage" and vendor == "responses":
        body = {"error": {"message": "Encrypted content is not supported with this model.", "param": "include",
                          "type": "invalid_request_error", "code": None}}
    elif how == "usage":  # Mistral
        body = {"object": "error", "message": {"detail": [{"type": "extra_forbidden", "loc": [
            "body", "stream_options", "include_usage"], "msg": "Extra inputs are not permitted", "input": True}]},
            "type": "invalid_request_error", "param": None, "code": None}
    elif how == "window":  # llama-cpp-python
        body = {"error": {"message": "Requested tokens (5021) exceed context window of 4096", "type": "internal_server_error"}}
    elif how == "never":
        extra = {"x-should-retry": "false", "Retry-After": "1"}
    elif how == "should":
        extra = {"x-should-retry": "true"}
    elif how == "echo":
        body = {"error": {"message": "bad key %s%s" % (headers.get("x-api-key", ""),
                                                      headers.get("authorization", ""))}}
    elif how == "html":
        return status, {}, b"<html>Bad gateway</html>"
    elif how == "elsewhere":
        extra = {"Location": "/stolen/ok-text/v1/messages"}
    return status, extra, json.dumps(body).encode()


def stream(vendor, name):
    with open(os.path.join(streams, vendor, name + ".sse"), "rb") as f:
        return f.read()


def huge(vendor, size):
    """A call with `size` bytes of arguments, in one event."""
    args = json.dumps({"text": "x" * (size - 12)})
    if vendor == "anthropic":
        events = [{"type": "content_block_start", "index": 0,
                   "content_block": {"type": "tool_use", "id": "toolu_01", "name": "write", "input": {}}},
                  {"type": "content_block_delta", "index": 0,
                   "delta": {"type": "input_json_delta", "partial_json": args}},
                  {"type": "content_block_stop", "index": 0},
                  {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}]
    elif vendor == "responses":
        item = {"type": "function_call", "call_id": "toolu_01", "name": "write", "arguments": args}
        events = [{"type": "response.output_item.done", "output_index": 0, "item": item},
                  {"type": "response.completed", "response": {}}]
    else:
        events = [{"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "toolu_01",
                                "function": {"name": "write", "arguments": args}}]}}]},
                  {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}]
    return b"".join(b"data: " + json.dumps(e).encode() + b"\n\n" for e in events)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def answer(self, status, headers, body):
        self.send_response(status)
        for k, v in headers.items():
            self.send_header(k, v)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        parts = self.path.split("/")
        if parts[1] == "windows":
            return self.say_window(parts[2], parts[-1])
        with lock:
            body = json.dumps(asked.get(parts[2], [])).encode()
        self.answer(200, {"Content-Type": "application/json"}, body)

    def say_window(self, how, what):
        """The list of models, as different servers have it."""
        own = {"max_model_len": {"max_model_len": 8192}, "openrouter": {"context_length": 163840},
               "small": {"context_length": 100}, "text": {"context_length": "8192"},
               "trained": {"owned_by": "somebody", "meta": {"n_ctx_train": 131072}},
               "ollama": {"owned_by": "library"}, "ollama_unloaded": {"owned_by": "library"},
               "llama": {"owned_by": "llamacpp", "meta": {"n_ctx_train": 131072}}}.get(how, {})
        models = [dict(own, id="other" if how == "others" else "gpt-test")]
        if how in ("openrouter", "others"):
            models.append({"id": "third", "context_length": 1000000})
        if how == "stall":
            return self.wait()
        if how == "page":
            return self.answer(200, {"Content-Type": "text/html"}, b"<html>")
        if what == "ps":
            running = [{"name": "gpt-test", "context_length": 16384}] if how == "ollama" else []
            return self.answer(200, {"Content-Type": "application/json"}, json.dumps({"models": running}).encode())
        if how == "none" or what == "props" and how != "llama":
            return self.answer(404, {}, b"")
        body = {"default_generation_settings": {"n_ctx": 4096}} if what == "props" else {"data": models}
        return self.answer(200, {"Content-Type": "application/json"}, json.dumps(body).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = urllib.parse.unquote(self.path)
        parts = path.strip("/").split("/")
        vendor = VENDORS[parts[-1]]
        steps = parts[1:-1 if vendor == "responses" else -2]
        with lock:
            log = asked.setdefault(parts[0], [])
            step = steps[min(len(log), len(steps) - 1)]
            log.append({"path": path, "headers": {k.lower(): v for k, v in self.headers.items()},
                        "body": body.decode("utf-8", "replace")})
        self.play(vendor, step)

    def play(self, vendor, step):
        what, _, name = step.partition("-")
        if what.isdigit():
            return self.answer(*refuse(vendor, step, self.headers))
        if what == "json" and vendor == "responses":
            text = {"object": "response", "status": "completed", "output": [{"type": "message", "content": [
                {"type": "output_text", "text": "whole"}]}], "usage": {"input_tokens": 3, "output_tokens": 1}}
            return self.answer(200, {"Content-Type": "application/json"}, json.dumps(text).encode())
        if what == "json":
            text = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "whole"},
                                 "finish_reason": "stop"}], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}
            return self.answer(200, {"Content-Type": "application/json"}, json.dumps(text).encode())
        if what == "page":
            return self.answer(200, {"Content-Type": "text/html"}, b"<html><body>Welcome</body></html>\n")
        if what == "drop":
            self.close_connection = True
            return self.connection.close()
        if what == "stall":
            return self.wait()
        if what == "garbage":
            self.wfile.write(b"\x00\x01nonsense\r\n\r\n")
            self.close_connection = True
            return None
        if what in ("headers", "line"):
            self.send_response(200)
            for i in range(100 if what == "headers" else 1):
                self.send_header("X-%d" % i, "x" * (1000 if what == "headers" else 200000))
            self.end_headers()
            return self.stop()
        data = huge(vendor, int(name)) if what == "huge" else stream(vendor, name)
        return self.send(what, data)

    def send(self, what, data):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if what in ("cut", "hang"):
            data = data[:len(data) // 2]
        step = 1 if what == "bytes" else 65536
        for at in range(0, len(data), step):
            piece = data[at:at + step]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        if what == "cut":
            return self.stop()
        if what == "hang":
            return self.wait()
        if what == "rude":
            return self.stop()
        self.wfile.write(b"0\r\n\r\n")
        return None

    def stop(self):
        self.close_connection = True
        self.wfile.flush()
        self.connection.close()

    def wait(self):
        """Until the other side goes away."""
        self.close_connection = True
        try:
            self.connection.recv(1)
        except OSError:
            pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass


class TlsServer(Server):
    def get_request(self):
        raw, address = self.socket.accept()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        try:
            return context.wrap_socket(raw, server_side=True), address
        except (ssl.SSLError, OSError) as e:
            raise OSError(str(e)) from e


servers = [Server(("127.0.0.1", 0), Handler), TlsServer(("127.0.0.1", 0), Handler)]
for s in servers:
    threading.Thread(target=s.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
print(*[s.server_address[1] for s in servers], flush=True)
sys.stdin.read()
