"""The order of time in which operators see rows."""

import pytest

from limen.checkpoint.codec import decode, encode
from limen.model.options import Options
from limen.runtime.stream_table import StreamTable
from limen.runtime.timeline import BEGINNING, GlobalTimeline, Timeline
from tests.runtime.batches import COLUMNS, rows

SECOND_BATCH = (("a", 5, 6.0), ("b", 12, 7.0))  # a is behind the first batch, which reached 10


def common(*cells):
    table = StreamTable(COLUMNS, {}, dict)
    if cells:
        take(table, rows(*cells))
    return table


def take(table, taken, expire_after=-1):
    return table.step(taken, table.slots(taken.ids), expire_after)


def global_timeline(table, reached=10, **options):
    timeline = GlobalTimeline(table, Options(**options))
    timeline.reach(reached)
    return timeline


def stepped(timeline, table, cells=SECOND_BATCH):
    """Take rows in on both timelines; return the step of the global one."""
    taken = rows(*cells)
    late = timeline.late(taken)
    timeline.begin(in_use=True, late=bool(late.any()))
    return timeline.step(take(table, taken), late)


def test_each_stream_has_its_own_order():
    table = common(("a", 1, 1.0), ("b", 10, 2.0))
    timeline = Timeline(table, Options())
    assert timeline.streams is table
    assert take(table, rows(*SECOND_BATCH)).late.tolist() == [False, False]
    assert timeline.at(3) == 3


def test_silence_is_that_of_the_options():
    table = common(("a", 1, 1.0), ("b", 10, 2.0))
    assert Timeline(table, Options(expire_after=4)).silent(6).slot.tolist() == [0]
    assert len(Timeline(table, Options(expire_after=5)).silent(6)) == 0


def test_the_global_timeline_never_goes_back():
    timeline = global_timeline(common(), reached=10)
    timeline.reach(7)
    assert timeline.clock == 10
    assert (timeline.at(3), timeline.at(12)) == (10, 12)
    assert global_timeline(common(), reached=BEGINNING).at(-5) == -5


def test_a_row_behind_the_timeline_is_late_on_it_and_one_at_its_time_is_not():
    timeline = global_timeline(common())
    assert timeline.late(rows(("a", 9, 1.0), ("b", 10, 1.0), ("c", 11, 1.0))).tolist() == [True, False, False]


def test_without_late_rows_both_timelines_share_one_table():
    table = common(("a", 1, 1.0))
    timeline = global_timeline(table, order="arrival")
    step = stepped(timeline, table, [("a", 10, 6.0), ("b", 12, 7.0)])
    assert timeline.streams is step.streams is table
    assert (timeline.clock, timeline.nbytes) == (12, 0)


def test_a_late_row_never_existed_on_the_global_timeline():
    table = common(("a", 1, 1.0), ("b", 10, 2.0))
    timeline = global_timeline(table)
    step = stepped(timeline, table)
    assert (step.rows.ids.to_pylist(), step.before.tolist()) == (["b"], [[2.0]])
    assert timeline.streams.last[:2].tolist() == [[1.0], [7.0]]
    assert table.last[:2].tolist() == [[6.0], [7.0]]
    assert timeline.nbytes > 0


def test_in_order_of_event_time_the_table_is_always_shared():
    table = common(("a", 1, 1.0), ("b", 10, 2.0))
    timeline = global_timeline(table, order="event")
    timeline.begin(in_use=True, late=True)
    assert timeline.streams is table


def test_without_a_query_the_timeline_returns_to_the_common_table():
    table = common(("a", 1, 1.0), ("b", 10, 2.0))
    timeline = global_timeline(table)
    stepped(timeline, table)
    timeline.begin(in_use=False)
    assert timeline.streams is table


def test_streams_that_come_later_are_known_on_both():
    table = common(("a", 1, 1.0), ("b", 10, 2.0))
    timeline = global_timeline(table)
    stepped(timeline, table)
    step = stepped(timeline, table, [(f"new {number}", 20, 3.0) for number in range(100)])
    assert len(timeline.streams) == len(table)
    assert step.after.tolist() == [[3.0] * 100]


def test_looking_at_the_streams_changes_nothing():
    table = common(("a", 1, 1.0), ("b", 10, 2.0))
    timeline = global_timeline(table)
    stepped(timeline, table)
    known = len(timeline.streams)
    table.slots([f"new {number}" for number in range(100)])
    assert len(timeline.streams) == known < len(table)
    timeline.make_room()
    assert len(timeline.streams) == len(table)


def test_silence_on_a_timeline_that_has_parted():
    table = common(("a", 1, 1.0), ("b", 10, 2.0))
    timeline = global_timeline(table, expire_after=15)
    stepped(timeline, table)
    assert table.due(15, 19).slot.tolist() == []  # a was seen at 5, but on the global timeline last at 1
    assert timeline.silent(19).slot.tolist() == [0]
    assert timeline.silent(19).time.tolist() == [16]


def test_streams_that_expired_before_the_timeline_began_are_not_on_it():
    table = common(("a", 1, 1.0), ("b", 10, 2.0))
    timeline = global_timeline(table, expire_after=5, lateness=3)
    timeline.begin(in_use=True)
    assert timeline.streams.live.tolist()[:2] == [False, True]
    assert table.live.tolist()[:2] == [True, True]


@pytest.mark.parametrize("parted", [False, True])
def test_a_restart_by_dump_and_load(parted):
    table = common(("a", 1, 1.0), ("b", 10, 2.0))
    timeline = global_timeline(table)
    if parted:
        stepped(timeline, table)
    written, _ = decode(encode(timeline.dump(2), {}))
    again = GlobalTimeline(table, Options())
    again.load(timeline.clock, written)
    assert again.clock == timeline.clock
    assert (again.streams is table) is not parted
    assert again.streams.last[:2].tolist() == timeline.streams.last[:2].tolist()
    assert again.streams.last_time[:2].tolist() == timeline.streams.last_time[:2].tolist()
