"""Hubs that are killed and start again, and requests to them."""

import http.client
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .. import hubs
from ..hubs import Response, ServingHub
from ..programs import Word

PROJECT = "kill-test"
MODELS = f"/v1beta2/projects/{PROJECT}/models"
# The workers of a hub that was killed also end; their stacks are of no use.
VARIABLES = {"SWIFT_BACKTRACE": "enable=no"}


class UnavailableError(Exception):
    """The hub asked to try again later."""


class Place(hubs.Place):
    """Where a hub that is killed keeps its data."""

    def __init__(self, executable: Word, options: Sequence[Word], variables: Mapping[str, str] | None = None) -> None:
        super().__init__(executable, options, VARIABLES | dict(variables or {}))

    def make_project(self) -> str:
        """Makes the project, and returns a token for it."""
        self.run("project", "create", PROJECT)
        return self.run("key", "create", "--token", "killer", "--role", "admin").strip()

    def problems(self) -> list[str]:
        """The problems that `sightline hub verify` finds."""
        output = self.run("verify", "--deep", "--format", "json", check=False)
        return list(json.loads(output)["problems"]) if output else ["`sightline hub verify` failed"]


class Hub:
    """A hub that serves a place, and can be killed and started again."""

    def __init__(self, place: Place, token: str, options: Sequence[Word] = ("--rate-limit", "0")) -> None:
        self.place, self.token, self.options = place, token, options
        self.serving: ServingHub | None = None

    @property
    def is_running(self) -> bool:
        """Whether it serves."""
        return self.serving is not None and self.serving.is_running

    def start(self) -> None:
        """Starts the hub, on another port than before."""
        self.serving = self.place.serve(*self.options)

    def kill(self) -> None:
        """Ends the hub at once, as a crash would."""
        if self.serving:
            self.serving.kill()

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        kind: str = "application/json",
        more: Mapping[str, str] | None = None,
    ) -> Response:
        """The status, body and headers of an answer."""
        assert self.serving is not None, "the hub was not started"
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind, **(more or {})}
        status, data, fields = self.serving.request(method, path, body, headers)
        if status == 503 and fields["Retry-After"]:
            raise UnavailableError(f"{method} {path}: {data[:200]!r}")
        return status, data, fields

    def call(
        self, method: str, path: str, body: bytes | dict[str, Any] | None = None, kind: str = "application/json"
    ) -> dict[str, Any]:
        """The JSON of an answer; anything but success is an error."""
        content = json.dumps(body).encode() if isinstance(body, dict) else body
        status, data, _ = self.request(method, path, content, kind)
        if status != 200:
            raise RuntimeError(f"{method} {path}: {status} {data[:200]!r}")
        reply: dict[str, Any] = json.loads(data)
        if "error" in reply:
            raise RuntimeError(f"{method} {path}: {reply['error']}")
        return dict(reply.get("response", reply))

    def recover(self, seconds: float = 20) -> float:
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
