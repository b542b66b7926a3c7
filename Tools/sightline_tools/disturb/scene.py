"""Hubs at work, and the fate of their work while something is disturbed."""

import argparse
import collections
import contextlib
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from ..kill.clients import MODEL, Client, Pending, States, digest
from ..kill.place import Hub, Place
from ..places import temporary_folder
from ..programs import Word
from ..servers import PostgreSQL, Storage
from .probe import Probe
from .proxy import Proxy

CLIENTS = 4


class Fleet:
    """The servers that the hubs of a fleet share, behind networks that can fail."""

    def __init__(self, folder: Path, nanio: str) -> None:
        self.database = PostgreSQL(folder / "postgresql")
        self.storage = Storage(folder / "storage", nanio)
        self.database_network, self.storage_network = Proxy(self.database.port), Proxy(self.storage.port)
        self.database.public_port = self.database_network.port
        self.storage.public_port = self.storage_network.port


class Scene:
    """Hubs with clients and probes: a fleet behind networks that can fail, or a single hub in a folder."""

    def __init__(self, arguments: argparse.Namespace, folder: Path, fleet: bool = True) -> None:
        self.arguments, self.folder, self.source = arguments, folder, random.Random(arguments.seed)
        self.states = States()
        self.pending: Pending = {}
        self.confirmed: dict[str, str] = {}
        self.fleet = Fleet(folder, arguments.nanio) if fleet else None
        self.hubs: list[Hub] = []
        self.token = self.api_key = ""

    def add(self, name: str, options: Sequence[Word] = (), variables: Mapping[str, str] | None = None) -> Hub:
        """Starts a hub with its own folder. The first hub makes the project, and publishes a model."""
        data = ["--data", str(self.folder / name)]
        variables = dict(variables or {})
        if self.fleet:
            data += ["--database", self.fleet.database.address, "--blobs", self.fleet.storage.address]
            variables |= self.fleet.storage.variables
        place = Place(self.arguments.executable, data, variables)
        if not self.token:
            self.token = place.make_project()
            self.api_key = place.run("key", "create", "--api-key", "app").strip()
            model = self.folder / "model.tflite"
            model.write_bytes(MODEL + bytes(200_000))
            place.run("publish", Probe.PUBLISHED, str(model))
            self.states.settle(Probe.PUBLISHED, (digest(model.read_bytes()), True, None))
        hub = Hub(place, self.token, options=["--rate-limit", "0", *options])
        hub.start()
        self.hubs.append(hub)
        return hub

    def disturb(
        self,
        name: str,
        seconds: float,
        begin: Callable[[], object],
        end: Callable[[], list[str] | None],
        calm: float = 1.0,
    ) -> bool:
        """Lets clients work, disturbs them for some seconds, and reports; returns whether all is as it must be."""
        workers = [self.client(number) for number in range(CLIENTS)]
        asking = [Probe(hub, self.api_key, number, self.confirmed) for number, hub in enumerate(self.hubs)]
        threads: list[Client | Probe] = [*workers, *asking]
        for thread in threads:
            thread.start()
        time.sleep(calm)
        begin()
        time.sleep(seconds)
        problems = end() or []
        recovery = max(hub.recover(60) for hub in self.hubs)
        time.sleep(calm)
        for thread in threads:
            thread.stopping.set()
        for thread in threads:
            thread.join(timeout=90)
        in_doubt = self.states.in_doubt
        problems += [f"{thread} hangs" for thread in threads if thread.is_alive()]
        problems += [f"client {worker.number}: {worker.problem}" for worker in workers if worker.problem]
        problems += [f"hub {number} ended" for number, hub in enumerate(self.hubs) if not hub.is_running]
        for hub, one in zip(self.hubs, asking):
            problems += one.check_all() + self.states.compare(hub)
        problems += self.hubs[0].place.problems()
        answers = sum((one.answers for one in asking), collections.Counter())
        text = ", ".join(f"{count} × {kind}" for kind, count in sorted(answers.items()))
        print(
            f"{name}: {text}, slowest {max(one.slowest for one in asking):.1f} s; ready after {recovery:.1f} s;"
            f" {self.states.alive} models whole, {in_doubt} requests were cut off",
            flush=True,
        )
        for problem in problems[:10]:
            print(f"  PROBLEM: {problem}", flush=True)
        return not problems

    def client(self, number: int) -> Client:
        hub, seed = self.source.choice(self.hubs), self.source.random()
        return Client(hub, number, self.states, self.pending, random.Random(seed))

    def stop(self) -> None:
        for hub in self.hubs:
            hub.kill()
        if self.fleet:
            self.fleet.database.kill()
            self.fleet.storage.kill()


@contextlib.contextmanager
def fleet_scene(arguments: argparse.Namespace) -> Iterator[tuple[Scene, Fleet]]:
    """A scene of a fleet, with what its hubs share."""
    with scene(arguments) as stage:
        assert stage.fleet is not None
        yield stage, stage.fleet


@contextlib.contextmanager
def scene(arguments: argparse.Namespace, fleet: bool = True) -> Iterator[Scene]:
    """A scene in a temporary folder that goes with it."""
    with temporary_folder("disturb", is_shared=fleet) as folder:
        stage = Scene(arguments, folder, fleet)
        try:
            yield stage
        finally:
            stage.stop()
