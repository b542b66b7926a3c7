"""Requests that continue while something fails, and their outcome."""

import builtins
import collections
import functools
import hashlib
import http.client
import json
import random
import threading
import time
import typing
import urllib.parse
from collections.abc import Callable

from ..kill.clients import BUCKET, digest
from ..kill.place import MODELS, Hub, UnavailableError


class Probe(threading.Thread):
    """Sends requests to a hub in turn until it is stopped.

    A hub in trouble may answer 503 with Retry-After, and may end a download that began. Every other wrong answer is a
    problem, and so is an upload that the hub confirmed and does not have afterwards.
    """

    PUBLISHED: typing.ClassVar[str] = "probe"

    def __init__(self, hub: Hub, api_key: str, number: int, confirmed: dict[str, str]) -> None:
        """`confirmed` has the SHA-256 of each upload that a hub confirmed, of all probes and of all time."""
        super().__init__(daemon=True)
        self.hub, self.api_key, self.confirmed = hub, api_key, confirmed
        self.random = random.Random(number)
        self.stopping = threading.Event()
        self.answers: collections.Counter[str] = collections.Counter()
        self.problems: list[str] = []
        self.slowest = 0.0

    def run(self) -> None:
        while not self.stopping.is_set():
            for action in (self.download, self.list_models, self.upload, self.read):
                self.ask(action.__name__.removesuffix("_models"), action)
            time.sleep(0.02)

    def ask(self, name: str, action: Callable[[], str]) -> None:
        begin = time.monotonic()
        try:
            result = action()
        except UnavailableError:
            result = "503"
        except (http.client.IncompleteRead, ConnectionResetError, BrokenPipeError) as error:
            result = "cut"
            if name in ("list", "upload"):
                self.problems.append(f"{name} ended with {error!r}")
        except Exception as error:
            result = "problem"
            self.problems.append(f"{name} failed: {error!r}"[:500])
        self.answers[result] += 1
        self.slowest = max(self.slowest, time.monotonic() - begin)

    def download(self) -> str:
        path = f"{MODELS}/{self.PUBLISHED}:download?key={self.api_key}"
        status, data, _ = self.hub.request("GET", path, more={"Authorization": ""})
        if status != 200:
            return self.unexpected("download", status, data)
        uri = urllib.parse.urlsplit(json.loads(data)["downloadUri"])
        status, content, headers = self.hub.request("GET", f"{uri.path}?{uri.query}", more={"Authorization": ""})
        if status != 200:
            return self.unexpected("file", status, content)
        if f'"{digest(content)}"' != headers["ETag"]:
            self.problems.append("a downloaded file has other bytes than its hash says")
        return "200"

    def list_models(self) -> str:
        status, data, _ = self.hub.request("GET", f"{MODELS}?pageSize=50")
        return "200" if status == 200 else self.unexpected("list", status, data)

    def upload(self) -> str:
        content = self.random.randbytes(self.random.choice([100, 20_000]))
        name = f"probe{self.random.getrandbits(64):x}"
        path = f"/upload/storage/v1/b/{BUCKET}/o?uploadType=media&name={name}"
        status, data, _ = self.hub.request("POST", path, content, "application/octet-stream")
        if status != 200:
            return self.unexpected("upload", status, data)
        self.confirmed[name] = hashlib.sha256(content).hexdigest()
        return "200"

    def read(self) -> str:
        """Reads an object that was confirmed."""
        return self.check(self.random.choice(list(self.confirmed))) if self.confirmed else "200"

    def check(self, name: str) -> str:
        path = f"/download/storage/v1/b/{BUCKET}/o/{name}?alt=media"
        status, content, _ = self.hub.request("GET", path)
        if status != 200:
            return self.unexpected(f"the confirmed upload {name}", status, content)
        if digest(content) != self.confirmed[name]:
            self.problems.append(f"the confirmed upload {name} has other bytes")
        return "200"

    def check_all(self) -> builtins.list[str]:
        """Reads every confirmed upload; returns all problems."""
        for name in list(self.confirmed):
            self.ask(name, functools.partial(self.check, name))
        return self.problems

    def unexpected(self, what: str, status: int, data: bytes) -> str:
        self.problems.append(f"{what}: {status} {data[:200]!r}")
        return str(status)
