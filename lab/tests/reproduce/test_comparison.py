"""Methods are compared on the same journeys, and only if they find the same."""

import numpy as np
import pytest

from limen.regions.boxes import BoxIndex
from limen_lab.reproduce.bmq.border_methods import Borders, Differences
from limen_lab.reproduce.bmq.comparison import WARM, Contender, compared, stored
from limen_lab.reproduce.bmq.in_the_plane import traffic
from limen_lab.reproduce.bmq.journeys import Journeys
from limen_lab.rivals.cei import CEI
from limen_lab.rivals.segment_lists import SegmentLists

RNG = np.random.default_rng(7)
LOWER = RNG.uniform(0, 90, 40)
BOXES = np.stack([LOWER, LOWER + 10], axis=1)[:, None, :].copy()
VALUES = RNG.uniform(0, 100, (8, 20, 1))
JOURNEYS = Journeys.of(VALUES)


class Forgetful(SegmentLists):
    """Loses an event of the last batch."""

    batches = 0

    def move(self, slot, points):
        self.batches += 1
        return super().move(slot, points) - (self.batches == len(JOURNEYS))


def contenders(kind=SegmentLists):
    return {
        "lists": Contender(lambda: kind(BOXES, 20), JOURNEYS),
        "index": Contender(lambda: Borders(BoxIndex(1), BOXES, 20), JOURNEYS),
        "difference": Contender(lambda: Differences(CEI(), BOXES, 20), JOURNEYS),
    }


def test_all_methods_count_the_events_after_the_first_batches():
    inside = (BOXES[:, 0, 0] <= VALUES) & (BOXES[:, 0, 1] > VALUES)
    events = int((inside[WARM:] != inside[WARM - 1 : -1]).sum())
    assert {measured.events for measured in compared(contenders(), runs=1).values()} == {events}


def test_a_method_that_loses_an_event_is_not_compared():
    with pytest.raises(AssertionError, match="events of one batch after another"):
        compared(contenders(Forgetful), runs=1)
    with pytest.raises(AssertionError, match="events of one batch after another"):
        stored(contenders(Forgetful))


def test_the_intermediate_result_of_differences_is_what_contains_the_last_value_and_the_new_one():
    inside = (BOXES[:, 0, 0] <= VALUES) & (BOXES[:, 0, 1] > VALUES)
    both = int(inside[WARM:].sum() + inside[WARM - 1 : -1].sum())
    measured = compared(contenders(), runs=1)["difference"]
    assert measured.intermediate == both
    assert measured.efficiency == 100 * measured.events / both


def test_a_contender_may_be_given_fewer_batches():
    several = contenders()
    few = Contender(several["difference"].make, JOURNEYS.first(4))
    measured = compared({**several, "difference": few}, runs=1)
    assert measured["difference"].events < measured["lists"].events


@pytest.mark.parametrize(("kind", "maximum"), [("fast", 60), ("slow", 12)])
def test_no_object_in_the_city_is_faster_than_its_kind(kind, maximum):
    journeys = traffic(kind, 100, 8)
    at = np.full((2, journeys.streams), np.nan)
    longest = 0.0
    for slot, points in zip(journeys.slots, journeys.points, strict=True):
        assert len(slot) == 100
        longest = max(longest, np.nanmax(np.hypot(*(points - at[:, slot])), initial=0))
        at[:] = np.nan  # an object that reports after a gap would be another one
        at[:, slot] = points
    half_a_minute = maximum / 3.6 * 30
    assert 0.3 * half_a_minute < longest <= half_a_minute
