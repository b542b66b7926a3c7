#!/usr/bin/env python3
"""Measures live updates of a hub on loopback: many apps wait, and a template is published.

    python3 hub/live.py --hub ../.build/release/sightline-hub [--apps 10000] [--rounds 5]

The rows:

Hub:Live:Connect     apps that begin to wait, a second
Hub:Live:Deliver     from the end of `config set` to the first and to the last app that heard of it; the command itself
                     publishes a moment earlier, so the first may be below zero
Hub:Live:Memory      resident memory of the hub: idle, with all apps, and its peak
"""

import argparse
import json
import pathlib
import resource
import selectors
import socket
import statistics
import tempfile
import time

from hub import PACKAGE, Hub, command


class Apps:
    """Connections of apps that wait for live updates."""

    def __init__(self, port: int, key: str) -> None:
        self.port, self.key, self.sockets = port, key, []
        self.selector = selectors.DefaultSelector()

    def connect(self, count: int, at_once: int = 500) -> float:
        """Connects apps and waits until each is answered; returns the seconds."""
        body = json.dumps({"namespace": "firebase", "lastKnownVersionNumber": "1", "appId": "1:1:android:ab"})
        request = (
            f"POST /v1/projects/bench-project/namespaces/firebase:streamFetchInvalidations?key={self.key} HTTP/1.1\r\n"
            f"Host: hub\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        ).encode()
        start = time.perf_counter()
        while len(self.sockets) < count:
            new = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(at_once)]
            for connection in new:
                connection.sendall(request)
            for connection in new:
                reply = connection.recv(4096)
                assert reply.startswith(b"HTTP/1.1 200"), reply
                self.selector.register(connection, selectors.EVENT_READ)
            self.sockets += new
        return time.perf_counter() - start

    def wait(self, version: int, patience: float = 30) -> tuple[float, float]:
        """The times when the first and the last app heard of a version."""
        message, heard, first = f'"{version}"'.encode(), set(), 0.0
        end = time.perf_counter() + patience
        while len(heard) < len(self.sockets) and time.perf_counter() < end:
            for key, _ in self.selector.select(timeout=1):
                if message in key.fileobj.recv(4096):
                    first = first or time.perf_counter()
                    heard.add(key.fileobj.fileno())
        assert len(heard) == len(self.sockets), f"{len(heard)} of {len(self.sockets)} apps heard of version {version}"
        return first, time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", default=str(PACKAGE / ".build/release/sightline-hub"))
    parser.add_argument("--apps", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    program = arguments.hub
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    with tempfile.TemporaryDirectory(prefix="sightline-hub-live-") as name:
        folder, file = f"{name}/hub", pathlib.Path(name) / "config.json"
        command(program, folder, "project", "create", "bench-project")
        key = command(program, folder, "key", "create", "--api-key", "app")

        def publish(value: int) -> None:
            file.write_text(json.dumps({"parameters": {"model": {"defaultValue": {"value": str(value)}}}}))
            command(program, folder, "config", "set", str(file), "--force")

        publish(1)
        hub = Hub(program, folder, "--trust-proxy", "--max-connections", str(arguments.apps * 2))
        idle = hub.memory("VmRSS")
        apps = Apps(hub.port, key)
        seconds = apps.connect(arguments.apps)
        print(f"Hub:Live:Connect: {arguments.apps / seconds:.0f} a second, {arguments.apps} apps", flush=True)
        firsts, lasts = [], []
        for version in range(2, 2 + arguments.rounds):
            publish(version)
            published = time.perf_counter()
            first, last = apps.wait(version)
            firsts.append(first - published)
            lasts.append(last - published)
        print(
            f"Hub:Live:Deliver: first app after {statistics.median(firsts):.2f} s, last after"
            f" {statistics.median(lasts):.2f} s (worst of {arguments.rounds}: {max(lasts):.2f} s)",
            flush=True,
        )
        print(
            f"Hub:Live:Memory: idle {idle:.0f} MB, with {arguments.apps} apps {hub.memory('VmRSS'):.0f} MB,"
            f" peak {hub.memory('VmHWM'):.0f} MB",
            flush=True,
        )
        hub.stop()


if __name__ == "__main__":
    main()
