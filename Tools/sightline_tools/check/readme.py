"""Type-checks the Swift in README.md and the pages of Documentation, each block as the main.swift of a program, against
what `swift build` has built; manifests are evaluated by SwiftPM.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ..places import ROOT, temporary_folder
from ..programs import Word

# What is copied from a page shall compile without a warning.
STRICT = ["-swift-version", "6", "-warnings-as-errors"]


def run(command: Sequence[Word]) -> subprocess.CompletedProcess[str]:
    """Runs a program in the root of the repository."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def module_flags(built: Path) -> list[str]:
    """The compiler's options for the C targets: their own modules, or those that SwiftPM wrote."""
    maps = {
        path.parent: path
        for folder, pattern in [
            (ROOT / "Sources", "**/module.modulemap"),
            (ROOT / ".build/checkouts", "**/module.modulemap"),
            (built, "*.build/module.modulemap"),
        ]
        for path in folder.glob(pattern)
        # The tools of plugins have modules of the same names.
        if "Tests" not in path.relative_to(ROOT).parts and not path.parent.name.endswith("-tool.build")
    }
    flags = [flag for path in maps.values() for flag in (f"-fmodule-map-file={path}", f"-I{path.parent}")]
    return [part for flag in flags for part in ("-Xcc", flag)]


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.parse_args(words)
    build = run(["Scripts/swift-in", ".", "build"])
    if build.returncode != 0:
        sys.exit(f"error: the package does not build.\n{build.stdout}{build.stderr}")
    built = Path(run(["swift", "build", "--show-bin-path"]).stdout.strip())
    flags = module_flags(built)
    pages = [ROOT / "README.md", *sorted((ROOT / "Documentation").glob("*.md"))]
    blocks = [
        (page.name, block)
        for page in pages
        for block in re.finditer(r"^```swift\n(.*?)^```$", page.read_text(), re.M | re.S)
    ]
    if not any(name == "README.md" for name, _ in blocks):
        sys.exit("error: README.md has no Swift; this check has lost its way.")
    for name, block in blocks:
        line = block.string[: block.start()].count("\n") + 2
        with temporary_folder("readme") as folder:
            is_manifest = "import PackageDescription" in block[1]
            source = folder / ("Package.swift" if is_manifest else "main.swift")
            source.write_text(block[1])
            if is_manifest:
                checked = run(["swift", "package", "--package-path", folder, "dump-package"])
            else:
                checked = run(["swiftc", "-typecheck", *STRICT, "-I", built / "Modules", *flags, source])
        if checked.returncode != 0:
            sys.exit(f"error: the Swift at line {line} of {name} does not compile.\n{checked.stdout}{checked.stderr}")
        print(f"{name}, line {line}: compiles")
