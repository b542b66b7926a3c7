"""Damages files of `sightline watch` in many ways, and checks that reading them never crashes, hangs or swallows
memory, and that a refusal says why.

    Scripts/tools fuzz watch                              # 2,000 mutants
    Scripts/tools fuzz watch --count 20000 --seed 7 --probe .build/release/sightline
    Scripts/tools fuzz watch --seed 7 --replay 123 out.yaml      # writes one mutant again

Every mutant follows from the seed and its index. `sightline watch --check` reads each in a process of its own, since
the code of a program cannot be linked with libFuzzer. Offenders are kept in the folder that --keep names. The exit
status is 1 when there were any.
"""

import argparse
import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ..children import ProgramForEachFile
from ..places import FIXTURES
from .damage import Damage, File, flip_bits, remove, repeat, splice, truncate
from .session import Subject, fuzz

MODEL = FIXTURES / "models/ssd_metadata.tflite"
LABELER = FIXTURES / "models/classifier_float_metadata.tflite"
# One of each kind of entry and of value.
SEEDS = [
    f"""\
defaults: {{model: {MODEL}, every: 3, motion: true}}
events: events.jsonl
mqtt: mqtt://127.0.0.1:1/sightline
metrics: metrics.prom
cameras:
  door:
    input: rtsp://user:${{HOME}}@127.0.0.1:1/stream
    camera: fixed
    line: {{entrance: "320,0,320,480"}}
    zone: {{yard: "0,300 640,300 640,480"}}
    threshold: [0.4, red=0.6]
    allow: [red, blue]
    schedule: Mon-Fri 08:00-18:00, Sat 10:00-14:00
    counts: door.csv
    period: 1h
    pictures: {{folder: pictures/door, keep: 7d, most: 1000}}
  yard: {{input: /dev/video0, optimize: no, schedule: 22:00-06:00}}
""",
    f"""\
# A comment
queue: queue
webhook: http://127.0.0.1:1/events
cameras:
  gate:
    input: 'gate.mp4'
    model: {MODEL}
    state:
      lock: {{region: "90,40,200,200", model: {LABELER}, every: 1s, for: 3s}}
    pictures: >
      folded
    zone: &place ["0,0 10,0 10,10", "5,5 20,5 20,20"]
    locale: !!str |
      de
    "confi\\x72m": ! 5
""",
]
WORDS = [
    *("cameras", "defaults", "input", "state", "pictures", "zone", "line", "schedule", "threshold", "every", "null"),
    *("&a", "*a", "<<", "!!binary", "!!float", "|", ">", "---", "...", "%YAML 1.1"),
    *("? ", "- ", ": ", "{", "}", "[", "]"),
    *("\t", "\0", "\r", "\u2028", "\ufeff", "e\u0301", "${", "${HOME}", "'", '"', "#", ","),
    *("-1", "0", "1e999", "nan", "-inf", "9223372036854775808", "0x7f", "99999999999d"),
    *("00:00-24:00", "Mon-", "08:60"),
]


def change_words(rng: random.Random, data: bytearray, _: Sequence[File]) -> None:
    """Puts words in the place of others."""
    for _number in range(rng.choice([1, 1, 2, 4])):
        places = list(re.finditer(rb"[^\s:,{}\[\]]+", bytes(data)))
        if not places:
            return
        place = rng.choice(places)
        data[place.start() : place.end()] = rng.choice(WORDS).encode() * rng.choice([1, 1, 1, 3, 3000])


def insert_word(rng: random.Random, data: bytearray, _: Sequence[File]) -> None:
    """Inserts a word anywhere."""
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.choice(WORDS).encode() * rng.choice([1, 1, 2, 3000])


def move_lines(rng: random.Random, data: bytearray, _: Sequence[File]) -> None:
    """Indents, doubles and moves lines."""
    lines = bytes(data).splitlines(keepends=True)
    for _number in range(rng.choice([1, 2, 4])):
        at = rng.randrange(len(lines))
        lines.insert(rng.randrange(len(lines)), b" " * rng.choice([0, 1, 2, 4, 8]) + lines[at].lstrip())
        del lines[rng.randrange(len(lines))]
    data[:] = b"".join(lines)


KINDS: dict[str, tuple[Damage, int]] = {
    "words": (change_words, 6),
    "insert": (insert_word, 6),
    "lines": (move_lines, 4),
    "bits": (flip_bits([1, 2, 8]), 2),
    "splice": (splice([4, 16, 64]), 2),
    "remove": (remove([1, 2, 4, 16]), 2),
    "repeat": (repeat, 2),
    "truncate": (truncate, 1),
}


def judged(done: subprocess.CompletedProcess[str]) -> str:
    """The result: the file was read, it was refused with sentences, or something is wrong."""
    if done.returncode == 0:
        return "ok"
    if done.returncode != 2:
        return f"ended with {done.returncode}: {done.stderr.strip()[-200:]}"
    lines = done.stderr.splitlines()
    if not lines or not all(re.match(r"sightline: .{12}", line) for line in lines):
        return f"refused without a sentence: {done.stderr[-200:]!r}"
    return "error refused"


def child(program: Path, megabytes: int) -> ProgramForEachFile:
    """The program that checks a file."""
    return ProgramForEachFile(lambda path: [program.resolve(), "watch", path, "--check"], judged, megabytes)


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    subject = Subject(
        noun="file",
        name="yaml",
        probe="sightline",
        suffixes=(".yaml",),
        kinds=KINDS,
        hint="name some with --yaml",
        made=[File(f"{number}.yaml", text.encode()) for number, text in enumerate(SEEDS)],
        child=child,
    )
    fuzz(subject, parser, words, count=2000, seconds=10, megabytes=4096)
