"""Checks that code uses only permitted code: folders of Sources/Sightline, modules of Sources, and the system.

A folder of Sources/Sightline may use the types of the folders before it in FOLDERS; a type that is declared in a later
folder and named in an earlier one is a mistake. The pages of the hub's console, in Sources/ModelHubServer/Console,
stand above the rest of their module. A module may import the modules of this package that MODULES lists for it. No
source may use Foundation's Process. Only the files in WAITING_FILES may wait for the disk or for a lock.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from ..places import ROOT

SOURCES = ROOT / "Sources"

# From the bottom to the top.
FOLDERS = [
    "Preprocessing",
    "Models",
    "Inference",
    "Heads",
    "Postprocessing",
    "Labeling",
    "Detection",
    "Masks",
    "Tracking",
    "Streaming",
    "Offline",
    "Zones",
    "Events",
    "Inspection",
    "Apple",
]

# Modules of this package, each with those that it may import; facades and C shims are checked by their folder.
VISION = {"SightlineImages", "TensorFlowLite", "Sightline"}
TERMINAL = {"TextFormatting", "CommandLineSupport"}
TRANSFER = {"DurableFiles", "ModelHubProtocol"}
MODULES = {
    "SightlineLocks": set(),
    "SightlineImages": {"DurableFiles"},
    "TensorFlowLite": {"DurableFiles"},
    "OnnxRuntime": {"TensorFlowLite"},
    "LiteRTFetcher": {"DurableFiles", "OnnxRuntime", "TensorFlowLite"},
    "Sightline": {"DurableFiles", "OnnxRuntime", "SightlineImages", "TensorFlowLite"},
    "SightlineMedia": VISION | {"DurableFiles", "TextFormatting"},
    "SightlineTesting": VISION,
    "SightlineEvaluation": VISION | {"DurableFiles", "TextFormatting"},
    "SightlineTraining": VISION | {"DurableFiles", "SightlineEvaluation"},
    "DurableFiles": set(),
    "ProcessSandbox": set(),
    "TextFormatting": set(),
    "ZoneDrawing": set(),
    "CommandLineSupport": VISION | {"TextFormatting"},
    "ModelHubProtocol": {"DurableFiles"},
    "ModelHub": {"Sightline"} | TRANSFER,
    "WebTransfer": set(),
    "ModelCatalog": VISION | TRANSFER | {"WebTransfer"},
    "SightlineEvents": VISION | TRANSFER | {"SightlineMedia", "TextFormatting", "WebTransfer"},
    "HTTPServing": set(),
    "ModelHubServer": VISION | TRANSFER | {"HTTPServing", "SightlineEvaluation", "TextFormatting", "ZoneDrawing"},
    "SightlineServer": VISION | TERMINAL | TRANSFER | {"HTTPServing", "ModelCatalog", "ModelHub", "SightlineMedia"},
    "SightlineCLI": VISION
    | TERMINAL
    | {"DurableFiles", "SightlineMedia", "SightlineEvaluation", "SightlineEvents", "SightlineTraining"}
    | {"ModelCatalog", "ZoneDrawing"},
    "HubCLI": VISION
    | TERMINAL
    | TRANSFER
    | {"HTTPServing", "ModelCatalog", "ModelHub", "ModelHubServer", "ProcessSandbox", "SightlineEvaluation"}
    | {"SightlineTraining"},
}
MODULES["ServeCLI"] = MODULES["SightlineServer"] | {"SightlineServer"}
# Modules with these names may use the vision stack and the hub's client, and each other.
FACADES = {folder.name for folder in (SOURCES / "Facades").iterdir() if folder.is_dir()}
for facade in FACADES:
    MODULES[facade] = VISION | {"ModelHub"} | FACADES
# It knows the folder of installed models.
MODULES["FacadeSupport"] = MODULES["FacadeSupport"] | {"DurableFiles"}
# Any module may lock.
for imports in MODULES.values():
    imports.add("SightlineLocks")

# Calls that wait: for a disk to have the bytes, for a lock, for all bytes of a file, or for nothing.
WAITING = re.compile(
    r"(?<![\w.])(?:fsync|flock)\(|\bThread\.sleep\(|\.synchronize\(\)|\bFileLock\.taken"
    r"|\bDurableFile\.(?:write|move|synchronizeFolder|sha256)\("
    r"|\bFileHash\.read\(|\bSystemCalls\.(?:replace|synchronizeFolder|write)\("
)
# The files and folders of Sources that may make them. The threads of the Swift runtime and the event loops are few and
# never wait, so each runs on FileExecutor, FileQueue, DiskThreads or BlockingExecutor, or has only functions without
# `async`, which wait on the thread of their caller.
WAITING_FILES = {
    # The functions themselves, all without `async`.
    "DurableFiles",
    # Without `async`: catalogs are for commands, and also wait for the network.
    "ModelCatalog",
    "Sightline/Models/OptimizedModelCache.swift",
    "TensorFlowLite/Runtime/RuntimeRelease+Installation.swift",
    "SightlineCLI/Commands/OptimizeCommand.swift",
    "HubCLI/Connection/PrivateFile.swift",
    "HubCLI/Connection/StoredSignIn.swift",
    # Without `async`: pictures, reports and lists are written on the thread of their caller, which may wait.
    "SightlineEvaluation/Reports/ReportFile.swift",
    "SightlineImages/Pictures/ImageFile.swift",
    "SightlineMedia/Export/YOLOSink.swift",
    "SightlineTraining/Labels/TrainedLabels+Writing.swift",
    # Takes locks only if they are free.
    "HubCLI/Connection/ServingAddress.swift",
    # Without `async`: before the first picture of a command.
    "SightlineCLI/Running/RunRecord.swift",
    "SightlineMedia/Export/EarlierResults.swift",
    # Without `async`. Videos are decoded on a separate thread, and the command draws on FileExecutor.
    "SightlineMedia/Video/Interruption.swift",
    "SightlineMedia/Video/VideoWriter.swift",
    # On the threads of a preview: one accepts browsers, and each browser has its own.
    "SightlineMedia/Preview/LoopbackListener.swift",
    "SightlineMedia/Preview/PreviewState.swift",
    # On FileExecutor.
    "SightlineCLI/Running/StateMemory.swift",
    "SightlineCLI/Zones/StateTraining.swift",
    # When a server starts, and on QuietExecutor.
    "SightlineServer/Shadow/KeptPictures.swift",
    # On FileQueue.
    "SightlineEvents/MQTT/RetainedTopics.swift",
    "SightlineEvents/Outbox/EventJournal.swift",
    "SightlineEvents/Outbox/EventOutbox.swift",
    "ModelHub/Installation/InstallationID.swift",
    "ModelHub/RemoteConfig/ConfigState.swift",
    "ModelHub/RemoteConfig/OutcomeFile.swift",
    # On FileExecutor.
    "HubCLI/Commands/ConfigCommand.swift",
    "SightlineCLI/Watching/WatchRun.swift",
    "SightlineTraining/Similar/PictureIndexStore.swift",
    # On FileExecutor, where downloads run.
    "ModelHub/Storage/DownloadedModels+Manifests.swift",
    "ModelHub/Storage/DownloadedModels.swift",
    # On DiskThreads.
    "ModelHubServer/Evaluations/FolderEvaluationFileStore.swift",
    "ModelHubServer/Storage/FileBlobStore.swift",
    # On BlockingExecutor, as all routes except the quick ones.
    "ModelHubServer/Operations/Hub+Backup.swift",
    "ModelHubServer/Operations/Verification.swift",
    "ModelHubServer/Training/TrainingFolder.swift",
    "ModelHubServer/Signing/SigningKeyFolder.swift",
    "ModelHubServer/Storage/Cache/CachedFile.swift",
    "ModelHubServer/Storage/Cache/FileCache.swift",
    "ModelHubServer/Storage/FileHash.swift",
    "ModelHubServer/Storage/StagedFile.swift",
    "ModelHubServer/Storage/SystemCalls.swift",
    "ModelHubServer/Uploads/ResumableUpload.swift",
}

# Files of the hub that start the console.
SERVES_CONSOLE = {"HubAPI.swift", "HubServer.swift"}

DECLARATION = re.compile(
    r"^\s*(?:(?:public|package|internal|fileprivate|private|final|indirect|nonisolated|@\w+(?:\([^)]*\))?)\s+)*"
    r"(?:struct|class|enum|protocol|actor|typealias)\s+(`?\w+`?)"
)
PRIVATE = re.compile(r"^\s*(?:\S+\s+)*?(?:private|fileprivate)\s")
IMPORT = re.compile(r"^\s*(?:(?:@\w+(?:\([^)]*\))?|public|package|internal)\s+)*import\s+(?:\w+\s+)?(\w+)")


def code(path: Path) -> list[str]:
    """The lines of a file without comments and without the text of one-line strings."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        line = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
        lines.append(line.split("//")[0])
    return lines


def top_level_types(path: Path) -> set[str]:
    """The types that a file declares at its top level, and that other files can see."""
    names = set()
    for line in code(path):
        if line[:1].isspace() or PRIVATE.match(line):
            continue
        found = DECLARATION.match(line)
        if found:
            names.add(found[1].strip("`"))
    return names


def check_folders() -> list[str]:
    """Uses of a type in a folder below the folder that declares it."""
    core = SOURCES / "Sightline"
    problems = []
    for folder in sorted(path.name for path in core.iterdir() if path.is_dir()):
        if folder not in FOLDERS + ["Documentation.docc", "Resources"] and any((core / folder).rglob("*.swift")):
            problems.append(
                f"Sources/Sightline/{folder}: is not among the folders of Tools/…/check/layers.py; add it in its place"
            )
    declared = {}
    for folder in FOLDERS:
        for path in sorted((core / folder).rglob("*.swift")):
            for name in top_level_types(path):
                declared[name] = folder
    for position, folder in enumerate(FOLDERS):
        later = {name: home for name, home in declared.items() if FOLDERS.index(home) > position}
        problems += uses(later, sorted((core / folder).rglob("*.swift")), folder)
    return problems


def uses(types: dict[str, str], paths: Sequence[Path], folder: str) -> list[str]:
    """Uses of types, given with their folders, in files of a folder below them."""
    if not types:
        return []
    pattern = re.compile(r"(?<![\w.])(" + "|".join(sorted(map(re.escape, types))) + r")\b(?!\s*:)")
    return [
        f"{path.relative_to(ROOT)}:{number}: uses {name} of {types[name]}, which lies above {folder}; "
        "move the use up or the type down"
        for path in paths
        for number, line in enumerate(code(path), 1)
        for name in sorted(set(pattern.findall(line)))
    ]


def check_console() -> list[str]:
    """Uses of the console's pages in the rest of the hub, except where the hub serves them."""
    server = SOURCES / "ModelHubServer"
    console = set((server / "Console").rglob("*.swift"))
    pages = {name: "Console" for path in console for name in top_level_types(path)} | {"Console": "Console"}
    rest = sorted(path for path in server.rglob("*.swift") if path not in console and path.name not in SERVES_CONSOLE)
    return uses(pages, rest, "ModelHubServer")


def check_modules() -> list[str]:
    """Imports of modules that a module may not use."""
    homes = {path.name: path for path in SOURCES.iterdir() if path.is_dir() and path.name not in ("C", "Facades")}
    homes |= {name: SOURCES / "Facades" / name for name in FACADES}
    problems = []
    for module, home in sorted(homes.items()):
        if not any(home.rglob("*.swift")):
            continue
        if module not in MODULES:
            problems.append(
                f"Sources/{home.relative_to(SOURCES)}: is not among the modules of Tools/…/check/layers.py; add it"
            )
            continue
        for path in sorted(home.rglob("*.swift")):
            for number, line in enumerate(code(path), 1):
                found = IMPORT.match(line)
                if found and found[1] in MODULES and found[1] != module and found[1] not in MODULES[module]:
                    problems.append(
                        f"{path.relative_to(ROOT)}:{number}: {module} imports {found[1]}, which is not below it"
                    )
    return problems


def check_processes() -> list[str]:
    """Uses of Foundation's Process.

    Its run() reads the folder of the process's open files and copies 256 bytes of each name, beyond the end of a buffer
    if about 1,360 files are open. A program with several threads crashes then.
    """
    return [
        f"{path.relative_to(ROOT)}:{number}: uses Foundation's Process, which crashes a program that has many "
        "open files; use swift-subprocess, or Program in tests"
        for folder in ("Sources", "Plugins", "Tests", "Benchmarks", "Examples", "Firebase")
        for path in sorted((ROOT / folder).rglob("*.swift"))
        if ".build" not in path.parts
        for number, line in enumerate(code(path), 1)
        if re.search(r"(?<![\w.])(?:Foundation\.)?Process\(\)", line)
    ]


def check_waiting() -> list[str]:
    """Calls that wait, outside the files that may make them, and files that no longer make any."""
    problems = []
    used = set()
    for path in sorted(SOURCES.rglob("*.swift")):
        place = path.relative_to(SOURCES)
        homes = {str(place), place.parts[0]} & WAITING_FILES
        lines = [number for number, line in enumerate(code(path), 1) if WAITING.search(line)]
        if homes and lines:
            used |= homes
        elif lines:
            problems += [
                f"Sources/{place}:{number}: waits for the disk or a lock; move the call into a file that runs on "
                "threads which may wait (WAITING_FILES of Tools/…/check/layers.py)"
                for number in lines
            ]
    problems += [
        f"Sources/{place}: does not wait; remove it from WAITING_FILES of Tools/…/check/layers.py"
        for place in sorted(WAITING_FILES - used)
    ]
    return problems


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.parse_args(words)
    problems = check_folders() + check_console() + check_modules() + check_processes() + check_waiting()
    for problem in problems:
        print(f"error: {problem}.", file=sys.stderr)
    sys.exit(1 if problems else 0)
