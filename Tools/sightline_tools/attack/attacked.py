"""A hub in a temporary folder, and the requests that attacks send to it."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from ..hubs import Place, Response
from ..places import FIXTURES, temporary_folder
from ..programs import Word, processor_seconds, resident_megabytes

MODEL = (FIXTURES / "models/add.tflite").read_bytes()
PROJECT = "attacked"


class Hub:
    """A serving hub with one project."""

    def __init__(self, executable: str, folder: Path, options: Mapping[str, object]) -> None:
        self.executable, self.folder = executable, folder
        self.place = Place(executable, ["--data", folder])
        self.run("project", "create", PROJECT)
        self.serving = self.place.serve(*(f"--{name.replace('_', '-')}={value}" for name, value in options.items()))
        self.process, self.port, self.log = self.serving.process, self.serving.port, self.serving.log

    def run(self, *words: Word, check: bool = True) -> str:
        """Runs a command of the hub on its data folder and returns what it prints."""
        return self.place.run(*words, check=check)

    def token(self, role: str) -> str:
        """A new token with a role."""
        return self.run("key", "create", "--token", f"{role}-token", "--role", role).strip()

    def api_key(self) -> str:
        """A new API key of an app."""
        return self.run("key", "create", "--api-key", "app").strip()

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self.serving.is_running

    def memory(self) -> float:
        """Megabytes of resident memory."""
        return resident_megabytes(self.process.pid)

    def processor_seconds(self) -> float:
        """Seconds of processor time that the hub has used so far."""
        return processor_seconds(self.process.pid)

    def stored_bytes(self) -> int:
        """Bytes of all files in the hub's data folder."""
        total = 0
        for path in self.folder.rglob("*"):
            with contextlib.suppress(OSError):
                total += path.stat().st_size if path.is_file() else 0
        return total

    def request(
        self,
        method: str,
        path: str,
        body: bytes | str | dict[str, Any] | list[Any] | None = None,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        source: str | None = None,
        timeout: float = 60,
    ) -> Response:
        """The status, body and headers of an answer."""
        fields = dict(headers or {})
        if token:
            fields["Authorization"] = f"Bearer {token}"
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            fields.setdefault("Content-Type", "application/json")
        return self.serving.request(method, path, body, fields, source, timeout)

    def connect(self, source: str | None = None) -> socket.socket:
        """A raw connection, for requests that no HTTP client sends."""
        return socket.create_connection(
            ("127.0.0.1", self.port), timeout=30, source_address=(source, 0) if source else None
        )


# An attack returns a description of its failure, or nothing.
Attack = Callable[[Hub], str | None]
ATTACKS: list[tuple[Attack, dict[str, object]]] = []


def attack(**options: object) -> Callable[[Attack], Attack]:
    """Marks a function as an attack. `options` become options of `sightline-hub serve`, such as rate_limit=0."""

    def mark(function: Attack) -> Attack:
        ATTACKS.append((function, options))
        return function

    return mark


class Asked(Protocol):
    """A server that can be asked for its health."""

    def request(self, method: str, path: str, *, source: str | None = None, timeout: float = 60) -> Response:
        """The status, body and headers of an answer."""


class HealthProbe:
    """Asks for /healthz from another address while an attack runs, and keeps how long each answer takes."""

    def __init__(self, hub: Asked, address: str = "127.0.0.9", pause: float = 0.005) -> None:
        self.hub, self.address, self.pause = hub, address, pause
        self.milliseconds: list[float] = []
        self.failures = 0

    def __enter__(self) -> "HealthProbe":
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.ask, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.ended.set()
        self.thread.join(timeout=60)

    def ask(self) -> None:
        while not self.ended.is_set():
            start = time.perf_counter()
            try:
                status, _, _ = self.hub.request("GET", "/healthz", source=self.address, timeout=30)
                self.failures += status != 200
            except OSError:
                self.failures += 1
            self.milliseconds.append((time.perf_counter() - start) * 1000)
            time.sleep(self.pause)

    def percentile(self, share: float) -> float:
        ordered = sorted(self.milliseconds)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)]

    def __str__(self) -> str:
        return (
            f"/healthz {len(self.milliseconds)} times: median {self.percentile(0.5):.1f} ms, "
            f"p99 {self.percentile(0.99):.1f} ms, longest {max(self.milliseconds):.1f} ms, {self.failures} failed"
        )


@contextlib.contextmanager
def serving(executable: str, options: Mapping[str, object]) -> Iterator[Hub]:
    """A separate hub for an attack."""
    with temporary_folder("attack") as folder:
        hub = Hub(executable, folder, options)
        try:
            yield hub
        finally:
            hub.serving.stop()
