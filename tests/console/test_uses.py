"""The four uses people come for, with a scripted model, real kernels and real files.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402
from scripted_server import ScriptedServer  # noqa: E402

SOURCE_ROOT = Path(os.environ.get("INTERP_TEST_SOURCE_ROOT", Path(__file__).resolve().parents[2]))
BUILD_ROOT = Path(os.environ.get("INTERP_TEST_BUILD_ROOT", SOURCE_ROOT / "build"))


def call(language, code):
    return {"calls": [{"language": language, "code": code}]}


def run_task(task, turns, folder, env=None):
    """Runs the command headless with approval given beforehand; returns its answer."""
    home = Path(folder).parent
    for name in ("config", "data", "cache", "run"):
        (home / name).mkdir(mode=0o700, exist_ok=True)
    environment = {
        **{k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")},
        "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": str(home / "cache"), "XDG_RUNTIME_DIR": str(home / "run"), "MPLCONFIGDIR": str(home / "cache"),
        "LC_ALL": "C.UTF-8", **(env or {}),
    }
    with ScriptedServer(turns) as server:
        result = subprocess.run(
            [str(BUILD_ROOT / "src/console/interpreter"), "--api_base", server.url, "--api_key", "test", "--model",
             "openai/scripted", "--auto_run", "--task", task],
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        requests = server.requests
    assert result.returncode == 0, f"exit {result.returncode}\n{result.stdout}\n{result.stderr}"
    return result.stdout, requests


def sandbox():
    top = tempfile.TemporaryDirectory(prefix="interpreter-uses-")
    folder = Path(top.name) / "work"
    folder.mkdir()
    return top, folder


def last_result(requests):
    return requests[-1]["json"]["messages"][-1]["content"]


def test_sort_downloads_by_month_and_archive_the_old():
    top, folder = sandbox()
    with top:
        for name, stamp in (("a report.pdf", "2026-11-03"), ("b.csv", "2026-11-20"), ("c.png", "2026-10-01"),
                            ("old'quoted.txt", "2024-02-05"), ("ünïcode.txt", "2024-02-09")):
            (folder / name).write_text(name)
            when = time.mktime(time.strptime(stamp, "%Y-%m-%d"))
            os.utime(folder / name, (when, when))
        sort = ("import pathlib, datetime, shutil\n"
                "for path in sorted(p for p in pathlib.Path('.').iterdir() if p.is_file()):\n"
                "    month = datetime.date.fromtimestamp(path.stat().st_mtime).strftime('%Y-%m')\n"
                "    pathlib.Path(month).mkdir(exist_ok=True)\n"
                "    shutil.move(path, pathlib.Path(month) / path.name)\n"
                "    print(month, path.name)\n")
        archive = "tar -czf archive-2024.tar.gz 2024-*/ && rm -r 2024-*/ && ls -1"
        answer, requests = run_task("Sort this folder by month and archive what is older than a year",
                                    [call("python", sort), call("shell", archive), {"text": "Sorted and archived."}], folder)
        assert "Sorted and archived." in answer
        assert sorted(p.name for p in folder.iterdir()) == ["2026-10", "2026-11", "archive-2024.tar.gz"]
        assert (folder / "2026-11/a report.pdf").read_text() == "a report.pdf"
        with tarfile.open(folder / "archive-2024.tar.gz") as archived:
            assert {"2024-02/old'quoted.txt", "2024-02/ünïcode.txt"} <= set(archived.getnames())
        assert "2026-10" in last_result(requests)


def test_database_to_forecast_and_charts():
    top, folder = sandbox()
    with top:
        with sqlite3.connect(folder / "shop.db") as database:
            database.execute("create table sales (month integer, amount real)")
            database.executemany("insert into sales values (?, ?)", [(i, 100 + 10 * i) for i in range(12)])
        load = ("import sqlite3\n"
                "rows = sqlite3.connect('shop.db').execute('select month, amount from sales order by month').fetchall()\n"
                "len(rows)")
        forecast = ("n = len(rows); mx = sum(m for m, _ in rows) / n; my = sum(a for _, a in rows) / n\n"
                    "slope = sum((m - mx) * (a - my) for m, a in rows) / sum((m - mx) ** 2 for m, _ in rows)\n"
                    "print(f'next month: {my + slope * (12 - mx):.1f}')\n"
                    "import matplotlib.pyplot as plt\n"
                    "plt.plot(*zip(*rows)); plt.savefig('forecast.png'); plt.show()")
        _answer, requests = run_task("Forecast next month's sales from shop.db and chart them",
                                     [call("python", load), call("python", forecast), {"text": "About 220."}], folder)
        assert (folder / "forecast.png").read_bytes().startswith(b"\x89PNG")
        assert "next month: 220.0" in last_result(requests)
        assert "12" in requests[1]["json"]["messages"][-1]["content"], "the last expression's value is told"


FAKE_SYSTEMD = """
import dbus, dbus.service, sys
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib
DBusGMainLoop(set_as_default=True)
class Manager(dbus.service.Object):
    units = {}
    @dbus.service.method("org.freedesktop.systemd1.Manager", in_signature="ss", out_signature="o")
    def StartUnit(self, name, mode):
        self.units[name] = "active"
        return "/job/1"
    @dbus.service.method("org.freedesktop.systemd1.Manager", in_signature="ss", out_signature="o")
    def StopUnit(self, name, mode):
        self.units[name] = "inactive"
        return "/job/2"
    @dbus.service.method("org.freedesktop.systemd1.Manager", in_signature="s", out_signature="s")
    def State(self, name):
        return self.units.get(name, "unknown")
bus = dbus.SessionBus()
name = dbus.service.BusName("org.freedesktop.systemd1", bus)
Manager(bus, "/org/freedesktop/systemd1")
print("ready", flush=True)
GLib.MainLoop().run()
"""


def test_desktop_setting_changed_and_service_started_and_stopped():
    top, folder = sandbox()
    with top:
        (Path(top.name) / "config").mkdir(mode=0o700)
        bus = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address=1"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
        service = None
        try:
            env = {"DBUS_SESSION_BUS_ADDRESS": bus.stdout.readline().strip(), "GSETTINGS_BACKEND": "keyfile"}
            service = subprocess.Popen([sys.executable, "-c", FAKE_SYSTEMD], env={**os.environ, **env}, text=True,
                                       stdout=subprocess.PIPE)
            assert service.stdout.readline().strip() == "ready"
            manager = ("gdbus call --session --dest org.freedesktop.systemd1 --object-path /org/freedesktop/systemd1 "
                       "--method org.freedesktop.systemd1.Manager.")
            setting = ("gsettings set org.gnome.desktop.interface color-scheme prefer-dark\n"
                       "gsettings get org.gnome.desktop.interface color-scheme")
            units = (f"{manager}StartUnit syncthing.service replace\n{manager}State syncthing.service\n"
                     f"{manager}StopUnit syncthing.service replace\n{manager}State syncthing.service")
            _answer, requests = run_task("Make the desktop dark and restart my sync service",
                                         [call("shell", setting), call("shell", units), {"text": "Done."}], folder, env)
            assert "'prefer-dark'" in requests[1]["json"]["messages"][-1]["content"]
            result = last_result(requests)
            assert result.index("'active'") < result.index("'inactive'")
        finally:
            for process in (service, bus):
                if process is not None:
                    process.terminate()
                    process.wait(20)


def test_imports_edited_across_a_project():
    top, folder = sandbox()
    with top:
        for i in range(5):
            package = folder / f"pkg{i}"
            package.mkdir()
            (package / "module.py").write_text(f"from old.helpers import tool{i}\nimport os\n\nprint(tool{i})\n")
        (folder / "untouched.py").write_text("import os\n")
        find = "grep -rln 'old.helpers' --include='*.py' . | sort"
        edit = ("import pathlib, re\n"
                "changed = 0\n"
                "for path in pathlib.Path('.').rglob('*.py'):\n"
                "    text = path.read_text()\n"
                "    new = re.sub(r'^from old\\.helpers import', 'from new.tools import', text, flags=re.M)\n"
                "    if new != text:\n"
                "        path.write_text(new)\n"
                "        changed += 1\n"
                "changed")
        _answer, requests = run_task("Rename old.helpers to new.tools everywhere",
                                     [call("shell", find), call("python", edit), {"text": "Five files."}], folder)
        listed = requests[1]["json"]["messages"][-1]["content"]
        assert all(f"./pkg{i}/module.py" in listed for i in range(5)), listed
        for i in range(5):
            assert (folder / f"pkg{i}/module.py").read_text() == (
                f"from new.tools import tool{i}\nimport os\n\nprint(tool{i})\n")
        assert (folder / "untouched.py").read_text() == "import os\n"
        assert "5" in json.dumps(last_result(requests))


if __name__ == "__main__":
    tap.main()
