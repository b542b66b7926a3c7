"""Hubs that tools start on loopback."""

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence

from .programs import Word

Response = tuple[int, bytes, http.client.HTTPMessage]


class Place:
    """Where a hub keeps its data: the options that name it, and the variables with its secrets."""

    def __init__(self, executable: Word, options: Sequence[Word], variables: Mapping[str, str] | None = None) -> None:
        self.executable, self.options = executable, list(options)
        self.environment = {**os.environ, **(variables or {})}

    def run(self, *words: Word, check: bool = True) -> str:
        """Runs a command of the hub to its end, and returns what it prints."""
        done = subprocess.run(
            [self.executable, *words, *self.options],
            capture_output=True,
            text=True,
            timeout=120,
            env=self.environment,
        )
        if check and done.returncode:
            sys.exit(f"error: sightline hub {' '.join(map(str, words))} failed: {done.stdout}{done.stderr}")
        return done.stdout

    def serve(self, *words: Word) -> "ServingHub":
        """Starts a hub, and waits until it has a port."""
        return ServingHub([self.executable, "serve", *self.options, "--port", "0", *words], self.environment)


class ServingHub:
    """A hub that serves on a port of loopback. Its log is read all the time, so that it never waits for a reader."""

    def __init__(self, command: Sequence[Word], environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        assert self.process.stderr is not None
        stderr = self.process.stderr
        self.log: list[str] = []

        def read() -> None:
            with stderr:
                self.log.extend(stderr)

        try:
            for line in stderr:
                self.log.append(line)
                if found := re.search(r'"address":"(https?://127\.0\.0\.1:(\d+))"', line):
                    self.address, self.port = found[1], int(found[2])
                    break
            else:
                stderr.close()
                self.process.wait()
                sys.exit("error: the hub did not start:\n" + "".join(self.log))
        except BaseException:
            # No other code knows the process yet.
            self.kill()
            raise
        threading.Thread(target=read, daemon=True).start()

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self.process.poll() is None

    def kill(self) -> None:
        """Ends the hub at once, as a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Asks the hub to end, and kills it after a minute."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.kill()

    def request(
        self,
        method: str,
        path: str,
        body: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
        source: str | None = None,
        timeout: float = 60,
    ) -> Response:
        """The status, body and headers of an answer. `source` is the address that the request comes from."""
        return send(self.port, method, path, body, headers, source, timeout)


def send(
    port: int,
    method: str,
    path: str,
    body: bytes | str | None = None,
    headers: Mapping[str, str] | None = None,
    source: str | None = None,
    timeout: float = 60,
) -> Response:
    """Sends a request to a port of loopback. `source` is the address that the request comes from."""
    address = (source, 0) if source else None
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout, source_address=address)
    try:
        connection.request(method, path, body, dict(headers or {}))
        reply = connection.getresponse()
        return reply.status, reply.read(), reply.headers
    finally:
        connection.close()
