#!/usr/bin/env python3
"""Measures how soon a hub's console answers, on loopback, one request after the other.

    python3 hub/console.py --hub ../.build/release/sightline-hub [--models 10000] [--requests 200]

The rows are the time from the request to the first byte of the page: the median, and the longest of 99 in 100.
"""

import argparse
import http.client
import pathlib
import tempfile
import time
import urllib.parse

from hub import PACKAGE, Hub, command, seed


def first_bytes(hub: Hub, cookie: str, target: str, count: int) -> list[float]:
    """Milliseconds to the first byte of a page, sorted."""
    connection = http.client.HTTPConnection("127.0.0.1", hub.port)
    times = []
    for _ in range(count):
        start = time.perf_counter()
        connection.request("GET", target, headers={"Cookie": cookie})
        reply = connection.getresponse()
        reply.read(1)
        times.append((time.perf_counter() - start) * 1000)
        assert reply.status == 200, (target, reply.status)
        reply.read()
    return sorted(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", default=str(PACKAGE / ".build/release/sightline-hub"))
    parser.add_argument("--models", type=int, default=10_000)
    parser.add_argument("--requests", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sightline-hub-bench-") as name:
        folder = str(pathlib.Path(name) / "hub")
        command(arguments.hub, folder, "project", "create", "bench-project")
        token = command(arguments.hub, folder, "key", "create", "--token", "ci", "--role", "admin")
        seed(folder, arguments.models)
        hub = Hub(arguments.hub, folder)
        try:
            connection = http.client.HTTPConnection("127.0.0.1", hub.port)
            form = urllib.parse.urlencode({"token": token})
            connection.request("POST", "/console/sign-in", form, {"Content-Type": "application/x-www-form-urlencoded"})
            cookie = connection.getresponse().getheader("Set-Cookie").split(";")[0]
            for title, target in [
                ("Console:Models:First", "/console/models"),
                ("Console:Models:Last", f"/console/models?page={arguments.models // 50}"),
                ("Console:Models:Search", "/console/models?q=_0042"),
                ("Console:Models:ByChange", "/console/models?order=updated"),
                ("Console:Models:ByDownloads", "/console/models?order=downloads"),
                ("Console:Config", "/console/config"),
            ]:
                times = first_bytes(hub, cookie, target, arguments.requests)
                print(f"{title:28} {times[len(times) // 2]:8.1f} ms {times[len(times) * 99 // 100]:8.1f} ms")
        finally:
            hub.stop()


if __name__ == "__main__":
    main()
