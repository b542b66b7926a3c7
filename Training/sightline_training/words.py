"""The statements of people, or else of models, about whole photos: the truth of the labeler's labels.

`everyday_labels.json` has for each label what counts as it: `names`, which people or YOLOX-Nano give to objects,
`words` of captions, and labels of the teacher. A label is in a photo if one of these says so. It is not in the photo if
all that could say so were asked and none comes near it, or if people looked for all of its names and saw none of them.
Otherwise nothing is known of it, and nothing is learned or measured. So it is with things that are too small in the
photo to be what it shows.
"""

import csv
import dataclasses
import json
import pathlib
import re
from typing import Any

import numpy as np

from . import answers, coco
from .data import Photo
from .errors import TrainingError

YES, NO, UNKNOWN = 1, 0, -1

# A detector or the teacher says yes from the first score on, no below the second. Detectors' scores under 0.2 are not
# kept: what they do not see is a no.
DETECTOR_YES = 0.5
TEACHER_YES, TEACHER_NO = 0.55, 0.15

# An object with a box counts from this share of the photo on.
LEAST_SHARE = 0.01

LABELS = pathlib.Path(__file__).parent / "everyday_labels.json"


@dataclasses.dataclass
class Said:
    """The statements of people about a photo."""

    says: frozenset[str] = frozenset()
    denies: frozenset[str] = frozenset()
    caption: str | None = None
    shares: dict[str, float] = dataclasses.field(default_factory=dict)
    """The largest share of the photo that a box drawn by them covers, by the name of the object."""


@dataclasses.dataclass
class Seen:
    """The best score of YOLOX-Nano for objects of a name, and the largest share of the photo that one covers."""

    score: float = 0.0
    share: float = 0.0


def said(folder: pathlib.Path) -> dict[str, Said]:
    """The statements of people about the photos of a folder by the photos' files: its words.csv, with the columns
    file, says and denies (names, separated by "|") and caption.
    """
    path = folder / "words.csv"
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return {
                row["file"]: Said(
                    frozenset(row["says"].split("|")) - {""},
                    frozenset(row["denies"].split("|")) - {""},
                    " ".join(re.findall(r"[a-z-]+", row["caption"].lower())) or None,
                )
                for row in csv.DictReader(file)
            }
    except FileNotFoundError:
        raise TrainingError(f"The file {path} is missing: it has what people said about the photos.") from None
    except KeyError as error:
        raise TrainingError(f"{path} lacks the column {error}: make it again.") from None


def read_labels(path: pathlib.Path = LABELS) -> dict[str, dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8"))


def with_boxes(people: Said, photo: Photo) -> Said:
    """The statements of people about a photo, with the objects that they drew boxes around."""
    shares: dict[str, float] = {}
    for box, name in zip(photo.boxes, photo.categories):
        share = float((box[2] - box[0]) * (box[3] - box[1])) / (photo.size[0] * photo.size[1])
        shares[name] = max(share, shares.get(name, 0.0))
    return dataclasses.replace(people, shares=shares)


class Truth:
    """Decides about labels of photos."""

    def __init__(self, labels: dict[str, dict[str, Any]], teacher: list[str]) -> None:
        self.labels = labels
        self.patterns = {
            label: re.compile(r"\b(?:" + "|".join(map(re.escape, entry["words"])) + r")\b")
            for label, entry in labels.items()
            if entry.get("words")
        }
        self.columns = {
            label: [index for index, name in enumerate(teacher) if name in entry.get("teacher", [])]
            for label, entry in labels.items()
        }

    def of(self, people: Said, table: np.ndarray | None, scores: np.ndarray) -> np.ndarray:
        """YES, NO or UNKNOWN for every label, out of people's words, the detectors' table of the photo, if they were
        asked, and the teacher's scores in 0…1.
        """
        found = detected(table)
        return np.array(
            [self.one(label, entry, people, found, scores) for label, entry in self.labels.items()], np.int8
        )

    def one(
        self, label: str, entry: dict[str, Any], people: Said, found: dict[str, Seen] | None, scores: np.ndarray
    ) -> int:
        if label in self.patterns and people.caption is not None and self.patterns[label].search(people.caption):
            return YES
        names = entry.get("names", [])
        if names and people.denies.issuperset(names):
            return NO
        opinions = [opinion for opinion in (named(name, people, found) for name in names) if opinion is not None]
        if self.columns[label]:
            best = scores[self.columns[label]].max()
            opinions.append(YES if best >= TEACHER_YES else NO if best < TEACHER_NO else UNKNOWN)
        if not opinions and not names and people.caption is not None:  # only a caption can say so, and it does not
            return NO
        return YES if YES in opinions else UNKNOWN if UNKNOWN in opinions or not opinions else NO


def detected(table: np.ndarray | None) -> dict[str, Seen] | None:
    """The confidence of YOLOX-Nano for each of COCO's names that it gives."""
    if table is None:
        return None
    found: dict[str, Seen] = {}
    for row in answers.seen(table).astype(np.float32):
        if row[5] == answers.DETECTOR:
            seen = found.setdefault(coco.NAMES[int(row[6])], Seen())
            seen.score = max(seen.score, float(row[4]))
            seen.share = max(seen.share, float((row[2] - row[0]) * (row[3] - row[1])))
    return found


def named(name: str, people: Said, found: dict[str, Seen] | None) -> int | None:
    """Whether an object of the name is in a photo, as people say, or else YOLOX-Nano; None if neither was asked."""
    if name in people.denies:
        return NO
    if name in people.shares:
        return YES if people.shares[name] >= LEAST_SHARE else UNKNOWN
    if name not in coco.NAMES:
        return YES if name in people.says else None
    seen = None if found is None else found.get(name, Seen())
    if name in people.says:
        return YES if seen is None or seen.share >= LEAST_SHARE else UNKNOWN
    if seen is None or 0 < seen.score < DETECTOR_YES or 0 < seen.share < LEAST_SHARE:
        return UNKNOWN
    return YES if seen.score else NO
