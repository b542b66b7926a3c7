"""Serves S3-compatible storage on loopback for tests, until its standard input ends.

    Scripts/tools serve storage moto|nanio
    Scripts/tools serve storage --check moto|nanio

It makes a bucket named "hub", prints its port, and leaves nothing behind. The keys are those of AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY: nanio verifies every signature with them, and moto verifies none. With --check it only says, by
its exit code, whether the server is installed; `Scripts/install-packages --tests` installs both.
"""

import argparse
import importlib.util
import os
import shutil
import socket
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from ..places import ROOT
from ..servers import BUCKET


def serve_moto() -> int:
    """Starts moto, which keeps objects in memory; gives the port."""
    from moto.moto_server.threaded_moto_server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    port = server.get_host_and_port()[1]
    request = urllib.request.Request(f"http://127.0.0.1:{port}/{BUCKET}", method="PUT")
    urllib.request.urlopen(request, timeout=60).close()
    return int(port)


def serve_nanio(folder: Path) -> int:
    """Starts nanio, which keeps objects in a folder; gives the port."""
    import uvicorn
    from nanio.app import build_app
    from nanio.auth.credentials import StaticCredentialResolver
    from nanio.config import Settings

    (folder / BUCKET).mkdir()
    keys = {os.environ["AWS_ACCESS_KEY_ID"]: os.environ["AWS_SECRET_ACCESS_KEY"]}
    settings = Settings(data_dir=folder, credentials=StaticCredentialResolver(keys))
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(build_app(settings), log_level="error", access_log=False))
    threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True).start()
    return int(listener.getsockname()[1])


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Serves until the test run closes the pipe, or ends for any reason."""
    parser.add_argument("--check", action="store_true", help="only check whether the server is installed")
    parser.add_argument("server", choices=["moto", "nanio"])
    options = parser.parse_args(words)
    sys.path.insert(0, str(ROOT / ".build/test-storage"))
    if options.check:
        sys.exit(0 if importlib.util.find_spec(options.server) else 1)
    folder = Path(tempfile.mkdtemp(prefix="sightline-test-storage-"))
    # moto puts large objects into temporary files.
    tempfile.tempdir = str(folder)
    try:
        port = serve_moto() if options.server == "moto" else serve_nanio(folder)
        print(port, flush=True)
        sys.stdin.read()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    # The threads of the servers do not end without help.
    os._exit(0)
