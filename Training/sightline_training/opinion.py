"""What teachers say of a picture."""

from typing import NamedTuple

import numpy as np

EMBEDDED = 1280
"""How many features the embedder has."""

MAPS = {"map14": (14, 14, 48), "map7": (7, 7, 160)}
"""The shapes of the labeler's maps: what its blocks of strides 16 and 32 see in each part of a picture."""


class Opinion(NamedTuple):
    """What the labeler answers about a picture, in its own steps, 0…255."""

    scores: np.ndarray
    """The scores of its 631 labels."""
    features: np.ndarray
    """The 1,024 features that its last layer is given."""
    maps: dict[str, np.ndarray]
    """The arrays of MAPS."""
