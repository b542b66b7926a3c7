"""Attacks on rollouts: forged outcomes from holders of an app's key, and callers without the role."""

import json
import uuid
from typing import Any

from ...hubs import Response
from ...places import FIXTURES
from ...waiting import until
from ..attacked import PROJECT, Hub, attack

OUTCOMES = f"/hub/v1/projects/{PROJECT}/outcomes"
ROLLOUTS = f"/hub/v1/projects/{PROJECT}/rollouts"
FILES = [FIXTURES / "models/classifier_float_metadata.tflite", FIXTURES / "models/classifier_uint8_metadata.tflite"]
FIRST_STEP = 50
# The hub checks rollouts once a minute.
LOOK_SECONDS = 65


def begin(hub: Hub) -> str:
    """Starts a rollout whose first step lasts an hour, and gives its id."""
    hub.run("publish", "plants", FILES[0])
    hub.run("publish", "plants", FILES[1], "--stage")
    hub.run("rollout", "start", "plants", "--to", "2", "--steps", f"{FIRST_STEP},80,100", "--every", "1h")
    identifier: str = shown(hub)["rolloutId"]
    return identifier


def shown(hub: Hub) -> dict[str, Any]:
    """The rollout as the hub's owner sees it."""
    found: dict[str, Any] = json.loads(hub.run("rollout", "show", "plants", "--format", "json"))
    return found


def outcome(rollout: str, group: str, count: int, latency: float, failures: int) -> dict[str, Any]:
    """The report of a device: so many results, each of so many milliseconds, and so many failures."""
    return {
        "experimentId": rollout,
        "variantId": group,
        "model": "plants",
        "count": count,
        "latency": {
            "count": count,
            "sum": count * latency,
            "squares": count * latency**2,
            "histogram": {"60": count},
        },
        "scores": {"failures": {"count": count, "sum": failures, "squares": failures}},
    }


def report(hub: Hub, key: str, outcomes: Any, token: str = "", source: str | None = None) -> Response:
    """Sends outcomes as an app does."""
    fields = {"X-Goog-Api-Key": key}
    if token:
        fields["X-Goog-Firebase-Installations-Auth"] = token
    body = {"batchId": str(uuid.uuid4()), "outcomes": outcomes}
    return hub.request("POST", OUTCOMES, body, headers=fields, source=source)


def installation(hub: Hub, key: str, source: str | None = None) -> str:
    """The token of a device that the attacker invents."""
    path = f"/v1/projects/{PROJECT}/installations"
    body = {"appId": "1:1:ios:1"}
    reply = hub.request("POST", path, body, headers={"X-Goog-Api-Key": key}, source=source)[1]
    token: str = json.loads(reply)["authToken"]["token"]
    return token


@attack(rate_limit=0)
def praise_does_not_push_a_version(hub: Hub) -> str | None:
    """Four hundred invented devices say that the new version is ten times as fast, and that the old one fails."""
    rollout, key = begin(hub), hub.api_key()
    statuses: dict[int, int] = {}
    for number in range(400):
        source = f"127.0.{1 + number // 200}.{1 + number % 200}"
        token = installation(hub, key, source)
        praise = [outcome(rollout, "new", 100, 2, 0), outcome(rollout, "old", 100, 200, 100)]
        status = report(hub, key, praise, token, source)[0]
        statuses[status] = statuses.get(status, 0) + 1
    until(lambda: shown(hub)["state"] != "RUNNING" or shown(hub)["share"] != FIRST_STEP, LOOK_SECONDS)
    found = shown(hub)
    assert found["state"] in ("RUNNING", "HALTED"), f"the rollout is {found['state']}"
    assert found["share"] <= FIRST_STEP, f"forged outcomes pushed the version to {found['share']} %"
    assert 500 not in statuses, f"the hub failed: {statuses}"
    return f"{found['state'].lower()} at {found['share']} % after {statuses}"


@attack(rate_limit=0)
def slander_halts_at_most(hub: Hub) -> str | None:
    """Invented devices say that the new version fails, until it is halted; then they praise it."""
    rollout, key = begin(hub), hub.api_key()
    devices = [f"127.0.3.{1 + number}" for number in range(200)]
    tokens = {source: installation(hub, key, source) for source in devices}
    for source, token in tokens.items():
        for group in ("new", "old"):
            report(hub, key, [outcome(rollout, group, 100, 20, 100 if group == "new" else 0)], token, source)
    until(lambda: shown(hub)["state"] == "HALTED", LOOK_SECONDS)
    first = shown(hub)
    assert first["state"] in ("RUNNING", "HALTED") and first["share"] <= FIRST_STEP, first
    for source, token in tokens.items():
        report(hub, key, [outcome(rollout, "new", 100, 2, 0)], token, source)
    until(lambda: shown(hub)["state"] == "RUNNING", LOOK_SECONDS)
    second = shown(hub)
    assert second["share"] <= first["share"], f"praise after slander pushed it: {second}"
    assert first["state"] != "HALTED" or second["state"] == "HALTED", "a halted rollout continued by itself"
    return f"{first['state'].lower()}, then {second['state'].lower()} at {second['share']} %"


@attack(rate_limit=0)
def outcomes_of_any_form_do_no_harm(hub: Hub) -> str | None:
    """Numbers that are none, endless lists, other rollouts and models, and a batch that is sent a hundred times."""
    rollout, key = begin(hub), hub.api_key()
    token = installation(hub, key)
    before, tries = hub.memory(), 0
    good = outcome(rollout, "new", 5, 20, 0)
    lies: dict[str, list[Any]] = {
        "count": [-1, 0, 1e300, 2**63, "5", None, [], {}],
        "experimentId": ["unknown", "", "x" * 10_000, None, 5],
        "variantId": ["other", "", "new\0", None],
        "model": ["unknown", "../x", "x" * 10_000],
        "latency": [{}, {"count": -1}, {"count": 5, "sum": -1e308, "squares": 1e308}, {"histogram": {"-1": 2**63}}],
        "scores": [{"x" * 10_000: {"count": 1, "sum": 1, "squares": 1}}, {"failures": {"count": 1, "sum": 1e308}}],
    }
    for name, values in lies.items():
        for value in values:
            status, reply, _ = report(hub, key, [{**good, name: value}], token)
            tries += 1
            assert status < 500, f"{name} {str(value)[:40]}: {status} {reply[:200]!r}"
    for number in ["NaN", "Infinity", "-Infinity", "1e999", "0x10"]:
        text = json.dumps({"batchId": str(uuid.uuid4()), "outcomes": [good]}).replace(
            '"count": 5', f'"count": {number}'
        )
        fields = {"X-Goog-Api-Key": key, "X-Goog-Firebase-Installations-Auth": token}
        status, _, _ = hub.request("POST", OUTCOMES, text, headers=fields | {"Content-Type": "application/json"})
        assert 400 <= status < 500, f"count {number} gives {status}"
    status, _, _ = report(hub, key, [good] * 20_000, token)
    assert 400 <= status < 500, f"a list without an end gives {status}"
    batch = {"batchId": str(uuid.uuid4()), "outcomes": [good]}
    fields = {"X-Goog-Api-Key": key, "X-Goog-Firebase-Installations-Auth": token}
    for _ in range(100):
        assert hub.request("POST", OUTCOMES, batch, headers=fields)[0] < 500, "a repeated batch fails"
    found = shown(hub)
    assert found["state"] == "RUNNING" and found["share"] == FIRST_STEP, f"the rollout changed: {found}"
    grown = hub.memory() - before
    assert grown < 80, f"the hub grew by {grown:.0f} MB"
    return f"{tries + 106} batches, the hub grew by {grown:.0f} MB"


@attack()
def only_publishers_move_a_rollout(hub: Hub) -> str | None:
    """A viewer, an app and a stranger start, pause, resume, finish and abort."""
    rollout = begin(hub)
    key, viewer, tries = hub.api_key(), hub.token("viewer"), 0
    for verb in ["pause", "resume", "finish", "abort"]:
        for fields in [{"Authorization": f"Bearer {viewer}"}, {"X-Goog-Api-Key": key}, {}]:
            for path in [f"{ROLLOUTS}/{rollout}:{verb}", f"{ROLLOUTS}/{rollout}:{verb}?key={key}"]:
                status, reply, _ = hub.request("POST", path, {}, headers=fields)
                tries += 1
                assert status in (401, 403), f"{verb} gives {status}: {reply[:200]!r}"
    plan = {"model": "plants", "version": 2, "steps": [100]}
    for token in [viewer, key, None]:
        status, reply, _ = hub.request("POST", ROLLOUTS, plan, token=token)
        tries += 1
        assert status in (401, 403), f"a start gives {status}: {reply[:200]!r}"
    found = shown(hub)
    assert found["state"] == "RUNNING" and found["share"] == FIRST_STEP, f"the rollout changed: {found}"
    return f"{tries} requests refused"
