"""Tracks the objects of videos, and of your own frames."""

from __future__ import annotations

import json
import os
import threading
import weakref
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from .arguments import PathInput, arguments
from .engine import HANDSHAKE
from .errors import PictureError, ProgramError, SightlineError, VideoError, printed
from .frames import NAMELESS, belongs, flat, header
from .images import Image
from .options import ObjectOptions
from .pictures import PictureInput, picture
from .process import FrameProcess
from .program import find_program
from .results import VideoFrame, frame_of
from .videos import lines_of_video

if TYPE_CHECKING:
    from typing import Unpack


def track(
    video: PathInput,
    model: PathInput | None = None,
    *,
    every: int | None = None,
    images: bool = False,
    workers: int | None = None,
    limit: float | None = None,
    **settings: Unpack[ObjectOptions],
) -> Iterator[VideoFrame]:
    """The frames of a video, a camera or a stream, each with its objects and their identities.

    A `sightline` process runs from the first frame that is asked for to the last, or until the iterator is closed.

    Args:
        video: a file; a folder or pattern of pictures; a camera such as `/dev/video0`; or an rtsp or http address.
        model: a path, or the name of an installed model; None for the default, as for a `Detector`.
        every: run the detector on about every Nth frame, where decoding is cheap, and predict boxes between.
        images: whether frames have their pixels as `frame.image`, which takes about a millisecond for each megapixel.
        workers: how many frames of a file are processed at the same time; None for one per core, at most 4.
        limit: the seconds without a new frame after which the video is given up; None if frames may come at any time.
        settings: the options of `ObjectOptions` and `ModelOptions`, such as `threshold`, `allow`, and
            `options=["--line", "320,0,320,480"]`.

    Raises:
        ProgramError: the program is missing, or does not know an option.
        VideoError: the video cannot be read, or ends early; the frames before that were given.

    >>> frames = list(track("street.mp4"))
    >>> len(frames), frames[1].index, frames[1].time
    (20, 1, 0.1)
    """
    words = arguments(settings, ObjectOptions.__optional_keys__, model=model, every=every, workers=workers)
    pixels = ["--pixels"] if images else []
    command = [find_program(), "track", "--format", "jsonl", *pixels, *words, "--", os.fsdecode(video)]
    return _with_images(command, limit) if images else _frames(command, limit)


def _frames(command: Sequence[str], limit: float | None) -> Iterator[VideoFrame]:
    for line in lines_of_video(command, limit):
        if isinstance(line, str):
            raise VideoError(line)
        yield frame_of(json.loads(line))


def _with_images(command: Sequence[str], limit: float | None) -> Iterator[VideoFrame]:
    for record in lines_of_video(command, limit, tail=_pixel_bytes):
        if isinstance(record, str):
            raise VideoError(record)
        line, _, pixels = record.partition(b"\n")
        fields = json.loads(line)
        yield frame_of(fields, Image(fields["width"], fields["height"], pixels))


def _pixel_bytes(line: bytes) -> int:
    """The number of bytes behind a line of `sightline track --pixels`."""
    fields = json.loads(line)
    size: int = fields["width"] * fields["height"] * 3
    return size


class Tracker:
    """Follows the objects of frames that come from this program, for example from a loop of OpenCV.

    Objects have the identities that they have with `track` on a video of the same pictures. A tracker keeps one
    `sightline` process and follows one stream. Threads may share it; their frames are taken in order. The
    process ends with `close`, at the end of a `with` block, or when nothing refers to the tracker.

    >>> with Tracker(frame_rate=10) as tracker:
    ...     frames = [tracker.update("scene.png") for _ in range(4)]
    >>> frames[3].time, [found.id for found in frames[3].objects] == [found.id for found in frames[2].objects]
    (0.3, True)
    """

    def __init__(
        self,
        model: PathInput | None = None,
        *,
        frame_rate: float = 30.0,
        every: int | None = None,
        limit: float = 120.0,
        **settings: Unpack[ObjectOptions],
    ) -> None:
        """Starts the process and loads the model.

        Args:
            model: a path, or the name of an installed model; None for the default, as for a `Detector`.
            frame_rate: the frames in a second, for frames without a time.
            every: run the detector on every Nth frame, and predict boxes between.
            limit: the seconds that a frame may take.
            settings: the options of `ObjectOptions` and `ModelOptions`, such as `threshold`, `allow`, and
                `options=["--line", "320,0,320,480"]`.

        Raises:
            ProgramError: the program is missing, or cannot load the model, or does not know an option.
        """
        words = arguments(settings, ObjectOptions.__optional_keys__, model=model, every=every, frame_rate=frame_rate)
        self.limit = limit
        self._lock = threading.Lock()
        process = FrameProcess([find_program(), "track", "--stdin-format", "frames", *words])
        self._process: FrameProcess | None = process
        self._end = weakref.finalize(self, process.kill)
        _trackers.add(self)
        try:
            # A missing model is known at once.
            if not belongs(self._exchange(process, header(HANDSHAKE, 0), memoryview(b"")), HANDSHAKE):
                raise ProgramError("sightline did not answer as expected; report this.")
        except VideoError as error:
            self._end()
            raise ProgramError(process.said or process.error_text or str(error)) from None

    def __enter__(self) -> Tracker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, frame: PictureInput, time: float | None = None) -> VideoFrame:
        """The objects in the next frame of the stream.

        Args:
            frame: a picture, as for `Detector.detect`.
            time: when the frame is shown, in seconds from the beginning of the stream, and later than the frame before;
                None for the time that follows from `frame_rate`. Give the times of frames that do not come evenly.

        Raises:
            PictureError: the frame cannot be read, or its time is not later. The stream continues with the next frame.
            VideoError: the process ended, so that all identities are lost; create another tracker.
            TypeError, ValueError: it is not a picture.
        """
        given = picture(frame)
        content = flat(given.content)
        if given.error is not None:
            raise PictureError(given.name, given.error)
        if not content and given.address is None:
            raise PictureError(given.name, "the picture has no bytes; check that the file was written completely.")
        name = NAMELESS if time is None else repr(float(time))
        with self._lock:
            line = self._exchange(self._open(), header(name, content.nbytes, given.address), content)
        fields: dict[str, Any] = json.loads(line)
        if "error" in fields:
            raise PictureError(given.name, fields["error"])
        return frame_of(fields)

    def close(self) -> None:
        """Ends the process, after a frame that another thread waits for. Repeated calls do nothing."""
        with self._lock:
            self._process = None
            self._end()

    def _open(self) -> FrameProcess:
        if self._process is None:
            raise SightlineError(
                "this Tracker is closed, or belongs to the parent of this process; create another one."
            )
        return self._process

    def _forget(self) -> None:
        """Leaves the process to the parent, in a process that was forked."""
        self._lock = threading.Lock()
        process, self._process = self._process, None
        if process:
            self._end.detach()
            process.leave()

    def _exchange(self, process: FrameProcess, first_line: bytes, content: memoryview) -> bytes:
        """The answer to a frame. An error ends the process, because the objects of the stream are lost."""
        try:
            process.send(first_line, content)
            end = monotonic() + self.limit
            while monotonic() < end and not process.has_ended:
                if lines := process.exchange(max(end - monotonic(), 0)):
                    return lines[0]
            reason = process.end_reason() or f"gave no answer for {self.limit:g} s"
            text = f": {printed(process.said)}" if process.said else "."
            raise VideoError(f"sightline {reason}; the objects of this Tracker are lost, create another one{text}")
        except BaseException:
            self._process = None
            self._end()
            raise


# A parent's lock may be held forever in its child, and a pipe that the child holds open would keep the program from
# seeing its end.
_trackers: weakref.WeakSet[Tracker] = weakref.WeakSet()


def _forget_all() -> None:
    for tracker in list(_trackers):
        tracker._forget()


os.register_at_fork(after_in_child=_forget_all)
