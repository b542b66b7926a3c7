"""The packages that executors need, as an archive that Spark sends to them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import sightline

NAME = "sightline_spark.zip"


def archive(folder: str | Path) -> str:
    """Writes an archive of this package and of the package sightline into a folder, and returns its path.

    A program that came with the package sightline is not in it; executors have their own, or get one by `--archive`.
    """
    path = Path(folder) / NAME
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for package in (Path(__file__).resolve().parent, Path(sightline.__file__).resolve().parent):
            for file in sorted(package.iterdir()):
                if file.is_file():
                    target.write(file, f"{package.name}/{file.name}")
    return str(path)
