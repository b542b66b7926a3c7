"""Attacks through an OpenID Connect provider: invented groups, forged tokens, mixed answers, endless documents."""

import contextlib
import re
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from ...places import temporary_folder
from ..attacked import PROJECT, HealthProbe, Hub, attack
from ..lying_provider import CLIENT, LyingProvider

# The ways in which a token without a key of the provider can look signed.
FORGERIES = ("nothing", "secret", "other")
SIGN_IN, ANSWER = "/console/sign-in/provider", "/console/sign-in/provider/answer"


def restart(hub: Hub, provider: LyingProvider) -> None:
    """Starts the hub again, with a provider that it trusts."""
    hub.serving.stop()
    hub.serving = hub.place.serve(
        *("--public-address", "http://127.0.0.1", "--rate-limit", "0", "--oidc-issuer", provider.issuer),
        *("--oidc-client-id", CLIENT, "--oidc-role", f"ml-team=publisher@{PROJECT}"),
    )
    hub.process, hub.port, hub.log = hub.serving.process, hub.serving.port, hub.serving.log


@contextlib.contextmanager
def provided(hub: Hub) -> Iterator[LyingProvider]:
    """A provider that the hub trusts."""
    with temporary_folder("attack") as folder:
        provider = LyingProvider(folder)
        restart(hub, provider)
        try:
            yield provider
        finally:
            provider.stop()


def begin(hub: Hub, provider: LyingProvider, source: str) -> tuple[str, str]:
    """The state and the cookie of a sign-in that a browser begins."""
    status, _, fields = hub.request("GET", SIGN_IN, source=source)
    assert status == 303, f"the sign-in does not begin: {status}"
    query = parse_qs(urlsplit(fields["location"] or "").query)
    provider.nonce = query["nonce"][0]
    return query["state"][0], (fields["set-cookie"] or "").split(";")[0]


def end(hub: Hub, state: str, cookie: str, source: str, code: str = "code") -> tuple[str, str]:
    """The session's cookie at the end of a sign-in, if there is one, and the page."""
    path = f"{ANSWER}?code={quote(code)}&state={quote(state)}"
    _, page, fields = hub.request("GET", path, headers={"Cookie": cookie}, source=source)
    set_cookies = fields.get_all("set-cookie") or []
    found = [re.match(r"sightline-console=([^;]+)", text) for text in set_cookies]
    return next((match[1] for match in found if match), ""), page.decode()


def sign_in(hub: Hub, provider: LyingProvider, source: str = "127.0.0.1") -> tuple[str, str]:
    """Signs in with the provider's present claims."""
    return end(hub, *begin(hub, provider, source), source)


@attack()
def groups_that_a_provider_invents_give_nothing(hub: Hub) -> str | None:
    """A token names the hub's roles as groups, writes groups nearly right, and says that it is an administrator."""
    unknown = "none of its groups has a role"
    groups: list[tuple[Any, str]] = [
        *((["administrator"], unknown), (["owner", "editor"], unknown), ("ML-TEAM", unknown), (["ml-team "], unknown)),
        *((["ml-team\0"], unknown), ("ml-team,other", unknown), (["ml-team=administrator"], unknown)),
        *(([f"ml-team=owner@{PROJECT}"], unknown), (["ml-team".replace("-", "‐")], unknown)),
        ([f"group-{number}" for number in range(20_000)], unknown),
        *((value, "is not a list of groups") for value in ([["ml-team"]], {"ml-team": 1}, 7, True)),
        (None, "has no claim"),
    ]
    with provided(hub) as provider:
        assert sign_in(hub, provider)[0], "the right group is refused"
        for number, (value, reason) in enumerate(groups):
            provider.claims = {"groups": value, "roles": ["administrator"], "role": "administrator", "admin": True}
            cookie, page = sign_in(hub, provider, f"127.0.4.{1 + number}")
            assert not cookie, f"{str(value)[:60]} gives a session"
            assert reason in page, f"{str(value)[:60]}, not '{reason}': {page[:4000]}"
        # The right group gives its role and no more, whatever else the token says.
        provider.claims = {"groups": ["ml-team", "administrator"], "role": "administrator"}
        cookie, _ = sign_in(hub, provider)
        for path, wanted in [("/console/models", 200), ("/console/activity", 403), ("/console/people", 403)]:
            status = hub.request("GET", path, headers={"Cookie": f"sightline-console={cookie}"})[0]
            assert status == wanted, f"{path} gives {status}"
    return f"{len(groups)} inventions refused"


@attack()
def forged_id_tokens_open_nothing(hub: Hub) -> str | None:
    """Tokens without a signature, with the public key as a secret, of others, for others, from another time."""
    now = int(time.time())
    lies: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        *((how, {"alg": name}, {}) for how in FORGERIES for name in ("none", "HS256", "RS256")),
        *(("key", header, {}) for header in ({"alg": "PS256"}, {"alg": "ES256"}, {"kid": "2"}, {"crit": ["x"]})),
        *(("key", {}, claims) for claims in ({"iss": "https://example.org"}, {"aud": "x"}, {"aud": [CLIENT, "x"]})),
        *(("key", {}, claims) for claims in ({"nonce": "x"}, {"nonce": None}, {"exp": now - 300}, {"iat": now + 900})),
        *(("key", {}, claims) for claims in ({"sub": ""}, {"sub": "x" * 300}, {"sub": None}, {"exp": "1e300"})),
        *(("key", {"kid": 1e300}, {}), ("key", {"alg": ["RS256"]}, {}), ("key", {}, {"exp": 10**400})),
    ]
    with provided(hub) as provider:
        for number, (how, header, claims) in enumerate(lies):
            provider.signature, provider.header, provider.claims = how, header, claims
            cookie, _ = sign_in(hub, provider, f"127.0.5.{1 + number}")
            assert not cookie, f"a token signed with {how}, {header} {str(claims)[:80]} gives a session"
        # Names of unpublished keys do not make the hub ask the provider each time.
        provider.signature, provider.claims = "key", {}
        asked = provider.asked.count("/keys")
        for number in range(20):
            provider.header = {"kid": f"invented-{number}"}
            cookie, _ = sign_in(hub, provider, f"127.0.5.{101 + number}")
            assert not cookie, "a token with an unpublished key gives a session"
        many = provider.asked.count("/keys") - asked
        assert many <= 2, f"20 invented keys made the hub read the provider's keys {many} times"
        provider.header = {}
        assert sign_in(hub, provider)[0], "the right token is refused"
    return f"{len(lies)} tokens refused"


@attack()
def answers_of_another_browser_open_nothing(hub: Hub) -> str | None:
    """An attacker gives the victim the attacker's own answer, replays one, and sends unrequested answers."""
    with provided(hub) as provider:
        state, cookie = begin(hub, provider, "127.0.0.1")
        other_state, other_cookie = begin(hub, provider, "127.0.0.1")
        for mixed_state, mixed_cookie in [
            (state, other_cookie),
            (other_state, cookie),
            (state, ""),
            ("", cookie),
            (state, cookie[:-2] + "AA"),
        ]:
            opened, page = end(hub, mixed_state, mixed_cookie, "127.0.0.1")
            assert not opened and "did not begin the sign-in" in page, f"a mixed answer: {page[-400:]}"
        assert "/token" not in provider.asked, "the hub asked the provider about a mixed answer"
        targets = ["//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"]
        for target in targets:
            _, _, fields = hub.request("GET", f"{SIGN_IN}?to={quote(target)}")
            begun = (fields["set-cookie"] or "").split(";")[0]
            query = parse_qs(urlsplit(fields["location"] or "").query)
            provider.nonce = query["nonce"][0]
            _, page = end(hub, query["state"][0], begun, "127.0.0.1")
            assert "evil" not in page and "javascript:" not in page, f"the page leads to {target}"
    return None


@attack()
def commands_and_ends_of_sessions_are_not_forged(hub: Hub) -> str | None:
    """A stranger guesses codes of commands, asks without a pause, and ends sessions with its own tokens."""
    grant = "urn:ietf:params:oauth:grant-type:device_code"

    def form(path: str, fields: dict[str, str], source: str) -> tuple[int, str]:
        body = "&".join(f"{name}={quote(value, safe='')}" for name, value in fields.items())
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        status, reply, _ = hub.request("POST", path, body, headers=kind, source=source)
        return status, reply.decode()

    with provided(hub) as provider:
        cookie, _ = sign_in(hub, provider)
        for number, code in enumerate(["secret-code", "x" * 43, "a.b", "", "A" * 9000]):
            status, reply = form("/token", {"grant_type": grant, "device_code": code}, f"127.0.6.{1 + number}")
            assert status in (400, 413), f"{code[:40]} gives {status}: {reply}"
        asked = provider.asked.count("/token")
        begun = form("/device_authorization", {}, "127.0.6.100")[1]
        found = re.search(r'"device_code":"([^"]+)"', begun)
        assert found and "secret-code" not in begun, begun
        provider.answers["/token"] = b'{"error": "authorization_pending"}'
        for _ in range(50):
            form("/token", {"grant_type": grant, "device_code": found[1]}, "127.0.6.101")
        many = provider.asked.count("/token") - asked
        assert many < 10, f"50 questions at once became {many} at the provider"
        del provider.answers["/token"]
        statuses = [form("/device_authorization", {}, "127.0.6.102")[0] for _ in range(60)]
        assert 429 in statuses, "a stranger begins any number of sign-ins at the provider"
        event: dict[str, Any] = {"http://schemas.openid.net/event/backchannel-logout": {}}
        ends: list[tuple[str, dict[str, Any]]] = [
            ("nothing", {"events": event, "nonce": None}),
            ("secret", {"events": event}),
            ("other", {"events": event}),
            ("key", {}),
            ("key", {"events": event}),
            ("key", {"events": event, "nonce": None, "aud": "x"}),
            ("key", {"events": event, "nonce": None, "iat": 1000, "exp": 2000}),
        ]
        for number, (how, claims) in enumerate(ends):
            provider.signature, provider.claims = how, claims
            status, reply = form(f"{SIGN_IN}/logout", {"logout_token": provider.token()}, f"127.0.7.{1 + number}")
            assert status == 400, f"an end signed with {how} {claims} gives {status}: {reply}"
        provider.signature, provider.claims = "key", {}
        status = hub.request("GET", "/console/models", headers={"Cookie": f"sightline-console={cookie}"})[0]
        assert status == 200, "a stranger ended a session"
    return f"50 questions of a command became {many}, {statuses.count(429)} of 60 sign-ins refused"


@attack()
def a_provider_leads_the_hub_nowhere_else(hub: Hub) -> str | None:
    """A provider's document names other issuers, other schemes, users and files; its answers have no end."""
    with provided(hub) as provider:
        for document in [
            {"issuer": "https://example.org"},
            {"token_endpoint": "http://169.254.169.254/token"},
            {"jwks_uri": "file:///etc/passwd"},
            {"jwks_uri": "http://10.0.0.1/keys"},
            {"authorization_endpoint": "javascript:alert(1)"},
            {"token_endpoint": "http://user@127.0.0.1/token"},
            {"device_authorization_endpoint": "http://192.168.0.1/device"},
        ]:
            provider.document = document
            status, _, fields = hub.request("GET", SIGN_IN)
            assert status == 503 and not fields["location"], f"{document} gives {status}"
            # A failure counts for ten seconds; another hub of a fleet asks at once.
            restart(hub, provider)
        provider.document = {}
        probes = []
        for path in ["/.well-known/openid-configuration", "/keys", "/token"]:
            # A new hub knows no keys that it read before.
            restart(hub, provider)
            provider.answers = {path: None}
            provider.asked.clear()
            before = hub.memory()
            with HealthProbe(hub) as probe:
                if path.startswith("/."):
                    status, _, _ = hub.request("GET", SIGN_IN, source="127.0.0.2")
                    assert status == 503, f"an endless answer of {path} gives {status}"
                else:
                    cookie, _ = sign_in(hub, provider, "127.0.0.2")
                    assert not cookie, f"an endless answer of {path} gives a session"
            assert path in provider.asked, f"the hub did not ask for {path}"
            provider.answers = {}
            grown = hub.memory() - before
            assert grown < 60, f"an endless answer of {path}: the hub grew by {grown:.0f} MB"
            assert probe.failures == 0, f"the hub did not answer: {probe}"
            probes.append(f"{path}: {probe}")
    return "; ".join(probes)
