"""Attacks on what serves requests: connections, bodies, addresses, guesses."""

import atexit
import contextlib
import gzip
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable

from ..attacked import PROJECT, HealthProbe, Hub, attack
from ..floods import flood, is_open

FETCH = f"/v1/projects/{PROJECT}/namespaces/firebase:fetch"
# 256 kB of JSON that a few hundred bytes unpack to.
BOMB = gzip.compress(b'{"a":"' + b"a" * 250_000 + b'"}', 9)


def flood_beside_health(hub: Hub, send: Callable[[], int], allowed: set[int]) -> str:
    """Floods the hub for three seconds and describes what that did to another client."""
    before = hub.processor_seconds()
    with HealthProbe(hub) as probe:
        statuses = flood(3, 16, send)
    cost = (hub.processor_seconds() - before) * 1000 / max(len(statuses), 1)
    assert set(statuses) <= allowed, f"answers with {set(statuses)}"
    assert probe.failures == 0, str(probe)
    # Far above what a busy machine needs; parsing before the checks took seconds.
    assert probe.percentile(0.99) < 3000, str(probe)
    return f"{len(statuses)} requests of {cost:.2f} ms; {probe}"


@attack()
def fetches_without_a_key(hub: Hub) -> str | None:
    """Bodies that unpack to 256 kB are sent without a key: nothing of them is read."""
    return flood_beside_health(hub, lambda: hub.request("POST", FETCH, BOMB)[0], {403, 429})


@attack()
def fetches_with_a_key(hub: Hub) -> str | None:
    """Bodies that unpack to 256 kB are sent with the app's key: each costs as much as many requests."""
    key = hub.api_key()

    def send() -> int:
        return hub.request("POST", f"{FETCH}?key={key}", BOMB)[0]

    assert send() in (200, 400)
    return flood_beside_health(hub, send, {200, 400, 429})


@attack()
def addresses_full_of_plus_signs(hub: Hub) -> str | None:
    """Queries have 15,000 plus signs."""
    target = "/healthz?a=" + "+" * 15_000
    return flood_beside_health(hub, lambda: hub.request("GET", target)[0], {200, 429})


@attack()
def forms_full_of_plus_signs(hub: Hub) -> str | None:
    """Sign-ins have a megabyte of plus signs."""
    body = b"+" * (1 << 20)
    for target in ("/token", "/console/sign-in"):
        status, _, headers = hub.request("POST", target, body)
        assert status == 413 and headers["Connection"] == "close", f"{target}: {status} {headers['Connection']}"
    fitting = b"+" * 16_000
    return flood_beside_health(hub, lambda: hub.request("POST", "/console/sign-in", fitting)[0], {401, 429})


@attack()
def all_connections_of_one_address(hub: Hub) -> str | None:
    """One address opens 400 connections with requests that do not end."""
    with contextlib.ExitStack() as stack:
        connections = []
        for _ in range(400):
            connection = stack.enter_context(hub.connect())
            with contextlib.suppress(OSError):
                connection.sendall(b"POST /token HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na")
            connections.append(connection)
        assert hub.request("GET", "/healthz", source="127.0.0.9")[0] == 200
        held = sum(is_open(connection) for connection in connections)
        assert held <= 128, f"{held} connections are held"
        return f"{held} of 400 connections are held"


@attack()
def bodies_that_trickle_behind_an_answer(hub: Hub) -> str | None:
    """A byte comes every 200 ms behind an answer, which needs no credential."""
    times = []
    for head in (
        "POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
        "POST /console/sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
    ):
        with hub.connect() as connection:
            connection.sendall(head.encode())
            assert connection.recv(4096).startswith(b"HTTP/1.1 ")
            start = time.monotonic()
            with contextlib.suppress(OSError):
                while time.monotonic() - start < 60:
                    connection.sendall(b"1\r\na\r\n" if "chunked" in head else b"a")
                    time.sleep(0.2)
            times.append(time.monotonic() - start)
    assert max(times) < 30, f"held for {max(times):.0f} s"
    return f"ended after {max(times):.1f} s"


SMUGGLED = [
    "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 40\r\n\r\n",
    "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\n",
    "POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
    "GET /healthz HTTP/1.1\r\n\r\n",
]


@attack()
def requests_that_hide_others(hub: Hub) -> None:
    """Lengths that contradict each other, malformed chunks, and two hosts are refused, without an error in the log."""
    for text in SMUGGLED:
        with hub.connect() as connection:
            connection.settimeout(10)
            connection.sendall((text + "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").encode())
            reply = b""
            with contextlib.suppress(socket.timeout, ConnectionError):
                while b"hub_requests_total" not in reply and (piece := connection.recv(65536)):
                    reply += piece
                    if reply.startswith(b"HTTP/1.1 400"):
                        break
        is_refused = not reply or reply.startswith(b"HTTP/1.1 400")
        is_one_request = b"hub_requests_total" not in reply
        assert is_refused or is_one_request, f"{text!r}: {reply[:60]!r}"
        if "Host: y" in text or "Host" not in text:
            assert reply.startswith(b"HTTP/1.1 400"), f"{text!r}: {reply[:60]!r}"
    assert not any('"level":"error"' in line for line in hub.log), "the log has an error"


@attack()
def addresses_that_rules_of_proxies_miss(hub: Hub) -> None:
    """Other spellings of /metrics lead nowhere."""
    for target in ("//metrics", "/metrics/", "/%6detrics", "/./metrics", "/x/../metrics"):
        assert hub.request("GET", target)[0] == 404, target


@attack()
def guesses_of_tokens(hub: Hub) -> None:
    """Wrong tokens are slowed down and never lock out the right one, and the log has a line."""
    token = hub.token("read")
    path = f"/v1beta2/projects/{PROJECT}/models"
    statuses = [hub.request("GET", path, token=f"slt_{number}")[0] for number in range(80)]
    assert 429 in statuses and 200 not in statuses, statuses
    assert hub.request("GET", path, token=token)[0] == 200, "the right token is locked out"
    time.sleep(0.2)
    lines = [line for line in hub.log if "wrong credentials" in line]
    assert len(lines) == 1, f"{len(lines)} lines in the log"


@attack()
def guesses_of_keys_and_signatures(hub: Hub) -> None:
    """Wrong keys and wrong signatures are slowed down, too."""
    model = f"/v1beta2/projects/{PROJECT}/models/x:download"
    keys = [hub.request("GET", f"{model}?key={number}", source="127.0.0.2")[0] for number in range(80)]
    file = f"/files/{'0' * 64}/x?model=1&expires=9&signature="
    signatures = [hub.request("GET", file + str(number), source="127.0.0.3")[0] for number in range(80)]
    assert 429 in keys and set(keys) == {403, 429}, set(keys)
    assert 429 in signatures and set(signatures) == {403, 429}, set(signatures)


@attack()
def lock_outs_by_web_pages(hub: Hub) -> None:
    """A page of another site lets a browser send wrong keys: programs at the same address are not slowed down."""
    model = f"/v1beta2/projects/{PROJECT}/models/x:download"
    page = {"Sec-Fetch-Site": "cross-site"}
    statuses = [hub.request("GET", f"{model}?key={number}", headers=page)[0] for number in range(80)]
    assert set(statuses) == {403}, set(statuses)
    assert hub.request("GET", f"{model}?key=own")[0] == 403, "a page has locked out a program"


@attack()
def metrics_for_a_rebound_name(hub: Hub) -> None:
    """A page whose host stands for 127.0.0.1 asks for the metrics."""
    for name in ("rebound.example.org", f"rebound.example.org:{hub.port}", "127.0.0.1.example.org"):
        status, body, _ = hub.request("GET", "/metrics", headers={"Host": name})
        assert status == 403 and b"hub_" not in body, f"{name}: {status}"


@attack()
def metrics_are_for_this_machine(hub: Hub) -> None:
    """A client behind a proxy asks for the metrics, and one with wrong tokens."""
    assert hub.request("GET", "/metrics")[0] == 200
    for fields in [{"X-Forwarded-For": "203.0.113.7"}, {"X-Forwarded-For": "127.0.0.1"}, {"x-forwarded-for": ""}]:
        status, body, _ = hub.request("GET", "/metrics", headers=fields)
        assert status == 403 and b"hub_" not in body, f"{fields}: {status}"


@attack()
def requests_of_http_1_0(hub: Hub) -> None:
    """HTTP/1.0 with and without Host, with two requests in one connection."""
    for head in ["", "Host: x\r\n", "Connection: keep-alive\r\n"]:
        with hub.connect() as connection:
            second = "GET /metrics HTTP/1.0\r\n\r\n"
            connection.sendall(f"GET /healthz HTTP/1.0\r\n{head}\r\n{second}".encode())
            reply = b""
            while piece := connection.recv(4096):
                reply += piece
        assert reply.startswith(b"HTTP/1.0 200"), reply[:200]
        assert reply.count(b"HTTP/1.") == 1 and b"chunked" not in reply.lower(), reply
    with hub.connect() as connection:
        connection.sendall(b"GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n")
        assert connection.recv(4096).split()[1] == b"400"


if shutil.which("openssl"):
    folder = tempfile.mkdtemp(prefix="sightline-attack-")
    atexit.register(shutil.rmtree, folder)
    certificate, private_key = os.path.join(folder, "certificate.pem"), os.path.join(folder, "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
        + ["-keyout", private_key, "-out", certificate],
        check=True,
        capture_output=True,
    )

    @attack(certificates=certificate, key=private_key)
    def old_versions_of_tls(hub: Hub) -> None:
        """TLS 1.0 and 1.1, and ciphers without forward secrecy, are refused."""

        def version(ciphers: str, maximum: ssl.TLSVersion) -> str | None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            context.set_ciphers(ciphers)
            context.minimum_version, context.maximum_version = ssl.TLSVersion.MINIMUM_SUPPORTED, maximum
            with hub.connect() as connection:
                try:
                    return context.wrap_socket(connection).version()
                except (ssl.SSLError, ConnectionError):
                    return None

        assert version("ALL:@SECLEVEL=0", ssl.TLSVersion.TLSv1) is None
        assert version("ALL:@SECLEVEL=0", ssl.TLSVersion.TLSv1_1) is None
        assert version("AES128-SHA:@SECLEVEL=0", ssl.TLSVersion.TLSv1_2) is None
        assert version("DEFAULT", ssl.TLSVersion.TLSv1_2) == "TLSv1.2"
        assert version("DEFAULT", ssl.TLSVersion.MAXIMUM_SUPPORTED) == "TLSv1.3"
