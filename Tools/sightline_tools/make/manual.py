"""Writes the manual pages of a command from its own help.

    Scripts/tools make manual PROGRAM FOLDER

Each subcommand gets a page, such as sightline-detect.1, which `man sightline detect` shows.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..programs import output

# A part of the help of a command, as swift-argument-parser writes it.
Json = dict[str, Any]


def roff(text: str) -> str:
    """Escapes text for roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(re.sub(r"^(?=[.'])", r"\\&", line) for line in text.split("\n"))


def paragraphs(text: str) -> Iterator[str]:
    """A discussion: indented lines stay as they are, other lines are filled."""
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        yield ".PP"
        is_verbatim = False
        for line in paragraph.split("\n"):
            if line.startswith("  ") != is_verbatim:
                is_verbatim = not is_verbatim
                yield ".RS\n.nf" if is_verbatim else ".fi\n.RE"
            yield roff(line.strip() if is_verbatim else line)
        if is_verbatim:
            yield ".fi\n.RE"


def option_names(argument: Json) -> str:
    """The names of an option with its value, such as --model <model>."""
    names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument.get("names", [])]
    value = f" <{argument['valueName']}>" if argument["kind"] == "option" else ""
    # The short name comes first.
    return ", ".join(sorted(names, key=len)) + value


def synopsis(command: Json, name: str) -> list[str]:
    parts = [f".B {roff(name)}"]
    visible = [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]
    if any(argument["kind"] != "positional" for argument in visible):
        parts.append("[<options>]")
    for argument in visible:
        if argument["kind"] == "positional":
            text = f"<{argument['valueName']}>" + (" ..." if argument["isRepeating"] else "")
            parts.append(f"[{text}]" if argument["isOptional"] else text)
    if any(subcommand["commandName"] != "help" for subcommand in command.get("subcommands", [])):
        parts.append("<subcommand>")
    return [parts[0]] + [roff(part) for part in parts[1:]]


def entry(title: str, argument: Json) -> list[str]:
    text = argument.get("abstract", "")
    if "defaultValue" in argument:
        text += f" (default: {argument['defaultValue']})"
    lines = [".TP", f".B {roff(title)}", roff(text.strip())]
    if "discussion" in argument:
        lines += [".IP", roff(argument["discussion"])]
    return lines


def page(command: Json, name: str, subcommands: list[Json], parent: str | None, version: str) -> str:
    title = name.replace(" ", "-")
    lines = [
        f'.TH "{roff(title.upper())}" 1 "" "Sightline {version}" "Sightline"',
        ".nh\n.ad l",
        f".SH NAME\n{roff(title)} \\- {roff(command.get('abstract', '').rstrip('.'))}",
        ".SH SYNOPSIS",
        *synopsis(command, name),
    ]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", *paragraphs(command["discussion"])]
    visible = [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]
    positional = [argument for argument in visible if argument["kind"] == "positional"]
    options = [argument for argument in visible if argument["kind"] != "positional"]
    if positional:
        lines.append(".SH ARGUMENTS")
        for argument in positional:
            lines += entry(f"<{argument['valueName']}>", argument)
    if options:
        lines.append(".SH OPTIONS")
        for argument in options:
            lines += entry(option_names(argument), argument)
    if subcommands:
        lines.append(".SH COMMANDS")
        for subcommand in subcommands:
            lines += entry(subcommand["commandName"], subcommand | {"discussion": ""})[:3]
    others = [f"{title}-{subcommand['commandName']}" for subcommand in subcommands] + ([parent] if parent else [])
    if others:
        lines.append(".SH SEE ALSO\n" + ",\n".join(f"\\fB{roff(other)}\\fR(1)" for other in others))
    return "\n".join(lines) + "\n"


def write(command: Json, name: str, parent: str | None, folder: Path, version: str) -> None:
    title = name.replace(" ", "-")
    subcommands = [
        subcommand
        for subcommand in command.get("subcommands", [])
        if subcommand["shouldDisplay"] and subcommand["commandName"] != "help"
    ]
    # `sightline hub` and `sightline serve` are their own programs, which have their own pages.
    if parent is None or title not in ("sightline-hub", "sightline-serve"):
        (folder / f"{title}.1").write_text(page(command, name, subcommands, parent, version), encoding="utf-8")
    for subcommand in subcommands:
        write(subcommand, f"{name} {subcommand['commandName']}", title, folder, version)


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("program", metavar="PROGRAM", type=Path)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    options = parser.parse_args(words)
    program = options.program.resolve()
    command = json.loads(output([program, "--experimental-dump-help"]))["command"]
    write(command, command["commandName"], None, options.folder, output([program, "--version"]).strip())
