"""Rolls out a version of a model to simulated devices over HTTP, and checks that a slower version is halted.

    Scripts/tools simulate devices [--devices 500] [--slowdown 1.3] [--executable .build/debug/sightline-hub]
        [--keep FOLDER]

A hub serves on loopback. Each device registers, asks for the model as an app does, downloads the file that the hub
names, checks its hash, and reports latencies: with the new version, SLOWDOWN times those of the old one. The
simulation ends when the hub halts the rollout, at latest after ten minutes; with a slowdown of 1 it ends after five
minutes, and the rollout must not be halted. With --keep, the hub's data stays in FOLDER.
"""

import argparse
import hashlib
import json
import math
import random
import sys
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..hubs import Place, ServingHub
from ..places import FIXTURES, add_executable, temporary_folder

PROJECT = "devices"
MODELS = [FIXTURES / "models/classifier_float_metadata.tflite", FIXTURES / "models/classifier_uint8_metadata.tflite"]


class Device:
    """An installation of an app."""

    def __init__(
        self, hub: ServingHub, key: str, number: int, slowdown: float, project: str = PROJECT, model: str = "plants"
    ) -> None:
        self.hub, self.key, self.slowdown = hub, key, slowdown
        self.project, self.model = project, model
        # The mean confidence of results; None if the app does not report it.
        self.confidence: float | None = None
        self.source = random.Random(number)
        self.speed = 40 * math.exp(0.3 * self.source.gauss(0, 1))
        self.known = ""
        self.downloads = 0
        body = json.dumps({"appId": "1:1:ios:1"})
        reply = self.request("POST", f"/v1/projects/{project}/installations", body, {})
        made = json.loads(reply[1])
        self.id, self.refresh_token, self.token = made["fid"], made["refreshToken"], made["authToken"]["token"]

    def renew(self) -> None:
        """Takes another token; one is valid for a week."""
        path = f"/v1/projects/{self.project}/installations/{self.id}/authTokens:generate"
        reply = self.request("POST", path, "{}", {"Authorization": f"FIS_v2 {self.refresh_token}"})
        self.token = json.loads(reply[1])["token"]

    def request(
        self, method: str, path: str, body: str | None, headers: dict[str, str]
    ) -> tuple[int, bytes, dict[str, str]]:
        """The status, body and headers of an answer; a refusal ends the simulation."""
        fields = {"X-Goog-Api-Key": self.key, "Content-Type": "application/json", **headers}
        status, data, found = self.hub.request(method, path, body, fields)
        # All devices share an address here, of which a hub takes only so many reports in a second.
        while status == 429:
            time.sleep(float(found["Retry-After"] or 1))
            status, data, found = self.hub.request(method, path, body, fields)
        if status not in (200, 304):
            sys.exit(f"error: {method} {path} was answered with {status}: {data[:300]!r}")
        return status, data, {name.lower(): value for name, value in found.items()}

    def work(self) -> str:
        """Looks for a new version, and reports some results; returns the device's group."""
        headers = {"X-Goog-Firebase-Installations-Auth": self.token}
        path = f"/v1beta2/projects/{self.project}/models/{self.model}:download"
        known = {"If-None-Match": self.known} if self.known else {}
        status, data, found = self.request("GET", path, None, {**headers, **known})
        if status == 200:
            address = urlsplit(json.loads(data)["downloadUri"])
            file = self.request("GET", f"{address.path}?{address.query}", None, {})[1]
            if hashlib.sha256(file).hexdigest() != found["etag"]:
                sys.exit("error: a file differs from its hash.")
            self.known, self.downloads = found["etag"], self.downloads + 1
        rollout, _, group = found.get("x-sightline-rollout", "").partition(" ")
        if group in ("new", "old"):
            self.report(rollout, group, headers)
        return group

    def report(self, rollout: str, group: str, headers: dict[str, str]) -> None:
        """Reports latencies and no failures."""
        factor = self.slowdown if group == "new" else 1
        latencies = [self.speed * factor * math.exp(0.1 * self.source.gauss(0, 1)) for _ in range(5)]
        histogram: dict[str, int] = {}
        for latency in latencies:
            bucket = str(max(0, min(159, int(math.log2(latency / 0.1) * 8))))
            histogram[bucket] = histogram.get(bucket, 0) + 1
        count, squares = len(latencies), sum(latency**2 for latency in latencies)
        outcome: dict[str, Any] = {
            "experimentId": rollout,
            "variantId": group,
            "model": self.model,
            "count": count,
            "latency": {"count": count, "sum": sum(latencies), "squares": squares, "histogram": histogram},
            "scores": {"failures": {"count": count, "sum": 0, "squares": 0}},
        }
        if self.confidence is not None:
            total, parts = count * self.confidence, count * self.confidence**2
            outcome["scores"] |= {"confidence": {"count": count, "sum": total, "squares": parts}}
        body = json.dumps({"batchId": str(uuid.uuid4()), "outcomes": [outcome]})
        self.request("POST", f"/hub/v1/projects/{self.project}/outcomes", body, headers)


def simulate(place: Place, arguments: argparse.Namespace) -> None:
    """Runs a rollout to its end, and prints what happens."""
    place.run("project", "create", PROJECT)
    key = place.run("key", "create", "--api-key", "app").strip()
    place.run("publish", "plants", MODELS[0])
    place.run("publish", "plants", MODELS[1], "--stage")
    hub = place.serve("--rate-limit", "0")
    try:
        with ThreadPoolExecutor(16) as threads:
            makes = [
                threads.submit(Device, hub, key, number, arguments.slowdown) for number in range(arguments.devices)
            ]
            devices = [made.result() for made in makes]
            plan = ["--to", "2", "--steps", "20,50,100", "--every", "2m", "--guard", "failures,latency"]
            print(place.run("rollout", "start", "plants", *plan), end="", flush=True)
            begin, is_worse = time.monotonic(), arguments.slowdown > 1
            while time.monotonic() - begin < (600 if is_worse else 300):
                groups = list(threads.map(Device.work, devices))
                shown = json.loads(place.run("rollout", "show", "plants", "--format", "json"))
                counts = {name: groups.count(name) for name in sorted(set(groups)) if name}
                seconds = int(time.monotonic() - begin)
                print(f"{seconds:4} s: {shown['state'].lower()} at {shown['share']} %, groups {counts}", flush=True)
                if shown["state"] != "RUNNING":
                    break
                time.sleep(5)
            # Afterward every device has the version that it should have.
            ends = set(threads.map(lambda device: (device.work(), device.known)[1], devices))
        print(place.run("rollout", "show", "plants"), end="")
    finally:
        hub.stop()
    downloads = sum(device.downloads for device in devices)
    print(f"{len(devices)} devices, {downloads} downloads.")
    if is_worse and shown["state"] != "HALTED":
        sys.exit("error: the slower version was not halted.")
    if not is_worse and shown["state"] == "HALTED":
        sys.exit("error: a version that is not slower was halted.")
    if is_worse and len(ends) != 1:
        sys.exit("error: some devices kept the new version.")
    print("The rollout did as planned.")


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Simulates devices of a hub."""
    parser.add_argument("--devices", type=int, default=500, help="the number of devices (500)")
    parser.add_argument("--slowdown", type=float, default=1.3, help="the factor of the new version's latency (1.3)")
    parser.add_argument("--keep", type=Path, help="the folder for the hub's data (a temporary folder)")
    add_executable(parser, "sightline-hub")
    arguments = parser.parse_args(words)
    with temporary_folder("devices") as folder:
        simulate(Place(arguments.executable, ["--data", arguments.keep or folder / "hub"]), arguments)
