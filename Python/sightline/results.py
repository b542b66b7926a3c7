"""The findings in a picture or in a frame of a video.

All coordinates are pixels of the upright picture: origin top left, x to the right, y down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, overload

from . import drawing, notebook, tables
from .images import Image

if TYPE_CHECKING:
    import pandas
    import supervision

    from .pictures import PictureInput

_Member = TypeVar("_Member", bound="Object | Label")
_Self = TypeVar("_Self", bound="_Findings[Any]")


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: its left and top edge and its size, in pixels of the upright picture."""

    x: float
    y: float
    width: float
    height: float

    @property
    def xyxy(self) -> tuple[float, float, float, float]:
        """The left, top, right and bottom edge."""
        return self.x, self.y, self.x + self.width, self.y + self.height


@dataclass(frozen=True, slots=True)
class Label:
    """A name of an object or a picture.

    Attributes:
        text: the name; empty if the model has no names.
        index: the position of the label among the model's outputs.
        confidence: 0 to 1.
    """

    text: str
    index: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Point:
    """A named point of an object, such as an eye of a face.

    Attributes:
        name: for faces `rightEye`, `leftEye`, `noseTip`, `mouthCenter`, `rightEarTragion` or `leftEarTragion`; for
            bodies `nose`, `leftShoulder`, `rightAnkle` and so on; right and left are those of the person.
        x: the distance from the left edge of the upright picture in pixels.
        y: the distance from its top edge.
        confidence: how sure it is that the point is there, 0 to 1; None if the model does not say.
    """

    name: str
    x: float
    y: float
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Mask:
    """The pixels of an upright picture that show an object.

    Attributes:
        x: the column of the first pixel of its rectangle.
        y: the row of the first pixel.
        width: the number of columns.
        height: the number of rows.
        runs: the pixels outside and inside in turn, row by row.
    """

    x: int
    y: int
    width: int
    height: int
    runs: tuple[int, ...]

    @property
    def area(self) -> int:
        """The number of pixels inside."""
        return sum(self.runs[1::2])

    def contains(self, x: int, y: int) -> bool:
        """Whether the pixel at a column and a row of the picture is inside."""
        column, row, end = x - self.x, y - self.y, 0
        if not (0 <= column < self.width and 0 <= row < self.height):
            return False
        for number, run in enumerate(self.runs):
            end += run
            if row * self.width + column < end:
                return number % 2 == 1
        return False

    def pixels(self) -> bytes:
        """A byte for each pixel of the rectangle, row by row: 1 inside, 0 outside.

        `numpy.frombuffer(mask.pixels(), bool).reshape(mask.height, mask.width)` is an array of them.
        """
        return b"".join(bytes([number % 2]) * run for number, run in enumerate(self.runs))


@dataclass(frozen=True, slots=True, kw_only=True)
class Object:
    """An object in a picture.

    Attributes:
        box: where it is.
        confidence: how sure the object is, 0 to 1: the confidence of its name, or, without a name, of its box.
        labels: its names, the most confident first; empty if it has no name.
        class_index: the detector's class; None if the detector knows no classes.
        object_confidence: how sure it is that there is an object of any name; `confidence` if it is not given.
        points: its named points; None if the model gives none.
        mask: the pixels that show it; None if the model gives none, and where a tracker carried its box on.
    """

    box: Box
    confidence: float
    labels: tuple[Label, ...] = ()
    class_index: int | None = None
    object_confidence: float = None  # type: ignore[assignment]
    points: tuple[Point, ...] | None = None
    mask: Mask | None = None

    def __post_init__(self) -> None:
        if self.object_confidence is None:
            object.__setattr__(self, "object_confidence", self.confidence)

    @property
    def label(self) -> str:
        """The text of the most confident label; empty if there is none."""
        return self.labels[0].text if self.labels else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedObject(Object):
    """An object in a frame of a video.

    Attributes:
        id: the identity, which the object keeps from frame to frame; never used again.
        is_detected: whether the detector saw the object in this frame; otherwise the tracker carried its box on.
        first_seen: when the object was seen first, in seconds from the beginning.
        age: how long the object has been known, in seconds.
    """

    id: int
    is_detected: bool
    first_seen: float
    age: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened in a frame of a video.

    Attributes:
        kind: `appeared`, `named`, `lost`; `crossed` with a line; `entered`, `left`, `beganInside`, `endedInside` or
            `dwellPassed` with a zone; `state` with a thing.
        time: the time of the frame in seconds.
        id: the object's identity; 0 for a thing.
        label: the object's label at that time; `object` if it has none. The state of a thing.
        line: the name of the line.
        direction: `in` or `out`: to the right of the way from the line's start to its end, or to the left.
        zone: the name of the zone.
        dwell: the seconds in the zone so far.
        is_repeated: whether the object did the same before, so that counts leave the event out.
        thing: the name of the thing whose state changed.
        earlier: the state that was known before; None if none was known.
    """

    kind: str
    time: float
    id: int
    label: str
    line: str | None = None
    direction: str | None = None
    zone: str | None = None
    dwell: float | None = None
    is_repeated: bool = False
    thing: str | None = None
    earlier: str | None = None


class _Findings(list[_Member]):
    """Findings in a picture: a list with further facts about the picture, which its parts keep."""

    image: str
    width: int
    height: int

    @overload
    def __getitem__(self, place: SupportsIndex, /) -> _Member: ...
    @overload
    def __getitem__(self: _Self, place: slice, /) -> _Self: ...
    def __getitem__(self, place: Any, /) -> Any:
        found = super().__getitem__(place)
        return self._with(found) if isinstance(place, slice) else found

    def __add__(self: _Self, other: Any, /) -> _Self:  # type: ignore[override]
        if not isinstance(other, list):
            return NotImplemented
        if isinstance(other, _Findings) and (other.image, other.size) != (self.image, self.size):
            raise ValueError(
                f"findings of {self.image} and {other.image} cannot be joined, because a box belongs to its picture; "
                "join their tables, or use list()."
            )
        return self._with([*self, *other])

    def copy(self: _Self) -> _Self:
        """A copy with the same findings and facts."""
        return self._with(self)

    def where(self: _Self, test: Callable[[_Member], object]) -> _Self:
        """The findings for which a test is true, for example `found.where(lambda one: one.label == "cup")`."""
        return self._with(filter(test, self))

    def sorted(self: _Self, key: Callable[[_Member], Any], *, reverse: bool = False) -> _Self:
        """The findings in another order, as `sorted` gives it."""
        return self._with(sorted(self, key=key, reverse=reverse))

    @property
    def size(self) -> tuple[int, int]:
        """The width and height of the upright picture in pixels."""
        return self.width, self.height

    def draw(self, image: PictureInput | None = None, *, marks: Sequence[str] = ("box", "point", "label")) -> Image:
        """The picture with the findings on it, as `sightline detect --annotate` draws them.

        Starts a `sightline` process, which takes some hundredths of a second.

        Args:
            image: the picture in which they were found, as for `Detector.detect`; None for the file of their name.
            marks: what to draw: `box`, `point`, `label` or `blur`.

        Raises:
            PictureError: the picture cannot be read.
            ProgramError: the program is missing, or lacks a library for drawing.
            TypeError, ValueError: it is not a picture, or does not have the size of the one in which they were found.
        """
        return drawing.drawn(self._fields(), self.image if image is None else image, self.size, marks)

    def _fields(self) -> dict[str, Any]:
        """The findings as sightline writes them."""
        raise NotImplementedError

    def _with(self: _Self, findings: Iterable[_Member]) -> _Self:
        """Other findings with the facts of these."""
        other = type(self)(findings)
        vars(other).update(vars(self))
        return other


class Objects(_Findings[Object]):
    """The objects of a picture: a list with further facts about the picture.

    Slices, sums and `where` keep these facts, so that a part can be drawn and made into a table.

    Attributes:
        image: the picture's path or address; `picture` if it has none. Bytes that are not UTF-8 appear as `\\xE9`,
            and a password as `…`.
        width: the width of the upright picture in pixels.
        height: its height.
        omitted: the number of further objects beyond `max_objects`.
        unnamed: the number of further objects that `allow` left out because they have no name, or only a group's.
        milliseconds: the time of each stage: decoding, preprocessing, inference, postprocessing and total.
    """

    def __init__(
        self,
        objects: Iterable[Object] = (),
        *,
        image: str = "picture",
        width: int = 0,
        height: int = 0,
        omitted: int = 0,
        unnamed: int = 0,
        milliseconds: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(objects)
        self.image, self.width, self.height = image, width, height
        self.omitted, self.unnamed, self.milliseconds = omitted, unnamed, dict(milliseconds or {})

    def __repr__(self) -> str:
        return notebook.short("Objects", self, self.image, self.size)

    def _repr_html_(self) -> str:
        return notebook.objects(self, self.image, self.size, self.image)

    def to_pandas(self) -> pandas.DataFrame:
        """A table with a row for each object.

        The columns are `image`, `x`, `y`, `width`, `height`, `confidence`, `class_index`, `label`, `label_confidence`
        and `object_confidence`. Unknown values are missing.

        Raises:
            ImportError: pandas is not installed.
        """
        return tables.to_pandas(self, {"image": self.image})

    def to_supervision(self) -> supervision.Detections:
        """The objects as `supervision.Detections`, with the labels in `data["class_name"]`.

        The class of an object whose detector knows no classes is the index of its label; -1 if it has none.

        Raises:
            ImportError: supervision is not installed.
        """
        return tables.to_supervision(self)

    def _fields(self) -> dict[str, Any]:
        return {"objects": list(map(_fields, self))}


class Labels(_Findings[Label]):
    """The labels of a picture, the most confident first: a list with further facts about the picture.

    Slices, sums and `where` keep these facts.

    Attributes:
        image: the picture's path or address; `picture` if it has none, as in `Objects`.
        width: the width of the upright picture in pixels.
        height: its height.
        milliseconds: the time of each stage: decoding, preprocessing, inference, postprocessing and total.
    """

    def __init__(
        self,
        labels: Iterable[Label] = (),
        *,
        image: str = "picture",
        width: int = 0,
        height: int = 0,
        milliseconds: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(labels)
        self.image, self.width, self.height = image, width, height
        self.milliseconds = dict(milliseconds or {})

    def __repr__(self) -> str:
        return notebook.short("Labels", self, self.image, self.size)

    def _repr_html_(self) -> str:
        return notebook.labels(self, self.image)

    def to_pandas(self) -> pandas.DataFrame:
        """A table with a row for each label: `image`, `label`, `index` and `confidence`.

        Raises:
            ImportError: pandas is not installed.
        """
        return tables.labels_to_pandas(self, self.image)

    def _fields(self) -> dict[str, Any]:
        return {"labels": list(map(_label_fields, self))}


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoFrame:
    """A frame of a video and the objects in it.

    Attributes:
        index: the place of the frame in its video, from 0.
        time: when the frame is shown, in seconds from the beginning.
        width: the width of the upright frame in pixels.
        height: its height.
        is_detected: whether the detector ran on this frame; otherwise boxes are predicted.
        is_damaged: whether the frame has errors, such as lost bits, so that objects may be wrong.
        dropped: the number of frames that were dropped since the video began.
        objects: the objects with an identity.
        events: the events in this frame.
        milliseconds: the time of each stage.
        unnamed: the identities of objects that `allow` leaves out because they have no name yet, or only a group's.
        image: the pixels, of `track` with `images=True`; otherwise None.
    """

    index: int
    time: float
    width: int
    height: int
    is_detected: bool
    is_damaged: bool = False
    dropped: int = 0
    objects: list[TrackedObject] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    milliseconds: dict[str, float] = field(default_factory=dict)
    unnamed: list[int] = field(default_factory=list)
    image: Image | None = field(default=None, compare=False, repr=False)

    def where(self, test: Callable[[TrackedObject], object]) -> VideoFrame:
        """The frame with the objects for which a test is true; its events stay."""
        return replace(self, objects=list(filter(test, self.objects)))

    def draw(self, image: PictureInput | None = None, *, marks: Sequence[str] = ("box", "point", "label")) -> Image:
        """The frame with the objects on it, as `Objects.draw`.

        Args:
            image: the frame's picture; None for `self.image`.
            marks: what to draw: `box`, `point`, `label` or `blur`.

        Raises:
            ValueError: the frame has no pixels and `image` is None, and as `Objects.draw`.
        """
        if image is None and (image := self.image) is None:
            raise ValueError("this frame has no pixels; use track with images=True, or give the picture.")
        return drawing.drawn({"objects": list(map(_fields, self.objects))}, image, (self.width, self.height), marks)

    def _repr_html_(self) -> str:
        return notebook.objects(self.objects, f"{self.time:g} s", (self.width, self.height), self.image)

    def to_pandas(self) -> pandas.DataFrame:
        """A table with a row for each object: `index`, `time`, `id`, and the columns of `Objects.to_pandas` from `x`.

        Raises:
            ImportError: pandas is not installed.
        """
        ids = [found.id for found in self.objects]
        return tables.to_pandas(self.objects, {"index": self.index, "time": self.time}, ids)

    def to_supervision(self) -> supervision.Detections:
        """The objects as `supervision.Detections` with their ids; see `Objects.to_supervision`.

        Raises:
            ImportError: supervision is not installed.
        """
        return tables.to_supervision(self.objects, [found.id for found in self.objects])


def label_of(fields: dict[str, Any]) -> Label:
    """A label, from the JSON of results.schema.json."""
    return Label(fields["text"], fields["index"], fields["confidence"])


def _common(fields: dict[str, Any]) -> dict[str, Any]:
    frame, points, mask = fields["frame"], fields.get("points"), fields.get("mask")
    return {
        "box": Box(frame["x"], frame["y"], frame["width"], frame["height"]),
        "confidence": fields["confidence"],
        "labels": tuple(map(label_of, fields["labels"])),
        "class_index": fields.get("classIndex"),
        "object_confidence": fields.get("objectConfidence"),
        "points": None if points is None else tuple(map(_point, points)),
        "mask": None if mask is None else Mask(**{**mask, "runs": tuple(mask["runs"])}),
    }


def _point(fields: dict[str, Any]) -> Point:
    return Point(fields["name"], fields["x"], fields["y"], fields.get("confidence"))


def objects_of(fields: dict[str, Any]) -> Objects:
    """The objects of a picture, from the JSON of results.schema.json."""
    return Objects(
        (Object(**_common(found)) for found in fields["objects"]),
        image=fields["image"],
        width=fields["width"],
        height=fields["height"],
        omitted=fields.get("omitted", 0),
        unnamed=fields.get("unnamed", 0),
        milliseconds=fields.get("milliseconds"),
    )


def labels_of(fields: dict[str, Any]) -> Labels:
    """The labels of a picture, from the JSON of results.schema.json."""
    return Labels(
        map(label_of, fields["labels"]),
        image=fields["image"],
        width=fields["width"],
        height=fields["height"],
        milliseconds=fields.get("milliseconds"),
    )


def frame_of(fields: dict[str, Any], image: Image | None = None) -> VideoFrame:
    """A frame of a video, from the JSON of results.schema.json, and its pixels."""
    return VideoFrame(
        index=fields["index"],
        time=fields["time"],
        width=fields["width"],
        height=fields["height"],
        is_detected=fields["detected"],
        is_damaged=fields.get("damaged", False),
        dropped=fields["dropped"],
        objects=[
            TrackedObject(
                **_common(found),
                id=found["id"],
                is_detected=found["detected"],
                first_seen=found["firstSeen"],
                age=found["age"],
            )
            for found in fields["objects"]
        ],
        events=[_event(event) for event in fields.get("events", ())],
        milliseconds=fields.get("milliseconds", {}),
        unnamed=fields.get("unnamed", []),
        image=image,
    )


def _event(fields: dict[str, Any]) -> Event:
    return Event(
        kind=fields["event"],
        time=fields["time"],
        id=fields["id"],
        label=fields["label"],
        line=fields.get("line"),
        direction=fields.get("direction"),
        zone=fields.get("zone"),
        dwell=fields.get("dwell"),
        is_repeated=fields.get("repeated", False),
        thing=fields.get("thing"),
        earlier=fields.get("earlier"),
    )


def _fields(found: Object) -> dict[str, Any]:
    """An object as sightline writes it."""
    box = found.box
    fields: dict[str, Any] = {
        "frame": {"x": box.x, "y": box.y, "width": box.width, "height": box.height},
        "confidence": found.confidence,
        "labels": list(map(_label_fields, found.labels)),
    }
    if found.class_index is not None:
        fields["classIndex"] = found.class_index
    if found.object_confidence != found.confidence:
        fields["objectConfidence"] = found.object_confidence
    if found.points is not None:
        fields["points"] = [_point_fields(point) for point in found.points]
    if found.mask is not None:
        mask = found.mask
        fields["mask"] = {"x": mask.x, "y": mask.y, "width": mask.width, "height": mask.height, "runs": list(mask.runs)}
    if isinstance(found, TrackedObject):
        times = {"firstSeen": found.first_seen, "age": found.age}
        fields.update({"id": found.id, "detected": found.is_detected, **times})
    return fields


def _point_fields(point: Point) -> dict[str, Any]:
    fields = {"name": point.name, "x": point.x, "y": point.y}
    return fields if point.confidence is None else {**fields, "confidence": point.confidence}


def _label_fields(label: Label) -> dict[str, Any]:
    return {"text": label.text, "index": label.index, "confidence": label.confidence}
