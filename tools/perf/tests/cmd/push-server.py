#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""push-server.py DIR [PORT [CERTIFICATE]]: a receiver of profiles. It writes its port to DIR/port, and each body that it takes to
DIR/NUMBER.body, with its path and headers as JSON in DIR/NUMBER.json. What it does to requests is the word in DIR/mode: take them, or
refuse, fail, redirect ... In mode "one STATUS" it answers that to the first body that it sees, whenever that comes, and takes others."""
import http.server, itertools, json, os, socket, ssl, sys, time

where = sys.argv[1]
numbers = itertools.count(len([f for f in os.listdir(where) if f.endswith(".body")]))
first = []
statuses = {"fail": 503, "refuse": 400, "moved": 302, "wait": 429, "forbid": 401}


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            mode = open(f"{where}/mode").read().strip()
        except FileNotFoundError:
            mode = "take"
        if mode.startswith("one "):
            first[:] = first or [body]
            statuses["bad"] = int(mode.split()[1])
            mode = "bad" if body == first[0] else "take"
        with open(f"{where}/requests", "a") as log:
            log.write(f"{mode} {time.monotonic()}\n")
        if mode in ("take", "endless", "partial"):
            self.keep(body)
        if mode == "close":
            self.close_connection = True
        elif mode == "slow":
            time.sleep(60)
        elif mode == "headers":
            self.endless(b"HTTP/1.1 200 OK\r\n", b"X: " + 1000 * b"x" + b"\r\n")
        elif mode == "endless":
            self.endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"400\r\n" + 1024 * b"x" + b"\r\n")
        else:
            self.mode = mode
            self.answer(statuses.get(mode, 200), b"\x0a\x06\x08\x02\x12\x02no" if mode == "partial" else
                        self.headers.get("Authorization", "").encode() if mode == "refuse" else b"")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if status == 302:
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_address[1]}/stolen")
        if self.mode == "wait":
            self.send_header("Retry-After", "2")
        self.end_headers()
        self.wfile.write(body)

    def endless(self, head, more):
        try:
            self.wfile.write(head)
            for _ in range(10000):
                self.wfile.write(more)
        except OSError:
            pass
        self.close_connection = True

    def keep(self, body):
        name = f"{where}/{next(numbers):05d}"
        with open(name + ".json", "w") as f:
            json.dump({"path": self.path, "headers": dict(self.headers)}, f)
        with open(name + ".part", "wb") as f:
            f.write(body)
        os.rename(name + ".part", name + ".body")

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Receiver)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
with open(f"{where}/port.part", "w") as f:
    f.write(str(server.server_address[1]))
os.rename(f"{where}/port.part", f"{where}/port")
server.serve_forever()
