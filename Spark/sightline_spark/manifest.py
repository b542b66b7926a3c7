"""The list of a job's files, written before the work begins.

The list fixes which pictures make a piece and which pieces make a chunk, so that a job that was cut off continues with
the same pieces. A later run lists the input again and puts files that are new behind the others.
"""

from __future__ import annotations

import heapq
import itertools
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
from sightline.errors import printed

from .errors import OutputError
from .inputs import Found, is_shard
from .storage import Files, joined
from .work import Outcome, Piece

FOLDER = "_sightline"
# A piece is a task: half a second to some seconds of work, which is done again if a machine is lost.
PIECE_FILES, PIECE_BYTES = 256, 256 << 20
# A small input is still divided among many cores.
LEAST_PIECES, LEAST_FILES = 64, 8
_COLUMNS = pa.schema([("piece", pa.int32()), ("path", pa.binary()), ("size", pa.int64())])


@dataclass(frozen=True)
class Listing:
    """The files that one look at the input added to the list."""

    first_chunk: int
    chunks: int
    files: int


class Manifest:
    """The records of a job in its output."""

    def __init__(self, files: Files, folder: str) -> None:
        """Opens the records; there may be none yet.

        Args:
            files: the file system of the output.
            folder: the path of the output.
        """
        self._files = files
        self._folder = joined(folder, FOLDER)
        self.listings = [
            self._listing(item.name) for item in sorted(self._items("listings"), key=lambda item: item.name)
        ]
        self.done = {int(item.name.split(".")[0]) for item in self._items("done")}

    @property
    def chunks(self) -> range:
        """The numbers of all chunks."""
        return range(sum(listing.chunks for listing in self.listings))

    @property
    def file_count(self) -> int:
        """The number of listed files."""
        return sum(listing.files for listing in self.listings)

    def check(self, settings: dict[str, Any], output: str) -> None:
        """Compares the job with the one that the output belongs to, or makes the output its own.

        Raises:
            OutputError: the output belongs to another job, or is not an output.
        """
        path = joined(self._folder, "job.json")
        if self._files.item(path) is None:
            if [item for item in self._files.items(os.path.dirname(self._folder)) if item.name != FOLDER]:
                raise OutputError(f"{output} has other files; name a new or empty folder.")
            self._files.write(path, json.dumps(settings, indent=1).encode())
            return
        earlier = json.loads(self._files.read(path))
        for name, value in settings.items():
            if earlier.get(name) != value:
                raise OutputError(
                    f"{output} has results of another job: {name} was {json.dumps(earlier.get(name))} and is now "
                    f"{json.dumps(value)}; name a new folder, or repeat the first command."
                )

    # Listing

    def add(self, found: Iterable[Found], chunk_files: int, is_ordered: bool, report: Callable[[int], None]) -> int:
        """Lists files that are not listed yet, and returns their number.

        Args:
            found: the files of the input.
            chunk_files: how many files make a chunk.
            is_ordered: whether files come in the order of their parts; otherwise, as in a list, new ones come last.
            report: gets the number of new files from time to time.

        Raises:
            OutputError: a list changed before its end.
        """
        new = self._beyond_merged(found) if is_ordered else self._beyond_prefix(found)
        first = len(self.chunks)
        count = chunks = 0
        while files := list(itertools.islice(new, chunk_files)):
            is_small = chunks == 0 and len(files) < chunk_files
            limit = min(max(len(files) // LEAST_PIECES, LEAST_FILES), PIECE_FILES) if is_small else PIECE_FILES
            self._write_chunk(first + chunks, files, limit)
            chunks += 1
            count += len(files)
            report(count)
        if count:
            listing = Listing(first, chunks, count)
            name = f"listings/{len(self.listings):06}.json"
            self._files.write(joined(self._folder, name), json.dumps(asdict(listing)).encode())
            self.listings.append(listing)
        return count

    def _beyond_merged(self, found: Iterable[Found]) -> Iterator[Found]:
        known = heapq.merge(*(self._of_listing(listing) for listing in self.listings), key=_order)
        last = next(known, None)
        for file in found:
            key = _order(file)
            while last is not None and _order(last) < key:
                last = next(known, None)
            if last is None or last.address != file.address:
                yield file

    def _beyond_prefix(self, found: Iterable[Found]) -> Iterator[Found]:
        new = iter(found)
        for listing in self.listings:
            for known in self._of_listing(listing):
                file = next(new, None)
                if file is None or file.address != known.address:
                    raise OutputError(
                        f"the list has changed where {printed(known.address)} was; only append to a list, or name a "
                        "new output."
                    )
        yield from new

    def _of_listing(self, listing: Listing) -> Iterator[Found]:
        for chunk in range(listing.first_chunk, listing.first_chunk + listing.chunks):
            for piece in self.pieces(chunk):
                yield from piece.files

    def _write_chunk(self, number: int, files: list[Found], limit: int) -> None:
        pieces, piece, count, size = [], -1, limit, 0
        for file in files:
            # An archive is a piece alone. Its size counts as a full piece.
            weight = PIECE_BYTES if is_shard(file.address) else max(file.size, 0)
            if count >= limit or size + weight > PIECE_BYTES:
                piece, count, size = piece + 1, 0, 0
            pieces.append(piece)
            count += 1
            size += weight
        paths = [os.fsencode(file.address) for file in files]
        table = pa.table([pieces, paths, [file.size for file in files]], schema=_COLUMNS)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, _COLUMNS) as writer:
            writer.write_table(table)
        self._files.write(self._chunk_path(number), sink.getvalue())

    # Work

    def pieces(self, chunk: int) -> list[Piece]:
        """The pieces of a chunk."""
        with pa.ipc.open_file(pa.BufferReader(self._files.read(self._chunk_path(chunk)))) as reader:
            columns = reader.read_all().to_pydict()
        rows = zip(columns["piece"], columns["path"], columns["size"])
        return [
            Piece(chunk, number, tuple(Found(os.fsdecode(path), size) for _, path, size in group))
            for number, group in itertools.groupby(rows, key=lambda row: row[0])
        ]

    def finish(self, chunk: int, outcomes: Iterable[Outcome]) -> None:
        """Records that all pieces of a chunk have their files."""
        outcomes = list(outcomes)
        record = {"rows": sum(o.rows for o in outcomes), "failures": sum(o.failures for o in outcomes)}
        self._files.write(joined(self._folder, f"done/{chunk:06}.json"), json.dumps(record).encode())
        self.done.add(chunk)

    def result(self, chunk: int) -> tuple[int, int]:
        """The rows and failures of a chunk that is done."""
        record = json.loads(self._files.read(joined(self._folder, f"done/{chunk:06}.json")))
        return record["rows"], record["failures"]

    def _chunk_path(self, number: int) -> str:
        return joined(self._folder, f"chunks/{number:06}.arrow")

    def _items(self, name: str) -> list[Any]:
        items = self._files.items(joined(self._folder, name))
        return [item for item in items if item.name.endswith(".json") and not item.name.startswith(".")]

    def _listing(self, name: str) -> Listing:
        return Listing(**json.loads(self._files.read(joined(self._folder, f"listings/{name}"))))


def _order(file: Found) -> list[str]:
    """The order in which folders are walked."""
    return file.address.split("/")
