"""Kills a broker of MQTT and the program that sends it events (kill -9) at random moments, and checks that a subscriber
gets each event that the program had accepted, in order, with ids that identify repetitions.

    Scripts/tools kill broker --kills 20 [--seed 1] [--executable .build/debug/EventProbe]

Needs `swift build --product EventProbe` and mosquitto before. The broker and the program are killed in turn, each as
often as the option says. The broker writes its subscriber's session to disk; it is killed only while the subscriber is
connected, since a mosquitto that is killed loses what it holds for others.
"""

import argparse
import datetime
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ..mqtt import Broker, Received, Subscriber
from ..places import add_executable, free_port, temporary_folder


class Publisher:
    """The program that sends events, each time that it runs from the next one on."""

    def __init__(self, executable: str, port: int, folder: Path) -> None:
        self.executable, self.address, self.folder = executable, f"mqtt://127.0.0.1:{port}/kill", folder
        self.accepted: list[int] = []
        self.undelivered: int | None = None
        self.process: subprocess.Popen[str] | None = None
        self.reader: threading.Thread | None = None

    def start(self, count: int = 1_000_000) -> None:
        """Starts the program, which sends some events and ends."""
        # An event that was accepted in the moment of a kill may be unsaid, so that its number is not used again.
        first = (self.accepted[-1] if self.accepted else 0) + 10
        words = [self.executable, self.address, str(self.folder), str(first), str(count), "5"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        """Notes what the program says."""
        assert self.process and self.process.stdout
        for line in self.process.stdout:
            word, _, number = line.strip().partition(" ")
            if word == "published":
                self.accepted.append(int(number))
            elif word == "undelivered":
                self.undelivered = int(number)
            else:
                sys.exit(f"the program said: {line}")

    def kill(self) -> None:
        """Ends the program at once."""
        assert self.process and self.reader
        self.process.kill()
        self.process.wait()
        self.reader.join()

    def finish(self) -> None:
        """Lets the program send some more events and come to its end."""
        self.start(count=20)
        assert self.process and self.reader
        self.process.wait(90)
        self.reader.join()


def wait(condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
    """Waits until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"waited {seconds} seconds for {what}")
        time.sleep(0.005)


def problems(accepted: Sequence[int], messages: Sequence[Received]) -> list[str]:
    """The problems of a subscriber's messages, if these events were accepted."""
    found = []
    events = [message.json for message in messages]
    first = {event["uid"]: event["id"] for event in reversed(events)}
    order = list(dict.fromkeys(event["uid"] for event in events))
    ids = [first[uid] for uid in order]
    if missing := sorted(set(accepted) - set(ids)):
        found.append(f"{len(missing)} events are lost, the first is {missing[0]}")
    if len(ids) != len(set(ids)):
        found.append("an event has two ids")
    if any(event["id"] != first[event["uid"]] for event in events):
        found.append("two events have one id")
    if ids != sorted(ids):
        found.append("events are not in their order")
    return found


def latencies(messages: Sequence[Received]) -> list[float]:
    """The milliseconds from the date of each event to its arrival at the subscriber, sorted."""
    return sorted((m.time - datetime.datetime.fromisoformat(m.json["date"]).timestamp()) * 1000 for m in messages)


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    add_executable(parser, "EventProbe")
    arguments = parser.parse_args(words)
    source = random.Random(arguments.seed)
    with temporary_folder("broker", is_shared=True) as folder:
        broker = Broker(free_port(), folder)
        broker.start()
        subscriber = Subscriber(broker.port, "kill/door/events")
        wait(lambda: subscriber.connections == 1, "the subscriber")
        publisher = Publisher(arguments.executable, broker.port, folder / "queue")
        publisher.start()
        try:
            wait(lambda: len(subscriber.messages) >= 1000, "a thousand events")
            quiet = latencies(subscriber.messages[:1000])
            print(f"1000 events without kills: p50 {quiet[500]:.1f} ms, p99 {quiet[990]:.1f} ms to the subscriber")
            # The broker writes the subscriber's session to disk.
            wait(lambda: (folder / "mosquitto.db").exists(), "the broker's file")
            for kill in range(1, 2 * arguments.kills + 1):
                count = len(subscriber.messages)
                wait(lambda count=count: len(subscriber.messages) > count, "events")  # type: ignore[misc]
                time.sleep(source.uniform(0, 0.4))
                if kill % 2:
                    broker.kill()
                    time.sleep(source.uniform(0, 0.4))
                    connections = subscriber.connections
                    broker.start()
                    wait(lambda count=connections: subscriber.connections > count, "the subscriber")  # type: ignore[misc]
                else:
                    publisher.kill()
                    publisher.start()
                if kill % 10 == 0:
                    print(f"{kill} kills: {len(publisher.accepted)} accepted, {len(subscriber.messages)} received")
            publisher.kill()
            publisher.finish()
            wait(lambda: publisher.accepted[-1] in {m.json["id"] for m in subscriber.messages[-200:]}, "the last event")
        finally:
            if publisher.process:
                publisher.process.kill()
            subscriber.stop()
            broker.kill()
        if publisher.undelivered:
            sys.exit(f"the program says that {publisher.undelivered} events were not delivered")
        if found := problems(publisher.accepted, subscriber.messages):
            sys.exit("; ".join(found))
        repeated = len(subscriber.messages) - len({m.json["uid"] for m in subscriber.messages})
        print(
            f"{arguments.kills} kills of the broker and of the program each: {len(publisher.accepted)} events "
            f"accepted, none lost, {repeated} repeated with the same id."
        )
