"""The list of all parts of a release (SBOM), in the form of CycloneDX 1.6.

The compiler writes none. The parts are the Swift packages that Package.resolved pins and the Swift runtime, which are
in the programs; LiteRT of PyPI and the built-in models, which are next to them; and packages of Debian, whose libraries
the archive and the wheel contain, and which the Debian packages need.
Formats: https://cyclonedx.org/docs/1.6/json/ and, for addresses, https://github.com/package-url/purl-spec.
"""

import datetime
import hashlib
import json
import platform
import re
import subprocess
import tarfile
import tomllib
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..programs import output

Json = dict[str, Any]
# The beginnings of licenses that packages have.
LICENSES = {
    "Apache License": "Apache-2.0",
    "MIT License": "MIT",
    "Permission is hereby granted, free of charge": "MIT",
}


def component(kind: str, name: str, version: str | None, purl: str, **more: Any) -> Json:
    """A part. Fields without a value are left out."""
    fields = {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl, **more}
    return {field: value for field, value in fields.items() if value}


def sha256(digest: str) -> list[Json]:
    """The field for a hash."""
    return [{"alg": "SHA-256", "content": digest}]


def license_name(text: str) -> str | None:
    """The SPDX identifier of a license text; None for texts that are not known."""
    beginning = " ".join(text.split())[:400]
    return next((name for words, name in LICENSES.items() if words in beginning), None)


def swift_packages(resolved: str, checkouts: Path) -> list[Json]:
    """The Swift packages that a Package.resolved pins; their licenses come from their checkouts."""
    found = []
    for pin in json.loads(resolved)["pins"]:
        address, state = pin["location"].removesuffix(".git"), pin["state"]
        name = address.rpartition("/")[2]
        version = state.get("version") or state["revision"]
        texts = sorted(checkouts.glob(f"{name}/LICENSE*"))
        license = license_name(texts[0].read_text()) if texts else None
        found.append(
            component(
                "library",
                name,
                version,
                f"pkg:swift/{address.partition('://')[2]}@{version}",
                scope="required",
                licenses=[{"license": {"id": license}}] if license else None,
                externalReferences=[{"type": "vcs", "url": pin["location"], "comment": f"commit {state['revision']}"}],
            )
        )
    return found


def litert(releases: str, machine: str) -> Json:
    """LiteRT for a machine, from the table litert.txt."""
    row = next(line.split() for line in releases.splitlines() if line.startswith(f"Linux {machine} "))
    version, library_hash, address = row[2], row[5], row[6]
    return component(
        "library",
        "ai-edge-litert",
        version,
        f"pkg:pypi/ai-edge-litert@{version}",
        scope="required",
        description="libLiteRt.so of the wheel",
        hashes=sha256(library_hash),
        licenses=[{"license": {"id": "Apache-2.0"}}],
        externalReferences=[{"type": "distribution", "url": address, "hashes": sha256(row[4])}],
    )


def models(folder: Path, version: str) -> list[Json]:
    """The built-in models."""
    return [
        component(
            "machine-learning-model",
            path.name,
            version,
            f"pkg:generic/sightline/{quote(path.name)}@{version}",
            scope="required",
            hashes=sha256(hashlib.sha256(path.read_bytes()).hexdigest()),
        )
        for path in sorted(folder.glob("*.tflite"))
    ]


def debian_package(name: str, version: str | None, distribution: str, is_optional: bool) -> Json:
    """A package of Debian."""
    at = f"@{quote(version, safe='')}" if version else ""
    return component(
        "library",
        name,
        version,
        f"pkg:deb/{distribution}/{name}{at}",
        scope="optional" if is_optional else "required",
    )


def alternatives(field: str) -> list[str]:
    """The names of packages in a field such as Depends: the first of each group of alternatives."""
    groups = [group.partition("|")[0].strip() for group in field.split(",")]
    return [re.split(r"[\s(:]", group)[0] for group in groups if group]


def debian_packages(needed: Iterable[str], wanted: Iterable[str]) -> list[Json]:
    """The packages that a release needs and those that it recommends, in the versions of this machine."""
    system = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    distribution = system.get("ID", "debian").strip('"')
    required = sorted(set(needed))
    optional = sorted(set(wanted) - set(required))
    found = []
    for name in required + optional:
        query = ["dpkg-query", "--show", "--showformat=${Version}", name]
        version = subprocess.run(query, capture_output=True, text=True).stdout or None
        found.append(debian_package(name, version, distribution, name in optional))
    return found


def parts(root: Path, resolved: str, packages: Sequence[Path]) -> list[Json]:
    """The parts of a release, whose packages are made."""
    needed, wanted = [], []
    for path in packages:
        if path.suffix == ".deb":
            needed += alternatives(output(["dpkg-deb", "--field", path, "Depends"]))
            wanted += alternatives(output(["dpkg-deb", "--field", path, "Recommends"]))
        elif path.name.endswith(".tar.gz"):
            # Each library in the archive has the license of its Debian package beside it.
            with tarfile.open(path) as archive:
                names = [Path(name) for name in archive.getnames()]
            needed += [name.stem for name in names if name.suffix == ".copyright"]
    own = {path.name.partition("_")[0] for path in packages if path.suffix == ".deb"}
    compiler = re.search(r"Swift version (\S+)", output(["swift", "--version"]))
    swift = compiler[1] if compiler else None
    version = output(["Scripts/version"], root).strip()
    project = tomllib.loads((root / "Python/pyproject.toml").read_text())["project"]
    return [
        *swift_packages(resolved, root / ".build/checkouts"),
        component(
            "library",
            "swift",
            swift,
            f"pkg:github/swiftlang/swift@swift-{swift}-RELEASE",
            scope="required",
            description="the standard library, Foundation and Dispatch, which the programs contain",
            licenses=[{"license": {"id": "Apache-2.0"}}],
        ),
        litert((root / "Sources/TensorFlowLite/Runtime/litert.txt").read_text(), platform.machine()),
        *models(root / "Sources/Sightline/Resources", version),
        *[component("library", name, None, f"pkg:pypi/{name}", scope="required") for name in project["dependencies"]],
        *debian_packages(set(needed) - own, set(wanted) - own),
    ]


def text(components: Sequence[Json], version: str, seconds: int) -> str:
    """The file. Equal parts make an equal text."""
    own = component(
        "application",
        "sightline",
        version,
        f"pkg:generic/sightline@{version}",
        licenses=[{"license": {"id": "Apache-2.0"}}],
    )
    references = [part["bom-ref"] for part in components]
    body: Json = {
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "tools": {"components": [{"type": "application", "name": "Scripts/tools release", "version": version}]},
            "component": own,
        },
        "components": list(components),
        "dependencies": [
            {"ref": own["bom-ref"], "dependsOn": references},
            *({"ref": reference} for reference in references),
        ],
    }
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body, sort_keys=True))
    head = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
    }
    return json.dumps({**head, **body}, indent=2, ensure_ascii=False) + "\n"
