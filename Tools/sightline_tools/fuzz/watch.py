"""Damages files of `sightline watch` in many ways, and checks that reading them never crashes, hangs or swallows
memory, and that a refusal says why.

    Scripts/tools fuzz watch                              # 2,000 mutants
    Scripts/tools fuzz watch --count 20000 --seed 7 --program .build/release/sightline

Every mutant follows from the seed and its index. `sightline watch --check` reads each in a process of its own, since
the code of a program cannot be linked with libFuzzer. Offenders are kept in the folder that --keep names. The exit
status is 1 when there were any.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from ..places import FIXTURES, ROOT, debug_program, temporary_folder
from .damage import Damage, File, Mutant, flip_bits, mutant, remove, repeat, splice, truncate

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


def reader(program: Path, seconds: float, megabytes: int) -> Callable[[Mutant], str]:
    """A function that reads a mutant, and returns what came of it in some words."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def read(made: Mutant) -> str:
        with temporary_folder("fuzz-watch") as folder:
            (folder / "cameras.yaml").write_bytes(made.data)
            try:
                done = subprocess.run(
                    [program, "watch", "cameras.yaml", "--check"],
                    cwd=folder,
                    env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=seconds,
                    preexec_fn=limit,
                )
            except subprocess.TimeoutExpired:
                return "hang"
        errors = done.stderr.decode(errors="replace")
        if done.returncode == 0:
            return "ok"
        if done.returncode != 2:
            return f"ended with {done.returncode}: {errors.strip()[-200:]}"
        lines = errors.splitlines()
        if not lines or not all(re.match(r"sightline: .{12}", line) for line in lines):
            return f"refused without a sentence: {errors[-200:]!r}"
        return "refused"

    return read


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--count", type=int, default=2000, help="mutants to try (2000)")
    parser.add_argument("--start", type=int, default=0, help="index of the first (0)")
    parser.add_argument("--seed", default="1", help="the seed of all randomness (1)")
    parser.add_argument("--seconds", type=float, default=10, help="time that a file may take (10)")
    parser.add_argument("--megabytes", type=int, default=4096, help="address space that the program may use (4096)")
    parser.add_argument("--program", type=Path, default=debug_program("sightline"), help="the program sightline")
    parser.add_argument("--keep", type=Path, default=ROOT / "out/fuzz-watch", help="folder for offenders")
    options = parser.parse_args(words)
    files = [File(f"{number}.yaml", text.encode()) for number, text in enumerate(SEEDS)]
    numbers = range(options.start, options.start + options.count)
    counts: collections.Counter[str] = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        read = reader(options.program.resolve(), options.seconds, options.megabytes)
        mutants = [mutant(options.seed, number, files, KINDS) for number in numbers]
        for number, made, result in zip(numbers, mutants, threads.map(read, mutants), strict=True):
            counts[result if result in ("ok", "refused") else "offenders"] += 1
            if result not in ("ok", "refused"):
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{options.seed}-{number}.yaml").write_bytes(made.data)
                print(f"{number}: {made.kind} of {made.name}: {result}", flush=True)
    ends = ", ".join(f"{counts[key]} {key}" for key in sorted(counts))
    print(f"seed {options.seed}, {options.count} mutants: {ends}")
    if counts["offenders"]:
        sys.exit(f"error: {options.keep} has the offenders.")
