"""Which model sightline runs on this machine, and where a row says it comes from.

A model is the built-in one, a file or folder, the name of an installed model, or `hub:NAME`, a model of a hub. A model
of a hub is downloaded once a machine, compared with the hub's SHA-256, and kept.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sightline.errors import ProgramError, last_line

from .errors import ModelError, sentence

BUILT_IN = {
    "detect": ("object_detector.tflite",),
    "track": ("object_detector.tflite",),
    "label": ("object_detector.tflite", "image_labeler.sightline.json"),
}
PREFIX = "hub:"
_SHA256 = re.compile("[0-9a-f]{64}")
# Seconds without a byte from a hub.
TIMEOUT = 60


@dataclass(frozen=True)
class Hub:
    """A hub and a project in it, as apps know them. The key is for executors only and in no table."""

    address: str
    project: str
    key: str = field(repr=False)


@dataclass(frozen=True)
class Model:
    """A model as the command line names it."""

    name: str | None = None
    hub: Hub | None = None
    # Of a hub's model when the job began: every machine runs this version, independent of later versions.
    sha256: str | None = None

    @property
    def is_of_hub(self) -> bool:
        """Whether a hub has the model."""
        return self.name is not None and self.name.startswith(PREFIX)


@dataclass(frozen=True)
class Origin:
    """The origin in a row, and the arguments for sightline that lead there."""

    arguments: tuple[str, ...]
    model: str
    sha256: str | None
    version: str

    @property
    def values(self) -> tuple[str, str | None, str]:
        """The columns `model`, `model_sha256` and `sightline`."""
        return self.model, self.sha256, self.version


def output(command: Sequence[str]) -> str:
    """The output of a short command of sightline.

    Raises:
        ProgramError: it cannot be started, or fails.
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
    except OSError as error:
        raise ProgramError(
            f"{command[0]} cannot be started ({sentence(error).rstrip('.')}); name the program with --program."
        ) from None
    except subprocess.TimeoutExpired:
        raise ProgramError(f"{' '.join(command)} did not end within two minutes.") from None
    if done.returncode != 0:
        raise ProgramError(last_line(done.stderr) or f"{command[0]} failed.")
    return done.stdout.strip()


@functools.lru_cache
def origin(program: str, task: str, model: Model) -> Origin:
    """The model on this machine, found once a process.

    Raises:
        ProgramError: sightline cannot be run.
        ModelError: the model is missing, or not the one that the job began with.
    """
    version = output([program, "--version"]).split()[-1]
    if model.name is None:
        # The default that `sightline models use` chose may differ from machine to machine.
        return Origin(("--model", "built-in"), "built-in", _built_in_sha256(program, task), version)
    if model.is_of_hub:
        if model.hub is None:
            raise ModelError(f"{model.name} needs --hub, --hub-project and the key in SIGHTLINE_HUB_KEY.")
        sha256 = model.sha256 or current_sha256(model)
        path = downloaded(model, sha256)
        return Origin(("--model", str(path)), model.name, sha256, version)
    found = model.name
    if not os.path.exists(found) and "/" not in found and not Path(found).suffix:
        found = output([program, "models", "path", found])
    file = model_file(Path(found))
    if file is None:
        raise ModelError(f"there is no model {model.name} on this machine; give its path, or ship it with --archives.")
    return Origin(("--model", found), model.name, file_sha256(file), version)


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
        return digest.hexdigest()


def model_file(path: Path) -> Path | None:
    """The file of a model: itself, or the one in an export folder."""
    if path.name == "manifest.json":
        path = path.parent
    if path.is_dir():
        return next(iter(sorted(path.glob("*.tflite"))), None)
    return path if path.is_file() else None


def _built_in_sha256(program: str, task: str) -> str | None:
    """The SHA-256 of the built-in models, joined by "+"; None if they are not beside the program."""
    place = shutil.which(program)
    if place is None:
        return None
    folder = Path(place).resolve().parent
    for resources in [*folder.glob("*.resources"), *(folder.parent / "lib/sightline").glob("*.resources")]:
        files = [resources / name for name in BUILT_IN[task]]
        if all(file.is_file() for file in files):
            return "+".join(file_sha256(file) for file in files)
    return None


def _request(model: Model, method: str) -> urllib.request.Request:
    assert model.hub and model.name
    name, _, alias = model.name.removeprefix(PREFIX).partition("@")
    parts = [urllib.parse.quote(part, safe="") for part in (model.hub.project, name)]
    address = f"{model.hub.address.rstrip('/')}/v1beta2/projects/{parts[0]}/models/{parts[1]}:download"
    if alias:
        address += "?" + urllib.parse.urlencode({"alias": alias})
    return urllib.request.Request(address, headers={"x-goog-api-key": model.hub.key}, method=method)


@contextlib.contextmanager
def _asking(model: Model) -> Iterator[None]:
    """Turns failures of the network into sentences."""
    assert model.hub
    where = f"the model {model.name} of {model.hub.address}"
    try:
        yield
    except urllib.error.HTTPError as error:
        reason = {403: "the hub refuses the key", 404: "the hub has no such published model"}.get(error.code)
        raise ModelError(f"{where} cannot be downloaded: {reason or f'the hub answers {error.code}'}.") from None
    except (OSError, ValueError, KeyError) as error:
        reason = getattr(error, "reason", None) or sentence(error)
        raise ModelError(f"{where} cannot be downloaded: {str(reason).rstrip('.')}; is the hub reachable?") from None


def current_sha256(model: Model) -> str:
    """The SHA-256 of the version that the hub serves now.

    Raises:
        ModelError: the hub cannot be reached or has no such model.
    """
    with _asking(model), _open(_request(model, "GET")) as answer:
        return _etag(answer)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects over HTTP, and takes the key to no other server."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        new = super().redirect_request(req, fp, code, msg, headers, newurl)
        if new is not None:
            _check_address(new.full_url)
            if _server(new.full_url) != _server(req.full_url):
                new.remove_header("X-goog-api-key")
        return new


def _server(address: str) -> tuple[str, str]:
    parts = urllib.parse.urlsplit(address)
    return parts.scheme, parts.netloc


def _check_address(address: str) -> None:
    if _server(address)[0] not in ("http", "https"):
        raise ValueError(f"the hub sends to {address[:200]}, which is not an http or https address")


def _open(request: urllib.request.Request | str) -> Any:
    _check_address(request if isinstance(request, str) else request.full_url)
    return urllib.request.build_opener(_Redirects).open(request, timeout=TIMEOUT)


def _etag(answer: Any) -> str:
    """The SHA-256 of a model's file, which is the hub's ETag and becomes a file name here."""
    found = str(answer.headers["ETag"]).strip('"').lower()
    if not _SHA256.fullmatch(found):
        raise ValueError(f"the hub's answer has the ETag {found[:80]!r} in place of a SHA-256")
    return found


def cache_folder() -> Path:
    """Where this machine keeps models of hubs; a folder of temporary files if the user has no home."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(base) / "sightline-spark/models"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"sightline-spark-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_uid != os.getuid():
            raise ModelError(f"{folder} belongs to another user; set XDG_CACHE_HOME.") from None
        return folder


def downloaded(model: Model, sha256: str) -> Path:
    """The file of a hub's model on this machine. One process downloads it, and the others wait.

    Raises:
        ModelError: the hub cannot be reached, serves another version now, or sends other bytes.
    """
    path = cache_folder() / f"{sha256}.tflite"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.is_file() and file_sha256(path) == sha256:
            return path
        part = path.with_suffix(".part")
        with _asking(model):
            with _open(_request(model, "GET")) as answer:
                serves = _etag(answer)
                address = str(json.load(answer)["downloadUri"])
            if serves != sha256:
                raise ModelError(
                    f"the hub serves another version of {model.name} than when the job began; promote the version "
                    f"with SHA-256 {sha256} again, or begin a new output."
                )
            with _open(address) as answer, part.open("wb") as file:
                shutil.copyfileobj(answer, file)
                file.flush()
                os.fsync(file.fileno())
        found = file_sha256(part)
        if found != sha256:
            part.unlink()
            raise ModelError(f"the download of {model.name} has the SHA-256 {found}, not {sha256}; try again.")
        part.replace(path)
        return path
