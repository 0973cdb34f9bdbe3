#!/usr/bin/env python3
# nonsense.py - a server that answers every path with something that no server should, and a model
# that does the same, for run_bad.t.  Prints its port and serves until its standard input ends.
import gzip
import socket
import sys
import threading

OK = b"HTTP/1.1 200 OK\r\n"
MOVED = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: "
BOMB = gzip.compress(bytes(64 << 20))


def stream(*pieces, stop=b"stop"):
    """A model's reply as an event stream; the pieces are bytes, and may be no UTF-8."""
    events = [b'{"choices":[{"index":0,"delta":{"content":"%s"}}]}' % p for p in pieces]
    events.append(b'{"choices":[{"index":0,"delta":{},"finish_reason":"%s"}]}' % stop)
    body = b"".join(b"data: " + e + b"\n\n" for e in events + [b"[DONE]"])
    return OK + b"Content-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n" % len(body) + body


ANSWERS = {
    "/words": b"220 mail.example.com ESMTP\r\n",
    "/head": OK,
    "/cut": OK + b"Content-Ty",
    "/gone": OK + b"Content-Length: 1073741824\r\n\r\n",
    "/bomb": OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(BOMB) + BOMB,
    "/loop": MOVED + b"/loop\r\n\r\n",
    "/file": MOVED + b"file:///etc/passwd\r\n\r\n",
    "/bytes": OK + b"Content-Type: text/plain\r\nContent-Length: 4\r\n\r\n\xe9t\xe9\n",
    "/ok": OK + b"Content-Type: text/plain\r\nContent-Length: 6\r\n\r\nhello\n",
    "/latin/chat/completions": stream(b"caf\xe9 ", b"and \xff"),
    "/page/chat/completions": OK + b"Content-Type: text/html\r\nContent-Length: 5\r\n\r\n<html",
}


def read_request(there):
    """The path, when all of the request is there."""
    got = b""
    while b"\r\n\r\n" not in got:
        got += there.recv(65536)
    head, _, body = got.partition(b"\r\n\r\n")
    length = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]
    while length and len(body) < length[0]:
        body += there.recv(65536)
    return head.split(b" ")[1].decode()


def answer(there):
    with there:
        try:
            path = read_request(there)
            there.sendall(ANSWERS.get(path, b""))
            while path == "/head":
                there.sendall(b"X: endless\r\n")
        except OSError:
            pass


def serve(here):
    while True:
        there, _ = here.accept()
        threading.Thread(target=answer, args=(there,), daemon=True).start()


here = socket.create_server(("127.0.0.1", 0))
print(here.getsockname()[1], flush=True)
threading.Thread(target=serve, args=(here,), daemon=True).start()
sys.stdin.read()
