"""Fills the disk under `sightline watch`, and turns its clock, and checks that each event reached a subscriber once.

    Scripts/tools disturb watch --model MODEL VIDEO… [--rounds 3] [--executable .build/release/sightline]

The videos are played as RTSP cameras (see sightline_tools/cameras.py for what that needs). In each round the disk of
the watch's files and queue is full for some seconds, with and without its broker, and then its clock jumps an hour
ahead and back. The small disk needs root, or `unshare --map-root-user --mount`; the clock needs a C compiler.
"""

import argparse
import datetime
import functools
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ..cameras import Cameras
from ..clocks import Clock
from ..mqtt import Broker, Subscriber
from ..places import add_executable, free_port, temporary_folder
from ..watches import Watch, is_more, problems, wait
from .clock import HOUR
from .faults import Disk

FULL_SECONDS = 6.0


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("videos", nargs="+", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--model", required=True, type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--rounds", type=int, default=3)
    add_executable(parser, "sightline")
    arguments = parser.parse_args(words)
    with temporary_folder("watch", is_shared=True) as folder, Disk(folder / "disk", 4) as disk:
        clock = Clock(folder)
        broker = Broker(free_port(), folder)
        broker.start()
        subscriber = Subscriber(broker.port, "watch/+/events")
        cameras = Cameras(free_port(), arguments.videos)
        cameras.start()
        log = folder / "watch.log"
        watch = Watch(arguments.executable, disk.folder, cameras, broker, arguments.model, clock.variables, log)
        watch.start()
        try:
            wait(lambda: len(subscriber.messages) >= 4, "the first events")
            for number in range(arguments.rounds):
                fill(disk, watch, subscriber)
                fill(disk, watch, subscriber, broker)
                turn(clock, subscriber)
                count = len(subscriber.messages)
                print(f"round {number + 1}: {len(watch.events())} events in the file, {count} received", flush=True)
            code = watch.finish()
            if code != 143:
                sys.exit(f"the watch ended with {code}; its words:\n{log.read_text()}")
            uids = [str(event["uid"]) for event in watch.events()]
            wait(lambda: set(uids) <= {m.json["uid"] for m in subscriber.messages}, "the last events", 20)
        finally:
            if watch.process:
                watch.process.kill()
            watch.log.close()
            cameras.kill()
            subscriber.stop()
            broker.kill()
        seen = [str(message.json["uid"]) for message in subscriber.messages]
        if found := problems(uids, seen):
            sys.exit("; ".join(found) + f"; the words of the watch:\n{log.read_text()}")
        print(
            f"{arguments.rounds} rounds with a full disk, a full disk without a broker, and a clock that jumped: "
            f"{len(uids)} events, none lost, each once in the file; the subscriber got {len(seen) - len(set(seen))} "
            "again, with the same id."
        )


def more_events(subscriber: Subscriber, seconds: float = 90) -> None:
    """Waits for further events."""
    before = len(subscriber.messages)
    wait(lambda: len(subscriber.messages) > before, "further events", seconds)


def fill(disk: Disk, watch: Watch, subscriber: Subscriber, broker: Broker | None = None) -> None:
    """The disk is full for some seconds; with a broker, that is away meanwhile."""
    if broker:
        broker.kill()
    disk.fill()
    time.sleep(FULL_SECONDS)
    connections = subscriber.connections
    if broker:
        broker.start()
        wait(functools.partial(is_more, lambda: subscriber.connections, connections), "the subscriber")
    time.sleep(1)
    disk.free()
    more_events(subscriber)
    assert watch.process and watch.process.poll() is None, "the watch ended"


def turn(clock: Clock, subscriber: Subscriber) -> None:
    """The clock jumps an hour ahead and back. Events have its time, and continue."""
    for seconds in (HOUR, 0):
        clock.set(seconds)
        time.sleep(2)
        more_events(subscriber)
        date = datetime.datetime.fromisoformat(str(subscriber.messages[-1].json["date"]))
        difference = (date - datetime.datetime.now(datetime.UTC)).total_seconds()
        if abs(difference - seconds) > 60:
            sys.exit(f"an event has a date {difference:+.0f} s from the clock of this machine, with {seconds:+d} s set")
