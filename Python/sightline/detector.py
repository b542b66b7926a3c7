"""Detectors and labelers: each keeps one sightline process that has its model loaded."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .arguments import PathInput, arguments
from .engine import Engine
from .errors import PictureError, SightlineError, printed
from .frames import Picture
from .options import ModelOptions, ObjectOptions
from .pictures import PictureInput, picture
from .program import find_program
from .results import Labels, Objects, labels_of, objects_of

if TYPE_CHECKING:
    from typing import Unpack

    from .images import Image

_Found = TypeVar("_Found")


class _Analyzer(Generic[_Found]):
    """The common part of detectors and labelers."""

    def __init__(
        self, task: str, parse: Callable[[dict[str, Any]], _Found], arguments: Sequence[str], limit: float
    ) -> None:
        self._parse = parse
        self._is_closed = False
        command = [find_program(), task, "--stdin-format", "frames", "--keep-going", *arguments]
        self._engine = Engine(command, limit)
        # A missing model is known at once.
        self._engine.start()

    def close(self) -> None:
        """Ends the process, after the pictures that other threads wait for. Repeated calls do nothing."""
        self._is_closed = True
        self._engine.close()

    def _one(self, given: PictureInput) -> _Found:
        self._check_open()
        one = picture(given)
        found = self._result(self._engine.answer(one), one.name)
        if isinstance(found, PictureError):
            raise found
        return found

    def _many(self, given: Iterable[PictureInput]) -> Iterator[_Found | PictureError]:
        self._check_open()
        names: deque[str] = deque()

        def pictures() -> Iterator[Picture]:
            for one in map(picture, given):
                names.append(one.name)
                yield one

        for line in self._engine.answers(pictures()):
            yield self._result(line, names.popleft())
            self._check_open()

    def _result(self, line: bytes, name: str) -> _Found | PictureError:
        fields = json.loads(line)
        # The line has another name if the picture's has a line break, which a frame cannot have.
        fields["image"] = printed(name)
        return PictureError(name, fields["error"]) if "error" in fields else self._parse(fields)

    def _check_open(self) -> None:
        if self._is_closed:
            raise SightlineError(f"this {type(self).__name__} is closed; create another one.")


class Detector(_Analyzer[Objects]):
    """Finds objects in pictures.

    A detector keeps one `sightline` process, which has the model loaded. Threads may share a detector: their pictures
    go to the process in order, and `workers` says how many of them it analyzes at the same time. A process
    that is forked may use a detector, too: it starts a `sightline` process of its own then.

    The process ends with `close`, at the end of a `with` block, or when nothing refers to the detector.

    >>> with Detector(threshold=0.3) as detector:
    ...     found = detector.detect("scene.png")
    >>> (found.width, found.height), len(found) > 2, all(one.confidence >= 0.3 for one in found)
    ((720, 456), True, True)
    """

    def __init__(
        self,
        model: PathInput | None = None,
        *,
        workers: int | None = None,
        limit: float = 120.0,
        **settings: Unpack[ObjectOptions],
    ) -> None:
        """Starts the process and loads the model.

        Args:
            model: a path, or the name of an installed model; None for the default: the model that
                `sightline models use` chose, otherwise the built-in detector.
            workers: how many pictures are analyzed at the same time; None for 1.
            limit: the seconds that a picture may take.
            settings: the options of `ObjectOptions` and `ModelOptions`, such as `threshold` and `allow`.

        Raises:
            ProgramError: the program is missing, or cannot load the model, or does not know an option.
        """
        words = arguments(settings, ObjectOptions.__optional_keys__, model=model, workers=workers)
        super().__init__("detect", objects_of, words, limit)

    def __enter__(self) -> Detector:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def detect(self, picture: PictureInput) -> Objects:
        """The objects in a picture, the most confident first.

        Args:
            picture: a path; or an http or https address; or the bytes of a file; or an array of uint8, height × width
                gray or height × width × 3 RGB (OpenCV has BGR: give `image[..., ::-1]`); or an image of Pillow, whose
                Exif orientation counts, or of this package.

        Raises:
            PictureError: the picture cannot be read, is damaged or too large, or ended the process twice.
            ProgramError: the process ended and cannot be started again.
            TypeError, ValueError: it is not a picture.
        """
        return self._one(picture)

    def detect_many(self, pictures: Iterable[PictureInput]) -> Iterator[Objects | PictureError]:
        """The objects in each picture, in order, or the error of a picture that failed.

        The next pictures are read while one is analyzed, and at most 64 of them, or 16 MB, wait.

        Raises:
            ProgramError: the process ended and cannot be started again.
            TypeError, ValueError: an input is not a picture. The results of the pictures before it are given first.
        """
        return self._many(pictures)


def blur_faces(picture: PictureInput, model: PathInput = "faces", **settings: Unpack[ObjectOptions]) -> Image:
    """The picture with its faces blurred, with a margin, as `sightline detect --blur faces` does it.

    The model is installed on first use. It does not find every face: look at the picture before you publish it.
    For many pictures, keep a `Detector(model="faces")`, and draw with `marks=["blur"]`.

    Args:
        picture: as for `Detector.detect`; Exif orientation counts.
        model: another detector of faces: a path, or the name of an installed model.
        settings: the options of `ObjectOptions` and `ModelOptions`, such as `threshold`.

    Raises:
        PictureError: the picture cannot be read.
        ProgramError: the program is missing, or cannot load or install the model.
        TypeError, ValueError: it is not a picture.
    """
    with Detector(model, **settings) as detector:
        return detector.detect(picture).draw(picture, marks=["blur"])


class Labeler(_Analyzer[Labels]):
    """Labels whole pictures. All that holds for a `Detector` holds for a labeler.

    >>> with Labeler() as labeler:
    ...     labels = labeler.label("scene.png")
    >>> [label.confidence for label in labels] == sorted((label.confidence for label in labels), reverse=True)
    True
    """

    def __init__(
        self,
        model: PathInput | None = None,
        *,
        max_labels: int | None = None,
        workers: int | None = None,
        limit: float = 120.0,
        **settings: Unpack[ModelOptions],
    ) -> None:
        """Starts the process and loads the model.

        Args:
            model: a path, or the name of an installed model; None for the built-in labeler.
            max_labels: the largest number of labels for a picture; None for 10.
            workers: how many pictures are analyzed at the same time; None for 1.
            limit: the seconds that a picture may take.
            settings: the options of `ModelOptions`, such as `threshold` and `allow`.

        Raises:
            ProgramError: the program is missing, or cannot load the model, or does not know an option.
        """
        words = arguments(settings, ModelOptions.__optional_keys__, model=model, max_labels=max_labels, workers=workers)
        super().__init__("label", labels_of, words, limit)

    def __enter__(self) -> Labeler:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def label(self, picture: PictureInput) -> Labels:
        """The labels of a picture, the most confident first.

        The picture and the errors are those of `Detector.detect`.
        """
        return self._one(picture)

    def label_many(self, pictures: Iterable[PictureInput]) -> Iterator[Labels | PictureError]:
        """The labels of each picture, in order, or the error of a picture that failed, as `Detector.detect_many`."""
        return self._many(pictures)
