import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.errors import InvalidInput
from limen.queries.match.constructs import Constructs, logarithmic, simple
from limen_lab.rivals.vci import VCI
from tests.queries.match import model as match_model
from tests.queries.match.model import Model, drawn_boxes, drawn_points, found, scanned


class Eager(VCI):
    """An index that merges its levels all the time."""

    SMALL = 3
    RATIO = 2


SETTINGS = (
    {},
    {"lists": "by id"},
    {"constructs": "simple"},
    {"constructs": "simple", "lists": "by id", "longest": 3},
    {"longest": 4, "cells": 8, "domain": (0.0, 8.0)},
    {"longest": 1, "cells": 1, "domain": (2.0, 3.0)},
    {"longest": 8, "cells": 11, "domain": (-0.1, 7.3), "lists": "by id"},
    {"cells": 5},
    {"longest": 16},
)


@given(setting=st.sampled_from(SETTINGS), data=st.data())
def test_an_index_finds_what_a_scan_finds_whatever_its_changes(setting, data):
    Model(Eager(**setting)).change(data)


@given(boxes=drawn_boxes(1, max_size=30), points=drawn_points(1, max_size=30), setting=st.sampled_from(SETTINGS))
def test_a_bulk_build_finds_what_a_scan_finds(boxes, points, setting):
    model = Model(VCI(**setting))
    model.insert(boxes)
    model.check(points)


@pytest.mark.parametrize("setting", SETTINGS)
def test_many_intervals_of_mixed_widths(setting):
    rng = np.random.default_rng(7)
    lo = rng.uniform(0, 8, 300)
    boxes = np.stack([lo, lo + rng.exponential(rng.choice([0.01, 0.5, 4.0], 300))], axis=1)[:, None]
    points = rng.uniform(-1, 10, (1, 60))
    index = VCI(**setting)
    index.insert(boxes)
    assert found(index.match(points)) == scanned(boxes, points)


def test_identical_intervals_by_the_thousand():
    boxes = np.tile([[[1.25, 2.5]]], (3000, 1, 1))
    points = np.array([[1.0, 1.25, 2.0, 2.5]])
    index = VCI()
    index.insert(boxes)
    assert found(index.match(points)) == scanned(boxes, points)


def test_a_domain_grows_with_the_intervals():
    index = VCI()
    for power in range(0, 300, 20):
        lo = np.arange(20) * 10.0**power
        index.insert(np.stack([lo, lo + 10.0**power], axis=1)[:, None])
        row, slot = index.match(np.array([[3.5 * 10.0**power]])).arrays()
        assert power // 20 * 20 + 3 in slot.tolist()
        assert len(set(slot.tolist())) == len(row)


def test_few_far_intervals_do_not_spoil_the_cells_of_the_others():
    lo = np.arange(400.0)
    boxes = np.stack([lo, lo + 1], axis=1)[:, None]
    index = VCI()
    index.insert(np.concatenate([boxes, [[[-1e300, -1e299]], [[1e299, 1e300]]]]))
    index.match(np.array([[1.0]]))
    ((_, level),) = index.levels
    assert 0.2 < 1 / level.axis.cells_a_unit < 2


def test_an_empty_index_and_one_that_has_become_empty():
    index = VCI()
    assert found(index.match(np.array([[1.0]]))) == {}
    slots = index.insert(np.array([[[0.0, 2.0]]]))
    assert found(index.match(np.empty((1, 0)))) == {}
    assert found(index.match(np.array([[1.0]]))) == {(0, 0): 1}
    index.remove(slots)
    assert found(index.match(np.array([[1.0]]))) == {}
    assert len(index) == 0


def test_slots_are_used_again_once_a_quarter_is_dead():
    index = Eager()
    first = index.insert(np.tile([[[0.0, 2.0]]], (20, 1, 1)))
    index.match(np.array([[1.0]]))
    index.remove(first[:10])
    index.match(np.array([[1.0]]))
    again = index.insert(np.tile([[[5.0, 6.0]]], (10, 1, 1)))
    assert set(again.tolist()) == set(first[:10].tolist())
    assert found(index.match(np.array([[1.0, 5.0]]))) == {
        **{(0, slot): 1 for slot in first[10:].tolist()},
        **{(1, slot): 1 for slot in again.tolist()},
    }


def test_pairs_by_the_million_come_in_pieces():
    index = VCI()
    index.insert(np.tile([[[0.0, 1.0]]], (700, 1, 1)))
    row, slot = index.match(np.full((1, 100), 0.5)).arrays()
    assert len(row) == 70_000
    assert np.array_equal(np.bincount(row), np.full(100, 700))
    assert np.array_equal(np.bincount(slot), np.full(700, 100))


def test_bytes_are_counted_and_stay_within_what_intervals_are_worth():
    lo = np.random.default_rng(0).uniform(0, 1, 4000)
    index = VCI()
    index.insert(np.stack([lo, lo + 0.01], axis=1)[:, None])
    index.match(np.array([[0.5]]))
    assert 17 * 4000 < index.nbytes < 150 * 4000


# ---- the paper's examples --------------------------------------------------------------------------------------------


def cut_into(constructs, longest, lo, hi, domain=64):
    """Return the (begin, length) of the constructs that an interval is a piece of, and its entries on the rim."""
    index = VCI(constructs=constructs, longest=longest, cells=domain, domain=(0.0, float(domain)))
    index.insert(np.array([[[lo, hi]]], np.float64))
    index.match(np.zeros((1, 0)))
    ((_, level),) = index.levels
    line = level.constructs
    pieces = []
    for begin in range(line.cells[0]):
        for length in line.lengths:
            number = line.id_of((begin,), (length,))
            if level._start[number] < level._start[number + line.shapes]:
                pieces.append((begin - 1, length))  # cell 0 is what is below the domain
    return pieces, len(level._rim_entry)


def test_2_2_ids_of_simple_construct_intervals():
    line = Constructs((20,), simple(4))
    a0 = -3
    for j in range(10):
        ids = [line.id_of((a0 + j,), (length,)) for length in (1, 2, 3, 4)]
        assert ids == [4 * j, 4 * j + 1, 4 * j + 2, 4 * j + 3]
        assert ids == [(a0 + j - a0) * 4 + (b - j) - 1 for b in range(j + 1, j + 5)]


def test_2_2_ids_of_logarithmic_construct_intervals():
    line, a0, k = Constructs((20,), logarithmic(4)), -3, 2
    for j in range(10):
        assert [line.id_of((a0 + j,), (2**m,)) for m in range(k + 1)] == [j * (k + 1) + m for m in range(k + 1)]


@pytest.mark.parametrize("constructs", ["simple", "logarithmic"])
def test_2_3_an_interval_as_long_as_a_construct_is_one(constructs):
    assert cut_into(constructs, 4, 5, 9) == ([(5, 4)], 0)
    assert cut_into(constructs, 4, 5, 7) == ([(5, 2)], 0)


def test_2_3_a_remnant_is_one_simple_construct():
    assert cut_into("simple", 16, 3, 3 + 39) == ([(3, 16), (19, 16), (35, 7)], 0)


def test_2_3_a_remnant_of_7_is_4_2_1():
    # the paper prints lengths of 1, 2 and 3, and 3 is none that LCI has
    assert cut_into("logarithmic", 16, 3, 3 + 39) == ([(3, 16), (19, 16), (35, 4), (39, 2), (41, 1)], 0)


def test_2_1_bounds_between_integers_are_rounded_outwards_and_compared():
    pieces, rim = cut_into("logarithmic", 16, 2.5, 11.25)
    assert (pieces, rim) == ([(3, 8)], 2)  # and [2, 3) and [11, 12), which need comparing


def test_2_4_covering_simple_constructs():
    line = Constructs((20,), simple(4))
    for j in range(20):
        least = (j + 3 - 4 + 1) * 4 + 4 - 1  # positions are numbered from 3 before the first cell
        assert match_model.covering(line, (j,))[0] == least
        assert (match_model.covering(line, (j,)) - least).tolist() == [0, 3, 4, 6, 7, 8, 9, 10, 11, 12]


def test_2_4_covering_logarithmic_constructs():
    line = Constructs((20,), logarithmic(4))
    for j in range(20):
        least = (j + 3 - 4 + 1) * 3 + 2
        assert match_model.covering(line, (j,))[0] == least
        assert (match_model.covering(line, (j,)) - least).tolist() == [0, 3, 5, 6, 7, 8, 9]


@pytest.mark.parametrize("longest", [1, 2, 4, 8, 16])
def test_2_4_the_difference_table_lists_what_covers_a_cell(longest):
    for lengths, count in ((simple(longest), longest * (longest + 1) // 2), (logarithmic(longest), 2 * longest - 1)):
        line = Constructs((longest + 3,), lengths)
        for cell in range(longest + 3):  # at either end of the domain too
            covering = sorted(
                line.id_of((begin,), (length,))
                for length in lengths
                for begin in range(1 - longest, longest + 3)
                if begin <= cell < begin + length
            )
            assert match_model.covering(line, (cell,)).tolist() == covering
            assert len(covering) == count


def test_lists_by_shape_are_read_in_few_runs():
    assert len(Constructs((99,), logarithmic(16), by_shape=True).runs) == 5
    assert len(Constructs((99,), logarithmic(16), by_shape=False).runs) == 15
    assert len(Constructs((99,), simple(16), by_shape=False).runs) == 15


# ---- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ({"longest": 6}, "longest, the L of constructs: expected a power of two, got 6"),
        ({"longest": 0}, "longest, the L of constructs: expected one or more, got 0"),
        ({"cells": 0}, "cells: expected one or more, got 0"),
        ({"domain": (3.0, 3.0)}, "domain: expected two finite numbers lo < hi, got (3.0, 3.0)"),
        ({"domain": (0.0, math.inf)}, "domain: expected two finite numbers lo < hi, got (0.0, inf)"),
        (
            {"longest": 16, "cells": 10},
            (
                "longest, the L of constructs: expected no more than the 10 cells of the domain, got 16. Hint: give"
                " more cells or a smaller L, or leave either to be chosen by the index"
            ),
        ),
    ],
)
def test_settings_that_cannot_be(setting, text):
    with pytest.raises(InvalidInput) as error:
        VCI(**setting)
    assert str(error.value) == text


def test_simple_constructs_may_have_any_longest():
    VCI(constructs="simple", longest=6)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda index: index.insert(np.zeros((2, 2, 2))), "boxes: expected shape (n, 1, 2), got (2, 2, 2)"),
        (lambda index: index.match(np.zeros(3)), "points: expected shape (1, n), got (3,)"),
        (
            lambda index: index.remove(np.array([7], np.int32)),
            "slots to remove: expected slots in use, each once, got [7]",
        ),
    ],
)
def test_input_that_does_not_fit(call, text):
    with pytest.raises(InvalidInput) as error:
        call(VCI())
    assert str(error.value) == text


def test_a_slot_is_not_removed_twice():
    index = VCI()
    slots = index.insert(np.array([[[0.0, 1.0]]]))
    with pytest.raises(InvalidInput, match="each once"):
        index.remove(np.array([0, 0], np.int32))
    index.remove(slots)
    with pytest.raises(InvalidInput, match="in use"):
        index.remove(slots)
