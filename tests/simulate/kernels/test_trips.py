"""Objects on their ways: how far they come in some time, against a walk in steps so small that nothing is missed."""

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.simulate.kernels.trips import destinations_at, drive, places

if TYPE_CHECKING:
    from limen.arrays import Slots

# Nodes on a line, 0 ── 1 ── 2 ── 3; arcs to the right are 0, 1, 2, to the left 3, 4, 5.
METRES = np.array([100.0, 50.0, 200.0] * 2)
LIMITS = np.array([1.0, 0.5, 0.25] * 2)
TAILS = np.array([0, 1, 2, 1, 2, 3], np.int32)
HEADS = np.array([1, 2, 3, 0, 1, 2], np.int32)
GATES = np.array([3, 0], np.int32)
NEXT_ARC = np.array([[0, 1, 2, -1], [-1, 3, 4, 5]], np.int32)
XY = np.array([[0.0, 10.0], [100.0, 10.0], [100.0, 60.0], [100.0, 260.0]])


class Objects:
    """Some objects, each on an arc; those told move."""

    def __init__(self, arc: list[int], along: list[float], toward: list[int], pace: float = 10.0) -> None:
        self.arc, self.along = np.array(arc, np.int32), np.array(along)
        self.toward, self.pace = np.array(toward, np.int32), np.full(len(arc), pace)

    def drive(self, objects: list[int], seconds: list[float]) -> tuple[list[bool], list[float]]:
        left, arrived = np.array(seconds), np.empty(len(objects), np.bool_)
        drive(
            np.array(objects), left, self.pace, self.toward, self.arc, self.along,
            HEADS, METRES, LIMITS, NEXT_ARC, GATES, arrived,
        )  # fmt: skip
        return arrived.tolist(), left.tolist()

    def state(self) -> list[tuple[int, float]]:
        return list(zip(self.arc.tolist(), self.along.tolist(), strict=True))


def test_an_object_goes_on_along_its_arc() -> None:
    objects = Objects([0], [5.0], [0])
    assert objects.drive([0], [3.0]) == ([False], [0.0])
    assert objects.state() == [(0, 35.0)]


def test_time_carries_over_to_the_next_arcs_at_their_speeds() -> None:
    # 10 s to node 1, 10 s at half speed to node 2, and 4 s at a quarter.
    objects = Objects([0], [0.0], [0])
    assert objects.drive([0], [24.0]) == ([False], [0.0])
    assert objects.state() == [(2, 10.0)]


def test_who_arrives_stops_there_and_has_time_left() -> None:
    objects = Objects([2, 3], [190.0, 40.0], [0, 1])
    assert objects.drive([0, 1], [10.0, 7.5]) == ([True, True], [6.0, 1.5])
    assert objects.state() == [(2, 200.0), (3, 100.0)]


def test_arriving_with_the_last_of_the_time_is_arriving() -> None:
    objects = Objects([3], [0.0], [1])
    assert objects.drive([0], [10.0]) == ([True], [0.0])


def test_only_those_told_move() -> None:
    objects = Objects([0, 0, 0], [0.0, 0.0, 0.0], [0, 0, 0])
    objects.drive([2, 0], [1.0, 2.0])
    assert objects.state() == [(0, 20.0), (0, 0.0), (0, 10.0)]


@given(st.integers(0, 5), st.floats(0.0, 1.0), st.floats(0.5, 20.0), st.lists(st.floats(0.0, 40.0), max_size=6))
def test_driving_in_parts_is_driving_at_once(arc: int, share: float, pace: float, parts: list[float]) -> None:
    toward = 0 if arc < 3 else 1
    once = Objects([arc], [share * METRES[arc]], [toward], pace)
    arrived, left = once.drive([0], [sum(parts)])
    by_parts = Objects([arc], [share * METRES[arc]], [toward], pace)
    for part in parts:
        by_parts.drive([0], [part])
    if not arrived[0]:
        walked = progress(by_parts, toward) - progress(once, toward)
        assert walked == pytest.approx(0.0, abs=1e-6)
    assert (arrived[0], left[0]) == naive_walk(arc, share * METRES[arc], toward, pace, sum(parts))


def progress(objects: Objects, toward: int) -> float:
    """Metres from the beginning of the line, in the direction of the destination."""
    order = [0, 1, 2] if toward == 0 else [5, 4, 3]
    return float(METRES[order[: order.index(objects.arc[0])]].sum() + objects.along[0])


def naive_walk(arc: int, along: float, toward: int, pace: float, seconds: float) -> tuple[bool, object]:
    """Add up what the arcs to the destination take."""
    order = [0, 1, 2] if toward == 0 else [5, 4, 3]
    for number in order[order.index(arc) :]:
        needed = (METRES[number] - along) / (pace * LIMITS[number])
        if needed > seconds:
            return False, 0.0
        seconds, along = seconds - needed, 0.0
    return True, pytest.approx(seconds, abs=1e-9)


@pytest.mark.parametrize(
    ("arc", "along", "place"),
    [(0, 0.0, (0.0, 10.0)), (0, 25.0, (25.0, 10.0)), (4, 50.0, (100.0, 10.0)), (5, 50.0, (100.0, 210.0))],
)
def test_places_are_on_the_line_of_the_arc(arc: int, along: float, place: tuple[float, float]) -> None:
    x, y = np.empty(1), np.empty(1)
    # Objects 0 and 1; the second one is asked for.
    places(np.array([1]), np.array([0, arc], np.int32), np.array([0.0, along]), TAILS, HEADS, METRES, XY, x, y)
    assert (x[0], y[0]) == place


LENGTHS = np.array([[0.0, 100.0, 900.0], [100.0, 0.0, 500.0], [400.0, 400.0, 0.0]], np.float32)


@pytest.mark.parametrize(
    ("start", "preferred", "expected"),
    [(0, 90.0, 1), (0, 501.0, 2), (0, 0.0, 1), (1, 1e9, 2), (1, 0.0, 0), (2, 400.0, 0)],
)
def test_the_destination_is_about_as_far_as_preferred_and_elsewhere(
    start: int, preferred: float, expected: int
) -> None:
    chosen: Slots = np.empty(1, np.int32)
    destinations_at(np.array([start]), np.array([preferred]), LENGTHS, chosen)
    assert chosen.tolist() == [expected]
