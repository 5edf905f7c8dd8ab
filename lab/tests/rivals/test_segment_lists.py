"""The paper's processor, rebuilt, finds what it should; or measuring beside it would mean nothing."""

import numpy as np
import pytest

from limen_lab.rivals.segment_lists import SegmentLists
from tests.regions.kernels import naive


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_it_finds_as_many_crossings_as_a_scan_and_walks_every_bound_between(dimensions):
    rng = np.random.default_rng(dimensions)
    lower = rng.integers(0, 20, (30, dimensions)).astype(float)
    boxes = np.stack([lower, lower + rng.integers(3, 12, lower.shape)], axis=2)
    lists, columns = SegmentLists(boxes, streams=25), np.arange(dimensions)
    last = np.full((dimensions, 25), np.nan)
    events = walked = 0
    for _ in range(12):
        slot = rng.permutation(25)[:15].astype(np.int32)  # so that streams come later than others
        points = rng.integers(-2, 32, (dimensions, 15)).astype(float)
        before = last[:, slot]
        found = naive.crossings(dict(enumerate(boxes)), None, slot, before, points, columns).total()
        assert lists.move(slot, points) == found
        events += found
        for k in range(dimensions):
            bounds = boxes[:, k].ravel()
            low, high = np.fmin(before[k], points[k]), np.fmax(before[k], points[k])
            passed = (low[:, None] < bounds) & (bounds <= high[:, None])
            walked += int(passed[~np.isnan(before[k])].sum())
        last[:, slot] = points
    assert events
    assert lists.looked == walked


def test_what_it_holds_is_two_entries_a_query_and_dimension_and_a_pointer_and_a_value_a_stream():
    boxes = np.array([[[0.0, 1.0], [0.0, 1.0]], [[2.0, 3.0], [2.0, 3.0]], [[4.0, 5.0], [4.0, 5.0]]])
    entry, stream, table = 8 + 8 + 4 + 1, 4 + 8, 16
    assert SegmentLists(boxes, streams=10).nbytes == 2 * (2 * 3 * entry + 10 * stream + 3 * table)
    assert SegmentLists(boxes[:, :1], streams=10).nbytes == 2 * 3 * entry + 10 * stream
