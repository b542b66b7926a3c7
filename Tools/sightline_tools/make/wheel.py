"""Makes the wheel of the Python package sightline, which has the program, the models and the libraries.

    Scripts/tools make wheel BUNDLE [--output FOLDER]

BUNDLE is a folder with bin/sightline and lib/sightline, as Scripts/make-bundle leaves it in .build/bundle/sightline.
Equal files make equal wheels. The formats are those of the Python Packaging User Guide: "Binary distribution format",
"Core metadata", "Recording installed projects", and PEP 600 for the names of platforms.
"""

import argparse
import base64
import hashlib
import os
import platform
import re
import stat
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..places import ROOT
from ..programs import output

SOURCES = ROOT / "Python"
# A zip archive knows no earlier time.
EARLIEST = 315_532_800
# pip puts the path of its Python in place of the first line.
LAUNCHER = '''\
#!python
"""Runs the program of the package sightline, in the place of Python."""
import importlib.util
import os
import sys

found = importlib.util.find_spec("sightline")
if found is None or not found.submodule_search_locations:
    sys.exit("error: the Python package sightline is gone; install its wheel again.")
program = os.path.join(found.submodule_search_locations[0], "bundle", "bin", "sightline")
try:
    os.execv(program, [program, *sys.argv[1:]])
except OSError as error:
    sys.exit(f"error: {program} cannot be started ({error.strerror}); install the wheel of this machine's kind again.")
'''
FILE, PROGRAM = stat.S_IFREG | 0o644, stat.S_IFREG | 0o755


class Member:
    """A file of a wheel."""

    def __init__(self, name: str, content: bytes, mode: int = FILE) -> None:
        self.name, self.content, self.mode = name, content, mode

    @property
    def record(self) -> str:
        """The line of the file in RECORD."""
        digest = base64.urlsafe_b64encode(hashlib.sha256(self.content).digest()).rstrip(b"=").decode()
        return f"{self.name},sha256={digest},{len(self.content)}\n"


def needed_glibc(files: Sequence[Path]) -> tuple[int, int]:
    """The oldest version of glibc that has all symbols that programs and libraries need."""
    text = output(["objdump", "--dynamic-syms", *files]) if files else ""
    versions = {(int(major), int(minor)) for major, minor in re.findall(r"\bGLIBC_(\d+)\.(\d+)", text)}
    if not versions:
        sys.exit("error: no file of the bundle needs glibc; is it a bundle for Linux?")
    return max(versions)


def platform_tag(bundle: Path) -> str:
    """The name of the platform in the wheel's name."""
    files = [path for path in bundle.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    major, minor = needed_glibc(files)
    return f"manylinux_{major}_{minor}_{platform.machine()}"


def metadata(project: dict[str, Any], description: str) -> str:
    """The text of METADATA."""
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", project["name"]),
        ("Version", project["version"]),
        ("Summary", project["description"]),
        ("License-Expression", project["license"]),
        ("License-File", "LICENSE"),
        ("Requires-Python", project["requires-python"]),
        *(("Requires-Dist", name) for name in project["dependencies"]),
        ("Description-Content-Type", "text/markdown"),
    ]
    return "".join(f"{name}: {value}\n" for name, value in fields) + f"\n{description}"


def members(bundle: Path, project: dict[str, Any], tag: str) -> list[Member]:
    """The files of the wheel, without RECORD."""
    name = f"{project['name']}-{project['version']}"
    found = [
        Member(f"sightline/{path.name}", path.read_bytes())
        for path in sorted((SOURCES / "sightline").iterdir())
        if path.suffix == ".py" or path.name == "py.typed"
    ]
    for path in sorted(bundle.rglob("*")):
        if path.is_symlink():
            sys.exit(f"error: {path} is a link, which a wheel cannot have; copy the file.")
        if path.is_file():
            mode = PROGRAM if path.stat().st_mode & stat.S_IXUSR else FILE
            found.append(Member(f"sightline/bundle/{path.relative_to(bundle)}", path.read_bytes(), mode))
    wheel = f"Wheel-Version: 1.0\nGenerator: sightline\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"
    description = (SOURCES / "README.md").read_text()
    return [
        *found,
        Member(f"{name}.data/scripts/sightline", LAUNCHER.encode(), PROGRAM),
        Member(f"{name}.dist-info/METADATA", metadata(project, description).encode()),
        Member(f"{name}.dist-info/WHEEL", wheel.encode()),
        Member(f"{name}.dist-info/licenses/LICENSE", (ROOT / "LICENSE").read_bytes()),
    ]


def epoch() -> int:
    """The time of all files: SOURCE_DATE_EPOCH, otherwise that of the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
        given = done.stdout.strip() or "0"
    return max(int(given), EARLIEST)


def write(path: Path, files: Sequence[Member], seconds: int) -> None:
    """Writes a wheel, which appears whole or not at all."""
    record = next(file.name for file in files if file.name.endswith(".dist-info/WHEEL")).replace("WHEEL", "RECORD")
    lines = "".join(file.record for file in files) + f"{record},,\n"
    part = path.with_name(path.name + ".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in [*files, Member(record, lines.encode())]:
            information = zipfile.ZipInfo(file.name, time.gmtime(seconds)[:6])
            information.compress_type = zipfile.ZIP_DEFLATED
            information.create_system = 3
            information.external_attr = file.mode << 16
            archive.writestr(information, file.content, compresslevel=9)
    part.replace(path)


def make(bundle: Path, folder: Path) -> Path:
    """Makes the wheel of a bundle in a folder, and returns its path."""
    if not (bundle / "bin/sightline").is_file():
        sys.exit(f"error: {bundle} has no bin/sightline; make it with Scripts/make-bundle.")
    project = tomllib.loads((SOURCES / "pyproject.toml").read_text())["project"]
    version = output(["Scripts/version"]).strip()
    if project["version"] != version:
        sys.exit(f"error: Python/pyproject.toml has the version {project['version']}, not {version}; change it.")
    tag = platform_tag(bundle)
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{project['name']}-{version}-py3-none-{tag}.whl"
    write(wheel, members(bundle, project, tag), epoch())
    return wheel


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("bundle", type=Path, help="the folder with bin/sightline and lib/sightline")
    parser.add_argument("--output", type=Path, default=ROOT / ".build/wheel", help="a folder (.build/wheel)")
    arguments = parser.parse_args(words)
    print(make(arguments.bundle.resolve(), arguments.output.resolve()))
