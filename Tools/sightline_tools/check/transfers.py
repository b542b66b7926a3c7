"""Runs the exchanges over URLSession, which apps for Apple's systems use, on Linux against its own server.

The sources are compiled as on Apple's systems, with stand-ins, and run with swift-corelibs-foundation. Its URLSession
is not Apple's, so this finds mistakes of ours and not those of a misread documentation.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ..places import ROOT, temporary_folder
from ..programs import Word, output
from .apple import STAND_INS, Compiler

MODULES = ["SightlineLocks", "DurableFiles", "ModelHubProtocol"]
# The part of ModelHub that sends requests and receives files.
TRANSFERS = [
    *("Network/HubTransport.swift", "Network/HubFailure.swift", "Network/RolloutPart.swift"),
    *("Downloads/FileDownload.swift", "Downloads/ModelInfo.swift"),
    *("Trust/ManifestProblem.swift", "RemoteConfig/ConfigValue.swift"),
]
FILE = os.urandom(1 << 20) * 16
HASH = hashlib.sha256(FILE).hexdigest()
# Where the server ends the first two sendings of /cut.
CUT = 5_000_001


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    cuts = 0

    def log_message(self, *_: object) -> None:
        pass

    def answer(self, status: int, body: bytes, fields: Iterable[tuple[str, str]] = ()) -> None:
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.answer(200, body, [("x-key", self.headers.get("x-goog-api-key", ""))])

    def do_GET(self) -> None:
        try:
            if self.path == "/missing":
                self.answer(404, b'{"error": {"code": 404, "message": "no such model", "status": "NOT_FOUND"}}')
            elif self.path == "/redirect":
                self.answer(302, b"", [("location", "/file")])
            elif self.path in ("/file", "/cut"):
                self.send_file()
            elif self.path == "/hang-in-body":
                self.send_response(200)
                self.send_header("content-length", "5000")
                self.end_headers()
                self.wfile.write(b"the beginning")
                self.wfile.flush()
                time.sleep(10)
            else:
                time.sleep(10)
        except OSError:
            pass  # The client has what it wanted.

    def send_file(self) -> None:
        given = self.headers.get("range")
        start = int(given.removeprefix("bytes=").split("-")[0]) if given else 0
        self.send_response(206 if given else 200)
        if given:
            self.send_header("content-range", f"bytes {start}-{len(FILE) - 1}/{len(FILE)}")
        self.send_header("etag", f'"{HASH}"')
        self.send_header("content-length", str(len(FILE) - start))
        self.end_headers()
        if self.path == "/cut" and Handler.cuts < 2:
            Handler.cuts += 1
            self.wfile.write(FILE[start : start + CUT])
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(2)
        else:
            self.wfile.write(FILE[start:])


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 300


def build(work: Path) -> Path:
    """Builds the program, and returns its path."""
    compiler = Compiler(work)
    headers = ROOT / "Sources/C/CSHA256"
    compiler.add_map("CSHA256", f'module CSHA256 {{\n    umbrella "{headers}/include"\n    export *\n}}\n')
    hub = ROOT / "Sources/ModelHub"
    sources = {name: [STAND_INS / f"{name}.swift"] for name in ["Darwin", "os", "Network"]}
    sources |= {name: sorted((ROOT / "Sources" / name).rglob("*.swift")) for name in MODULES}
    sources["ModelHub"] = [
        *sorted((hub / "Network/Exchange").glob("*.swift")),
        *[hub / path for path in TRANSFERS],
        STAND_INS / "Programs/Transfers.swift",
    ]
    for name, files in sources.items():
        compiler.module(name, files, "-c", "-o", work / f"{name}.o")
    objects = [work / f"{name}.o" for name in sources]
    output(["clang", "-c", "-O2", "-I", headers / "include", headers / "CSHA256.c", "-o", work / "CSHA256.o"])
    output(["swiftc", "-o", work / "transfers", *objects, work / "CSHA256.o"])
    return work / "transfers"


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.parse_args(words)
    with temporary_folder("transfers") as folder:
        program = build(folder)
        server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        command: list[Word] = [program, address, str(len(FILE)), HASH, folder]
        result = subprocess.run(command, env=environment, timeout=120)
        server.shutdown()
    if result.returncode != 0:
        sys.exit(f"error: exchanges over URLSession failed (status {result.returncode}); the lines above say which.")
    print("The exchanges over URLSession work with swift-corelibs-foundation.")
