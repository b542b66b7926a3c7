"""Attacks with a valid credential: more rights, longer, or elsewhere."""

import json
import re
from urllib.parse import quote

from ..attacked import PROJECT, Hub, attack

OTHER = "victim-project"
PEOPLE = f"/hub/v1/projects/{PROJECT}/people"
KEYS = f"/hub/v1/projects/{PROJECT}/keys"


def owner(hub: Hub, lifetime: str = "1h") -> str:
    return hub.run(
        "token", "create", "attacker", "--role", "owner", "--expires", lifetime, "--project", PROJECT
    ).strip()


@attack()
def a_token_does_not_mint_above_itself(hub: Hub) -> str | None:
    """Every role asks for every higher role, in its project, in the hub and for people."""
    hub.run("project", "create", OTHER)
    roles = ["viewer", "publisher", "editor", "owner", "administrator"]
    tries = 0
    for rank, role in enumerate(roles[:4]):
        token = hub.run("token", "create", role, "--role", role, "--project", PROJECT).strip()
        for wanted in roles[rank + 1 :]:
            for method, path, body in [
                ("POST", KEYS, {"name": "x", "kind": "token", "role": wanted}),
                ("POST", KEYS, {"name": "x", "kind": "service-account", "role": wanted}),
                ("POST", "/hub/v1/keys", {"name": "x", "role": wanted}),
                ("POST", "/hub/v1/tokens", {"name": "x", "role": wanted}),
                ("PUT", f"{PEOPLE}/mallory@example.com", {"role": wanted}),
                ("PUT", "/hub/v1/people/mallory@example.com", {"role": wanted}),
                ("POST", f"/hub/v1/projects/{OTHER}/keys", {"name": "x", "role": "viewer"}),
                ("PUT", f"/hub/v1/projects/{OTHER}/people/mallory@example.com", {"role": "viewer"}),
            ]:
                status, reply, _ = hub.request(method, path, body, token=token)
                tries += 1
                assert status in (400, 403), f"{role} got {status} for {wanted} from {path}: {reply[:200]!r}"
    return f"{tries} requests refused"


@attack()
def a_token_creates_nothing_that_outlives_it(hub: Hub) -> None:
    """Keys, people and sessions of a token are gone when the token is revoked."""
    token = owner(hub)
    for ttl in ["0s", "7200s", "99999999s", "-1s", "1e9s", "9223372036854775807s", "s", ""]:
        status, reply, _ = hub.request("POST", KEYS, {"name": "x", "kind": "token", "ttl": ttl}, token=token)
        assert status in (400, 403), f"ttl {ttl!r}: {status} {reply[:200]!r}"
    chain = [token]
    for _ in range(4):
        status, reply, _ = hub.request("POST", KEYS, {"name": "x", "role": "owner"}, token=chain[-1])
        assert status == 200, reply
        chain.append(json.loads(reply)["secret"])
    status, reply, _ = hub.request("PUT", f"{PEOPLE}/mallory@example.com", {"role": "owner"}, token=chain[-1])
    assert status == 200 and json.loads(reply)["roles"][0]["expireTime"], reply
    link = json.loads(hub.request("POST", f"{PEOPLE}/mallory@example.com:createSignInLink", token=chain[-1])[1])["path"]
    for record in json.loads(hub.run("token", "list", "--format", "json", "--project", PROJECT)):
        if record["name"] == "attacker":
            hub.run("token", "revoke", record["id"], "--project", PROJECT)
    for token in chain:
        status, _, _ = hub.request("GET", f"/v1beta2/projects/{PROJECT}/models", token=token)
        assert status == 401, "a descendant of a revoked token is valid"
    code = link.partition("=")[2]
    fields = {"Content-Type": "application/x-www-form-urlencoded"}
    status, _, headers = hub.request("POST", "/console/sign-in", f"code={code}", headers=fields)
    assert status == 401 and not headers["Set-Cookie"], "the link of a revoked token signs in"
    assert "mallory" not in hub.run("person", "list", "--project", PROJECT), "a role of a revoked token stays"


@attack()
def a_granted_role_makes_nothing_that_lasts(hub: Hub) -> str | None:
    """A stolen token makes a lasting account an owner, and that account makes keys and people with its own token."""
    hub.run("project", "create", OTHER)
    hub.run("person", "add", "mallory@example.com", "--role", "owner", "--project", OTHER)
    stolen = owner(hub)
    status, reply, _ = hub.request("PUT", f"{PEOPLE}/mallory@example.com", {"role": "owner"}, token=stolen)
    assert status == 200, reply
    link = hub.run("person", "link", "mallory@example.com", "--project", OTHER).strip()
    fields = {"Content-Type": "application/x-www-form-urlencoded"}
    code = link.partition("code=")[2]
    cookie = hub.request("POST", "/console/sign-in", f"code={code}", headers=fields)[2]["Set-Cookie"].partition(";")[0]
    page = hub.request("GET", "/console/tokens", headers={"Cookie": cookie})[1].decode()
    proof = re.search(r'name="form_token" value="([^"]+)"', page)
    form = {**fields, "Cookie": cookie}
    secrets = []
    if proof:
        wish = f"form_token={quote(proof[1], safe='')}&name=own&role=owner&kind=token&lifetime=0"
        answer = hub.request("POST", "/console/tokens", wish, headers=form)[1].decode()
        secrets += re.findall(r"slt_[A-Za-z0-9_-]+", answer)
    own = secrets[0] if secrets else None
    for body in [
        {"name": "x", "role": "owner", "ttl": "0s"},
        {"name": "x", "role": "owner"},
        {"name": "y", "kind": "api-key"},
    ]:
        status, reply, _ = hub.request("POST", KEYS, body, token=own or stolen)
        if status == 200 and "secret" in json.loads(reply):
            secrets.append(json.loads(reply)["secret"])
    hub.request("PUT", f"{PEOPLE}/friend@example.com", {"role": "owner"}, token=own or stolen)
    for record in json.loads(hub.run("token", "list", "--format", "json", "--project", PROJECT)):
        hub.run("token", "revoke", record["id"], "--project", PROJECT)
    people = hub.run("person", "list", "--project", PROJECT)
    assert "friend" not in people and "mallory" not in people, f"a role outlives its token: {people}"
    for secret in secrets:
        status, _, _ = hub.request("GET", f"/v1beta2/projects/{PROJECT}/models", token=secret)
        assert status in (401, 403), "a key outlives the token that granted its maker's role"
    keys = json.loads(hub.run("key", "list", "--format", "json", "--project", PROJECT))
    assert all(key.get("revokeTime") for key in keys), f"keys outlive the token: {keys}"
    return f"{len(secrets)} secrets and two people are gone"


@attack()
def a_link_is_not_replayed(hub: Hub) -> None:
    """A sign-in link is sent again, changed, and by many at once."""
    link = hub.run("person", "add", "ada@example.com", "--role", "owner", "--project", PROJECT).strip()
    code = link.partition("code=")[2]
    fields = {"Content-Type": "application/x-www-form-urlencoded"}

    def use(text: str) -> bool:
        status, _, headers = hub.request("POST", "/console/sign-in", f"code={text}", headers=fields)
        return status == 303 and bool(headers["Set-Cookie"])

    for changed in [code[:-1], code + "A", code.swapcase(), code[::-1]]:
        assert not use(changed), "a changed link signs in"
    assert use(code), "the link does not work"
    assert sum(use(code) for _ in range(20)) == 0, "a link signs in twice"


@attack()
def ids_of_another_project_do_nothing(hub: Hub) -> None:
    """An owner names keys, sessions and people of another project, in every spelling."""
    hub.run("project", "create", OTHER)
    key = hub.run("token", "create", "victim", "--role", "owner", "--project", OTHER).strip()
    hub.run("person", "add", "bob@example.com", "--role", "owner", "--project", OTHER)
    records = json.loads(hub.run("token", "list", "--format", "json", "--project", OTHER))
    ids = [record["id"] for record in records]
    token = owner(hub)
    for id in ids + [ids[0][:12], "%25", "..", "%2e%2e", "x' OR '1'='1", ""]:
        for project in [PROJECT, OTHER, f"{PROJECT}%2F..%2F{OTHER}", f"{OTHER}%00", OTHER.upper(), "-"]:
            for path in [f"keys/{id}", f"sessions/{id}"]:
                target = f"/hub/v1/projects/{project}/{path}".replace(" ", "%20").replace("'", "%27")
                status, reply, _ = hub.request("DELETE", target, token=token)
                assert status in (400, 403, 404, 405), f"{target}: {status} {reply[:200]!r}"
    for method, path in [("DELETE", "people/bob@example.com"), ("POST", "people/bob@example.com:createSignInLink")]:
        for project in [PROJECT, OTHER]:
            status, _, _ = hub.request(method, f"/hub/v1/projects/{project}/{path}", token=token)
            assert status in (403, 404), f"{method} {path} in {project}: {status}"
    for header in [OTHER, "-", PROJECT]:
        status, _, _ = hub.request(
            "GET", f"/v1beta2/projects/{OTHER}/models", token=token, headers={"X-Goog-User-Project": header}
        )
        assert status == 403, "a header opens another project"
    assert hub.request("GET", f"/v1beta2/projects/{OTHER}/models", token=key)[0] == 200, (
        "the victim's token was revoked"
    )


@attack()
def names_are_not_told(hub: Hub) -> None:
    """Responses about projects, people and keys that exist and that do not are the same for strangers."""
    hub.run("project", "create", OTHER)
    hub.run("person", "add", "bob@example.com", "--role", "owner", "--project", OTHER)
    token = owner(hub)
    pairs = [
        (f"/hub/v1/projects/{OTHER}/people", "/hub/v1/projects/no-such-project/people"),
        (f"{PEOPLE}/bob@example.com", f"{PEOPLE}/nobody@example.com"),
        (f"{PEOPLE}/bob@example.com:createSignInLink", f"{PEOPLE}/nobody@example.com:createSignInLink"),
    ]
    for known, unknown in pairs:
        for method in ["GET", "DELETE", "POST"]:
            answers = []
            for path, name in [(known, "bob"), (unknown, "nobody")]:
                status, body, _ = hub.request(method, path, token=token)
                text = body.decode().replace(OTHER, "P").replace("no-such-project", "P")
                answers.append((status, text.replace(name, "N")))
            assert answers[0] == answers[1], f"{method} {known}: {answers}"


@attack()
def limits_hold_for_links_and_names(hub: Hub) -> str | None:
    """Hundreds of links, long names and hostile names."""
    token = owner(hub)
    for name in ["a" * 100_000, "<script>@x.y", "a@b\u0000c", "'; DROP TABLE person; --@x.y", "\u202egro.elpmaxe@ada"]:
        target = f"{PEOPLE}/{quote(name, safe='')}"
        if len(target) > 12_000:
            target = target[:12_000]
        status, reply, _ = hub.request("PUT", target, {"role": "viewer"}, token=token)
        assert status == 400, f"{name[:40]!r}: {status} {reply[:200]!r}"
    hub.request("PUT", f"{PEOPLE}/eve@example.com", {"role": "viewer"}, token=token)
    before = hub.stored_bytes()
    for _ in range(200):
        status, _, _ = hub.request("POST", f"{PEOPLE}/eve@example.com:createSignInLink", token=token)
        assert status in (200, 429), status
    return f"{(hub.stored_bytes() - before) / 1000:.0f} kB for 200 links"
