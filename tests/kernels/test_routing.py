"""Rows to shards: a hash that is the same for ever, and an order that keeps rows of one shard in theirs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kernels.routing import count_shards, shard_of_strings
from limen.runtime.ids import string_buffers
from tests.kernels.room import Room, assert_unharmed

NAMES = ["", "a", "vehicle 7", "é", "x" * 40, "IBM"]


def shards_of(names: list[str], shards: int) -> list[int]:
    data, bounds = string_buffers(names)
    out = np.empty(len(names), np.int32)
    shard_of_strings(data, bounds, shards, out)
    return out.tolist()


@pytest.mark.parametrize(("shards", "expected"), [(1, [0] * 6), (2, [0, 1, 0, 0, 0, 0]), (5, [0, 2, 3, 0, 0, 4])])
def test_the_shard_of_a_name_never_changes(shards: int, expected: list[int]) -> None:
    """Checkpoints hold streams by shard, so another hash would lose them."""
    assert shards_of(NAMES, shards) == expected


def test_names_spread_evenly() -> None:
    counts = np.bincount(shards_of([f"s{number}" for number in range(3000)], 3), minlength=3)
    assert counts.min() > 900


@pytest.mark.parametrize("shards", [1, 3, 7])
@pytest.mark.parametrize("rows", [0, 1, 50])
def test_rows_are_sorted_by_shard_and_keep_their_order(rows: int, shards: int) -> None:
    shard = np.random.default_rng(rows).integers(0, shards, rows).astype(np.int32)
    starts, order = np.zeros(shards + 1, np.int64), np.empty(rows, np.int64)
    count_shards(shard, starts, order)
    assert starts.tolist() == [int((shard < number).sum()) for number in range(shards + 1)]
    assert order.tolist() == np.argsort(shard, kind="stable").tolist()


@given(rows=st.lists(st.integers(0, 9), max_size=50))
def test_it_is_a_stable_sort_by_row(rows: list[int]) -> None:
    row = np.array(rows, np.int32)
    starts, order = Room(11, np.int64), Room(len(rows), np.int64)
    starts.cells[:] = 0
    count_shards(row, starts.cells, order.cells)
    assert order.cells.tolist() == np.argsort(row, kind="stable").tolist()
    assert_unharmed(starts, order)
