"""The commands that a page shows, and their output as far as it shows it.

A page may leave output out, but all that it shows must be right. `…` stands for any text; alone on a line, for any
lines. Values that differ from run to run, such as times and ids, are compared by their form; `VARYING` lists them. A
comment before a block says why its output cannot be compared: `<!-- not compared: it needs a cluster -->`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

VARYING = [
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", "‹time›"),
    (r"\b\d{4}-\d\d-\d\d\b", "‹date›"),
    (r"\b\d[\d,]*(?:\.\d+)?(?= (?:frames|pictures)/s\b)", "‹speed›"),
    (r"(?<=[?&]expires=)\d+", "‹time›"),
    (r"(?<=[?&]signature=)[\w-]+", "‹signature›"),
    # In the first column of a table, and after the word.
    (r"^[0-9a-f]{12}(?= )|(?<=\bid )[0-9a-f]{12}$", "‹id›"),
]
BLOCK = re.compile(
    r"^(?:<!-- not compared: (?P<reason>.+?) -->\n\n?)?```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.M | re.S
)
ELLIPSIS = "…"


@dataclass
class Command:
    """A command, and what the page shows of its output."""

    line: int
    text: str
    # The number of the first line of the output; empty if the page shows none.
    output_line: int = 0
    output: list[str] = field(default_factory=list)
    # Why the output is not compared.
    reason: str | None = None
    # Whether it is Python in a session, and not a command of a shell.
    is_python: bool = False
    # The number of the first line of its block. The statements of a block share their variables.
    block: int = 0

    @property
    def words(self) -> list[str]:
        """The names that the command may contain: its words, or the texts of Python."""
        return re.findall(r'"([^"\n]+)"', self.text) if self.is_python else self.text.split()


def commands(page: str) -> list[Command]:
    """The commands of a page, in order: lines with a prompt, also of Python (`>>>` in blocks of pycon), the lines of sh
    blocks, and the steps of a job in YAML.

    A block without a language directly after a block of commands is the output of the last one.
    """
    found: list[Command] = []
    end, last_kind = 0, ""
    for block in BLOCK.finditer(page):
        kind, lines = block["kind"], block["text"].splitlines()
        first = page.count("\n", 0, block.start("text")) + 1
        follows = found and last_kind in ("console", "sh", "bash") and not page[end : block.start()].strip()
        if kind in ("console", "sh", "bash"):
            found += commands_of_block(lines, first, has_prompts=kind == "console", reason=block["reason"])
        elif kind == "pycon":
            found += commands_of_session(lines, first, block["reason"])
        elif kind == "yaml":
            for number, line in enumerate(lines):
                if step := re.match(r"\s*- run: (.+)", line):
                    found.append(Command(first + number, step[1]))
        elif kind == "" and follows:
            found[-1].output_line, found[-1].output, found[-1].reason = first, lines, block["reason"]
        end, last_kind = block.end(), kind
    return found


def files(page: str) -> dict[str, str]:
    """The files that a page shows: blocks of YAML whose first line is a comment with the name of the file."""
    blocks = (block["text"] for block in BLOCK.finditer(page) if block["kind"] == "yaml")
    named = ((re.match(r"# (\S+\.yaml)\n", text), text) for text in blocks)
    return {name[1]: text for name, text in named if name}


def commands_of_block(lines: list[str], first: int, has_prompts: bool, reason: str | None) -> Iterator[Command]:
    command, is_open = None, False
    for number, line in enumerate(lines, start=first):
        if command and is_open:
            command.text += "\n" + line.removeprefix("> ")
        elif line.startswith("$ ") if has_prompts else line.strip():
            if command:
                yield command
            command = Command(number, line.removeprefix("$ ") if has_prompts else line, reason=reason)
        elif command and has_prompts:
            command.output_line = command.output_line or number
            command.output.append(line)
            continue
        is_open = line.endswith("\\")
    if command:
        yield command


def commands_of_session(lines: list[str], first: int, reason: str | None) -> Iterator[Command]:
    """The statements of a session of Python. What follows a statement is its output."""
    command = None
    for number, line in enumerate(lines, start=first):
        if line.startswith(">>> "):
            if command:
                yield command
            command = Command(number, line.removeprefix(">>> "), reason=reason, is_python=True, block=first)
        elif command and not command.output and re.match(r"\.\.\.( |$)", line):
            command.text += "\n" + line[4:]
        elif command:
            command.output_line = command.output_line or number
            command.output.append(line)
    if command:
        yield command


def normalized(line: str) -> str:
    """The line with a name in the place of each value that varies."""
    for pattern, name in VARYING:
        line = re.sub(pattern, name, line)
    return line.rstrip()


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether a command's output is what a page shows."""
    pattern = ""
    for line in shown:
        if line.strip() == ELLIPSIS:
            pattern += r"(?:.*\n)*?"
        else:
            parts = normalized(line).split(ELLIPSIS)
            pattern += ".*?".join(re.escape(part) for part in parts) + r"\n"
    return re.fullmatch(pattern, "".join(normalized(line) + "\n" for line in printed)) is not None


def mended(shown: list[str], printed: list[str]) -> list[str]:
    """The output that the page should show: the printed lines, without touching lines that are right already."""
    if len(shown) != len(printed):
        return printed
    return [old if matches([old], [new]) else new for old, new in zip(shown, printed, strict=True)]
