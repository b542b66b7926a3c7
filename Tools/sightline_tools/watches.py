"""A `sightline watch` of cameras on loopback, for tools."""

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .cameras import Cameras
from .mqtt import Broker

# The whole frame of a video of 720 lines.
ZONE = "0,0 1280,0 1280,720 0,720"


class Watch:
    """A watch of cameras that can be killed."""

    def __init__(
        self,
        executable: str,
        folder: Path,
        cameras: Cameras,
        broker: Broker,
        model: str,
        variables: Mapping[str, str] | None = None,
        log: Path | None = None,
    ) -> None:
        self.executable, self.folder = executable, folder
        self.variables = {**os.environ, **(variables or {})}
        self.process: subprocess.Popen[bytes] | None = None
        self.log = (log or folder / "watch.log").open("ab")
        names = [f'  camera{number}: {{input: "{cameras.address(number)}"}}' for number in range(len(cameras.videos))]
        lines = [
            f"defaults: {{model: {model}, every: 3, motion: true, camera: fixed, zone: {{all: '{ZONE}'}}}}",
            "events: events.jsonl",
            "metrics: metrics.prom",
            f"mqtt: mqtt://127.0.0.1:{broker.port}/watch",
            "queue: queue",
            "cameras:",
            *names,
        ]
        (folder / "cameras.yaml").write_text("\n".join(lines) + "\n")

    def start(self) -> None:
        """Starts the watch."""
        words = [self.executable, "watch", "cameras.yaml"]
        self.process = subprocess.Popen(words, cwd=self.folder, env=self.variables, stdout=self.log, stderr=self.log)

    def kill(self) -> None:
        """Ends the watch at once."""
        assert self.process
        self.process.kill()
        self.process.wait()

    def finish(self) -> int:
        """Asks the watch to end, and returns its exit code."""
        assert self.process
        self.process.terminate()
        return self.process.wait(60)

    @property
    def kilobytes(self) -> int:
        """The resident memory of the watch."""
        assert self.process
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())
        return int(found[1]) if found else 0

    @property
    def metrics(self) -> dict[str, float]:
        """The last numbers that the watch wrote."""
        lines = (self.folder / "metrics.prom").read_text().splitlines()
        return {
            name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        }

    def events(self) -> list[dict[str, object]]:
        """The events in the file."""
        file = self.folder / "events.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def wait(condition: Callable[[], bool], what: str, seconds: float = 180) -> None:
    """Waits until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"waited {seconds} seconds for {what}")
        time.sleep(0.05)


def is_more(count: Callable[[], int], before: int) -> bool:
    """Whether a number has grown."""
    return count() > before


def problems(in_file: Sequence[str], received: Sequence[str]) -> list[str]:
    """The problems with the ids of events in the file and at the subscriber."""
    found = []
    if missing := set(in_file) - set(received):
        found.append(f"{len(missing)} events of the file did not reach the subscriber")
    if missing := set(received) - set(in_file):
        found.append(f"{len(missing)} events of the subscriber are not in the file")
    if doubled := [uid for uid, count in Counter(in_file).items() if count > 1]:
        found.append(f"{len(doubled)} events are in the file more than once")
    return found
