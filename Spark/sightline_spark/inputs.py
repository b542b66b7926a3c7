"""Lists the input of a job: folders, patterns, lists of files, and archives of pictures."""

from __future__ import annotations

import fnmatch
import io
import os
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sightline.errors import printed
from sightline.frames import Picture

from .errors import InputError, sentence
from .kinds import HEAD, is_picture, is_video
from .storage import Files, Storage, absolute, extension, joined, walk

LISTS = frozenset("txt lst list".split())
# sightline refuses larger pictures, so they need not be read. Memory holds one whole picture at a time.
MAXIMUM_BYTES = 256 << 20


@dataclass(frozen=True)
class Found:
    """A file of the input, by its address, and its size; -1 if the size is unknown."""

    address: str
    size: int


def is_shard(address: str) -> bool:
    """Whether a file is an archive of pictures: zip, tar, or a compressed tar."""
    return bool(re.search(r"\.(zip|tar|tar\.gz|tgz|tar\.bz2|tar\.xz)$", address, re.IGNORECASE))


def is_wanted(address: str, task: str, storage: Storage) -> bool:
    """Whether a file in a folder belongs to the input of a task."""

    def head() -> bytes:
        files, path = storage.files(address)
        try:
            with files.open(path) as file:
                return file.read(HEAD)
        except OSError:
            # Its name is not that of a picture or video either.
            return b""

    if task == "track":
        return is_video(address, head)
    return is_shard(address) or is_picture(address, head)


def found(source: str, storage: Storage, task: str) -> Iterator[Found]:
    """The files of an input, in an order that stays the same when files are added.

    Args:
        source: a folder, a pattern, a list, an archive or a single file.
        storage: where addresses of S3 lead.
        task: detect, label or track.

    Raises:
        InputError: there is nothing, or it cannot be listed.
    """
    address = source.removeprefix("@")
    files, path = storage.files(address)
    address = absolute(address)
    try:
        item = files.item(path)
        if item and item.is_folder:
            return _walked(files, address, path, lambda name: is_wanted(name, task, storage))
        if item and (source.startswith("@") or extension(address) in LISTS):
            return _listed(files, path)
        if item:
            return iter([Found(address, item.size)])
        if re.search(r"[*?\[]", path):
            return _matched(files, address, path)
    except OSError as error:
        raise InputError(f"{source} cannot be read: {sentence(error)}") from None
    raise InputError(f"there is no file or folder {source}; give a folder, a pattern, a list of files or an archive.")


def _walked(files: Files, address: str, path: str, wants: Callable[[str], object]) -> Iterator[Found]:
    try:
        for name, size in walk(files, address.rstrip("/") or "/", path):
            if wants(name):
                yield Found(name, size)
    except OSError as error:
        # A folder that cannot be listed would be lost silently.
        where = error.filename or address
        raise InputError(f"the folder {where} cannot be listed: {sentence(error)}") from None


def _matched(files: Files, address: str, path: str) -> Iterator[Found]:
    """Files that match a pattern, in which `*` stands for a part of a name, and `**` for folders."""
    parts = address.split("/")
    fixed = next(number for number, part in enumerate(parts) if re.search(r"[*?\[]", part))
    base = "/".join(parts[:fixed]) or "/"
    inner = "/".join(path.split("/")[: fixed - len(parts) or None]) or "/"
    return _walked(files, base, inner, pattern(address).fullmatch)


def pattern(text: str) -> re.Pattern[str]:
    """The expression of a pattern: `*` and `?` stand for characters of a name, `**` for folders."""
    found = ""
    for token in re.split(r"(\*\*/|\*|\?|\[!?[^/\]]+\])", text):
        if token == "**/":
            found += "(?:[^/]+/)*"
        elif token in ("*", "?"):
            found += "[^/]" + token.replace("?", "")
        elif token.startswith("[") and token.endswith("]"):
            found += fnmatch.translate(token).removeprefix("(?s:").removesuffix(")\\Z")
        else:
            found += re.escape(token)
    return re.compile(found, re.DOTALL)


def _listed(files: Files, path: str) -> Iterator[Found]:
    # The files of pyarrow cannot be read by lines.
    with io.BufferedReader(files.open(path), 1 << 20) as file:  # type: ignore[type-var]
        for number, line in enumerate(file):
            if number == 0:
                # The mark with which programs of Windows begin a text.
                line = line.removeprefix(b"\xef\xbb\xbf")
            text = os.fsdecode(line.rstrip(b"\r\n"))
            if text:
                yield Found(absolute(text), -1)


def picture(files: Files, path: str, found: Found) -> Picture:
    """A picture with its bytes, or with the reason why it cannot be read."""
    name = printed(found.address)
    if found.size > MAXIMUM_BYTES:
        return _too_large(name, found.size)
    try:
        return Picture(name, files.read(path))
    except FileNotFoundError:
        reason = f"The file {name} cannot be read: there is no such file; check the name."
        return Picture(name, error=reason, is_unreachable=True)
    except (OSError, ValueError, MemoryError) as error:
        reason = sentence(error).rstrip(".")
        reason = f"The file {name} cannot be read: {reason}; check the name and its permissions."
        return Picture(name, error=reason, is_unreachable=isinstance(error, OSError))


def members(storage: Storage, address: str) -> Iterator[Picture]:
    """The pictures of an archive, one after another. A damaged archive ends with a picture that has the reason."""
    shown = printed(address)
    is_open = False
    try:
        files, path = storage.files(address)
        with files.open(path) as file:
            is_open = True
            yield from (_zip if extension(address) == "zip" else _tar)(file, shown)
    except (OSError, EOFError, ValueError, RuntimeError, tarfile.TarError, zipfile.BadZipFile) as error:
        is_unreachable = not is_open and isinstance(error, OSError)
        yield Picture(
            shown, error=f"The archive cannot be read further: {sentence(error)}", is_unreachable=is_unreachable
        )


def _zip(file: object, shown: str) -> Iterator[Picture]:
    with zipfile.ZipFile(file) as archive:  # type: ignore[call-overload]
        for member in archive.infolist():
            if member.is_dir() or not _is_picture(member.filename, lambda: _head(archive, member)):  # noqa: B023
                continue
            name = joined(shown, printed(member.filename))
            if member.file_size > MAXIMUM_BYTES:
                yield _too_large(name, member.file_size)
                continue
            try:
                picture = Picture(name, archive.read(member))
            except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
                picture = Picture(name, error=f"The archive's copy is damaged: {sentence(error)}")
            except Exception as error:
                if type(error).__module__ != "zlib":
                    raise
                picture = Picture(name, error=f"The archive's copy is damaged: {sentence(error)}")
            yield picture


def _tar(file: object, shown: str) -> Iterator[Picture]:
    # "r|" reads forward only, as fits object storage.
    with tarfile.open(fileobj=file, mode="r|*", bufsize=1 << 20) as archive:  # type: ignore[call-overload]
        for member in archive:
            if not member.isfile() or _is_hidden(member.name):
                continue
            name = joined(shown, printed(member.name))
            content = archive.extractfile(member)
            data = content.read(HEAD) if content else b""
            if not is_picture(member.name, lambda: data):  # noqa: B023
                continue
            if member.size > MAXIMUM_BYTES:
                yield _too_large(name, member.size)
                continue
            data += content.read() if content else b""
            if len(data) < member.size:
                yield Picture(name, error="The archive is cut off in this picture.")
                return
            yield Picture(name, data)


def _is_picture(name: str, head: Callable[[], bytes]) -> bool:
    return not _is_hidden(name) and is_picture(name, head)


def _is_hidden(name: str) -> bool:
    # macOS puts files beside the files of an archive.
    return name.rsplit("/", 1)[-1].startswith(".") or name.startswith("__MACOSX/")


def _head(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(member) as file:
            return file.read(HEAD)
    except Exception:
        # A damaged file with the name of a picture has a row with the reason; another one is not a picture.
        return b""


def _too_large(name: str, size: int) -> Picture:
    return Picture(name, error=f"The picture has {size} bytes, but sightline reads at most {MAXIMUM_BYTES}.")
