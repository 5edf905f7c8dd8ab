"""The rival finds what it should, or measuring against it would mean nothing."""

import numpy as np
import pytest

from limen_lab.rivals.kernels.segment_walk import walked
from tests.regions.kernels import naive


def walk(lower, upper, before, after, room=1000):
    """Move one stream a row, each from its own place; return pairs (row, query)."""
    n = len(lower)
    order = np.argsort(np.concatenate([lower, upper]), kind="stable")
    bounds = np.concatenate([lower, upper])[order]
    other = np.concatenate([upper, lower])[order]
    query = np.tile(np.arange(n, dtype=np.int32), 2)[order]
    starts = np.repeat([True, False], n)[order]
    pointer = np.searchsorted(bounds, before, side="right").astype(np.int32)
    slot = np.arange(len(before), dtype=np.int32)
    out_row, out_query = np.full(room + 1, -7, np.int32), np.full(room + 1, -7, np.int32)
    row, found, looked = 0, [], 0
    while row < len(slot):
        row, count, seen = walked(
            slot, before, after, bounds, other, query, starts, pointer, row, out_row[:room], out_query[:room]
        )
        assert count or row == len(slot), "not even one row fits"
        looked += seen
        found += zip(out_row[:count].tolist(), out_query[:count].tolist(), strict=True)
    assert out_row[room] == out_query[room] == -7
    np.testing.assert_array_equal(pointer, np.searchsorted(bounds, after, side="right"))
    assert looked == abs(pointer - np.searchsorted(bounds, before, side="right")).sum()
    return sorted(found)


@pytest.mark.parametrize("room", [12, 1000])
@pytest.mark.parametrize("seed", range(5))
def test_it_finds_what_a_scan_finds(seed, room):
    rng = np.random.default_rng(seed)
    lower = rng.integers(0, 20, 10).astype(float)
    upper = lower + rng.integers(1, 8, 10)
    before, after = (rng.integers(-2, 30, 40).astype(float) for _ in range(2))
    boxes = dict(enumerate(np.stack([lower, upper], axis=1)[:, None, :]))
    expected = naive.crossings(boxes, None, np.arange(40), before[None], after[None], np.zeros(1, np.int64))
    assert walk(lower, upper, before, after, room) == sorted(expected.elements())
