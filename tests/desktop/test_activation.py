"""Started from the menu: by D-Bus activation, without the shell's environment.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import subprocess
import sys
from pathlib import Path

from driver import APP_ID, BUILD_ROOT, App, Desktop, wait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402


def test_key_and_path_come_from_the_login_shell():
    program = BUILD_ROOT / "src/desktop/interpreter-window"
    service = f"[D-BUS Service]\nName={APP_ID}\nExec={program} --gapplication-service\n"
    with Desktop(services={APP_ID: service}) as desktop:
        home = Path(desktop.env["HOME"])
        tools = home / "tools"
        tools.mkdir()
        (home / ".bash_profile").write_text(
            f'export PATH="{tools}:$PATH"\nexport OPENAI_API_KEY=sk-from-the-shell\necho "a greeting of the shell"\n')
        (home / ".bashrc").write_text((home / ".bash_profile").read_text())
        # The bus was started without them.
        subprocess.run(["gdbus", "call", "--session", "--dest", APP_ID, "--object-path",
                        "/" + APP_ID.replace(".", "/"), "--method", "org.freedesktop.Application.Activate", "{}"],
                       env=desktop.env, check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        owner = subprocess.run(["gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path",
                                "/org/freedesktop/DBus", "--method",
                                "org.freedesktop.DBus.GetConnectionUnixProcessID", APP_ID],
                               env=desktop.env, check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               timeout=60).stdout
        pid = int("".join(c for c in owner.split("uint32")[1] if c.isdigit()))
        app = Activated(desktop, pid)
        app.find(contains="Key from OPENAI_API_KEY")
        output = subprocess.run(["gdbus", "call", "--session", "--dest", APP_ID, "--object-path",
                                 "/" + APP_ID.replace(".", "/"), "--method",
                                 "org.freedesktop.Application.ActivateAction", "quit", "[]", "{}"],
                                env=desktop.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                                check=False)
        wait(lambda: not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2],
             f"the application to quit ({output.stderr})")


class Activated(App):
    """An application that the bus started."""

    def __init__(self, desktop, pid):
        super().__init__(desktop, [], {}, None)
        self.process = type("Process", (), {"pid": pid, "poll": staticmethod(lambda: None)})


if __name__ == "__main__":
    tap.main(apart=True)
