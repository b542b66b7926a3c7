"""The servers that a fleet of hubs shares: PostgreSQL, and a server of S3's protocol. Both can be killed."""

import os
import pathlib
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

BUCKET = "hub"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class PostgreSQL:
    """A server with its data in a folder. PostgreSQL refuses to run as root, so root runs it as nobody."""

    def __init__(self, folder):
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
        if not programs:
            sys.exit("PostgreSQL is missing; install it with `apt-get install postgresql`.")
        self.programs, self.folder, self.port = programs[-1], pathlib.Path(folder), free_port()
        # The port of which hubs know: another one if something stands in between.
        self.public_port = self.port
        self.user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        self.folder.mkdir()
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.run("initdb", "--pgdata", self.folder / "data", "--username", "hub", "--auth", "trust", "--no-sync")
        self.start()
        self.run("createdb", "--host", "127.0.0.1", "--port", str(self.port), "--username", "hub", "hub")

    @property
    def address(self):
        return f"postgres://hub@127.0.0.1:{self.public_port}/hub"

    def run(self, program, *words):
        identity = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}
        subprocess.run(
            [self.programs / program, *words],
            check=True,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=120,
            **identity,
        )

    def control(self, *words):
        self.run("pg_ctl", "--pgdata", self.folder / "data", "--wait", *words)

    def execute(self, sql):
        """Executes statements as the hubs' user."""
        self.run("psql", *self.session, "-c", sql)

    def value(self, sql):
        """The value of a query."""
        words = [self.programs / "psql", *self.session, "-Atc", sql]
        done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=120)
        return done.stdout.strip()

    @property
    def session(self):
        return [f"postgres://hub@127.0.0.1:{self.port}/hub", "-v", "ON_ERROR_STOP=1"]

    def start(self):
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self.folder}"
        self.control("start", "--log", self.folder / "log", "--options", options)

    def kill(self):
        """Ends the server at once, as a crash would; the next start recovers."""
        self.control("stop", "--mode", "immediate")


class Storage:
    """nanio, which keeps files in a folder, checks signatures and serves S3's protocol."""

    def __init__(self, folder, executable="nanio"):
        if not shutil.which(executable):
            sys.exit("nanio is missing; install it with `pip install nanio==0.1.7`, or name it with --nanio.")
        self.executable, self.folder, self.port = executable, pathlib.Path(folder), free_port()
        # The port of which hubs know: another one if something stands in between.
        self.public_port = self.port
        self.folder.mkdir()
        self.variables = {"AWS_ACCESS_KEY_ID": secrets.token_hex(8), "AWS_SECRET_ACCESS_KEY": secrets.token_hex(16)}
        self.start()

    @property
    def address(self):
        return f"s3://{BUCKET}/models?endpoint=http://127.0.0.1:{self.public_port}&region=us-east-1"

    def start(self):
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

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
