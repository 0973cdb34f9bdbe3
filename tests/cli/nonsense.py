#!/usr/bin/env python3
# nonsense.py - a server that answers every path with something that no server should, for run.t.
# Prints its port and serves until its standard input ends.
import gzip
import socket
import sys
import threading

OK = b"HTTP/1.1 200 OK\r\n"
MOVED = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: "
BOMB = gzip.compress(bytes(64 << 20))
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
}


def answer(there):
    with there:
        path = there.recv(65536).split(b" ")[1].decode()
        try:
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
