"""Checks on Linux the form of the names of ML Kit and Firebase in Objective-C.

The compiler makes Swift's header for Objective-C also on Linux, if it finds Objective-C's modules. Small stand-ins for
those, and for the modules below the facades, lie in Tests/ObjectiveCStandIns; the facades' own sources are compiled
against them. Then the header is compared with the recorded interface and with the table in Documentation/ObjectiveC.md,
both ways; and the client and the page's samples, in Objective-C, are compiled with it.

The standard library of Linux lacks the type of an error parameter in Objective-C. So the check writes beside each
function that throws what Swift makes of it: a function with a parameter `error`.

Nothing of Apple's is run or compiled. Needs no build, and changes none.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..places import ROOT, temporary_folder
from ..programs import Word, output

STAND_INS = ROOT / "Tests/ObjectiveCStandIns"
# The declarations for Objective-C, with types and nullability.
INTERFACE = STAND_INS / "interface.txt"
INTERFACE_COMMENT = (
    "// Scripts/tools check objective-c --update writes this list of Swift's declarations for Objective-C.\n"
)
PAGE = ROOT / "Documentation/ObjectiveC.md"
FACADES = ROOT / "Sources/Facades"
FIREBASE = ROOT / "Firebase/Sources"
# In the order of their imports.
STAND_IN_MODULES = [
    *("ObjectiveC", "CoreFoundation", "Foundation", "SightlineLocks", "Sightline", "TensorFlowLite", "ModelHub"),
    "FacadeSupport",
]
# Those with a Swift side and an Objective-C side.
APPLE = {"ObjectiveC", "Foundation"}
# The modules whose headers Objective-C code imports, each after those that it needs, with their folders.
MODULES = {
    "ModelHubApp": FACADES,
    "MLImage": FACADES,
    "MLKitCommon": FACADES,
    "MLKitVision": FACADES,
    "MLKitObjectDetectionCommon": FACADES,
    "MLKitObjectDetection": FACADES,
    "MLKitObjectDetectionCustom": FACADES,
    "MLKitImageLabelingCommon": FACADES,
    "MLKitImageLabeling": FACADES,
    "MLKitImageLabelingCustom": FACADES,
    "MLKitFaceDetection": FACADES,
    "MLKitPoseDetectionCommon": FACADES,
    "MLKitPoseDetection": FACADES,
    "MLKitPoseDetectionAccurate": FACADES,
    "MLKitSegmentationCommon": FACADES,
    "MLKitSegmentationSelfie": FACADES,
    "MLKitLinkFirebase": FACADES,
    "FirebaseCore": FIREBASE,
    "Firebase": FIREBASE,
}
# Modules that a stand-in replaces but for these files.
PARTS = {"ModelHubApp": ["HubApp+ObjectiveC.swift"]}
# Files that a stand-in replaces, since they need the runtime.
REPLACED = {"InterpreterEngine.swift", "LoadedInterpreter.swift"}
PACKAGE = ["-package-name", "sightline"]
CLANG_MODULES = [ROOT / "Sources/C/MLKitObjectiveC", FIREBASE / "FirebaseObjectiveC"]

# What every class has.
INHERITED = {"-init", "+new", "-isEqual:", "-hash", "-copyWithZone:"}
STAND_IN_ERROR = "void * _Nullable)error"
THROWING = re.compile(
    r"^( *)((?:public|open)[^\n]*\b(?:func|init)\b[^\n]*)\) throws( -> ([^\n{]+?))? \{(.*)$", re.MULTILINE
)


def with_error_parameters(text: str) -> str:
    """The source with a function for Objective-C beside each function that throws."""

    def both(match: re.Match[str]) -> str:
        indent, start, _, value, _ = match.groups()
        start = start + ", " if not start.endswith("(") else start
        result = "" if "init" in start else f" -> {value}?" if value else " -> Bool"
        twin = re.sub(r"\binit\(", "init?(", start) + f"error: UnsafeMutableRawPointer?){result} {{ fatalError() }}"
        original = f"{indent}@nonobjc {match.group(0).strip()}"
        return f"{indent}{twin}\n{original}"

    return THROWING.sub(both, text)


class Compiler:
    """Compiles modules into a folder, with Objective-C."""

    def __init__(self, work: Path) -> None:
        self.work = work
        (work / "headers").mkdir()

    def swift(self, action: str, name: str, sources: Iterable[Path], *options: Word) -> None:
        output(
            [
                *("swiftc", "-frontend", action, "-enable-objc-interop", "-swift-version", "6", "-parse-as-library"),
                *("-module-name", name, "-module-cache-path", self.work / "cache"),
                *("-I", self.work, "-I", STAND_INS / "include"),
                *options,
                *sources,
            ]
        )

    def module(self, name: str, sources: Iterable[Path], *options: Word) -> None:
        # Without bodies, since Linux's standard library lacks what those of functions for Objective-C call.
        skip = "-experimental-skip-all-function-bodies"
        self.swift("-emit-module", name, sources, skip, "-o", self.work / f"{name}.swiftmodule", *options)

    def stand_in(self, name: str) -> None:
        options = ["-import-underlying-module"] if name in APPLE else PACKAGE
        self.module(name, [STAND_INS / f"Modules/{name}.swift"], *options)

    def facade(self, name: str, folder: Path) -> str:
        """Compiles a facade's own sources.

        - Returns: The text of its header for Objective-C.
        """
        sources = []
        for source in sorted((folder / name).rglob("*.swift")):
            if source.name in REPLACED or source.name not in PARTS.get(name, {source.name}):
                continue
            copy = self.work / f"{name}-{source.name}"
            copy.write_text(with_error_parameters(source.read_text(encoding="utf-8")), encoding="utf-8")
            sources.append(copy)
        stand_in = STAND_INS / f"Modules/{name}.swift"
        if stand_in.exists():
            sources.append(stand_in)
        header = self.work / f"headers/{name}-Swift.h"
        self.swift("-typecheck", name, sources, *PACKAGE, "-emit-objc-header-path", header)
        self.module(name, sources, *PACKAGE)
        text = header.read_text(encoding="utf-8").replace(STAND_IN_ERROR, "NSError * _Nullable * _Nullable)error")
        header.write_text(text, encoding="utf-8")
        return text

    def client(self, name: str, text: str) -> None:
        """Compiles Objective-C that imports the facades' headers."""
        modules = [f'module {name} {{ header "{name}-Swift.h" export * }}\n' for name in MODULES]
        # Swift's toolchain has a module of this name too, so that this one is for clang alone.
        own = [STAND_INS / "include/CoreFoundation/CoreFoundation.h"]
        for header in own + [folder / f"include/{folder.name}.h" for folder in CLANG_MODULES]:
            modules.append(f'module {header.stem} {{ header "{header}" export * }}\n')
        (self.work / "headers/module.modulemap").write_text("".join(modules))
        source = self.work / f"{name}.m"
        source.write_text(text, encoding="utf-8")
        output(
            [
                *("clang", "-fsyntax-only", "-fobjc-runtime=macosx-13.0", "-fobjc-arc", "-fblocks", "-fmodules"),
                *("-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"),
                f"-fmodules-cache-path={self.work / 'clang'}",
                *("-I", self.work / "headers", "-I", STAND_INS / "include", source),
            ]
        )


def interface(header: str) -> list[str]:
    """The declarations of a header, without the definitions of its macros and without what every class has."""
    lines = header[header.index("\n@import ") :].splitlines()
    return [
        line.replace(" SWIFT_WARN_UNUSED_RESULT", "").replace(" OBJC_DESIGNATED_INITIALIZER", "")
        for line in lines
        if line
        and not line.startswith(("#", "@class", "SWIFT_CLASS_NAMED", "SWIFT_ENUM_FWD", "SWIFT_CLASS_PROPERTY"))
        and not re.match(r"[-+] \(nonnull instancetype\)(init|new) SWIFT_UNAVAILABLE", line)
    ]


def selectors(lines: list[str]) -> list[tuple[str | None, str]]:
    """The selectors and constants that an interface declares: the type and the name."""
    found, owner = [], None
    for line in lines:
        if match := re.match(r"@(?:interface|protocol) (\w+)|typedef SWIFT_ENUM_NAMED\(\w+, (\w+)", line):
            owner = match[1] or match[2]
        elif match := re.match(r"@property \(([^)]*)\).*?(\w+);", line):
            attributes, name = match.groups()
            getter = re.search(r"getter=(\w+)", attributes)
            found.append((owner, f"-{getter[1] if getter else name}"))
            if "readonly" not in attributes:
                found.append((owner, f"-set{name[0].upper()}{name[1:]}:"))
        elif match := re.match(r"([-+]) \([^()]*(?:\([^()]*\))*[^()]*\)(.*);", line):
            parts = re.findall(r"(\w+):\(", match[2]) or [match[2].strip()]
            found.append((owner, match[1] + "".join(part + ":" * (":" in match[2]) for part in parts)))
        elif match := re.match(r"  (\w+ = \d+),", line):
            found.append((owner, match[1]))
    return [pair for pair in found if pair[1] not in INHERITED]


def constants(folder: Path) -> list[tuple[str, str]]:
    """The constants that a C module declares for Objective-C. Each must have its value in Swift too."""
    text = (folder / f"include/{folder.name}.h").read_text(encoding="utf-8")
    sources = [*FACADES.rglob("*.swift"), *FIREBASE.rglob("*.swift")]
    swift = "\n".join(source.read_text(encoding="utf-8") for source in sources)
    found = []
    for kind, name, value in re.findall(r"_CONSTANT (\w+) (\w+) =\s+@?(.*?);", text):
        case = name.removeprefix(kind)
        case = r"\w+" if case == name else case[0].lower() + case[1:]
        if not re.search(rf"static let {case} = [\w.]+\((rawValue: )?{value}\)", swift):
            sys.exit(f"error: {name} is {value} for Objective-C, but Swift has no constant {case} with this value.")
        found.append((kind, name if value[0] == '"' else f"{name} = {value}"))
    return found


def tables() -> list[tuple[str, str]]:
    """The rows of the page's table: the type and a name."""
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    if not rows:
        sys.exit(f"error: {PAGE.name} has no table of selectors.")
    return [(kind, name) for kind, cells in rows for name in re.findall(r"`([^`]+)`", cells)]


def compare(what: str, seen: list[str], expected: list[str]) -> None:
    """Ends the program if two lists differ."""
    missing = [line for line in expected if line not in seen]
    new = [line for line in seen if line not in expected]
    if missing or new:
        lines = [f"  - {line}" for line in missing] + [f"  + {line}" for line in new]
        sys.exit(f"error: {what} (- is expected, + is what the compiler made):\n" + "\n".join(lines))


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--update", action="store_true", help=f"write {INTERFACE.relative_to(ROOT)}; review the change")
    options = parser.parse_args(words)
    check(options.update)


def check(update: bool) -> None:
    """Compares the interface and the table with what the compiler makes; `update` writes the interface."""
    with temporary_folder("objective-c") as folder:
        compiler = Compiler(folder)
        for name in STAND_IN_MODULES:
            compiler.stand_in(name)
        lines = []
        for name, home in MODULES.items():
            lines += ["", f"// {name}", *interface(compiler.facade(name, home))]
        text = INTERFACE_COMMENT + "\n".join(lines) + "\n"
        if update:
            INTERFACE.write_text(text, encoding="utf-8")
        compare("the interface differs; if that is meant, run with --update", text.splitlines(), recorded())
        found = selectors(lines) + [pair for folder in CLANG_MODULES for pair in constants(folder)]
        compare(
            f"the table in {PAGE.name} differ",
            [f"{kind} {name}" for kind, name in found],
            [f"{kind} {name}" for kind, name in tables()],
        )
        compiler.client("Client", (STAND_INS / "Client.m").read_text(encoding="utf-8"))
        samples = re.findall(r"^```objc\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        for index, sample in enumerate(samples):
            compiler.client(f"Sample{index}", sample)
    print(f"Objective-C: {len(found)} selectors and constants are those of {PAGE.name}; client and sample compile.")


def recorded() -> list[str]:
    return INTERFACE.read_text(encoding="utf-8").splitlines() if INTERFACE.exists() else []
