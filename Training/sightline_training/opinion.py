"""What the teacher labeler says of a picture."""

from typing import NamedTuple

import numpy as np


class Opinion(NamedTuple):
    """What the labeler answers about a picture, in its own steps, 0…255."""

    scores: np.ndarray
    """The scores of its 631 labels."""
    features: np.ndarray
    """The 1,024 features that its last layer is given."""
    maps: list[np.ndarray]
    """What its blocks of strides 16 and 32 hand on, as they see each part of the picture."""
