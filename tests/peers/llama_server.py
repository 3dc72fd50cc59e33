"""A real llama.cpp server for tests, with a model that is made on the spot.

SPDX-License-Identifier: GPL-3.0-or-later

    with LlamaServer(words) as server:
        ... server.url, server.key, server.process ...

Nothing is installed. The packages come from the archive that this system's own apt is configured for, verified by apt
against the distribution's keys, and are unpacked once in the cache folder. They are of a newer release: the server is
started with the C library that it was built with.
"""

import contextlib
import fcntl
import os
import platform
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import model_file

SUITE = "forky"  # the first release with llama.cpp
PACKAGE = "llama.cpp-tools"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
LIBRARIES = "usr/lib/x86_64-linux-gnu"


class Unavailable(Exception):
    """The server cannot be had here; its text is the reason."""


def cache_folder():
    """./dev names a folder that outlives the home of the tests."""
    given = os.environ.get("INTERPRETER_PEERS")
    if given and os.access(given, os.W_OK):
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "interpreter/peers"


def find_archive():
    """Where this system's own packages come from."""
    form = "$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(SUITE)|$(REPO_URI)"
    listed = subprocess.run(["apt-get", "indextargets", "--format", form, "Created-By: Packages"], capture_output=True, text=True,
                            check=False)
    for line in listed.stdout.splitlines():
        origin, label, component, suite, address = line.split("|", 4)
        if (origin, label, component) == ("Debian", "Debian", "main") and not any(
                word in suite for word in ("updates", "backports", "proposed")):
            return address
    raise Unavailable("this system's package sources name no Debian archive")


class Apt:
    """apt with all its state in a folder of its own, which knows one source and no installed package."""

    def __init__(self, folder, archive):
        self.folder = folder
        for name in ("lists/partial", "archives/partial", "preferences"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "status").touch()
        (folder / "sources.list").write_text(f"deb [signed-by={KEYRING}] {archive} {SUITE} main\n")
        settings = {
            "Dir::Etc::SourceList": folder / "sources.list", "Dir::Etc::SourceParts": "/dev/null",
            "Dir::Etc::Preferences": "/dev/null", "Dir::Etc::PreferencesParts": folder / "preferences",
            "Dir::State": folder, "Dir::State::Lists": folder / "lists", "Dir::State::Status": folder / "status",
            "Dir::State::Extended_States": folder / "extended", "Dir::Cache": folder, "Dir::Cache::Archives": folder / "archives",
            "Dir::Log": folder, "Debug::NoLocking": "true", "Acquire::Languages": "none", "Acquire::Retries": "2",
            "Acquire::http::Timeout": "30", "Acquire::https::Timeout": "30", "APT::Architecture": "amd64",
            "APT::Install-Recommends": "false", "APT::Update::Error-Mode": "any",
        }
        if os.getuid() == 0:
            settings["APT::Sandbox::User"] = "root"
        self.options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]

    def run(self, *arguments):
        done = subprocess.run(["apt-get", "-q", *self.options, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", timeout=900, check=False, env={**os.environ, "LC_ALL": "C"})
        if done.returncode:
            reasons = [line for line in (done.stderr + done.stdout).splitlines() if line.startswith(("E:", "Err", "W:"))]
            raise Unavailable(f"apt-get {arguments[0]}: {reasons[0] if reasons else f'status {done.returncode}'}")


_reason = None  # why it could not be had: not tried again by the next test


def get():
    """The folder with the unpacked packages; the first time they are fetched."""
    global _reason
    if _reason:
        raise Unavailable(_reason)
    try:
        return fetch()
    except Unavailable as reason:
        _reason = str(reason)
        raise


def fetch():
    if platform.machine() != "x86_64":
        raise Unavailable("the packages that are used are for x86_64")
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb") and KEYRING.exists()):
        raise Unavailable("it comes from Debian's archive, by apt")
    folder = cache_folder() / f"llama-server-{SUITE}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            with tempfile.TemporaryDirectory(dir=folder.parent, prefix="partial-") as partial:
                unpack(Path(partial), folder)
    return folder


def unpack(partial, folder):
    apt = Apt(partial / "apt", find_archive())
    try:
        apt.run("update")
        apt.run("install", "--download-only", "--yes", PACKAGE)
    except subprocess.TimeoutExpired as late:
        raise Unavailable("the archive is too slow") from late
    root = partial / "root"
    root.mkdir()
    for package in sorted((apt.folder / "archives").glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", str(package), str(root)], check=True)
    root.rename(folder)


def wait_for(condition, what, timeout):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)


class LlamaServer:
    """The server on a free port of the loopback, with the model that answers from `script` (see model_file.py)."""

    def __init__(self, script, context=16384, key="a-key-for-tests"):
        self.key = key
        self.context = context
        self._script = script
        self._stack = contextlib.ExitStack()
        self.process = None

    def __enter__(self):
        root = get()
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="interpreter-llama-")))
        model_file.write(folder / "scripted.gguf", self._script)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = folder / "log"
        libraries = root / LIBRARIES
        backend = next((libraries / "ggml").rglob("libggml-cpu-x64.so"), None)
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LLAMA_CACHE": str(folder), "LC_ALL": "C.UTF-8",
                       **({"GGML_BACKEND_PATH": str(backend)} if backend else {})}
        command = [str(libraries / "ld-linux-x86-64.so.2"), "--library-path", f"{libraries}:{libraries / 'llama'}",
                   str(root / "usr/bin/llama-server"), "--model", str(folder / "scripted.gguf"), "--alias", "scripted",
                   "--host", "127.0.0.1", "--port", str(self.port), "--ctx-size", str(self.context), "--parallel", "1",
                   "--threads", "1", "--jinja", "--api-key", self.key, "--offline"]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT)
        self._stack.callback(self.kill)
        try:
            wait_for(self._is_ready, "the server to be ready", 120)
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *exception):
        self._stack.close()

    def _is_ready(self):
        assert self.process.poll() is None, f"it ended with status {self.process.returncode}:\n{self.said()}"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=10) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def said(self):
        return self.log.read_text(errors="replace")[-4000:]

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"
