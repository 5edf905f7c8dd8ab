"""An index for matching and, beside it, what it should hold; and numbers that are nasty for cells."""

import math
from collections import Counter

import numpy as np
from hypothesis import strategies as st

from tests.regions.kernels import naive

# On grid lines of small domains, between them, one step off, far outside, and of every size.
GRID = tuple(float(number) for number in range(9))
BETWEEN = (0.5, 2.3, 6.999, 7.1, -3.0, 20.0, math.nextafter(2, 3), math.nextafter(2, 0))
FAR = (-1e300, 1e300, 5e-324, -5e-324, 1.7976931348623157e308, -1.7976931348623157e308, 1e-310, 123456.789)
NUMBERS = st.sampled_from(GRID * 3 + BETWEEN * 2 + FAR)
ENDS = st.one_of(*[NUMBERS] * 6, st.sampled_from((-math.inf, math.inf)))
VALUES = st.one_of(*[NUMBERS] * 8, st.sampled_from((math.nan, math.inf, -math.inf)))


def drawn_boxes(dimensions, max_size=12):
    """Draw boxes; a few contain nothing."""
    interval = st.one_of(*[st.tuples(ENDS, ENDS).map(sorted)] * 9, st.tuples(ENDS, ENDS))
    several = st.lists(st.lists(interval, min_size=dimensions, max_size=dimensions), max_size=max_size)
    return several.map(lambda boxes: np.array(boxes, np.float64).reshape(-1, dimensions, 2))


def drawn_points(dimensions, max_size=12):
    several = st.lists(st.lists(VALUES, min_size=dimensions, max_size=dimensions), max_size=max_size)
    return several.map(lambda points: np.array(points, np.float64).reshape(-1, dimensions).T)


def found(pairs):
    return Counter(zip(*(array.tolist() for array in pairs.arrays()), strict=True))


class Model:
    """An index and, beside it, what it should hold, in a dictionary."""

    def __init__(self, index):
        self.index = index
        self.boxes = {}

    def insert(self, boxes):
        slots = self.index.insert(boxes)
        assert slots.dtype == np.int32
        assert not self.boxes.keys() & set(slots.tolist()), "a slot that is in use was given away"
        self.boxes.update(zip(slots.tolist(), boxes, strict=True))
        return slots

    def remove(self, slots):
        self.index.remove(np.array(slots, np.int32))
        for slot in slots:
            del self.boxes[slot]

    def check(self, points):
        rows = [0] * points.shape[1]
        expected = naive.containing(self.boxes, None, rows, points, list(range(len(points))))
        assert found(self.index.match(points)) == expected
        assert len(self.index) == len(self.boxes)

    def change(self, data, max_changes=10):
        """Insert, remove and look in any order, and look at the end."""
        dimensions = self.index.dimensions
        for _ in range(data.draw(st.integers(1, max_changes))):
            action = data.draw(st.sampled_from(("insert", "insert", "remove", "look")))
            if action == "insert":
                self.insert(data.draw(drawn_boxes(dimensions)))
            elif action == "remove" and self.boxes:
                self.remove(data.draw(st.lists(st.sampled_from(sorted(self.boxes)), unique=True, max_size=6)))
            elif action == "look":
                self.check(data.draw(drawn_points(dimensions)))
        self.check(data.draw(drawn_points(dimensions)))


def scanned(boxes, points):
    """Find pairs of many boxes and points without NaN, by comparing all."""
    inside = ((boxes[:, :, 0, None] <= points) & (points < boxes[:, :, 1, None])).all(axis=1)
    slot, row = np.nonzero(inside)
    return Counter(zip(row.tolist(), slot.tolist(), strict=True))


def pivot(constructs, cell):
    """Return the id of the unit construct that begins L - 1 cells before a cell along every axis."""
    return int(np.array(cell) @ constructs.position_step)


def covering(constructs, cell):
    """Return the ids of the constructs that cover a cell, in their order."""
    return pivot(constructs, cell) + constructs.differences
