"""Tests of the check of upgrades, with scripts as the programs of releases."""

import contextlib
import sqlite3
import tempfile
import unittest
from pathlib import Path

from sightline_tools.check import upgrade


class UpgradeTests(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.data = self.folder / "data"
        self.data.mkdir()
        with contextlib.closing(sqlite3.connect(self.data / "hub.sqlite")) as connection:
            connection.execute("CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            connection.commit()

    def release(self, hub: str) -> upgrade.Release:
        """A release whose hub is a script. The variable `data` is its folder."""
        programs = self.folder / "programs"
        programs.mkdir()
        scripts = dict.fromkeys(upgrade.PROGRAMS, "echo 0.1.0") | {"sightline-hub": hub}
        for name, script in scripts.items():
            # The folder is the last word.
            (programs / name).write_text(f"#!/bin/bash\ndata=${{@: -1}}\n{script}\n")
            (programs / name).chmod(0o755)
        return upgrade.Release(programs)

    def test_a_folder_without_all_programs_is_refused(self) -> None:
        with self.assertRaisesRegex(SystemExit, "has no program sightline; --earlier names"):
            upgrade.Release(self.folder)

    def test_a_hub_that_refuses_with_its_sentence_is_seen(self) -> None:
        release = self.release('echo "The database was written by a newer hub." >&2; exit 2')
        self.assertTrue(upgrade.refuses(release, self.data))

    def test_a_hub_that_opens_the_folder_is_seen(self) -> None:
        self.assertFalse(upgrade.refuses(self.release("exit 0"), self.data))

    def test_a_refusal_that_changes_a_file_or_a_record_is_an_error(self) -> None:
        script = 'echo "It was written by a newer hub." >&2; touch "$data/new"; exit 2'
        with self.assertRaisesRegex(SystemExit, "refuses the folder, but has changed new"):
            upgrade.refuses(self.release(script), self.data)

    def test_another_error_or_a_crash_is_no_refusal(self) -> None:
        with self.assertRaisesRegex(SystemExit, "ended with 2: no such table"):
            upgrade.refuses(self.release("echo no such table >&2; exit 2"), self.data)

    def test_a_refusal_by_some_commands_alone_is_an_error(self) -> None:
        script = '[[ $1 == publish ]] && exit 0; echo "It was written by a newer hub." >&2; exit 2'
        with self.assertRaisesRegex(SystemExit, "some commands of 0.1.0 refuse the folder, and some do not"):
            upgrade.refuses(self.release(script), self.data)

    def test_a_database_is_compared_by_its_records(self) -> None:
        before = upgrade.files(self.data)
        with contextlib.closing(sqlite3.connect(self.data / "hub.sqlite")) as connection:
            connection.execute("VACUUM")
        self.assertEqual(upgrade.files(self.data), before)
        upgrade.add_future_table(self.data / "hub.sqlite")
        self.assertNotEqual(upgrade.files(self.data), before)

    def test_records_of_a_client_get_a_field_that_no_version_knows(self) -> None:
        (self.folder / "list.json").write_text("[1]")
        (self.data / "record.json").write_text('{"hash": "ab"}')
        self.assertEqual(upgrade.add_unknown_fields(self.folder), 1)
        self.assertIn('"hash": "ab", "ofTheFuture"', (self.data / "record.json").read_text())


if __name__ == "__main__":
    unittest.main()
