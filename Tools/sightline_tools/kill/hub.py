"""Kills hubs (kill -9) at random moments while clients create, upload, change, publish and delete models, and checks
after each kill that nothing is lost or torn: `sightline hub verify` finds nothing wrong, uploads in pieces continue
where they were, and every model is what it was before the request that was under way, or what that request would have
made of it, with the bytes that its hash says.

    Scripts/tools kill hub --kills 200 [--seed 1] [--executable .build/debug/sightline-hub]
    Scripts/tools kill hub --kills 200 --fleet [--hubs 2] [--nanio PROGRAM]

With --fleet, several hubs share PostgreSQL and a server of S3's protocol (nanio, from PyPI). A kill hits a hub, or one
of those servers, which starts again; the hubs must then answer 503 with Retry-After, and recover without a restart.

Needs the LiteRT library, since models are verified before they are published. Prints a line for every 20 kills.
"""

import argparse
import collections
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ..places import add_executable, temporary_folder
from ..programs import Word
from ..servers import PostgreSQL, Storage
from .clients import Client, Pending, States
from .place import Hub, Place

CLIENTS = 4


class Scene:
    """The hubs, what they share, and what the models must be."""

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self.source = random.Random(arguments.seed)
        self.states = States()
        self.pending: Pending = {}
        self.resumed = self.in_doubt = 0
        self.slowest_recovery = 0.0
        self.victims: collections.Counter[str] = collections.Counter()
        self.database = PostgreSQL(folder / "postgresql") if arguments.fleet else None
        self.storage = Storage(folder / "storage", arguments.nanio) if arguments.fleet else None
        self.shared: dict[str, PostgreSQL | Storage] = {}
        if self.database and self.storage:
            self.shared = {"PostgreSQL": self.database, "storage": self.storage}
        places = [self.place(arguments.executable, folder / f"hub{number}") for number in range(arguments.hubs)]
        token = places[0].make_project()
        self.hubs = [Hub(place, token) for place in places]

    def place(self, executable: str, folder: Path) -> Place:
        if not self.database or not self.storage:
            return Place(executable, ["--data", folder])
        options: list[Word] = ["--database", self.database.address, "--blobs", self.storage.address, "--data", folder]
        return Place(executable, options, self.storage.variables)

    def round(self) -> list[str]:
        """Lets clients work, kills something, and returns the problems."""
        for hub in self.hubs:
            if not hub.is_running:
                hub.start()
        self.resumed += len(self.pending)
        clients = [self.client(number) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        time.sleep(self.source.uniform(0.01, 0.6))
        self.kill()
        for client in clients:
            client.stopping.set()
        for client in clients:
            client.join(timeout=60)
        self.in_doubt += self.states.in_doubt
        problems = [str(client.problem) for client in clients if client.problem]
        problems += [f"client {client.number} hangs" for client in clients if client.is_alive()]
        return problems or self.hubs[0].place.problems() or self.compare()

    def client(self, number: int) -> Client:
        hub, seed = self.source.choice(self.hubs), self.source.random()
        return Client(hub, number, self.states, self.pending, random.Random(seed))

    def kill(self) -> None:
        # Hubs are killed more often than what they share.
        kinds = ["hub", "hub", "hub", *self.shared] if self.shared else ["hub"]
        victim = self.source.choice(kinds)
        self.victims[victim] += 1
        if victim == "hub":
            self.source.choice(self.hubs).kill()
            if len(self.hubs) > 1:
                time.sleep(self.source.uniform(0, 0.3))  # the others continue
            return
        server = self.shared[victim]
        server.kill()
        time.sleep(self.source.uniform(0, 1))
        server.start()
        for hub in self.hubs:
            self.slowest_recovery = max(self.slowest_recovery, hub.recover())

    def compare(self) -> list[str]:
        """Compares the state of each hub with the expected one."""
        problems = []
        for hub in self.hubs:
            if not hub.is_running:
                hub.start()
            problems += self.states.compare(hub)
        return problems

    def stop(self) -> None:
        for hub in self.hubs:
            hub.kill()
        for server in self.shared.values():
            server.kill()


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    add_executable(parser, "sightline-hub")
    parser.add_argument("--fleet", action="store_true", help="several hubs over PostgreSQL and S3's protocol")
    parser.add_argument("--hubs", type=int, help="the number of hubs of a fleet (default: 2)")
    parser.add_argument("--nanio", default="nanio", help="the program nanio")
    arguments = parser.parse_args(words)
    if arguments.hubs and not arguments.fleet:
        parser.error("only a fleet has several hubs; add --fleet")
    arguments.hubs = (arguments.hubs or 2) if arguments.fleet else 1
    with temporary_folder("kill", is_shared=arguments.fleet) as folder:
        scene = Scene(arguments, folder)
        try:
            for kill in range(1, arguments.kills + 1):
                problems = scene.round()
                if problems:
                    sys.exit(f"after kill {kill} (seed {arguments.seed}):\n" + "\n".join(problems))
                if kill % 20 == 0 or kill == arguments.kills:
                    report(kill, scene)
        finally:
            scene.stop()


def report(kill: int, scene: Scene) -> None:
    line = (
        f"{kill} kills: {scene.states.alive} models whole, {scene.in_doubt} requests were cut off so far, "
        f"{scene.resumed} uploads continued"
    )
    if scene.shared:
        victims = ", ".join(f"{count} of {name}" for name, count in sorted(scene.victims.items()))
        line += f"; {victims}; hubs recovered within {scene.slowest_recovery:.1f} s"
    print(line, flush=True)
