"""Compares a table of symbols in the documentation with what the modules declare.

    Scripts/tools check symbol-table TABLE.md FOLDER

Below each heading "## Module" of the table, the first column of each row is a public symbol of that module, in
backticks. FOLDER has the symbol graphs (MODULE.symbols.json and MODULE@OTHER.symbols.json). A symbol that only one of
them has is an error.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path


def listed(table: Path) -> dict[str, set[str]]:
    """The symbols of each module that the table names."""
    symbols: dict[str, set[str]] = {}
    module = ""
    for line in table.read_text().splitlines():
        if heading := re.match(r"## (\w+)$", line):
            module = heading.group(1)
        elif row := re.match(r"\| `([^`]+)` \|", line):
            symbols.setdefault(module, set()).add(row.group(1))
    return symbols


def declared(folder: Path, module: str) -> set[str]:
    """The public symbols that a module declares, extensions of others included."""
    graphs = [*folder.glob(f"{module}.symbols.json"), *folder.glob(f"{module}@*.symbols.json")]
    if not graphs:
        sys.exit(f"error: {folder} has no symbol graph of {module}; build it with swift package dump-symbol-graph.")
    return {
        ".".join(symbol["pathComponents"])
        for graph in graphs
        for symbol in json.loads(graph.read_text())["symbols"]
        if symbol["kind"]["identifier"] != "swift.extension"
    }


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("table", metavar="TABLE.md", type=Path)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    options = parser.parse_args(words)
    table, folder = options.table, options.folder
    problems = []
    for module, symbols in listed(table).items():
        actual = declared(folder, module)
        problems += [
            f"{module} declares {symbol}, which the table does not list" for symbol in sorted(actual - symbols)
        ]
        problems += [
            f"the table lists {symbol}, which {module} does not declare" for symbol in sorted(symbols - actual)
        ]
    if not listed(table):
        problems.append("it has no rows")
    for problem in problems:
        print(f"error: {table}: {problem}.", file=sys.stderr)
    sys.exit(bool(problems))
