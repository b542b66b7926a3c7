"""Checks that Documentation/API lists the public declarations, and that none of the last release is gone or changed.

    Scripts/tools check api

The last release is the nearest tag such as 0.1.0 that the commit has behind it, with the Documentation/API of that
tag. A change that breaks code of apps is accepted by a line with its reason in Documentation/API/accepted.md.
"""

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import interfaces
from ..make import api as written
from ..places import ROOT
from ..programs import output

ACCEPTED = f"{interfaces.LISTINGS}/accepted.md"


@dataclass(frozen=True)
class Change:
    """A change that breaks code of apps: the path of a declaration, and a sentence."""

    module: str
    path: str
    sentence: str


@dataclass(frozen=True)
class Declaration:
    """A line of a listing. Declarations that code of apps cannot tell apart have equal texts."""

    text: str
    conformances: frozenset[str]
    mark: str

    @classmethod
    def parsed(cls, text: str) -> "Declaration":
        """The declaration of a line, whose path is cut off."""
        mark = next((mark for mark in (interfaces.DEFAULTED, interfaces.REQUIREMENT) if text.endswith(mark)), "")
        text = text.removesuffix(mark)
        conformances: frozenset[str] = frozenset()
        if found := re.match(r"(.*?\b(?:struct|enum|class|actor|protocol) [\w.]+(?:<.*?>)?): (.*?)( where .*)?$", text):
            text = found[1] + (found[3] or "")
            conformances = frozenset(found[2].split(", "))
        return cls(text, conformances, mark)

    @property
    def widened(self) -> set[str]:
        """The texts that may take the place of this one without a change of any caller."""
        texts = {self.text, f"@discardableResult {self.text}", f"open {self.text}"}
        if found := re.match(r"(.*\b)let (.*)$", self.text):
            texts |= {f"{found[1]}var {found[2]} {{ get }}", f"{found[1]}var {found[2]}"}
        elif self.text.endswith(" { get }"):
            name = self.text.removesuffix(" { get }")
            texts |= {name, name.replace("var ", "let ", 1), f"{name} {{ get set }}"}
        elif self.text.endswith(" { get set }"):
            texts.add(self.text.removesuffix(" { get set }"))
        elif re.search(r"\bvar \S+: [^{]+$", self.text):
            texts.add(f"{self.text} {{ get set }}")
        return texts

    def allows(self, later: "Declaration") -> bool:
        """Whether calls of this declaration compile with a later one."""
        if later.text in self.widened:
            return True
        # Each call gives an argument for each parameter without a default. The value of a default is behavior.
        before, after = list(parameters(self.text)), list(parameters(later.text))
        return len(before) == len(after) and all(
            old[0] == new[0] and (new[1] or not old[1]) for old, new in zip(before, after, strict=True)
        )


def parameters(text: str) -> Iterator[tuple[str, bool]]:
    """A declaration, cut at the commas and at the defaults of its parameters: each part, and whether it has one."""
    parts, depth, part, has_default = [], 0, "", False
    for position, character in enumerate(text):
        is_arrow = text[position - 1 : position + 1] == "->"
        if character in ")]}" or (character == ">" and not is_arrow):
            depth -= 1
        if (depth == 1 and character == ",") or (depth == 0 and character == ")"):
            parts.append((part, has_default))
            part, has_default = "", False
        if depth == 1 and text[position : position + 3] == " = ":
            has_default = True
        if not has_default:
            part += character
        if character in "([{" or (character == "<" and "func" not in text[position - 6 : position]):
            depth += 1
    yield from [*parts, (part, has_default)]


def grouped(rows: Iterable[str]) -> dict[str, list[Declaration]]:
    """The declarations of each path: several if functions are overloaded."""
    found: dict[str, list[Declaration]] = defaultdict(list)
    for row in rows:
        path, _, text = row.partition("  ")
        found[path].append(Declaration.parsed(text))
    return found


def changes(module: str, earlier: Iterable[str], later: Iterable[str]) -> list[Change]:
    """The changes of a module that break code of apps."""
    before, after = grouped(earlier), grouped(later)
    if before and not after:
        return [Change(module, module, f"The module {module} is gone, or declares nothing any longer.")]
    found = []
    for path, declarations in before.items():
        if parent_is_gone(path, before, after):
            continue
        for declaration in declarations:
            sentences = broken(path, declaration, declarations, after.get(path, []))
            found += [Change(module, path, sentence) for sentence in sentences]
    for path, declarations in after.items():
        parent = path.rpartition(".")[0]
        if parent not in before:
            continue
        for declaration in declarations:
            if re.match(r"(indirect )?case ", declaration.text) and path not in before:
                sentence = f"{path} is a new case, which a switch without a default does not have."
                found.append(Change(module, path, sentence))
            elif declaration.mark == interfaces.REQUIREMENT and declaration not in before.get(path, []):
                is_old = any(each.text == declaration.text and each.mark for each in before.get(path, []))
                what = "has no default any longer" if is_old else "is a new requirement without a default"
                if is_old or path not in before:
                    found.append(Change(module, path, f"{path} {what}, so that types of apps do not conform."))
    return found


def parent_is_gone(path: str, before: dict[str, list[Declaration]], after: dict[str, list[Declaration]]) -> bool:
    """Whether a type that contains a declaration is gone, which is said once."""
    names = re.sub(r"\(.*", "", path).split(".")[:-1]
    parents = [".".join(names[:count]) for count in range(1, len(names) + 1)]
    return any(parent in before and parent not in after for parent in parents)


def broken(path: str, old: Declaration, all_old: list[Declaration], new: list[Declaration]) -> list[str]:
    """Sentences about an earlier declaration, of those that have its path now."""
    if not new:
        return [f"{path} is gone. It was `{old.text}`."]
    fitting = [each for each in new if old.allows(each)]
    if not fitting:
        others = [each.text for each in new if not any(one.allows(each) for one in all_old)] or [new[0].text]
        return [f"{path} has changed. It was `{old.text}`, and is `{others[0]}`."]
    lost = sorted(old.conformances - fitting[0].conformances)
    return [f"{path} does not conform to {name} any longer." for name in lost]


def accepted(text: str, version: str) -> dict[tuple[str, str], str]:
    """The reasons of accepted changes since a version, by module and path."""
    section = re.split(r"^## ", text, flags=re.MULTILINE)
    rows = next((part for part in section[1:] if part.splitlines()[0].strip() == f"Since {version}"), "")
    found = {}
    for row in rows.splitlines()[1:]:
        if not row.startswith("- "):
            continue
        match = re.fullmatch(r"- (\w+) `([^`]+)`: (\S.*)", row)
        if match is None:
            sys.exit(f"error: {ACCEPTED} has the line {row!r}; write it as - Module `Type.name(label:)`: The reason.")
        found[match[1], match[2]] = match[3]
    return found


def last_release(root: Path) -> str | None:
    """The nearest tag of a version that the commit has behind it."""
    words = ["git", "describe", "--tags", "--abbrev=0", "--match", "[0-9]*.[0-9]*.[0-9]*"]
    return subprocess.run(words, cwd=root, capture_output=True, text=True).stdout.strip() or None


def released(root: Path, version: str) -> dict[str, list[str]]:
    """The lines of each module at a tag."""
    names = output(["git", "ls-tree", "--name-only", version, f"{interfaces.LISTINGS}/"], root).splitlines()
    return {
        Path(name).stem: interfaces.rows(output(["git", "show", f"{version}:{name}"], root))
        for name in names
        if name.endswith(".txt")
    }


def unlisted(root: Path, current: dict[str, list[str]]) -> list[str]:
    """Sentences about files in which a listing differs from the code."""
    paths = {path.stem: path for path in (root / interfaces.LISTINGS).glob("*.txt")}
    found = [f"{paths[name]} is of a module that has no declarations" for name in sorted(paths.keys() - current.keys())]
    for module, lines in current.items():
        listed = interfaces.rows(paths[module].read_text()) if module in paths else []
        added, gone = sorted(set(lines) - set(listed)), sorted(set(listed) - set(lines))
        if added or gone:
            first = (added or gone)[0].partition("  ")[0]
            found.append(
                f"{interfaces.LISTINGS}/{module}.txt lacks {len(added)} declarations, and has {len(gone)} that are "
                f"not in the code, such as {first}"
            )
    return found


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.add_argument("--built", action="store_true", help="the modules are built already")
    options = parser.parse_args(words)
    if not options.built:
        written.build()
    current = {name: rows for name, rows in interfaces.current(interfaces.modules()).items() if rows}
    problems = unlisted(ROOT, current)
    if problems:
        problems.append('run "Scripts/tools make api" and look at what it changes')
    version = last_release(ROOT)
    before = released(ROOT, version) if version else {}
    if version is None:
        print("There is no tag of a version behind this commit, so there is no release to compare with.")
    elif not before:
        print(f"The release {version} has no {interfaces.LISTINGS} to compare with.")
    else:
        path = ROOT / ACCEPTED
        reasons = accepted(path.read_text() if path.exists() else "", version)
        found = [change for module in before for change in changes(module, before[module], current.get(module, []))]
        problems += verdict(found, reasons, version)
    for problem in problems:
        print(f"error: {problem}.", file=sys.stderr)
    sys.exit(bool(problems))


def verdict(found: Sequence[Change], reasons: dict[tuple[str, str], str], version: str) -> list[str]:
    """The problems that changes are. Prints the changes by module, with the reason of each that is accepted."""
    by_module: dict[str, list[Change]] = defaultdict(list)
    for change in found:
        by_module[change.module].append(change)
    for module, those in by_module.items():
        print(f"{module}, since {version}:")
        for change in those:
            reason = reasons.get((change.module, change.path))
            print(f"  {change.sentence}" + (f" Accepted: {reason}" if reason else ""))
    open_changes = [change for change in found if (change.module, change.path) not in reasons]
    problems = []
    if open_changes:
        first = open_changes[0]
        problems.append(
            f"{len(open_changes)} changes break code that compiles with {version}; take them back, or accept each in "
            f'{ACCEPTED}, below "## Since {version}", by a line such as - {first.module} `{first.path}`: The reason'
        )
    unused = sorted(reasons.keys() - {(change.module, change.path) for change in found})
    problems += [f"{ACCEPTED} accepts a change of {path} in {module}, which has none" for module, path in unused]
    if not problems and not found:
        print(f"All code that compiles with {version} still does, as far as declarations show it.")
    return problems
