"""Kills a hub (kill -9) at random moments while it adds an archive of photos to a data set, trains on labels or on
boxes, and changes labels and boxes. After each kill the hub starts again, and each state is the old or the new one: an
archive is added whole or not at all, a training ends with one version of its model, a photo has the earlier label and
boxes or those of the request that was cut, `sightline hub verify --deep` finds nothing wrong, and no file stays behind.

    Scripts/tools kill dataset --kills 20 [--seed 1] [--executable .build/debug/sightline-hub]
    Scripts/tools kill dataset --fleet [--nanio PROGRAM] [--executable .build/debug/sightline-hub]

With --fleet, two hubs share PostgreSQL and a server of S3's protocol (nanio, from PyPI). Each of several trainings runs
once; then the hub that trains is killed, and the other one takes the training over after its lease, a minute.

The photos are drawn. Prints a line for each kind of work.
"""

import argparse
import collections
import http.client
import io
import json
import random
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..places import add_executable, temporary_folder
from ..programs import Word
from ..servers import PostgreSQL, Storage
from .place import PROJECT, Hub, Place, UnavailableError
from .train import COLORS, scene, squares

ROOT = f"/hub/v1/projects/{PROJECT}"
PHOTOS = 24
# No work on these small photos takes longer.
SECONDS = 240
KINDS = ("adding an archive", "training on labels", "training on boxes", "changing labels and boxes")


def archive_of_labels(seed: str) -> bytes:
    """Photos in a folder for each label."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for label, color in COLORS.items():
            for number in range(PHOTOS // 2):
                made.writestr(f"{label}/{number}.png", squares(random.Random(f"{seed} {label} {number}"), color))
    return data.getvalue()


def archive_of_boxes(seed: str, count: int = 8) -> bytes:
    """Photos with annotations in COCO's format."""
    data = io.BytesIO()
    images, annotations = [], []
    with zipfile.ZipFile(data, "w") as made:
        for number in range(1, count + 1):
            picture, boxes = scene(random.Random(f"{seed} {number}"))
            made.writestr(f"images/{number}.png", picture)
            images.append({"id": number, "file_name": f"{number}.png", "width": 320, "height": 240})
            annotations += [{"image_id": number, "category_id": n + 1, "bbox": box} for n, box in enumerate(boxes)]
        categories = [{"id": n + 1, "name": name} for n, name in enumerate(COLORS)]
        described = {"images": images, "annotations": annotations, "categories": categories}
        made.writestr("annotations.json", json.dumps(described))
    return data.getvalue()


class Attempt(threading.Thread):
    """Work whose hub may be killed meanwhile."""

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self.work = work
        self.is_done = False
        self.problem = ""

    def run(self) -> None:
        try:
            self.work()
            self.is_done = True
        except (OSError, http.client.HTTPException, UnavailableError):
            pass
        except RuntimeError as error:
            self.problem = str(error)


class Scene:
    """A hub with data sets, and what they must be."""

    def __init__(self, hub: Hub, folder: Path, source: random.Random) -> None:
        self.hub, self.folder, self.source = hub, folder, source
        self.seen: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        # The longest work of each kind so far, in seconds.
        self.spans: dict[str, float] = {"adding an archive": 0.6, "changing labels and boxes": 0.5}
        self.round_number = 0

    def call(self, method: str, path: str, body: bytes | dict[str, Any] | None = None) -> dict[str, Any]:
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        return self.hub.call(method, f"{ROOT}/{path}", body, kind)

    def photos(self, name: str) -> list[dict[str, Any]]:
        return list(self.call("GET", f"datasets/{name}/photos?pageSize=100")["photos"])

    def prepare(self) -> None:
        for name, archive in (("labels", archive_of_labels("0")), ("boxes", archive_of_boxes("0"))):
            self.call("POST", "datasets", {"name": name})
            self.call("POST", f"datasets/{name}/photos", archive)
            start = time.monotonic()
            self.train(name)
            self.spans[f"training on {name}"] = time.monotonic() - start

    def versions(self, model: str) -> list[str]:
        return [version["modelHash"] for version in self.call("GET", f"models/{model}")["versions"]]

    def train(self, name: str) -> None:
        """Trains to the end."""
        self.end(self.call("POST", f"datasets/{name}:train", {})["trainingId"])

    def end(self, training: str) -> None:
        """Waits for a training, which must end with a model."""
        start = time.monotonic()
        while (found := self.call("GET", f"trainings/{training}"))["state"] in ("WAITING", "RUNNING"):
            if time.monotonic() - start > SECONDS:
                sys.exit(f"the training {training} takes longer than {SECONDS} s: {found}")
            time.sleep(0.05)
        if found["state"] != "DONE":
            sys.exit(f"the training {training} ended otherwise: {found}")

    def interrupt(self, kind: str, work: Callable[[], object]) -> bool:
        """Kills the hub during work, and starts it again; returns whether the work was done."""
        attempt = Attempt(work)
        attempt.start()
        time.sleep(self.source.uniform(0, self.spans[kind] * 1.1))
        self.hub.kill()
        attempt.join(timeout=60)
        if attempt.problem or attempt.is_alive():
            sys.exit(f"{kind}: {attempt.problem or 'a request hangs'}")
        self.hub.start()
        return attempt.is_done

    def round(self, kind: str) -> None:
        self.round_number += 1
        number = self.round_number
        if kind == "adding an archive":
            self.add(kind, number)
        elif kind == "changing labels and boxes":
            self.change(kind, number)
        else:
            self.interrupted_training(kind, "labels" if kind.endswith("labels") else "boxes", number)
        if problems := self.hub.place.problems():
            sys.exit(f"after kill {number}, {kind}: " + "\n".join(problems))
        if left := [file.name for file in (self.folder / "uploads").glob("*") if file.name.startswith("training-")]:
            sys.exit(f"after kill {number}, {kind}: {left} stays")

    def add(self, kind: str, number: int) -> None:
        name = f"added{number}"
        archive = archive_of_labels(str(number)) if number % 2 else archive_of_boxes(str(number), PHOTOS)
        self.call("POST", "datasets", {"name": name})
        is_done = self.interrupt(kind, lambda: self.call("POST", f"datasets/{name}/photos", archive))
        count = len(self.photos(name))
        if count not in (0, PHOTOS) or (is_done and count == 0):
            sys.exit(f"{kind}: {count} of {PHOTOS} photos are there")
        self.seen[kind]["new" if count else "old"] += 1
        added = self.call("POST", f"datasets/{name}/photos", archive)
        if added["addedCount"] + count != PHOTOS:
            sys.exit(f"{kind}: {added} after {count} were there")
        if any("boxes" not in photo and "label" not in photo for photo in self.photos(name)):
            sys.exit(f"{kind}: a photo has neither a label nor boxes")
        self.call("DELETE", f"datasets/{name}")

    def interrupted_training(self, kind: str, name: str, number: int) -> None:
        # Without one photo, another model.
        photo = self.photos(name)[-1]
        restored = {"label": photo["label"]} if name == "labels" else {"boxes": photo["boxes"]}
        path = f"datasets/{name}/photos/{photo['photoId']}" + ("" if name == "labels" else "/boxes")
        method = "PATCH" if name == "labels" else "PUT"
        if number % 2:
            self.call(method, path, {"label": None} if name == "labels" else {})
        before = self.versions(name)
        known = {entry["trainingId"] for entry in self.call("GET", "trainings")["trainings"]}
        is_done = self.interrupt(kind, lambda: self.train(name))
        started = [
            entry["trainingId"]
            for entry in self.call("GET", "trainings")["trainings"]
            if entry["trainingId"] not in known
        ]
        if len(started) > 1:
            sys.exit(f"{kind}: the trainings {started} were started")
        if not started:
            self.seen[kind]["not started"] += 1
        for training in started:
            self.seen[kind]["done before" if is_done else "done again"] += 1
            self.end(training)
            after = self.versions(name)
            fresh = [version for version in after if version not in before]
            if len(after) != len(set(after)) or len(fresh) > 1:
                sys.exit(f"{kind}: one training made {after} of {before}")
        self.call(method, path, restored)

    def change(self, kind: str, number: int) -> None:
        photo = self.photos("boxes")[number % 8]["photoId"]
        state: dict[str, Any] = {"old": None, "new": None}

        def boxes(step: int) -> list[dict[str, Any]]:
            return [{"label": f"step{step}", "x": 1, "y": n, "width": 9, "height": 9} for n in range(step % 7)]

        original = self.call("GET", f"datasets/boxes/photos/{photo}")["boxes"]

        def work() -> None:
            for step in range(1, 10_000):
                state["new"] = step
                self.call("PUT", f"datasets/boxes/photos/{photo}/boxes", {"boxes": boxes(step)})
                state["old"] = step

        self.interrupt(kind, work)
        found = self.call("GET", f"datasets/boxes/photos/{photo}")["boxes"]
        old = original if state["old"] is None else boxes(state["old"])
        if found == (boxes(state["new"]) if state["new"] else original):
            self.seen[kind]["new"] += 1
        elif found == old:
            self.seen[kind]["old"] += 1
        else:
            sys.exit(f"{kind}: {found} is neither {old} nor {boxes(state['new'] or 0)}")
        self.call("PUT", f"datasets/boxes/photos/{photo}/boxes", {"boxes": original})


def kill_one_hub(arguments: argparse.Namespace, folder: Path) -> None:
    place = Place(arguments.executable, ["--data", folder / "hub"])
    hub = Hub(place, place.make_project())
    hub.start()
    try:
        scene = Scene(hub, folder / "hub", random.Random(arguments.seed))
        scene.prepare()
        for kill in range(arguments.kills):
            scene.round(KINDS[kill % len(KINDS)])
        for kind, seen in scene.seen.items():
            counts = ", ".join(f"{count} {name}" for name, count in sorted(seen.items()))
            print(f"{kind}: {sum(seen.values())} kills, {counts}", flush=True)
    finally:
        hub.kill()


def kill_one_of_two(arguments: argparse.Namespace, folder: Path) -> None:
    database = PostgreSQL(folder / "postgresql")
    storage = Storage(folder / "storage", arguments.nanio)
    hubs: list[Hub] = []
    try:
        for number in range(2):
            options: list[Word] = ["--database", database.address, "--blobs", storage.address]
            place = Place(arguments.executable, [*options, "--data", folder / f"hub{number}"], storage.variables)
            hubs.append(Hub(place, hubs[0].token if hubs else place.make_project()))
        for hub in hubs:
            hub.start()
        scenes = [Scene(hub, folder / f"hub{number}", random.Random(number)) for number, hub in enumerate(hubs)]
        first = scenes[0]
        trainings = []
        for number in range(4):
            first.call("POST", "datasets", {"name": f"set{number}"})
            first.call("POST", f"datasets/set{number}/photos", archive_of_labels(str(number)))
            trainings.append(first.call("POST", f"datasets/set{number}:train", {})["trainingId"])
        for number, training in enumerate(trainings):
            scenes[1].end(training)
            if len(first.versions(f"set{number}")) != 1:
                sys.exit(f"set{number} has {first.versions(f'set{number}')}")
        shares = [sum("training done" in line for line in hub_log(hub)) for hub in hubs]
        if sum(shares) != len(trainings):
            sys.exit(f"the hubs ended {shares} trainings, of {len(trainings)}")
        print(f"two hubs: {len(trainings)} trainings ran once each, {shares[0]} and {shares[1]}", flush=True)
        take_over(hubs, scenes)
    finally:
        for hub in hubs:
            hub.kill()
        storage.kill()
        database.kill()


def hub_log(hub: Hub) -> list[str]:
    """The log of a hub."""
    return hub.serving.log if hub.serving else []


def take_over(hubs: list[Hub], scenes: list[Scene]) -> None:
    """Kills the hub that trains; the other one ends the training."""
    scenes[0].call("POST", "datasets", {"name": "late"})
    scenes[0].call("POST", "datasets/late/photos", archive_of_boxes("late", 16))
    training = scenes[0].call("POST", "datasets/late:train", {})["trainingId"]
    trainer = None
    start = time.monotonic()
    while trainer is None and time.monotonic() - start < SECONDS:
        for number, each in enumerate(scenes):
            if any((each.folder / "uploads").glob("training-*")):
                trainer = number
        if scenes[0].call("GET", f"trainings/{training}")["state"] == "DONE":
            sys.exit("the training ended before its hub could be killed")
    if trainer is None:
        sys.exit("no hub trains")
    hubs[trainer].kill()
    killed = time.monotonic()
    other = scenes[1 - trainer]
    if (state := other.call("GET", f"trainings/{training}")["state"]) != "RUNNING":
        sys.exit(f"the training is {state} after its hub was killed")
    other.end(training)
    if len(other.versions("late")) != 1:
        sys.exit(f"the training that was taken over made {other.versions('late')}")
    if problems := hubs[1 - trainer].place.problems():
        sys.exit("\n".join(problems))
    seconds = time.monotonic() - killed
    print(f"two hubs: the other one took over, and ended the training {seconds:.0f} s after the kill", flush=True)


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fleet", action="store_true", help="two hubs over PostgreSQL")
    parser.add_argument("--nanio", default="nanio", help="the program nanio")
    add_executable(parser, "sightline-hub")
    arguments = parser.parse_args(words)
    with temporary_folder("dataset", is_shared=arguments.fleet) as folder:
        (kill_one_of_two if arguments.fleet else kill_one_hub)(arguments, folder)
    print("Each state was the old or the new one, and each training made one version.")
