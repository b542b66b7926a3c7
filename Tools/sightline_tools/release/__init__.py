"""Makes everything that a release needs, in one folder: Debian packages, the archive, the wheel, a list of their parts
(SBOM) in the form of CycloneDX, the pinned packages, the release notes and the hashes. Then tags the commit.

    Scripts/tools release 0.1.0             # dates CHANGELOG.md and commits that, builds, and makes the tag 0.1.0
    Scripts/tools release 0.1.0 --dry-run   # changes nothing in the repository; also builds the commit of a tag again

The checkout must have no changes, and CHANGELOG.md a section for the version. Nothing is pushed.
Documentation/Releasing.md has the steps before and after.
"""

import argparse
import datetime
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ..places import ROOT
from . import bill, changelog, checkout

# The folders in which make leaves packages, and their names.
PACKAGES = [
    ("deb", ["sightline_{version}_*.deb", "sightline-hub_{version}_*.deb", "sightline-serve_{version}_*.deb"]),
    ("bundle", ["sightline-{version}-linux-*.tar.gz"]),
    ("wheel", ["sightline-{version}-py3-none-*.whl"]),
]
SUMS = "SHA256SUMS"


def build(version: str, seconds: int) -> None:
    """Makes the packages. Their files have the time of the commit."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(seconds)}
    for words in (["make", "deb"], ["make", "wheel"]):
        if subprocess.run(words, cwd=ROOT, env=environment).returncode != 0:
            sys.exit(f'error: "{" ".join(words)}" failed, so {version} has no tag; mend it, then run this again.')


def packages(version: str, built: Path) -> list[Path]:
    """The packages that were made of a version: exactly one of each kind."""
    found = []
    for folder, patterns in PACKAGES:
        for pattern in patterns:
            name = pattern.format(version=version)
            paths = sorted((built / folder).glob(name))
            if len(paths) != 1:
                sys.exit(f"error: {built / folder} has {len(paths)} files {name}, not one; remove it, then build.")
            found += paths
    return found


def sums(paths: Sequence[Path]) -> str:
    """The text of SHA256SUMS, which `sha256sum --check` reads."""
    rows = sorted((path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in paths)
    return "".join(f"{digest}  {name}\n" for name, digest in rows)


def collect(folder: Path, made: Sequence[Path], texts: dict[str, str]) -> list[Path]:
    """Puts packages and texts into a folder, which appears when it is complete, with the hashes of all of them."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for path in made:
        shutil.copyfile(path, part / path.name)
    for name, text in texts.items():
        (part / name).write_text(text)
    (part / SUMS).write_text(sums(list(part.iterdir())))
    shutil.rmtree(folder, ignore_errors=True)
    part.replace(folder)
    return sorted(folder.iterdir())


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("version", metavar="VERSION", help="such as 0.1.0")
    parser.add_argument("--dry-run", action="store_true", help="make the files, but neither a commit nor a tag")
    parser.add_argument("--built", action="store_true", help="with --dry-run: take the packages that are in .build")
    parser.add_argument("--output", type=Path, help="a folder, which is replaced (.build/releases/VERSION)")
    options = parser.parse_args(words)
    if options.built and not options.dry_run:
        parser.error("--built is for --dry-run, since a release is built from its commit")
    version = options.version
    folder = (options.output or ROOT / ".build/releases" / version).absolute()
    checkout.check(ROOT, version, may_be_tagged=options.dry_run)
    if not options.dry_run:
        checkout.date(ROOT, version, datetime.datetime.now(datetime.UTC).date())
    seconds = checkout.commit_time(ROOT)
    if not options.built:
        build(version, seconds)
    made = packages(version, ROOT / ".build")
    notes = changelog.notes((ROOT / checkout.CHANGELOG).read_text(), version)
    resolved = (ROOT / "Package.resolved").read_text()
    texts = {
        f"sightline-{version}.cdx.json": bill.text(bill.parts(ROOT, resolved, made), version, seconds),
        # The manifest has ranges, so a second build of this release also needs the versions.
        f"sightline-{version}.Package.resolved": resolved,
        f"sightline-{version}.notes.md": notes,
    }
    files = collect(folder, made, texts)
    if not options.dry_run:
        checkout.tag(ROOT, version, notes)
    print(f"Sightline {version} of commit {checkout.commit(ROOT)[:12]}, in {folder}:")
    for path in files:
        print(f"{path.stat().st_size:>12,}  {path.name}")
    if options.dry_run:
        print("There is no new commit and no new tag (--dry-run).")
    else:
        print(f"The tag {version} is on this machine alone. Documentation/Releasing.md has the next steps.")
