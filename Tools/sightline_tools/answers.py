"""Servers of answers (`sightline serve`) that tools start on loopback."""

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping

from .hubs import Response, send
from .programs import Word


class AnswerServer:
    """A server on a port of loopback. Its log is read all the time, so that it never waits for a reader."""

    def __init__(self, executable: Word, *options: Word) -> None:
        self.process = subprocess.Popen(
            [executable, "--port", "0", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None and self.process.stderr is not None
        stdout, stderr = self.process.stdout, self.process.stderr
        self.log: list[str] = []

        def read() -> None:
            with stderr:
                self.log.extend(stderr)

        self.reader = threading.Thread(target=read, daemon=True)
        self.reader.start()
        with stdout:
            line = stdout.readline()
        found = re.fullmatch(r"Serving at https?://127\.0\.0\.1:(\d+)\n", line)
        if not found:
            self.process.wait()
            self.reader.join()
            sys.exit("error: the server did not start:\n" + line + "".join(self.log))
        self.port = int(found[1])

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self.process.poll() is None

    def stop(self) -> None:
        """Asks the server to end, and kills it after a minute."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join()

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
