# Plays the engine for a harness: starts it on a terminal as its .kernel file says, sends requests, collects what comes.
#
# Everything is waited for; DEADLINE only ends a test that would hang.
#
# SPDX-License-Identifier: GPL-3.0-or-later

import base64
import configparser
import fcntl
import json
import os
import re
import secrets
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time

SOURCE = os.environ.get("INTERP_TEST_SOURCE_ROOT") or os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
KERNELS = os.path.join(SOURCE, "data", "kernels")
DEADLINE = float(os.environ.get("INTERP_TEST_DEADLINE", "30"))


class Lost(Exception):
    """The kernel ended."""


class Late(Exception):
    """What was waited for did not come."""


class Description:
    """A .kernel file."""

    def __init__(self, name):
        self.folder = os.path.join(KERNELS, name)
        parser = configparser.RawConfigParser(delimiters=("=",), strict=True)
        parser.optionxform = str
        with open(os.path.join(self.folder, name + ".kernel"), encoding="utf-8") as file:
            parser.read_file(file)
        self.sections = parser
        self.keys = parser["Kernel"]

    def items(self, key):
        return [item for item in self.keys.get(key, "").split(";") if item]

    def expand(self, text):
        harness = os.path.join(self.folder, self.keys["Harness"])
        return text.replace("%{harness}", harness).replace("%{folder}", self.folder)

    def interpreter(self):
        chosen = os.environ.get("INTERP_TEST_" + self.keys["Id"].upper())
        if chosen:
            return chosen
        return next(filter(None, (shutil.which(name) for name in self.items("Interpreters"))), None)

    def command(self):
        return [self.interpreter()] + [self.expand(item) for item in self.items("Arguments")]

    def environment(self):
        return dict(self.expand(item).split("=", 1) for item in self.items("Environment"))


class Cell:
    """What came of one execution."""

    def __init__(self, number):
        self.number = number
        self.raw = b""
        self.events = []

    def of(self, kind):
        return [event for event in self.events if event["t"] == kind]

    @property
    def output(self):
        return self.raw.decode("utf-8", "replace").replace("\r\n", "\n")

    @property
    def plain(self):
        """Output without escape sequences."""
        return re.sub(r"\x1b(\[[0-9;?]*[a-zA-Z]|\][^\a]*\a|[=>])", "", self.output)

    @property
    def finished(self):
        return self.of("finished")[0]

    @property
    def status(self):
        return self.finished["status"]

    @property
    def code(self):
        return self.finished["code"]

    @property
    def error(self):
        return (self.of("error") or [None])[0]

    @property
    def displays(self):
        return self.of("display")

    @property
    def lines(self):
        return [event["line"] for event in self.of("line")]


class Kernel:
    def __init__(self, name, fifo=False, inline=False, environment=None, folder=None):
        self.description = Description(name)
        self.tab = self.description.keys["Requests"] == "tab"
        self.room = tempfile.mkdtemp(prefix="interpreter-harness-")
        self.spool = os.path.join(self.room, "spool")
        self.cells_folder = os.path.join(self.room, "cells")
        self.folder = folder or os.path.join(self.room, "work folder")
        for path in (self.spool, self.cells_folder, self.folder):
            os.makedirs(path, exist_ok=True)
        self.token = secrets.token_hex(8)
        self.number = 0
        self.cells = {}
        self.background = b""
        self.stream = b""  # not yet split at markers
        self.current = None  # cell whose output comes
        self.event_bytes = b""
        self.loose_events = []
        self.ended = set()  # cells whose end marker came
        self.start(fifo, inline, environment or {})

    def start(self, fifo, inline, extra):
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        env = {key: value for key, value in os.environ.items() if not key.startswith("INTERP_")}
        env.update(TERM="xterm-256color", COLORTERM="truecolor", LANG="C.UTF-8", LC_ALL="C.UTF-8")
        env.update(self.description.environment())
        env["INTERP_KERNEL_TOKEN"] = self.token
        if not inline:
            env["INTERP_KERNEL_SPOOL"] = self.spool
        passed = ()
        if fifo:
            paths = [os.path.join(self.room, name) for name in ("requests", "events")]
            for path in paths:
                os.mkfifo(path)
            self.requests, self.events = (os.open(path, os.O_RDWR) for path in paths)
            env["INTERP_KERNEL_REQUESTS"], env["INTERP_KERNEL_EVENTS"] = paths
        else:
            theirs_in, self.requests = os.pipe()
            self.events, theirs_out = os.pipe()
            passed = (theirs_in, theirs_out)
            env["INTERP_KERNEL_REQUESTS"], env["INTERP_KERNEL_EVENTS"] = (str(number) for number in passed)
        env.update(extra)

        def prepare():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            self.description.command(),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=env,
            cwd=self.folder,
            pass_fds=passed,
            preexec_fn=prepare,
        )
        os.close(slave)
        for descriptor in passed:
            os.close(descriptor)
        self.saved_mode = termios.tcgetattr(self.master)
        self.ready = self.wait(lambda: next((e for e in self.loose_events if e["t"] == "ready"), None), "ready")

    # -- reading --

    def pump(self, timeout):
        readable, _, _ = select.select([self.master, self.events], [], [], timeout)
        for descriptor in readable:
            try:
                chunk = os.read(descriptor, 65536)
            except OSError:
                chunk = b""
            if descriptor == self.master:
                if chunk:
                    self.take_output(chunk)
                elif self.events not in readable:
                    raise Lost(self.last_words())
            elif chunk:
                self.take_events(chunk)
            else:
                self.drain()
                raise Lost(self.last_words())

    def drain(self):
        while select.select([self.master], [], [], 0)[0]:
            try:
                chunk = os.read(self.master, 65536)
            except OSError:
                return
            if not chunk:
                return
            self.take_output(chunk)

    def last_words(self):
        return (self.cells[self.current].raw if self.current else self.background).decode("utf-8", "replace")[-2000:]

    def take_output(self, chunk):
        self.stream += chunk
        pattern = re.compile(rb"\x1b\]7770;%s;(start|end);([0-9]+)\x07" % self.token.encode())
        while True:
            match = pattern.search(self.stream)
            if not match:
                break
            self.keep(self.stream[: match.start()])
            number = int(match.group(2))
            if match.group(1) == b"start":
                self.current = number
            else:
                self.current = None
                self.ended.add(number)
            self.stream = self.stream[match.end() :]
        held = self.stream.rfind(b"\x1b]7770")
        if held < 0:
            held = len(self.stream) - (1 if self.stream.endswith(b"\x1b") else 0)
        self.keep(self.stream[:held])
        self.stream = self.stream[held:]

    def keep(self, chunk):
        if self.current in self.cells:
            self.cells[self.current].raw += chunk
        else:
            self.background += chunk

    def take_events(self, chunk):
        self.event_bytes += chunk
        *lines, self.event_bytes = self.event_bytes.split(b"\n")
        for line in lines:
            assert len(line) < 1 << 20, "event line over 1 MB"
            event = json.loads(line.decode("utf-8", "replace"))
            cell = self.cells.get(event.get("id"))
            (cell.events if cell else self.loose_events).append(event)

    def wait(self, condition, what="a condition", timeout=None):
        end = time.monotonic() + (timeout or DEADLINE)
        while True:
            value = condition()
            if value:
                return value
            left = end - time.monotonic()
            if left <= 0:
                raise Late("%s did not come; terminal: %r" % (what, self.last_words()))
            self.pump(left)

    # -- writing --

    def send(self, t, **fields):
        if self.tab:
            if t == "execute":
                rest = "%d\t%s" % (fields["id"], fields["path"])
            elif t == "config":
                rest = "0\t" + " ".join("%s=%d" % (key, value) for key, value in fields.items())
            else:
                rest = "%d\t" % fields.get("id", 0)
            line = "%s\t%s\n" % (t, rest)
        else:
            line = json.dumps(dict(fields, t=t), ensure_ascii=False) + "\n"
        data = line.encode("utf-8")
        while data:
            data = data[os.write(self.requests, data) :]

    def type(self, text):
        os.write(self.master, text.encode() if isinstance(text, str) else text)

    def interrupt(self):
        """As the description says."""
        how = self.description.keys["Interrupt"]
        if how in ("message", "both"):
            self.send("interrupt", id=self.number)
        if how in ("sigint", "both"):
            if termios.tcgetattr(self.master)[3] & termios.ISIG:
                os.write(self.master, b"\x03")
            else:
                os.killpg(os.tcgetpgrp(self.master), signal.SIGINT)

    def stop(self, cell):
        """Interrupts until it ends, as the engine does: a shell may lose one that comes while it starts a child."""
        for _ in range(4):
            self.interrupt()
            try:
                self.wait(lambda: cell.of("finished"), "finished", 2)
                break
            except Late:
                pass
        return self.finish(cell)

    def begin(self, code, with_code=True):
        self.number += 1
        cell = self.cells[self.number] = Cell(self.number)
        path = os.path.join(self.cells_folder, "%d%s" % (self.number, self.description.keys["Extension"]))
        with open(path, "wb") as file:
            file.write(code.encode("utf-8") if isinstance(code, str) else code)
        fields = {"id": self.number, "path": path}
        if with_code and not self.tab:
            fields["code"] = code
        self.send("execute", **fields)
        return cell

    def finish(self, cell):
        self.wait(lambda: cell.of("finished"), "finished")
        self.wait(lambda: cell.number in self.ended or self.marker_lost, "the end marker")
        return cell

    marker_lost = False

    def run(self, code, **options):
        return self.finish(self.begin(code, **options))

    def until_output(self, cell, text):
        self.wait(lambda: text in cell.plain, "output %r" % text)

    def until_event(self, cell, kind):
        return self.wait(lambda: cell.of(kind), "event " + kind)[0]

    def until_background(self, text):
        self.wait(lambda: text in self.background.decode("utf-8", "replace"), "background output %r" % text)

    def content(self, display):
        """The bytes of a display."""
        if "data" in display:
            return base64.b64decode(display["data"])
        assert os.path.dirname(display["path"]) == self.spool, "not in the spool folder"
        with open(display["path"], "rb") as file:
            return file.read()

    def close(self):
        """Ends what is left; the kernel's whole session, since tests start children."""
        for descriptor in (self.requests, self.events):
            try:
                os.close(descriptor)
            except OSError:
                pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except OSError:
            pass
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        shutil.rmtree(self.room, ignore_errors=True)
