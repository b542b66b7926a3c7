"""Servers: the server of answers, and the hub with its webhooks."""

import http.client
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import ClassVar

from ..places import FIXTURES
from ..programs import Word
from .hub import HubFlow
from .library import Run, Running
from .models import NEXT_SHA256, Follow
from .receiver import PORT, received, receiving


class Switch(Follow):
    """A server of answers takes the next version of a model, and answers all the time."""

    def __init__(self, programs: Path) -> None:
        super().__init__(programs)
        self.broken: list[str] = []

    def words(self) -> Sequence[Word]:
        return [self.programs / "sightline-serve", "--model", "hub:things", "--hub", "hub.json", "--port", "0"]

    def accompany(self, running: Running, folder: Path) -> None:
        if found := running.found(r"listening on (127\.0\.0\.1:\d+)"):
            picture = (folder / "a.png").read_bytes()
            self.ask(running, found[1], picture)
            # The next version is in use when a file has its pointer and the log says so.
            running.found(f'in use.*"version":"{NEXT_SHA256[:12]}"', 3)
            self.ask(running, found[1], picture)
        if running.process.poll() is None:
            running.process.send_signal(signal.SIGTERM)

    def ask(self, running: Running, address: str, picture: bytes) -> None:
        """Asks for the objects in a picture. Each answer is complete, or an error that says so."""
        try:
            with urllib.request.urlopen(f"http://{address}/v1/detect", data=picture, timeout=30) as reply:
                body, name = reply.read(), "objects"
        except urllib.error.HTTPError as error:
            body, name = error.read(), "error"
        except (OSError, http.client.HTTPException):
            # The connection, or the process, is the one that ended.
            return
        # An answer of a process that ended has no end.
        if name.encode() not in body and not running.ends(1):
            self.broken.append(f"an answer is cut: {body[:200]!r}")

    def contradictions(self, folder: Path, run: Run) -> Iterator[str]:
        yield from self.broken
        self.broken.clear()


class Webhook(HubFlow):
    """A hub delivers its changes."""

    is_forgiving: ClassVar[bool] = True

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        self.hub(folder, "webhook", "add", f"http://127.0.0.1:{PORT}/")
        self.hub(folder, "promote", "plants")
        self.hub(folder, "publish", "plants", FIXTURES / "models/classifier_int8_metadata.tflite")

    def companions(self, folder: Path) -> AbstractContextManager[None]:
        return receiving(folder)

    def words(self) -> Sequence[Word]:
        return [self.programs / "sightline-hub", "serve", "--port", "0", "--webhook-host", "127.0.0.1"]

    def accompany(self, running: Running, folder: Path) -> None:
        if running.found(r'"address":'):
            running.until(lambda: len(self.ids(folder)) >= self.changes, 10)
        if running.process.poll() is None:
            running.process.send_signal(signal.SIGTERM)

    # The changes after the webhook: two versions, and the promotion of one of them.
    changes = 2

    def details(self, folder: Path) -> str:
        return f"{len(self.ids(folder))} delivered"

    def ids(self, folder: Path) -> set[str]:
        """The ids of the changes that the receiver has."""
        return {str(event["id"]) for event in received(folder)}

    def is_between(self, state: str, old: str, new: str) -> bool:
        return True

    def contradictions(self, folder: Path, run: Run) -> Iterator[str]:
        if len(self.ids(folder)) != self.changes:
            yield f"{len(self.ids(folder))} of {self.changes} changes were delivered"
