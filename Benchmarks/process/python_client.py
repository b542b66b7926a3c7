"""Process:Python: the Python package beside the command, with the same photos.

    python3 python_client.py --sightline PATH [--model MODEL] [--rounds 5] FOLDER

Every worker has one thread. In each round, one after the other, the command reads the list of the photos, and the
package analyzes them one by one (`detect`), as a series (`detect_many`), and from four threads. Times go from the start
of the process, or of the detector, to its end, and the package alone makes objects of the JSON. Python's own start is
left out. Processor time counts both programs, and hardly depends on the other work of the machine.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Python"))
from sightline import Detector, Objects

# Threads that share a detector.
THREADS = 4


def used() -> float:
    """The seconds of processor time of this process and of those that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measured(body: Callable[[int], int], workers: int, expected: int) -> tuple[float, float]:
    """The seconds, and the seconds of processor time, for all photos; fails where some are missing."""
    start, before = time.perf_counter(), used()
    found = body(workers)
    elapsed = time.perf_counter() - start, used() - before
    if found != expected:
        sys.exit(f"error: {found} of {expected} photos were analyzed.")
    return elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sightline", required=True, help="the sightline program, built for release")
    parser.add_argument("--model")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    os.environ["SIGHTLINE"] = options.sightline
    photos = sorted(str(path) for path in options.folder.glob("*.jpg"))
    names = "".join(f"{path}\n" for path in photos).encode()

    def command(workers: int) -> int:
        words = [options.sightline, "detect", "--stdin", "--threads", "1", "--workers", str(workers)]
        words += ["--model", options.model] if options.model else []
        done = subprocess.run(words, input=names, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        return done.stdout.count(b"\n")

    def detector(workers: int) -> Detector:
        return Detector(options.model, threads=1, workers=workers)

    def one_by_one(workers: int) -> int:
        with detector(workers) as shared:
            return sum(isinstance(shared.detect(path), Objects) for path in photos)

    def series(workers: int) -> int:
        with detector(workers) as shared:
            return sum(isinstance(found, Objects) for found in shared.detect_many(photos))

    def threads(workers: int) -> int:
        with detector(workers) as shared, ThreadPoolExecutor(THREADS) as pool:
            return sum(isinstance(found, Objects) for found in pool.map(shared.detect, photos))

    for workers in (1, 2):
        contenders = {"command": command, "detect_many": series, f"{THREADS} threads": threads}
        if workers == 1:
            contenders["detect"] = one_by_one
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
        for number in range(options.rounds + 1):
            for name, body in contenders.items():
                elapsed = measured(body, workers, len(photos))
                # The first round fills caches.
                if number > 0:
                    times[name].append(elapsed)
        for name, values in times.items():
            ratios, processor = (
                [one[part] / other[part] for one, other in zip(times["command"], values)] for part in (0, 1)
            )
            print(
                f"Process:Python:{workers} worker{'s' if workers > 1 else ' '}  {name:11}:"
                f" {len(photos) / statistics.median(value for value, _ in values):6.1f} pictures/s,"
                f" {statistics.median(ratios):.2f}× the command (rounds {min(ratios):.2f}…{max(ratios):.2f}),"
                f" by processor time {statistics.median(processor):.2f}×",
                flush=True,
            )


if __name__ == "__main__":
    main()
