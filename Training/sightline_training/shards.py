"""Arrays on disk, written in parts that are complete or not there."""

import os
import pathlib
import shutil

import numpy as np

from .errors import TrainingError


def write(folder: pathlib.Path, arrays: dict[str, np.ndarray]) -> None:
    """Writes arrays as one shard: into a folder aside, which then takes its name."""
    aside = folder.with_name(folder.name + ".part")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        for name, array in arrays.items():
            path = aside / f"{name}.npy"
            with open(path, "wb") as file:
                np.save(file, array)
                file.flush()
                os.fsync(file.fileno())
        os.rename(aside, folder)
    except OSError:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def present(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in folder.glob("shard-*") if path.is_dir() and not path.name.endswith(".part"))


class Shards:
    """All shards of a folder as one; rows are read from the mapped files."""

    def __init__(self, folder: pathlib.Path, names: list[str]) -> None:
        self.parts = []
        for path in present(folder):
            try:
                self.parts.append({name: np.load(path / f"{name}.npy", mmap_mode="r") for name in names})
            except (OSError, ValueError) as error:
                raise TrainingError(
                    f"The shard {path} is damaged ({error}): remove it, and run prepare again."
                ) from None
        if not self.parts:
            raise TrainingError(f"{folder} holds no views: run prepare first.")
        self.names = names
        self.ends = np.cumsum([len(part[names[0]]) for part in self.parts])

    def __len__(self) -> int:
        return int(self.ends[-1])

    def rows(self, indices: np.ndarray, names: list[str] | None = None) -> dict[str, np.ndarray]:
        """The rows of the indices, in ascending order of index."""
        indices = np.sort(indices)
        which = np.searchsorted(self.ends, indices, side="right")
        found = {name: [] for name in names or self.names}
        for part in np.unique(which):
            start = self.ends[part - 1] if part else 0
            inside = indices[which == part] - start
            for name in found:
                found[name].append(self.parts[part][name][inside])
        return {name: np.concatenate(parts) for name, parts in found.items()}
