"""Checks that this version continues what the programs of an earlier release left: a hub, the models that a client
has downloaded, and the queue, counts and events of a watch. Then the earlier programs open the same folders again.

    Scripts/tools check upgrade --earlier FOLDER [--bin FOLDER]

FOLDER has sightline, sightline-hub and sightline-serve of the earlier release, for example usr/bin after
`dpkg-deb --extract` of its three packages; without --bin, the programs of this version are built in debug. The earlier
hub must refuse a folder of later tables with a sentence, and change nothing in it. So that this can be seen before
there are later tables, this version's folder gets a table and a version of the future, too, and each record of the
client gets a field that no version knows.
"""

import argparse
import contextlib
import hashlib
import http.server
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..hubs import Place
from ..places import FIXTURES, ROOT, built_programs, free_port, temporary_folder
from ..watches import problems, wait

PROGRAMS = ["sightline", "sightline-hub", "sightline-serve"]
# A model with the same two objects in each picture.
MODEL = FIXTURES / "models/ssd_metadata.tflite"
PICTURE = ROOT / "Documentation/Pictures/scene.png"
VIDEO = FIXTURES / "videos/mjpeg.mjpeg"
PROJECT = "upgrade"
REFUSAL = "was written by a newer hub"


class Release:
    """The programs of a version."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        for name in PROGRAMS:
            if not (self.folder / name).exists():
                sys.exit(f"error: {self.folder} has no program {name}; --earlier names the folder of all three.")
        self.version = self.output("sightline", "--version").strip()

    def path(self, program: str) -> str:
        """The path of a program."""
        return str(self.folder / program)

    def output(self, program: str, *words: str) -> str:
        """The output of a program."""
        return subprocess.run([self.path(program), *words], check=True, capture_output=True, text=True).stdout

    def hub(self, data: Path) -> Place:
        """A hub in a folder."""
        return Place(self.path("sightline-hub"), ["--data", data])


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument(
        "--earlier", type=Path, required=True, help="the folder with the programs of the earlier release"
    )
    parser.add_argument("--bin", type=Path, help="the folder with the programs of this version")
    options = parser.parse_args(words)
    earlier, later = Release(options.earlier), Release(built_programs(options.bin))
    with temporary_folder("upgrade") as folder:
        (folder / "hub").mkdir()
        (folder / "watch").mkdir()
        print(f"From {earlier.version} to {later.version}:")
        check_hub_and_client(earlier, later, folder / "hub")
        check_watch(earlier, later, folder / "watch")


def files(folder: Path) -> dict[str, str]:
    """The hash of each file in a folder. That of a database is the hash of its tables and records: a program that opens
    one in SQLite's mode WAL may move pages between its files.
    """
    return {
        str(path.relative_to(folder)): hashlib.sha256(content(path)).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


def content(path: Path) -> bytes:
    """The bytes of a file, or the statements that make a database."""
    if path.suffix != ".sqlite":
        return path.read_bytes()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return "\n".join(connection.iterdump()).encode()


# MARK: Hub and client


def check_hub_and_client(earlier: Release, later: Release, folder: Path) -> None:
    """Makes a hub and a client with the earlier programs, and opens both with the later and again with the earlier."""
    data, client = folder / "data", folder / "client"
    place = earlier.hub(data)
    place.run("project", "create", PROJECT)
    key = place.run("key", "create", "--api-key", "app").strip()
    place.run("publish", "plants", MODEL)
    hub = place.serve()
    configuration = folder / "hub.json"
    configuration.write_text(json.dumps({"hub": hub.address, "projectID": PROJECT, "apiKey": key}))
    try:
        expected = answer(earlier, client, configuration)
    finally:
        hub.stop()
    # The hub is away, so that the model is the one on disk.
    if answer(later, client, configuration) != expected:
        sys.exit("error: this version answers otherwise with the model that the earlier one downloaded.")
    count = add_unknown_fields(client)
    if answer(earlier, client, configuration) != expected:
        sys.exit("error: the earlier version answers otherwise after this one has used its models.")
    print(f"  client: the model is used by both, also with an unknown field in {count} records.")

    place = later.hub(data)
    check_intact(place, ["plants"])
    hub = place.serve()
    status = hub.request("GET", "/readyz")[0]
    hub.stop()
    if status != 200:
        sys.exit(f"error: the hub is not ready; /readyz answers {status}.")
    place.run("publish", "animals", MODEL)
    check_intact(place, ["plants", "animals"])
    print("  hub: all records and files are intact, and another model is published.")

    if refuses(earlier, data):
        print("  hub: the earlier version refuses its tables, and changes nothing.")
    else:
        check_intact(earlier.hub(data), ["plants", "animals"])
        print("  hub: the earlier version opens it again, since its tables are the same.")
    of_the_future = folder / "future"
    shutil.copytree(data, of_the_future)
    add_future_table(of_the_future / "hub.sqlite")
    for release in (earlier, later):
        if not refuses(release, of_the_future):
            sys.exit(f"error: {release.version} opens a hub with tables of the future.")
    print("  hub: both versions refuse tables of the future, and change nothing.")


def check_intact(place: Place, names: Sequence[str]) -> None:
    """Checks a hub's records and files, and that it has models."""
    found = json.loads(place.run("verify", "--deep", "--format", "json"))["problems"]
    if found:
        sys.exit(f"error: the hub has {len(found)} problems, such as {found[0]}")
    listed = place.run("list")
    if missing := [name for name in names if name not in listed]:
        sys.exit(f"error: the hub has lost {', '.join(missing)}: {listed}")


def refuses(release: Release, data: Path) -> bool:
    """Whether the commands of a hub refuse a folder, each with a sentence and without a change in it."""
    before = files(data)
    results: list[bool] = []
    for words in (["list"], ["verify"], ["publish", "plants", str(MODEL)], ["serve", "--port", "0"]):
        command = [release.path("sightline-hub"), *words, "--data", str(data)]
        # A hub that serves ends by itself only if it refuses.
        if words[0] == "serve" and not all(results):
            results.append(False)
            continue
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        is_refused = done.returncode != 0 and REFUSAL in done.stderr
        if done.returncode < 0 or (done.returncode != 0 and not is_refused):
            sys.exit(f"error: {' '.join(command)} ended with {done.returncode}: {done.stderr}")
        results.append(is_refused)
        if not any(results):
            return False
    if not all(results):
        sys.exit(f"error: some commands of {release.version} refuse the folder, and some do not.")
    if changed := files(data).items() ^ before.items():
        names = ", ".join(sorted({name for name, _ in changed}))
        sys.exit(f"error: {release.version} refuses the folder, but has changed {names}.")
    return True


def add_future_table(database: Path) -> None:
    """Adds what the next version might: a migration and its table."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE ofTheFuture (id INTEGER PRIMARY KEY)")
        connection.execute("INSERT INTO grdb_migrations VALUES ('1000.0.0')")
        connection.commit()


def add_unknown_fields(folder: Path) -> int:
    """Adds a field to each record of a client, and returns how many it has."""
    count = 0
    for path in folder.rglob("*.json"):
        record = json.loads(path.read_text())
        if isinstance(record, dict):
            path.write_text(json.dumps({**record, "ofTheFuture": {"a": [1]}}))
            count += 1
    return count


def answer(release: Release, client: Path, configuration: Path) -> object:
    """The objects in a picture, as a server of answers finds them with the hub's model."""
    port = free_port()
    variables = {name: str(client / name) for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    # LiteRT lies where it was installed for this user.
    runtime = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "sightline"
    data = client / "XDG_DATA_HOME/sightline"
    data.mkdir(parents=True, exist_ok=True)
    for path in runtime.glob("litert-*"):
        with contextlib.suppress(FileExistsError):
            (data / path.name).symlink_to(path)
    command = [
        release.path("sightline-serve"),
        "--model",
        "hub:plants",
        "--hub",
        str(configuration),
        "--port",
        str(port),
    ]
    environment = {**os.environ, **variables, "XDG_DATA_HOME": str(data.parent)}
    log = (client / "serve.log").open("a+")
    server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        address = f"http://127.0.0.1:{port}"
        wait(lambda: server.poll() is not None or is_ready(address), "the server of answers", 60)
        if server.poll() is not None:
            sys.exit(f"error: sightline-serve {release.version} ended: {(client / 'serve.log').read_text()}")
        with urllib.request.urlopen(f"{address}/v1/detect", data=PICTURE.read_bytes()) as reply:
            objects = json.loads(reply.read())["objects"]
        if not objects:
            sys.exit(f"error: sightline-serve {release.version} finds no object with the model of the hub.")
        return [(each["frame"], each["labels"][0]["text"]) for each in objects]
    finally:
        server.terminate()
        server.wait(30)
        log.close()


def is_ready(address: str) -> bool:
    """Whether a server answers."""
    try:
        with urllib.request.urlopen(f"{address}/readyz", timeout=5) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


# MARK: Watch


class Receiver(http.server.ThreadingHTTPServer):
    """Receives the events of a webhook."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.uids: list[str] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        events = body if isinstance(body, list) else [body]
        self.server.uids += [str(event.get("uid")) for event in events]
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


class Camera:
    """A camera that shows a video again and again: a pipe in a folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "door.mjpeg"
        self.path.unlink(missing_ok=True)
        os.mkfifo(self.path)
        self.is_over = False
        threading.Thread(target=self.play, daemon=True).start()

    def play(self) -> None:
        """Writes until the end."""
        video = VIDEO.read_bytes()
        with contextlib.suppress(OSError), self.path.open("wb", buffering=0) as pipe:
            # FFmpeg looks at the first megabytes before it gives a frame.
            for _ in range(8_000_000 // len(video)):
                pipe.write(video)
            while not self.is_over:
                pipe.write(video)
                time.sleep(0.2)


@contextlib.contextmanager
def watching(release: Release, folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A watch of a camera, which is killed at the end unless it has ended."""
    camera = Camera(folder)
    with (folder / "watch.log").open("ab") as log:
        command = [release.path("sightline"), "watch", "cameras.yaml"]
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        try:
            yield process
        finally:
            camera.is_over = True
            process.kill()
            process.wait()


def check_watch(earlier: Release, later: Release, folder: Path) -> None:
    """Kills a watch of the earlier version, and continues with the later and again with the earlier."""
    port = free_port()
    rows = [
        f"defaults: {{model: {MODEL}, zone: {{all: '0,0 10000,0 10000,10000 0,10000'}}}}",
        "events: events.jsonl",
        f"webhook: http://127.0.0.1:{port}/",
        "queue: queue",
        "cameras:",
        "  door: {input: door.mjpeg, counts: door.csv, pictures: {folder: pictures}}",
    ]
    (folder / "cameras.yaml").write_text("\n".join(rows) + "\n")
    # Nothing listens at the port yet, so that all events wait.
    with watching(earlier, folder):
        until(folder, lambda: len(uids(folder)) >= 2 and (folder / "door.csv.open").exists(), "the first events")
    first = uids(folder)
    receiver = Receiver(port)
    try:
        go_on(later, folder, receiver, first)
        if len((folder / "door.csv").read_text().splitlines()) < 2:
            sys.exit("error: the counts of the earlier version have no row.")
        print(f"  watch: {len(first)} waiting events of the earlier version arrived, and its counts are a row.")
        before = (folder / "door.csv").read_text()
        go_on(earlier, folder, receiver, uids(folder))
        if not (folder / "door.csv").read_text().startswith(before):
            sys.exit("error: the earlier version has changed rows of counts.")
    finally:
        receiver.shutdown()
        receiver.server_close()
    if found := problems(uids(folder), receiver.uids):
        sys.exit(f"error: {'; '.join(found)}")
    print(f"  watch: the earlier version continues again; {len(uids(folder))} events in all, each once in the file.")


def go_on(release: Release, folder: Path, receiver: Receiver, known: Sequence[str]) -> None:
    """Watches with a version until events of its own have arrived, and all that were known before."""
    with watching(release, folder) as process:

        def is_over() -> bool:
            has_arrived = set(known) < set(receiver.uids) and len(uids(folder)) > len(known)
            return has_arrived or process.poll() is not None

        until(folder, is_over, f"events of {release.version}")
        process.terminate()
        if (code := process.wait(60)) != 143:
            sys.exit(
                f"error: sightline watch {release.version} ended with {code}: {(folder / 'watch.log').read_text()}"
            )
    if uids(folder)[: len(known)] != list(known):
        sys.exit(f"error: sightline watch {release.version} has changed the earlier events.")


def until(folder: Path, condition: Callable[[], bool], what: str) -> None:
    """Waits for a condition; what the watch said is shown if that takes too long."""
    try:
        wait(condition, what, 60)
    except SystemExit as error:
        sys.exit(f"error: {error}; the watch said: {(folder / 'watch.log').read_text()}")


def uids(folder: Path) -> list[str]:
    """The ids of the events in the file."""
    file = folder / "events.jsonl"
    lines = file.read_bytes().split(b"\n")[:-1] if file.exists() else []
    return [str(json.loads(line)["uid"]) for line in lines]
