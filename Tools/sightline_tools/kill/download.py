"""Kills a client (kill -9) at random moments while it downloads and installs one version of a model after another, and
checks after each kill that the model is an old or a new one, whole, with the bytes that its hash says, and never lost.

    Scripts/tools kill download --kills 200 [--seed 1] [--executable .build/debug/DownloadProbe]

Needs `swift build --product DownloadProbe` before. Prints a line for every 20 kills.
"""

import argparse
import functools
import hashlib
import http.server
import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..places import add_executable, temporary_folder


@functools.cache
def version(number: int) -> tuple[bytes, str]:
    """The content and the hash of a version; no two are the same."""
    content = b"\x1c\0\0\0TFL3" + number.to_bytes(4) * (100_000 + number % 7)
    return content, hashlib.sha256(content).hexdigest()


class Server(http.server.ThreadingHTTPServer):
    """Offers another version as the newest whenever it is asked, and serves ranges of all of them."""

    daemon_threads = True
    asked = 0
    resumed = 0

    def handle_error(self, *_: object) -> None:
        pass  # a client that was killed


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    server: Server

    def do_GET(self) -> None:
        if self.path.startswith("/v1beta2/"):
            # Each is the newest for three questions, so that a client that was killed can continue.
            self.server.asked += 1
            number = self.server.asked // 3
            content, etag = version(number)
            info = {
                "downloadUri": f"http://127.0.0.1:{self.server.server_port}/{number}",
                "expireTime": "2999-01-01T00:00:00.000Z",
                "sizeBytes": str(len(content)),
            }
            if self.headers.get("If-None-Match") == etag:
                return self.answer(304, b"", {"ETag": etag})
            return self.answer(200, json.dumps(info).encode(), {"ETag": etag})
        content, etag = version(int(self.path[1:]))
        wanted = self.headers.get("Range")
        if wanted and self.headers.get("If-Range") == f'"{etag}"':
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            self.server.resumed += 1
            headers = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
            return self.answer(206, content[start:], headers)
        self.answer(200, content, {})

    def answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            for start in range(0, len(body), 20_000):
                self.wfile.write(body[start : start + 20_000])
                time.sleep(0.0005)
        except OSError:
            self.close_connection = True  # killed

    def log_message(self, *_: object) -> None:
        pass


def problems(folder: Path, was_there: bool, published: set[str]) -> tuple[list[str], str | None]:
    """The problems of the folder of models, and the hash of the model in it."""
    found = []
    for file in folder.glob("files/*"):
        if hashlib.sha256(file.read_bytes()).hexdigest() != file.stem:
            found.append(f"{file.name} is not what its name says")
    pointer = folder / "models/plants.json"
    if not pointer.exists():
        return found + (["the model is lost"] if was_there else []), None
    model = json.loads(pointer.read_text())
    if model["hash"] not in published:
        found.append(f"the model is {model}, which was never published")
    elif not (folder / f"files/{model['hash']}.tflite").exists():
        found.append(f"the file of {model} is not there")
    return found, model["hash"]


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    add_executable(parser, "DownloadProbe")
    arguments = parser.parse_args(words)
    source = random.Random(arguments.seed)
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with temporary_folder("kill") as folder:
        model, changes, partial = None, 0, 0
        for kill in range(1, arguments.kills + 1):
            client = subprocess.Popen(
                [arguments.executable, f"http://127.0.0.1:{server.server_port}", "my-plants", "key", folder, "plants"],
                stdout=subprocess.PIPE,
            )
            assert client.stdout is not None
            client.stdout.readline()
            time.sleep(source.uniform(0, 0.12))
            client.kill()
            client.wait()
            client.stdout.close()
            published = {version(number)[1] for number in range(server.asked // 3 + 1)}
            found, new = problems(folder, model is not None, published)
            if found:
                sys.exit(f"After kill {kill}: " + "; ".join(found))
            changes += new != model
            partial += any(file.stat().st_size for file in folder.glob("partial/*"))
            model = new
            for file in [*folder.glob("files/*"), *folder.glob("partial/*")]:
                if file.stem not in (model, version(server.asked // 3)[1], version((server.asked + 1) // 3)[1]):
                    file.unlink()  # so that this takes no gigabytes
            if kill % 20 == 0:
                print(
                    f"{kill} kills: {changes} changes of the model, {partial} downloads cut, {server.resumed} resumed"
                )
    print(f"Nothing was lost or torn in {arguments.kills} kills.")
