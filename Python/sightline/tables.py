"""Results as objects of pandas and supervision, which are imported when they are needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import supervision

    from .results import Label, Object


def to_pandas(
    objects: Sequence[Object], first: Mapping[str, Any], ids: Sequence[int] | None = None
) -> pandas.DataFrame:
    """A table with a row for each object.

    Args:
        objects: the objects.
        first: columns that are the same in all rows.
        ids: the identities of the objects, if they have any.
    """
    import pandas

    best = [found.labels[0] if found.labels else None for found in objects]
    columns: dict[str, Any] = {
        name: pandas.Series([value] * len(objects), dtype=_TYPES[name]) for name, value in first.items()
    }
    if ids is not None:
        columns["id"] = pandas.Series(ids, dtype="int64")
    for name in ("x", "y", "width", "height"):
        columns[name] = pandas.Series([getattr(found.box, name) for found in objects], dtype="float64")
    columns["confidence"] = pandas.Series([found.confidence for found in objects], dtype="float64")
    columns["class_index"] = pandas.Series([found.class_index for found in objects], dtype="Int64")
    columns["label"] = pandas.Series([label.text if label else None for label in best], dtype="string")
    columns["label_confidence"] = pandas.Series(
        [label.confidence if label else None for label in best], dtype="float64"
    )
    columns["object_confidence"] = pandas.Series([found.object_confidence for found in objects], dtype="float64")
    return pandas.DataFrame(columns)


# Tables of pictures without objects have the same types, so that they can be joined.
_TYPES = {"image": "string", "index": "int64", "time": "float64"}


def labels_to_pandas(labels: Sequence[Label], image: str) -> pandas.DataFrame:
    """A table with a row for each label."""
    import pandas

    return pandas.DataFrame(
        {
            "image": pandas.Series([image] * len(labels), dtype="string"),
            "label": pandas.Series([label.text for label in labels], dtype="string"),
            "index": pandas.Series([label.index for label in labels], dtype="int64"),
            "confidence": pandas.Series([label.confidence for label in labels], dtype="float64"),
        }
    )


def to_supervision(objects: Sequence[Object], ids: Sequence[int] | None = None) -> supervision.Detections:
    """The objects, and their identities if they have any, as supervision has them."""
    import numpy
    import supervision

    return supervision.Detections(
        xyxy=numpy.array([found.box.xyxy for found in objects], numpy.float32).reshape(-1, 4),
        confidence=numpy.array([found.confidence for found in objects], numpy.float32),
        class_id=numpy.array([_class(found) for found in objects], int),
        tracker_id=numpy.array(ids, int) if ids is not None else None,
        data={"class_name": numpy.array([found.label for found in objects], str)},
    )


def _class(found: Object) -> int:
    if found.class_index is not None:
        return found.class_index
    return found.labels[0].index if found.labels else -1
