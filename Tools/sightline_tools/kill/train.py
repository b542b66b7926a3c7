"""Kills `sightline train labels`, `train boxes` and `similar` (kill -9) at random moments of each phase, and checks
after each kill that the model or the index is the earlier one, absent or the whole new one, and that the next run ends
well, takes up what was kept and leaves no temporary file.

    Scripts/tools kill train --kills 20 [--command labels] [--seed 1] [--executable .build/debug/sightline]

The pictures are drawn. Prints a line for each command.
"""

import argparse
import collections
import hashlib
import json
import os
import random
import struct
import subprocess
import sys
import threading
import time
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path

from ..places import FIXTURES, add_executable, temporary_folder

START = FIXTURES / "models/classifier_float_metadata.tflite"
COLORS = {"brick": (200, 70, 50), "pond": (60, 90, 210)}
# No run on these small inputs takes longer.
SECONDS = 180


def png(width: int, rows: Sequence[bytes]) -> bytes:
    """A picture of rows in RGB."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def squares(source: random.Random, color: Sequence[int]) -> bytes:
    """A picture of 16 squares in shades of a color."""
    shades = [[bytes(max(0, min(255, c + source.randint(-55, 55))) for c in color) for _ in range(4)] for _ in range(4)]
    return png(48, [b"".join(shade * 12 for shade in shades[y // 12]) for y in range(48)])


def scene(source: random.Random) -> tuple[bytes, list[list[int]]]:
    """A picture of a brick and a pond before a wall, and their boxes."""
    boxes = []
    for left in (0, 155):
        width, height = source.randint(70, 110), source.randint(70, 110)
        boxes.append([left + source.randint(10, 150 - width), source.randint(10, 220 - height), width, height])
    rows = []
    for y in range(240):
        row = bytearray(b"".join(bytes([144 + n % 13] * 3) for n in source.randbytes(320)))
        for (x, top, width, height), color in zip(boxes, COLORS.values()):
            if top <= y < top + height:
                row[3 * x : 3 * (x + width)] = bytes(color) * width
        rows.append(bytes(row))
    return png(320, rows), boxes


class Subject(ABC):
    """A command, its input and its output."""

    # The phases, by what is seen when they begin.
    phases: Sequence[str]

    def __init__(self, folder: Path, executable: str, source: random.Random) -> None:
        self.folder, self.executable, self.source = folder, executable, source
        self.cache = folder / "cache"
        folder.mkdir()

    @abstractmethod
    def change(self, number: int) -> None:
        """Changes the input, so that the next output differs from the one that is there."""

    @abstractmethod
    def words(self) -> list[str]:
        """The command."""

    @abstractmethod
    def state(self) -> str | None:
        """The state of the output; None if there is none. Ends the program if it is torn."""

    @abstractmethod
    def is_writing(self) -> bool:
        """Whether a temporary file is there."""

    def begin(self) -> "Run":
        return Run([self.executable, *self.words()], self.folder, dict(os.environ, XDG_CACHE_HOME=str(self.cache)))

    def kept(self) -> dict[str, int]:
        """The sizes of the files of features."""
        return {file.name: file.stat().st_size for file in self.cache.glob("sightline/features/*")}

    def forget(self) -> None:
        """Removes what is kept of pictures."""
        for file in self.cache.glob("sightline/features/*"):
            file.unlink()


class Run:
    """A process whose steps are read."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self.steps: set[str] = set()
        self.errors = ""
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.readers = [threading.Thread(target=read, daemon=True) for read in (self.read_steps, self.read_errors)]
        for reader in self.readers:
            reader.start()

    def read_steps(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                step = json.loads(line)
            except ValueError:
                continue  # cut by the kill
            if isinstance(step, dict) and "stage" in step:
                self.steps.add(step["stage"])
                if step["done"] == step["total"]:
                    self.steps.add(f"{step['stage']} done")

    def read_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()

    def wait(self, condition: Callable[[], bool]) -> bool:
        """Waits until a condition holds, or the process has ended."""
        while self.process.poll() is None:
            if condition():
                return True
            if time.monotonic() - self.began > SECONDS:
                sys.exit(f"{self.process.args!r} takes longer than {SECONDS} s")
            time.sleep(0.0005)
        return False

    def end(self) -> float:
        """Waits for the end, which must be a good one; returns the seconds."""
        self.wait(lambda: False)
        self.join()
        if self.process.returncode != 0:
            sys.exit(f"{self.process.args!r} ended with {self.process.returncode}: {self.errors}")
        return time.monotonic() - self.began

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.join()

    def join(self) -> None:
        for reader in self.readers:
            reader.join()


class Training(Subject):
    """A training: its output is a folder with a card that has the model's hash."""

    common = frozenset({"README.md", "card.json", "dict.txt", "manifest.json", "model.tflite", "report.html"})
    # A detector has a second form under its own name.
    files = (
        common,
        common | {"tflite_metadata.json", "pair.tflite", "pair.txt"},
        common | {"tflite_metadata.json", "single.tflite", "single.txt"},
    )

    def state(self) -> str | None:
        model = self.folder / "made"
        if not model.exists():
            return None
        if (found := {file.name for file in model.iterdir()}) not in self.files:
            sys.exit(f"the model's folder has {sorted(found)}")
        card = json.loads((model / "card.json").read_text())
        sha256 = hashlib.sha256((model / "model.tflite").read_bytes()).hexdigest()
        if card["sha256"] != sha256 or "</html>" not in (model / "report.html").read_text():
            sys.exit("the files of the model's folder do not belong together")
        return sha256

    def is_writing(self) -> bool:
        return any(self.folder.glob(".partial-*"))

    def options(self) -> list[str]:
        return ["--output", "made", "--start", str(START), "--workers", "2", "--format", "jsonl"]


class Labels(Training):
    phases = ("", "reading", "fitting", "fitting done", "writing")

    def change(self, number: int) -> None:
        for label, color in COLORS.items():
            (self.folder / "photos" / label).mkdir(parents=True, exist_ok=True)
            for index in range(12):
                picture = squares(random.Random(f"{label} {number % 2} {index}"), color)
                (self.folder / f"photos/{label}/{index}.png").write_bytes(picture)

    def words(self) -> list[str]:
        return ["train", "labels", "photos", *self.options()]


class Boxes(Training):
    phases = ("", "reading", "proposing", "fitting", "fitting done", "writing")

    def change(self, number: int) -> None:
        (self.folder / "images").mkdir(exist_ok=True)
        images, annotations = [], []
        for index in range(1, 7):
            picture, boxes = scene(random.Random(f"{number % 2} {index}"))
            (self.folder / f"images/{index}.png").write_bytes(picture)
            images.append({"id": index, "file_name": f"{index}.png", "width": 320, "height": 240})
            annotations += [{"image_id": index, "category_id": n + 1, "bbox": box} for n, box in enumerate(boxes)]
        categories = [{"id": n + 1, "name": name} for n, name in enumerate(COLORS)]
        described = {"images": images, "categories": categories, "annotations": annotations}
        (self.folder / "annotations.json").write_text(json.dumps(described))

    def words(self) -> list[str]:
        return ["train", "boxes", "annotations.json", *self.options()]


class Similar(Subject):
    """A comparison: its output is the index beside the pictures."""

    phases = ("", "writing", "written", "writing")
    pictures = 700

    def change(self, number: int) -> None:
        photos = self.folder / "photos"
        photos.mkdir(exist_ok=True)
        for index in range(self.pictures):
            if number == 0 or index % 2 == number % 2:
                color = [self.source.randrange(256) for _ in range(3)]
                (photos / f"{index}.png").write_bytes(png(8, [bytes(color) * 8] * 8))
        if number % 3 == 0:
            (photos / ".sightline-similar").unlink(missing_ok=True)

    def words(self) -> list[str]:
        return ["similar", "photos/0.png", "photos", "--start", str(START), "--workers", "2", "--format", "json"]

    def state(self) -> str | None:
        index = self.folder / "photos/.sightline-similar"
        if not index.exists():
            return None
        data = index.read_bytes()
        if hashlib.sha256(data[:-32]).digest() != data[-32:]:
            sys.exit("the index is torn")
        return hashlib.sha256(data).hexdigest()

    def is_writing(self) -> bool:
        return any((self.folder / "photos").glob(".partial-*"))

    def kept(self) -> dict[str, int]:
        index = self.folder / "photos/.sightline-similar"
        return {index.name: struct.unpack_from("<I", index.read_bytes(), 20)[0]}


SUBJECTS: dict[str, type[Subject]] = {"labels": Labels, "boxes": Boxes, "similar": Similar}


def await_phase(run: Run, phase: str, subject: Subject) -> bool:
    """Waits for a phase; false if the run ends without it."""
    if not phase:
        return True
    if phase == "writing":
        return run.wait(subject.is_writing)
    if phase == "written":
        index = subject.folder / "photos/.sightline-similar"
        stamp = index.stat().st_ino if index.exists() else None
        return run.wait(lambda: index.exists() and index.stat().st_ino != stamp)
    return run.wait(lambda: phase in run.steps)


def check(name: str, subject: Subject, kills: int, source: random.Random) -> str:
    """Kills a command, and describes what was seen."""
    wanted: dict[int, dict[str, int]] = {}
    states: dict[int, str | None] = {}
    spans: dict[str, float] = {}
    # Whole runs: their outputs, what they keep, and how long each phase is from its beginning to the end.
    for number in (0, 1):
        subject.change(number)
        for phase in dict.fromkeys(subject.phases):
            if phase == subject.phases[0]:
                subject.forget()
            subject.change(number)
            run = subject.begin()
            started = time.monotonic() if await_phase(run, phase, subject) else None
            run.end()
            spans[phase] = time.monotonic() - started if started else 0.01
        wanted[number], states[number] = subject.kept(), subject.state()
    seen: collections.Counter[str] = collections.Counter()
    for kill in range(kills):
        number, phase = kill % 2, subject.phases[kill // 2 % len(subject.phases)]
        before = subject.state()
        subject.change(number)
        before = subject.state() if name == "similar" else before
        is_fresh = source.random() < 0.5
        if is_fresh:
            subject.forget()
        run = subject.begin()
        reached = await_phase(run, phase, subject)
        time.sleep(source.uniform(0, min(spans[phase], 0.05) if phase == "writing" else spans[phase]))
        run.kill()
        after = subject.state()
        kind = "old" if after == before and after else "absent" if after is None else "new"
        if kind == "absent" and before is not None:
            sys.exit(f"{name}, kill {kill}: the earlier output is lost")
        if kind == "new" and name != "similar" and after != states[number]:
            sys.exit(f"{name}, kill {kill}: the output is neither the old nor the new one")
        seen[kind] += 1
        seen["temporary files"] += subject.is_writing()
        seen["unreached phases"] += not reached
        run = subject.begin()
        run.end()
        if "damaged" in run.errors:
            sys.exit(f"{name}, kill {kill}: {run.errors}")
        if subject.is_writing():
            sys.exit(f"{name}, kill {kill}: a temporary file stays in {subject.folder}")
        if name != "similar" and subject.state() != states[number]:
            sys.exit(f"{name}, kill {kill}: the next run made another model")
        if is_fresh and subject.kept() != wanted[number]:
            sys.exit(f"{name}, kill {kill}: {subject.kept()} is kept instead of {wanted[number]}")
    return f"{name}: {kills} kills left " + ", ".join(f"{count} {kind}" for kind, count in sorted(seen.items()))


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--kills", type=int, default=20, help="of each command (20)")
    parser.add_argument("--command", choices=list(SUBJECTS), action="append", help="only this command")
    parser.add_argument("--seed", type=int, default=1)
    add_executable(parser, "sightline")
    arguments = parser.parse_args(words)
    for name in arguments.command or SUBJECTS:
        source = random.Random(f"{arguments.seed} {name}")
        with temporary_folder("train") as folder:
            subject = SUBJECTS[name](folder / name, arguments.executable, source)
            print(check(name, subject, arguments.kills, source), flush=True)
    print("Each output was the old one, absent or whole, and each next run ended well.")
