import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.errors import InvalidInput
from limen.queries.match.axis import CellAxis
from limen.queries.match.box_level import BoxLevel
from limen.queries.match.constructs import Constructs, logarithmic
from limen.queries.match.cutting import CuttingPlan, make_plan
from limen_lab.rivals.vcr import VCR
from tests.queries.match import model as match_model
from tests.queries.match.model import Model, drawn_boxes, drawn_points, found, scanned


class Eager(VCR):
    """An index that merges its levels all the time."""

    SMALL = 3
    RATIO = 2


SETTINGS = (
    {},
    {"lists": "by id"},
    {"decomposition": "overlapped"},
    {"longest": 4, "cells": (8, 8), "domain": ((0.0, 8.0), (0.0, 8.0))},
    {"longest": 4, "cells": (8, 5), "domain": ((0.0, 8.0), (0.3, 7.1)), "decomposition": "overlapped"},
    {"longest": 2, "cells": (6, 9), "lists": "by id", "decomposition": "overlapped"},
    {"longest": 1, "cells": (1, 1)},
    {"longest": 8},
    {"cells": (7, 3)},
)


@given(setting=st.sampled_from(SETTINGS), data=st.data())
def test_an_index_finds_what_a_scan_finds_whatever_its_changes(setting, data):
    Model(Eager(**setting)).change(data, max_changes=6)


@given(boxes=drawn_boxes(2, max_size=20), points=drawn_points(2, max_size=20), setting=st.sampled_from(SETTINGS))
def test_a_bulk_build_finds_what_a_scan_finds(boxes, points, setting):
    model = Model(VCR(**setting))
    model.insert(boxes)
    model.check(points)


@pytest.mark.parametrize("setting", SETTINGS)
def test_many_rectangles_of_mixed_widths(setting):
    rng = np.random.default_rng(7)
    lo = rng.uniform(0, 8, (300, 2))
    boxes = np.stack([lo, lo + rng.exponential(rng.choice([0.01, 0.5, 4.0], (300, 2)))], axis=2)
    points = rng.uniform(-1, 10, (2, 60))
    index = VCR(**setting)
    index.insert(boxes)
    assert found(index.match(points)) == scanned(boxes, points)


def test_identical_rectangles_by_the_thousand():
    boxes = np.tile([[[1.25, 2.5], [0.0, np.inf]]], (2000, 1, 1))
    points = np.array([[1.0, 1.25, 2.0, 2.5], [1.0, 0.0, 1e300, 5.0]])
    index = VCR()
    index.insert(boxes)
    assert found(index.match(points)) == scanned(boxes, points)


def test_rectangles_far_larger_than_most_get_cells_of_their_own():
    rng = np.random.default_rng(3)
    lo = rng.uniform(0, 1, (600, 2))
    boxes = np.stack([lo, lo + 0.01], axis=2)
    boxes[::6] = [[-np.inf, np.inf], [0.2, np.inf]]
    boxes[1::6, 0] = [0.1, 0.9]
    index = VCR()
    index.insert(boxes)
    points = rng.uniform(0, 1, (2, 100))
    assert found(index.match(points)) == scanned(boxes, points)
    ((_, level),) = index.levels
    assert len(level.parts) > 1
    assert sum(part.entries for part in level.parts) < 20 * 600


def test_a_sample_that_misleads_does_not_cost_all_memory():
    lo = np.random.default_rng(3).uniform(0, 1, (1500, 2))
    boxes = np.stack([lo, lo + 0.3], axis=2)
    boxes[:: len(boxes) // 256 + 1, :, 1] = lo[:: len(boxes) // 256 + 1] + 1e-3
    index = VCR()
    index.insert(boxes)
    points = np.random.default_rng(4).uniform(0, 1, (2, 50))
    assert found(index.match(points)) == scanned(boxes, points)
    ((_, level),) = index.levels
    assert sum(part.entries for part in level.parts) < 60 * len(boxes)


def test_bytes_are_counted_and_stay_within_what_rectangles_are_worth():
    lo = np.random.default_rng(0).uniform(0, 1, (1500, 2))
    index = VCR()
    index.insert(np.stack([lo, lo + 0.02], axis=2))
    index.match(np.array([[0.5], [0.5]]))
    assert 33 * 1500 < index.nbytes < 250 * 1500


# ---- the paper's examples --------------------------------------------------------------------------------------------


def pieces_of(x, y, width, height, *, longest, overlapped):
    """Return the (x, y, width, height) of the rectangles that a rectangle is cut into, on a grid of 20 x 20."""
    box = np.array([[[x, x + width], [y, y + height]]], np.float64)
    plan = CuttingPlan((0, 1), (CellAxis.over((0.0, 20.0), 20),) * 2, longest)
    level = BoxLevel(box, np.zeros(1, np.int32), plan, overlapped=overlapped, by_shape=False)
    plane, start = level.constructs, level.lists.start
    return [
        (i - 1, j - 1, w, h)  # cell 0 is what is below the domain
        for j in range(22)
        for i in range(22)
        for h in plane.lengths
        for w in plane.lengths
        for number in [plane.id_of((i, j), (w, h))]
        if start[number] < start[number + 1]
    ]


def test_3_1_queries_and_points_of_figure_8():
    index = VCR()
    index.insert(np.array([[[3.0, 8.0], [3.0, 9.0]], [[6.0, 11.0], [7.0, 12.0]]]))
    points = np.array([[9.3, 3.6, 7.5], [4.15, 5.2, 9.5]])
    assert found(index.match(points)) == {(1, 0): 1, (2, 1): 1}


def test_3_2_ids_of_figure_9_and_equation_1():
    plane = Constructs((10, 7), logarithmic(4))
    r_x, k, first = 10 + 4, 2, -3  # positions along x, from three before the first cell
    nine = [plane.id_of((first, first), (w, h)) for h in (1, 2, 4) for w in (1, 2, 4)]
    assert nine == list(range(9))
    for a, b, i, j in [(0, 0, 0, 0), (5, 0, 1, 2), (0, 4, 2, 0), (9, 6, 2, 2)]:
        expected = 9 * (a + b * r_x) + j * (k + 1) + i
        assert plane.id_of((first + a, first + b), (2**i, 2**j)) == expected


def test_3_3_simple_decomposition_of_figure_10a():
    pieces = pieces_of(3, 3, 11, 6, longest=4, overlapped=False)
    assert len(pieces) == 8
    assert pieces == [
        (3, 3, 4, 4), (7, 3, 4, 4), (11, 3, 2, 4), (13, 3, 1, 4),
        (3, 7, 4, 2), (7, 7, 4, 2), (11, 7, 2, 2), (13, 7, 1, 2),
    ]  # fmt: skip


def test_3_3_overlapped_decomposition_of_figure_10b():
    pieces = pieces_of(3, 3, 11, 6, longest=4, overlapped=True)
    assert len(pieces) == 6
    assert pieces == [(x, y, 4, 4) for y in (3, 5) for x in (3, 7, 10)]


def test_3_3_overlapping_pieces_answer_once():
    index = VCR(decomposition="overlapped", longest=4, cells=(20, 20), domain=((0.0, 20.0), (0.0, 20.0)))
    index.insert(np.array([[[3.0, 14.0], [3.0, 9.0]]]))
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(2.5, 15), np.arange(2.5, 10)))
    expected = {(row, 0): 1 for row in np.flatnonzero((x > 3) & (x < 14) & (y > 3) & (y < 9)).tolist()}
    assert found(index.match(np.array([x, y]))) == expected


@pytest.mark.parametrize("longest", [1, 2, 4])
def test_3_4_covering_rectangles_keep_their_number_and_gaps(longest):
    plane = Constructs((9, 6), logarithmic(longest))
    for x, y in [(0, 0), (3, 3), (8, 5), (0, 5)]:  # in the boundary regions too
        covering = sorted(
            plane.id_of((a, b), (w, h))
            for h in plane.lengths
            for w in plane.lengths
            for b in range(y - h + 1, y + 1)
            for a in range(x - w + 1, x + 1)
        )
        assert match_model.covering(plane, (x, y)).tolist() == covering
        assert len(covering) == (2 * longest - 1) ** 2
        pivot = plane.id_of((x + 1 - longest, y + 1 - longest), (1, 1))
        assert pivot == match_model.pivot(plane, (x, y))
        assert (covering - np.array(pivot)).tolist() == plane.differences.tolist()


def test_3_5_longer_constructs_are_chosen_for_larger_rectangles():
    rng = np.random.default_rng(5)
    chosen = []
    for widest in (2, 20, 80):  # on 245 x 245 cells, about the paper's 60,000
        lo = rng.integers(0, 165, (4000, 2)).astype(np.float64)
        boxes = np.stack([lo, lo + rng.integers(1, widest + 1, (4000, 2))], axis=2)
        chosen.append(make_plan(boxes, [(0.0, 245.0)] * 2, range(2, 3), cells=(245, 245), most_pieces=math.inf).longest)
    assert chosen == sorted(chosen)
    assert chosen[0] < chosen[-1]


# ---- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ({"longest": 3}, "longest, the L of constructs: expected a power of two, got 3"),
        ({"cells": (4, 0)}, "cells: expected one or more, got 0"),
        ({"cells": (4,)}, "cells: expected two numbers, got (4,)"),
        ({"domain": ((0.0, 1.0),)}, "domain: expected two pairs of numbers, got ((0.0, 1.0),)"),
        ({"domain": ((0.0, 1.0), (2.0, 1.0))}, "domain: expected two finite numbers lo < hi, got (2.0, 1.0)"),
        (
            {"longest": 8, "cells": (10, 7)},
            (
                "longest, the L of constructs: expected no more than the 7 cells of the domain, got 8. Hint: give more"
                " cells or a smaller L, or leave either to be chosen by the index"
            ),
        ),
    ],
)
def test_settings_that_cannot_be(setting, text):
    with pytest.raises(InvalidInput) as error:
        VCR(**setting)
    assert str(error.value) == text
