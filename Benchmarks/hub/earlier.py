#!/usr/bin/env python3
"""Compares a hub with the hub of a fixed commit, in turns, so that small losses do not add up unseen.

    python3 hub/earlier.py --hub ../.build/release/sightline-hub [--earlier PROGRAM ...] [--rounds 5] [--seconds 5]

Without `--earlier`, the commit 642cd79 is built in `Benchmarks/.build/earlier`, which takes some minutes once. Needs
wrk and git. Everything listens on loopback. The rows have a column for every program, with the ratio to the first:

Start            from exec to the first answer of /healthz, and the processor time until then
DownloadInfo     `:download` of a published model with an API key, over 64 connections: requests a second, and the
                 processor time of the hub for each, which depends little on what else the machine does
Config:Fetch     configuration fetches at 1,000 conditions and 20 seeds: the same
File:4MB         downloads of a 4 MB model: the same
"""

import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import urllib.parse

from hub import FETCH, MODEL, PACKAGE, Hub, command, template

# The commit before the first release's features. It stays the same, since a neighbor hides a slow decline.
COMMIT = "642cd79"


def earlier_program() -> str:
    """The program of the fixed commit."""
    folder = PACKAGE / "Benchmarks/.build/earlier" / COMMIT
    if not folder.exists():
        subprocess.run(["git", "clone", "--quiet", PACKAGE, folder], check=True)
        subprocess.run(["git", "-C", folder, "checkout", "--quiet", COMMIT], check=True)
    subprocess.run(["swift", "build", "-c", "release", "--product", "sightline-hub"], cwd=folder, check=True)
    return str(folder / ".build/release/sightline-hub")


class Contender:
    """A program with a project, a published model and a configuration of its own."""

    def __init__(self, program: str, root: pathlib.Path) -> None:
        self.program, self.folder = program, str(root / "hub")
        root.mkdir()
        command(program, self.folder, "project", "create", "bench-project")
        self.key = command(program, self.folder, "key", "create", "--api-key", "app")
        file = root / "model.tflite"
        file.write_bytes(MODEL + random.Random(1).randbytes(4_000_000 - len(MODEL)))
        command(program, self.folder, "publish", "big", str(file))
        config = root / "config.json"
        config.write_text(template(20))
        command(program, self.folder, "config", "set", str(config), "--force")
        self.script = root / "fetch.lua"
        self.script.write_text(FETCH)
        self.values: dict[str, list[float]] = {}

    def note(self, row: str, value: float) -> None:
        self.values.setdefault(row, []).append(value)

    def start(self) -> None:
        self.hub = Hub(self.program, self.folder)
        self.note("Start, ms", self.hub.start_seconds * 1000)
        self.note("Start, ms of processor time", self.hub.processor_seconds() * 1000)

    def load(self, seconds: int) -> None:
        base = f"http://127.0.0.1:{self.hub.port}"
        path = f"/v1beta2/projects/bench-project/models/big:download?key={self.key}"
        file = json.loads(self.hub.get(path))["downloadUri"]
        file = base + urllib.parse.urlsplit(file).path + "?" + urllib.parse.urlsplit(file).query
        fetch = f"{base}/v1/projects/bench-project/namespaces/firebase:fetch?key={self.key}"
        for row, url, script in [
            ("DownloadInfo", base + path, None),
            ("Config:Fetch", fetch, str(self.script)),
            ("File:4MB", file, None),
        ]:
            rate, _, cost = self.hub.load(url, seconds, script=script)
            self.note(f"{row}, requests/s", rate)
            self.note(f"{row}, µs of processor time", cost)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", default=str(PACKAGE / ".build/release/sightline-hub"))
    parser.add_argument("--earlier", action="append", help="a program to compare with; may be given several times")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    arguments = parser.parse_args()
    programs = [*(arguments.earlier or [earlier_program()]), arguments.hub]
    with tempfile.TemporaryDirectory(prefix="sightline-hub-bench-") as name:
        contenders = [Contender(program, pathlib.Path(name) / str(index)) for index, program in enumerate(programs)]
        for number in range(arguments.rounds):
            # Each goes first as often as the others.
            for index in range(len(contenders)):
                contender = contenders[(number + index) % len(contenders)]
                for _ in range(2):
                    contender.start()
                    contender.hub.stop()
                contender.start()
                contender.load(arguments.seconds)
                contender.hub.stop()
    for program in programs:
        print(f"{program}: {os.path.getsize(program) / 1e6:.0f} MB")
    for row in contenders[0].values:
        medians = [statistics.median(contender.values[row]) for contender in contenders]
        columns = "  ".join(f"{median:9.1f} ({median / medians[0]:4.2f} x)" for median in medians)
        print(f"{row:38} {columns}")


if __name__ == "__main__":
    main()
