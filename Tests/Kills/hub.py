"""Hubs that are killed, and requests to them."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

PROJECT = "kill-test"
MODELS = f"/v1beta2/projects/{PROJECT}/models"
# The workers of a hub that was killed end too; nobody wants to see their stacks.
ENVIRONMENT = os.environ | {"SWIFT_BACKTRACE": "enable=no"}


class UnavailableError(Exception):
    """The hub asked to try again later."""


class Place:
    """Where a hub keeps its data: the options that name it, and the variables with its secrets."""

    def __init__(self, executable, options, variables=None):
        self.executable, self.options = executable, options
        self.environment = ENVIRONMENT | (variables or {})

    def run(self, *words, check=True):
        """Runs a command of the hub to its end."""
        done = subprocess.run(
            [self.executable, *words, *self.options],
            capture_output=True,
            text=True,
            timeout=120,
            env=self.environment,
        )
        if check and done.returncode:
            sys.exit(f"sightline hub {' '.join(words)} failed: {done.stdout}{done.stderr}")
        return done.stdout

    def make_project(self):
        """Makes the project, and returns a token for it."""
        self.run("project", "create", PROJECT)
        return self.run("key", "create", "--token", "killer", "--role", "admin").strip()

    def problems(self):
        """The problems that `sightline hub verify` finds."""
        output = self.run("verify", "--deep", "--format", "json", check=False)
        return json.loads(output)["problems"] if output else ["`sightline hub verify` failed"]


class Hub:
    """A hub that serves a place."""

    def __init__(self, place, token, options=("--rate-limit", "0")):
        self.place, self.token, self.options = place, token, options
        self.process = self.port = None

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def start(self):
        self.process = subprocess.Popen(
            [self.place.executable, "serve", *self.place.options, "--port", "0", *self.options],
            stderr=subprocess.PIPE,
            text=True,
            env=self.place.environment,
        )
        log = []
        for line in self.process.stderr:
            log.append(line)
            found = re.search(r'"address":"http://127\.0\.0\.1:(\d+)"', line)
            if found:
                self.port = int(found.group(1))
                threading.Thread(target=self.process.stderr.read, daemon=True).start()
                return
        sys.exit("the hub did not start:\n" + "".join(log))

    def kill(self):
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def request(self, method, path, body=None, kind="application/json", more=None):
        """The status, body and headers of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind, **(more or {})}
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
            data = reply.read()
        finally:
            connection.close()
        if reply.status == 503 and reply.headers["Retry-After"]:
            raise UnavailableError(f"{method} {path}: {data[:200]}")
        return reply.status, data, reply.headers

    def call(self, method, path, body=None, kind="application/json"):
        """The JSON of an answer; anything but success is an error."""
        content = json.dumps(body).encode() if isinstance(body, dict) else body
        status, data, _ = self.request(method, path, content, kind)
        if status != 200:
            raise RuntimeError(f"{method} {path}: {status} {data[:200]}")
        reply = json.loads(data)
        if "error" in reply:
            raise RuntimeError(f"{method} {path}: {reply['error']}")
        return reply.get("response", reply)

    def recover(self, seconds=20):
        """Waits until the hub is ready again, and returns how long that took."""
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            try:
                if self.request("GET", "/readyz")[0] == 200:
                    return time.monotonic() - begin
            except (UnavailableError, OSError, http.client.HTTPException):
                pass
            time.sleep(0.05)
        raise RuntimeError(f"the hub was not ready again within {seconds} seconds")
