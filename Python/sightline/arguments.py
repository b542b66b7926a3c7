"""Options of this package as words of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

PathInput = str | os.PathLike[str]

# They would send the answers elsewhere, or in another form.
_OWN = (
    "--format", "--output", "-o", "--stdin", "--stdin-format", "--keep-going", "--resume", "--image-prefix", "--help",
    "-h", "--version",
)  # fmt: skip


def model_arguments(
    *,
    model: PathInput | None = None,
    classifier: PathInput | None = None,
    labels: PathInput | None = None,
    threshold: float | None = None,
    label_threshold: float | None = None,
    max_objects: int | None = None,
    max_labels: int | None = None,
    allow: Iterable[str] = (),
    deny: Iterable[str] = (),
    every: int | None = None,
    workers: int | None = None,
    threads: int | None = None,
    options: Sequence[str] = (),
) -> list[str]:
    """The words for options that have a value, and the further words of a caller.

    Raises:
        TypeError: a text stands where a list of texts is expected.
        ValueError: a further word is an option that belongs to this package.
    """
    words: list[str] = []
    values = {
        "--model": model if model is None else os.fsdecode(model),
        "--classifier": classifier if classifier is None else os.fsdecode(classifier),
        "--labels": labels if labels is None else os.fsdecode(labels),
        "--threshold": threshold,
        "--classification-threshold": label_threshold,
        "--max-objects": max_objects,
        "--max-labels": max_labels,
        "--every": every,
        "--workers": workers,
        "--threads": threads,
    }
    for name, value in values.items():
        if value is not None:
            # With an equals sign, a value may begin with a hyphen.
            words.append(f"{name}={value}")
    for name, texts in (("--allow", allow), ("--deny", deny)):
        for text in _list(texts, name.removeprefix("--")):
            words.append(f"{name}={text}")
    further = _list(options, "options")
    for word in further:
        if word.partition("=")[0] in _OWN:
            raise ValueError(f"the option {word} belongs to this package; leave it out, or use the command sightline.")
    return [*words, *further]


def _list(texts: Iterable[str], name: str) -> list[str]:
    if isinstance(texts, str):
        raise TypeError(f"{name} is a list of texts, not a text: {name}=[{texts!r}].")
    return list(texts)
