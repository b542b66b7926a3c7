"""Attacks of a hostile server on the commands of people who use it."""

import contextlib
import functools
import http.server
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..attacked import MODEL, Hub, attack

# Moves the cursor, changes the title, turns the direction of text, hides text, and ends the line.
TRICKS = "\x1b[2J\x1b]0;owned\x07\u202egnp.exe\u2066\u200e\x9b31m\r\x08\x00"
ACTING = [*map(chr, range(9)), *map(chr, range(11, 32)), "\x7f", "\x9b", "\u202e", "\u2066", "\u200e"]


# The status and the body of the response to a method and a path.
Answer = Callable[[str, str], tuple[int, object]]


@contextlib.contextmanager
def server(answer: Answer) -> Iterator[tuple[str, list[str]]]:
    """A server on loopback: `answer` gives status and body for a method and a path. Gives its address and requests."""
    requests = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def reply(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            self.rfile.read(length)
            requests.append(self.path)
            status, body = answer(self.command, self.path)
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.reply)
    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{served.server_address[1]}", requests
    finally:
        served.shutdown()


def run(hub: Hub, address: str, *words: str, seconds: float = 60, **environment: str) -> tuple[int, bytes]:
    """Runs a command against a server; gives its exit code and all that it prints."""
    variables = {
        **os.environ,
        "SIGHTLINE_HUB": address,
        "SIGHTLINE_HUB_TOKEN": "t",
        "SIGHTLINE_HUB_PROJECT": "p",
        **environment,
    }
    done = subprocess.run([hub.executable, *words], capture_output=True, env=variables, timeout=seconds)
    return done.returncode, done.stdout + done.stderr


def check_text(printed: bytes, words: Sequence[str]) -> None:
    text = printed.decode(errors="surrogateescape")
    found = sorted({hex(ord(letter)) for letter in ACTING if letter in text})
    assert not found, f"{' '.join(words)} prints {found}: {text[:300]!r}"


def model(name: str, **values: object) -> dict[str, object]:
    return {
        "name": "projects/p/models/1",
        "displayName": name,
        "createTime": name,
        "updateTime": name,
        "etag": name,
        "modelHash": name,
        "tags": [name],
        "state": {"published": True, "warning": name},
        "tfliteModel": {"gcsTfliteUri": f"gs://models/{name}", "sizeBytes": "1"},
        **values,
    }


LISTS = [["list"], ["key", "list"], ["token", "list"], ["person", "list"], ["session", "list"], ["project", "list"]]


def endless(tokens: Iterator[str]) -> Answer:
    """Answers with a page of any list, which is 1 MB long, and the next token."""
    lists: dict[str, object] = {"models": [], "keys": [], "people": [], "sessions": [], "projects": []}

    def page(method: str, path: str) -> tuple[int, bytes]:
        return 200, json.dumps({**lists, "nextPageToken": next(tokens)}).encode() + b" " * (1 << 20)

    return page


@attack()
def lists_that_never_end(hub: Hub) -> str | None:
    """Each page names one more page, or itself."""
    longest = 0
    for words in LISTS:
        for tokens in (itertools.repeat("x"), map(str, itertools.count())):
            with server(endless(tokens)) as (address, requests):
                try:
                    code, printed = run(hub, address, *words)
                except subprocess.TimeoutExpired:
                    raise AssertionError(f"{' '.join(words)} continues after {len(requests)} pages") from None
            assert code != 0 and b"does not end" in printed, f"{' '.join(words)}: {code} {printed[:200]!r}"
            longest = max(longest, len(requests))
    return f"at most {longest} pages"


@attack()
def control_characters_of_a_hub(hub: Hub) -> str | None:
    """Names, messages and errors of a hub contain what acts on a terminal."""
    person = {
        "address": TRICKS,
        "roles": [{"project": "p", "role": "owner", "displayName": TRICKS, "createTime": TRICKS}],
    }
    key = {"id": TRICKS, "name": TRICKS, "kind": TRICKS, "role": TRICKS, "createTime": TRICKS}
    session = {"id": TRICKS, "actor": TRICKS, "role": "owner", "createTime": TRICKS, "lastUseTime": TRICKS}
    project = {
        "projectId": TRICKS,
        "projectNumber": "1",
        "createTime": TRICKS,
        "usedBytes": "1",
        "requiresInstallation": False,
    }
    entry = {"time": TRICKS, "project": "p", "actor": TRICKS, "action": TRICKS, "target": TRICKS, "detail": TRICKS}
    everything = {
        "models": [model(TRICKS)],
        "people": [person],
        "keys": [key],
        "sessions": [session],
        "projects": [project],
        "entries": [entry],
        "experiments": [],
        **model(TRICKS),
    }
    error = {"error": {"code": 400, "message": TRICKS, "status": "INVALID_ARGUMENT"}}
    commands = LISTS + [
        ["show", "m"],
        ["audit"],
        ["promote", "m"],
        ["alias", "set", "m", "beta", "1"],
        ["delete", "m", "--yes"],
        ["download", "m"],
        ["config", "show"],
        ["config", "versions"],
        ["experiment", "list"],
        ["experiment", "show", "x"],
        ["key", "create", "--token", "x"],
        ["person", "link", "a@example.com"],
        ["unpublish", "m"],
        ["key", "revoke", "abcd"],
    ]
    for reply in [(200, everything), (400, error)]:
        with server(functools.partial(lambda reply, *_: reply, reply)) as (address, _):
            for words in commands:
                check_text(run(hub, address, *words)[1], words)
    return f"{2 * len(commands)} commands"


@attack()
def a_hostile_project_to_import(hub: Hub) -> str | None:
    """A list of models for `import` that does not end, with names and files that are paths or act on the terminal."""
    if not shutil.which("openssl"):
        return "skipped: openssl is missing"
    with tempfile.TemporaryDirectory() as folder:
        secret = subprocess.run(["openssl", "genrsa", "2048"], check=True, capture_output=True, text=True).stdout
        uris = [
            f"gs://a/{TRICKS}",
            "gs://../../x",
            "gs://a/../../../etc/passwd",
            "file:///etc/passwd",
            "gs://",
            "gs://a@b/c?d#e/f",
        ]
        names = [TRICKS, "../../x", "-rf", "a\nb", "x" * 10_000]

        def answer(method: str, path: str) -> tuple[int, object]:
            if path == "/token":
                return 200, {"access_token": "t"}
            if "/models" in path:
                models = [
                    model(name, tfliteModel={"gcsTfliteUri": uri, "sizeBytes": "1"}) for name in names for uri in uris
                ]
                return 200, {"models": models, "nextPageToken": "again" if "loop" in path else None}
            return 200, MODEL

        for project in ("p", "loop"):
            with server(answer) as (address, requests):
                key = Path(folder) / "key.json"
                content = {
                    "project_id": project,
                    "private_key_id": "k",
                    "private_key": secret,
                    "client_email": "a@b",
                    "token_uri": f"{address}/token",
                }
                key.write_text(json.dumps(content))
                words = ["import", "--firebase", str(key), "--model-endpoint", address, "--storage-endpoint", address]
                done = subprocess.run(
                    [hub.executable, *words, "--data", str(hub.folder)], capture_output=True, timeout=100, cwd=folder
                )
                check_text(done.stdout + done.stderr, words[:1])
                assert done.returncode in (0, 1, 2), done.stderr[:300]
                assert project == "p" or b"does not end" in done.stderr, done.stderr[:300]
                assert len(requests) < 1000, f"{len(requests)} requests"
        assert sorted(os.listdir(folder)) == ["key.json"], os.listdir(folder)
    return None


@attack()
def a_hostile_folder_to_install_from(hub: Hub) -> str | None:
    """`sightline models install --mirror` and `--from` get links, huge files, other models and names that are paths."""
    sightline = Path(hub.executable).with_name("sightline")
    if not sightline.exists():
        return "skipped: sightline is not built"
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as mirror:
        target = Path(home) / "secret"
        target.write_text("secret")
        catalog = subprocess.run(
            [sightline, "models", "list", "--format", "json"], capture_output=True, text=True, timeout=60
        )
        names = [record["name"] for record in json.loads(catalog.stdout)] if catalog.returncode == 0 else ["yolox-nano"]
        for name in names[:3]:
            for file in (f"{name}.tflite", f"{name}/{name}.tflite", f"{name}.sightline.json"):
                path = Path(mirror) / file
                path.parent.mkdir(exist_ok=True)
                with contextlib.suppress(FileExistsError):
                    path.symlink_to(target)
        environment = {**os.environ, "HOME": home, "XDG_DATA_HOME": f"{home}/data"}
        for name in [*names[:3], "../../x", "..", TRICKS.replace("\x00", ""), "a/b", "-x", "x" * 5000, "/etc/passwd"]:
            for option in ("--mirror", "--from"):
                words = ["models", "install", option, mirror, "--", name]
                done = subprocess.run([sightline, *words], capture_output=True, timeout=100, env=environment, cwd=home)
                check_text(done.stdout + done.stderr, ["models", "install"])
                assert done.returncode != 0, f"{name!r} was installed {option}"
                assert done.returncode > 0, f"{name!r} ends with signal {-done.returncode}"
        left = [
            str(path)
            for path in Path(home).rglob("*")
            if path.is_file() and path != target and "data/" not in str(path)
        ]
        assert target.read_text() == "secret" and not left, left
    return None
