"""What the backbone learns of each picture, and how far its answers are from that."""

import numpy as np
import torch
from torch.nn import functional

from . import checkpoint, coco, data, pictures
from .learned import Known
from .opinion import EMBEDDED

# How much the errors count: of our six classes, of COCO's classes of objects, of the teacher labeler's 631 scores, of
# the teachers' features, of the labels of whole photos, and of the teacher's maps.
WEIGHTS = {"classes": 1.0, "kinds": 0.5, "scores": 0.4, "features": 16.0, "labels": 0.5, "maps": 8.0}

# Of a named object's target this share is its class; the rest, and all of an unnamed object's, is the teacher's.
NAMED_SHARE = 0.7

SMOOTHING = 0.02

# The outputs of the backbone are the labels, then these: the teachers' scores and features by their numbers, COCO's
# classes, and ours.
TAUGHT, FEATURE, KIND, CLASS = "teacher/", "feature/", "kind/", "class/"

# So many pictures tell the range of each feature.
MEASURED = 4000


def class_targets(known: Known) -> tuple[np.ndarray, np.ndarray]:
    """The wanted probabilities of our classes [n, 6], and how much each row counts: whole photos of no class do not."""
    hard = np.eye(len(data.CLASSES), dtype=np.float32)[np.maximum(known.classes, 0)]
    mixed = NAMED_SHARE * hard + (1 - NAMED_SHARE) * known.posteriors
    named = known.classes >= 0
    weight = np.where((known.kinds == pictures.WHOLE) & ~named, 0.0, 1.0).astype(np.float32)
    frequency = np.bincount(known.classes[named], minlength=len(data.CLASSES)) / max(1, named.sum())
    weight[named] *= np.clip((1 / len(data.CLASSES) / np.maximum(frequency, 1e-6)) ** 0.5, 0.5, 3)[known.classes[named]]
    return np.where(named[:, None], mixed, known.posteriors), weight


def evened(features: np.ndarray) -> np.ndarray:
    """The teachers' features, the rare high ones less high."""
    return np.sqrt(features.astype(np.float32))


def ranges(known: Known, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean and the deviation of each of the teachers' features on whole photos."""
    rows = rows[known.kinds[rows] == pictures.WHOLE]
    chosen = rows[:: max(1, len(rows) // MEASURED)]
    values = evened(known.pictures.rows(chosen, ["features"])["features"])
    return values.mean(0), values.std(0) + 0.1


class Lessons:
    """The outputs that a backbone has, and what each row of the known pictures asks of them."""

    def __init__(self, known: Known, rows: np.ndarray) -> None:
        self.known = known
        taught, seen = (known.pictures.parts[0][name].shape[1] for name in ("scores", "features"))
        parts = {
            "labels": known.labels,
            "scores": [f"{TAUGHT}{number}" for number in range(taught)],
            "features": [f"{FEATURE}{number}" for number in range(seen)],
            "kinds": [f"{KIND}{name}" for name in coco.NAMES],
            "classes": [f"{CLASS}{name}" for name in data.CLASSES],
        }
        self.sizes = {name: len(outputs) for name, outputs in parts.items()}
        self.outputs = [output for outputs in parts.values() for output in outputs]
        self.wanted, self.weights = class_targets(known)
        self.kinds = np.where(known.kinds < len(coco.NAMES), known.kinds, pictures.UNNAMED).astype(np.int64)
        self.mean, self.deviation = ranges(known, rows)

    def parts(self, answers: torch.Tensor) -> dict[str, torch.Tensor]:
        """The answers [n, outputs] by what they are about."""
        return dict(zip(self.sizes, answers.split(list(self.sizes.values()), 1)))

    def errors(self, answers: torch.Tensor, rows: np.ndarray, part: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
        """The mean errors of answers about rows, whose teachers' scores and features are in `part`."""

        def tensor(array: np.ndarray) -> torch.Tensor:
            return torch.from_numpy(array).to(checkpoint.DEVICE)

        answer, size = self.parts(answers), len(rows)
        classes = -(tensor(self.wanted[rows]) * functional.log_softmax(answer["classes"], 1)).sum(1)
        kinds = tensor(self.kinds[rows])
        named = functional.cross_entropy(answer["kinds"], kinds.clamp(min=0), reduction="none") * (kinds >= 0)
        scores = functional.binary_cross_entropy_with_logits(
            answer["scores"], tensor(part["scores"].astype(np.float32) / 256), reduction="none"
        )
        off = answer["features"] - tensor((evened(part["features"]) - self.mean) / self.deviation)
        asked = torch.ones_like(off)
        asked[tensor(self.known.kinds[rows] != pictures.WHOLE), :EMBEDDED] = 0
        truth = tensor(self.known.truth[rows].astype(np.float32))
        soft = truth.clamp(0, 1) * (1 - 2 * SMOOTHING) + SMOOTHING / 4
        labels = functional.binary_cross_entropy_with_logits(answer["labels"], soft, reduction="none") * (truth >= 0)
        return {
            "classes": (classes * tensor(self.weights[rows])).sum() / size,
            "kinds": named.sum() / size,
            "scores": scores.sum(1).mean(),
            "features": (off.square() * asked).sum() / asked.sum().clamp(min=1),
            "labels": labels.sum() / max(1.0, float((truth >= 0).any(1).sum())),
        }
