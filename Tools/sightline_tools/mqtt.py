"""A broker of MQTT that can be killed, and a subscriber, for tools."""

import contextlib
import json
import shutil
import socket
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CONNECT, PUBLISH, PUBACK, SUBSCRIBE, SUBACK = 1, 3, 4, 8, 9
MOSQUITTO = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin")


class Broker:
    """A mosquitto on loopback that keeps the sessions of its subscribers on disk."""

    def __init__(self, port: int, folder: Path) -> None:
        self.port, self.configuration = port, folder / "broker.conf"
        self.process: subprocess.Popen[bytes] | None = None
        lines = [
            "user root",
            f"listener {port} 127.0.0.1",
            "allow_anonymous true",
            "persistence true",
            f"persistence_location {folder}/",
            "autosave_interval 1",
            "autosave_on_changes true",
            "max_queued_messages 0",
            "set_tcp_nodelay true",
            "log_dest none",
        ]
        self.configuration.write_text("\n".join(lines) + "\n")

    def start(self) -> None:
        """Starts the broker, and waits until it accepts connections."""
        assert MOSQUITTO, 'mosquitto is not installed; run "Scripts/install-packages --tests"'
        self.process = subprocess.Popen(
            [MOSQUITTO, "-c", self.configuration], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(500):
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.01)
        raise RuntimeError("the broker did not start")

    def kill(self) -> None:
        """Ends the broker at once, as a crash would."""
        if self.process:
            self.process.kill()
            self.process.wait()


def text(value: str) -> bytes:
    """A text with its length in front."""
    data = value.encode()
    return len(data).to_bytes(2) + data


def packet(kind: int, flags: int, body: bytes) -> bytes:
    """A packet with its kind and length in front."""
    length, rest = b"", len(body)
    while True:
        rest, digit = rest >> 7, rest & 127
        length += bytes([digit | (128 if rest else 0)])
        if not rest:
            return bytes([kind << 4 | flags]) + length + body


@dataclass
class Received:
    """A message that a subscriber got."""

    topic: str
    payload: bytes
    # Seconds since 1970.
    time: float = field(default_factory=time.time)

    @property
    def json(self) -> dict[str, Any]:
        """The payload as an object of JSON."""
        return dict(json.loads(self.payload))


class Subscriber:
    """A client with a session that the broker keeps, which connects again whenever the broker comes back."""

    def __init__(self, port: int, topic: str) -> None:
        self.port, self.topic = port, topic
        self.messages: list[Received] = []
        # How often it was subscribed.
        self.connections = 0
        self.is_over = False
        self.connection: socket.socket | None = None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        """Receives until the end."""
        while not self.is_over:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1) as self.connection:
                    self.connection.settimeout(None)
                    self.follow(self.connection)
            except (OSError, EOFError):
                time.sleep(0.02)

    def follow(self, connection: socket.socket) -> None:
        """Subscribes, and receives until the connection ends."""
        # Level 4 (3.1.1), no clean session, and no keep-alive.
        connection.sendall(packet(CONNECT, 0, text("MQTT") + bytes([4, 0, 0, 0]) + text("sightline-tools")))
        connection.sendall(packet(SUBSCRIBE, 2, (1).to_bytes(2) + text(self.topic) + bytes([1])))
        stream = connection.makefile("rb")
        while True:
            kind, flags, body = read_packet(stream)
            if kind == SUBACK:
                self.connections += 1
            if kind == PUBLISH:
                size = int.from_bytes(body[:2])
                topic, rest = body[2 : 2 + size].decode(), body[2 + size :]
                if flags >> 1 & 3:
                    connection.sendall(packet(PUBACK, 0, rest[:2]))
                    rest = rest[2:]
                self.messages.append(Received(topic, rest))

    def stop(self) -> None:
        """Ends the subscriber."""
        self.is_over = True
        if self.connection:
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
        self.thread.join(5)


def read_packet(stream: Any) -> tuple[int, int, bytes]:
    """The kind, the flags and the body of the next packet."""
    first = stream.read(1)
    if not first:
        raise EOFError
    length = shift = 0
    while True:
        digit = stream.read(1)
        if not digit:
            raise EOFError
        length |= (digit[0] & 127) << shift
        shift += 7
        if digit[0] < 128:
            break
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    return first[0] >> 4, first[0] & 15, body
