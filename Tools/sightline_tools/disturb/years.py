"""A single hub whose clock is wrong by a year, or passes the end of 32-bit time."""

import argparse
import email.utils
import hashlib
import json
import time
import urllib.parse
from datetime import datetime
from pathlib import Path

from ..clocks import Clock
from ..kill.clients import MODEL
from ..kill.place import MODELS, Hub
from ..waiting import until
from .clock import HOUR
from .scene import Scene, scene

YEAR = 365 * 24 * HOUR
# 19 January 2038, 03:14:07 UTC.
END_OF_32_BITS = 2**31 - 1
NAME = "years"


def years(arguments: argparse.Namespace) -> bool:
    """Publishes, signs and downloads while the clock is wrong and after it was set right; nothing may be stuck."""
    with scene(arguments, fleet=False) as stage:
        clock = Clock(stage.folder)
        hub = stage.add("one", variables=clock.variables)
        hub.place.run("key", "create", "--signing", "owner")
        work = Work(stage, hub, clock)
        problems = work.once()
        for name, seconds in [("an hour behind", -HOUR), ("a year ahead", YEAR), ("a year behind", -YEAR)]:
            work.turn(seconds)
            found = work.once()
            work.turn(0)
            found += work.once() + hub.place.problems()
            problems += report(f"the clock of a hub is {name}, and right again", found)
        problems += report("the hub starts with a clock a year ahead, and again with the right one", restarts(work))
        work.turn(int(END_OF_32_BITS - time.time()) - 5)
        found = work.once()
        until(lambda: work.hub_time() > END_OF_32_BITS + 1)
        found += work.once() + hub.place.problems()
        problems += report("the clock of a hub passes the end of 32-bit time", found)
        hub.kill()
        hub.start()
        problems += report("the hub starts after that time", work.once())
        work.turn(0)
        problems += report("and its clock is right again", work.once())
        return not problems


def restarts(work: "Work") -> list[str]:
    """Lets a hub sign again at its start with a wrong clock, and then with the right one; returns the problems."""
    for seconds in (YEAR, 0):
        work.turn(seconds)
        work.hub.kill()
        work.hub.start()
        # It signs soon after the start.
        until(lambda: not work.manifest())
    return work.manifest()


def report(name: str, problems: list[str]) -> list[str]:
    """Prints the outcome of a step."""
    print(f"{name}: {'; '.join(problems) or 'all as it must be'}", flush=True)
    return problems


class Work:
    """The work of a publisher and of an app."""

    def __init__(self, stage: Scene, hub: Hub, clock: Clock) -> None:
        self.stage, self.hub, self.clock, self.version, self.serial = stage, hub, clock, 0, 0

    def turn(self, seconds: int) -> None:
        """Sets the clock of the hub, and waits until its answers have that date, which changes each second."""
        self.clock.set(seconds)
        until(lambda: abs(self.hub_time() - time.time() - seconds) < 3)

    def hub_time(self) -> float:
        """The time of the hub in seconds since 1970."""
        fields = self.hub.request("GET", "/healthz")[2]
        return email.utils.parsedate_to_datetime(fields["Date"]).timestamp()

    def once(self) -> list[str]:
        """Publishes another version, and downloads it with its manifest; returns the problems."""
        self.version += 1
        file = self.stage.folder / f"{NAME}{self.version}.tflite"
        file.write_bytes(MODEL + bytes(self.version))
        self.hub.place.run("publish", NAME, file)
        problems = []
        status, data, _ = self.hub.request("GET", f"{MODELS}/{NAME}:download", more=self.key)
        if status != 200:
            return [f"version {self.version}: the description was answered with {status}: {data[:200]!r}"]
        reply = json.loads(data)
        now = self.hub_time()
        lifetime = datetime.fromisoformat(reply["expireTime"]).timestamp() - now
        if abs(lifetime - HOUR) > 30:
            problems.append(f"version {self.version}: an address is valid for {lifetime:.0f} s")
        address = urllib.parse.urlsplit(reply["downloadUri"])
        status, data, _ = self.hub.request("GET", f"{address.path}?{address.query}")
        if status != 200 or hashlib.sha256(data).digest() != digest(file):
            problems.append(f"version {self.version}: the file was answered with {status}")
        return problems + self.manifest()

    @property
    def key(self) -> dict[str, str]:
        """The headers of an app."""
        return {"X-Goog-Api-Key": self.stage.api_key, "Authorization": ""}

    def manifest(self) -> list[str]:
        """The problems of the manifest that an app gets."""
        now, key = self.hub_time(), self.key
        status, data, _ = self.hub.request("GET", f"{MODELS}/{NAME}:manifest", more=key)
        if status != 200:
            return [f"version {self.version}: the manifest was answered with {status}"]
        lines = [line.partition(" ") for line in data.decode().splitlines()]
        fields = {name: value for name, _, value in lines}
        problems = []
        issued, expires = (datetime.fromisoformat(fields[name]).timestamp() for name in ("issued", "expires"))
        if not issued <= now + 5 or now > expires:
            problems.append(f"version {self.version}: the manifest is valid from {issued - now:+.0f} s")
        if int(fields["serial"]) < self.serial:
            problems.append(f"version {self.version}: the number of the manifest fell")
        self.serial = int(fields["serial"])
        return problems


def digest(file: Path) -> bytes:
    """The SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).digest()
