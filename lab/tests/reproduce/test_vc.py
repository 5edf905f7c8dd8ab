import numpy as np
import pytest

from limen.queries.match.constructs import Constructs, logarithmic
from limen.queries.match.cutting import pieces_of
from limen_lab.reproduce.figure import Points
from limen_lab.reproduce.vc import vc_06, vc_07, vc_12, vc_13
from limen_lab.reproduce.vc.interval_indexes import (
    DIRECT,
    EDGES,
    LCI,
    SKIP_LIST,
    VCI_OURS,
    WIDEST,
    R,
    indexes,
    intervals,
)
from limen_lab.reproduce.vc.look_ups import filled, microseconds
from limen_lab.reproduce.vc.rectangle_indexes import SIDES, PaperVCR, lists_read, positions, rectangles
from limen_lab.rivals.scan import Scan
from tests.queries.match import model as match_model

FIGURES = {module.FIGURE.name: module.FIGURE for module in (vc_06, vc_07, vc_12, vc_13)}


@pytest.fixture(scope="module")
def measured():
    return {name: Points(figure.measure("tiny")) for name, figure in FIGURES.items()}


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_every_curve_of_a_panel_has_all_its_points(measured, name):
    figure, points = FIGURES[name], measured[name]
    assert {point.panel for point in points} == {panel.letter for panel in figure.panels}
    assert {point.curve for point in points} <= {curve.name for curve in figure.curves}
    for panel in figure.panels:
        lengths = {len(points.curve(panel.letter, curve.name)) for curve in figure.curves} - {0}
        assert len(lengths) == 1, panel
    assert all(np.isfinite(point.y) and point.y > 0 for point in points)


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_nothing_is_missed_without_an_explanation(measured, name):
    found = list(FIGURES[name].judge(measured[name]))
    assert found
    assert [verdict for verdict in found if verdict.outcome_in_a_word == "missed"] == []


def test_intervals_are_as_the_paper_has_them():
    bounds = intervals(5_000)[:, 0]
    assert bounds.min() >= 0
    assert bounds.max() <= R
    assert set((bounds[:, 1] - bounds[:, 0]).tolist()) == set(range(1, WIDEST + 1))
    np.testing.assert_array_equal(intervals(100), intervals(100))


def test_the_direct_list_has_a_cell_for_every_integer():
    bounds = intervals(2_000)
    listed = indexes(bounds)[DIRECT]
    entries = sum(len(listed._pieces(np.array([slot], np.int32))[0]) for slot in range(50))
    assert entries == (bounds[:50, 0, 1] - bounds[:50, 0, 0]).sum()


def test_storage_of_intervals(measured):
    held = {curve: measured["vc-07"].curve("", curve) for curve in (SKIP_LIST, DIRECT, LCI, VCI_OURS, EDGES)}
    for curve in held.values():
        assert list(curve.values()) == sorted(curve.values())
    assert all(held[LCI][n] < held[DIRECT][n] for n in held[LCI])
    most = max(held[LCI])
    assert held[LCI][most] < held[SKIP_LIST][most]
    # without the table of lists, a few entries a query: the direct list's grow with the width, LCI's do not
    extra = {name: held[name][most] - held[name][min(held[name])] for name in (LCI, DIRECT)}
    assert extra[DIRECT] > 2 * extra[LCI]


def test_rectangles_are_as_the_paper_has_them():
    bounds = rectangles(5_000, 20)
    assert SIDES[0] * SIDES[1] == 60_000
    assert bounds.min() >= 0
    assert (bounds[:, :, 1] <= SIDES).all()
    assert (bounds[:, :, 0] < bounds[:, :, 1]).all()
    assert (bounds[:, :, 1] - bounds[:, :, 0]).max() == 20
    assert (bounds == np.round(bounds)).all()


def test_nine_tenths_lie_in_a_tenth():
    for x, y in (rectangles(20_000, 20, "90–10")[:, :, 0].T, positions(20_000, "90–10")):
        side = 0.1**0.5 / 2
        inside = (abs(x / SIDES[0] - 0.5) <= side + 1 / SIDES[0]) & (abs(y / SIDES[1] - 0.5) <= side + 1 / SIDES[1])
        assert 0.9 <= inside.mean() < 0.93


@pytest.mark.parametrize("longest", [1, 4, 32])
def test_vcr_as_the_paper_has_it_finds_what_a_scan_finds(longest):
    boxes, points = rectangles(500, 40), positions(200)
    found = filled({"vcr": lambda: PaperVCR(longest), "scan": lambda: Scan(2)}, boxes)
    pairs = [
        sorted(zip(*(each.tolist() for each in index.match(points).arrays()), strict=True)) for index in found.values()
    ]
    assert pairs[0] == pairs[1]
    assert len(pairs[0]) > 200


def test_vcr_without_long_constructs_is_a_grid():
    boxes = rectangles(300, 20)
    cells = (boxes[:, :, 1] - boxes[:, :, 0]).prod(axis=1)
    index = filled({"vcr": lambda: PaperVCR(1)}, boxes)["vcr"]
    assert index.entries == cells.sum()
    assert len(match_model.covering(index.levels[0][1].constructs, (5, 5))) == 1


def test_lists_read_are_those_that_cover_a_point():
    index = filled({"vcr": lambda: PaperVCR(8)}, rectangles(10, 20))["vcr"]
    assert len(match_model.covering(index.levels[0][1].constructs, (50, 50))) == lists_read(8)


def test_pieces_fall_and_lists_grow_with_the_length(measured):
    points = measured["vc-12"]
    lists = list(points.curve("c", "lists read").values())
    assert lists == sorted(lists)
    for widest in (20, 40):
        pieces = list(points.curve("d", f"pieces, W = {widest}").values())
        assert pieces == sorted(pieces, reverse=True)


def test_the_best_length_by_storage_grows_with_widths_and_queries(measured):
    points = measured["vc-12"]
    few, many = vc_12.sizes("tiny")

    def best(panel, n):
        curve = points.curve(f"{panel}-storage", vc_12.papers(n))
        return min(curve, key=curve.get)

    assert best("a", few) < best("a", many) < best("b", many)
    assert best("a", few) <= best("b", few)


def storage(boxes, longest):
    """Return what lists take: places of four bytes in the table of lists, and for each piece."""
    widths = (boxes[:, :, 1] - boxes[:, :, 0]).astype(np.int64)
    pieces = pieces_of(widths, longest).prod(axis=1).sum()
    return 4 * (Constructs(tuple(side + 2 for side in SIDES), logarithmic(longest)).ids + pieces)


def test_the_papers_best_lengths_by_storage_come_with_enough_queries():
    few = rectangles(500, 40)
    held = [filled({"vcr": lambda longest=longest: PaperVCR(longest)}, few)["vcr"].nbytes for longest in (2, 8)]
    assert held[1] - held[0] == storage(few, 8) - storage(few, 2)
    for panel, widest in vc_12.WIDEST.items():
        boxes = rectangles(192_000, widest)
        assert min(vc_12.LENGTHS, key=lambda longest: storage(boxes, longest)) == vc_12.BEST_BY_STORAGE[panel]


def test_storage_beside_trees(measured):
    points = measured["vc-13"]
    papers, ours, tree = (points.curve("b", curve) for curve in (vc_13.PAPERS, vc_13.OURS, vc_13.TREE))
    assert papers[4_000] / papers[1_000] < 1.2  # the table of lists is most of it
    assert ours[4_000] < papers[4_000]
    assert tree[4_000] == pytest.approx(4 * tree[1_000], rel=0.05)


def test_indexes_that_differ_are_not_compared():
    boxes = rectangles(200, 20)
    found = filled({"all": lambda: Scan(2), "most": lambda: Scan(2)}, boxes)
    found["most"].remove(np.arange(100, dtype=np.int32))
    with pytest.raises(AssertionError):
        microseconds(found, positions(300), 1)
