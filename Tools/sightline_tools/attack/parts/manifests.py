"""Attacks with the manifests that apps trust: forged, replayed, swapped, endless, and on the keys that sign them."""

import base64
import json
import sqlite3
from pathlib import Path
from typing import Any

from ...hubs import Response
from ...places import FIXTURES, temporary_folder
from ..attacked import PROJECT, Hub, attack

MODELS = f"/v1beta2/projects/{PROJECT}/models"
KEYS = f"/hub/v1/projects/{PROJECT}/keys"
MANIFESTS = f"/hub/v1/projects/{PROJECT}/models/plants/manifests"
ADD = FIXTURES / "models/add.tflite"
OTHER = FIXTURES / "models/classifier_uint8_metadata.tflite"


class Signer:
    """A key in a file outside of the hub, which the hub knows."""

    def __init__(self, hub: Hub, folder: Path, name: str) -> None:
        self.hub, self.folder = hub, folder
        self.file = folder / f"{name}.pem"
        self.public = hub.run("key", "create", "--signing", name, "--offline", self.file).strip()

    def signed(self, prepared: str, model: Path = ADD) -> str:
        """A prepared manifest with a signature, as a machine without a hub makes it."""
        manifest = self.folder / "manifest"
        manifest.write_text(prepared)
        return self.hub.run("sign", "--manifest", manifest, "--key-file", self.file, "--file", model)


def prepared(hub: Hub, key: str, version: int = 1, model: str = "plants") -> str:
    """A manifest that the hub gives out."""
    return hub.run("manifest", "prepare", model, "--version", str(version), "--key", key)


def add(hub: Hub, token: str, manifest: Any) -> Response:
    return hub.request("POST", MANIFESTS, {"manifest": manifest}, token=token)


def served(hub: Hub, key: str, query: str = "") -> tuple[int, str]:
    """The answer to an app."""
    status, body, _ = hub.request("GET", f"{MODELS}/plants:manifest?key={key}{query}")
    return status, body.decode(errors="replace")


@attack()
def forged_manifests_are_not_added(hub: Hub) -> str | None:
    """A publisher without the key changes what the key signed, or signs with keys of the publisher's own."""
    hub.run("publish", "plants", ADD)
    token, key = hub.token("publisher"), hub.api_key()
    with temporary_folder("attack") as folder:
        owner = Signer(hub, folder, "owner")
        good = owner.signed(prepared(hub, "owner"))
        body, _, signature = good.rpartition("signature ")
        forgeries: list[Any] = [
            "",
            body,
            "signature " + signature,
            body + "signature " + "A" * 86 + "\n",
            body + "signature " + signature.strip() + "==\n",
            good + good,
            good + "signature " + signature,
            "\n" + good,
            good.rstrip("\n"),
            good.replace("\n", "\r\n"),
            good.replace("threshold -", "threshold 0.0"),
            good.replace("alias production", "alias staging"),
            good.replace("version 1", "version 2"),
            good.replace("name plants", "name plants\nname plants"),
            good.replace("expires 2", "expires 9"),
            good.replace("name plants", "name plants\0"),
            good.replace("manifest 1\n", "manifest 2\n"),
            good.replace("-", "\u2010"),
            None,
            5,
            [good],
            {"manifest": good},
        ]
        # A key that the hub does not know, and the same with the name of the owner's key.
        stranger = folder / "stranger.pem"
        stranger.write_text(
            "-----BEGIN PRIVATE KEY-----\n"
            + base64.b64encode(bytes.fromhex("302e020100300506032b657004220420") + b"k" * 32).decode()
            + "\n-----END PRIVATE KEY-----\n"
        )
        manifest = folder / "manifest"
        manifest.write_text(prepared(hub, "owner"))
        foreign = hub.run("sign", "--manifest", manifest, "--key-file", stranger, "--file", ADD)
        forgeries.append(foreign)
        forgeries.append(body + "signature " + foreign.rpartition("signature ")[2])
        for forgery in forgeries:
            status, reply, _ = add(hub, token, forgery)
            assert status == 400, f"{forgery!r}: {status} {reply[:200]!r}"
        status, text = served(hub, key)
        assert status == 404, f"a forged manifest is served: {text}"
        assert add(hub, token, good)[0] == 200, "the manifest of the owner is refused"
        for index in range(0, len(body), 7):
            changed = body[:index] + chr(ord(body[index]) ^ 1) + body[index + 1 :]
            status, reply, _ = add(hub, token, changed + "signature " + signature)
            assert status == 400, f"changed at {index}: {status} {reply[:200]!r}"
        assert served(hub, key) == (200, good), "another manifest is served"
    return f"{len(forgeries) + len(body) // 7} forgeries refused"


@attack()
def replayed_and_swapped_manifests_are_not_added(hub: Hub) -> str | None:
    """A publisher keeps what the key signed once, and adds it later, or where it does not belong."""
    other = "other-project"
    hub.run("project", "create", other)
    for project in [PROJECT, other]:
        hub.run("publish", "plants", ADD, "--project", project)
    hub.run("publish", "tulips", ADD, "--project", PROJECT)
    hub.run("publish", "plants", OTHER, "--stage", "--project", PROJECT)
    token = hub.run("key", "create", "--token", "attacker", "--role", "publisher", "--project", PROJECT).strip()
    app = hub.run("key", "create", "--api-key", "app", "--project", PROJECT).strip()
    with temporary_folder("attack") as folder:
        pem = folder / "owner.pem"
        hub.run("key", "create", "--signing", "owner", "--offline", pem, "--project", PROJECT)
        # Another key of the same name, for another project.
        hub.run("key", "create", "--signing", "owner", "--offline", folder / "other.pem", "--project", other)

        def signed(model: str, version: int, file: Path, project: str = PROJECT, key: Path = pem) -> str:
            manifest = folder / "manifest"
            manifest.write_text(hub.run("manifest", "prepare", model, "--version", str(version), "--project", project))
            return hub.run("sign", "--manifest", manifest, "--key-file", key, "--file", file)

        old = signed("plants", 1, ADD)
        assert add(hub, token, old)[0] == 200, "the first manifest is refused"
        assert add(hub, token, old)[0] == 200, "the same manifest is an error"
        for wrong in [
            signed("tulips", 1, ADD),
            signed("plants", 1, ADD, other, folder / "other.pem"),
            signed("plants", 1, ADD, other, pem),
        ]:
            status, reply, _ = add(hub, token, wrong)
            assert status == 400, f"a swapped manifest: {status} {reply[:200]!r}"
        new = signed("plants", 2, OTHER)
        assert add(hub, token, new)[0] == 200, "the second manifest is refused"
        hub.run("promote", "plants", "2", "--project", PROJECT)
        assert served(hub, app) == (200, new), "the promoted version has another manifest"
        status, reply, _ = add(hub, token, old)
        assert status in (200, 400), f"a replay: {status} {reply[:200]!r}"
        assert served(hub, app) == (200, new), "a replayed manifest is served"
        # Back to the old version: apps saw the number of the new one.
        hub.run("promote", "plants", "1", "--project", PROJECT)
        status, text = served(hub, app)
        assert status == 404, f"an old manifest is served after the way back: {text}"
        status, reply, _ = add(hub, token, old)
        assert status == 400, f"a replay after the way back: {status} {reply[:200]!r}"
        assert served(hub, app)[0] == 404, "a replayed manifest is served after the way back"
        again = signed("plants", 1, ADD)
        assert add(hub, token, again)[0] == 200 and served(hub, app) == (200, again), "the owner cannot go back"
        for record in json.loads(hub.run("key", "list", "--format", "json", "--project", PROJECT)):
            if record["kind"] == "signing":
                hub.run("key", "revoke", record["id"], "--project", PROJECT)
        assert served(hub, app)[0] == 404, "a manifest of a revoked key is served"
        assert add(hub, token, again)[0] == 400, "a manifest of a revoked key is added"
    return None


@attack()
def signing_needs_rights(hub: Hub) -> str | None:
    """Callers of lower roles make keys, sign, and add; and a signing key is used as a credential."""
    hub.run("publish", "plants", ADD)
    public = hub.run("key", "create", "--signing", "hub").strip()
    app, tries = hub.api_key(), 0
    for role, may_sign, may_create in [("viewer", False, False), ("publisher", True, False), ("editor", True, False)]:
        token = hub.token(role)
        for path, allowed in [
            (f"{MANIFESTS}:sign", may_sign),
            (f"{MANIFESTS}:prepare", may_sign),
            (MANIFESTS, may_sign),
        ]:
            status, reply, _ = hub.request("POST", path, {}, token=token)
            tries += 1
            assert (status != 403) == allowed, f"{role} gets {status} from {path}: {reply[:200]!r}"
        for body in [{"name": "x", "kind": "signing"}, {"name": "x", "kind": "signing", "publicKey": public}]:
            status, reply, _ = hub.request("POST", KEYS, body, token=token)
            tries += 1
            assert (status != 403) == may_create, f"{role} gets {status} for a signing key: {reply[:200]!r}"
        assert hub.request("GET", KEYS, token=token)[0] == 403, f"{role} sees keys"
    for path in [MANIFESTS, f"{MODELS}/plants:manifest"]:
        assert hub.request("GET", path)[0] in (401, 403), f"{path} is open to everybody"
    identifier = next(
        record["id"] for record in json.loads(hub.run("key", "list", "--format", "json")) if record["kind"] == "signing"
    )
    for secret in [public, identifier, f"sat.{identifier}", f"slt_{public}"]:
        assert hub.request("GET", MODELS, token=secret)[0] == 401, "a signing key opens the hub"
        assert served(hub, secret)[0] == 403, "a signing key is an API key"
    assert served(hub, app)[0] == 200, "the hub signs nothing"
    return f"{tries} requests compared"


@attack()
def private_parts_stay_in_their_folder(hub: Hub) -> None:
    """The hub's answers, its database and its backups contain no private part of a key."""
    hub.run("publish", "plants", ADD)
    hub.run("key", "create", "--signing", "hub")
    files = list((hub.folder / "signing").iterdir())
    assert len(files) == 1 and files[0].stat().st_mode & 0o777 == 0o600, f"the files of keys are {files}"
    assert (hub.folder / "signing").stat().st_mode & 0o077 == 0, "others may enter the folder of keys"
    text = files[0].read_text().splitlines()[1]
    seed = base64.b64decode(text)[-32:]
    forms = [seed, text.encode(), base64.b64encode(seed)[:40], base64.urlsafe_b64encode(seed)[:40], seed.hex().encode()]
    owner = hub.token("owner")
    for path in [
        KEYS,
        MANIFESTS,
        f"/hub/v1/projects/{PROJECT}/audit",
        f"{MODELS}/plants:manifest",
        f"/files/signing/{files[0].name}",
        f"/signing/{files[0].name}",
        f"/storage/v1/b/{PROJECT}.appspot.com/o/signing%2F{files[0].name}?alt=media",
        f"/storage/v1/b/{PROJECT}.appspot.com/o/..%2F..%2Fsigning%2F{files[0].name}?alt=media",
    ]:
        _, body, _ = hub.request("GET", path, token=owner)
        assert not any(form in body for form in forms), f"{path} answers with a private part"
    with temporary_folder("attack") as backup:
        hub.run("backup", backup)
        for place in [backup, hub.folder]:
            for file in place.rglob("*"):
                if file.is_file() and file.parent.name != "signing":
                    content = file.read_bytes()
                    assert not any(form in content for form in forms), f"{file.name} contains a private part"
        assert not any("signing" in file.name for file in backup.rglob("*")), "a backup contains the folder of keys"
    log = "".join(hub.log).encode()
    assert not any(form in log for form in forms), "the log has a private part"


@attack(rate_limit=0)
def endless_manifests_and_signatures_are_bounded(hub: Hub) -> str | None:
    """Bodies of megabytes, signatures for aliases that do not exist, and many of the same version."""
    hub.run("publish", "plants", ADD)
    hub.run("key", "create", "--signing", "hub")
    token, app = hub.token("publisher"), hub.api_key()
    before, first = hub.memory(), served(hub, app)
    for size in [5_000, 20_000, 1_000_000]:
        status, _, _ = add(hub, token, "x\n" * size)
        assert status in (400, 413), f"a manifest of {2 * size} bytes gives {status}"
    for text in ["9" * 5000, "-1", "1e400", "nan"]:
        body = '{"version": ' + text + "}"
        fields = {"Content-Type": "application/json"}
        status, _, _ = hub.request("POST", f"{MANIFESTS}:sign", body, token=token, headers=fields)
        assert 400 <= status < 500, f"version {text[:10]} gives {status}"
    for number in range(60):
        # Only aliases that a model has, of which there are few, can be signed.
        plan = {"alias": f"alias-{number}", "version": 1, "ttl": "3600s"}
        status, reply, _ = hub.request("POST", f"{MANIFESTS}:sign", plan, token=token)
        assert status == 400, f"alias {number}: {status} {reply[:200]!r}"
        status, reply, _ = hub.request("POST", f"{MANIFESTS}:sign", {}, token=token)
        assert status == 200, f"signature {number}: {status} {reply[:200]!r}"
    with sqlite3.connect(hub.folder / "hub.sqlite") as database:
        count = database.execute("SELECT count(*) FROM manifest").fetchone()[0]
    assert count <= 20, f"the hub keeps {count} manifests of a model"
    status, text = served(hub, app)
    assert status == 200 and first[0] == 200 and text != first[1], f"apps get {status}"
    grown = hub.memory() - before
    assert grown < 100, f"the hub grew by {grown:.0f} MB"
    return f"{count} manifests are kept after 60 signatures, the hub grew by {grown:.0f} MB"
