# Python kernel: runs cells in one __main__ module; stdin, stdout and stderr stay the terminal.
#
# Python 3.8 or newer, standard library only. The protocol is in ../PROTOCOL.md. Modules that start-up can do
# without are imported where they are needed.
#
# SPDX-License-Identifier: GPL-3.0-or-later

import __future__
import _thread
import ast
import builtins
import faulthandler
import fcntl
import functools
import json
import linecache
import os
import signal
import sys
import termios
import time
import traceback
import types

HERE = os.path.dirname(os.path.abspath(__file__))
PART = "_interpreter_"
FIRST_DESCRIPTOR = 200  # above what user code usually gets or closes
CO_COROUTINE = 0x80
TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
FUTURE_FLAGS = functools.reduce(
    lambda flags, name: flags | getattr(__future__, name).compiler_flag, __future__.all_feature_names, 0
)
SAMPLE_AFTER = 0.15
SAMPLE_EVERY = 0.1
MAX_TEXT = 16 * 1024
MAX_TRACEBACK = 64 * 1024
MAX_INLINE = 700000
KEPT_SOURCES = 500
PLAIN = {bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, range, type, types.FunctionType}
EXTENSIONS = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/svg+xml": ".svg",
    "text/html": ".html",
    "text/markdown": ".md",
    "text/latex": ".tex",
    "text/plain": ".txt",
    "application/json": ".json",
    "application/vnd.interpreter.table+json": ".json",
}


def shorten(text, limit):
    """@text as it can be sent, with its middle left out if it is long."""
    if len(text) > limit:
        text = text[: limit // 4] + "\n…\n" + text[-(limit - limit // 4) :]
    return text.encode("utf-8", "replace").decode("utf-8")


def split_lines(code):
    """Lines as Python counts them."""
    return code.replace("\r\n", "\n").replace("\r", "\n").split("\n")


# ---- channels ----


def take_channel(variable, flags):
    """Opens what @variable names, out of the way of user code and not inherited."""
    value = os.environ[variable]
    first = os.open(value, flags) if value.startswith("/") else int(value)
    descriptor = fcntl.fcntl(first, fcntl.F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR)
    os.close(first)
    return descriptor


class Channel:
    """Writes events, from any thread of the kernel's own process."""

    def __init__(self, requests, events, token, spool):
        self.requests = requests
        self.events = events
        self.terminal = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR)
        self.token = token
        self.spool = spool
        self.inline = spool is None
        self.owner = os.getpid()
        self.lock = _thread.allocate_lock()
        self.cell = 0
        self.count = 0

    def is_ours(self):
        return os.getpid() == self.owner

    def close_in_child(self):
        for descriptor in (self.requests, self.events, self.terminal):
            try:
                os.close(descriptor)
            except OSError:
                pass

    def send(self, t, **fields):
        if not self.is_ours():
            return
        event = {"t": t}
        event.update(fields)
        line = memoryview((json.dumps(event) + "\n").encode("ascii"))
        with self.lock:
            try:
                while line:
                    line = line[os.write(self.events, line) :]
            except OSError:
                pass

    def mark(self, what, cell):
        try:
            os.write(self.terminal, b"\033]7770;%s;%s;%d\a" % (self.token, what, cell))
        except OSError:
            pass

    def display(self, mime, data, text=None, scale=None, display_id=None, source=None):
        """Shows @data (str or bytes) beside the terminal."""
        if not self.is_ours():
            return
        if isinstance(data, str):
            data = data.encode("utf-8", "replace")
        fields = {"id": self.cell, "mime": mime}
        if text:
            fields["text"] = shorten(text, MAX_TEXT)
        if scale:
            fields["scale"] = scale
        if display_id:
            fields["display_id"] = str(display_id)
        if source:
            fields["source"] = source
        if self.inline:
            import base64

            if len(data) > MAX_INLINE:
                fields["mime"] = "text/plain"
                size = "%.1f MB of %s: too large to be sent." % (len(data) / 1e6, mime)
                data = (size + "\n" + text if text else size).encode("utf-8", "replace")[:MAX_INLINE]
            fields["data"] = base64.b64encode(data).decode("ascii")
        else:
            self.count += 1
            name = "%d-%d-%d%s" % (self.cell, self.owner, self.count, EXTENSIONS.get(mime, ".bin"))
            fields["path"] = os.path.join(self.spool, name)
            with open(fields["path"], "wb") as file:
                file.write(data)
        self.send("display", **fields)


# ---- modules that are mended when user code imports them ----


class ImportHooks:
    """Runs a function after a named module was loaded; also finds the harness's own parts."""

    def __init__(self):
        self.hooks = {}

    def add(self, name, function):
        module = sys.modules.get(name)
        if module is not None:
            function(module)
        else:
            self.hooks[name] = function

    def find_spec(self, name, path=None, target=None):
        if name.startswith(PART):
            return self.find_part(name)
        function = self.hooks.get(name)
        if function is None:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = HookedLoader(spec.loader, self.hooks, function)
                return spec
        return None

    @staticmethod
    def find_part(name):
        from importlib.machinery import ModuleSpec, SourceFileLoader

        class Loader(SourceFileLoader):
            def set_data(self, path, data, **named):
                pass  # leaves no compiled file in a folder that is not ours

        path = os.path.join(HERE, name[len(PART) :] + ".py")
        spec = ModuleSpec(name, Loader(name, path), origin=path)
        spec.has_location = True
        return spec


class HookedLoader:
    def __init__(self, loader, hooks, function):
        self.loader = loader
        self.hooks = hooks
        self.function = function

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.loader
        self.hooks.pop(module.__name__, None)
        self.loader.exec_module(module)
        try:
            self.function(module)
        except Exception:
            pass  # another version of that module: it works as it is


def load_part(name):
    """The file NAME.py beside this one, as the module _interpreter_NAME."""
    import importlib

    return importlib.import_module(PART + name)


# ---- the running line ----


class Sampler:
    """Tells the running line of a cell that takes long, by looking at the main thread's stack ten times a second.

    Its thread is not one of threading's, so user code does not see it. It ends before a process is forked, until the next
    cell: Python warns of forking with threads, after what could start it again.
    """

    def __init__(self, kernel):
        self.kernel = kernel
        self.main = _thread.get_ident()
        self.active = False
        self.alive = False
        self.quit = False
        self.native = 0
        self.changed = _thread.allocate_lock()  # a binary semaphore, locked = nothing new
        self.ended = _thread.allocate_lock()  # locked until the thread ends

    def tell(self):
        try:
            if self.changed.locked():
                self.changed.release()
        except RuntimeError:
            pass

    def start_cell(self):
        self.active = True
        if self.alive:
            self.tell()
            return
        self.quit = False
        self.changed.acquire(False)
        self.ended.acquire(False)
        try:
            _thread.start_new_thread(self.run, ())
            self.alive = True
        except RuntimeError:
            pass  # no thread to be had: no line is told

    def end_cell(self):
        self.active = False

    def before_fork(self):
        if self.alive and self.kernel.channel.is_ours() and _thread.get_ident() == self.main:
            self.quit = True
            self.tell()
            self.ended.acquire()
            self.alive = False
            self.wait_for_thread()

    def wait_for_thread(self):
        """Until the system has taken the thread off its list, where Python counts threads when it forks."""
        for _ in range(50):
            if not os.path.exists("/proc/self/task/%d" % self.native):
                return
            time.sleep(0.0002)

    def after_fork_in_child(self):
        self.alive = self.active = False

    def run(self):
        self.native = _thread.get_native_id()
        wait, last = SAMPLE_AFTER, None
        while not self.quit:
            if self.changed.acquire(True, wait if self.active else -1):
                wait, last = SAMPLE_AFTER, None
                continue
            wait = SAMPLE_EVERY
            cell, line = self.kernel.channel.cell, self.find_line()
            if line and line != last and self.active:
                last = line
                self.kernel.channel.send("line", id=cell, line=line)
        self.ended.release()

    def find_line(self):
        name = self.kernel.filename
        frame = sys._current_frames().get(self.main)
        while frame is not None:
            if frame.f_code.co_filename == name:
                return frame.f_lineno
            frame = frame.f_back
        frame = getattr(self.kernel.coroutine, "cr_frame", None)  # waits in the event loop
        return frame.f_lineno if frame is not None else None


# ---- the kernel ----


class Kernel:
    def __init__(self, channel):
        self.channel = channel
        self.running = False
        self.interrupted = False
        self.idle_loop = False
        self.filename = None
        self.coroutine = None
        self.interrupted_line = None  # where a coroutine waited: no traceback tells it
        self.loop = None
        self.flags = 0
        self.buffer = b""
        self.sources = []
        self.before_end = []  # run when a cell has ended well or badly, still interruptible
        self.hooks = ImportHooks()
        self.sampler = Sampler(self)
        self.main = types.ModuleType("__main__")
        self.main.__dict__["__builtins__"] = builtins
        sys.modules["_interpreter_harness"] = sys.modules["__main__"]
        sys.modules["__main__"] = self.main
        try:
            self.terminal_mode = termios.tcgetattr(0)
        except termios.error:
            self.terminal_mode = None

    # -- signals and forks --

    def on_interrupt(self, number, frame):
        if self.running or self.idle_loop:
            raise KeyboardInterrupt
        self.interrupted = True  # before the code began: it begins by being interrupted

    def arm(self):
        """What user code may have changed and the next cell counts on."""
        if signal.getsignal(signal.SIGINT) != self.on_interrupt:
            signal.signal(signal.SIGINT, self.on_interrupt)
        for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
            if getattr(getattr(sys, name), "closed", False):
                try:
                    setattr(sys, name, open(descriptor, "w" if descriptor else "r", closefd=False))
                except OSError:
                    pass  # its descriptor is closed as well
        self.main.__dict__.pop("__warningregistry__", None)

    def clear_terminal(self, restore):
        """Drops what was typed ahead, or gives the terminal its modes back, unless another group is in front."""
        try:
            if self.terminal_mode is None or os.tcgetpgrp(0) != os.getpgrp():
                return
            if not restore:
                termios.tcflush(0, termios.TCIFLUSH)
            elif termios.tcgetattr(0) != self.terminal_mode:
                termios.tcsetattr(0, termios.TCSANOW, self.terminal_mode)
        except (OSError, termios.error):
            pass

    def after_fork_in_child(self):
        self.sampler.after_fork_in_child()
        self.channel.close_in_child()

    # -- compiling --

    def parse(self, code):
        try:
            return self.parse_python(code)
        except SyntaxError as error:
            if "!" not in code and "%" not in code:
                raise
            mended = load_part("magics").replace(code, error, self.parse_python)
            if mended is None:
                raise
            return mended

    def parse_python(self, code):
        return compile(
            code,
            self.filename,
            "exec",
            self.flags | TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST,
            dont_inherit=True,
        )

    def compile(self, tree, mode):
        code = compile(tree, self.filename, mode, self.flags | TOP_LEVEL_AWAIT, dont_inherit=True)
        self.flags |= code.co_flags & FUTURE_FLAGS
        return code

    def remember_source(self, code):
        """For tracebacks, inspect and warnings."""
        lines = [line + "\n" for line in split_lines(code)]
        linecache.cache[self.filename] = (len(code), None, lines, self.filename)
        self.sources.append(self.filename)
        if len(self.sources) > KEPT_SOURCES:
            linecache.cache.pop(self.sources.pop(0), None)

    # -- running --

    def evaluate(self, code):
        result = eval(code, self.main.__dict__)
        if code.co_flags & CO_COROUTINE:
            result = self.run_coroutine(result)
        return result

    def run_coroutine(self, coroutine):
        import asyncio

        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        self.coroutine = coroutine
        task = self.loop.create_task(coroutine)
        try:
            return self.loop.run_until_complete(task)
        except BaseException:
            if not task.done():  # interrupted while waiting: let it clean up
                frame = getattr(coroutine, "cr_frame", None)
                self.interrupted_line = frame.f_lineno if frame is not None else None
                task.cancel()
                self.loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
            elif not task.cancelled():
                task.exception()  # so that it does not count as overlooked
            raise
        finally:
            self.coroutine = None

    def run_code(self, code):
        tree = self.parse(code)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            if not self.is_silenced(code, tree.body[-1]):
                last = ast.Expression(tree.body.pop().value)
        if tree.body:
            body = self.compile(tree, "exec")
            last = last and self.compile(last, "eval")
            self.evaluate(body)
        elif last:
            last = self.compile(last, "eval")
        if last:
            value = self.evaluate(last)
            if value is not None:
                sys.displayhook(value)

    @staticmethod
    def is_silenced(code, expression):
        """Does a semicolon follow, as in notebooks? (No value is shown then.)"""
        lines = split_lines(code)
        if expression.end_lineno > len(lines):
            return False
        rest = lines[expression.end_lineno - 1].encode("utf-8", "replace")[expression.end_col_offset :]
        return rest.lstrip().startswith(b";")

    def execute(self, cell, code):
        """Runs a cell; its outcome as (status, exit code)."""
        self.interrupted_line = None
        self.sampler.start_cell()
        try:
            try:
                self.running = True
                try:
                    if self.interrupted:
                        raise KeyboardInterrupt
                    self.run_code(code)
                except BaseException:
                    self.end_code(False)
                    raise
                self.end_code(True)
                return "ok", 0
            finally:
                self.running = False
                self.sampler.end_cell()
        except SystemExit as error:
            self.running = False
            return "exit", self.exit_code(error)
        except KeyboardInterrupt as error:
            self.running = False
            self.report(cell, error)
            return "interrupted", 130
        except BaseException as error:
            self.running = False
            self.report(cell, error)
            return "error", 1

    def end_code(self, may_fail):
        """What is due after the code, such as showing charts. That fails the cell only if nothing else has."""
        for function in self.before_end:
            try:
                function()
            except Exception:
                if may_fail:
                    raise

    @staticmethod
    def exit_code(error):
        if error.code is None:
            return 0
        if isinstance(error.code, int):
            return error.code & 0xFF
        try:
            print(error.code, file=sys.stderr)
        except Exception:
            pass
        return 1

    # -- errors --

    def report(self, cell, error):
        frames = error.__traceback__
        while frames is not None and not frames.tb_frame.f_code.co_filename.startswith("<cell "):
            frames = frames.tb_next
        if frames is None and not isinstance(error, KeyboardInterrupt) and self.is_foreign(error.__traceback__):
            frames = error.__traceback__  # not from the cell's code: a chart that cannot be drawn
        error.__traceback__ = frames
        line = self.error_line(error, frames)
        try:
            told = traceback.TracebackException(type(error), error, frames)
            self.leave_out_own(told, set())
            text = "".join(told.format())
        except Exception:
            text = type(error).__name__ + "\n"
        try:
            message = str(error.msg if isinstance(error, SyntaxError) else error)
        except Exception:
            message = ""
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, frames
        self.print_error(error, frames, text)
        fields = {
            "id": cell,
            "name": type(error).__name__,
            "message": shorten(message, MAX_TEXT),
            "traceback": shorten(text, MAX_TRACEBACK),
            "line": line or 0,
        }
        module = self.missing_module(error)
        if module:
            fields["module"] = module
        self.channel.send("error", **fields)

    @staticmethod
    def is_foreign(frames):
        """Does a traceback go through more than this harness?"""
        while frames is not None:
            if not frames.tb_frame.f_code.co_filename.startswith(HERE + os.sep):
                return True
            frames = frames.tb_next
        return False

    def print_error(self, error, frames, text):
        try:
            if sys.excepthook is not sys.__excepthook__:
                sys.excepthook(type(error), error, frames)
            else:
                sys.stderr.write(text)
                sys.stderr.flush()
        except BaseException:
            try:
                os.write(2, text.encode("utf-8", "replace"))
            except OSError:
                pass

    def error_line(self, error, frames):
        line = None
        while frames is not None:
            if frames.tb_frame.f_code.co_filename == self.filename:
                line = frames.tb_lineno
            frames = frames.tb_next
        if isinstance(error, SyntaxError) and error.filename == self.filename:
            line = error.lineno
        return line or self.interrupted_line

    def leave_out_own(self, told, seen):
        """Takes the harness's frames (signal handler, wrapped functions) out of a traceback and those it names."""
        if told is None or id(told) in seen:
            return
        seen.add(id(told))
        kept = [frame for frame in told.stack if not frame.filename.startswith(HERE + os.sep)]
        if len(kept) != len(told.stack):
            told.stack[:] = kept
        self.leave_out_own(told.__cause__, seen)
        self.leave_out_own(told.__context__, seen)
        for inner in getattr(told, "exceptions", None) or ():
            self.leave_out_own(inner, seen)

    @staticmethod
    def missing_module(error):
        if not isinstance(error, ModuleNotFoundError) or not isinstance(error.name, str):
            return None
        name = error.name.split(".")[0]
        try:
            import importlib.util

            return name if importlib.util.find_spec(name) is None else None
        except Exception:
            return name

    # -- one cell --

    def flush(self):
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            try:
                stream.flush()
            except Exception:
                pass

    def run_cell(self, cell, code):
        channel = self.channel
        channel.cell = cell
        self.filename = "<cell %d>" % cell
        self.arm()
        self.remember_source(code)
        self.clear_terminal(False)
        channel.mark(b"start", cell)
        self.interrupted = False
        channel.send("started", id=cell)
        status, exit_code = self.execute(cell, code)
        self.flush()
        if not channel.is_ours():  # a forked child came back
            os._exit(exit_code)
        self.arm()
        self.clear_terminal(True)
        channel.mark(b"end", cell)
        channel.send("finished", id=cell, status=status, code=exit_code, cwd=working_folder())

    # -- requests --

    def read_line(self):
        while b"\n" not in self.buffer:
            self.run_background_tasks()
            chunk = os.read(self.channel.requests, 65536)
            if not chunk:
                return None
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def run_background_tasks(self):
        """Tasks that a cell left go on until the next request comes."""
        if self.loop is None or self.loop.is_closed() or self.loop.is_running():
            return
        import asyncio

        try:
            if not asyncio.all_tasks(self.loop):
                return
            self.loop.add_reader(self.channel.requests, self.loop.stop)
            self.idle_loop = True
            self.loop.run_forever()
        except (KeyboardInterrupt, SystemExit):
            pass
        except Exception:
            traceback.print_exc()
        finally:
            self.idle_loop = False
            try:
                self.loop.remove_reader(self.channel.requests)
            except Exception:
                pass
            self.flush()

    def serve(self):
        while True:
            line = self.read_line()
            if line is None:
                return
            try:
                request = json.loads(line.decode("utf-8", "replace"))
                kind = request["t"]
                if kind == "execute":
                    cell = int(request["id"])
                    code = request.get("code")
                    if code is None:
                        with open(request["path"], encoding="utf-8", newline="") as file:
                            code = file.read()
                elif kind == "config":
                    if isinstance(request.get("inline"), bool):
                        self.channel.inline = request["inline"] or self.channel.spool is None
                elif kind == "shutdown":
                    return
            except (KeyError, TypeError, ValueError, OSError, AttributeError):
                continue
            if kind == "execute":
                self.run_cell(cell, code)


def working_folder():
    try:
        return os.fsencode(os.getcwd()).decode("utf-8", "replace")
    except OSError:
        return ""


# ---- what user code finds ----


def announce_input(function, password):
    """Wraps input() and getpass(): tells that a line is awaited; the read itself stays as it was."""

    @functools.wraps(function)
    def ask(*args, **named):
        prompt = args[0] if args else named.get("prompt", "Password: " if password else "")
        cell = kernel.channel.cell
        main = _thread.get_ident() == kernel.sampler.main
        if main and kernel.running:
            kernel.channel.send("input_request", id=cell, prompt=shorten(str(prompt), 1000), password=password)
        try:
            return function(*args, **named)
        finally:
            if main and kernel.running:
                kernel.channel.send("input_done", id=cell)

    return ask


def display_result(value):
    """The value of a cell's last expression: beside the terminal if it has a rich form, else as text on it."""
    if value is None:
        return
    builtins._ = None
    if type(value) in PLAIN or not load_part("rich").show(value):
        sys.__displayhook__(value)
    builtins._ = value


class Quitter:
    """exit and quit. Those of the site module close standard input, which the next cell would miss."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "Use %s() to end the cell." % self.name

    def __call__(self, code=None):
        raise SystemExit(code)


def display(*values, mime=None, text=None, display_id=None, **ignored):
    """Shows values: tables, charts, pictures, HTML.

    With mime, each value is the content itself (str or bytes): display(svg, mime="image/svg+xml", text="what it
    shows, in words"). What is shown with the same display_id replaces what was shown before.
    """
    rich = load_part("rich")
    for value in values:
        if mime is not None:
            rich.show_content(value, mime, text, display_id)
        elif not rich.show(value, display_id):
            print(repr(value))


def mend_ipython_display(module):
    module.display = display


def mend_getpass(module):
    module.getpass = announce_input(module.getpass, True)


def mend_matplotlib(module):
    load_part("charts").use(module)


def mend_figure(module):
    load_part("charts").watch_saving(module.Figure)


def mend_image_show(module):
    class Inline(module.Viewer):
        def show(self, image, **options):
            display(image)
            return 1

    module.register(Inline(), 0)


def main():
    global kernel
    try:
        requests = take_channel("INTERP_KERNEL_REQUESTS", os.O_RDONLY)
        events = take_channel("INTERP_KERNEL_EVENTS", os.O_WRONLY)
    except (KeyError, ValueError, OSError) as error:
        sys.exit("This program is started by Interpreter: %s" % error)
    token = os.environ.get("INTERP_KERNEL_TOKEN", "").encode()
    channel = Channel(requests, events, token, os.environ.get("INTERP_KERNEL_SPOOL"))
    for name in [name for name in os.environ if name.startswith("INTERP_KERNEL_")]:
        del os.environ[name]

    kernel = Kernel(channel)
    signal.signal(signal.SIGINT, kernel.on_interrupt)
    os.register_at_fork(
        before=kernel.sampler.before_fork,
        after_in_child=kernel.after_fork_in_child,
    )
    sys.meta_path.insert(0, kernel.hooks)
    kernel.hooks.add("getpass", mend_getpass)
    kernel.hooks.add("matplotlib", mend_matplotlib)
    kernel.hooks.add("matplotlib.figure", mend_figure)
    kernel.hooks.add("IPython.display", mend_ipython_display)
    kernel.hooks.add("PIL.ImageShow", mend_image_show)
    builtins.input = announce_input(builtins.input, False)
    builtins.display = display
    builtins.exit = Quitter("exit")
    builtins.quit = Quitter("quit")
    sys.displayhook = display_result
    sys.argv = [""]
    if sys.path and os.path.realpath(sys.path[0]) == os.path.realpath(HERE):
        sys.path[0] = ""
    faulthandler.enable()

    channel.send(
        "ready",
        proto=1,
        lang="python",
        version="%d.%d.%d" % sys.version_info[:3],
        pid=os.getpid(),
        exe=sys.executable,
        cwd=working_folder(),
        features=["line", "input", "display", "table"],
    )
    while True:
        try:
            kernel.serve()
            break
        except KeyboardInterrupt:
            kernel.running = False
    channel.send("exiting", code=0)


if __name__ == "__main__":
    main()
