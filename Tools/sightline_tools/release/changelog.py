"""The section of a version in CHANGELOG.md."""

import datetime
import re
import sys


def heading(text: str, version: str) -> re.Match[str] | None:
    """The heading of a version, with its date in the group 1 if it has one."""
    return re.search(rf"^## {re.escape(version)}(?: \((\d{{4}}-\d\d-\d\d)\))?$", text, re.MULTILINE)


def section(text: str, version: str) -> str:
    """The text between the heading of a version and the next one."""
    found = heading(text, version)
    if found is None:
        first = re.search(r"^## .*$", text, re.MULTILINE)
        sys.exit(
            f'error: CHANGELOG.md has no heading "## {version}"'
            + (f' (the first one is "{first[0]}")' if first else "")
            + "; describe the changes of the version below one."
        )
    body = re.split(r"^## ", text[found.end() :], maxsplit=1, flags=re.MULTILINE)[0].strip()
    if not body:
        sys.exit(f'error: the section "## {version}" of CHANGELOG.md is empty; describe the changes of the version.')
    return body


def dated(text: str, version: str, day: datetime.date) -> str:
    """The text with a date in the heading of a version. A date that is there stays."""
    found = heading(text, version)
    if found is None or found[1]:
        return text
    return f"{text[: found.end()]} ({day.isoformat()}){text[found.end() :]}"


def notes(text: str, version: str) -> str:
    """The release notes: the section under a title."""
    body = section(text, version)
    found = heading(text, version)
    day = f", {found[1]}" if found and found[1] else ""
    return f"# Sightline {version}{day}\n\n{body}\n"
