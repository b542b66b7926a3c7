"""The public declarations of the modules that apps import, as lines of text.

A line has the path of a declaration and, after two spaces, the declaration as Swift writes it, without the names that
parameters have inside:

    Label  struct Label: Decodable, Encodable, Equatable, Hashable, Sendable
    Label.init(text:index:confidence:)  init(text: String, index: Int, confidence: Float)

Documentation/API has a file of such lines for each module. The compiler's symbol graphs are their source.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .places import ROOT, temporary_folder
from .programs import output

LISTINGS = "Documentation/API"
# Products for this repository's own packages and tests.
OWN_PRODUCTS = {"FacadeSupport", "HubTestSupport"}
# Every type conforms to these unless it says otherwise.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
REQUIREMENT = "  // requirement"
DEFAULTED = "  // requirement with a default"
Json = dict[str, Any]


def modules(root: Path = ROOT) -> list[str]:
    """The Swift modules of the products for apps, and those that they export."""
    found: set[str] = set()
    for package in (root, root / "Firebase"):
        manifest = json.loads(output(["swift", "package", "--package-path", package, "dump-package"]))
        folders = {
            target["name"]: package / (target.get("path") or f"Sources/{target['name']}")
            for target in manifest["targets"]
        }
        for product in manifest["products"]:
            if "library" in product["type"] and product["name"] not in OWN_PRODUCTS:
                found.update(target for target in product["targets"] if has_swift(folders[target]))
        for module in sorted(found & folders.keys()):
            found.update(name for name in exported(folders[module]) if name in folders)
    return sorted(found)


def has_swift(folder: Path) -> bool:
    """Whether a target has Swift. Documentation/ObjectiveC.md lists the names of the others."""
    return any(folder.rglob("*.swift"))


def exported(folder: Path) -> set[str]:
    """The modules that a module exports as its own."""
    pattern = re.compile(r"^@_exported (?:public )?import (\w+)", re.MULTILINE)
    return {name for path in folder.rglob("*.swift") for name in pattern.findall(path.read_text())}


def current(names: Iterable[str]) -> dict[str, list[str]]:
    """The lines of modules, as they are built. A module without declarations of its own has none."""
    with temporary_folder("graphs") as folder:
        if subprocess.run(["Scripts/symbol-graphs", folder, *names], cwd=ROOT).returncode != 0:
            sys.exit("error: the public declarations cannot be read.")
        return {name: lines(graphs(folder, name)) for name in names}


def graphs(folder: Path, module: str) -> list[Json]:
    """The symbol graphs of a module: its own declarations, and those in extensions of other modules' types."""
    paths = [folder / f"{module}.symbols.json", *sorted(folder.glob(f"{module}@*.symbols.json"))]
    return [json.loads(path.read_text()) for path in paths]


def lines(parts: Iterable[Json]) -> list[str]:
    """The lines of the symbol graphs of a module, sorted."""
    symbols: dict[str, Json] = {}
    conformances: dict[str, set[str]] = {}
    requirements: set[str] = set()
    defaults: set[str] = set()
    relationships = []
    for part in parts:
        symbols.update((symbol["identifier"]["precise"], symbol) for symbol in part["symbols"])
        relationships += part["relationships"]
    for relation in relationships:
        kind, source, target = relation["kind"], relation["source"], relation["target"]
        if kind in ("requirementOf", "optionalRequirementOf"):
            requirements.add(source)
        elif kind == "defaultImplementationOf":
            defaults.add(target)
        elif kind in ("conformsTo", "inheritsFrom"):
            name = ".".join(symbols[target]["pathComponents"]) if target in symbols else relation.get("targetFallback")
            if name and (short := name.removeprefix("Swift.").removeprefix("_Concurrency.")) not in IMPLIED:
                conformances.setdefault(source, set()).add(short)
    return sorted(
        {
            line(
                symbol,
                conformances.get(identifier, set()),
                (DEFAULTED if identifier in defaults else REQUIREMENT) if identifier in requirements else "",
            )
            for identifier, symbol in symbols.items()
        }
    )


def line(symbol: Json, conformances: set[str], mark: str) -> str:
    """The line of a symbol."""
    fragments = symbol["declarationFragments"]
    text = "".join(spellings(fragments))
    if symbol["accessLevel"] == "open":
        text = f"open {text}"
    if conformances:
        # They stand before the constraints, as in Swift.
        head, where, constraints = text.partition(" where ")
        text = f"{head}: {', '.join(sorted(conformances))}{where}{constraints}"
    if limits := symbol.get("swiftExtension", {}).get("constraints"):
        signs = {"conformance": ":", "superclass": ":", "sameType": " =="}
        words = [f"{limit['lhs']}{signs.get(limit['kind'], ':')} {limit['rhs']}" for limit in limits]
        text += f" (extension where {', '.join(sorted(words))})"
    return f"{'.'.join(symbol['pathComponents'])}  {' '.join(text.split())}{mark}"


def spellings(fragments: Iterable[Json]) -> Iterator[str]:
    """The texts of a declaration, without the names that parameters have inside, which no caller sees."""
    follows_label = False
    for fragment in fragments:
        if fragment["kind"] == "internalParam":
            follows_label = False
            continue
        if follows_label:
            yield " "
        # The space between a label and the name inside goes with that name.
        follows_label = fragment["kind"] == "text" and fragment["spelling"] == " "
        if not follows_label:
            yield fragment["spelling"]
    if follows_label:
        yield " "


def text(module: str, rows: Iterable[str]) -> str:
    """The file of a module."""
    return f"# What {module} declares for apps. `Scripts/tools make api` wrote it.\n" + "".join(
        f"{row}\n" for row in rows
    )


def rows(listing: str) -> list[str]:
    """The lines of the file of a module."""
    return [row for row in listing.splitlines() if row and not row.startswith("#")]
