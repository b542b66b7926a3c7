"""Commands that read pictures and videos, and write results."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from ..places import FIXTURES, ROOT
from ..programs import Word
from .flow import Flow, TornError

MODEL = FIXTURES / "models/ssd_metadata.tflite"
VIDEO = FIXTURES / "videos/h264-aac.mp4"


class Detect(Flow):
    """Results of several pictures go into a file, and a run that was interrupted continues."""

    def prepare(self, folder: Path) -> None:
        (folder / "photos").mkdir()
        for name in "abcdef":
            shutil.copy(ROOT / "Documentation/Pictures/scene.png", folder / "photos" / f"{name}.png")

    def words(self) -> Sequence[Word]:
        options: list[Word] = ["--model", MODEL, "--output", "found.jsonl", "--no-times", "--annotate", "drawn"]
        return [self.programs / "sightline", "detect", "photos", *options]

    def state(self, folder: Path) -> str:
        file = folder / "found.jsonl"
        if not file.exists():
            return "absent"
        return file.read_text(errors="replace")

    def is_between(self, state: str, old: str, new: str) -> bool:
        # Records, some of pictures that failed, and the beginning of another one, which the next run removes.
        return all('"error"' in line or line in new for line in state.splitlines())


class Annotate(Flow):
    """A video is drawn, and its tracks and events are written."""

    def prepare(self, folder: Path) -> None:
        shutil.copy(VIDEO, folder / "a.mp4")

    def words(self) -> Sequence[Word]:
        options: list[Word] = ["--model", MODEL, "--annotate", "drawn.mp4", "--format", "mot", "--output", "tracks.txt"]
        return [self.programs / "sightline", "track", "a.mp4", *options, "--events", "events.jsonl"]

    def state(self, folder: Path) -> str:
        drawn = folder / "drawn.mp4"
        if drawn.exists() and b"moov" not in drawn.read_bytes():
            raise TornError("the drawn video has no index")
        files = [folder / name for name in ("tracks.txt", "events.jsonl")]
        texts = [file.read_text(errors="replace") if file.exists() else "" for file in files]
        return json.dumps([drawn.exists(), *texts])

    def is_between(self, state: str, old: str, new: str) -> bool:
        # The tracks are a stream, and a video ends where they failed. The objects of that moment are lost then.
        (_, tracks, events), (_, whole, all_events) = json.loads(state), json.loads(new)
        *lines, cut = events.split("\n")
        ended = ('{"event":"lost"', *all_events.splitlines())
        return bool(whole.startswith(tracks)) and all(line.startswith(ended) for line in lines) and cut in all_events


class Count(Flow):
    """The objects in a zone are counted."""

    def prepare(self, folder: Path) -> None:
        shutil.copy(VIDEO, folder / "a.mp4")

    def words(self) -> Sequence[Word]:
        options: list[Word] = ["--model", MODEL, "--output", "tracks.csv", "--no-times"]
        zone = "all=0,0 10000,0 10000,10000 0,10000"
        return [self.programs / "sightline", "track", "a.mp4", *options, "--zone", zone, "--counts", "counts.csv"]

    def state(self, folder: Path) -> str:
        files = [folder / name for name in ("tracks.csv", "counts.csv")]
        return json.dumps([file.read_text(errors="replace") if file.exists() else "" for file in files])

    def is_between(self, state: str, old: str, new: str) -> bool:
        # The tracks are a stream, and the counts end where they failed. The next run writes both again.
        (tracks, counts), (all_tracks, all_counts) = json.loads(state), json.loads(new)
        *rows, _ = counts.split("\n")
        columns = all_counts.splitlines()[0].count(",")
        return bool(all_tracks.startswith(tracks)) and all(row.count(",") == columns for row in rows)


class Crop(Flow):
    """Each object becomes a picture of its own."""

    def prepare(self, folder: Path) -> None:
        (folder / "photos").mkdir()
        for name in "ab":
            shutil.copy(ROOT / "Documentation/Pictures/scene.png", folder / "photos" / f"{name}.png")

    def words(self) -> Sequence[Word]:
        options: list[Word] = ["--model", MODEL, "--output", "found.csv", "--no-times", "--crop", "crops"]
        return [self.programs / "sightline", "detect", "photos", *options]

    def state(self, folder: Path) -> str:
        table = folder / "found.csv"
        pictures = sorted((folder / "crops").rglob("*.jpg"))
        for picture in pictures:
            if not picture.read_bytes().endswith(b"\xff\xd9"):
                raise TornError(f"{picture.name} has no end")
        names = [str(picture.relative_to(folder)) for picture in pictures]
        return json.dumps([table.read_text(errors="replace") if table.exists() else "", names])

    def is_between(self, state: str, old: str, new: str) -> bool:
        # Rows, some of pictures that failed, and the beginning of another one.
        (table, names), (whole, all_names) = json.loads(state), json.loads(new)
        rows = [row for row in table.splitlines() if 10 * "," not in row]
        return all(row in whole for row in rows) and set(names) <= set(all_names)


class Optimize(Flow):
    """A model gets a faster copy."""

    def prepare(self, folder: Path) -> None:
        shutil.copy(FIXTURES / "models/uint8_detector.tflite", folder / "a.tflite")

    def words(self) -> Sequence[Word]:
        return [self.programs / "sightline", "optimize", "a.tflite", "b.tflite"]

    def state(self, folder: Path) -> str:
        made = folder / "b.tflite"
        if not made.exists():
            return "absent"
        shown = self.process(folder, "sightline", "inspect", "b.tflite", "--format", "json")
        if shown.returncode:
            raise TornError(f"the model cannot be read: {shown.stderr}")
        return shown.stdout
