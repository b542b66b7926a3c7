"""Files on disks of this machine and in all file systems that pyarrow reaches: S3, HDFS, Google Cloud, Azure."""

from __future__ import annotations

import contextlib
import os
import re
import urllib.parse
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, BinaryIO, Protocol

from .errors import InputError

_SCHEME = re.compile(r"^([a-z][a-z0-9+.-]+)://", re.IGNORECASE)


@dataclass(frozen=True)
class Item:
    """A file or a folder in a folder."""

    name: str
    is_folder: bool
    size: int


class Files(Protocol):
    """The functions of a file system that the job needs. Paths are without the scheme."""

    def read(self, path: str) -> bytes: ...
    def open(self, path: str) -> BinaryIO: ...
    def write(self, path: str, data: bytes) -> None: ...
    def items(self, folder: str) -> list[Item]: ...
    def item(self, path: str) -> Item | None: ...


class LocalFiles:
    """Files of this machine, or of a disk that all machines share."""

    def read(self, path: str) -> bytes:
        with open(path, "rb", buffering=0) as file:
            return file.read()

    def open(self, path: str) -> BinaryIO:
        return open(path, "rb")

    def write(self, path: str, data: bytes) -> None:
        """Writes a file that is there as a whole or not at all, also after a power failure."""
        folder, name = os.path.split(path)
        os.makedirs(folder, exist_ok=True)
        # Readers of tables skip names with a dot.
        part = os.path.join(folder, f".{name}.{uuid.uuid4().hex}.part")
        try:
            with open(part, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(part)
            raise
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def items(self, folder: str) -> list[Item]:
        try:
            with os.scandir(folder) as entries:
                return [item for entry in entries if (item := self._item(entry))]
        except FileNotFoundError:
            return []

    @staticmethod
    def _item(entry: os.DirEntry[str]) -> Item | None:
        # Links to folders are left out, as sightline does.
        if entry.is_dir(follow_symlinks=False):
            return Item(entry.name, True, 0)
        if entry.is_dir():
            return None
        try:
            return Item(entry.name, False, entry.stat().st_size)
        except OSError:
            # A broken link is a file that cannot be read.
            return Item(entry.name, False, 0)

    def item(self, path: str) -> Item | None:
        if os.path.isdir(path):
            return Item(os.path.basename(path), True, 0)
        return Item(os.path.basename(path), False, os.path.getsize(path)) if os.path.exists(path) else None


class ArrowFiles:
    """Files in a file system of pyarrow."""

    def __init__(self, system: Any, replaces: bool) -> None:
        """Creates it.

        Args:
            system: a file system of pyarrow.
            replaces: whether a file appears as a whole when its stream is closed, as in object storage.
        """
        self._system = system
        self._replaces = replaces

    def read(self, path: str) -> bytes:
        with self._system.open_input_stream(path) as stream:
            return bytes(stream.read())

    def open(self, path: str) -> BinaryIO:
        file: BinaryIO = self._system.open_input_file(path)
        return file

    def write(self, path: str, data: bytes) -> None:
        # The bytes are complete before the stream is opened: closing it after an error would store a part of them.
        if self._replaces:
            with self._system.open_output_stream(path) as stream:
                stream.write(data)
            return
        folder, _, name = path.rpartition("/")
        self._system.create_dir(folder, recursive=True)
        part = f"{folder}/.{name}.{uuid.uuid4().hex}.part"
        with self._system.open_output_stream(part) as stream:
            stream.write(data)
        try:
            self._system.move(part, path)
        except OSError:
            if self.item(path) is None:
                raise
            # HDFS does not replace a file.
            self._replace(path, part)

    def _replace(self, path: str, part: str) -> None:
        """Puts a file in the place of another, which is deleted only after that."""
        old = f"{part}.old"
        self._system.move(path, old)
        try:
            self._system.move(part, path)
        except OSError:
            # Another task may have put its file there meanwhile, which has the same rows.
            if self.item(path) is None:
                self._system.move(old, path)
                raise
            self._system.delete_file(part)
        self._system.delete_file(old)

    def items(self, folder: str) -> list[Item]:
        import pyarrow.fs

        selector = pyarrow.fs.FileSelector(folder, allow_not_found=True)
        found = []
        for info in self._system.get_file_info(selector):
            is_folder = info.type == pyarrow.fs.FileType.Directory
            # Consoles of object storage make an empty object with the name of a folder.
            if info.base_name and info.path.rstrip("/") != folder.rstrip("/"):
                found.append(Item(info.base_name, is_folder, info.size or 0))
        return found

    def item(self, path: str) -> Item | None:
        import pyarrow.fs

        info = self._system.get_file_info(path)
        if info.type == pyarrow.fs.FileType.NotFound:
            return None
        return Item(info.base_name, info.type == pyarrow.fs.FileType.Directory, info.size or 0)


@dataclass(frozen=True)
class Storage:
    """Where addresses lead. Executors get a copy; keys come from each machine's environment or role."""

    endpoint: str | None = None
    region: str | None = None

    def files(self, address: str) -> tuple[Files, str]:
        """The file system of an address, and the path in it.

        Raises:
            InputError: the address is unusable.
        """
        match = _SCHEME.match(address)
        if not match:
            return LocalFiles(), os.path.abspath(address)
        scheme = match.group(1).lower()
        if scheme == "file":
            return LocalFiles(), urllib.parse.unquote(urllib.parse.urlsplit(address).path)
        key = (self, scheme, address[match.end() :].split("/", 1)[0])
        if key not in _systems:
            _systems[key] = self._system(scheme, address)
        path = address[match.end() :].rstrip("/")
        # For HDFS, the part before the path is the name of a machine.
        return _systems[key], "/" + path.partition("/")[2] if scheme in ("hdfs", "viewfs") else path

    def _system(self, scheme: str, address: str) -> ArrowFiles:
        import pyarrow as pa
        import pyarrow.fs

        try:
            if scheme in ("s3", "s3a", "s3n"):
                # Without the delay, every file would be an upload in several requests.
                options: dict[str, Any] = {"allow_delayed_open": True}
                if self.endpoint:
                    parts = urllib.parse.urlsplit(self.endpoint)
                    options |= {"scheme": parts.scheme, "endpoint_override": parts.netloc}
                if self.region:
                    options["region"] = self.region
                return ArrowFiles(pyarrow.fs.S3FileSystem(**options), replaces=True)
            system, _ = pyarrow.fs.FileSystem.from_uri(address)
            return ArrowFiles(system, replaces=scheme not in ("hdfs", "viewfs"))
        except (OSError, pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            reason = str(error).splitlines()[0].rstrip(".")
            raise InputError(f"{address} cannot be reached ({reason}); see the page on storage.") from None


_systems: dict[tuple[Storage, str, str], ArrowFiles] = {}


def separated(address: str) -> tuple[str, Storage]:
    """An address of S3 without its query, and the query's parameters, as for `sightline hub --blobs`."""
    if not re.match(r"^s3[an]?://", address, re.IGNORECASE) or "?" not in address:
        return address, Storage()
    plain, _, query = address.partition("?")
    values = dict(urllib.parse.parse_qsl(query))
    return plain, Storage(values.get("endpoint"), values.get("region"))


def absolute(address: str) -> str:
    """The address without doubt about its folder."""
    return address if _SCHEME.match(address) else os.path.abspath(address)


def joined(folder: str, name: str) -> str:
    """The address of a file in a folder."""
    return f"{folder.rstrip('/')}/{name}"


def extension(path: str) -> str:
    """The extension in lower case, without the dot."""
    return PurePosixPath(path).suffix.lower().removeprefix(".")


def walk(files: Files, root: str, folder: str) -> Iterator[tuple[str, int]]:
    """The addresses and sizes of all files below a folder, in the order of their parts, without hidden ones.

    Args:
        files: the file system.
        root: the address that `folder` has.
        folder: the path in the file system.
    """
    for item in sorted(files.items(folder), key=lambda item: item.name):
        if item.name.startswith((".", "_sightline")):
            continue
        if item.is_folder:
            yield from walk(files, joined(root, item.name), joined(folder, item.name))
        else:
            yield joined(root, item.name), item.size
