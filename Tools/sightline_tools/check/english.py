"""Checks the English of sources, pages and commit subjects.

A comment begins with its subject, and not with What, How, Who, Tells or Says. Phrases of PHRASES
have plainer forms, which a mistake names; a phrase is found across the end of a line, too. The subjects of the commits
that a branch added since it left main (origin/main, or the commit that SIGHTLINE_MAIN names) have at most 72 characters
and begin with a verb, as in "Add a format"; on main itself, and where main is unknown, no subject is checked.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence

from ..places import ROOT

# The folders and files with text of people, except pages that are generated from other text.
PLACES = (
    "Sources Firebase Tests Plugins Python Spark Tools Training Benchmarks Examples Scripts Packaging Documentation "
    "README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md Package.swift Makefile .ci/run"
).split()
LEFT_OUT = re.compile(r"^Documentation/Reference|^Tools/.*english\.py$|/(Fixtures|fixtures|Templates)/")
SUFFIXES = {"", ".c", ".css", ".h", ".js", ".md", ".mustache", ".py", ".sh", ".swift", ".toml", ".yml"}

# Each phrase with better ones. Words that have a right use somewhere are not here, or have it as an exception.
PHRASES = {
    r"tell|tells|told|telling": "say, show, report or notify",
    r"(?:go|goes|went|going) on": "continue or resume",
    r"news": "update, notice or change",
    r"anew": "again, or from the beginning",
    r"of before": "previous or earlier",
    r"(?:is|are) none of \w+(?: \w+)?['’]s?(?=\W)": "is not one of",
    r"(?:becomes?|became|become) of": "happens to, or the outcome of",
    r"kin": "similar",
    r"whoever": "anybody who, or the person or program",
    r"last words": "the last message",
    r"as far as there (?:is|are)": "where available, or if any",
    r"(?:is|are|was|were) no(?! (?:longer|more|less|fewer|different|match|help|way|use|worse|"
    r"(?:better|smaller|larger|greater|higher|lower|faster|slower|earlier|later|older|newer|shorter|nearer|wider)"
    r")\b)": "is not a",
    r"sa(?:y|ys|id) of": "say about, or report for",
    r"for ever": "forever",
    r"(?:is|are) whole(?! [a-z-]*s\b)": "is complete",
    r"stands? (?:twice|there)|stands in(?! for\b)": "is, or appears",
    r"whence|thence|hither|whilst|amongst|thereof|therein|wherein|whereof|henceforth|lest": "a modern word",
}
# Right uses: "there is no picture", "tells two objects apart".
BEFORE = re.compile(r"[Tt]here(?:[\s/#*]+\w+)?[\s/#*]+$")
AFTER = re.compile(r"[^.;:]{0,80}?\bapart\b")
GAP = r"(?:[ \t]*\n[ \t]*(?:///?|#|\*)?[ \t]*|[ ]+)"

OPENING = re.compile(
    r'(?:^[ \t]*///?|/\*\*|""")[ \t]*(What|How|Who|Tells|Says)\b'
    r"|^[ \t]*///[ \t]*(-[ \t]+(?:Parameter[ \t]+)?`?\w+`?:[ \t]*(?:[Ww]hat|[Hh]ow|[Ww]ho|[Tt]ells|[Ss]ays))\b"
)

# The longest subject that `git log --oneline` and hosts show whole.
LONGEST_SUBJECT = 72
NOT_A_VERB = (
    "a an the no not none all any each every both some one two three four five now then there this that these those "
    "it its what who how why where when which gone with without for from in of on to by at as if more less most"
).split()
# Verbs that end as other forms do.
VERBS = (
    "Address Bias Bring Bypass Compress Cross Discuss Dismiss Embed Express Feed Focus Guess Need Pass Ping Press "
    "Process Seed Speed Suppress"
).split()


def compiled(phrase: str) -> re.Pattern[str]:
    """A pattern that finds a phrase in any case of its first letter, also across lines of a comment."""
    return re.compile(r"(?<![\w`.-])(?:" + phrase.replace(" ", GAP) + r")(?![\w`]|-\w)", re.IGNORECASE)


PATTERNS = {compiled(phrase): better for phrase, better in PHRASES.items()}


def mistakes(text: str) -> Iterator[tuple[int, str]]:
    """The mistakes of a file's text: the number of a line, and a sentence."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        found = OPENING.search(line)
        is_later_line = number > 1 and all(text.lstrip().startswith("//") for text in lines[number - 2 : number])
        if found and (found[2] or not is_later_line):
            yield number, f'the comment begins with "{found[1] or found[2]}"; begin with the name of the thing'
    for pattern, better in PATTERNS.items():
        for match in pattern.finditer(text):
            phrase = re.sub(r"[\s/#*]+", " ", match[0])
            if " no" in phrase and BEFORE.search(text, 0, match.start()):
                continue
            if phrase.lower().startswith("t") and AFTER.match(text, match.end()):
                continue
            yield text.count("\n", 0, match.start()) + 1, f'"{phrase}" is not plain English; write {better}'


def check_files() -> list[str]:
    """The mistakes of all files, those that Git does not know yet among them."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *PLACES]
    names = subprocess.run(listing, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\0")
    problems = []
    for name in sorted(set(names)):
        path = ROOT / name
        if not name or LEFT_OUT.search(name) or path.suffix not in SUFFIXES or not path.is_file():
            continue
        for number, sentence in sorted(mistakes(path.read_text(encoding="utf-8"))):
            problems.append(f"{name}:{number}: {sentence}")
    return problems


def subject_mistake(subject: str) -> str | None:
    """The mistake of a commit's subject; None if it has none."""
    if len(subject) > LONGEST_SUBJECT:
        return f"has {len(subject)} characters; {LONGEST_SUBJECT} at most"
    first = subject.split(" ")[0]
    if first[:1].islower() or first.lower().rstrip(",:") in NOT_A_VERB:
        return 'does not begin with a verb; write "Add …", "Fix …"'
    ending = re.search(r"(?:ed|ing|[^su]s|['’]s?)[,:]?$", first)
    if ending and first.rstrip(",:") not in VERBS:
        return 'is not in the imperative; write "Add …" and not "Adds …" or "Added …"'
    return "ends with a period" if subject.endswith(".") else None


def git(*words: str) -> str | None:
    """The output of git without the last line end; None if it fails."""
    ended = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return ended.stdout.rstrip("\n") if ended.returncode == 0 else None


def check_commits() -> list[str]:
    """The mistakes of the commits since the branch left main."""
    base = git("merge-base", "HEAD", os.environ.get("SIGHTLINE_MAIN", "origin/main"))
    commits = git("log", "--format=%h %s", f"{base}..HEAD") if base else None
    problems = []
    for line in (commits or "").splitlines():
        commit, _, subject = line.partition(" ")
        mistake = subject_mistake(subject)
        if mistake:
            problems.append(f'Commit {commit}: the subject "{subject}" {mistake}')
    return problems


def main(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Runs the command."""
    parser.parse_args(words)
    problems = check_files() + check_commits()
    for problem in problems:
        print(f"error: {problem}.", file=sys.stderr)
    sys.exit(1 if problems else 0)
