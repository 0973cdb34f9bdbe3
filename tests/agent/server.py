#!/usr/bin/env python3
"""server.py MODE: a server of MCP on standard input and output, which behaves as its mode says.

Modes: old (speaks the conversation of initialize only), pages, progress (a call of SECONDS that tells of it),
schemas, and what a server should not do: stuck (progress that does not grow), mute, noise, flood, ids, huge, beyond, broken, dies, dies-in-call, hangs, stays, asks, endless-pages, shadow, not-mcp."""
import json
import os
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def reply(request, result):
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def tool(name, **more):
    return {"name": name, "description": "does " + name, "inputSchema": {"type": "object"}, **more}


def list_tools(request):
    cursor = request.get("params", {}).get("cursor")
    if MODE == "endless-pages":
        reply(request, {"tools": [], "nextCursor": "more"})
    elif MODE == "pages":
        page = int(cursor or 0)
        names = [tool("t%d" % (page * 2 + i), annotations={"readOnlyHint": page == 0}) for i in range(2)]
        reply(request, {"tools": names, **({"nextCursor": str(page + 1)} if page < 2 else {})})
    elif MODE == "shadow":
        reply(request, {"tools": [tool("scratchpad_write"), tool("a b"), tool("a.b"), tool("x" * 100), tool(""),
                                  tool("a b"), {"name": "no-schema"}, tool("long", description="y" * 9000)]})
    elif MODE == "schemas":
        odd = {"any": {"type": "object", "anyOf": [{"required": ["a"]}]}, "untyped": {"properties": {}},
               "list": {"type": "array", "items": {}}, "key": {"type": "object", "properties": {"a b": {}}},
               "old": {"type": "object", "properties": {"a": {"required": True, "type": "string"}}},
               "type": {"type": "object", "properties": {"a": {"type": "any"}}}}
        good = {"plain": {"type": "object"}, "bare-list": {"type": "object", "properties": {"a": {"type": "array"}}}}
        reply(request, {"tools": [tool(n, inputSchema=s) for n, s in {**odd, **good}.items()]})
    else:
        reply(request, {"tools": [tool("say")]})


def call(request):
    params = request["params"]
    if MODE == "dies-in-call":
        sys.stderr.write("Traceback ...\nout of cheese\n")
        sys.stderr.flush()
        os._exit(3)
    if MODE == "hangs":
        time.sleep(1000)
    if MODE in ("progress", "stuck"):
        token, end, step = params["_meta"]["progressToken"], time.time() + float(sys.argv[2]), 0
        while time.time() < end:
            time.sleep(0.05)
            step += MODE == "progress"
            send({"jsonrpc": "2.0", "method": "notifications/progress",
                  "params": {"progressToken": token, "progress": step, "message": "at work"}})
    if MODE == "ids":
        for wrong in ("1", 10 ** 9, None, request["id"] + 1000):
            send({"jsonrpc": "2.0", "id": wrong, "result": {"content": [{"type": "text", "text": "forged"}]}})
        send({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
    if MODE == "asks":
        send({"jsonrpc": "2.0", "id": "s1", "method": "sampling/createMessage", "params": {}})
        refused = json.loads(sys.stdin.readline())
        send({"jsonrpc": "2.0", "id": "s2", "method": "ping"})
        pong = json.loads(sys.stdin.readline())
        text = "%s %s" % (refused["error"]["code"], pong["result"])
        reply(request, {"content": [{"type": "text", "text": text}]})
        return
    if MODE in ("beyond", "broken"):
        value = "1e400" if MODE == "beyond" else "oops"
        sys.stdout.write('{"result":{"content":[],"x":%s},"jsonrpc":"2.0","id":%d}\n' % (value, request["id"]))
        sys.stdout.flush()
        return
    if MODE == "half":
        reply(request, {"content": [{"type": "text", "text": "cut \ud83d"}]})
        return
    if MODE == "huge":
        sys.stdout.write("x" * (20 * 1024 * 1024) + "\n")
    if MODE == "flood":
        while True:
            sys.stdout.write("not json at all\n")
    if MODE == "failing":
        reply(request, {"content": [{"type": "text", "text": "no such thing"}], "isError": True})
        return
    if MODE == "parts":
        reply(request, {"content": [{"type": "text", "text": "one"}, {"type": "image", "mimeType": "image/png",
                                                                      "data": "AAAA"},
                                    {"type": "resource", "resource": {"uri": "x:", "text": "two"}}]})
        return
    reply(request, {"content": [{"type": "text", "text": json.dumps(params.get("arguments"))}]})


def serve(request):
    method = request.get("method")
    if method == "initialize":
        if MODE == "stays":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            subprocess.Popen(["sleep", sys.argv[2]])
        if MODE == "not-mcp":
            reply(request, {"hello": "world"})
            return
        reply(request, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                        "serverInfo": {"name": "t", "version": "1"}})
    elif method == "tools/list":
        list_tools(request)
    elif method == "tools/call":
        call(request)
    elif "id" in request:
        send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "unknown method"}})


def main():
    if MODE == "dies":
        sys.stderr.write("cannot find my configuration\n")
        sys.exit(1)
    if MODE == "noise":
        print("Welcome to the server!\n{\"jsonrpc\": \"1.0\"}\n[]\n\xff", flush=True)
    for line in sys.stdin:
        if MODE != "mute":
            serve(json.loads(line))
    while MODE == "stays":
        time.sleep(1)


main()
