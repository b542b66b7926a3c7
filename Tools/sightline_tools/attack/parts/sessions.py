"""Attacks with sessions of the console: stolen, altered, fixed in advance, and their forms."""

import re

from ...hubs import Response
from ..attacked import PROJECT, Hub, attack

NAME = "sightline-console"
PAGE, SIGN_OUT, MODELS = "/console/models", "/console/sign-out", f"/v1beta2/projects/{PROJECT}/models"


def form(
    hub: Hub, path: str, fields: dict[str, str], cookie: str = "", headers: dict[str, str] | None = None
) -> Response:
    """Sends a form as a page of the hub does."""
    body = "&".join(f"{name}={value}" for name, value in fields.items())
    sent = {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"http://127.0.0.1:{hub.port}"}
    if cookie:
        sent["Cookie"] = f"{NAME}={cookie}"
    return hub.request("POST", path, body, headers=sent | (headers or {}))


def opened(hub: Hub, token: str, cookie: str = "", headers: dict[str, str] | None = None) -> tuple[str, str]:
    """The number of a new session, and the whole header that sets it."""
    status, _, fields = form(hub, "/console/sign-in", {"token": token}, cookie, headers)
    assert status == 303, f"signing in gives {status}"
    header = fields["set-cookie"] or ""
    found = re.match(rf"(?:__Host-)?{NAME}=([^;]+)", header)
    assert found, f"no cookie: {header}"
    return found[1], header


def page(hub: Hub, cookie: str, path: str = PAGE) -> int:
    """The status of a page with a cookie."""
    return hub.request("GET", path, headers={"Cookie": f"{NAME}={cookie}"})[0]


def form_token(hub: Hub, cookie: str) -> str:
    """The text that proves that a form is of a session's page."""
    text = hub.request("GET", PAGE, headers={"Cookie": f"{NAME}={cookie}"})[1].decode()
    found = re.search(r'name="form_token" value="([^"]+)"', text)
    assert found, "a page has no form token"
    return found[1]


@attack()
def a_stolen_session_ends_with_its_owner(hub: Hub) -> str | None:
    """A copied cookie is used after its owner signs out, its token is revoked, and somebody ends the session."""
    token = hub.token("owner")
    first, _ = opened(hub, token)
    assert page(hub, first) == 200, "the session does not work"
    status, _, _ = form(hub, SIGN_OUT, {"form_token": form_token(hub, first)}, first)
    assert status == 303 and page(hub, first) == 303, "a copy lives on after signing out"
    second, _ = opened(hub, token)
    third, _ = opened(hub, token)
    listed = hub.run("session", "list")
    identifiers = re.findall(r"(?m)^([0-9a-f]{8,})\s", listed)
    assert len(identifiers) == 2, listed
    for identifier in identifiers[:1]:
        hub.run("session", "end", identifier)
    assert sorted([page(hub, second), page(hub, third)]) == [200, 303], "an ended session lives on"
    hub.run("key", "revoke", re.findall(r"(?m)^([0-9a-f]{6,})\s", hub.run("key", "list"))[0])
    assert page(hub, second) == 303 and page(hub, third) == 303, "a session lives on after its token"
    return None


@attack()
def a_session_cannot_be_chosen_or_guessed(hub: Hub) -> str | None:
    """An attacker plants a number before the victim signs in, alters a number, and sends numbers of any form."""
    token = hub.token("owner")
    planted = "A" * 43
    number, _ = opened(hub, token, cookie=planted)
    assert number != planted and page(hub, planted) == 303, "the planted number is a session"
    again, _ = opened(hub, token, cookie=number)
    assert again != number and page(hub, number) == 303, "the session before the sign-in lives on"
    for wrong in ["", again[:-1], again + "A", again.swapcase(), "A" * 43, "A" * 100_00, again[::-1], "../" + again]:
        status = page(hub, wrong)
        assert status in (303, 400, 413, 431), f"{wrong[:50]!r} gives {status}"
    assert page(hub, again) == 200, "the right number no longer works"
    return None


@attack()
def a_session_is_no_token_and_a_token_no_session(hub: Hub) -> str | None:
    """The number of a session is sent as a token or an API key, and a token as a cookie."""
    token = hub.token("owner")
    number, _ = opened(hub, token)
    for text in [number, f"sos.{number}", f"sat.{number}", f"slt_{number}"]:
        assert hub.request("GET", MODELS, token=text)[0] == 401, "a session's number opens the API"
        assert hub.request("GET", f"{MODELS}/x:download?key={text}")[0] in (401, 403), "a number is an API key"
    for text in [token, f"sos.{token}", hub.api_key()]:
        assert page(hub, text) == 303, "a credential is a cookie"
    return None


@attack()
def other_sites_change_nothing(hub: Hub) -> str | None:
    """A page elsewhere sends the console's forms with the victim's cookie, without the page's text or another's."""
    token = hub.token("owner")
    victim, header = opened(hub, token)
    attacker, _ = opened(hub, token)
    own, other = form_token(hub, victim), form_token(hub, attacker)
    assert "HttpOnly" in header and "SameSite=Strict" in header, header
    tries: list[tuple[dict[str, str], dict[str, str]]] = [
        ({}, {}),
        ({"form_token": other}, {}),
        ({"form_token": own[:-1] + ("A" if own[-1] != "A" else "B")}, {}),
        ({"form_token": own}, {"Origin": "https://evil.example"}),
        ({"form_token": own}, {"Origin": "null"}),
        ({"form_token": own}, {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}),
    ]
    for fields, headers in tries:
        for path in [SIGN_OUT, "/console/tokens", "/console/people"]:
            status, _, _ = form(hub, path, {"name": "mallory", **fields}, victim, headers)
            assert status in (400, 403), f"{path} with {headers or fields} gives {status}"
    assert page(hub, victim) == 200, "the victim was signed out"
    assert "mallory" not in hub.run("key", "list"), "a token was made"
    return f"{3 * len(tries)} forms refused"


@attack(public_address="https://models.example.org")
def behind_https_the_cookie_is_of_this_host_alone(hub: Hub) -> str | None:
    """A neighbor's host sets the console's cookie, or reads it over http."""
    _, header = opened(hub, hub.token("owner"), headers={"Origin": "https://models.example.org"})
    assert header.startswith(f"__Host-{NAME}=") and "; Secure" in header and "Path=/;" in header, header
    return None
