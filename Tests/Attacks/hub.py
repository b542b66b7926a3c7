"""A hub in a temporary folder, and the requests that attacks send to it."""

import contextlib
import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
MODEL = (PACKAGE / "Tests/Fixtures/models/add.tflite").read_bytes()
PROJECT = "attacked"

ATTACKS = []


def attack(function=None, **options):
    """Marks a function as an attack. `options` become options of `sightline-hub serve`, such as rate_limit=0."""

    def mark(function):
        ATTACKS.append((function, options))
        return function

    return mark(function) if function else mark


class Hub:
    """A serving hub with one project."""

    def __init__(self, executable, folder, options):
        self.executable, self.folder = executable, pathlib.Path(folder)
        self.run("project", "create", PROJECT)
        arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        self.process = subprocess.Popen(
            [executable, "serve", "--data", folder, "--port", "0", *arguments], stderr=subprocess.PIPE, text=True
        )
        self.log = []
        for line in self.process.stderr:
            self.log.append(line)
            found = re.search(r'"address":"https?://127\.0\.0\.1:(\d+)"', line)
            if found:
                self.port = int(found.group(1))
                break
        else:
            raise RuntimeError("the hub did not start:\n" + "".join(self.log))
        threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True).start()

    def run(self, *words, check=True):
        """Runs a command of the hub on its data folder and returns what it prints."""
        done = subprocess.run(
            [self.executable, *words, "--data", str(self.folder)], capture_output=True, text=True, timeout=120
        )
        if check and done.returncode:
            raise RuntimeError(f"sightline hub {' '.join(words)} failed: {done.stdout}{done.stderr}")
        return done.stdout

    def token(self, role):
        return self.run("key", "create", "--token", f"{role}-token", "--role", role).strip()

    def api_key(self):
        return self.run("key", "create", "--api-key", "app").strip()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    @property
    def is_alive(self):
        return self.process.poll() is None

    def memory(self):
        """Megabytes of resident memory."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text).group(1)) / 1024

    def processor_seconds(self):
        """Seconds of processor time that the hub has used so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def stored_bytes(self):
        """Bytes of all files in the hub's data folder."""
        total = 0
        for path in self.folder.rglob("*"):
            with contextlib.suppress(OSError):
                total += path.stat().st_size if path.is_file() else 0
        return total

    def request(self, method, path, body=None, token=None, headers=None, source=None, timeout=60):
        """The status, body and headers of an answer."""
        address = (source, 0) if source else None
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout, source_address=address)
        try:
            fields = dict(headers or {})
            if token:
                fields["Authorization"] = f"Bearer {token}"
            if isinstance(body, (dict, list)):
                body = json.dumps(body).encode()
                fields.setdefault("Content-Type", "application/json")
            connection.request(method, path, body, fields)
            reply = connection.getresponse()
            return reply.status, reply.read(), reply.headers
        finally:
            connection.close()

    def connect(self, source=None):
        """A raw connection, for requests that no HTTP client sends."""
        return socket.create_connection(
            ("127.0.0.1", self.port), timeout=30, source_address=(source, 0) if source else None
        )


class HealthProbe:
    """Asks for /healthz from another address while an attack runs, and keeps how long each answer takes."""

    def __init__(self, hub, address="127.0.0.9", pause=0.005):
        self.hub, self.address, self.pause = hub, address, pause
        self.milliseconds, self.failures = [], 0

    def __enter__(self):
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.ask, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join(timeout=60)

    def ask(self):
        while not self.ended.is_set():
            start = time.perf_counter()
            try:
                status, _, _ = self.hub.request("GET", "/healthz", source=self.address, timeout=30)
                self.failures += status != 200
            except OSError:
                self.failures += 1
            self.milliseconds.append((time.perf_counter() - start) * 1000)
            time.sleep(self.pause)

    def percentile(self, share):
        ordered = sorted(self.milliseconds)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)]

    def __str__(self):
        return (
            f"/healthz {len(self.milliseconds)} times: median {self.percentile(0.5):.1f} ms, "
            f"p99 {self.percentile(0.99):.1f} ms, longest {max(self.milliseconds):.1f} ms, {self.failures} failed"
        )


@contextlib.contextmanager
def serving(executable, options):
    with tempfile.TemporaryDirectory(prefix="sightline-attack-") as folder:
        hub = Hub(executable, folder, options)
        try:
            yield hub
        finally:
            hub.stop()
