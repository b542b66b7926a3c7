"""Lets libFuzzer search for inputs that crash a reader of bytes from outside, keep it busy, fill the memory or break
one of its promises. libFuzzer keeps each input that reaches new code, and changes it further; the address sanitizer
checks each access to memory.

    Scripts/tools fuzz coverage                         # a minute for each target
    Scripts/tools fuzz coverage onnx form --minutes 30 --corpus FOLDER
    Scripts/tools fuzz coverage onnx --replay crash-…   # reads one input again

The program FuzzProbe (Tests/FuzzProbe) is compiled into .build/fuzz, or named with --program. The fixtures of the tests
are the first inputs; the folder --corpus keeps what was found, for the next run. Prints a line for each target.
Offenders are kept in the folder that --keep names. The exit status is 1 when there were any.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ..places import FIXTURES, ROOT, temporary_folder
from ..programs import Word
from . import onnx, texts

# The fixtures with which a target begins, and the greatest length of an input in bytes.
FIXTURES_OF = {
    "archive": ("models/*.tflite", 20_000),
    "model": ("models/*.tflite", 20_000),
    "optimizer": ("models/*.tflite", 20_000),
    "picture": ("images/*", 40_000),
}
USUAL_LENGTH = 4_000
# The greatest allocation in megabytes. The tensors of a model may have 1,024 together (ModelLimits).
ALLOCATION_OF = {"optimizer": 1_100}
USUAL_ALLOCATION = 512
BUILD = [
    *("swift", "build", "--product", "FuzzProbe", "--sanitize", "fuzzer", "--sanitize", "address"),
    # The compiler of Swift uses the last of its options alone, and SwiftPM gives it two.
    *("-Xswiftc", "-sanitize=fuzzer,address", "--scratch-path", ".build/fuzz"),
]


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="the targets; all by default")
    parser.add_argument("--minutes", type=float, default=1, help="the time for each target (1)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the changes (1)")
    parser.add_argument("--corpus", type=Path, help="a folder of inputs, with a folder for each target")
    parser.add_argument("--keep", type=Path, default=Path("offenders"), help="the folder of offenders (offenders)")
    parser.add_argument("--program", type=Path, help="FuzzProbe, if it is compiled already")
    parser.add_argument("--replay", type=Path, help="read this input once")
    arguments = parser.parse_args(words)
    program = (arguments.program or compiled()).resolve()
    known = subprocess.run([program], capture_output=True, text=True).stdout.split()
    if unknown := set(arguments.targets) - set(known):
        parser.error(f"there is no target {', '.join(sorted(unknown))}; choose of {', '.join(known)}")
    if arguments.replay:
        if len(arguments.targets) != 1:
            parser.error("name the target of --replay")
        sys.exit(subprocess.run([program, arguments.replay], env=environment(arguments.targets[0])).returncode)
    with temporary_folder("fuzz") as folder:
        corpora = arguments.corpus or folder / "corpus"
        found = [fuzz(program, target, corpora, arguments) for target in arguments.targets or known]
    if sum(found):
        sys.exit(f"error: {sum(found)} targets have offenders; {arguments.keep} has them.")


def compiled() -> Path:
    """Compiles FuzzProbe."""
    subprocess.run(BUILD, check=True, cwd=ROOT, env={**os.environ, "SIGHTLINE_FUZZ": "1"}, stdout=sys.stderr)
    return ROOT / ".build/fuzz/debug/FuzzProbe"


def write_seeds(target: str, folder: Path) -> None:
    """Writes the first inputs of a target. Fixtures that are too long are left out."""
    pattern, length = FIXTURES_OF.get(target, ("", USUAL_LENGTH))
    folder.mkdir(parents=True)
    for file in sorted(FIXTURES.glob(pattern)) if pattern else []:
        if file.is_file() and file.stat().st_size <= length:
            (folder / file.name).symlink_to(file)
    made = [file.data for file in onnx.SEEDS] if target == "onnx" else texts.SEEDS.get(target, [])
    for number, content in enumerate(made):
        (folder / f"seed-{number}").write_bytes(content)


def environment(target: str) -> dict[str, str]:
    """The variables of FuzzProbe. Leaks are not looked for: caches live as long as the process."""
    sanitizer = "detect_leaks=0:allocator_may_return_null=1"
    # Swift's own backtraces take minutes in so large a program, and would hold the pipe.
    return {**os.environ, "FUZZ_TARGET": target, "ASAN_OPTIONS": sanitizer, "SWIFT_BACKTRACE": "enable=no"}


def fuzz(program: Path, target: str, corpora: Path, arguments: argparse.Namespace) -> bool:
    """Fuzzes a target, and returns whether it has an offender."""
    corpus, kept = corpora / target, arguments.keep / target
    corpus.mkdir(parents=True, exist_ok=True)
    kept.mkdir(parents=True, exist_ok=True)
    with temporary_folder("seeds") as folder:
        write_seeds(target, folder / target)
        limits = [
            f"-max_total_time={round(arguments.minutes * 60)}",
            f"-seed={arguments.seed}",
            f"-max_len={FIXTURES_OF.get(target, ('', USUAL_LENGTH))[1]}",
            # An input takes some milliseconds, and less memory than a picture.
            *("-timeout=10", "-rss_limit_mb=2560", f"-malloc_limit_mb={ALLOCATION_OF.get(target, USUAL_ALLOCATION)}"),
            "-print_final_stats=1",
            f"-artifact_prefix={kept.resolve()}/",
        ]
        command: list[Word] = [program, *limits, corpus, folder / target]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment(target))
    log = done.stderr
    runs = last(r"stat::number_of_executed_units:\s*(\d+)", log) or last(r"^#(\d+)", log)
    edges, features = last(r"cov: (\d+)", log), last(r"ft: (\d+)", log)
    print(f"{target}: {runs} inputs, {edges} edges and {features} features of the code", end="", flush=True)
    if not done.returncode:
        print("; no offender", flush=True)
        if not any(kept.iterdir()):
            kept.rmdir()
        return False
    (kept / "log.txt").write_text(log)
    # The runtime library reports errors of its own.
    reason = re.search(r"(==ERROR: .*|== ERROR: libFuzzer: .*|Fatal error: .*|SUMMARY: .*)", log)
    print(f"; OFFENDER: {reason[0] if reason else f'exit code {done.returncode}'}", flush=True)
    return True


def last(pattern: str, log: str) -> str:
    """The last number that a pattern finds."""
    found = re.findall(pattern, log, re.M)
    return found[-1] if found else ""
