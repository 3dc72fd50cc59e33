"""Drives the real application: a private X server and session bus, AT-SPI to find widgets, XTest for keys and pointer.

SPDX-License-Identifier: GPL-3.0-or-later

    with Desktop() as desktop, desktop.app("--model", "ollama/tiny") as app:
        app.find("push button", "Send").click()

Everything is started and ended by its process id. Waiting is for conditions, never for time: `wait` polls a
condition until it holds, and fails with what it saw when it does not in WAIT seconds.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE_ROOT = Path(os.environ.get("INTERP_TEST_SOURCE_ROOT", Path(__file__).resolve().parents[2]))
BUILD_ROOT = Path(os.environ.get("INTERP_TEST_BUILD_ROOT", SOURCE_ROOT / "build"))
APP_ID = "io.github.interpreter_app.Interpreter"
# Generous: it only bounds a failure; a loaded machine of two cores must not fail a right program.
WAIT = float(os.environ.get("INTERP_TEST_WAIT", "60"))


class Timeout(AssertionError):
    """A condition did not come to hold."""


def wait(condition, what, timeout=None):
    """Returns the first true value of condition()."""
    end = time.monotonic() + (timeout or WAIT)
    last = None
    while True:
        try:
            value = condition()
        except (LookupError, OSError) as error:
            value, last = None, error
        if value:
            return value
        if time.monotonic() > end:
            raise Timeout(f"waited in vain for {what}" + (f" ({last})" if last else ""))
        _pump(0.03)


def _pump(seconds):
    """Lets AT-SPI's events in while waiting: its cache is kept by them."""
    from gi.repository import GLib

    context = GLib.MainContext.default()
    end = time.monotonic() + seconds
    while True:
        while context.iteration(False):
            pass
        left = end - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(left, 0.01))


class Desktop:
    """A display with a window manager, and a session bus with accessibility."""

    def __init__(self, width=1280, height=800, services=None):
        self.width, self.height = width, height
        self.services = services or {}
        self.processes = []
        self.folder = None

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="interpreter-desktop-"))
        for name in ("home", "config", "data", "cache", "state", "run"):
            (self.folder / name).mkdir(mode=0o700)
        services = self.folder / "data/dbus-1/services"
        services.mkdir(parents=True)
        for name, text in self.services.items():
            (services / f"{name}.service").write_text(text)
        self.env = {
            **{k: v for k, v in os.environ.items() if not k.endswith(("_API_KEY", "_TOKEN")) and k not in
               ("DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "DISPLAY", "AT_SPI_BUS_ADDRESS")},
            "HOME": str(self.folder / "home"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "GSETTINGS_BACKEND": "keyfile",
            "GSETTINGS_SCHEMA_DIR": str(BUILD_ROOT / "data"),
            "GSK_RENDERER": "cairo",
            "GTK_A11Y": "atspi",
            "GDK_BACKEND": "x11",
            "NO_AT_BRIDGE": "0",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "G_DEBUG": os.environ.get("INTERP_TEST_G_DEBUG", "fatal-criticals"),
        }
        read, write = os.pipe()
        # Without -noreset it starts anew when its last client goes, and who comes just then is refused.
        self._start(["Xvfb", "-displayfd", str(write), "-screen", "0", f"{self.width}x{self.height}x24", "-noreset",
                     "-nolisten", "tcp"], pass_fds=[write])
        os.close(write)
        number = b""
        while not number.endswith(b"\n"):
            piece = os.read(read, 16)
            if not piece:
                raise RuntimeError("Xvfb did not start")
            number += piece
        os.close(read)
        self.env["DISPLAY"] = f":{int(number)}"
        bus = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address=1"], env=self.env,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.processes.append(bus)
        self.env["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().decode().strip()
        self._start(["openbox", "--sm-disable"])
        os.environ.update({k: self.env[k] for k in ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")})
        os.environ.pop("AT_SPI_BUS_ADDRESS", None)
        import gi

        gi.require_version("Atspi", "2.0")
        from gi.repository import Atspi

        Atspi.init()
        self.atspi = Atspi
        return self

    def _start(self, command, **options):
        process = subprocess.Popen(command, env=getattr(self, "env", None), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        self.processes.append(process)
        return process

    def __exit__(self, *exception):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def app(self, *arguments, env=None, folder=None):
        return App(self, arguments, env or {}, folder)

    def xdotool(self, *arguments):
        result = subprocess.run(["xdotool", *map(str, arguments)], env=self.env, stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=60, check=False)
        if result.returncode != 0:
            raise OSError(f"xdotool {arguments}: {result.stderr.strip()}")
        return result.stdout.strip()

    def key(self, *names):
        """Presses keys as a person does: "Return", "ctrl+n", "shift+Return"."""
        self.xdotool("key", "--clearmodifiers", *names)

    def type(self, text):
        self.xdotool("type", "--delay", "2", text)

    def screenshot(self, name):
        """Kept as an artefact: INTERP_TEST_ARTEFACTS, or the build's folder."""
        folder = Path(os.environ.get("INTERP_TEST_ARTEFACTS", BUILD_ROOT / "artefacts"))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        subprocess.run(["import", "-window", "root", str(path)], env=self.env, check=False,
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        return path


class App:
    """The running application."""

    def __init__(self, desktop, arguments, env, folder):
        self.desktop = desktop
        self.arguments = arguments
        self.env = {**desktop.env, **env}
        self.folder = folder or desktop.env["HOME"]
        self.process = None
        self.log = None

    def __enter__(self):
        self.log = tempfile.TemporaryFile("w+", prefix="interpreter-log-", errors="replace")
        self.process = subprocess.Popen([str(BUILD_ROOT / "src/desktop/interpreter-window"), *self.arguments],
                                        env=self.env, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=subprocess.STDOUT)
        wait(lambda: self.root, "the application on the accessibility bus")
        wait(lambda: self.window, "the window")
        return self

    def __exit__(self, kind, value, traceback):
        if kind is not None:
            self.desktop.screenshot(f"failed-{os.path.basename(sys.argv[0])}-{self.process.pid}")
            try:
                print("# what was on screen:", *self.dump().splitlines(), sep="\n#   ")
            except Exception as error:  # the application may be gone
                print(f"# {error}")
        self.quit()
        if kind is not None:
            self.print_log()

    def print_log(self):
        self.log.seek(0)
        lines = self.log.read().splitlines()
        print("# log of the application:", *lines[-60:], sep="\n#   ")

    def quit(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def kill(self):
        """As when the machine is switched off for this process alone."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    @property
    def root(self):
        from gi.repository import GLib

        if self.process.poll() is not None:
            self.print_log()
            raise Timeout(f"the application ended with {self.process.returncode}")
        try:
            top = self.desktop.atspi.get_desktop(0)
            top.clear_cache_single()
            for i in range(top.get_child_count()):
                child = top.get_child_at_index(i)
                if child is not None and child.get_process_id() == self.process.pid:
                    return Node(self, child)
        except GLib.Error as error:
            raise LookupError(str(error)) from error
        return None

    @property
    def window(self):
        root = self.root
        return root.first(lambda node: node.role in ("frame", "window")) if root else None

    def all(self, role=None, name=None, contains=None, within=None):
        base = within or self.root
        if base is None:
            return []
        return [node for node in base.walk() if node.matches(role, name, contains)]

    def find(self, role=None, name=None, contains=None, within=None, showing=True, timeout=None):
        """The first widget of that role and accessible name that is on screen, waited for."""

        def look():
            for node in self.all(role, name, contains, within):
                if not showing or node.showing:
                    return node
            return None

        return wait(look, f"{role or 'a widget'} “{name or contains or ''}”", timeout)

    def has(self, role=None, name=None, contains=None):
        return any(node.showing for node in self.all(role, name, contains))

    def wait_gone(self, role=None, name=None, contains=None, timeout=None):
        wait(lambda: not self.has(role, name, contains), f"{role} “{name or contains}” to go away", timeout)

    def focused(self):
        for node in self.root.walk():
            if node.state("focused"):
                return node
        return None

    def dump(self):
        lines = []

        def add(node, depth):
            if depth < 40:
                lines.append("  " * depth + f"{node.role} “{node.name}” {node.text[:120]!r}"
                             + ("" if node.showing else " (hidden)"))
                for child in node.children():
                    add(child, depth + 1)

        if self.root:
            add(self.root, 0)
        return "\n".join(lines[:600])

    def place(self):
        """The window on the X server: id, x, y, width, height. GTK has small helpers beside it."""
        places = []
        for window in self.desktop.xdotool("search", "--all", "--pid", self.process.pid, "--onlyvisible", "--name", "Interpreter").split():
            geometry = dict(line.split("=") for line in
                            self.desktop.xdotool("getwindowgeometry", "--shell", window).splitlines() if "=" in line)
            places.append((window, *(int(geometry[k]) for k in ("X", "Y", "WIDTH", "HEIGHT"))))
        return max(places, key=lambda p: p[3] * p[4])

    def resize(self, width, height):
        self.desktop.xdotool("windowsize", self.place()[0], width, height)
        wait(lambda: self.place()[3:] == (width, height), f"the window to be {width} × {height}")


class Node:
    """One accessible widget."""

    def __init__(self, app, accessible):
        self.app = app
        self.accessible = accessible

    def _get(self, function, fallback):
        from gi.repository import GLib

        try:
            return function()
        except GLib.Error:
            return fallback  # it went away while being looked at

    @property
    def role(self):
        return self._get(self.accessible.get_role_name, "")

    @property
    def name(self):
        return self._get(self.accessible.get_name, "") or ""

    @property
    def description(self):
        return self._get(self.accessible.get_description, "") or ""

    @property
    def text(self):
        def get():
            interface = self.accessible.get_text_iface()
            if interface is None:
                return ""
            atspi = self.app.desktop.atspi
            return atspi.Text.get_text(interface, 0, atspi.Text.get_character_count(interface))

        return self._get(get, "") or ""

    def state(self, name):
        atspi = self.app.desktop.atspi
        states = self._get(self.accessible.get_state_set, None)
        return states is not None and states.contains(getattr(atspi.StateType, name.upper()))

    @property
    def showing(self):
        return self.state("showing") and self.state("visible")

    @property
    def enabled(self):
        return self.state("sensitive")

    def children(self):
        def get():
            # GTK's tree changes faster than the cache learns of it.
            self.accessible.clear_cache_single()
            return [self.accessible.get_child_at_index(i) for i in range(self.accessible.get_child_count())]

        return [Node(self.app, child) for child in self._get(get, []) if child is not None]

    def walk(self):
        pending = [self]
        while pending:
            node = pending.pop(0)
            yield node
            pending = node.children() + pending

    def first(self, predicate):
        for node in self.walk():
            if predicate(node):
                return node
        return None

    def matches(self, role, name, contains):
        if role is not None and self.role not in ((role,) if isinstance(role, str) else role):
            return False
        if name is not None and self.name != name:
            return False
        return contains is None or contains in self.name or contains in self.text

    def extents(self):
        atspi = self.app.desktop.atspi
        component = self.accessible.get_component_iface()
        box = atspi.Component.get_extents(component, atspi.CoordType.WINDOW)
        return box.x, box.y, box.width, box.height

    def parent(self):
        return self._get(self.accessible.get_parent, None)

    def lost_insets(self):
        """GTK adds up each widget's place in its parent's content, and forgets that the content begins inside the parent's own
        border and padding. How much that is, is told by what the children leave free on both sides."""
        dx = dy = 0
        accessible = self.parent()
        while accessible is not None:
            node = Node(self.app, accessible)
            if node.role in ("application", "desktop frame", ""):
                break
            x, y, width, height = node.extents()
            if node.role in ("frame", "window"):
                # Its own border, which stands outside its content, twice.
                return dx - 2 * x, dy - 2 * y
            boxes = [child.extents() for child in node.children() if child.showing]
            if boxes:
                left, top = min(b[0] for b in boxes) - x, min(b[1] for b in boxes) - y
                right, bottom = max(b[0] + b[2] for b in boxes) - x, max(b[1] + b[3] for b in boxes) - y
                for_x, for_y = (width - right - left) / 2, (height - bottom - top) / 2
                dx += for_x if 0 < for_x <= 24 else 0
                dy += for_y if 0 < for_y <= 24 else 0
            accessible = node.parent()
        return dx, dy

    def centre(self):
        """On the screen: GTK tells places inside its window only, X tells where the window is."""
        x, y, width, height = self.extents()
        dx, dy = self.lost_insets()
        _window, left, top, _width, _height = self.app.place()
        return int(left + x + dx + width / 2), int(top + y + dy + height / 2)

    def click(self, button=1):
        """A real pointer click in the middle, once it has come to rest there: what is added beside it moves it."""
        places = [self.centre()]

        def at_rest():
            places.append(self.centre())
            return places[-1] == places[-2]

        wait(at_rest, "the widget to come to rest")
        x, y = places[-1]
        self.app.desktop.xdotool("mousemove", "--sync", x, y, "click", button)
        return self

    def act(self, index=0):
        """Its accessible action: for set-up, never for approving."""
        self._get(lambda: self.app.desktop.atspi.Action.do_action(self.accessible.get_action_iface(), index), False)
        return self

    def focus(self):
        self._get(lambda: self.app.desktop.atspi.Component.grab_focus(self.accessible.get_component_iface()), False)
        return self
