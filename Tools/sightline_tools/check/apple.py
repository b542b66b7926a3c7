"""Checks on Linux, as far as that can be done, that apps for Apple's systems compile.

First the manifests: no target that an app's product needs on iOS or macOS depends on a library of the system, on a C
shim that wraps one, or on another package.

Then the sources: small stand-ins for Apple's modules (Tests/AppleStandIns) are compiled, so that canImport(UIKit) and
the like are true here and nowhere else; then all modules that an app needs are compiled against them from scratch,
bodies included, and what a client would write with those. `check objective-c` then checks their names in
Objective-C.

Nothing of Apple's is run, and stand-ins are not a proof of Apple's real modules. Needs no build, and changes none.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ..places import ROOT, temporary_folder
from ..programs import Word, output
from . import objective_c

STAND_INS = ROOT / "Tests/AppleStandIns"
# In the order of their imports.
STAND_IN_NAMES = sorted(path.stem for path in STAND_INS.glob("*.swift"))
# The products that an app may use on every system of Apple.
APP_PRODUCTS = {
    ".": [
        *("Sightline", "SightlineImages", "SightlineEvaluation", "TensorFlowLite", "ModelHub", "MLKit"),
        "FacadeSupport",
    ],
    "Firebase": ["Firebase", "FirebaseCore", "FirebaseMLModelDownloader"],
}
# C targets that compile with the headers of any system.
PORTABLE_SHIMS = {"CLiteRT", "CLoader", "COnnxRuntime", "CSHA256", "MLKitObjectiveC"}
SYSTEMS = ["ios", "macos"]
# Modules that a Mac builds with libraries of Homebrew; they too draw with Apple's frameworks.
MAC_ONLY = ["SightlineMedia", "C/CFFmpeg"]
CLIENTS = ["Sightline", "MLKit", "Firebase"]
SDK_MODULES = {"zlib": "/usr/include/zlib.h"}

# SwiftPM's description of a package or a target.
Json = dict[str, Any]


def manifest(folder: str) -> Json:
    """The description of a package's manifest."""
    command = ["swift", "package", "--package-path", str(ROOT / folder), "dump-package"]
    return dict(json.loads(output(command)))


def dependencies(target: Json, system: str) -> Iterator[tuple[str, bool]]:
    """The names that a target depends on where it is built for a system, and whether they are of another package."""
    for dependency in target["dependencies"]:
        (kind, values), *_ = dependency.items()
        condition = values[-1] or {}
        systems = condition.get("platformNames") or []
        if not systems or system in systems:
            yield values[0], kind == "product" and values[1] != "Sightline"


def closure(targets: dict[str, Json], names: Iterable[str], system: str) -> tuple[list[Json], list[str]]:
    """The targets below some targets on a system, each after those that it needs."""
    order: list[Json] = []
    problems: list[str] = []

    def visit(name: str) -> None:
        target = targets.get(name)
        if target is None or target in order:
            return
        for dependency, is_foreign in dependencies(target, system):
            if is_foreign:
                problems.append(f"{name} needs the product {dependency} of another package on {system}")
            visit(dependency)
        if target not in order:
            order.append(target)

    for name in names:
        visit(name)
    for target in order:
        path = target.get("path") or ""
        if target["type"] == "system":
            problems.append(f"{target['name']} is a library of the system, which {system} lacks")
        elif path.startswith("Sources/C/") and target["name"] not in PORTABLE_SHIMS:
            problems.append(f"{target['name']} wraps a library that {system} lacks")
    return order, problems


def app_targets() -> dict[str, Path]:
    """The targets that apps need, each after those that it needs, with the folders of their sources."""
    modules, problems = {}, []
    for folder, products in APP_PRODUCTS.items():
        package = manifest(folder)
        targets = {target["name"]: target for target in package["targets"]}
        roots = [name for product in package["products"] if product["name"] in products for name in product["targets"]]
        for system in SYSTEMS:
            order, found = closure(targets, roots, system)
            problems += found
            for target in order:
                path = target.get("path") or f"Sources/{target['name']}"
                modules[target["name"]] = ROOT / folder / path
    if problems:
        lines = "\n  ".join(sorted(set(problems)))
        sys.exit(f"error: the manifest asks an app for what Apple's systems lack:\n  {lines}")
    print(f"Manifests: {len(modules)} targets that an app may need depend on no library beyond Apple's SDKs.")
    return modules


def resources_in_code(name: str, path: Path) -> list[str]:
    """A source that stands for what SwiftPM makes of embedded resources."""
    resource = {"TensorFlowLite": "litert_txt", "OnnxRuntime": "onnxruntime_txt"}.get(name)
    return [f"struct PackageResources {{ static let {resource}: [UInt8] = [] }}\n"] if resource else []


class Compiler:
    """Compiles modules into a folder."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.maps: list[Path] = []

    def flags(self) -> list[Word]:
        return [
            *("-I", self.work, "-package-name", "sightline", "-parse-as-library"),
            *[part for path in self.maps for part in ("-Xcc", f"-fmodule-map-file={path}")],
            *("-module-cache-path", self.work / "cache"),
        ]

    def add_map(self, name: str, text: str) -> None:
        path = self.work / f"{name}.modulemap"
        path.write_text(text)
        self.maps.append(path)

    def module(self, name: str, sources: Iterable[Path], *options: Word) -> None:
        # With -wmo the module is made from all bodies; otherwise the driver would skip them.
        output(
            [
                *("swiftc", "-swift-version", "6", "-wmo", "-Onone", "-module-name", name),
                *("-emit-module", "-emit-module-path", self.work / f"{name}.swiftmodule"),
                *self.flags(),
                *options,
                *sources,
            ]
        )

    def client(self, name: str) -> None:
        for version in ["5", "6"]:
            source = STAND_INS / f"Clients/{name}Client.swift"
            output(["swiftc", "-typecheck", "-swift-version", version, "-module-name", "Client", *self.flags(), source])


def imports(sources: Iterable[Path], names: set[str]) -> set[str]:
    """The modules among `names` that sources import."""
    found = set()
    for source in sources:
        for line in source.read_text(encoding="utf-8").splitlines():
            words = line.split()
            if "import" in words[:3] and words[-1] in names:
                found.add(words[-1])
    return found


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--manifests", action="store_true", help="check the manifests alone, in seconds")
    options = parser.parse_args(words)
    modules = app_targets()
    if options.manifests:
        return
    with temporary_folder("apple") as folder:
        compiler = Compiler(folder)
        for name, header in SDK_MODULES.items():
            compiler.add_map(name, f'module {name} [system] {{\n    header "{header}"\n    export *\n}}\n')
        for folder_name in MAC_ONLY:
            modules[Path(folder_name).name] = ROOT / "Sources" / folder_name
        swift = {name: [STAND_INS / f"{name}.swift"] for name in STAND_IN_NAMES}
        for name, path in modules.items():
            if (path / "include").is_dir():
                compiler.add_map(name, f'module {name} {{\n    umbrella "{path}/include"\n    export *\n}}\n')
                continue
            swift[name] = sorted(path.rglob("*.swift"))
            for index, text in enumerate(resources_in_code(name, path)):
                source = compiler.work / f"{name}{index}.swift"
                source.write_text(text)
                swift[name].append(source)
        needs = {name: imports(sources, set(swift)) - {name} for name, sources in swift.items()}
        compile_in_order(compiler, swift, needs)
        for client in CLIENTS:
            compiler.client(client)
            print(f"  client of {client}")
    print(f"All {len(modules)} targets type-check in their Apple form against the stand-ins.")
    objective_c.check(update=False)


def compile_in_order(compiler: Compiler, swift: dict[str, list[Path]], needs: dict[str, set[str]]) -> None:
    """Compiles modules, at most two at a time, each after those that it imports."""
    # canImport(…) sees a stand-in even where no line imports it, so all stand-ins come first.
    stand_ins = set(STAND_IN_NAMES)
    for name in needs.keys() - stand_ins:
        needs[name] = needs[name] | stand_ins
    done: set[str] = set()
    while len(done) < len(swift):
        ready = [name for name in swift if name not in done and needs[name] <= done]
        if not ready:
            sys.exit(f"error: the modules {sorted(swift.keys() - done)} import each other")
        with ThreadPoolExecutor(max_workers=2) as pool:
            list(pool.map(lambda name: compiler.module(name, swift[name]), ready))
        for name in ready:
            done.add(name)
            if name not in stand_ins:
                print(f"  {name}")
