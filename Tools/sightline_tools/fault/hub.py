"""Commands on the folder of a hub."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from ..places import FIXTURES
from ..programs import Word
from .flow import Flow, TornError

FIRST = FIXTURES / "models/classifier_float_metadata.tflite"
NEXT = FIXTURES / "models/classifier_uint8_metadata.tflite"
PICTURE = FIXTURES / "images/scene.png"


class HubFlow(Flow):
    """A command on a hub with a published model and a staged version of it."""

    command: ClassVar[Sequence[Word]] = ()
    # The folders of hubs after the command.
    hubs: ClassVar[Sequence[str]] = ("hub",)

    def prepare(self, folder: Path) -> None:
        self.hub(folder, "project", "create", "my-plants")
        self.hub(folder, "publish", "plants", FIRST)
        self.hub(folder, "publish", "plants", NEXT, "--stage")

    def hub(self, folder: Path, *words: Word) -> str:
        """Runs a command of the hub without a fault."""
        return self.run(folder, "sightline-hub", *words)

    def words(self) -> Sequence[Word]:
        return [self.programs / "sightline-hub", *self.command]

    def state(self, folder: Path) -> str:
        """The models with their versions, and what a deep look at all files says."""
        looked = self.process(folder, "sightline-hub", "verify", "--deep")
        if looked.returncode or "no problems" not in looked.stdout:
            raise TornError(f"verify says: {looked.stdout}{looked.stderr}")
        return self.without_times(self.hub(folder, "list", "--format", "json") + self.details(folder)) + self.log(
            folder
        )

    def log(self, folder: Path) -> str:
        """The changes in the audit log, which must belong to each other."""
        lines = self.hub(folder, "audit", "--since", "0")
        copy = folder / ".tmp/audit.jsonl"
        copy.write_text(lines)
        checked = self.process(folder, "sightline-hub", "audit", "--verify", copy)
        copy.unlink()
        if checked.returncode:
            raise TornError(f"the audit log contradicts itself: {checked.stdout}{checked.stderr}")
        return "\n" + " ".join(str(json.loads(line).get("action")) for line in lines.splitlines())

    def details(self, folder: Path) -> str:
        """The rest of the state."""
        return self.hub(folder, "show", "plants")

    @staticmethod
    def without_times(text: str) -> str:
        """A text without times, dates and random ids."""
        text = re.sub(r"\d{4}-\d\d-\d\d(T[\d:.]+Z)?", "‹time›", text)
        return re.sub(r'"(etag|name|id)" ?: ?"[^"]*"', "‹id›", text)

    def kept_files(self, folder: Path) -> set[str]:
        # A serving hub does this every hour.
        for name in self.hubs:
            for file in (folder / name / "uploads").glob("*"):
                os.utime(file, (0, 0))
            self.hub(folder, "clean", "--data", name)
        return self.files(folder)

    def files(self, folder: Path) -> set[str]:
        # SQLite's own files stay when its process is killed; the next one takes them up.
        return {name for name in super().files(folder) if not name.endswith(("-wal", "-shm", "-journal"))}


class Publish(HubFlow):
    """A new version of a model is validated, stored and served."""

    command: ClassVar[Sequence[Word]] = ["publish", "plants", FIXTURES / "models/classifier_int8_metadata.tflite"]

    def is_between(self, state: str, old: str, new: str) -> bool:
        # The new version is there, and clients still get the earlier one.
        return state.count("served") == 1 and state.startswith(old[: old.index("Versions")])

    def log(self, folder: Path) -> str:
        # A run that ended early has uploaded the file, and the next one uploads it again.
        return super().log(folder).replace(" object.upload", "")


class Create(HubFlow):
    """A first project begins a hub."""

    command: ClassVar[Sequence[Word]] = ["project", "create", "my-plants"]

    def prepare(self, folder: Path) -> None:
        pass

    def state(self, folder: Path) -> str:
        if not (folder / "hub").exists():
            return "absent"
        listed = self.process(folder, "sightline-hub", "project", "list")
        if listed.returncode:
            if re.search("no hub in|There is no hub", listed.stderr):
                return "absent"
            raise TornError(listed.stderr)
        return self.without_times(listed.stdout)

    def is_between(self, state: str, old: str, new: str) -> bool:
        # The hub is made before its first project.
        return "my-plants" not in state


class Promote(HubFlow):
    """A staged version is served."""

    command: ClassVar[Sequence[Word]] = ["promote", "plants"]


class Alias(HubFlow):
    """An alias gets a version."""

    command: ClassVar[Sequence[Word]] = ["alias", "set", "plants", "beta", "2"]


class Rollout(HubFlow):
    """A rollout begins."""

    start: ClassVar[Sequence[Word]] = ["rollout", "start", "plants", "--to", "2", "--steps", "5,100", "--every", "24h"]
    command: ClassVar[Sequence[Word]] = start

    def details(self, folder: Path) -> str:
        rollouts = json.loads(self.hub(folder, "rollout", "list", "--format", "json"))
        return json.dumps([[each.get("model"), each.get("state"), each.get("share")] for each in rollouts])


class FinishRollout(Rollout):
    """A rollout goes to all devices, and its version is promoted."""

    command: ClassVar[Sequence[Word]] = ["rollout", "finish", "plants"]

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        self.hub(folder, *self.start)


class AbortRollout(FinishRollout):
    """A rollout ends, and all devices return to the earlier version."""

    command: ClassVar[Sequence[Word]] = ["rollout", "abort", "plants"]


class Configure(HubFlow):
    """A template of Remote Config is published."""

    command: ClassVar[Sequence[Word]] = ["config", "set", "config.json"]

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        parameters = {"plant_model": {"defaultValue": {"value": "plants"}}}
        (folder / "config.json").write_text(json.dumps({"conditions": [], "parameters": parameters}))

    def details(self, folder: Path) -> str:
        return json.dumps(json.loads(self.hub(folder, "config", "get")).get("parameters"))


class Key(HubFlow):
    """A key for apps is made."""

    command: ClassVar[Sequence[Word]] = ["key", "create", "--api-key", "my-app"]

    def details(self, folder: Path) -> str:
        keys = json.loads(self.hub(folder, "key", "list", "--format", "json"))
        return json.dumps([each.get("kind") for each in keys])


class Sign(HubFlow):
    """A version is signed with a key of the hub."""

    command: ClassVar[Sequence[Word]] = ["sign", "plants", "--key-file", "plants.pem", "--file", FIRST]

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        self.hub(folder, "key", "create", "--signing", "plants", "--offline", "plants.pem")

    def details(self, folder: Path) -> str:
        return self.hub(folder, "manifest", "list", "plants")


class ReplaceKey(HubFlow):
    """The key of a hub is replaced."""

    command: ClassVar[Sequence[Word]] = ["key", "replace"]

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        (folder / "old-key").write_bytes(self.key(folder))

    def details(self, folder: Path) -> str:
        return "old key" if self.key(folder) == (folder / "old-key").read_bytes() else "new key"

    def key(self, folder: Path) -> bytes:
        """The key, as the hub's records have it."""
        with contextlib.closing(sqlite3.connect(folder / "hub/hub.sqlite")) as connection:
            return repr(connection.execute("SELECT * FROM setting WHERE key = 'signing-key'").fetchall()).encode()

    def log(self, folder: Path) -> str:
        entries = json.loads(self.hub(folder, "audit", "--hub-wide", "--format", "json"))
        return super().log(folder) + f"\n{len(entries)} of the whole hub"


class Upgrade(Flow):
    """A hub of an earlier version gets the tables of this one, and a project."""

    def prepare(self, folder: Path) -> None:
        shutil.copytree(FIXTURES / "hub", folder / "hub")

    def words(self) -> Sequence[Word]:
        return [self.programs / "sightline-hub", "project", "create", "fresh-project"]

    def state(self, folder: Path) -> str:
        """The migrations and the projects. The hub that is looked at is a copy, since each command upgrades it."""
        with tempfile.TemporaryDirectory() as copy:
            data = Path(copy, "hub")
            shutil.copytree(folder / "hub", data)
            looked = self.process(folder, "sightline-hub", "verify", "--deep", "--data", data)
            listed = self.run(folder, "sightline-hub", "project", "list", "--data", data)
        # The fixture has a file that is missing, on purpose.
        if looked.returncode > 1:
            raise TornError(f"the hub cannot be opened: {looked.stderr}")
        with tempfile.TemporaryDirectory() as copy:
            data = Path(copy, "hub")
            shutil.copytree(folder / "hub", data)
            with contextlib.closing(sqlite3.connect(data / "hub.sqlite")) as connection:
                migrations = [row[0] for row in connection.execute("SELECT identifier FROM grdb_migrations")]
                tables = [
                    row[0]
                    for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
                ]
        names = re.findall(r"^(?!NAME)\S+", listed, re.M)
        return json.dumps([migrations, tables, names, HubFlow.without_times(looked.stdout)])

    def is_between(self, state: str, old: str, new: str) -> bool:
        # The tables come before the project.
        return bool(json.loads(state)[:2] == json.loads(new)[:2] and json.loads(state)[2:] == json.loads(old)[2:])


class Delete(HubFlow):
    """A model goes with its versions and files."""

    command: ClassVar[Sequence[Word]] = ["delete", "plants", "--yes"]

    def details(self, folder: Path) -> str:
        return ""


class Backup(HubFlow):
    """A hub is copied into a folder."""

    command: ClassVar[Sequence[Word]] = ["backup", "copy"]

    def details(self, folder: Path) -> str:
        return self.copy_state(folder, "copy")

    def copy_state(self, folder: Path, name: str) -> str:
        """The state of a copy: absent, incomplete, or the models of the hub that is restored from it."""
        if not (folder / name).exists() or not any((folder / name).iterdir()):
            return "absent"
        restored = self.process(folder, "sightline-hub", "restore", name, "--data", "restored")
        whole = self.process(folder, "sightline-hub", "list", "--format", "json", "--data", "restored")
        for file in sorted((folder / "restored").rglob("*"), reverse=True):
            file.rmdir() if file.is_dir() else file.unlink()
        if restored.returncode:
            # A copy that is not complete is refused.
            return "incomplete"
        if whole.returncode:
            raise TornError(f"a restored copy cannot be opened: {whole.stderr}")
        return self.without_times(whole.stdout)

    def is_between(self, state: str, old: str, new: str) -> bool:
        return "incomplete" in state


class Restore(HubFlow):
    """A hub is made of its copy."""

    command: ClassVar[Sequence[Word]] = ["restore", "copy", "--data", "other"]

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        self.hub(folder, "backup", "copy")

    def details(self, folder: Path) -> str:
        listed = self.process(folder, "sightline-hub", "list", "--format", "json", "--data", "other")
        if listed.returncode:
            return "absent"
        looked = self.process(folder, "sightline-hub", "verify", "--deep", "--data", "other")
        if looked.returncode:
            raise TornError(f"the restored hub is not whole: {looked.stdout}{looked.stderr}")
        return self.without_times(listed.stdout)


class Migrate(Restore):
    """A hub is copied to another place."""

    command: ClassVar[Sequence[Word]] = ["migrate", "--from", "hub", "--to", "other"]
    hubs: ClassVar[Sequence[str]] = ("hub", "other")


class Evaluate(HubFlow):
    """A version is measured, and a threshold stored with it."""

    command: ClassVar[Sequence[Word]] = ["evaluate", "plants", "colors", "--threshold", "0.25", "--store-threshold"]

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        for name in ("red", "green", "blue"):
            (folder / "colors" / name).mkdir(parents=True)
            shutil.copy(PICTURE, folder / "colors" / name / "a.png")
