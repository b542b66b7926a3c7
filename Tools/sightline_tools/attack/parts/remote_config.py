"""Attacks on Remote Config, experiments and their outcomes."""

import contextlib
import gzip
import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ...hubs import Response
from ..attacked import PROJECT, HealthProbe, Hub, attack

TEMPLATE = f"/v1/projects/{PROJECT}/remoteConfig"
FETCH = f"/v1/projects/{PROJECT}/namespaces/firebase:fetch"
OUTCOMES = f"/hub/v1/projects/{PROJECT}/outcomes"
# Far above what a quiet machine shows, which the printed figures say.
PATIENCE = 3000


def put(hub: Hub, token: str, template: dict[str, Any]) -> Response:
    return hub.request("PUT", TEMPLATE, template, token=token, headers={"If-Match": "*"}, timeout=120)


def conditions(count: int, expression: str) -> list[dict[str, str]]:
    return [{"name": f"c{index}", "expression": expression.replace("INDEX", str(index))} for index in range(count)]


def parameter(names: Sequence[str], values: str | None = None) -> dict[str, Any]:
    return {"defaultValue": {"value": "none"}, "conditionalValues": {name: {"value": values or name} for name in names}}


def together(seconds: float, count: int, body: Callable[[int], int]) -> list[int]:
    """Calls `body` with a number over and over from several threads, and gives what it returned."""
    results, end = [], time.monotonic() + seconds

    def work(number: int) -> None:
        while time.monotonic() < end:
            results.append(body(number))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def watched(hub: Hub, probe: HealthProbe) -> str:
    assert hub.is_alive, "the hub ended"
    assert not probe.failures, f"{probe.failures} of {len(probe.milliseconds)} requests for /healthz failed"
    assert probe.percentile(0.99) < PATIENCE, f"/healthz waited: {probe}"
    return str(probe)


@attack()
def a_long_property_is_not_searched(hub: Hub) -> str | None:
    """331 bytes of gzip hold a property of 250,000 letters, in which an ordinary condition looks for forty words."""
    token, key = hub.token("publish"), hub.api_key()
    words = ", ".join(f"'word{index}'" for index in range(40))
    found = conditions(1, f"app.userProperty['k'].contains([{words}])")
    assert put(hub, token, {"conditions": found, "parameters": {"p": parameter(["c0"])}})[0] == 200
    body = gzip.compress(
        json.dumps({"app_instance_id": "x", "analytics_user_properties": {"k": "w" * 250_000}}).encode()
    )
    with HealthProbe(hub) as probe:
        statuses = together(2, 4, lambda _: hub.request("POST", f"{FETCH}?key={key}", body)[0])
    assert set(statuses) <= {400, 429}, f"statuses {set(statuses)}"
    return f"{len(body)} bytes, {len(statuses)} fetches refused; {watched(hub, probe)}"


@attack()
def a_template_cannot_ask_for_endless_comparisons(hub: Hub) -> str | None:
    """1500 conditions of 200 values each made a fetch take thirteen seconds."""
    token = hub.token("publish")
    values = ", ".join(f"'v{index}'" for index in range(200))
    status, body, _ = put(hub, token, {"conditions": conditions(1500, f"app.customSignal['k'].contains([{values}])")})
    assert status == 400 and b"20000 values" in body, f"{status} {body[:200]!r}"
    return "refused"


@attack()
def fetches_of_the_heaviest_template_stop_no_other_connection(hub: Hub) -> str | None:
    """The most values and seeds that a template may have, and the longest property, asked for by sixteen
    connections.
    """
    token, key = hub.token("publish"), hub.api_key()
    words = ", ".join(f"'{'w' * 30}{index}'" for index in range(400))
    seeds = " && ".join(f"percent('sINDEX_{index}') <= 100" for index in range(50))
    found = conditions(24, f"app.userProperty['k'].contains([{words}])")
    found += [{"name": f"s{index}", "expression": seeds.replace("INDEX", str(index))} for index in range(200)]
    names = [condition["name"] for condition in found]
    status, body, _ = put(hub, token, {"conditions": found, "parameters": {"p": parameter(names)}})
    assert status == 200, f"{status} {body[:200]!r}"
    asked = {"app_instance_id": "x", "analytics_user_properties": {"k": "w" * 500}}
    with HealthProbe(hub) as probe:
        statuses = together(3, 16, lambda _: hub.request("POST", f"{FETCH}?key={key}", asked)[0])
    assert set(statuses) <= {200, 429}, f"statuses {set(statuses)}"
    return f"{statuses.count(200)} fetched, {statuses.count(429)} refused; {watched(hub, probe)}"


@attack()
def large_templates_are_published_in_reasonable_time(hub: Hub) -> str | None:
    """Many conditional values once took a time that grew with their square."""
    token = hub.token("publish")
    names = [f"c{index}" for index in range(2000)]
    template = {
        "conditions": conditions(2000, "true"),
        "parameters": {f"p{index}": parameter(names, "v") for index in range(25)},
    }
    before = hub.processor_seconds()
    status, body, _ = put(hub, token, template)
    seconds = hub.processor_seconds() - before
    assert status == 200, f"{status} {body[:200]!r}"
    assert seconds < 20, f"{len(json.dumps(template))} bytes took {seconds:.1f} s of a processor"
    return f"{len(json.dumps(template))} bytes took {seconds:.1f} s of a processor"


@attack()
def looks_at_a_large_template_are_cheap(hub: Hub) -> str | None:
    """A reader once made the hub read a large template again for every look at it."""
    publisher, reader = hub.token("publish"), hub.token("read")
    times = " && ".join(
        f"dateTime >= dateTime('20{index:02}-01-01T00:00:00', 'Europe/Berlin')" for index in range(10, 20)
    )
    status, body, _ = put(hub, publisher, {"conditions": conditions(1900, times)})
    assert status == 200, f"{status} {body[:200]!r}"
    before = hub.processor_seconds()
    with HealthProbe(hub) as probe:
        statuses = together(3, 4, lambda _: hub.request("GET", TEMPLATE, token=reader)[0])
    seconds = (hub.processor_seconds() - before) / len(statuses)
    assert set(statuses) <= {200, 429}, f"statuses {set(statuses)}"
    return f"{len(statuses)} looks, {seconds * 1000:.0f} ms of a processor each; {watched(hub, probe)}"


def experiment(hub: Hub, token: str) -> None:
    plan = {"experimentId": "ab", "parameter": "p", "variants": [{"variantId": "a"}, {"variantId": "b", "value": "2"}]}
    status, body, _ = hub.request("POST", f"/hub/v1/projects/{PROJECT}/experiments", plan, token=token)
    assert status == 200, body


def batch(number: int, outcomes: int, scores: int) -> dict[str, Any]:
    values = {"count": 1, "sum": 1, "squares": 1}
    return {
        "batchId": f"batch-{number:08}",
        "outcomes": [
            {
                "experimentId": "ab",
                "variantId": "b",
                "model": f"m{index}",
                "count": 1,
                "scores": {f"s{score}": values for score in range(scores)},
            }
            for index in range(outcomes)
        ],
    }


@attack()
def floods_of_outcomes_leave_the_writer_to_others(hub: Hub) -> str | None:
    """A client that knows an app's key, which is public, registers installations and reports with all of them."""
    token, key = hub.token("admin"), hub.api_key()
    experiment(hub, token)
    tokens = []
    for number in range(40):
        status, body, _ = hub.request(
            "POST",
            f"/v1/projects/{PROJECT}/installations?key={key}",
            {"appId": "1:1:ios:a"},
            source=f"127.0.1.{number + 1}",
        )
        assert status == 200, body
        tokens.append(json.loads(body)["authToken"]["token"])
    count, lock = 0, threading.Lock()
    waits: list[float] = []

    def report(number: int) -> int:
        nonlocal count
        with lock:
            count += 1
            mine = count
        if number == 0:
            start = time.perf_counter()
            status = put(hub, token, current)[0]
            waits.append(time.perf_counter() - start)
            return status
        return hub.request(
            "POST",
            f"{OUTCOMES}?key={key}",
            batch(mine, 2, 20),
            headers={"X-Goog-Firebase-Installations-Auth": tokens[mine % len(tokens)]},
            source=f"127.0.1.{mine % 40 + 1}",
        )[0]

    current = json.loads(hub.request("GET", TEMPLATE, token=token)[1])
    with HealthProbe(hub) as probe:
        statuses = together(3, 9, report)
    assert set(statuses) <= {200, 429}, f"statuses {set(statuses)}"
    assert max(waits) < 5, f"a change of the template waited {max(waits):.1f} s"
    return (
        f"{statuses.count(200) - len(waits)} batches taken, {statuses.count(429)} refused, {len(waits)} changes"
        f" meanwhile, longest {max(waits) * 1000:.0f} ms; {watched(hub, probe)}"
    )


@attack()
def a_batch_has_a_limited_number_of_records(hub: Hub) -> str | None:
    """102 kB of outcomes were 20,000 statements in one transaction."""
    token = hub.token("publish")
    experiment(hub, token)
    status, _, _ = hub.request("POST", OUTCOMES, batch(1, 100, 20), token=token)
    assert status in (400, 413), f"status {status}"
    return f"status {status}"


@attack()
def reports_without_an_installation_neither_decide_nor_stay(hub: Hub) -> str | None:
    """With the key alone, sixty addresses report as sixty installations of both variants."""
    token, key = hub.token("admin"), hub.api_key()
    experiment(hub, token)
    hub.request("POST", f"{OUTCOMES}?key={key}", batch(1, 2, 20))
    before = hub.stored_bytes()
    for number in range(60):
        status, body, _ = hub.request(
            "POST", f"{OUTCOMES}?key={key}", batch(100 + number, 2, 20), source=f"127.0.2.{number + 1}"
        )
        assert status == 200, f"{status} {body!r}"
    shown = json.loads(hub.request("GET", f"/hub/v1/projects/{PROJECT}/experiments/ab", token=token)[1])
    assert [metric["metric"] for metric in shown["metrics"]] == ["unidentified"], shown["metrics"]
    grown = hub.stored_bytes() - before
    # The write-ahead log holds some pages of each transaction, until they are written back.
    assert grown < 8 << 20, f"{grown} bytes for 60 reports"
    return f"{grown} bytes for 60 reports, log included; {shown['sentences'][-1]}"


@attack()
def one_installation_does_not_decide_an_experiment(hub: Hub) -> str | None:
    """After reports of ninety equal installations, one installation reports a million results."""
    token, key = hub.token("admin"), hub.api_key()
    experiment(hub, token)

    def report(number: int, variant: str, count: int, value: float, **sender: Any) -> Response:
        scores = {"s": {"count": count, "sum": value * count, "squares": value * value * count}}
        outcome = {"experimentId": "ab", "variantId": variant, "model": "m", "count": count, "scores": scores}
        return hub.request(
            "POST", sender.pop("path", OUTCOMES), {"batchId": f"batch-{number:08}", "outcomes": [outcome]}, **sender
        )

    for number in range(90):
        status, body, _ = report(
            number, "ab"[number % 2], 20, 0.5 + number % 7 / 20, token=token, source=f"127.0.3.{number + 1}"
        )
        assert status == 200, body
    path = f"/v1/projects/{PROJECT}/installations?key={key}"
    installation = json.loads(hub.request("POST", path, {"appId": "1:1:ios:a"})[1])["authToken"]["token"]
    taken = 0
    for number, variant in enumerate("ab"):
        headers = {"X-Goog-Firebase-Installations-Auth": installation}
        status, body, _ = report(
            200 + number, variant, 1_000_000, 1000.0, path=f"{OUTCOMES}?key={key}", headers=headers
        )
        taken += status == 200 and json.loads(body)["accepted"]
        time.sleep(1.1)
    assert taken == 1, f"{taken} reports were taken"
    shown = json.loads(hub.request("GET", f"/hub/v1/projects/{PROJECT}/experiments/ab", token=token)[1])
    said = " ".join(shown["sentences"])
    assert " better than" not in said and " worse than" not in said, said
    return said


STREAM = f"/v1/projects/{PROJECT}/namespaces/firebase:streamFetchInvalidations"


def open_stream(hub: Hub, key: str, source: str | None = None, path: str = STREAM) -> tuple[socket.socket, int]:
    """A connection that waits for live updates, and the status of its answer."""
    body = json.dumps({"appInstanceId": "x", "lastKnownVersionNumber": "0"})
    connection = hub.connect(source)
    connection.sendall(
        f"POST {path}?key={key} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    head = connection.recv(4096)
    return connection, int(head.split()[1]) if head else 0


@attack(max_connections=64, rate_limit=0)
def closed_streams_keep_no_app_out(hub: Hub) -> str | None:
    """One address opens streams and closes them at once, three times as many as there are places."""
    key = hub.api_key()
    refused = 0
    for _ in range(150):
        connection, status = open_stream(hub, key)
        refused += status != 200
        connection.close()
    end = time.monotonic() + 5
    while True:
        connection, status = open_stream(hub, key, "127.0.4.1")
        connection.close()
        if status == 200:
            break
        assert time.monotonic() < end, f"an app gets {status} five seconds after the streams were closed"
        time.sleep(0.1)
    return f"{refused} of 150 streams were refused meanwhile"


@attack(max_connections=64, rate_limit=0)
def one_project_does_not_take_the_streams_of_another(hub: Hub) -> str | None:
    """A stranger with one project's key holds all places for live updates."""
    hub.run("project", "create", "victim-project")
    key = hub.run("key", "create", "--api-key", "app", "--project", PROJECT).strip()
    theirs = hub.run("key", "create", "--api-key", "app", "--project", "victim-project").strip()
    held = [open_stream(hub, key, f"127.0.5.{number % 8 + 1}") for number in range(60)]
    statuses = [status for _, status in held]
    assert 503 in statuses, "the places were not all taken"
    path = STREAM.replace(PROJECT, "victim-project")
    victims = [open_stream(hub, theirs, "127.0.6.1", path) for _ in range(3)]
    for connection, _ in held + victims:
        connection.close()
    assert [status for _, status in victims] == [200] * 3, f"the other project's apps get {victims}"
    return f"{statuses.count(200)} streams were held"


@attack()
def a_revoked_key_hears_nothing(hub: Hub) -> None:
    """A stream is open while its key is revoked and new templates are published."""
    token, key = hub.token("publish"), hub.api_key()
    connection, status = open_stream(hub, key)
    assert status == 200
    for record in json.loads(hub.run("key", "list", "--format", "json")):
        if record["kind"] == "api-key":
            hub.run("key", "revoke", record["id"])
    for value in "ab":
        assert put(hub, token, {"parameters": {"p": {"defaultValue": {"value": value}}}})[0] == 200
        time.sleep(1.5)
    connection.settimeout(2)
    heard = b""
    with contextlib.suppress(TimeoutError):
        while piece := connection.recv(4096):
            heard += piece
    connection.close()
    assert heard.endswith(b"0\r\n\r\n"), f"the stream is open after its key was revoked: {heard!r}"
    assert b"latestTemplateVersionNumber" not in heard, heard
