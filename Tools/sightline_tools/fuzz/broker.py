"""Answers a program that sends events as a broker of MQTT that lies, and checks that the program never crashes, hangs
or swallows memory, and that an honest broker gets each event afterward.

    Scripts/tools fuzz broker                              # 1,000 connections of both versions
    Scripts/tools fuzz broker --count 20000 --seed 7 --probe .build/release/EventProbe

Needs `swift build --product EventProbe` before. On each connection, one of the broker's packets is damaged, or of a
kind that the program does not expect. The exit status is 1 if there were offenders, which are kept in the folder that
--keep names, with what the program said.
"""

import argparse
import collections
import contextlib
import functools
import json
import random
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from ..children import limits
from ..mqtt import CONNECT, PUBACK, PUBLISH, SUBACK, SUBSCRIBE, packet, read_packet, text
from ..places import ROOT, debug_program, temporary_folder
from ..programs import Word, peak_megabytes
from .damage import Damage, File, flip_bits, mutant, remove, repeat, splice, truncate

CONNACK, PUBREC, PUBREL, PUBCOMP, UNSUBACK, PINGREQ, PINGRESP, DISCONNECT, AUTH = 2, 5, 6, 7, 11, 12, 13, 14, 15
TOPIC = "homeassistant/sensor/sightline_door/x/config"
KINDS: dict[str, tuple[Damage, int]] = {
    "whole": (lambda _rng, _data, _files: None, 4),
    "bits": (flip_bits([1, 2, 8]), 6),
    "splice": (splice([1, 2, 4, 16]), 3),
    "remove": (remove([1, 2, 4, 16]), 2),
    "repeat": (repeat, 2),
    "truncate": (truncate, 2),
}
# Events of one run of the program, and the pause between them in milliseconds.
EVENTS, PAUSE = 150, 20


@functools.cache
def others(version: int) -> list[File]:
    """Packets of all kinds that a broker sends, for the message with the number 1 if they have one."""
    number = bytes([0, 1])
    properties = bytes([0]) if version == 5 else b""
    long = text(TOPIC + "x" * 60000) + properties + b"{}"
    many = (packet(PUBLISH, 1, text(f"{TOPIC}{topic:02000}") + properties + b"{}") for topic in range(20000))
    packets = {
        "CONNACK": packet(CONNACK, 0, bytes([0, 0]) + properties),
        "CONNACK with limits": packet(CONNACK, 0, bytes([0, 0, 8, 0x21, 0, 1, 0x27, 0, 0, 0, 9])),
        "CONNACK that refuses": packet(CONNACK, 0, bytes([0, 135 if version == 5 else 5]) + properties),
        "PUBACK": packet(PUBACK, 0, number),
        "PUBACK that refuses": packet(PUBACK, 0, number + bytes([151, 0])),
        "PUBREC": packet(PUBREC, 0, number),
        "PUBREL": packet(PUBREL, 2, number),
        "PUBCOMP": packet(PUBCOMP, 0, number),
        "SUBACK": packet(SUBACK, 0, number + properties + bytes([0])),
        "UNSUBACK": packet(UNSUBACK, 0, number + properties),
        "PINGREQ": packet(PINGREQ, 0, b""),
        "PINGRESP": packet(PINGRESP, 0, b""),
        "DISCONNECT": packet(DISCONNECT, 0, bytes([142, 0]) if version == 5 else b""),
        "AUTH": packet(AUTH, 0, bytes([24, 0])),
        "PUBLISH": packet(PUBLISH, 1, text(TOPIC) + properties + b"{}"),
        "PUBLISH, QoS 1": packet(PUBLISH, 3, text(TOPIC) + number + properties + b"{}"),
        "PUBLISH, QoS 2": packet(PUBLISH, 5, text(TOPIC) + number + properties + b"{}"),
        "PUBLISH without a topic": packet(PUBLISH, 1, text("") + properties + b"{}"),
        "PUBLISH with wildcards": packet(PUBLISH, 1, text("homeassistant/#") + properties + b"{}"),
        "PUBLISH with a long topic": packet(PUBLISH, 1, long),
        "PUBLISH of many topics": b"".join(many),
        "PUBLISH, announced only": packet(PUBLISH, 1, long)[:1] + b"\xff\xff\xff\x7f" + long,
    }
    return [File(name, data) for name, data in packets.items()]


class LyingBroker:
    """A broker on loopback that damages one packet of each connection until it becomes honest."""

    def __init__(self, version: int, seed: str, first: int) -> None:
        self.version, self.seed, self.index = version, seed, first
        self.is_honest = False
        # The objects of the events that came, and the mutants that were sent.
        self.seen: set[int] = set()
        self.sent: list[str] = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        """Answers connections, one after the other."""
        while True:
            try:
                connection = self.socket.accept()[0]
            except OSError:
                return
            with connection, contextlib.suppress(OSError, EOFError):
                self.answer(connection)

    def answer(self, connection: socket.socket) -> None:
        """Answers a connection until the program closes it, or, if it was lied to, falls silent."""
        lies = not self.is_honest
        rng = random.Random(f"{self.seed}:{self.index}:place")
        place = rng.choice([0, 1, 2, 3, 4, 5, 8, 12])
        if lies:
            connection.settimeout(0.3)
        stream = connection.makefile("rb")
        for turn in range(place + 5) if lies else iter(int, 1):
            kind, _, body = read_packet(stream)
            number = self.number(kind, body)
            reply = self.reply(kind, number)
            if lies and turn == place:
                made = mutant(self.seed, self.index, [File("answer", reply or b"\0"), *others(self.version)], KINDS)
                self.sent.append(f"{self.index}: {made.kind} of {made.name}")
                self.index += 1
                reply = made.data
            connection.sendall(reply)

    def number(self, kind: int, body: bytes) -> bytes:
        """The number of a message of the program, or 1. Notes which event it has."""
        if kind != PUBLISH:
            return body[:2] if kind == SUBSCRIBE else bytes([0, 1])
        size = int.from_bytes(body[:2])
        topic, number, payload = body[2 : 2 + size], body[2 + size : 4 + size], body[4 + size :]
        if topic.endswith(b"/events"):
            # Version 5 has properties in front.
            self.seen.add(json.loads(payload[payload.index(b"{") :])["id"])
        return number

    def reply(self, kind: int, number: bytes) -> bytes:
        """The packet with which an honest broker answers."""
        properties = bytes([0]) if self.version == 5 else b""
        return {
            CONNECT: packet(CONNACK, 0, bytes([0, 0]) + properties),
            PUBLISH: packet(PUBACK, 0, number),
            SUBSCRIBE: packet(SUBACK, 0, number + properties + bytes([0])),
            PINGREQ: packet(PINGRESP, 0, b""),
        }.get(kind, b"")


def offense(probe: Path, broker: LyingBroker, megabytes: int, folder: Path) -> tuple[str, int]:
    """The fault of the program in one run, or nothing, and the megabytes that it had."""
    query = "?version=5" if broker.version == 5 else ""
    words: list[Word] = [probe, f"mqtt://127.0.0.1:{broker.port}/fuzz{query}", folder / "queue"]
    with (folder / "stderr").open("wb") as errors:
        program = subprocess.Popen(
            [*words, "1", str(EVENTS), str(PAUSE)],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            preexec_fn=limits(0),
        )
    assert program.stdout
    peak, undelivered = 0, None
    timer = threading.Timer(90, program.kill)
    timer.start()
    for line in program.stdout:
        peak = max(peak, peak_megabytes(program.pid))
        if line.strip() == f"published {EVENTS}":
            broker.is_honest = True
        if found := re.match(r"undelivered (\d+)", line):
            undelivered = int(found[1])
    status = program.wait()
    timer.cancel()
    if status:
        return ("hang" if status == -9 else f"ended with {status}"), peak
    # A broker may say that it takes only small packets, for example.
    if undelivered is None or " refused events: " not in (folder / "stderr").read_text(errors="replace"):
        if lost := sorted(set(range(1, EVENTS + 1)) - broker.seen):
            return f"{len(lost)} events were never sent, the first is {lost[0]}", peak
        if undelivered != 0:
            return f"undelivered: {undelivered}, without a word", peak
    return ("more memory than allowed" if peak > megabytes else ""), peak


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    add = parser.add_argument
    add("--count", type=int, default=1000, help="connections to lie to (1,000)")
    add("--seed", default="1", help="the seed of all randomness (1)")
    add("--megabytes", type=int, default=64, help="memory that the program may use (64)")
    add("--probe", type=Path, default=debug_program("EventProbe"), help="the program EventProbe")
    add("--keep", type=Path, default=ROOT / "out/fuzz-broker", help="folder for offenders")
    options = parser.parse_args(words)
    if not options.probe.exists():
        sys.exit(f"error: {options.probe} is missing; run `swift build --product EventProbe`.")
    index = peak = offenders = runs = 0
    kinds: collections.Counter[str] = collections.Counter()
    while index < options.count:
        broker = LyingBroker(4 if runs % 2 else 5, options.seed, index)
        with temporary_folder("fuzz-broker") as folder, broker.socket:
            result, megabytes = offense(options.probe, broker, options.megabytes, folder)
            kinds.update(sent.split(" of ", 1)[1] for sent in broker.sent)
            peak = max(peak, megabytes)
            if result:
                offenders += 1
                kept = options.keep / f"{options.seed}-{index}.txt"
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_text("\n".join([result, *broker.sent]) + "\n")
                shutil.copy(folder / "stderr", kept.with_suffix(".stderr"))
                print(f"connections {index} to {broker.index - 1}, version {broker.version}: {result}", flush=True)
        if broker.index == index:
            sys.exit("error: the program did not connect.")
        index, runs = broker.index, runs + 1
    print(f"seed {options.seed}: {index} connections in {runs} runs of the program")
    for kind, count in sorted(kinds.items()):
        print(f"{count:7} {kind}")
    print(f"peak memory of the program: {peak} MB")
    print(f"offenders: {offenders}")
    if offenders:
        print(f"kept in {options.keep}")
        sys.exit(1)
