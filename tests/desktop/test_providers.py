"""Keys and addresses in the preferences.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import http.server
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

from stage import Desktop, ScriptedServer, send, stage, wait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402

KEY = "sk-marked-4711"
# In place of what the system has, which would ask for a password.
NO_KEYRING = {"org.freedesktop.secrets": "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/false\n"}


@contextmanager
def guarded_server():
    """Lists two models to who has the key; yields (port, the keys that were given, a lock that holds answers back)."""
    given = []
    gate = threading.Event()
    gate.set()

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

        def do_GET(self):
            given.append(self.headers.get("Authorization"))
            gate.wait(120)
            good = given[-1] == f"Bearer {KEY}"
            body = b'{"data":[{"id":"one"},{"id":"two"}]}' if good else b'{"error":{"message":"Who are you?"}}'
            self.send_response(200 if good else 401)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            with suppress(BrokenPipeError):  # who asked may have given up
                self.end_headers()
                self.wfile.write(body)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_address[1], given, gate
        finally:
            gate.set()
            server.shutdown()


def reach(app, role, name, key="Tab"):
    """Moves the focus by the keyboard until it is there."""
    def there():
        node = app.focused()
        if node is not None and node.role == role and node.name.startswith(name):
            return node
        app.desktop.key(key)
        return None

    return wait(there, f"{role} “{name}” to have the focus")


def open_models(app):
    app.find("button", contains="Tour")
    app.desktop.key("ctrl+comma")
    app.find("dialog", "Preferences")
    reach(app, "page tab", "")
    reach(app, "page tab", "Models", key="Right")
    app.desktop.key("space")
    app.find("button", "Other Address…")


def write(app, name, text):
    """Puts @text into the entry of that name, in place of what it held."""
    reach(app, "text", name)
    app.desktop.key("ctrl+a")
    app.desktop.type(text)


def test_a_key_is_checked_kept_and_removed():
    with guarded_server() as (port, given, gate), Desktop(services=NO_KEYRING) as desktop, desktop.app() as app:
        open_models(app)
        reach(app, "button", "Other Address…", key="shift+Tab")
        desktop.key("Return")
        address = f"127.0.0.1:{port}"
        write(app, "Address", address)
        write(app, "API Key", "sk-wrong")

        # What the server says is shown, and nothing is kept.
        desktop.key("Return")
        app.find(contains="Who are you?")
        assert "Bearer sk-wrong" in given
        config = Path(desktop.env["XDG_CONFIG_HOME"]) / "interpreter/providers"
        assert not list(config.glob("*"))

        # Waiting can be ended.
        gate.clear()
        write(app, "API Key", KEY)
        desktop.key("Return")
        reach(app, "button", "Cancel")
        desktop.key("Return")
        app.wait_gone("button", "Cancel")
        gate.set()

        reach(app, "button", "Check and Save")
        desktop.key("Return")
        app.find(contains="Works: 2 models. There is no keyring. The key is kept until you quit.")
        app.find(contains="Key for this run only")
        desktop.screenshot("provider")
        files = wait(lambda: list(config.glob("*.provider")), "the address to be remembered")
        assert KEY not in files[0].read_text() and f"http://{address}/v1" in files[0].read_text()

        app.resize(360, 640)
        app.find("button", "Remove Key")
        desktop.screenshot("provider-360")
        app.resize(1280, 800)
        reach(app, "button", "Remove Key")
        desktop.key("Return")
        app.find(contains="The key is removed.")
        app.find(contains="No key")

        # In the list it stands at its place, with what became of its key.
        reach(app, "button", "Back")
        desktop.key("Return")
        app.find("button", "Other Address…")
        app.find(contains=address)
        desktop.screenshot("providers")
        app.resize(360, 640)
        app.find("button", "Other Address…", showing=False)
        desktop.screenshot("providers-360")

        # Forgotten, it is in no list and in no file.
        app.resize(1280, 800)
        reach(app, "list item", address)
        desktop.key("Return")
        app.find("button", "Forget This Address")
        desktop.screenshot("provider-forget")
        reach(app, "button", "Forget This Address")
        desktop.key("Return")
        wait(lambda: not list(config.glob("*")), "the address to be forgotten")
        app.find("button", "Other Address…")
        wait(lambda: not app.has("list item", address), "it to leave the list")

        app.log.seek(0)
        assert KEY not in app.log.read()


def test_a_key_in_the_keyring_is_there_again():
    with guarded_server() as (port, given, _gate), Desktop() as desktop:
        # libsecret's own file.
        env = {"SECRET_BACKEND": "file", "SECRET_FILE_TEST_PATH": str(desktop.folder / "keyring"),
               "SECRET_FILE_TEST_PASSWORD": "test"}
        with desktop.app(env=env) as app:
            open_models(app)
            reach(app, "button", "Other Address…", key="shift+Tab")
            desktop.key("Return")
            write(app, "Address", f"127.0.0.1:{port}")
            write(app, "API Key", KEY)
            desktop.key("Return")
            app.find(contains="Works: 2 models. The key is kept in the keyring.")
        with desktop.app(env=env) as app:
            wait(lambda: given.count(f"Bearer {KEY}") > 1, "the key to be used again")
            open_models(app)
            app.find(contains="Key in the keyring")


def test_a_refused_key_leads_to_where_it_is_typed():
    refused = {"status": 401, "body": {"error": {"message": "Incorrect API key provided"}}}
    with stage([refused]) as (app, server, _folder):
        send(app, "hello")
        app.find("button", "Enter Key…").click()
        assert app.find("text", "API Key").showing
        assert app.find(contains=server.url.split("/")[2])


def test_the_greeting_keeps_an_address_once_it_answers():
    with guarded_server() as (port, given, _gate), Desktop(services=NO_KEYRING) as desktop, desktop.app() as app:
        config = Path(desktop.env["XDG_CONFIG_HOME"]) / "interpreter/providers"
        app.find("button", contains="Tour")
        write(app, "Address", f"127.0.0.1:{port}")
        write(app, "Key, if it needs one", "sk-wrong")
        desktop.key("Return")
        app.find(contains="Who are you?")
        assert not list(config.glob("*"))
        write(app, "Key, if it needs one", KEY)
        desktop.key("Return")
        app.wait_gone("button", contains="Tour")
        assert given[-1] == f"Bearer {KEY}" and list(config.glob("*.provider"))


def test_a_provider_is_asked_at_another_address():
    with ScriptedServer([]) as server, Desktop(services=NO_KEYRING) as desktop, desktop.app() as app:
        address = Path(desktop.env["XDG_CONFIG_HOME"]) / "interpreter/providers/ollama-address.provider"
        open_models(app)
        reach(app, "list item", "Ollama")
        desktop.key("Return")
        write(app, "Address", "ftp://127.0.0.1")
        desktop.key("Return")
        app.find(contains="“ftp://127.0.0.1” cannot be used")
        assert not address.exists()

        write(app, "Address", f"127.0.0.1:{server.port}")
        desktop.key("Return")
        app.find(contains="The address is saved.")
        assert server.root in address.read_text()
        reach(app, "button", "Check and Save")
        desktop.key("Return")
        app.find(contains="Works: 1 model.")
        desktop.screenshot("provider-address")

        reach(app, "text", "Address")
        desktop.key("ctrl+a", "Delete", "Return")
        wait(lambda: not address.exists(), "the address to be taken back")
        wait(lambda: any(node.text == "http://127.0.0.1:11434" for node in app.all("text", "Address")), "its own to be shown")


def test_a_key_from_the_environment_is_named_and_not_ours_to_remove():
    with Desktop(services=NO_KEYRING) as desktop, desktop.app(env={"MISTRAL_API_KEY": KEY}) as app:
        open_models(app)
        app.find(contains="Key from MISTRAL_API_KEY in the environment")
        reach(app, "list item", "Mistral")
        desktop.key("Return")
        app.find("button", "Check and Save")
        app.find(contains="Key from MISTRAL_API_KEY in the environment")
        assert not app.has("button", "Remove Key")


if __name__ == "__main__":
    tap.main(apart=True)
