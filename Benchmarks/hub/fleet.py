#!/usr/bin/env python3
"""Measures a fleet of two hubs that share PostgreSQL and S3-compatible storage, beside a single hub with SQLite.

    python3 hub/fleet.py --hub ../.build/release/sightline-hub [--nanio PROGRAM] [--rounds 5] [--seconds 5]
                         [--changes 200] [--models 100000] [--only ROW ...]

Needs wrk, PostgreSQL and nanio (Debian: wrk, postgresql, libpq5; PyPI: nanio) and the LiteRT library. Everything
listens on loopback, and is gone at the end. The rows:

Fleet:Invalidation   from the answer to a change at one hub until the other serves it: a model is published or withdrawn
Fleet:DownloadInfo   `:download` of a published model with an API key over 64 connections: a single hub with SQLite, and
                     two hubs with PostgreSQL, in turns; two clients, one for each hub of the fleet
Fleet:List:Page      pages of 100 among many models, one connection, at a hub with PostgreSQL and at one with SQLite
"""

import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import random
import statistics
import sys
import tempfile
import time

from hub import LISTS, MODEL, PACKAGE, Hub, command, pages, seed, wrk

sys.path.append(str(PACKAGE / "Tools"))
from sightline_tools import servers

PROJECT = "/v1beta2/projects/bench-project/models"


class Place:
    """A place with a project, an API key, a token and a published model, and the hubs that serve it."""

    def __init__(self, program: str, folder: str, *options: str) -> None:
        self.program, self.folder, self.options = program, folder, options
        self.run("project", "create", "bench-project")
        self.key = self.run("key", "create", "--api-key", "app")
        self.token = self.run("key", "create", "--token", "ci", "--role", "admin")
        file = pathlib.Path(folder) / "model.tflite"
        file.write_bytes(MODEL + random.Random(1).randbytes(10_000))
        self.run("publish", "plants", str(file))
        self.info = f"{PROJECT}/plants:download?key={self.key}"

    def run(self, *words: str) -> str:
        return command(self.program, self.folder, *words, *self.options)

    def serve(self, name: str = "") -> Hub:
        return Hub(self.program, self.folder + name, *self.options)


def rate(hubs: list[Hub], place: Place, seconds: int) -> tuple[float, float]:
    """Requests a second of two clients at once, and the seconds of the hubs' processor time for each request."""
    urls = [f"http://127.0.0.1:{hub.port}{place.info}" for hub in (hubs * 2)[:2]]
    used = sum(hub.processor_seconds() for hub in hubs)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        requests = sum(pool.map(lambda url: wrk(url, seconds, connections=32, threads=1)[0], urls))
    return requests, (sum(hub.processor_seconds() for hub in hubs) - used) / (requests * seconds)


def invalidation(place: Place, changing: Hub, serving: Hub, count: int) -> list[float]:
    """Milliseconds from the answer to each change until the other hub serves it, sorted."""
    writer = http.client.HTTPConnection("127.0.0.1", changing.port)
    reader = http.client.HTTPConnection("127.0.0.1", serving.port)

    def send(connection: http.client.HTTPConnection, method: str, path: str, body: str | None = None) -> tuple:
        headers = {"Authorization": f"Bearer {place.token}"} if connection is writer else {}
        connection.request(method, path, body, headers | {"Content-Type": "application/json"})
        reply = connection.getresponse()
        return reply.status, reply.read()

    (model,) = [
        model for model in json.loads(send(writer, "GET", PROJECT)[1])["models"] if model["displayName"] == "plants"
    ]
    path = f"{PROJECT}/{model['name'].split('/')[-1]}?updateMask=state.published"
    times = []
    for number in range(count):
        is_published = number % 2 == 1
        status, data = send(writer, "PATCH", path, json.dumps({"state": {"published": is_published}}))
        start = time.perf_counter()
        assert status == 200, data
        while send(reader, "GET", place.info)[0] != (200 if is_published else 404):
            assert time.perf_counter() - start < 10, "the other hub does not hear of a change"
        times.append((time.perf_counter() - start) * 1000)
        # Let the other hub keep what it looked up, as it does between changes.
        time.sleep(random.random() * 0.05)
    return sorted(times)


def seed_database(database: servers.PostgreSQL, count: int) -> None:
    """The same models as `seed` makes in SQLite. PostgreSQL collects its statistics itself, but only after a minute."""
    database.execute(f"""
        INSERT INTO model
            (project, displayName, tags, createTime, updateTime, etag, isPublished, errorCode, errorMessage)
        SELECT 'bench-project', 'model_' || lpad(number::text, 6, '0'),
            CASE number % 5000 WHEN 0 THEN '["common", "rare"]' ELSE '["common"]' END,
            1800000000000, 1800000000000, 'e', FALSE, 3, 'No model file has been uploaded.'
        FROM generate_series(0, {count} - 1) AS number;
        INSERT INTO tag SELECT 'bench-project', 'common', id FROM model WHERE etag = 'e';
        INSERT INTO tag SELECT 'bench-project', 'rare', id FROM model WHERE etag = 'e' AND tags LIKE '%rare%';
        ANALYZE model, tag;
        """)


def lists(place: Place, hub: Hub, database: str, count: int) -> None:
    for title, query in LISTS:
        times = pages(hub, place.token, query)
        print(
            f"Fleet:List:Page ({database}, {title}, {count} models): p50 {statistics.median(times):.1f} ms,"
            f" p95 {times[int(len(times) * 0.95)]:.1f} ms",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", default=str(PACKAGE / ".build/release/sightline-hub"))
    parser.add_argument("--nanio", default="nanio")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--models", type=int, default=100_000)
    parser.add_argument("--only", nargs="*", choices=["Invalidation", "DownloadInfo", "List"])
    arguments = parser.parse_args()
    rows = arguments.only or ["Invalidation", "DownloadInfo", "List"]
    with tempfile.TemporaryDirectory(prefix="sightline-fleet-bench-") as name:
        os.chmod(name, 0o711)  # PostgreSQL runs as another user
        database = servers.PostgreSQL(pathlib.Path(name, "postgresql"))
        storage = servers.Storage(pathlib.Path(name, "storage"), arguments.nanio)
        os.environ |= storage.variables
        options = ["--database", database.address, "--blobs", storage.address]
        hubs: list[Hub] = []
        try:
            for folder in ("fleet", "single"):
                os.mkdir(f"{name}/{folder}")
            fleet = Place(arguments.hub, f"{name}/fleet", *options)
            single = Place(arguments.hub, f"{name}/single")
            hubs += [fleet.serve(), fleet.serve("2"), single.serve()]
            if "Invalidation" in rows:
                times = invalidation(fleet, hubs[0], hubs[1], arguments.changes)
                print(
                    f"Fleet:Invalidation: p50 {statistics.median(times):.1f} ms, p95"
                    f" {times[int(len(times) * 0.95)]:.1f} ms, at most {times[-1]:.1f} ms of {len(times)} changes",
                    flush=True,
                )
            if "DownloadInfo" in rows:
                one, two = [], []
                for _ in range(arguments.rounds):
                    one.append(rate(hubs[2:], single, arguments.seconds))
                    two.append(rate(hubs[:2], fleet, arguments.seconds))
                ratios = [theirs[0] / ours[0] for ours, theirs in zip(one, two)]
                costs = [statistics.median(cost for _, cost in each) * 1e6 for each in (one, two)]
                print(
                    f"Fleet:DownloadInfo: one hub with SQLite {statistics.median(each for each, _ in one):.0f}"
                    f" requests/s, two with PostgreSQL {statistics.median(each for each, _ in two):.0f}, ratio median"
                    f" {statistics.median(ratios):.2f} of {[round(ratio, 2) for ratio in ratios]}; processor time of"
                    f" the hubs for each request {costs[0]:.0f} and {costs[1]:.0f} µs",
                    flush=True,
                )
            if "List" in rows:
                seed_database(database, arguments.models)
                seed(single.folder, arguments.models)
                lists(fleet, hubs[0], "PostgreSQL", arguments.models)
                lists(single, hubs[2], "SQLite", arguments.models)
        finally:
            for hub in hubs:
                hub.stop()
            storage.kill()
            database.kill()


if __name__ == "__main__":
    main()
