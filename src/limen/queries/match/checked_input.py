"""Refuse arrays that an index for matching cannot take."""

import numpy as np

from limen.arrays import Floats, Mask, Slots
from limen.errors import InvalidInput


def checked_boxes(boxes: Floats, dimensions: int) -> Floats:
    """Return boxes; refuse the wrong shape."""
    if boxes.ndim != 3 or boxes.shape[1:] != (dimensions, 2):
        raise InvalidInput(where="boxes", expected=f"shape (n, {dimensions}, 2)", got=boxes.shape)
    return boxes


def checked_slots(slots: Slots, alive: Mask) -> Slots:
    """Return slots to be given back; refuse those that are not in use, and any that come twice."""
    inside = (slots >= 0) & (slots < len(alive))
    if not inside.all() or not alive[slots].all() or (len(slots) > 1 and len(np.unique(slots)) < len(slots)):
        raise InvalidInput(where="slots to remove", expected="slots in use, each once", got=slots.tolist())
    return slots


def checked_points(points: Floats, dimensions: int) -> Floats:
    """Return points as a kernel takes them, each column in one piece; refuse the wrong number of columns."""
    if points.ndim != 2 or points.shape[0] != dimensions:
        raise InvalidInput(where="points", expected=f"shape ({dimensions}, n)", got=points.shape)
    return np.ascontiguousarray(points, np.float64)
