"""Checks that the relative links of all pages lead to files and headings that exist."""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from ..make.reference import anchor
from ..places import ROOT

LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|\b(?:src|href)=\"([^\"]+)\"")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def prose(text: str) -> str:
    """A page with blank lines in place of its code blocks."""
    return re.sub(r"(?ms)^([ \t]*)(```+|~~~+).*?^\1\2[ \t]*$", lambda block: "\n" * block[0].count("\n"), text)


def anchors(page: Path) -> set[str]:
    """The anchors of a page: those of its headings, numbered if they repeat, and its own."""
    found: set[str] = set()
    text = prose(page.read_text(encoding="utf-8"))
    for title in re.findall(r"(?m)^#{1,6}[ \t]+(.*?)[ \t#]*$", text):
        name = anchor(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title))
        number = next(count for count in range(len(found) + 1) if (f"{name}-{count}" if count else name) not in found)
        found.add(f"{name}-{number}" if number else name)
    return found | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def broken(page: Path, root: Path) -> Iterator[tuple[int, str]]:
    """The links of a page that lead nowhere: the number of a line, and a sentence."""
    for number, line in enumerate(prose(page.read_text(encoding="utf-8")).split("\n"), 1):
        for found in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
            link = found[1] or found[2]
            if ELSEWHERE.match(link) or link.startswith("//"):
                continue
            name, _, title = unquote(link).partition("#")
            target = (root / name[1:] if name.startswith("/") else page.parent / name) if name else page
            if not target.exists():
                yield number, f"{link} leads to no file; correct the link"
            elif title and target.suffix == ".md" and title not in anchors(target):
                yield number, f"{link} leads to no heading; the page has {', '.join(sorted(anchors(target)))[:200]}"


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.parse_args(words)
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.md"]
    names = subprocess.run(listing, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\0")
    problems = [
        f"{name}:{number}: {sentence}"
        for name in sorted(set(names))
        if name and (ROOT / name).is_file()
        for number, sentence in broken(ROOT / name, ROOT)
    ]
    for problem in problems:
        print(f"error: {problem}.", file=sys.stderr)
    sys.exit(1 if problems else 0)
