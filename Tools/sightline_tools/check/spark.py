"""Kills each kind of process of sightline-spark in mid-job, on a cluster, and compares all rows with sightline's own.

    PYTHONPATH=Tools python3 -m sightline_tools check spark --sightline PROGRAM --pictures FOLDER [--count 600]
        [--only NAME ...]

The Python that runs this needs pyspark and pyarrow (pip install ./Spark), and Spark needs Java. It starts a
standalone cluster of one master and two workers on loopback, each with one core, and ends it. Pictures of the folder
are linked many times, and damaged ones are put between them. It prints a table, and fails if a picture is missing,
doubled, or has another result than `sightline detect`.
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from ..places import ROOT, free_port

NAMES = {
    "nothing": "nothing",
    "sightline": "a sightline process, twice",
    "python": "a Python worker, twice",
    "executor": "an executor, twice",
    "worker": "a worker",
    "driver": "the driver; then the same command",
}
# A job that takes longer hangs.
LIMIT = 600


def descendants(root: int) -> dict[int, str]:
    """The process numbers below a process, with their command lines."""
    children: dict[int, list[int]] = {}
    lines: dict[int, str] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            stat = Path(f"/proc/{name}/stat").read_text()
            state, parent = stat.rpartition(")")[2].split()[:2]
            if state != "Z":
                children.setdefault(int(parent), []).append(int(name))
                lines[int(name)] = Path(f"/proc/{name}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    found: dict[int, str] = {}
    waiting = [root]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found[child] = lines[child]
            waiting.append(child)
    return found


class Cluster:
    """A master and two workers."""

    def __init__(self, python: str, folder: Path) -> None:
        found = subprocess.run(
            [python, "-c", "import pyspark; print(pyspark.__path__[0])"], check=True, capture_output=True, text=True
        )
        self.folder, self.port, self.web = folder, free_port(), free_port()
        self.program = f"{found.stdout.strip()}/bin/spark-class"
        self.environment = {
            **os.environ,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_HOSTNAME": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": python,
        }
        self.workers: list[subprocess.Popen[bytes]] = []
        name = "org.apache.spark.deploy.master.Master"
        self.master = self.start(name, "--host", "127.0.0.1", "--port", self.port, "--webui-port", self.web)
        self.address = f"spark://127.0.0.1:{self.port}"
        self.ensure()

    def start(self, name: str, *words: object) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{name.rpartition('.')[2]}.log").open("ab")
        command = [self.program, name, *map(str, words)]
        return subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)

    def ensure(self) -> None:
        """Waits until both workers live; starts one again that was killed."""
        for number in range(2):
            if number < len(self.workers) and self.workers[number].poll() is None:
                continue
            place = self.folder / f"worker-{number}"
            words = ["--host", "127.0.0.1", "-c", 1, "-m", "1g", "-d", place, "--webui-port", 0, self.address]
            self.workers[number : number + 1] = [self.start("org.apache.spark.deploy.worker.Worker", *words)]
        end = time.monotonic() + 120
        while time.monotonic() < end:
            with contextlib.suppress(OSError, ValueError):
                with urllib.request.urlopen(f"http://127.0.0.1:{self.web}/json/", timeout=5) as answer:
                    state = json.load(answer)
                # A job that was killed holds its cores until the master notices.
                if sum(w["state"] == "ALIVE" for w in state["workers"]) >= 2 and not state["activeapps"]:
                    return
            time.sleep(0.5)
        sys.exit(f"error: the cluster does not start; its log is in {self.folder}.")

    def processes(self) -> dict[int, str]:
        return {number: line for worker in self.workers for number, line in descendants(worker.pid).items()}

    def stop(self) -> None:
        ours = self.processes()
        for process in [*self.workers, self.master]:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for number in ours:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


def victim(cluster: Cluster, kind: str) -> int | None:
    """The number of a process of a kind that works now."""
    if kind == "worker":
        return cluster.workers[0].pid
    processes = cluster.processes()
    if kind == "executor":
        return next((number for number, line in processes.items() if "CoarseGrainedExecutorBackend" in line), None)
    if kind == "sightline":
        return next((number for number, line in processes.items() if "--stdin-format frames" in line), None)
    # A Python worker is a child of Spark's daemon, and the parent of a sightline process.
    for number, line in processes.items():
        if "pyspark.daemon" in line and any("--stdin-format" in below for below in descendants(number).values()):
            parent = int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
            if "pyspark.daemon" in processes.get(parent, ""):
                return number
    return None


def job(options: argparse.Namespace, cluster: Cluster, source: Path, output: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "sightline_spark", "detect", str(source), str(output), "--keep-going"]
    command += ["--program", options.sightline, "--master", cluster.address, "--verbose"]
    command += ["--conf", "spark.executor.memory=600m", "--conf", "spark.driver.host=127.0.0.1"]
    environment = {**cluster.environment, "PYTHONPATH": f"{ROOT / 'Spark'}:{ROOT / 'Python'}"}
    log = (cluster.folder / "job.log").open("ab")
    return subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)


def parts(output: Path) -> int:
    return len(list(output.glob("chunk=*/part-*.parquet")))


def run(
    options: argparse.Namespace, cluster: Cluster, source: Path, output: Path, kind: str
) -> tuple[int, float, str | None]:
    """Runs a job, kills processes of a kind in the middle, and returns how many, the seconds, and what failed."""
    start, kills = time.monotonic(), 0
    process = job(options, cluster, source, output)
    wanted = [] if kind == "nothing" else [6] if kind in ("driver", "worker") else [6, 14]
    while process.poll() is None and time.monotonic() < start + LIMIT:
        if wanted and parts(output) >= wanted[0]:
            number = process.pid if kind == "driver" else victim(cluster, kind)
            if number:
                os.kill(number, signal.SIGKILL)
                kills += 1
                wanted.pop(0)
                if kind == "driver":
                    process.wait()
                    process = job(options, cluster, source, output)
        time.sleep(0.1)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        return kills, time.monotonic() - start, "the job hangs"
    return kills, time.monotonic() - start, None if process.returncode == 0 else f"exit code {process.returncode}"


def plain(options: argparse.Namespace, source: Path, log: TextIO) -> list[Any]:
    """The rows of the plain command, without times."""
    paths = "".join(f"{path}\n" for path in sorted(source.iterdir()))
    command = [options.sightline, "detect", "--stdin", "--threads", "1", "--workers", "2", "--keep-going"]
    done = subprocess.run(command, input=paths, stdout=subprocess.PIPE, stderr=log, text=True, check=True)
    return [normal(json.loads(line)) for line in done.stdout.splitlines()]


def rows(output: Path) -> list[Any]:
    """The rows of a table in the same form."""
    import pyarrow.dataset

    table = pyarrow.dataset.dataset(str(output), format="parquet", partitioning="hive").to_table().to_pylist()
    for row in table:
        row["image"] = row.pop("path")
        for name in ("chunk", "model", "model_sha256", "sightline"):
            row.pop(name)
    return sorted((normal(row) for row in table), key=lambda row: row["image"])


def normal(row: Any) -> Any:
    """Without times and without fields that have no value."""
    if isinstance(row, dict):
        return {name: normal(value) for name, value in row.items() if value is not None and name != "milliseconds"}
    return [normal(value) for value in row] if isinstance(row, list) else row


def prepare(options: argparse.Namespace, source: Path) -> None:
    """Links pictures, and writes damaged ones between them."""
    source.mkdir()
    files = sorted(path for path in options.pictures.iterdir() if path.suffix in (".jpg", ".jpeg", ".png", ".webp"))
    first = source / "0.jpg"
    shutil.copyfile(files[0], first)
    copies = [first]
    for number in range(1, min(len(files), options.count)):
        copies.append(source / f"{number}.jpg")
        shutil.copyfile(files[number], copies[-1])
    for number in range(len(copies), options.count):
        os.link(copies[number % len(copies)], source / f"{number}.jpg")
    whole = first.read_bytes()
    damaged = {
        "cut": whole[: len(whole) // 2],
        "empty": b"",
        "noise": os.urandom(50_000),
        "text": b"hello",
        "zeros": bytes(1 << 20),
    }
    for number in range(3):
        for name, content in damaged.items():
            (source / f"{number * 100 + 50}-{name}.jpg").write_bytes(content)


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    kinds = list(NAMES)
    parser.add_argument("--sightline", required=True)
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--only", nargs="*", choices=kinds, default=kinds)
    options = parser.parse_args(words)
    folder = Path(tempfile.mkdtemp(prefix="sightline-check-spark-"))
    cluster, failed = None, False
    try:
        source = folder / "pictures"
        prepare(options, source)
        with (folder / "plain.log").open("w") as log:
            expected = sorted(plain(options, source, log), key=lambda row: row["image"])
        cluster = Cluster(sys.executable, folder)
        print(f"{len(expected)} pictures, {sum('error' in row for row in expected)} of them damaged, two workers")
        print("| killed -9 in mid-job | kills | seconds | rows | distinct | as the plain command |")
        print("|---|--:|--:|--:|--:|---|", flush=True)
        for kind in options.only:
            cluster.ensure()
            output = folder / f"out-{kind}"
            kills, seconds, problem = run(options, cluster, source, output, kind)
            found = rows(output) if parts(output) else []
            distinct = len({row["image"] for row in found})
            if problem is None and found != expected:
                differing = [(a, b) for a, b in zip(expected, found) if a != b]
                problem = f"{len(differing)} rows differ, first: {differing[:1]}"
            if problem is None and kills == 0 and kind != "nothing":
                problem = "nothing was killed: give more pictures with --count"
            failed |= problem is not None
            name = NAMES[kind]
            print(
                f"| {name} | {kills} | {seconds:.0f} | {len(found)} | {distinct} | {problem or 'equal'} |", flush=True
            )
        cluster.ensure()
        left = [line for line in cluster.processes().values() if "--stdin-format" in line]
        if left:
            failed = True
            print(f"error: {len(left)} processes are left: {left[0]}", file=sys.stderr)
    finally:
        if cluster:
            cluster.stop()
        if failed:
            print(f"error: the check failed; its files are in {folder}.", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if failed else 0)
