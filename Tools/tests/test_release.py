"""Tests of what makes a release."""

import contextlib
import datetime
import io
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from sightline_tools import release
from sightline_tools.places import ROOT
from sightline_tools.release import bill, changelog, checkout

CHANGES = """# Changes

## 0.2.0

- A new thing.

### Fixes

- An old thing.

## 0.1.0 (2026-11-29)

The first version.
"""
RESOLVED = json.dumps(
    {
        "pins": [
            {
                "identity": "yams",
                "location": "https://github.com/jpsim/Yams.git",
                "state": {"revision": "473e618f", "version": "6.2.2"},
            },
            {
                "identity": "fork",
                "location": "https://example.org/fork",
                "state": {"branch": "main", "revision": "abc123"},
            },
        ]
    }
)


class ChangelogTests(unittest.TestCase):
    def test_notes_are_the_section_of_the_version_alone(self) -> None:
        self.assertEqual(
            changelog.notes(CHANGES, "0.2.0"), "# Sightline 0.2.0\n\n- A new thing.\n\n### Fixes\n\n- An old thing.\n"
        )

    def test_notes_have_the_date_of_the_heading(self) -> None:
        self.assertEqual(changelog.notes(CHANGES, "0.1.0"), "# Sightline 0.1.0, 2026-11-29\n\nThe first version.\n")

    def test_a_date_is_added_once(self) -> None:
        day = datetime.date(2026, 12, 1)
        dated = changelog.dated(CHANGES, "0.2.0", day)
        self.assertIn("## 0.2.0 (2026-12-01)\n\n- A new thing.", dated)
        self.assertEqual(changelog.dated(dated, "0.2.0", datetime.date(2027, 1, 1)), dated)
        self.assertEqual(changelog.dated(CHANGES, "0.1.0", day), CHANGES)

    def test_a_version_is_not_the_beginning_of_another(self) -> None:
        for version in ["0.1", "0.2.00", "2.0", "0.2.0 "]:
            with self.assertRaisesRegex(SystemExit, "has no heading"):
                changelog.section(CHANGES, version)

    def test_an_empty_section_is_refused(self) -> None:
        with self.assertRaisesRegex(SystemExit, "is empty"):
            changelog.section("# Changes\n\n## 0.2.0\n\n## 0.1.0\n\nText.\n", "0.2.0")


class CheckoutTests(unittest.TestCase):
    def setUp(self) -> None:
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / "Scripts").mkdir()
        script = self.root / "Scripts/version"
        script.write_text("#!/bin/sh\necho 0.2.0\n")
        script.chmod(0o755)
        (self.root / "CHANGELOG.md").write_text(CHANGES)
        self.git("init", "--quiet")
        self.git("config", "user.name", "A Maintainer")
        self.git("config", "user.email", "maintainer@example.org")
        self.commit("Begin")

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, subject: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", subject)

    def test_a_clean_checkout_of_the_version_is_accepted(self) -> None:
        checkout.check(self.root, "0.2.0")

    def test_a_version_that_is_none_or_another_is_refused(self) -> None:
        for version in ["", "v0.2.0", "0.2", "0.2.0-beta", "00.2.0", "0.2.0\n"]:
            with self.assertRaisesRegex(SystemExit, "is not a version such as 1.2.0"):
                checkout.check(self.root, version)
        with self.assertRaisesRegex(SystemExit, "the sources have the version 0.2.0, not 0.3.0"):
            checkout.check(self.root, "0.3.0")

    def test_changes_and_new_files_are_refused(self) -> None:
        (self.root / "new.txt").write_text("")
        with self.assertRaisesRegex(SystemExit, "has 1 changes, such as new.txt"):
            checkout.check(self.root, "0.2.0")
        self.commit("Add")
        (self.root / "CHANGELOG.md").write_text(CHANGES + "\n")
        with self.assertRaisesRegex(SystemExit, "CHANGELOG.md; commit"):
            checkout.check(self.root, "0.2.0")

    def test_a_version_without_a_section_is_refused(self) -> None:
        (self.root / "CHANGELOG.md").write_text("# Changes\n\n## 0.1.0\n\nText.\n")
        self.commit("Forget")
        with self.assertRaisesRegex(SystemExit, 'no heading "## 0.2.0" .the first one is "## 0.1.0"'):
            checkout.check(self.root, "0.2.0")

    def test_a_tag_is_refused_but_for_making_its_files_again(self) -> None:
        checkout.tag(self.root, "0.2.0", "# Notes\n")
        with self.assertRaisesRegex(SystemExit, "the tag 0.2.0 is there already"):
            checkout.check(self.root, "0.2.0")
        checkout.check(self.root, "0.2.0", may_be_tagged=True)
        (self.root / "later.txt").write_text("")
        self.commit("Go beyond")
        with self.assertRaisesRegex(SystemExit, "not on this commit"):
            checkout.check(self.root, "0.2.0", may_be_tagged=True)

    def test_the_date_is_a_commit_of_the_changelog_alone_and_once(self) -> None:
        checkout.date(self.root, "0.2.0", datetime.date(2026, 12, 1))
        self.assertEqual(self.git("log", "-1", "--format=%s"), "Release 0.2.0")
        self.assertEqual(self.git("show", "--format=", "--name-only"), "CHANGELOG.md")
        self.assertIn("## 0.2.0 (2026-12-01)", (self.root / "CHANGELOG.md").read_text())
        before = checkout.commit(self.root)
        checkout.date(self.root, "0.2.0", datetime.date(2026, 12, 2))
        self.assertEqual(checkout.commit(self.root), before)

    def test_the_tag_is_annotated_with_the_notes(self) -> None:
        checkout.tag(self.root, "0.2.0", "# Sightline 0.2.0\n\n- A new thing.\n")
        self.assertEqual(self.git("cat-file", "-t", "0.2.0"), "tag")
        self.assertEqual(
            self.git("tag", "--list", "--format=%(contents)", "0.2.0"), "# Sightline 0.2.0\n\n- A new thing."
        )
        self.assertEqual(checkout.tagged(self.root, "0.2.0"), checkout.commit(self.root))


class BillTests(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_a_swift_package_has_its_version_commit_and_license(self) -> None:
        (self.folder / "Yams").mkdir()
        (self.folder / "Yams/LICENSE").write_text(
            "The MIT License (MIT)\n\nCopyright\n\nPermission is hereby granted, free\nof charge"
        )
        yams, fork = bill.swift_packages(RESOLVED, self.folder)
        self.assertEqual(yams["purl"], "pkg:swift/github.com/jpsim/Yams@6.2.2")
        self.assertEqual(yams["licenses"], [{"license": {"id": "MIT"}}])
        self.assertIn("473e618f", yams["externalReferences"][0]["comment"])
        self.assertEqual(fork["version"], "abc123")
        self.assertNotIn("licenses", fork)

    def test_litert_has_the_hashes_of_its_table(self) -> None:
        table = (ROOT / "Sources/TensorFlowLite/Runtime/litert.txt").read_text()
        part = bill.litert(table, "aarch64")
        self.assertIn(part["hashes"][0]["content"], table)
        self.assertRegex(part["purl"], r"^pkg:pypi/ai-edge-litert@[\d.]+$")

    def test_a_model_has_its_hash(self) -> None:
        (self.folder / "a.tflite").write_bytes(b"abc")
        (self.folder / "a.json").write_text("")
        (model,) = bill.models(self.folder, "0.2.0")
        self.assertEqual(model["type"], "machine-learning-model")
        self.assertTrue(model["hashes"][0]["content"].startswith("ba7816bf"))

    def test_dependencies_of_debian_are_named_without_versions_and_alternatives(self) -> None:
        field = "libc6 (>= 2.34), libavcodec63 | libavcodec62 (>= 7:6), libgcc-s1:any"
        self.assertEqual(bill.alternatives(field), ["libc6", "libavcodec63", "libgcc-s1"])

    def test_a_package_that_is_needed_and_recommended_is_required(self) -> None:
        found = bill.debian_packages(["libc6", "no-such-package"], ["libc6", "libcairo2"])
        self.assertEqual(
            [(part["name"], part["scope"]) for part in found],
            [("libc6", "required"), ("no-such-package", "required"), ("libcairo2", "optional")],
        )
        self.assertNotIn("version", found[1])

    def test_equal_parts_make_an_equal_file_and_others_another_number(self) -> None:
        parts = bill.swift_packages(RESOLVED, self.folder)
        first, second = bill.text(parts, "0.2.0", 1_000_000_000), bill.text(parts, "0.2.0", 1_000_000_000)
        self.assertEqual(first, second)
        document = json.loads(first)
        self.assertEqual((document["bomFormat"], document["specVersion"]), ("CycloneDX", "1.6"))
        self.assertEqual(document["metadata"]["timestamp"], "2001-09-09T01:46:40Z")
        self.assertNotEqual(
            document["serialNumber"], json.loads(bill.text(parts[:1], "0.2.0", 1_000_000_000))["serialNumber"]
        )

    def test_the_program_depends_on_all_parts_and_no_name_is_there_twice(self) -> None:
        parts = bill.swift_packages(RESOLVED, self.folder)
        document = json.loads(bill.text(parts, "0.2.0", 0))
        own, *others = document["dependencies"]
        self.assertEqual(own["dependsOn"], [part["bom-ref"] for part in document["components"]])
        self.assertEqual([other["ref"] for other in others], own["dependsOn"])
        self.assertEqual(len({own["ref"], *own["dependsOn"]}), len(parts) + 1)


class FolderTests(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_sums_are_those_that_sha256sum_checks(self) -> None:
        (self.folder / "package").write_bytes(b"abc")
        made = release.collect(self.folder / "out", [self.folder / "package"], {"notes.md": "Notes\n"})
        self.assertEqual([path.name for path in made], ["SHA256SUMS", "notes.md", "package"])
        words = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
        done = subprocess.run(words, cwd=self.folder / "out", capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "notes.md: OK\npackage: OK\n"))

    def test_files_of_an_earlier_try_do_not_stay(self) -> None:
        (self.folder / "out").mkdir()
        (self.folder / "out/old").write_text("")
        release.collect(self.folder / "out", [], {})
        self.assertEqual([path.name for path in self.folder.glob("out/*")], ["SHA256SUMS"])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["out"])

    def test_each_package_must_be_there_once(self) -> None:
        for folder, patterns in release.PACKAGES:
            (self.folder / folder).mkdir()
            for pattern in patterns:
                (self.folder / folder / pattern.format(version="0.2.0").replace("*", "x")).write_text("")
        self.assertEqual(len(release.packages("0.2.0", self.folder)), 5)
        with self.assertRaisesRegex(SystemExit, "has 0 files"):
            release.packages("0.3.0", self.folder)
        (self.folder / "wheel/sightline-0.2.0-py3-none-y.whl").write_text("")
        with self.assertRaisesRegex(SystemExit, "has 2 files"):
            release.packages("0.2.0", self.folder)

    def test_built_packages_are_never_a_release(self) -> None:
        from sightline_tools.__main__ import main

        with contextlib.redirect_stderr(io.StringIO()) as text, self.assertRaises(SystemExit):
            main(["release", "0.2.0", "--built"])
        self.assertIn("--built is for --dry-run", text.getvalue())


if __name__ == "__main__":
    unittest.main()
