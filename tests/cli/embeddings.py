"""embeddings.py [OPTION...] PORT_FILE LOG - an embeddings server for tests, as OpenAI's speaks.

A text's vector is the sum of its words' own, which are made from a hash of the word; words of one line
of SAME share one, so that a test knows what means the like.  Requests are appended to LOG as JSON,
one a line, before they are answered; the port goes to PORT_FILE once it listens.

  --slow MS     answer so late        --status N   answer with that status and no vectors
  --columns N   of a vector; else 32  --bad        answer with something else
  --key KEY     answer 401 without it --after N    the first N requests are answered well
"""
import argparse
import hashlib
import http.server
import json
import os
import re
import threading

SAME = [{"car", "automobile", "vehicle"}, {"cat", "kitten", "feline"}, {"doctor", "physician"}]


def word_vector(word, columns):
    for row in SAME:
        if word in row:
            word = min(row)
    bits, n = b"", 0
    while len(bits) < columns:
        bits += hashlib.sha256(f"{word} {n}".encode()).digest()
        n += 1
    return [b - 127.5 for b in bits[:columns]]


def vector(text, columns):
    total = [0.0] * columns
    for word in re.findall(r"[a-z]+", text.lower()) or [text]:
        total = [a + b for a, b in zip(total, word_vector(word, columns))]
    return [x / 1000 for x in total]


options = argparse.ArgumentParser()
options.add_argument("--slow", type=int, default=0)
options.add_argument("--status", type=int, default=200)
options.add_argument("--columns", type=int, default=32)
options.add_argument("--bad", action="store_true")
options.add_argument("--key")
options.add_argument("--after", type=int, default=0)
options.add_argument("port_file")
options.add_argument("log")
o = options.parse_args()
lock = threading.Lock()
met = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        global met
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = json.loads(body)
        with lock:
            met += 1
            wrong = met > o.after
            with open(o.log, "a") as log:
                log.write(json.dumps({"path": self.path, "key": self.headers.get("Authorization"), **asked}) + "\n")
        status = o.status if wrong else 200
        if o.key and self.headers.get("Authorization") != f"Bearer {o.key}":
            status = 401
        if wrong and o.slow:
            threading.Event().wait(o.slow / 1000)
        data = [{"object": "embedding", "index": i, "embedding": vector(t, o.columns)} for i, t in enumerate(asked["input"])]
        data.reverse()  # the index says which is which
        answer = json.dumps({"object": "list", "model": asked["model"], "data": data}).encode()
        if status != 200:
            answer = b'{"error": {"message": "no"}}'
        if o.bad and wrong:
            answer = answer.replace(b'"embedding": [', b'"embedding": ["x", ')
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
        except OSError:
            pass  # whoever asked did not wait


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(o.port_file + ".new", "w") as f:
    f.write(str(server.server_address[1]))
os.rename(o.port_file + ".new", o.port_file)
server.serve_forever()
