"""The window's first frame and its memory when idle, against a bare window of libadwaita.

The first frame is when the X server has been given the first content of a large window; seen by DAMAGE, so nothing of
the programs knows that it is measured.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import contextlib
import select
import socket
import subprocess
import time
from pathlib import Path

import figures

from driver import Desktop  # noqa: E402
from Xlib import X, display  # noqa: E402
from Xlib.ext import damage  # noqa: E402

ROUNDS = 9
LARGE = 300  # pixels: smaller ones are not the window
LIMIT = 60  # seconds that only a failure takes


class FirstFrames:
    """Watches an X display for windows of a new client."""

    def __init__(self, name):
        self.display = display.Display(name)
        self.root = self.display.screen().root
        self.display.damage_query_version()
        self.mask = ~self.display.display.info.resource_id_mask
        self.root.change_attributes(event_mask=X.SubstructureNotifyMask)
        self.display.sync()
        # The window manager draws frames of its own.
        self.others = {child.id & self.mask for child in self.root.query_tree().children}
        supporting = self.root.get_full_property(self.display.intern_atom("_NET_SUPPORTING_WM_CHECK"), X.AnyPropertyType)
        self.others.add(supporting.value[0] & self.mask)

    def start(self, command, env, folder):
        """Starts a program; returns it and the milliseconds to its first frame."""
        self.drain()
        begin = time.monotonic()
        process = subprocess.Popen(command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            while True:
                event = self.next_event(begin + LIMIT, process)
                # The window gets its size later.
                if event.type == X.CreateNotify and event.window.id & self.mask not in self.others:
                    event.window.damage_create(damage.DamageReportRawRectangles)
                    self.display.flush()
                elif event.type == self.display.extension_event.DamageNotify \
                        and min(event.area.width, event.area.height) >= LARGE:
                    return process, 1000 * (time.monotonic() - begin)
        except BaseException:
            end(process)
            raise

    def drain(self):
        self.display.sync()
        while self.display.pending_events():
            self.display.next_event()

    def next_event(self, limit, process):
        while not self.display.pending_events():
            if process.poll() is not None:
                raise AssertionError(f"{process.args[0]} ended with {process.returncode}")
            if time.monotonic() > limit:
                raise AssertionError(f"{process.args[0]} showed nothing")
            select.select([self.display], [], [], 0.5)
        return self.display.next_event()


def end(process):
    process.kill()
    process.wait()


def megabytes(pid):
    """In memory now, libraries that it shares with others too."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("the process is gone")


def idle_megabytes(pid):
    """Once it has used no processor time for two seconds."""
    used, since = None, time.monotonic()
    while time.monotonic() - since < 2:
        now = sum(map(int, Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]))
        if now != used:
            used, since = now, time.monotonic()
        time.sleep(0.1)
    return megabytes(pid)


@contextlib.contextmanager
def mute_server():
    """An address that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


def main():
    window = str(figures.BUILD_ROOT / "src/desktop/interpreter-window")
    with Desktop() as desktop, mute_server() as mute:
        folder = desktop.env["HOME"]
        many = desktop.folder / "many"
        (many / "interpreter").mkdir(mode=0o700, parents=True)
        figures.run("bench-store", "fill", many / "interpreter", 1000, 4, env=desktop.env)
        commands = {
            "bare": ([figures.program("bare-window")], {}),
            "plain": ([window], {}),
            "mute": ([window, "--api_base", mute, "--model", "openai/mute", "--api_key", "bench"],
                     {"OLLAMA_HOST": mute.removesuffix("/v1")}),
            "many": ([window], {"XDG_DATA_HOME": str(many)}),
        }
        frames = FirstFrames(desktop.env["DISPLAY"])
        times = {name: [] for name in commands}
        memory = {}
        for number in range(ROUNDS + 1):
            for name, (command, env) in commands.items():
                process, taken = frames.start(command, {**desktop.env, **env}, folder)
                try:
                    if number > 0:  # the first fills the caches
                        times[name].append(taken)
                    elif name in ("bare", "plain"):
                        memory[name] = idle_megabytes(process.pid)
                finally:
                    end(process)
    taken = {name: figures.median(values) for name, values in times.items()}
    bare = "a bare AdwApplicationWindow"
    figures.ratio("window: first frame", taken["plain"], "ms", taken["bare"], bare, at_most=1.3)
    for name, words in {"mute": "servers never answer", "many": "1 000 kept chats"}.items():
        figures.ratio(f"window: first frame, {words}", taken[name], "ms", taken["plain"], "without", at_most=1.1)
    figures.ratio("window: memory when idle", memory["plain"], "MB", memory["bare"], bare, at_most=1.5)


main()
