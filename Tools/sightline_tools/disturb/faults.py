"""The faults around hubs, other than their end: each function is a scenario, and returns whether all went well."""

import argparse
import functools
import subprocess
import sys
from pathlib import Path

from .probe import Probe
from .scene import fleet_scene, scene


def network(arguments: argparse.Namespace) -> bool:
    """The network to the database, and then to the storage, is cut and stalls, for a short and for a longer time."""
    with fleet_scene(arguments) as (stage, fleet):
        stage.add("one")
        stage.add("two")
        ok = True
        for name, line in [("database", fleet.database_network), ("storage", fleet.storage_network)]:
            for way, seconds in [("cut", 3), ("stall", 5), ("stall", 25)]:
                ok &= stage.disturb(
                    f"network to the {name}: {way}, {seconds} s",
                    seconds,
                    begin=functools.partial(line.set, way),
                    end=functools.partial(line.set, "pass"),
                )
        return ok


def storage(arguments: argparse.Namespace) -> bool:
    """The storage answers 500 or 503, or is very slow."""
    with fleet_scene(arguments) as (stage, fleet):
        stage.add("one")
        stage.add("two")
        ok = True
        for way, seconds in [("500", 5), ("503", 5), ("slow", 20)]:
            ok &= stage.disturb(
                f"storage: {way}, {seconds} s",
                seconds,
                begin=functools.partial(fleet.storage_network.set, way),
                end=functools.partial(fleet.storage_network.set, "pass"),
            )
        return ok


class Disk:
    """A small disk in memory, which a file can fill."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(self.folder)])
        if done.returncode:
            sys.exit(
                "A small disk cannot be mounted; run this scenario as root, or with `unshare --map-root-user --mount`."
            )

    def fill(self) -> None:
        with (self.folder / "filler").open("wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError:
                    pass

    def free(self) -> None:
        (self.folder / "filler").unlink()

    def __enter__(self) -> "Disk":
        return self

    def __exit__(self, *error: object) -> None:
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True)


def disk(arguments: argparse.Namespace) -> bool:
    """The disk of the copies of a fleet's hub, and the disk of a single hub's records and files, are full."""
    with scene(arguments) as stage, Disk(stage.folder / "cache", 16) as small:
        stage.add("one", options=["--cache", str(small.folder)])
        ok = stage.disturb("full disk of the copies, 5 s", 5, small.fill, small.free)
    with scene(arguments, fleet=False) as stage, Disk(stage.folder / "one", 200) as small:
        hub = stage.add("one")
        ok &= stage.disturb("full disk of a single hub, 8 s", 8, small.fill, small.free)
        small.fill()
        hub.kill()
        hub.start()
        ok &= stage.disturb("start on a full disk", 3, lambda: None, small.free, calm=0)
    return ok


def files(arguments: argparse.Namespace) -> bool:
    """A hub may open few files, and clients ask for many at once."""
    with scene(arguments, fleet=False) as stage:
        hub = stage.add("one")
        hub.kill()
        shell = stage.folder / "few-files"
        shell.write_text(f'#!/bin/sh\nulimit -n 200\nexec {arguments.executable} "$@"\n')
        shell.chmod(0o755)
        hub.place.executable = str(shell)
        hub.start()
        crowd = [Probe(hub, stage.api_key, number, stage.confirmed) for number in range(1, 80)]

        def begin() -> None:
            for one in crowd:
                one.start()

        def end() -> list[str]:
            for one in crowd:
                one.stopping.set()
            for one in crowd:
                one.join(timeout=60)
            return [problem for one in crowd for problem in one.problems]

        ok = stage.disturb("few open files, 80 clients, 8 s", 8, begin, end)
        hub.place.executable = arguments.executable
        return ok


def upgrade(arguments: argparse.Namespace) -> bool:
    """A hub of a later version adds columns to the tables while hubs of this version serve. The scenario does what such
    a hub would do to the database: it executes a migration, in one transaction."""
    with fleet_scene(arguments) as (stage, fleet):
        stage.add("one")
        stage.add("two")
        tables = ["project", "credential", "model", "version", "object", "upload", "configTemplate", "evaluation"]
        columns = "".join(f"ALTER TABLE {table} ADD COLUMN later TEXT; " for table in tables)
        migration = f"BEGIN; {columns} COMMIT"
        ok = stage.disturb("upgrade of the tables", 3, lambda: fleet.database.execute(migration), lambda: None)
        fleet.database.execute("INSERT INTO migration VALUES ('1000.0.0')")
        hub = stage.hubs[1]
        hub.kill()
        done = subprocess.run(
            [hub.place.executable, "serve", *hub.place.options, "--port", "0"],
            capture_output=True,
            text=True,
            timeout=60,
            env=hub.place.environment,
        )
        refused = done.returncode != 0 and "newer hub" in done.stderr + done.stdout
        print(f"a hub of this version {'refuses to start' if refused else 'STARTS'} with the later tables", flush=True)
        return ok and refused
