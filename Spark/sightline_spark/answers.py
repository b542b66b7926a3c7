"""The columns of results, and lines of JSON as columns."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.json

# Doubles hold the numbers of the JSON as they are: 0.9 stays 0.9 in a query.
LABEL = pa.struct([("text", pa.string()), ("index", pa.int32()), ("confidence", pa.float64())])
FRAME = pa.struct([(name, pa.float64()) for name in ("x", "y", "width", "height")])
OBJECT = pa.struct(
    [
        ("frame", FRAME),
        ("confidence", pa.float64()),
        ("objectConfidence", pa.float64()),
        ("classIndex", pa.int32()),
        ("labels", pa.list_(LABEL)),
    ]
)
STAGES = ("decoding", "preprocessing", "inference", "postprocessing", "total")
MILLISECONDS = pa.struct([(name, pa.float64()) for name in STAGES])
# Which model and which program a row comes from.
ORIGIN = [("model", pa.string()), ("model_sha256", pa.string()), ("sightline", pa.string())]

_FINDINGS = {
    "detect": [("objects", pa.list_(OBJECT)), ("omitted", pa.int32()), ("unnamed", pa.int32())],
    "label": [("labels", pa.list_(LABEL))],
}
# What a line of `sightline track --format jsonl` has. The objects of a stream have an identity.
TRACKED = pa.struct(
    [
        ("id", pa.int64()),
        ("frame", FRAME),
        ("confidence", pa.float64()),
        ("objectConfidence", pa.float64()),
        ("classIndex", pa.int32()),
        ("labels", pa.list_(LABEL)),
        ("detected", pa.bool_()),
        ("firstSeen", pa.float64()),
        ("age", pa.float64()),
    ]
)
TRACK_LINE = pa.schema(
    [
        ("index", pa.int64()),
        ("time", pa.float64()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        ("objects", pa.list_(TRACKED)),
    ]
)
# A row for each track and frame. A video without tracks, or with an error, has a row whose id is null.
TRACK_ROW = pa.schema(
    [
        ("index", pa.int64()),
        ("time", pa.float64()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        *((field.name, field.type) for field in TRACKED),
        ("error", pa.string()),
    ]
)


def line_schema(task: str) -> Any:
    """The content of a line of `sightline detect` or `sightline label`, but for the name of the picture."""
    return pa.schema(
        [
            ("width", pa.int32()),
            ("height", pa.int32()),
            *_FINDINGS[task],
            ("error", pa.string()),
            ("milliseconds", MILLISECONDS),
        ]
    )


def table_schema(task: str) -> Any:
    """The columns of the Parquet files."""
    findings = TRACK_ROW if task == "track" else line_schema(task)
    return pa.schema([("path", pa.string()), *((field.name, field.type) for field in findings), *ORIGIN])


def parsed(lines: Sequence[bytes], schema: Any) -> Any:
    """Lines of JSON as an Arrow table. Fields that the schema does not have are left out."""
    if not lines:
        return schema.empty_table()
    data = b"\n".join(lines)
    table = pa.json.read_json(
        io.BytesIO(data),
        read_options=pa.json.ReadOptions(use_threads=False, block_size=len(data) + 1),
        parse_options=pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
    ).combine_chunks()
    place = table.schema.get_field_index("objects")
    if place < 0:
        return table
    objects = pa.chunked_array(map(_with_both_confidences, table.column(place).chunks), schema.field("objects").type)
    return table.set_column(place, schema.field("objects"), objects)


def _with_both_confidences(lists: Any) -> Any:
    """Lists of objects, whose boxes have the confidence of their names where JSON leaves it out."""
    kind = lists.type.value_type
    names = [field.name for field in kind]
    columns = dict(zip(names, lists.values.flatten()))
    columns["objectConfidence"] = pa.compute.coalesce(columns["objectConfidence"], columns["confidence"])
    objects = pa.StructArray.from_arrays(list(columns.values()), fields=list(kind))
    return pa.Array.from_buffers(lists.type, len(lists), lists.buffers()[:2], lists.null_count, lists.offset, [objects])


def with_origin(table: Any, paths: Sequence[str], origin: Sequence[str | None]) -> Any:
    """The rows with the path in front, and their origin behind."""
    count = table.num_rows
    table = table.add_column(0, "path", pa.array(paths, pa.string()))
    for (name, kind), value in zip(ORIGIN, origin):
        table = table.append_column(name, pa.array([value] * count, kind))
    return table


def track_rows(lines: Sequence[bytes]) -> Any:
    """The rows of tracks in lines of frames."""
    frames = parsed(lines, TRACK_LINE)
    objects = frames.column("objects").combine_chunks()
    if isinstance(objects, pa.ChunkedArray):
        objects = pa.concat_arrays(objects.chunks) if objects.num_chunks else pa.array([], pa.list_(TRACKED))
    parents = pa.compute.list_parent_indices(objects)
    columns = [frames.column(name).take(parents) for name in ("index", "time", "width", "height")]
    columns += objects.flatten().flatten()
    columns.append(pa.nulls(len(parents), pa.string()))
    return pa.table(columns, schema=TRACK_ROW)


def track_note(error: str | None) -> Any:
    """The row of a video that has no tracks, or has failed."""
    return pa.Table.from_pylist([{"error": error}], schema=TRACK_ROW)
