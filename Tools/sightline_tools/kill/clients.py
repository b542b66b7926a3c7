"""Clients that work on models, and know what each model must be."""

import base64
import hashlib
import http.client
import json
import random
import threading
import typing
import urllib.parse
from typing import Any

from ..hubs import Response
from ..places import FIXTURES
from .place import MODELS, PROJECT, Hub, UnavailableError

MODEL = (FIXTURES / "models/add.tflite").read_bytes()
BUCKET = f"{PROJECT}.appspot.com"


# The SHA-256 of the file, whether it is published, and the number of the model if it is known. None: there is no model.
State = tuple[str | None, bool, str | None] | None


class States:
    """The states that each model may have: one, and a second while a request for a change is under way."""

    def __init__(self) -> None:
        self.allowed: dict[str, set[State]] = {}

    def change(self, name: str, new: State) -> None:
        """From now on the old and the new state are right."""
        self.allowed[name] = self.allowed.get(name, {None}) | {new}

    def settle(self, name: str, new: State) -> None:
        self.allowed[name] = {new}

    def known(self, name: str) -> State:
        """The only state."""
        (state,) = self.allowed.get(name, {None})
        return state

    @property
    def in_doubt(self) -> int:
        return sum(len(states) > 1 for states in self.allowed.values())

    @property
    def alive(self) -> int:
        return sum(states != {None} for states in self.allowed.values())

    def compare(self, hub: Hub) -> list[str]:
        """Compares what a hub has with what it may have, keeps what it has, and returns the problems."""
        found = models(hub)
        problems = [f"{name} is there but was never made" for name in found if name not in self.allowed]
        for name, allowed in self.allowed.items():
            model = found.get(name)
            actual: State = None
            if model:
                actual = (model.get("modelHash"), model["state"]["published"], model["name"].split("/")[-1])
            matches = {
                state
                for state in allowed
                if state and actual and state[:2] == actual[:2] and state[2] in (None, actual[2])
            }
            if not matches and actual not in allowed:
                problems.append(f"{name} is {actual}, not one of {allowed}")
                continue
            self.settle(name, actual)
            if actual and actual[1]:
                problems += download_problems(hub, name, actual[0])
        return problems


def models(hub: Hub) -> dict[str, dict[str, Any]]:
    """The models of a hub by name."""
    found, token = {}, ""
    while True:
        page = hub.call("GET", f"{MODELS}?pageSize=50&pageToken={urllib.parse.quote(token)}")
        for model in page.get("models", []):
            found[model["displayName"]] = model
        token = page.get("nextPageToken", "")
        if not token:
            return found


def download_problems(hub: Hub, name: str, expected: str | None) -> list[str]:
    status, data, _ = hub.request("GET", f"{MODELS}/{name}:download")
    uri = urllib.parse.urlsplit(json.loads(data)["downloadUri"]) if status == 200 else None
    status, content, _ = hub.request("GET", f"{uri.path}?{uri.query}") if uri else (status, b"", None)
    if status == 200 and digest(content) == expected:
        return []
    return [f"{name} is published, but its download gives {status} and {len(content)} wrong bytes"]


# The address and the content of the upload that each client has begun.
Pending = dict[int, tuple[str, bytes]]


class Client(threading.Thread):
    """Works on its own models until its hub is gone, or until it is asked to stop."""

    # The bytes that a hub said it had of an upload, by its path.
    sent: typing.ClassVar[dict[str, int]] = {}

    def __init__(self, hub: Hub, number: int, states: States, pending: Pending, random: random.Random) -> None:
        super().__init__(daemon=True)
        self.hub, self.number, self.states, self.pending, self.random = hub, number, states, pending, random
        self.stopping = threading.Event()
        self.problem: Exception | None = None

    def run(self) -> None:
        try:
            self.resume()
            while not self.stopping.is_set():
                self.step()
        except (OSError, http.client.HTTPException, UnavailableError):
            return  # the hub was killed, or what it needs was
        except Exception as error:
            if self.hub.is_running:
                self.problem = error

    def step(self) -> None:
        name = f"model_{self.number}_{self.random.randrange(4)}"
        known = self.states.known(name)
        if known is None:
            content = self.content()
            uri = self.upload(content)
            self.states.change(name, (digest(content), False, None))
            model = self.hub.call("POST", MODELS, {"displayName": name, "tfliteModel": {"gcsTfliteUri": uri}})
            self.states.settle(name, (digest(content), False, model["name"].split("/")[-1]))
            return
        hash_, published, model_id = known
        action = self.random.choice(["file", "file", "publish", "publish", "delete"])
        path = f"{MODELS}/{model_id}"
        if action == "file":
            content = self.content()
            uri = self.upload(content)
            new: State = (digest(content), published, model_id)
            self.states.change(name, new)
            self.hub.call("PATCH", path + "?updateMask=tfliteModel", {"tfliteModel": {"gcsTfliteUri": uri}})
        elif action == "publish":
            new = (hash_, not published, model_id)
            self.states.change(name, new)
            self.hub.call("PATCH", path + "?updateMask=state.published", {"state": {"published": not published}})
        else:
            new = None
            self.states.change(name, new)
            self.hub.call("DELETE", path)
        self.states.settle(name, new)

    def content(self) -> bytes:
        # Bytes after a model's own do not concern the runtime, so that each of these is another valid model.
        padding: bytes = self.random.randbytes(self.random.choice([64, 4096, 300_000]))
        return MODEL + padding

    def upload(self, content: bytes) -> str:
        name = f"upload{self.random.randrange(8)}_{self.number}"
        if self.random.random() < 0.5:
            path = f"/upload/storage/v1/b/{BUCKET}/o?uploadType=resumable&name={name}"
            status, _, headers = self.hub.request("POST", path)
            if status != 200:
                raise RuntimeError(f"POST {path}: {status}")
            location = urllib.parse.urlsplit(headers["Location"])
            self.pending[self.number] = (f"{location.path}?{location.query}", content)
            self.resume()
            return f"gs://{BUCKET}/{name}"
        path = f"/upload/storage/v1/b/{BUCKET}/o?uploadType=media&name={name}"
        self.hub.call("POST", path, content, "application/octet-stream")
        return f"gs://{BUCKET}/{name}"

    def resume(self) -> None:
        """Sends the missing bytes of an upload that began, now or before a kill, perhaps at another hub."""
        if self.number not in self.pending:
            return
        path, content = self.pending[self.number]
        total = len(content)
        status, data, headers = self.put(path, b"", f"bytes */{total}")
        while status == 308:
            start = int(headers["Range"].split("-")[1]) + 1 if headers["Range"] else 0
            if start < self.sent.get(path, 0):
                raise RuntimeError(f"{path} has {start} bytes, but said before that it had {self.sent[path]}")
            self.sent[path] = start
            piece = content[start : start + total // 3 + 1]
            status, data, headers = self.put(path, piece, f"bytes {start}-{start + len(piece) - 1}/{total}")
        if status != 200:
            raise RuntimeError(f"PUT {path}: {status} {data[:200]!r}")
        if json.loads(data)["md5Hash"] != base64.b64encode(hashlib.md5(content).digest()).decode():
            raise RuntimeError(f"PUT {path}: the hub stored other bytes")
        del self.pending[self.number]

    def put(self, path: str, body: bytes, content_range: str) -> Response:
        headers = {"Content-Range": content_range}
        return self.hub.request("PUT", path, body, "application/octet-stream", headers)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
