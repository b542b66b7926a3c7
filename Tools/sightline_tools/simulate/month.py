"""Runs a month of `sightline watch`, of a hub and of `sightline serve` in some minutes, and prints what grows, and what
would be full first.

    Scripts/tools simulate month --model MODEL VIDEO [--only watch hub serve] [--programs .build/release]

Each part is shortened in its own way, which the output says:

watch: a file with some seconds of the video in each hour of the month, as a motion detector would record it. Counts,
events, pictures, a broker of MQTT and a queue; the times of the counts are those of the file.

hub: 500 devices look for models and report results twice a day, during a rollout that waits for its second step. After
each hour of the month, the clock of the hub is set an hour ahead, and after each day `sightline-hub clean` does what
the hub does hourly.

serve: clients ask as fast as they can for some seconds, with a second model in the shadow whose different answers are
kept. It is not a month: what a request leaves behind is multiplied.

Ends by itself, with status 1 if memory, descriptors or threads grew from the middle to the end by more than a limit.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ..answers import AnswerServer
from ..clocks import Clock
from ..hubs import Place
from ..mqtt import Broker
from ..places import FIXTURES, ROOT, free_port, temporary_folder
from .devices import MODELS, PROJECT, Device
from .growth import Course, Moment, Thing, amount, size, table

DAYS = 30
HOURS = DAYS * 24
# Growth from the middle to the end that is not a leak: caches, and pages that the allocator keeps.
MOST_MEGABYTES = 24.0
MOST_DESCRIPTORS = 8
MOST_THREADS = 4
HEADING = ["", "start", "a quarter", "half", "three quarters", "end"]


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("video", nargs="?", type=os.path.abspath, help="a video of the scene that is watched")
    parser.add_argument("--model", type=os.path.abspath, help="the model of the watch")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="the parts; all by default")
    parser.add_argument("--programs", type=os.path.abspath, default=str(ROOT / ".build/debug"), help="their folder")
    parser.add_argument("--seconds-an-hour", type=float, default=4, help="the length of each hour's record (4)")
    parser.add_argument("--devices", type=int, default=500, help="the number of devices of the hub (500)")
    parser.add_argument("--reports-a-day", type=float, default=2, help="the reports of a device in a day (2)")
    parser.add_argument("--serve-seconds", type=float, default=60, help="the time of requests to serve (60)")
    parser.add_argument("--disk", type=float, default=16, help="the gigabytes of the disk that may fill (16)")
    arguments = parser.parse_args(words)
    if "watch" in arguments.only and not (arguments.video and arguments.model):
        parser.error("the watch needs --model and a video; --only hub serve leaves it out")
    problems: list[str] = []
    things: list[Thing] = []
    for name in arguments.only:
        with temporary_folder(f"month-{name}", is_shared=True) as folder:
            course, found = PARTS[name](arguments, folder)
        print(table([f"`{name}`", *HEADING[1:]], course.rows()), end="\n\n", flush=True)
        problems += [f"{name}: {problem}" for problem in growth_problems(course.at(0.5), course.at(1))]
        things += found
    rows = [thing.row(arguments.disk * 1e9) for thing in sorted(things, key=lambda one: -one.bytes_in_month)]
    print(table(["what grows", "in a month", "bound", f"full on {arguments.disk:g} GB after"], rows))
    if problems:
        sys.exit("error: " + "; ".join(problems))


def growth_problems(half: Moment, end: Moment) -> list[str]:
    """The reasons to take the growth from the middle to the end for a leak."""
    pairs = [
        ("anonymous memory in MB", half.anonymous, end.anonymous, MOST_MEGABYTES),
        ("descriptors", half.descriptors, end.descriptors, MOST_DESCRIPTORS),
        ("threads", half.threads, end.threads, MOST_THREADS),
    ]
    return [f"{name} grew from {one:.0f} to {two:.0f}" for name, one, two, most in pairs if two - one > most]


# The watch


def watch(arguments: argparse.Namespace, folder: Path) -> tuple[Course, list[Thing]]:
    """A month of records of one camera."""
    record(arguments.video, arguments.seconds_an_hour, folder)
    out = folder / "watch"
    out.mkdir()
    broker = Broker(free_port(), folder)
    broker.start()
    # The month has the end of summer time in it.
    clock = Clock(folder)
    clock.set(int(datetime.datetime(2026, 10, 1, tzinfo=datetime.UTC).timestamp() - time.time()))
    (out / "cameras.yaml").write_text(
        f"""
defaults: {{model: {json.dumps(arguments.model)}, every: 1, optimize: false}}
events: events.jsonl
metrics: metrics.prom
mqtt: mqtt://127.0.0.1:{broker.port}/month
queue: queue
cameras:
  door:
    input: {json.dumps(str(folder / "month.mkv"))}
    line: {{middle: "0,180,640,180"}}
    zone: {{all: "0,0 640,0 640,360 0,360"}}
    counts: door.csv
    period: 1h
    pictures: {{folder: pictures, most: 200}}
"""
    )
    environment = {**os.environ, **clock.variables, "TZ": "Europe/Berlin"}
    with (out / "words.txt").open("ab") as log:
        process = subprocess.Popen(
            [Path(arguments.programs) / "sightline", "watch", "cameras.yaml"],
            cwd=out,
            env=environment,
            stdout=log,
            stderr=log,
        )
        course = Course(process.pid, out)
        try:
            while process.poll() is None:
                hours = rows(out / "door.csv")
                # Before the first hour it loads its model; after the last one it ends.
                if 0 < hours < HOURS - 1:
                    course.note(hours / HOURS)
                time.sleep(0.5)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            broker.kill()
    hours, events = rows(out / "door.csv"), lines(out / "events.jsonl")
    if process.returncode != 0 or not course.moments or events == 0:
        sys.exit(f"error: the watch ended with {process.returncode}: {(out / 'words.txt').read_text()[-2000:]}")
    seconds = time.monotonic() - course.begin
    print(
        f"watch: {hours} hours in {seconds:.0f} s: {events} events, {len(list((out / 'pictures').iterdir()))} pictures,"
        f" counts from {first_and_last(out / 'door.csv')}."
    )
    scale = HOURS / hours
    things = [
        Thing(
            "`events.jsonl` of `watch`, {:.0f} B an event".format(size(out / "events.jsonl") / events),
            size(out / "events.jsonl") * scale,
        ),
        Thing("what `watch` prints (the journal)", size(out / "words.txt") * scale, "that of the journal"),
        Thing("counts by hour of `watch`", size(out / "door.csv") * scale),
        Thing("pictures of events", size(out / "pictures"), "`most` and `keep`"),
        Thing("queue while the broker answers", size(out / "queue"), "10,000 events, else they are dropped"),
    ]
    return course, things


def record(video: str, seconds: float, folder: Path) -> None:
    """Writes the file of a month: the beginning of a video each hour."""
    if not shutil.which("ffmpeg"):
        sys.exit(
            "error: ffmpeg is missing; install it with `apt-get install ffmpeg`, or leave out `watch` with --only."
        )
    convert = ["ffmpeg", "-nostdin", "-loglevel", "error", "-t", f"{seconds}", "-i", video, "-an"]
    convert += ["-vf", "fps=5,scale=640:360", "-c:v", "libx264", "-preset", "veryfast", str(folder / "hour.mkv")]
    subprocess.run(convert, check=True)
    hours = "".join(f"file '{folder / 'hour.mkv'}'\nduration 3600\n" for _ in range(HOURS))
    (folder / "hours.txt").write_text(hours)
    join = ["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "concat", "-safe", "0", "-i", str(folder / "hours.txt")]
    subprocess.run([*join, "-c", "copy", str(folder / "month.mkv")], check=True)


def lines(file: Path) -> int:
    """The number of lines of a file, 0 if it is absent."""
    return file.read_bytes().count(b"\n") if file.exists() else 0


def rows(file: Path) -> int:
    """The number of periods of a file of counts."""
    if not file.exists():
        return 0
    return len({line.split(",")[1] for line in file.read_text().splitlines()[1:] if line.count(",") > 1})


def first_and_last(file: Path) -> str:
    """The dates of the first and the last row of a file of counts."""
    found = file.read_text().splitlines()
    return f"{found[1].split(',')[0]} to {found[-1].split(',')[1]}"


# The hub


def hub(arguments: argparse.Namespace, folder: Path) -> tuple[Course, list[Thing]]:
    """A month of a hub with devices and a rollout."""
    clock = Clock(folder)
    data = folder / "hub"
    place = Place(Path(arguments.programs) / "sightline-hub", ["--data", data], clock.variables)
    place.run("project", "create", PROJECT)
    key = place.run("key", "create", "--api-key", "app").strip()
    place.run("publish", "plants", MODELS[0])
    place.run("publish", "plants", MODELS[1], "--stage")
    serving = place.serve("--rate-limit", "0")
    source = random.Random(1)
    try:
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            devices = list(threads.map(lambda number: Device(serving, key, number, 1), range(arguments.devices)))
            plan = ["--to", "2", "--steps", "20,100", "--every", "30d", "--guard", "failures,latency"]
            place.run("rollout", "start", "plants", *plan)
            course = Course(serving.process.pid, data)
            requests = 0
            for hour in range(HOURS):
                count = arguments.devices * arguments.reports_a_day / 24
                chosen = source.choices(devices, k=int(count + source.random()))
                list(threads.map(lambda device: device.work(), chosen))
                requests += 2 * len(chosen)
                course.note(hour / HOURS)
                clock.set((hour + 1) * 3600)
                if hour % 24 == 23:
                    place.run("clean")
                if hour % 120 == 119:
                    list(threads.map(Device.renew, devices))
            course.note(1)
        shown = json.loads(place.run("rollout", "show", "plants", "--format", "json"))
    finally:
        serving.stop()
    seconds = time.monotonic() - course.begin
    print(
        f"hub: {DAYS} days in {seconds:.0f} s: {len(devices)} devices, {requests} requests, the rollout is"
        f" {shown['state'].lower()} at {shown['share']} %."
    )
    if shown["state"] != "RUNNING":
        sys.exit("error: the rollout did not last for the month.")
    return course, hub_things(data)


def hub_things(data: Path) -> list[Thing]:
    """The things that grew in a hub's folder."""
    tables, counts = table_sizes(data / "hub.sqlite")
    batches, devices = counts.get("outcomeBatch", 0), counts.get("rolloutOutcomeOfDevice", 0)
    known = {"outcomeBatch", "rolloutOutcomeOfDevice", "audit"}
    return [
        Thing(f"hub: batches of results, {batches} of them", tables.get("outcomeBatch", 0), "30 days, a million"),
        Thing(
            f"hub: devices of the rollout, {devices} rows",
            tables.get("rolloutOutcomeOfDevice", 0),
            "2 million, its end",
        ),
        Thing("hub: audit log", tables.get("audit", 0), "by the project's quota"),
        Thing("hub: other tables", sum(count for name, count in tables.items() if name not in known), "see Limits"),
        Thing("hub: write-ahead log", size(data / "hub.sqlite-wal"), "4 MB, more only during one large write"),
        Thing("hub: uploads and models", size(data / "uploads") + size(data / "blobs"), "quota; 30 days if unused"),
    ]


def table_sizes(file: Path) -> tuple[dict[str, int], dict[str, int]]:
    """The bytes of each table with its indexes, and the number of its rows."""
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        counts = {name: database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}
        pages = database.execute(
            "SELECT tbl_name, sum(pgsize) FROM dbstat JOIN sqlite_schema USING (name) GROUP BY tbl_name"
        )
        return dict(pages), counts
    finally:
        database.close()


# The server of answers


def serve(arguments: argparse.Namespace, folder: Path) -> tuple[Course, list[Thing]]:
    """Requests as fast as four clients can make them."""
    plants, other, kept = folder / "plants.tflite", folder / "other.tflite", folder / "different"
    shutil.copy(FIXTURES / "models/classifier_float_metadata.tflite", plants)
    shutil.copy(FIXTURES / "models/classifier_dense.tflite", other)
    server = AnswerServer(
        Path(arguments.programs) / "sightline-serve",
        *("--model", plants, "--shadow", f"plants={other}", "--sample", "20%"),
        *("--keep-different", "200", "--keep-folder", kept),
    )
    pictures = [file.read_bytes() for file in sorted((FIXTURES / "images").glob("*.jpg"))[:8]]
    counts = [0] * 4
    stopping = threading.Event()

    def ask(number: int) -> None:
        while not stopping.is_set():
            # Another picture each time: readers of JPEG take no notice of bytes after its end.
            picture = pictures[counts[number] % len(pictures)] + f"{number} {counts[number]}".encode()
            status, body, _ = server.request("POST", "/v1/label", picture)
            if status != 200:
                raise RuntimeError(f"the server answered {status}: {body[:200]!r}")
            counts[number] += 1

    try:
        course = Course(server.process.pid, folder)
        with concurrent.futures.ThreadPoolExecutor(4) as threads:
            asking = [threads.submit(ask, number) for number in range(4)]
            while (done := (time.monotonic() - course.begin) / arguments.serve_seconds) < 1:
                course.note(done)
                if any(one.done() for one in asking):
                    break
                time.sleep(0.5)
            course.note(1)
            stopping.set()
            for one in asking:
                one.result()
    finally:
        stopping.set()
        server.stop()
    count, log = sum(counts), sum(len(line) for line in server.log)
    growth = course.at(1).anonymous - course.at(0.5).anonymous
    print(
        f"serve: {count} requests in {arguments.serve_seconds:.0f} s; the second half left {growth:+.1f} MB of"
        f" anonymous memory, and the log has {amount(log)}."
    )
    return course, [
        Thing("`serve --keep-different 200`", size(kept), "the number, 256 MiB, 7 days"),
        Thing("log of `serve`, whatever the requests", log, "that of the journal"),
    ]


PARTS: dict[str, Callable[[argparse.Namespace, Path], tuple[Course, list[Thing]]]] = {
    "watch": watch,
    "hub": hub,
    "serve": serve,
}
