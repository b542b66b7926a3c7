"""A hub's machine whose clock jumps an hour ahead, and back."""

import argparse
import calendar
import functools
import json
import time
import urllib.parse

from ..clocks import Clock
from ..kill.clients import BUCKET
from ..kill.place import MODELS, PROJECT, Hub, UnavailableError
from .probe import Probe
from .scene import Fleet, Scene, fleet_scene, scene

HOUR = 3600


def fleet(arguments: argparse.Namespace) -> bool:
    """The clock of one hub of a fleet jumps. All hubs go by the time of the database, so that it changes nothing."""
    with fleet_scene(arguments) as (stage, shared):
        first = stage.add("one")
        clock = Clock(stage.folder)
        second = stage.add("two", variables=clock.variables)
        begin_evaluation(shared)
        checks = Checks(stage, first, second)
        ok = True
        for name, seconds in [("ahead", HOUR), ("behind", -HOUR)]:

            def begin(seconds: int = seconds) -> None:
                checks.before()
                clock.set(seconds)

            def end() -> list[str]:
                problems = checks.during()
                clock.set(0)
                problems += checks.after()
                if shared.database.value("SELECT state FROM evaluation") != "running":
                    problems.append("a hub took the evaluation of another hub for abandoned")
                return problems

            # Hubs look for abandoned evaluations every ten seconds.
            ok &= stage.disturb(f"the clock of a hub jumps an hour {name}, and back", 22, begin, end)
        return ok


def single(arguments: argparse.Namespace) -> bool:
    """The clock of a single hub jumps: addresses may expire early, but nothing is lost, and new addresses work."""
    with scene(arguments, fleet=False) as stage:
        clock = Clock(stage.folder)
        stage.add("one", variables=clock.variables)
        ok = True
        for name, seconds in [("ahead", HOUR), ("behind", -HOUR)]:
            ok &= stage.disturb(
                f"the clock of a single hub jumps an hour {name}, and back",
                5,
                functools.partial(clock.set, seconds),
                functools.partial(clock.set, 0),
            )
        return ok


def rate_limit(arguments: argparse.Namespace) -> bool:
    """A jump of the clock gives a client no more requests than it may have, and takes none away."""
    with scene(arguments, fleet=False) as stage:
        clock = Clock(stage.folder)
        hub = stage.add("one", options=["--rate-limit", "5"], variables=clock.variables)

        def accepted() -> int:
            found = [hub.request("GET", "/healthz")[0] == 200 for _ in range(40)]
            return sum(found)

        first = accepted()
        clock.set(HOUR)
        ahead = accepted()
        clock.set(0)
        time.sleep(2)
        back = accepted()
        print(
            f"rate limit of 5 a second, 40 requests at once: {first}, after a jump {ahead}, 2 s later {back} accepted"
        )
        return first >= 20 and ahead < 10 and 5 <= back <= 20


def begin_evaluation(fleet: Fleet) -> None:
    """An evaluation as if a hub were working on it, which said so a moment ago; the clients of the scene need none."""
    fleet.database.execute(f"""
        INSERT INTO evaluation
            (project, model, version, hash, kind, archiveName, byteCount, actor, createTime, state, heartbeat)
        SELECT project, id, version, hash, 'labels', 'pictures.zip', 1, 'test', createTime, 'running',
            CAST(extract(epoch FROM now() + interval '5 minutes') * 1000 AS BIGINT)
        FROM model WHERE displayName = '{Probe.PUBLISHED}'
        """)


class Checks:
    """Checks the promises across hubs while the second one's clock is wrong."""

    def __init__(self, stage: Scene, first: Hub, second: Hub) -> None:
        self.stage, self.first, self.second = stage, first, second
        self.round = 0

    def before(self) -> None:
        """Begins an upload at the first hub."""
        self.round += 1
        self.content = bytes(f"{self.round}", "ascii") * 1000
        path = f"/upload/storage/v1/b/{BUCKET}/o?uploadType=resumable&name=clock{self.round}"
        location = urllib.parse.urlsplit(self.first.request("POST", path)[2]["Location"])
        self.upload = f"{location.path}?{location.query}"
        self.send(self.first, 0, 300)
        self.sent = 300

    def send(self, hub: Hub, start: int, end: int) -> int:
        place = {"Content-Range": f"bytes {start}-{end - 1}/1000"}
        return hub.request("PUT", self.upload, self.content[start:end], "application/octet-stream", place)[0]

    def during(self) -> list[str]:
        """Uses the hub with the wrong clock, and what it made, at the other hub."""
        problems = []
        try:
            if (status := self.send(self.second, 300, 600)) != 308:
                problems.append(f"the hub with the wrong clock answered {status} to a piece of an upload")
            self.sent = 600
        except UnavailableError as error:
            # The storage checks the time of requests.
            if "RequestTimeTooSkewed" not in str(error):
                raise
        path = f"{MODELS}/{Probe.PUBLISHED}:download?key={self.stage.api_key}"
        reply = json.loads(self.second.request("GET", path)[1])
        expiry = time.strptime(reply["expireTime"][:19], "%Y-%m-%dT%H:%M:%S")
        seconds = calendar.timegm(expiry) - time.time()
        if abs(seconds - HOUR) > 30:
            problems.append(f"the hub with the wrong clock made an address for {seconds:.0f} s instead of an hour")
        uri = urllib.parse.urlsplit(reply["downloadUri"])
        if (status := self.first.request("GET", f"{uri.path}?{uri.query}")[0]) != 200:
            problems.append(f"an address of the hub with the wrong clock gives {status} at the other")
        installation = {
            "fid": "cAAAAAAAAAAAAAAAAAAAAA",
            "appId": "1:1:ios:ab",
            "authVersion": "FIS_v2",
            "sdkVersion": "i:1",
        }
        key = {"x-goog-api-key": self.stage.api_key, "Authorization": ""}
        made = self.second.request(
            "POST", f"/v1/projects/{PROJECT}/installations", json.dumps(installation).encode(), more=key
        )
        token = json.loads(made[1])["authToken"]["token"]
        path = f"{MODELS}/{Probe.PUBLISHED}:download?key={self.stage.api_key}"
        more = {"X-Goog-Firebase-Installations-Auth": token, "Authorization": ""}
        if (status := self.first.request("GET", path, more=more)[0]) != 200:
            problems.append(f"a token of the hub with the wrong clock gives {status} at the other")
        return problems

    def after(self) -> list[str]:
        """Ends the upload at the first hub."""
        if (status := self.send(self.first, self.sent, 1000)) == 200:
            return []
        return [f"an upload that continued at the hub with the wrong clock ended with {status}"]
