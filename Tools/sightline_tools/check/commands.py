"""Runs the commands of sightline and sightline-hub that README.md, the tutorials and the articles show, and compares
what they print with what the page shows.

    Scripts/tools check commands [--bin FOLDER] [--mend] [FILE …]

The commands of a file run in order, in one empty folder, with a hub and installed models of their own. The statements
of Python in blocks of pycon are one session. A file that a command reads is made from a fixture of the tests by its
name, so that an example may name any picture, model, video or folder; a YAML file is the block of the page whose first
line is a comment with its name. Where a page shows the output for a model of the catalog or a video, these come from
the folder of test data (SIGHTLINE_TEST_DATA, or ../shared/data), and without it that output is not compared. A command
that needs the network, a camera or a real key may fail, but not because of its options. A hub stands for Firebase in
`hub import --firebase`, and a page whose Python begins with firebase_admin has it from PyPI. `shown_commands.py` has
the rules of the comparison.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ..places import ROOT, built_programs, temporary_folder
from .shown_commands import Command, commands, files, matches, mended
from .workplace import CATALOG, DATA, SHARED, TRAINING, Workplace

# Of sightline, and of Python's argparse.
USAGE_ERROR, PYTHON_USAGE_ERROR = 64, 2
# Ends with 1 if it finds a difference.
DIFFERS = r"hub config diff"

# Commands that cannot succeed here; the parser of the command line must accept them.
MAY_FAIL = [
    (r"sightline models (install|use (?!built-in))(?!.*--(from|mirror))", "downloads"),
    (r"--(blur|model) faces", "downloads the model that finds faces"),
    (r"sightline train boxes (?!.*--start)", "downloads the network that it starts from"),
    (r"sightline optimize plants ", "the fixture in the place of the trained model has nothing to make faster"),
    (r"--calibrate .*--annotations", "the fixture in the place of a detector is a classifier"),
    (r"^ffmpeg ", "needs FFmpeg's command"),
    (r"postgres://|SIGHTLINE_HUB_DATABASE|s3://", "needs a database or a storage"),
    (r"/dev/video|rtsps?://|https?://(?!127\.0\.0\.1)", "needs a camera, a stream or a host"),
    (r"mqtts?://", "needs a broker"),
    (r"evaluate boxes .*--model [\w-]+( |$)", "the fixture in the place of a public model has no labels"),
    (r"hub (session end|(key|token) revoke|webhook remove|dataset boxes \S+) [0-9a-f]{6}", "names an example's number"),
    (r"hub train .*--kind boxes", "nobody has drawn boxes in the data set of the page"),
    (r"--blobs", "needs a bucket"),
    (r"sqlite3 /var/lib/sightline-hub/", "needs the folder of a service"),
    (r"^tar xf \.build/bundle|^\./sightline/", "needs the archive that make bundle makes"),
]
# Folders of a server, and where they are in a test.
SERVER_FOLDERS = [("/var/lib/sightline-hub", "hub"), ("/mnt/backup", "backup")]
# Programs of a server's administrator, which change the machine.
SKIPPED = (
    r"^(sudo )?(systemctl|systemd-sysusers|install|apt(-get)?|docker|mosquitto_\w+|npm|pip|git|make|swift|python3?"
    r"|Scripts/|work/|cd |export |(~/.local/bin/)?sightline-spark )|\| parallel "
)
# Print the address of a hub that serves.
LINKS = r"hub console|hub person (add|link) "
# The others are not of interest here.
CHECKED = (
    r"\bsightline(-hub)?\b|^export SIGHTLINE_HUB_PROJECT|^curl .*(http://127\.0\.0\.1|--resolve )|^curl .*answer\.json"
    r"|^openssl |^sha256sum |" + TRAINING
)


def documents() -> list[Path]:
    patterns = ["README.md", "Documentation/**/*.md", "Training/*.md", "Sources/**/*.docc/**/*.md"]
    patterns += ["Firebase/Sources/**/*.docc/**/*.md", "Examples/*.md"]
    return sorted({path for pattern in patterns for path in ROOT.glob(pattern)})


def shown_path(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


class Page:
    """A document whose commands run."""

    def __init__(self, path: Path) -> None:
        self.path, self.count = path, 0
        self.problems: list[str] = []
        self.commands = [
            command
            for command in commands(path.read_text())
            if command.output or command.is_python or re.search(CHECKED, command.text)
        ]
        # Commands whose output was compared, and the new text of outputs that differ, by their commands.
        self.compared, self.missing_data = 0, 0
        # The blocks of Python in which a fixture stands for test data.
        self.stand_in_blocks: set[int] = set()
        self.mends: list[tuple[Command, list[str]]] = []

    def report(self, command: Command, text: str) -> None:
        self.problems.append(f"{shown_path(self.path)}, line {command.line}: {command.text}\n    {text.strip()}")

    def check(self, programs: Path, verbose: bool) -> None:
        """Runs the commands and collects what fails."""
        with temporary_folder("commands") as folder:
            place = Workplace(folder, programs)
            place.files = files(self.path.read_text())
            for command in self.commands:
                if command.output and not command.reason:
                    place.shared |= {name for name in [*SHARED, *CATALOG] if name in command.words}
            try:
                for command in self.commands:
                    status, printed = self.run(command, place)
                    if verbose:
                        print(f"    {command.text}: {'not run' if status is None else status}")
                    if command.output and not command.reason:
                        self.compare(command, status, printed, place)
            finally:
                place.stop()

    def run(self, command: Command, place: Workplace) -> tuple[int | None, str]:
        """Runs a command. Returns its status, nil if it does not run here, and its output."""
        shown = command.text
        if command.is_python:
            self.count += 1
            failed, printed = place.run_python(command)
            if place.stands_in(command):
                self.stand_in_blocks.add(command.block)
            if failed:
                self.report(command, printed)
            return int(failed), printed
        if re.search(TRAINING, shown):
            # Data and Torch are absent, so that the command fails after it has read its options.
            self.count += 1
            done = place.train(shown)
            if done.returncode == PYTHON_USAGE_ERROR:
                self.report(command, done.stderr)
            return None, ""
        if variable := re.fullmatch(r"export (SIGHTLINE_HUB_PROJECT)=(.*)", shown):
            place.environment[variable[1]] = place.run(f"printf %s {variable[2]}").stdout
        if re.search(SKIPPED, shown) or not re.search(CHECKED, shown):
            return None, ""
        words = shown.replace("8080", str(place.port)).replace("8443", str(place.tls_port))
        for server_folder, folder in SERVER_FOLDERS:
            words = words.replace(server_folder, str(place.folder / folder))
        place.prepare(words)
        if re.search(r"hub import .*--firebase", words):
            words = place.import_from_stand_in(words)
        if not command.output or place.stands_in(command):
            # The fixture that stands for a detector knows colors, and that for YOLOX has no labels.
            words = words.replace("--allow person", "" if "yolox" in shown else "--allow red")
        self.count += 1
        body = re.sub(r"\s+#\s.*$", "", words).strip()
        try:
            if re.search(r"\bserve\b|^sightline zones ", body) and "--help" not in body:
                port = "" if "--port" in body else f" --port {place.port}"
                status, printed = place.serve(body.removesuffix("&").strip() + port)
            else:
                if re.search(LINKS, words) and "--address" not in words:
                    words += f" --address http://127.0.0.1:{place.port}"
                if re.search(r"^curl |" + LINKS, body) and not place.servers:
                    # The page has installed a service.
                    place.prepare_hub("sightline hub serve")
                    place.serve(f"sightline hub serve --port {place.port}")
                done = place.run(words)
                status, printed = done.returncode, done.stdout
        except subprocess.TimeoutExpired:
            status, printed = 124, "it did not end within two minutes"
        if status == 1 and re.search(DIFFERS, shown):
            status = 0
        may_fail = any(re.search(pattern, shown) for pattern, _ in MAY_FAIL)
        if status == USAGE_ERROR or (status != 0 and not may_fail):
            self.report(command, f"exit status {status}: {printed}")
        return status, printed

    def compare(self, command: Command, status: int | None, printed: str, place: Workplace) -> None:
        """Compares what a command printed with what the page shows."""
        if place.stands_in(command) or command.block in self.stand_in_blocks:
            self.missing_data += 1
            return
        if status is None or (status != 0 and any(re.search(pattern, command.text) for pattern, _ in MAY_FAIL)):
            self.report(command, "its output cannot be compared; a comment `<!-- not compared: … -->` must say why")
            return
        for text, name in [
            (f":{place.port}", ":8080"),
            (f":{place.tls_port}", ":8443"),
            *((str(place.folder / folder), name) for name, folder in SERVER_FOLDERS),
            (place.environment["XDG_DATA_HOME"], "/home/me/.local/share"),
        ]:
            printed = printed.replace(text, name)
        self.compared += 1
        lines = printed.splitlines()
        if not matches(command.output, lines):
            self.mends.append((command, mended(command.output, lines)))
            self.report(command, "it prints:\n" + "".join(f"    {line}\n" for line in lines))

    def mend(self) -> None:
        """Puts what the commands print into the page."""
        lines = self.path.read_text().splitlines()
        for command, output in reversed(self.mends):
            start = command.output_line - 1
            lines[start : start + len(command.output)] = output
        self.path.write_text("\n".join(lines) + "\n")


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--bin", type=Path, help="the folder of the built programs; without it they are built")
    parser.add_argument("--verbose", action="store_true", help="print every command and its exit status")
    parser.add_argument("--mend", action="store_true", help="put what the commands print into the pages")
    parser.add_argument("files", nargs="*", type=Path, help="other documents than those of the repository")
    arguments = parser.parse_args(words)
    programs = built_programs(arguments.bin)
    total, compared, missing, failed = 0, 0, 0, []
    for path in [path.resolve() for path in arguments.files] or documents():
        page = Page(path)
        page.check(programs, arguments.verbose)
        if page.count:
            print(
                f"{shown_path(path)}: {page.count} commands, {page.compared} outputs compared,",
                f"{len(page.problems)} problems",
                flush=True,
            )
        if arguments.mend:
            page.mend()
        total += page.count
        compared += page.compared
        missing += page.missing_data
        failed += page.problems
    if total == 0 or (compared == 0 and not arguments.files):
        sys.exit("error: no document has a command with output; this check has lost its way.")
    if missing:
        print(f"{missing} outputs were not compared, because the test data is not in {DATA}.")
    if failed:
        sys.exit("error: commands of the documentation fail, or print something else:\n" + "\n".join(failed))
