"""The nearest of points: the order of names, and the heap of those kept so far, against sorting."""

from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kernels.by_reference import by_reference
from limen.queries.answer.kernels.layout import IdText
from limen.queries.answer.kernels.nearest import is_closer, keep, keep_some, leave_nearest
from tests.kernels.room import Room, assert_unharmed

NAMES = (
    "",
    "a",
    "ab",
    "abc",
    "b",
    "B",
    "é",
    "e\u0301",
    "｡",
    "𝄞",
    "z" * 16,
    "z" * 17,
    "z" * 40,
    "z" * 40 + "a",
    "\0",
    "a\0",
)
names_of_streams = st.lists(st.sampled_from(NAMES) | st.text(max_size=20), min_size=1, max_size=12, unique=True)
#: Few, so that many are equally far away.
distances = st.sampled_from((0.0, 1.0, 1.0, 2.0, 5e-324, 1e300, float("inf")))


@by_reference
class Found(NamedTuple):
    """What `keep_some` uses of `Scratch`."""

    found: np.ndarray
    found_here: np.ndarray
    kept_far: np.ndarray
    kept: np.ndarray


def text_of(names):
    encoded = [name.encode() for name in names]
    starts = np.cumsum([0, *(len(each) for each in encoded)])
    return IdText(starts.astype(np.int64), np.array(list(b"".join(encoded)), np.uint8))


def test_of_two_equally_far_away_the_one_with_the_smaller_name_is_closer():
    ids = text_of(["b", "a"])
    assert is_closer(ids, 1.0, 1, 1.0, 0)
    assert not is_closer(ids, 1.0, 0, 1.0, 1)
    assert is_closer(ids, 0.5, 0, 1.0, 1)
    assert not is_closer(ids, 1.0, 0, 1.0, 0)


def left_of(names, far, order, k):
    """Keep all points in some order, leave the nearest, and return these, sorted, and the furthest."""
    ids = text_of(names)
    kept_far, kept = Room(len(names), np.float64), Room(len(names))
    kept_far.cells[:], kept.cells[:] = [far[i] for i in order], order
    count = leave_nearest(ids, k, len(names), kept_far.cells, kept.cells)
    assert_unharmed(kept_far, kept)
    found = kept.cells[:count].tolist()
    assert kept_far.cells[:count].tolist() == [far[i] for i in found]
    return sorted(found), kept.cells[0]


def kept_of(names, far, order, k):
    """Offer points one after another, and return those kept, sorted, and the furthest."""
    ids = text_of(names)
    room = min(k, len(names))
    kept_far, kept, count = Room(room, np.float64), Room(room), 0
    for i in order:
        count = keep(ids, far[i], i, k, count, kept_far.cells, kept.cells)
    assert_unharmed(kept_far, kept)
    found = kept.cells[:count].tolist()
    assert kept_far.cells[:count].tolist() == [far[i] for i in found]
    return sorted(found), kept.cells[0] if count else -1


@given(names=names_of_streams, k=st.integers(1, 14), data=st.data())
def test_those_kept_are_the_first_in_order_and_the_furthest_is_on_top(names, k, data):
    far = data.draw(st.lists(distances, min_size=len(names), max_size=len(names)))
    order = data.draw(st.permutations(range(len(names))))
    in_order = sorted(range(len(names)), key=lambda i: (far[i], names[i].encode()))
    for way in (kept_of, left_of):
        assert way(names, far, order, k) == (sorted(in_order[:k]), in_order[:k][-1])


@pytest.mark.parametrize("k", [1, 2, 7, 99, 100, 101])
def test_many_points_with_many_ties(k):
    random = Random(k)
    names = [f"{i:x}" for i in range(100)]
    far = [float(random.randrange(8)) for _ in names]
    in_order = sorted(range(100), key=lambda i: (far[i], names[i].encode()))
    for way in (kept_of, left_of):
        assert way(names, far, random.sample(range(100), 100), k) == (sorted(in_order[:k]), in_order[:k][-1])


def test_of_nobody_nobody_is_left():
    ids = text_of([])
    assert leave_nearest(ids, 3, 0, np.empty(0), np.empty(0, np.int32)) == 0


@given(focal=st.integers(-1, 3), whole=st.booleans(), limit=st.sampled_from((0.0, 1.0, 4.0)), k=st.integers(1, 5))
def test_some_points_within_a_limit_and_without_the_focal(focal, whole, limit, k):
    names, places = ["d", "c", "b", "a"], [0.0, 1.0, -1.0, 3.0]
    ids = text_of(names)
    kept_far, kept = Room(4, np.float64), Room(4)
    scratch = Found(np.arange(4, dtype=np.int32), np.array([[x] for x in places]), kept_far.cells, kept.cells)
    center = np.array([[9.0], [0.0]])
    count = keep_some(ids, center, 1, k, focal, limit, whole, 4, False, scratch)
    assert_unharmed(kept_far, kept)
    meant = [i for i in range(4) if i != focal and (whole or places[i] ** 2 <= limit)]
    assert sorted(kept.cells[:count].tolist()) == sorted(sorted(meant, key=lambda i: (places[i] ** 2, names[i]))[:k])
