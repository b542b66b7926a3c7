"""Functions on DataFrames of Spark."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from sightline.frames import Picture

from .answers import ORIGIN, TRACK_ROW, line_schema, parsed
from .inputs import Found
from .models import Hub, Model
from .shipping import archive
from .storage import Storage, separated
from .work import Settings, pictures, shared_engine, video_batches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# What Spark needs to read many pictures. Its usual values lose files, or fill the memory, or leave cores idle.
SETTINGS = {
    # Spark counts a file as 4 MB and more, so that a task would have 32 pictures: two tenths of a second.
    "spark.sql.files.openCostInBytes": str(64 << 10),
    "spark.sql.files.maxPartitionBytes": str(32 << 20),
    # 10,000 pictures in a message would be gigabytes.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(32 << 20),
    # Spark would list the files of a folder in up to 10,000 tasks.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "16",
    # A row for a file that disappeared is better than a job that fails, but it must not be lost silently.
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
}
# For `readStream`: Spark would silently leave out files that are older than a week.
STREAM_OPTIONS = {"maxFileAge": "36500d", "recursiveFileLookup": "true"}
_MOST_RECORDS = 1024


def configure(spark: SparkSession) -> None:
    """Sets the values of `SETTINGS` in a session."""
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)


def ship(spark: SparkSession) -> None:
    """Sends this package and sightline to the executors, so that they need not be installed there.

    Repeated calls do nothing.
    """
    try:
        context = spark.sparkContext
    except Exception:
        # Spark Connect has no context; its server needs the package.
        return
    if getattr(context, "_sightline_spark", False):
        return
    folder = tempfile.mkdtemp(prefix="sightline-spark-")
    # Executors fetch the file when they begin, which may be late.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    context.addPyFile(archive(folder))
    context._sightline_spark = True


def detect(pictures: DataFrame, **arguments: Any) -> DataFrame:
    """The objects of pictures: the DataFrame without its column of bytes, and with the columns of results.

    The new columns are `width`, `height`, `objects`, `omitted`, `unnamed`, `error`, `milliseconds`, `model`,
    `model_sha256` and `sightline`. A picture that fails has an `error`, and the rest of it is null.

    Args:
        pictures: has a column of paths, and a column of bytes unless the executors can read the paths by pyarrow.
        arguments: those of `analyze`.
    """
    return analyze(pictures, "detect", **arguments)


def label(pictures: DataFrame, **arguments: Any) -> DataFrame:
    """The labels of pictures: as `detect`, with the column `labels` in place of `objects`, `omitted` and `unnamed`."""
    return analyze(pictures, "label", **arguments)


def analyze(
    frame: DataFrame,
    task: str,
    *,
    path: str = "path",
    content: str = "content",
    model: str | None = None,
    hub: Hub | None = None,
    program: str = "sightline",
    options: Sequence[str] = (),
    limit: float = 120.0,
    storage: str | None = None,
) -> DataFrame:
    """The results of a task for the pictures of a DataFrame.

    Args:
        frame: the pictures.
        task: detect or label.
        path: the column of paths or other names.
        content: the column of bytes. If the DataFrame has none, the executors read the paths.
        model: a path on the executors, the name of an installed model, or `hub:NAME`; None for the built-in models.
        hub: the hub of `hub:NAME`.
        program: the command sightline on the executors.
        options: further options of `sightline detect` or `sightline label`.
        limit: the seconds that a picture may take before it becomes a row with an error.
        storage: an address of S3 whose endpoint and region are for all addresses of S3, for example
            `s3://?endpoint=http://127.0.0.1:9000`.
    """
    settings = Settings(
        task,
        program,
        Model(model, hub),
        tuple(options),
        limit,
        separated(storage)[1] if storage else Storage(),
    )
    ship(frame.sparkSession)
    has_bytes = content in frame.columns
    if has_bytes:
        _warn(frame)
    return frame.mapInArrow(
        lambda batches: _results(batches, settings, path, content if has_bytes else None),
        _schema(frame, content, line_schema(task)),
    )


def track(videos: DataFrame, *, path: str = "path", **arguments: Any) -> DataFrame:
    """The tracks of videos: a row for each track and frame, and all columns of the video in each.

    Args:
        videos: has a column of paths that the executors can read. Give each video its own partition.
        path: the column of paths.
        arguments: `model`, `hub`, `program`, `options` and `limit`, as for `analyze`; `limit` is for each frame.
    """
    model = Model(arguments.pop("model", None), arguments.pop("hub", None))
    settings = Settings("track", model=model, **{**arguments, "options": tuple(arguments.get("options", ()))})
    ship(videos.sparkSession)
    return videos.mapInArrow(lambda batches: _tracks(batches, settings, path), _schema(videos, None, TRACK_ROW))


def _warn(frame: DataFrame) -> None:
    records = frame.sparkSession.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch", "10000")
    if int(records or 0) not in range(1, _MOST_RECORDS + 1):
        warnings.warn(
            f"Spark will send {records} pictures in one message, which may be gigabytes; "
            "call sightline_spark.configure(spark) first.",
            stacklevel=4,
        )


def _schema(frame: DataFrame, dropped: str | None, added: Any) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType

    kept = [field for field in frame.schema.fields if field.name != dropped]
    new = from_arrow_schema(pa.schema([*added, *(pa.field(name, kind) for name, kind in ORIGIN)]))
    return StructType([*kept, *new.fields])


def _joined(batch: Any, rows: Any, values: Sequence[str | None], content: str | None) -> Any:
    """A batch without its bytes, and with its results."""
    names = [name for name in batch.schema.names if name != content]
    columns = [batch.column(name) for name in names]
    for name in rows.schema.names:
        chunks = rows.column(name).combine_chunks()
        columns.append(pa.concat_arrays(chunks.chunks) if isinstance(chunks, pa.ChunkedArray) else chunks)
    columns += [pa.array([value] * batch.num_rows, kind) for (_, kind), value in zip(ORIGIN, values)]
    return pa.RecordBatch.from_arrays(columns, names=[*names, *rows.schema.names, *(name for name, _ in ORIGIN)])


def _results(batches: Iterable[Any], settings: Settings, path: str, content: str | None) -> Iterator[Any]:
    """The work of an executor: one batch is answered while the next is read."""
    pa.set_cpu_count(1)
    engine, found = shared_engine(settings)
    schema = line_schema(settings.task)
    waiting: deque[Any] = deque()

    def source() -> Iterator[Picture]:
        for batch in batches:
            waiting.append(batch)
            names = [name if name is not None else "" for name in batch.column(path).to_pylist()]
            if content is None:
                yield from pictures([Found(name, -1) for name in names], settings.storage)
                continue
            for name, value in zip(names, batch.column(content)):
                data = value.as_buffer()
                yield Picture(name, memoryview(data) if data is not None else b"")

    lines: list[bytes] = []

    def finished() -> Iterator[Any]:
        while waiting and len(lines) >= waiting[0].num_rows:
            batch = waiting.popleft()
            count = batch.num_rows
            yield _joined(batch, parsed(lines[:count], schema), found.values, content)
            del lines[:count]

    for line in engine.answers(source()):
        lines.append(line)
        yield from finished()
    yield from finished()


def _tracks(batches: Iterable[Any], settings: Settings, path: str) -> Iterator[Any]:
    for batch in batches:
        for number, name in enumerate(batch.column(path).to_pylist()):
            row = batch.slice(number, 1)
            for table in video_batches(settings, Found(name or "", -1)):
                repeated = row.take(pa.array([0] * table.num_rows, pa.int64()))
                values = [table.column(name)[0].as_py() for name, _ in ORIGIN]
                yield _joined(repeated, table.select(TRACK_ROW.names), values, None)
