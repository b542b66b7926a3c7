"""The task of an executor: the pictures of a piece become a Parquet file.

The name of the file and its rows follow from the piece alone, and the file appears as a whole. So a piece that is done
twice, because a machine or the driver was lost, is there once.
"""

from __future__ import annotations

import atexit
import functools
import os
import socket
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet
from sightline.engine import Engine
from sightline.errors import printed
from sightline.frames import Picture
from sightline.videos import lines_of_video

from .answers import line_schema, parsed, table_schema, track_note, track_rows, with_origin
from .errors import InputError
from .inputs import Found, is_shard, members, picture
from .models import Model, Origin, origin
from .storage import LocalFiles, Storage, joined

# Rows whose answers are made into columns at once.
BATCH = 256
# Frames of a video, of which each may have many objects.
FRAMES = 2048
# Files that are read ahead from other machines, and the bytes that they may take.
READERS, READ_AHEAD = 8, 32 << 20
# A video that ends the program this often is given up.
RUNS = 2
# A disk that is not mounted, or a missing key, must not make errors of a million pictures.
MOST_UNREADABLE = 100


@dataclass(frozen=True)
class Settings:
    """The settings that all pieces of a job share."""

    task: str
    program: str = "sightline"
    model: Model = field(default_factory=Model)
    options: tuple[str, ...] = ()
    limit: float = 120.0
    storage: Storage = field(default_factory=Storage)


@dataclass(frozen=True)
class Piece:
    """The files of one task, and where their results go."""

    chunk: int
    number: int
    files: tuple[Found, ...]

    @property
    def name(self) -> str:
        """The address of the results below the output."""
        return f"chunk={self.chunk}/part-{self.number:05}.parquet"

    @property
    def rows(self) -> int | None:
        """The number of rows of the piece; None if only its archive or video shows it."""
        return None if any(is_shard(file.address) for file in self.files) else len(self.files)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a piece."""

    chunk: int
    number: int
    rows: int
    failures: int


# The engine of the last settings.
_engines: dict[Settings, Engine] = {}


def still_command(settings: Settings, found: Origin) -> list[str]:
    """The command that reads frames. One thread is right where each core has its own task."""
    command = [settings.program, settings.task, "--stdin", "--stdin-format", "frames", "--keep-going"]
    return [*command, "--threads", "1", *found.arguments, *settings.options]


def shared_engine(settings: Settings) -> tuple[Engine, Origin]:
    """The engine of this process, which a Python worker of Spark keeps from task to task.

    Raises:
        SightlineError: sightline cannot be run, or the model is missing.
    """
    found = origin(settings.program, settings.task, settings.model)
    if settings not in _engines:
        close_engines()
        _engines[settings] = Engine(still_command(settings, found), settings.limit)
    return _engines[settings], found


def close_engines() -> None:
    """Ends the processes of this process."""
    while _engines:
        _engines.popitem()[1].close()


atexit.register(close_engines)


def pictures(files: Sequence[Found], storage: Storage) -> Iterator[Picture]:
    """The pictures of files, in order. Files of other machines are read ahead.

    Raises:
        InputError: a hundred files in a row cannot be opened; that is the machine's fault. Damaged pictures and members
            of archives are not.
    """
    failures = 0
    for item in _pictures(files, storage):
        failures = failures + 1 if item.is_unreachable else 0
        if failures == MOST_UNREADABLE:
            raise InputError(
                f"{failures} files in a row cannot be read on {socket.gethostname()}, the last because: {item.error} "
                "Check that all machines reach the input."
            )
        yield item


def _pictures(files: Sequence[Found], storage: Storage) -> Iterator[Picture]:
    pool: ThreadPoolExecutor | None = None
    waiting: deque[tuple[Future[Picture], int]] = deque()
    ahead = 0
    try:
        for file in files:
            system, path = storage.files(file.address)
            if is_shard(file.address):
                while waiting:
                    yield waiting.popleft()[0].result()
                ahead = 0
                yield from members(storage, file.address)
            elif isinstance(system, LocalFiles):
                yield picture(system, path, file)
            else:
                pool = pool or ThreadPoolExecutor(READERS)
                size = file.size if file.size >= 0 else 1 << 20
                while waiting and (len(waiting) >= 2 * READERS or ahead + size > READ_AHEAD):
                    future, freed = waiting.popleft()
                    ahead -= freed
                    yield future.result()
                waiting.append((pool.submit(picture, system, path, file), size))
                ahead += size
        while waiting:
            yield waiting.popleft()[0].result()
    finally:
        if pool:
            pool.shutdown(cancel_futures=True)


def run_stills(pieces: Iterable[Piece], settings: Settings, output: str) -> Iterator[Outcome]:
    """Does pieces of pictures as one stream: sightline has pictures of the next piece while one is written."""
    engine, found = shared_engine(settings)
    schema = line_schema(settings.task)
    # The names of pictures without a row, and the pieces with the number of pictures up to their end.
    names: deque[str] = deque()
    ends: deque[tuple[Piece, int]] = deque()
    lines: list[bytes] = []
    tables: list[Any] = []
    written: deque[Future[Outcome]] = deque()
    answered = 0

    def source() -> Iterator[Picture]:
        count = 0
        for piece in pieces:
            for item in pictures(piece.files, settings.storage):
                names.append(item.name)
                count += 1
                yield item
            ends.append((piece, count))

    def take_lines() -> None:
        if lines:
            paths = [names.popleft() for _ in lines]
            tables.append(with_origin(parsed(lines, schema), paths, found.values))
            lines.clear()

    with ThreadPoolExecutor(1) as writer:

        def end_pieces() -> None:
            while ends and ends[0][1] == answered:
                take_lines()
                written.append(writer.submit(write, ends.popleft()[0], tables[:], settings, output))
                tables.clear()

        for line in engine.answers(source()):
            # The end of a piece may be known only when the next one has begun.
            end_pieces()
            lines.append(line)
            answered += 1
            if len(lines) == BATCH:
                take_lines()
            end_pieces()
            while written and (written[0].done() or len(written) > 1):
                yield written.popleft().result()
        end_pieces()
        while written:
            yield written.popleft().result()


@functools.lru_cache
def _check_model(program: str, found: Origin) -> None:
    """Loads the model once, so that an unusable model is not a video's fault."""
    with Engine([program, "detect", "--stdin", "--stdin-format", "frames", "--keep-going", *found.arguments]) as engine:
        list(engine.answers([Picture("none")]))


def video_batches(settings: Settings, file: Found) -> Iterator[Any]:
    """Tables of the tracks of a video: a row for each track and frame, or a row that says why there are none."""
    found = origin(settings.program, "track", settings.model)
    _check_model(settings.program, found)
    name = printed(file.address)
    count = 0

    def table(rows: Any) -> Any:
        return with_origin(rows, [name] * rows.num_rows, found.values)

    system, path = settings.storage.files(file.address)
    with tempfile.TemporaryDirectory(prefix="sightline-spark-") as folder:
        error: str | None = None
        try:
            if not isinstance(system, LocalFiles):
                local = os.path.join(folder, os.path.basename(path))
                with system.open(path) as source, open(local, "wb") as target:
                    while block := source.read(4 << 20):
                        target.write(block)
                path = local
        except OSError as problem:
            error = f"The video cannot be read: {problem.strerror or problem}."
        if error is None:
            command = [settings.program, "track", path, "--format", "jsonl", "--threads", "1", "--workers", "1"]
            command += [*found.arguments, *settings.options]
            frames: list[bytes] = []
            for line in lines_of_video(command, settings.limit, RUNS):
                if isinstance(line, str):
                    error = line.replace(path, name)
                    break
                frames.append(line)
                if len(frames) == FRAMES:
                    rows = track_rows(frames)
                    count += rows.num_rows
                    yield table(rows)
                    frames.clear()
            if frames:
                rows = track_rows(frames)
                count += rows.num_rows
                yield table(rows)
        if error or count == 0:
            yield table(track_note(error))


def write(piece: Piece, tables: Iterable[Any], settings: Settings, output: str) -> Outcome:
    """Writes the Parquet file of a piece.

    Raises:
        OSError: the output cannot be written.
    """
    # A piece's table is small, while a file that is written bit by bit could be seen incomplete.
    sink = pa.BufferOutputStream()
    rows = failures = 0
    schema = table_schema(settings.task)
    with pa.parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        for table in tables:
            rows += table.num_rows
            failures += table.num_rows - table.column("error").null_count
            writer.write_table(table.cast(schema))
    files, path = settings.storage.files(joined(output, piece.name))
    files.write(path, sink.getvalue())
    return Outcome(piece.chunk, piece.number, rows, failures)


def is_done(piece: Piece, settings: Settings, output: str) -> Outcome | None:
    """The outcome of a piece whose file is there and complete."""
    files, path = settings.storage.files(joined(output, piece.name))
    try:
        with files.open(path) as file:
            read = pa.parquet.ParquetFile(file)
            rows = read.metadata.num_rows
            if piece.rows is not None and settings.task != "track" and rows != piece.rows:
                return None
            failures = rows - read.read(["error"]).column("error").null_count
    except (OSError, pa.ArrowInvalid):
        return None
    return Outcome(piece.chunk, piece.number, rows, failures)


def run_pieces(pieces: Iterable[Piece], settings: Settings, output: str) -> Iterator[Outcome]:
    """The task of an executor.

    Raises:
        SightlineError: sightline cannot be run on this machine. A failed picture is a row.
        OSError: the output cannot be written.
    """
    pa.set_cpu_count(1)
    if settings.task != "track":
        yield from run_stills(pieces, settings, output)
        return
    for piece in pieces:
        tables = (table for file in piece.files for table in video_batches(settings, file))
        yield write(piece, tables, settings, output)


def work(piece: Piece, settings: Settings, output: str) -> Outcome:
    """Does one piece, as `run_pieces` does several."""
    (outcome,) = run_pieces([piece], settings, output)
    return outcome
