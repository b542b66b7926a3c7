"""Checks the wheel of the Python package sightline: installs it in a virtual environment, and uses it there.

    Scripts/tools check wheel [--bin FOLDER]               # a wheel of debug builds, made twice to compare the bytes
    Scripts/tools check wheel --wheel FILE                 # this one; auditwheel of PyPI also checks its platform
    Scripts/tools check wheel --wheel FILE --root FOLDER   # in a root folder of another system that has Python and venv

A root folder needs the right to chroot; `debootstrap --variant=minbase --include=python3-venv` makes one.
"""

import argparse
import base64
import csv
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

from ..make import wheel as maker
from ..places import ROOT, built_programs, temporary_folder
from ..programs import output

AUDITWHEEL = "auditwheel==6.8.2"
SCENE = ROOT / "Documentation/Pictures/scene.png"
# The first lines of a user of the package.
PROGRAM = """
import os, sightline
with sightline.Detector(threshold=0.35) as detector:
    found = detector.detect("scene.png")
    assert os.path.dirname(sightline.__file__) in sightline.find_program(), sightline.find_program()
    print(len(found), sightline.__version__)
"""
# chroot in a mount namespace of its own, with the usual mounts of a system.
CHROOT = 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot "$0" "$@"'


def record_problems(path: Path) -> list[str]:
    """The mistakes of the file RECORD of a wheel."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        record = next((name for name in names if name.endswith(".dist-info/RECORD")), None)
        if record is None:
            return ["there is no RECORD"]
        rows = {row[0]: row[1:] for row in csv.reader(archive.read(record).decode().splitlines())}
        problems = [f"{name} is not in RECORD" for name in names if name not in rows]
        problems += [f"{name} is in RECORD alone" for name in rows if name not in names]
        problems += [f"{name} is there twice" for name in {name for name in names if names.count(name) > 1}]
        for name, (digest, size) in rows.items():
            if name == record or name not in names:
                continue
            content = archive.read(name)
            found = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            if (digest, size) != (f"sha256={found}", str(len(content))):
                problems.append(f"{name} differs from RECORD")
        return problems


def debug_wheel(programs: Path, folder: Path) -> Path:
    """A wheel of debug builds, which run on this machine alone. It is made twice."""
    bundle = folder / "bundle"
    environment = {**os.environ, "STAGE": str(bundle)}
    subprocess.run(["Scripts/stage", programs, "sightline"], cwd=ROOT, env=environment, check=True)
    first, second = (maker.make(bundle, folder / name) for name in ("first", "second"))
    if first.read_bytes() != second.read_bytes():
        sys.exit("error: two wheels of the same files differ; look for times and orders in make/wheel.py.")
    return first


def audit(wheel: Path, folder: Path) -> None:
    """Asks auditwheel whether the wheel runs where its name says."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--root-user-action=ignore", "--target", folder, AUDITWHEEL], check=True)
    command = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True)
    text = " ".join(done.stdout.split())
    tag = wheel.stem.rpartition("-")[2]
    if done.returncode != 0 or f'platform tag: "{tag}"' not in text:
        sys.exit(f"error: auditwheel does not find that the wheel is for {tag}:\n{done.stdout}{done.stderr}")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, for {tag} as auditwheel finds, too")


def use(wheel: Path, folder: Path, root: Path | None) -> None:
    """Installs the wheel, uses it, and uninstalls it."""
    inside = Path("/") / folder.relative_to(root) if root else folder
    enter = ["unshare", "--mount", "sh", "-c", CHROOT, str(root)] if root else []

    def run(*command: str | Path) -> str:
        # Nothing of this machine's environment: a user has none of it.
        words = ["env", "-i", "-C", str(inside), "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", *map(str, command)]
        return output([*enter, *words])

    shutil.copy(SCENE, folder / "scene.png")
    local = shutil.copy(wheel, folder)
    python = "python3" if root else sys.executable
    environment = inside / "environment"
    has_pip = run(python, "-c", "import importlib.util; print(importlib.util.find_spec('ensurepip') is not None)")
    if has_pip.strip() == "True":
        run(python, "-m", "venv", environment)
        pip: list[str | Path] = [environment / "bin/python", "-m", "pip", "--disable-pip-version-check"]
    else:
        # Debian has it in the package python3-venv; the pip of this machine serves, too.
        run(python, "-m", "venv", "--without-pip", environment)
        pip = [python, "-m", "pip", "--disable-pip-version-check", "--python", environment / "bin/python"]
    run(*pip, "install", "--quiet", "--no-index", inside / Path(local).name)
    version = output(["Scripts/version"]).strip()
    found = run(environment / "bin/sightline", "--version").strip()
    if found != version:
        sys.exit(f"error: the installed sightline says that its version is {found}, not {version}.")
    table = run(environment / "bin/sightline", "detect", "scene.png", "--threshold", "0.35")
    rows = [line for line in table.splitlines() if line and not line.startswith((" ", "OBJECT"))]
    printed = run(environment / "bin/python", "-c", PROGRAM).split()
    if not rows or printed[:2] != [str(len(rows)), version]:
        sys.exit(f"error: the command finds\n{table}but the package finds {printed}.")
    run(*pip, "uninstall", "--quiet", "--yes", "sightline")
    rest = [path for path in (folder / "environment").rglob("*") if "sightline" in path.name]
    if rest:
        sys.exit(f"error: uninstalling leaves {rest[0]}.")
    system = run("sh", "-c", '. /etc/os-release; echo "$PRETTY_NAME"').strip()
    python_version = run(environment / "bin/python", "--version").strip()
    print(f"{system}, {python_version}: the command and the package find {len(rows)} objects in scene.png")


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--bin", type=Path, help="the folder of the built programs; without it they are built")
    parser.add_argument("--wheel", type=Path, help="a wheel; without it, one of debug builds is made")
    parser.add_argument("--root", type=Path, help="the root folder of another system, in which the wheel is used")
    arguments = parser.parse_args(words)
    with temporary_folder("wheel", is_shared=True) as folder:
        given = arguments.wheel
        wheel = given.resolve() if given else debug_wheel(built_programs(arguments.bin), folder)
        if problems := record_problems(wheel):
            sys.exit(f"error: {wheel.name}: {'; '.join(problems)}.")
        if given:
            audit(wheel, folder / "auditwheel")
        if not arguments.root:
            use(wheel, folder, None)
            return
        root = arguments.root.resolve()
        place = root / "tmp" / folder.name
        place.mkdir()
        try:
            use(wheel, place, root)
        finally:
            shutil.rmtree(place)
