"""Attacks through webhooks: into the network behind the hub, by silent receivers, and by callers without the role."""

import http.server
import json
import threading
import time
from collections.abc import Callable
from typing import Any

from ...places import FIXTURES
from ...waiting import until
from ..attacked import PROJECT, HealthProbe, Hub, attack

WEBHOOKS = f"/hub/v1/projects/{PROJECT}/webhooks"
MODEL = FIXTURES / "models/add.tflite"


class Receiver:
    """A server on loopback that keeps what it gets, and answers as configured."""

    def __init__(self, answer: Callable[[http.server.BaseHTTPRequestHandler], None] | None = None) -> None:
        received: list[str] = []
        self.received = received

        class Handler(http.server.BaseHTTPRequestHandler):
            def handle(self) -> None:
                received.append("connection")
                super().handle()

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                received.append(self.path)
                if answer:
                    answer(self)
                else:
                    self.send_response(200)
                    self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Keeps the log quiet."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Ends the server."""
        self.server.shutdown()
        self.server.server_close()


def add(hub: Hub, token: str, address: str) -> tuple[int, dict[str, Any]]:
    """The answer to a new webhook."""
    status, body, _ = hub.request("POST", WEBHOOKS, {"address": address}, token=token)
    return status, json.loads(body)


def attempts(hub: Hub, token: str, identifier: str) -> list[dict[str, Any]]:
    """The deliveries that a webhook has tried."""
    body = hub.request("GET", f"{WEBHOOKS}/{identifier}/deliveries", token=token)[1]
    found: list[dict[str, Any]] = json.loads(body).get("deliveries", [])
    return found


@attack()
def webhooks_do_not_reach_the_network_behind_the_hub(hub: Hub) -> str | None:
    """An owner names loopback in every form, so that the hub posts to a service that trusts its own machine."""
    token, inner = hub.token("owner"), Receiver()
    hosts = (
        *("127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "2130706433", "0x7f000001", "017700000001"),
        *("127.1", "localhost", "LOCALHOST", "localhost.", "ip6-localhost", "[64:ff9b::7f00:1]", "169.254.169.254"),
    )
    added: list[str] = []
    for host in hosts:
        status, reply = add(hub, token, f"http://{host}:{inner.port}/inner")
        assert status in (200, 400), f"{host}: {status} {reply}"
        if status == 200:
            added.append(reply["webhookId"])
    for address in [f"http://user@127.0.0.1:{inner.port}/", "file:///etc/passwd", "gopher://127.0.0.1/", "http:///x"]:
        assert add(hub, token, address)[0] == 400, f"{address} is taken"
    hub.run("publish", "plants", MODEL)
    assert until(lambda: all(attempts(hub, token, one) for one in added), 60), "the hub has not tried each webhook"
    for one in added:
        for delivery in attempts(hub, token, one):
            assert "status" not in delivery, f"a webhook has an answer: {delivery}"
    inner.stop()
    assert not inner.received, f"the inner service got {inner.received}"
    return f"{len(added)} of {len(hosts)} forms of inner addresses are taken and tried, and none connects"


@attack(webhook_host="127.0.0.1")
def a_redirect_is_not_followed(hub: Hub) -> str | None:
    """An allowed receiver redirects the hub to a service that is not meant for it."""
    inner = Receiver()

    def redirect(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(307)
        handler.send_header("location", f"http://127.0.0.1:{inner.port}/inner")
        handler.end_headers()

    token, outer = hub.token("owner"), Receiver(redirect)
    status, reply = add(hub, token, f"http://127.0.0.1:{outer.port}/hook")
    assert status == 200, reply
    hub.run("publish", "plants", MODEL)
    assert until(lambda: len(attempts(hub, token, reply["webhookId"])) > 0), "the hub does not post"
    problems = {delivery["problem"] for delivery in attempts(hub, token, reply["webhookId"])}
    outer.stop()
    inner.stop()
    assert not inner.received, f"the hub followed the redirect: {inner.received}"
    assert any("redirect" in problem for problem in problems), problems
    return None


@attack(webhook_host="127.0.0.1", rate_limit=0)
def receivers_that_never_answer_hold_up_nobody_else(hub: Hub) -> str | None:
    """Receivers take the event and say nothing, or answer without an end, while the hub has others to notify."""
    ended = threading.Event()

    def silence(_: http.server.BaseHTTPRequestHandler) -> None:
        ended.wait(60)

    def endless(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            while not ended.is_set():
                handler.wfile.write(b"x" * 65536)
        except OSError:
            pass

    token = hub.token("owner")
    receivers = [Receiver(silence) for _ in range(10)] + [Receiver(endless) for _ in range(3)]
    good = Receiver()
    for receiver in [*receivers, good]:
        assert add(hub, token, f"http://127.0.0.1:{receiver.port}/hook")[0] == 200, "a webhook is refused"
    before = hub.memory()
    with HealthProbe(hub) as probe:
        begin = time.monotonic()
        hub.run("publish", "plants", MODEL)
        assert until(lambda: "/hook" in good.received, 9), "others waited for receivers that do not answer"
        waited = time.monotonic() - begin
        time.sleep(3)
    ended.set()
    for receiver in [*receivers, good]:
        receiver.stop()
    grown = hub.memory() - before
    assert grown < 50, f"the hub grew by {grown:.0f} MB"
    assert probe.failures == 0 and probe.percentile(0.99) < 500, f"the hub answers badly: {probe}"
    return f"the others were notified after {waited:.1f} s; {probe}"


@attack(webhook_host="127.0.0.1")
def only_owners_decide_who_is_told(hub: Hub) -> str | None:
    """Callers of lower roles add, remove, read and repeat webhooks; nobody reads the secret again."""
    owner, good, tries = hub.token("owner"), Receiver(), 0
    status, reply = add(hub, owner, f"http://127.0.0.1:{good.port}/hook")
    assert status == 200, reply
    one, secret = reply["webhookId"], reply["secret"]
    for role in ["viewer", "publisher", "editor"]:
        token = hub.token(role)
        for method, path, body in [
            ("POST", WEBHOOKS, {"address": "https://example.org/"}),
            ("DELETE", f"{WEBHOOKS}/{one}", None),
            ("POST", f"{WEBHOOKS}/{one}:repeat", {"number": 1}),
        ]:
            status, text, _ = hub.request(method, path, body, token=token)
            tries += 1
            assert status == 403, f"{role} gets {status} from {method} {path}: {text[:200]!r}"
        for path in [WEBHOOKS, f"{WEBHOOKS}/{one}/deliveries"]:
            status, text, _ = hub.request("GET", path, token=token)
            tries += 1
            assert (status == 200) == (role == "editor"), f"{role} gets {status} from {path}"
            assert secret.encode() not in text, f"{role} reads the secret"
    for path in [WEBHOOKS, f"/hub/v1/projects/{PROJECT}/audit", f"{WEBHOOKS}/{one}/deliveries"]:
        assert secret.encode() not in hub.request("GET", path, token=owner)[1], f"{path} shows the secret again"
    for number in ["0", "-1", "1e9", "99999999999999999999", '"1"', "null"]:
        status, _, _ = hub.request("POST", f"{WEBHOOKS}/{one}:repeat", '{"number": ' + number + "}", token=owner)
        assert 400 <= status < 500, f"number {number} gives {status}"
    added = 1
    while add(hub, owner, f"http://127.0.0.1:{good.port}/more")[0] == 200:
        added += 1
        assert added < 100, "a project can have any number of webhooks"
    good.stop()
    return f"{tries} requests compared, at most {added} webhooks"
