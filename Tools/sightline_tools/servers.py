"""The servers that a fleet of hubs shares: PostgreSQL, and servers of S3's protocol."""

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from .places import ROOT, free_port
from .programs import Word

BUCKET = "hub"


class PostgreSQL:
    """A server with its data in a folder. PostgreSQL refuses to run as root, so root runs it as nobody."""

    def __init__(self, folder: Path) -> None:
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        if not programs:
            sys.exit("PostgreSQL is missing; install it with `apt-get install postgresql`.")
        self.programs, self.folder, self.port = programs[-1], Path(folder), free_port()
        # The port of which hubs know: another one if something is in between.
        self.public_port = self.port
        self.user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        self.folder.mkdir()
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.run("initdb", "--pgdata", self.folder / "data", "--username", "hub", "--auth", "trust", "--no-sync")
        self.start()
        self.run("createdb", "--host", "127.0.0.1", "--port", str(self.port), "--username", "hub", "hub")

    @property
    def address(self) -> str:
        """Its address for hubs."""
        return f"postgres://hub@127.0.0.1:{self.public_port}/hub"

    def run(self, program: str, *words: Word) -> None:
        subprocess.run(
            [self.programs / program, *words],
            check=True,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=120,
            user=self.user.pw_uid if self.user else None,
            group=self.user.pw_gid if self.user else None,
            extra_groups=[] if self.user else None,
        )

    def control(self, *words: Word) -> None:
        self.run("pg_ctl", "--pgdata", self.folder / "data", "--wait", *words)

    def execute(self, sql: str) -> None:
        """Executes statements as the hubs' user."""
        self.run("psql", *self.session, "-c", sql)

    def value(self, sql: str) -> str:
        """The value of a query."""
        words: list[Word] = [self.programs / "psql", *self.session, "-Atc", sql]
        done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=120)
        return done.stdout.strip()

    @property
    def session(self) -> list[str]:
        return [f"postgres://hub@127.0.0.1:{self.port}/hub", "-v", "ON_ERROR_STOP=1"]

    def start(self) -> None:
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self.folder}"
        self.control("start", "--log", self.folder / "log", "--options", options)

    def kill(self) -> None:
        """Ends the server at once, as a crash would; the next start recovers."""
        self.control("stop", "--mode", "immediate")


class Storage:
    """nanio, which keeps files in a folder, checks signatures and serves S3's protocol."""

    def __init__(self, folder: Path, executable: str = "nanio") -> None:
        if not shutil.which(executable):
            sys.exit("nanio is missing; install it with `pip install nanio==0.1.7`, or name it with --nanio.")
        self.executable, self.folder, self.port = executable, Path(folder), free_port()
        # The port of which hubs know: another one if something is in between.
        self.public_port = self.port
        self.folder.mkdir()
        self.variables = {"AWS_ACCESS_KEY_ID": secrets.token_hex(8), "AWS_SECRET_ACCESS_KEY": secrets.token_hex(16)}
        self.start()

    @property
    def address(self) -> str:
        """Its address for hubs."""
        return f"s3://{BUCKET}/models?endpoint=http://127.0.0.1:{self.public_port}&region=us-east-1"

    def start(self) -> None:
        # The folder of a bucket.
        (self.folder / BUCKET).mkdir(exist_ok=True)
        keys = {
            "NANIO_ACCESS_KEY": self.variables["AWS_ACCESS_KEY_ID"],
            "NANIO_SECRET_KEY": self.variables["AWS_SECRET_ACCESS_KEY"],
        }
        self.process = subprocess.Popen(
            [
                *(self.executable, "serve", "--host", "127.0.0.1", "--port", str(self.port)),
                *("--data-dir", str(self.folder), "--no-access-log", "--log-level", "error"),
            ],
            env=os.environ | keys,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=5)
                return
            except urllib.error.HTTPError:
                return  # it asks for a signature
            except OSError:
                time.sleep(0.05)
        sys.exit("nanio did not start")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def test_storage() -> Iterator[tuple[str, dict[str, str]]]:
    """nanio as the tests have it, from .build/test-storage: the address of a place, and the variables with its keys."""
    keys = {"AWS_ACCESS_KEY_ID": secrets.token_hex(8), "AWS_SECRET_ACCESS_KEY": secrets.token_hex(16)}
    # The storage ends when its input does.
    storage = subprocess.Popen(
        [ROOT / "Scripts/tools", "serve", "storage", "nanio"],
        env=os.environ | keys,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert storage.stdin is not None and storage.stdout is not None
    try:
        port = storage.stdout.readline().strip()
        if not port:
            sys.exit("error: nanio did not start; run `Scripts/install-packages --tests`.")
        yield f"s3://{BUCKET}/check?endpoint=http://127.0.0.1:{port}&region=us-east-1", keys
    finally:
        storage.stdin.close()
        storage.wait()
