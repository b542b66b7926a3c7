"""Options of this package as words of the command line."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from typing import Any

PathInput = str | os.PathLike[str]

# They would send the answers elsewhere, or in another form.
_OWN = (
    "--format", "--output", "-o", "--stdin", "--stdin-format", "--keep-going", "--resume", "--image-prefix", "--pixels",
    "--help", "-h", "--version",
)  # fmt: skip
# The options that have a value, and their words.
_VALUES = {
    "model": "--model",
    "classifier": "--classifier",
    "labels": "--labels",
    "threshold": "--threshold",
    "label_threshold": "--classification-threshold",
    "max_objects": "--max-objects",
    "max_labels": "--max-labels",
    "every": "--every",
    "frame_rate": "--frame-rate",
    "workers": "--workers",
    "threads": "--threads",
}
_PATHS = frozenset(["model", "classifier", "labels"])


def arguments(settings: Mapping[str, Any], known: frozenset[str], **own: Any) -> list[str]:
    """The words for options.

    Args:
        settings: the options that a caller named.
        known: the names of the options that the caller may name.
        own: further options, of the called function alone.

    Raises:
        TypeError: an option is not known, or a text stands where a list of texts is expected.
        ValueError: a further word is an option that belongs to this package.
    """
    for name in settings:
        if name not in known:
            near = difflib.get_close_matches(name, sorted(known | set(own)), 1)
            advice = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known | set(own)))}."
            raise TypeError(f"there is no option {name}; {advice}")
    values = {**own, **settings}
    words: list[str] = []
    for name, option in _VALUES.items():
        value = values.get(name)
        if value is not None:
            # With an equals sign, a value may begin with a hyphen.
            words.append(f"{option}={os.fsdecode(value) if name in _PATHS else value}")
    for name in ("allow", "deny"):
        words += [f"--{name}={text}" for text in _list(values.get(name, ()), name)]
    further = _list(values.get("options", ()), "options")
    for word in further:
        if word.partition("=")[0] in _OWN:
            raise ValueError(f"the option {word} belongs to this package; leave it out, or use the command sightline.")
    return [*words, *further]


def _list(texts: Iterable[str], name: str) -> list[str]:
    if isinstance(texts, str):
        raise TypeError(f"{name} is a list of texts, not a text: {name}=[{texts!r}].")
    return list(texts)
