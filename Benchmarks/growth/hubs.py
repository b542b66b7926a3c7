"""Growth of hubs: models, devices, Remote Config, audit logs, data sets."""

import hashlib
import http.client
import json
import pathlib
import sqlite3
import sys
import time
import urllib.parse
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import material
from bench import FIXTURES, PACKAGE, Bench, Row
from costs import MOST_OF_ALL, MOST_OF_ONE, Cost, RunningProgram, of_program

sys.path.append(str(PACKAGE / "Tools"))
from sightline_tools.hubs import Place

MODELS = [FIXTURES / f"models/{name}.tflite" for name in ("classifier_float_metadata", "classifier_uint8_metadata")]
PROJECT = "growth"
V1, V1_BETA, OWN = (f"{path}/projects/{PROJECT}" for path in ("/v1", "/v1beta2", "/hub/v1"))
# The requests of which one is the average.
REQUESTS = 50


class GrowingHub:
    """A hub with a project, a model with two versions, and a person who may do everything."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.folder = bench, bench.folder / "hub"
        self.place = Place(bench.hub, ["--data", self.folder])
        self.place.run("project", "create", PROJECT)
        self.token = self.place.run("key", "create", "--token", "ci", "--role", "owner").strip()
        self.key = self.place.run("key", "create", "--api-key", "app").strip()
        self.place.run("publish", "plants", MODELS[0])
        self.place.run("publish", "plants", MODELS[1], "--stage")

    def command(self, *words: str | pathlib.Path, output: pathlib.Path | None = None) -> Cost:
        """The cost of a command of the hub."""
        return of_program([self.bench.hub, *words, "--data", self.folder], output=output)

    def database(self) -> sqlite3.Connection:
        """The records. No hub may serve meanwhile."""
        return sqlite3.connect(self.folder / "hub.sqlite")

    def __enter__(self) -> "GrowingHub":
        """Serves the hub."""
        start = FIXTURES / "models/float_network.tflite"
        self.serving = self.place.serve("--rate-limit", "0", "--train-from", start)
        self.program = RunningProgram(self.serving.process.pid)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.serving.port, timeout=300)
        self.ask("GET", "/healthz")
        self.start = Cost(self.program.seconds(), self.program.megabytes())
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self.serving.stop()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> bytes:
        """The body of an answer. A refusal ends the measurement."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        fields = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "If-Match": "*"}
        self.connection.request(method, path, data, {**fields, **headers})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status not in (200, 303):
            sys.exit(f"{method} {path} was answered with {answer.status}: {text[:500]!r}")
        self.cookie = answer.getheader("Set-Cookie", "").split(";")[0]
        return text

    def get(self, path: str) -> Any:
        return json.loads(self.ask("GET", path))

    def sign_in(self) -> dict[str, str]:
        """The headers of a session of the console."""
        form = urllib.parse.urlencode({"token": self.token})
        self.ask("POST", "/console/sign-in", form.encode(), **{"Content-Type": "application/x-www-form-urlencoded"})
        return {"Cookie": self.cookie}

    def one(self, work: Callable[[int], object], count: int = REQUESTS) -> Cost:
        """The hub's cost of one of some requests."""
        work(0)
        before = self.program.seconds()
        for number in range(1, count + 1):
            work(number)
        return Cost((self.program.seconds() - before) / count, most=MOST_OF_ONE)

    def all(self, work: Callable[[], object]) -> Cost:
        """The hub's cost of all of some work."""
        before = self.program.seconds()
        work()
        return Cost(self.program.seconds() - before, self.program.megabytes())

    def path_of(self, name: str) -> str:
        """The path of a model."""
        query = urllib.parse.urlencode({"filter": f"displayName={name}"})
        return "/v1beta2/" + self.get(f"{V1_BETA}/models?{query}")["models"][0]["name"]


def copy_model(hub: GrowingHub, count: int) -> None:
    """Many models like the first, each with a file of its own, straight into the records."""
    content = MODELS[0].read_bytes()
    database = hub.database()
    database.row_factory = sqlite3.Row
    first = dict(database.execute("SELECT * FROM model").fetchone())
    version = dict(database.execute("SELECT * FROM version ORDER BY number").fetchone())
    blob = dict(database.execute("SELECT * FROM blob WHERE hash = ?", (version["hash"],)).fetchone())

    def insert(table: str, row: dict[str, Any]) -> None:
        names, places = ", ".join(row), ", ".join(f":{name}" for name in row)
        database.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", row)

    with database:
        for number in range(count):
            # A reader leaves out what follows the model.
            data = content + number.to_bytes(8, "big")
            hash = hashlib.sha256(data).hexdigest()
            file = hub.folder / "blobs" / hash[:2] / f"{hash}.blob"
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(data)
            own = {"hash": hash, "size": len(data)}
            id = first["id"] + 1 + number
            insert("blob", {**blob, **own})
            name = f"model_{number:06}"
            insert(
                "model", {**first, **own, "id": id, "displayName": name, "objectURI": None, "etag": f"{number:016x}"}
            )
            insert("version", {**version, **own, "model": id})
    database.close()


def models(bench: Bench, count: int) -> dict[str, Cost]:
    hub = GrowingHub(bench)
    copy_model(hub, count - 1)
    found = {
        "list": hub.command("list"),
        "verify --deep": hub.command("verify", "--deep"),
        "backup": hub.command("backup", bench.folder / "backup"),
        "backup, nothing new": hub.command("backup", bench.folder / "backup"),
    }
    with hub:
        found["start"] = hub.start
        console = hub.sign_in()
        names = [f"model_{number * 7919 % max(count - 1, 1):06}" for number in range(REQUESTS + 1)]
        found["a page of 100"] = hub.one(lambda _: hub.ask("GET", f"{V1_BETA}/models?pageSize=100"))
        found["by name"] = hub.one(
            lambda number: hub.ask("GET", f"{V1_BETA}/models/{names[number]}:download", **{"X-Goog-Api-Key": hub.key})
        )
        found["create"] = hub.one(lambda number: hub.ask("POST", f"{V1_BETA}/models", {"displayName": f"new_{number}"}))
        found["page of the console"] = hub.one(lambda _: hub.ask("GET", "/console/models", **console))
        found["search in the console"] = hub.one(lambda _: hub.ask("GET", "/console/models?q=_0000", **console))
    return found


def versions(bench: Bench, count: int) -> dict[str, Cost]:
    hub = GrowingHub(bench)
    database = hub.database()
    columns = [row[1] for row in database.execute("PRAGMA table_info(version)") if row[1] != "number"]
    with database:
        for number in range(3, count + 1):
            names = ", ".join(columns)
            database.execute(
                f"INSERT INTO version (number, {names}) SELECT ?, {names} FROM version WHERE number = 1", (number,)
            )
    database.close()
    with hub:
        console = hub.sign_in()
        path = hub.path_of("plants").removeprefix("/v1beta2/")
        own = f"/hub/v1/{path}"
        return {
            "all versions": hub.one(lambda _: hub.ask("GET", own), 10).may(MOST_OF_ALL),
            "promote": hub.one(lambda number: hub.ask("POST", f"{own}:promote", {"version": 1 + number % 2})),
            "download": hub.one(
                lambda _: hub.ask("GET", f"{V1_BETA}/models/plants:download", **{"X-Goog-Api-Key": hub.key})
            ),
            "page of the console": hub.one(
                lambda _: hub.ask("GET", f"/console/models/{path.split('/')[-1]}", **console), 10
            ),
        }


def devices(bench: Bench, count: int) -> dict[str, Cost]:
    """Each device is in a rollout, compares two versions and reports confidences."""
    hub = GrowingHub(bench)
    hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file in MODELS]
    with hub:
        plan = {"model": "plants", "version": 2, "steps": [50, 100], "guards": ["failures", "latency"]}
        rollout = json.loads(hub.ask("POST", f"{OWN}/rollouts", plan))["rolloutId"]

        def report(number: int) -> None:
            outcome = {
                "experimentId": rollout,
                "variantId": ["new", "old"][number % 2],
                "model": "plants",
                "count": 5,
                "latency": {"count": 5, "sum": 200.0, "squares": 8100.0, "histogram": {"69": 5}},
                "scores": {
                    "failures": {"count": 5, "sum": 0, "squares": 0},
                    "confidence": {"count": 5, "sum": 4.0, "squares": 3.3},
                },
            }
            labels = [{"label": f"label {number % 100}", "count": 5, "different": number % 2}]
            shadow = {"model": "plants", "served": hashes[0], "candidate": hashes[1], "count": 5, "different": 1}
            # Of a publisher's reports, each is taken for that of a device.
            batch = {"batchId": f"batch-{number:08}", "outcomes": [outcome], "shadows": [{**shadow, "labels": labels}]}
            hub.ask("POST", f"{OWN}/outcomes", batch)

        def report_all() -> None:
            for number in range(count):
                report(number)

        def register(_: int) -> None:
            hub.ask("POST", f"{V1}/installations", {"appId": "1:1:ios:1"}, **{"X-Goog-Api-Key": hub.key})

        console = hub.sign_in()
        path = hub.path_of("plants").removeprefix("/v1beta2/")
        found = {
            "reports": hub.all(report_all),
            "a report": hub.one(lambda number: report(count + number)),
            "a report that is repeated": hub.one(lambda number: report(number % count)),
            "register": hub.one(register),
            "download": hub.one(
                lambda _: hub.ask("GET", f"{V1_BETA}/models/plants:download", **{"X-Goog-Api-Key": hub.key})
            ),
            "rollout": hub.one(lambda _: hub.ask("GET", f"{OWN}/rollouts/{rollout}")),
            "page of the rollout": hub.one(lambda _: hub.ask("GET", f"/console/rollouts/{rollout}", **console)),
            "shadows": hub.one(lambda _: hub.ask("GET", f"/hub/v1/{path}/shadows")),
            "drift": hub.one(lambda _: hub.ask("GET", f"/hub/v1/{path}/drift")),
            "/metrics": hub.one(lambda _: hub.ask("GET", "/metrics")),
        }
    found["clean"] = hub.command("clean")
    return found


def fetch(hub: GrowingHub) -> Cost:
    """One fetch of the values for one of many installations."""

    def ask(number: int) -> None:
        body = {
            "app_instance_id": f"installation-{number}",
            "app_id": "1:1234:ios:ab12",
            "country_code": "DE",
            "language_code": "de-DE",
            "app_version": "12.4.1",
            "custom_signals": {"group": f"g{number}"},
        }
        hub.ask("POST", f"{V1}/namespaces/firebase:fetch", body, **{"X-Goog-Api-Key": hub.key})

    return hub.one(ask)


def conditions(bench: Bench, count: int) -> dict[str, Cost]:
    chosen = [
        {
            "name": f"condition {number}",
            "expression": f"app.customSignal['group'].exactlyMatches(['g{number}']) && percent('s{number % 20}') <= 50",
        }
        for number in range(count)
    ]
    parameters = {
        f"parameter_{number}": {
            "defaultValue": {"value": "0"},
            "conditionalValues": {f"condition {place}": {"value": "1"} for place in range(number, count, 100)},
        }
        for number in range(min(100, count))
    }
    template = {"conditions": chosen, "parameters": parameters}
    with GrowingHub(bench) as hub:
        publish = hub.one(lambda _: hub.ask("PUT", f"{V1}/remoteConfig", template), count=5)
        console = hub.sign_in()
        return {
            "publish": publish.may(MOST_OF_ALL),
            "fetch": fetch(hub).may(MOST_OF_ALL),
            "page of the console": hub.one(lambda _: hub.ask("GET", "/console/config", **console), 5).may(MOST_OF_ALL),
        }


def run_experiments(hub: GrowingHub, count: int) -> None:
    """Running experiments, straight into the records: the rows and the template that contains them."""
    value = [{"noChange": True, "variantId": "control"}, {"value": "x", "variantId": "b"}]
    names = [f"e{number}" for number in range(count)]
    template = {
        "conditions": [{"expression": "true", "name": f"experiment {name}"} for name in names],
        "parameters": {
            f"p_{name}": {
                "conditionalValues": {
                    f"experiment {name}": {
                        "experimentValue": {"experimentId": name, "exposurePercent": 100, "variantValue": value}
                    }
                }
            }
            for name in names
        },
    }
    text = json.dumps(template, separators=(",", ":"), sort_keys=True)
    variants = json.dumps([{"weight": 1, "id": "control"}, {"value": "x", "weight": 1, "id": "b"}])
    now = int(time.time() * 1000)
    database = hub.database()
    with database:
        version = (
            PROJECT,
            "firebase",
            1,
            "etag-1",
            now,
            "local",
            "REST_API",
            "FORCED_UPDATE",
            "",
            None,
            text,
            len(text),
        )
        database.execute(f"INSERT INTO configTemplate VALUES ({', '.join('?' * len(version))})", version)
        for name in names:
            row = (PROJECT, name, f"p_{name}", None, variants, 100.0, now, None, None)
            database.execute(f"INSERT INTO experiment VALUES ({', '.join('?' * len(row))})", row)
    database.close()


def experiments(bench: Bench, count: int) -> dict[str, Cost]:
    hub = GrowingHub(bench)
    run_experiments(hub, count - 1)
    with hub:
        plan = {"experimentId": "last", "parameter": "last", "variants": [{"variantId": "a"}, {"variantId": "b"}]}
        start = hub.all(lambda: hub.ask("POST", f"{OWN}/experiments", plan))
        console = hub.sign_in()

        def report(number: int) -> None:
            outcome = {"experimentId": "last", "variantId": "ab"[number % 2], "model": "plants", "count": 5}
            hub.ask("POST", f"{OWN}/outcomes", {"batchId": f"batch-{number:08}", "outcomes": [outcome]})

        return {
            "start one": start,
            "list": hub.one(lambda _: hub.ask("GET", f"{OWN}/experiments"), 10).may(MOST_OF_ALL),
            "fetch": fetch(hub).may(MOST_OF_ALL),
            "a report": hub.one(report),
            "page of the console": hub.one(lambda _: hub.ask("GET", "/console/experiments", **console), 5).may(
                MOST_OF_ALL
            ),
        }


def fill_audit_log(hub: GrowingHub, count: int) -> None:
    """Entries as the hub writes them, each with the hash of the one before, straight into the records."""
    database = hub.database()
    last, previous = database.execute("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1").fetchone()
    milliseconds = int(time.time() * 1000)
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S") + (
        f".{milliseconds % 1000:03}Z"
    )
    rows = []
    for number in range(last + 1, count + 1):
        texts = [PROJECT, "local", "model.patch", f"projects/{PROJECT}/models/{number}", "tags"]
        joined = "".join(f"{len(text)}:{text}," for text in [previous, str(number), moment, *texts])
        hash = hashlib.sha256(joined.encode()).hexdigest()
        rows.append((milliseconds, *texts, None, number, previous, hash))
        previous = hash
    columns = "time, project, actor, action, target, detail, event, number, previous, hash"
    with database:
        database.executemany(f"INSERT INTO audit ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    database.close()


def audit(bench: Bench, count: int) -> dict[str, Cost]:
    hub = GrowingHub(bench)
    fill_audit_log(hub, count)
    copy = bench.folder / "audit.jsonl"
    found = {
        "audit --since 0": hub.command("audit", "--since", "0", output=copy),
        "audit --verify": hub.command("audit", "--verify", copy),
        "verify": hub.command("verify"),
        "backup": hub.command("backup", bench.folder / "backup"),
    }
    with hub:
        console = hub.sign_in()
        found["the newest 100"] = hub.one(lambda _: hub.ask("GET", f"{OWN}/audit?limit=100"))
        found["page of the console"] = hub.one(lambda _: hub.ask("GET", "/console/activity", **console))
        found["a change"] = hub.one(
            lambda number: hub.ask("POST", f"{V1_BETA}/models", {"displayName": f"new_{number}"})
        )
    return found


def members(bench: Bench, count: int) -> dict[str, Cost]:
    with GrowingHub(bench) as hub:
        hub.ask("POST", f"{OWN}/datasets", {"name": "plants"})
        photos = f"{OWN}/datasets/plants/photos"
        part = 500
        # A data set has at most 10,000 photos, of which some come one by one.
        first = max(count - REQUESTS, 5)

        def add() -> None:
            for start in range(0, first, part):
                hub.ask("POST", photos, material.archive(range(start, min(start + part, first))))

        found = {"add all, 500 at a time": hub.all(add)}
        page = hub.get(f"{photos}?pageSize=100")["photos"]
        console = hub.sign_in()

        def photo(number: int) -> str:
            return f"{photos}/{page[number % len(page)]['photoId']}"

        box = {"label": "leaf", "x": 1, "y": 1, "width": 8, "height": 8}
        found |= {
            "add one": hub.one(lambda number: hub.ask("POST", photos, material.photo(count + number)[1]), 10),
            "a page of 100": hub.one(lambda _: hub.ask("GET", f"{photos}?pageSize=100")),
            "a page of a label": hub.one(lambda _: hub.ask("GET", f"{photos}?pageSize=100&label=red")),
            "page of the console": hub.one(lambda _: hub.ask("GET", "/console/datasets/plants", **console)),
            "page of a photo's boxes": hub.one(
                lambda number: hub.ask(
                    "GET", f"/console/datasets/plants/boxes/{page[number % len(page)]['photoId']}", **console
                )
            ),
            "relabel": hub.one(lambda number: hub.ask("PATCH", photo(number), {"label": ["red", "blue"][number % 2]})),
            "draw boxes": hub.one(lambda number: hub.ask("PUT", f"{photo(number)}/boxes", {"boxes": [box] * 5})),
            "the numbers of all": hub.one(lambda _: hub.ask("GET", f"{OWN}/datasets/plants")).may(MOST_OF_ALL),
        }
    return found


ROWS = [
    Row("models", "models of a hub", (10, 1000, 10_000), (10, 100), models),
    Row("versions", "versions of a model", (10, 100, 1000), (10, 100), versions),
    Row("devices", "devices", (100, 1000, 10_000), (10, 100), devices),
    Row("conditions", "conditions of Remote Config", (10, 100, 500, 1000), (10, 100), conditions),
    Row("experiments", "running experiments", (10, 100, 500, 1000), (10, 100), experiments),
    Row("audit", "entries of the audit log", (1000, 10_000, 100_000), (100, 1000), audit),
    Row("members", "photos of a data set", (100, 1000, 10_000), (10, 100), members),
]
