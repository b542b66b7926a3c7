"""Runs Google's firebase_admin SDK against a hub, twice: with its URL constants set, and as Google ships it, through a
proxy that leads *.googleapis.com to the hub's TLS port.

    python3 -m pip install -r Tests/Compatibility/requirements.txt
    Scripts/tools check firebase-admin [--executable .build/debug/sightline-hub] [--fleet]

The hub keeps its records in SQLite and its files in a folder; with --fleet, in PostgreSQL and in S3-compatible storage
(nanio, which checks signatures), both on loopback.

Needs openssl, for a certificate authority of its own that lasts as long as the check. --fleet needs what
`Scripts/install-packages --tests` installs.
"""

import argparse
import asyncio
import contextlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..hubs import Place
from ..places import ROOT, add_executable, temporary_folder
from ..programs import Word, output
from ..servers import PostgreSQL, test_storage

CHECK = ROOT / "Tests/Compatibility/firebase_admin_check.py"
CONFIG_CHECK = ROOT / "Tests/Compatibility/remote_config_check.py"


@contextlib.contextmanager
def shared_servers(folder: Path) -> Iterator[dict[str, str]]:
    """Starts PostgreSQL and a storage; gives the variables that lead a hub to them."""
    database = PostgreSQL(folder / "postgresql")
    try:
        with test_storage() as (address, keys):
            yield keys | {"SIGHTLINE_HUB_DATABASE": database.address, "SIGHTLINE_HUB_BLOBS": address}
    finally:
        database.kill()


def certificates(folder: Path) -> tuple[Path, Path, Path]:
    """A certificate for *.googleapis.com and the authority that vouches for it."""
    authority, key = folder / "authority.pem", folder / "authority.key"
    made: list[Word] = ["-out", authority, "-keyout", key]
    output(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Check", *made]
        + ["-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=keyCertSign"]
    )
    request, certificate, own = folder / "hub.csr", folder / "hub.pem", folder / "hub.key"
    output(["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=hub", "-out", request, "-keyout", own])
    names = folder / "names"
    names.write_text("subjectAltName=DNS:*.googleapis.com\n")
    signed: list[Word] = ["-in", request, "-CA", authority, "-CAkey", key, "-CAcreateserial", "-out", certificate]
    output(["openssl", "x509", "-req", "-days", "2", "-extfile", names, *signed])
    return authority, certificate, own


def start_proxy(target: int) -> int:
    """A proxy that leads CONNECT for *.googleapis.com to a port of this machine, and refuses all else."""

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        if not re.match(r"CONNECT [a-z0-9-]+\.googleapis\.com:443 ", head):
            writer.write(b"HTTP/1.1 403 Forbidden\r\n\r\n")
            writer.close()
            return
        remote_reader, remote_writer = await asyncio.open_connection("127.0.0.1", target)
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        await asyncio.gather(copy(reader, remote_writer), copy(remote_reader, writer))

    started = threading.Event()
    ports: list[int] = []

    async def main() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        ports.append(server.sockets[0].getsockname()[1])
        started.set()
        await server.serve_forever()

    threading.Thread(target=lambda: asyncio.run(main()), daemon=True).start()
    started.wait()
    return ports[0]


def check(program: Path, key_file: Path, environment: dict[str, str], *words: str) -> int:
    """Runs a program that uses the SDK; returns its exit status."""
    command = [sys.executable, "-W", "ignore", str(program), "--key-file", str(key_file), *words]
    return subprocess.run(command, env=os.environ | environment).returncode


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    add_executable(parser, "sightline-hub")
    parser.add_argument("--fleet", action="store_true", help="use PostgreSQL and S3-compatible storage")
    options = parser.parse_args(words)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(temporary_folder("check", is_shared=options.fleet))
        variables = stack.enter_context(shared_servers(folder)) if options.fleet else {}
        data = folder / "hub"
        hub = Place(options.executable, ["--data", data], variables)
        hub.run("project", "create", "check-project")

        def key_file(address: str) -> Path:
            path = folder / "key.json"
            path.write_text(hub.run("key", "create", "--key-file", "sdk", "--address", address))
            return path

        print("== firebase_admin with its URL constants set", flush=True)
        serving = hub.serve()
        failed = check(CHECK, key_file(serving.address), {}, "--hub", serving.address)
        serving.stop()

        print("== firebase_admin as it is, through a proxy to the TLS port", flush=True)
        authority, certificate, own = certificates(folder)
        serving = hub.serve("--certificates", certificate, "--key", own)
        environment = {
            "HTTPS_PROXY": f"http://127.0.0.1:{start_proxy(serving.port)}",
            "REQUESTS_CA_BUNDLE": str(authority),
            "NO_PROXY": "",
        }
        key = key_file("https://oauth2.googleapis.com")
        failed |= check(CHECK, key, environment)

        print("== firebase_admin's Remote Config", flush=True)
        api_key = hub.run("key", "create", "--api-key", "app").strip()
        failed |= check(CONFIG_CHECK, key, environment, "--api-key", api_key)
        serving.stop()
        print(f"== {hub.run('verify', '--deep').strip()}", flush=True)
        if options.fleet and {"hub.sqlite", "blobs"} & set(os.listdir(data)):
            sys.exit(f"error: the hub kept records or files in its folder: {os.listdir(data)}")
    sys.exit(failed)
