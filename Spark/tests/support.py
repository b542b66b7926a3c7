"""The program that stands for sightline, servers on loopback, and folders of what counts as pictures here."""

import contextlib
import functools
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
# The tests of the package sightline have it, because they test the engine.
FAKE = str(PACKAGE.parent / "Python/tests/fake_sightline.py")
VERSION = "9.9.9"


@functools.cache
def why_no_spark():
    """Why tests that start Spark are skipped; None if they are not."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed: pip install ./Spark"
    java = os.environ.get("JAVA_HOME")
    if not shutil.which(f"{java}/bin/java" if java else "java"):
        return "there is no Java: apt-get install default-jre-headless"
    return None


@functools.cache
def why_no_moto():
    """Why tests of S3 are skipped; None if they are not."""
    return None if importlib.util.find_spec("moto") else "moto is not installed: pip install 'moto[s3,server]'"


def needs_spark(test):
    """Skips a test or a class if Spark cannot be started."""
    return unittest.skipIf(why_no_spark() is not None, why_no_spark() or "")(test)


class FolderTestCase(unittest.TestCase):
    """A test with an empty folder."""

    def setUp(self):
        super().setUp()
        self.folder = Path(tempfile.mkdtemp(prefix="sightline-spark-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, content=b"x"):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path


def command(*words, environment=None):
    """Runs sightline-spark in this process: its exit code, standard output and standard error."""
    from sightline_spark.__main__ import main

    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = main([str(word) for word in words])
    return code, output.getvalue(), errors.getvalue()


def started(*words, **more):
    """Starts sightline-spark as a process of its own group."""
    return subprocess.Popen(
        [sys.executable, "-m", "sightline_spark", *map(str, words)],
        cwd=PACKAGE,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def table(folder):
    """The rows of an output, sorted by path."""
    import pyarrow.dataset

    found = pyarrow.dataset.dataset(str(folder), format="parquet", partitioning="hive").to_table()
    return found.sort_by("path").to_pylist()


class HubServer:
    """A hub that serves one model, as apps see it."""

    def __init__(self, content, key="key", tag=0, redirect=None, file_address=None):
        """Creates it.

        Args:
            content: the model.
            key: the key that apps need; None if any will do.
            tag: the ETag, if it is not the SHA-256 of the model.
            redirect: the server to which all answers lead.
            file_address: the address of the file, if it is not the hub's.
        """
        import hashlib

        hub = self
        self.content, self.key, self.downloads, self.keys = content, key, 0, []
        self.sha256 = hashlib.sha256(content).hexdigest()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path.startswith("/file"):
                    hub.downloads += 1
                    return self.answer(200, hub.content)
                hub.keys.append(self.headers.get("x-goog-api-key"))
                if redirect:
                    self.send_response(302)
                    self.send_header("Location", redirect + self.path)
                    return self.end_headers()
                if hub.key and self.headers.get("x-goog-api-key") != hub.key:
                    return self.answer(403, b"{}")
                if self.path != "/v1beta2/projects/my-plants/models/plants:download":
                    return self.answer(404, b"{}")
                address = file_address or f"http://127.0.0.1:{self.server.server_port}/file"
                return self.answer(200, json.dumps({"downloadUri": address}).encode())

            def answer(self, status, body):
                self.send_response(status)
                if tag is not None:
                    self.send_header("ETag", hub.sha256 if tag == 0 else tag)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
