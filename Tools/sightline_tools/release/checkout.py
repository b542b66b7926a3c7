"""The checkout that a release is made from."""

import datetime
import re
import subprocess
import sys
from pathlib import Path

from ..programs import output
from . import changelog

CHANGELOG = "CHANGELOG.md"


def git(root: Path, *words: str) -> str:
    """The output of a command of git."""
    return output(["git", *words], root).rstrip("\n")


def commit(root: Path) -> str:
    """The commit of the checkout."""
    return git(root, "rev-parse", "HEAD")


def commit_time(root: Path) -> int:
    """The time of the commit, in seconds since 1970."""
    return int(git(root, "log", "-1", "--format=%ct"))


def tagged(root: Path, version: str) -> str | None:
    """The commit that has the tag of a version."""
    words = ["git", "rev-parse", "--quiet", "--verify", f"refs/tags/{version}^{{commit}}"]
    return subprocess.run(words, cwd=root, capture_output=True, text=True).stdout.strip() or None


def check(root: Path, version: str, may_be_tagged: bool = False) -> None:
    """Ends the program if no release of the version can be made. With `may_be_tagged`, the tag may be on this one."""
    if not re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}", version):
        sys.exit(f'error: "{version}" is not a version such as 1.2.0.')
    named = output(["Scripts/version"], root).strip()
    if named != version:
        sys.exit(
            f"error: the sources have the version {named}, not {version}; change it in "
            "Sources/CommandLineSupport/SightlineVersion.swift and in the Python packages."
        )
    if changes := git(root, "status", "--porcelain").splitlines():
        sys.exit(f"error: the checkout has {len(changes)} changes, such as {changes[0][3:]}; commit or remove them.")
    place = tagged(root, version)
    if place and not may_be_tagged:
        sys.exit(f"error: the tag {version} is there already, on {place[:12]}; choose the next version.")
    if place and place != commit(root):
        sys.exit(f"error: the tag {version} is on {place[:12]}, not on this commit; check that commit out.")
    changelog.section((root / CHANGELOG).read_text(), version)


def date(root: Path, version: str, day: datetime.date) -> None:
    """Writes the date into the heading of the version in CHANGELOG.md, and commits that."""
    path = root / CHANGELOG
    text = path.read_text()
    dated = changelog.dated(text, version, day)
    if dated != text:
        path.write_text(dated)
        git(root, "commit", "--quiet", "--message", f"Release {version}", "--", CHANGELOG)


def tag(root: Path, version: str, notes: str) -> None:
    """Makes an annotated tag with the release notes."""
    words = ["git", "tag", "--annotate", "--cleanup=verbatim", "--file=-", version]
    done = subprocess.run(words, cwd=root, input=notes, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"error: the tag {version} cannot be made: {done.stderr.strip()}")
