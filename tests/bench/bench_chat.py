"""Opening a long chat against a short one, an answer that streams into a chat of 400 rich messages, and 5 000 lines of
code that stream.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import figures

from driver import Desktop  # noqa: E402

OPENED = 5  # chats of each length, each opened once
LONG, SHORT = 10000, 100
MESSAGES, FEW = 400, 4
CHUNKS = 1500
LINES = 5000
PACE = 0.005  # seconds
PARAGRAPH = ("The table has **three** columns and `rows` of numbers; what follows looks at each in turn.\n\n"
             "- the first holds the month,\n- the second what was sold,\n- the third what it cost.\n\n"
             "```python\nfor row in rows:\n    print(row.month, row.sold - row.cost)\n```\n\n"
             "| month | sold |\n|---|---|\n| 1 | 10 |\n| 2 | 30 |\n\n")


class Model(BaseHTTPRequestHandler):
    """Answers with its server's text in CHUNKS pieces, one each PACE."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        body = json.dumps({"object": "list", "data": [{"id": "scripted", "max_model_len": 1 << 20}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        text = self.server.text
        begin = time.monotonic()
        for number in range(CHUNKS):
            piece = slice(number * len(text) // CHUNKS, (number + 1) * len(text) // CHUNKS)
            self.event({"content": text[piece]}, None)
            time.sleep(max(0, begin + (number + 1) * PACE - time.monotonic()))
        self.event({}, "stop")
        self.chunk(b"data: [DONE]\n\n")
        self.chunk(b"")

    def event(self, delta, finish):
        value = {"id": "bench", "object": "chat.completion.chunk", "created": 0, "model": "scripted",
                 "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        self.chunk(f"data: {json.dumps(value)}\n\n".encode())

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


def fill(desktop, folder, chats, messages):
    return [int(chat) for chat in figures.run("bench-store", "fill", folder, chats, messages, env=desktop.env)["chat"]]


def opening(desktop, folder):
    short = fill(desktop, folder, OPENED, SHORT)
    long = fill(desktop, folder, OPENED, LONG)
    # The first is opened once before: it fills the caches.
    order = [short[0], long[0], *(chat for pair in zip(short[1:], long[1:]) for chat in pair)]
    times = figures.run("bench-window", "open", folder, *order, env=desktop.env)["open"]
    figures.ratio("opening a chat of 10 000 items", figures.median(times[3::2]), "ms", figures.median(times[2::2]),
                  "one of 100", at_most=2)


def stream(desktop, folder, chat, text):
    """What it takes to show `text` as it comes into `chat`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.daemon_threads = True
    server.text = text
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        return figures.run("bench-window", "stream", folder, chat, f"http://127.0.0.1:{server.server_address[1]}/v1",
                           env=desktop.env)
    finally:
        server.shutdown()
        server.server_close()


def prose(desktop, folder):
    rich, = fill(desktop, folder, 1, MESSAGES)
    few, = fill(desktop, folder, 1, FEW)
    text = (PARAGRAPH * (CHUNKS * 12 // len(PARAGRAPH) + 1))[:CHUNKS * 12]
    shown = {chat: stream(desktop, folder, chat, text) for chat in (rich, few)}
    turns = shown[rich]["turn"]
    figures.amount("1 500 chunks into 400 messages: longest frame", max(turns), "ms", at_most=33,
                   note=f"95 %: {figures.number(figures.percentile(turns, 0.95))} ms; the longest without what other "
                        f"programs took: {figures.number(max(shown[rich]['work']))} ms")
    cost = {chat: values["processor"][0] / CHUNKS for chat, values in shown.items()}
    figures.ratio("… a chunk's cost in processor time", cost[rich], "ms", cost[few], "in a chat of 4 messages", at_most=1.2)


def code(desktop, folder):
    few, = fill(desktop, folder, 1, FEW)
    lines = "".join(f"value_{number} = compute({number}, name='n{number}')  # line {number}\n" for number in range(LINES))
    shown = stream(desktop, folder, few, f"```python\n{lines}```\n\nThe end.\n")
    turns = shown["turn"]
    figures.amount("5 000 lines of code: median frame", figures.median(turns), "ms", at_most=16,
                   note=f"95 %: {figures.number(figures.percentile(turns, 0.95))} ms; the longest: "
                        f"{figures.number(max(turns))} ms")
    figures.amount("… the most memory in use", shown["memory"][0], "MB", at_most=300)


def main():
    with Desktop() as desktop:
        folder = desktop.folder / "chats"
        folder.mkdir(mode=0o700)
        opening(desktop, folder)
        prose(desktop, folder)
        code(desktop, folder)


main()
