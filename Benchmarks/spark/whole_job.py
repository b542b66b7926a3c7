#!/usr/bin/env python3
"""Spark:WholeJob and Spark:SteadyState: a job of sightline-spark beside the plain command, in turns.

    python3 spark/whole_job.py --sightline PROGRAM --python PYTHON FOLDER [--rounds 3] [--workers 2] [--json FILE]

PYTHON has sightline-spark or what it needs. Each round takes the first quarter of the pictures and all of them, by

* plain: `sightline detect --stdin --workers 2 --threads 1`, which writes lines of JSON to a file;
* processes: as many `sightline detect --stdin --threads 1` at once, with equal parts of the pictures;
* spark: `sightline-spark detect` on local[2], which writes a Parquet table.

The whole job is the time of the process, start and end included. The steady state is the time of all pictures less
that of the quarter, divided by the number of pictures between: it has no start. Processor seconds are those of all
processes that the program started. A ratio above 1 means that Spark is faster. Damaged pictures have rows, too.
"""

import argparse
import contextlib
import ctypes
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
ROOT = pathlib.Path(__file__).resolve().parents[2]


def adopt() -> None:
    """Makes the system give orphans of programs to this process, so that their processor time is counted."""
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        sys.exit("error: processes of Spark cannot be counted; this needs Linux.")


def used() -> float:
    """The processor seconds of all processes that have ended and were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measured(commands: list[list[str]], inputs: list[pathlib.Path], folder: pathlib.Path) -> tuple[float, float]:
    """Seconds until all of the programs, started together, have ended, and processor seconds of all they started."""
    before, start = used(), time.perf_counter()
    running = []
    for number, (command, source) in enumerate(zip(commands, inputs)):
        with source.open("rb") as standard_input, (folder / f"plain-{number}.jsonl").open("wb") as output:
            environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'Spark'}:{ROOT / 'Python'}"}
            running.append(subprocess.Popen(command, stdin=standard_input, stdout=output, env=environment))
    codes = [process.wait() for process in running]
    seconds = time.perf_counter() - start
    if any(codes):
        sys.exit(f"error: {' '.join(commands[0][:4])} ended with {codes}")
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    return seconds, used() - before


def listed(paths: list[str], file: pathlib.Path) -> pathlib.Path:
    file.write_text("".join(f"{path}\n" for path in paths))
    return file


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sightline", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    adopt()
    pictures = sorted(str(path) for path in options.folder.resolve().rglob("*.jpg"))
    quarter = len(pictures) // 4
    plain = [options.sightline, "detect", "--stdin", "--threads", "1", "--keep-going"]
    rows: dict[str, dict[int, list[tuple[float, float]]]] = {
        name: {quarter: [], len(pictures): []} for name in ("plain", "processes", "spark")
    }
    with tempfile.TemporaryDirectory(prefix="sightline-benchmark-") as name:
        folder = pathlib.Path(name)
        for number in range(options.rounds):
            for count in (quarter, len(pictures)):
                whole = listed(pictures[:count], folder / "whole.txt")
                parts = [
                    listed(pictures[part : count : options.workers], folder / f"part-{part}.txt")
                    for part in range(options.workers)
                ]
                table = folder / "table"
                shutil.rmtree(table, ignore_errors=True)
                spark = [options.python, "-m", "sightline_spark", "detect", str(whole), str(table)]
                spark += ["--program", options.sightline, "--master", f"local[{options.workers}]", "--keep-going"]
                contenders = {
                    "plain": ([[*plain, "--workers", str(options.workers)]], [whole]),
                    "processes": ([plain] * options.workers, parts),
                    "spark": ([spark], [whole]),
                }
                # Each contender is first as often as the others.
                names = list(contenders)
                for turn in range(len(names)):
                    contender = names[(turn + number) % len(names)]
                    result = measured(*contenders[contender], folder)
                    rows[contender][count].append(result)
                    print(
                        f"round {number + 1}, {count} pictures, {contender}: {result[0]:.1f} s, {result[1]:.1f} s CPU",
                        flush=True,
                    )
    every = len(pictures)
    figures = {}
    for contender, counts in rows.items():
        whole_job = [seconds for seconds, _ in counts[every]]
        steady = [(all_of[0] - few[0]) / (every - quarter) for all_of, few in zip(counts[every], counts[quarter])]
        processor = [all_of[1] - few[1] for all_of, few in zip(counts[every], counts[quarter])]
        figures[contender] = {
            "seconds": statistics.median(whole_job),
            "milliseconds_steady": 1000 * statistics.median(steady),
            "processor_milliseconds_steady": 1000 * statistics.median(processor) / (every - quarter),
            "whole_job": statistics.median(one[0] / own for one, own in zip(rows["plain"][every], whole_job)),
            "steady_state": statistics.median(
                (one[0] - few[0]) / (every - quarter) / own
                for one, few, own in zip(rows["plain"][every], rows["plain"][quarter], steady)
            ),
        }
        print(
            f"Spark:WholeJob {contender:9}: {every / figures[contender]['seconds']:6.1f} pictures/s,"
            f" {figures[contender]['whole_job']:.3f} × plain;"
            f" steady {figures[contender]['milliseconds_steady']:.2f} ms,"
            f" {figures[contender]['processor_milliseconds_steady']:.2f} ms CPU a picture,"
            f" {figures[contender]['steady_state']:.3f} × plain"
        )
    if options.json:
        options.json.write_text(json.dumps({"pictures": every, "rounds": options.rounds, "rows": figures}, indent=1))


if __name__ == "__main__":
    main()
