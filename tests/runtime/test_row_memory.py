"""What is remembered of a stream's last row, for conditions of queries that come later."""

import math
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest

from limen import Columns
from limen.runtime.row_memory import AttributeMemory, RowMemory
from tests.runtime.agreement import assert_as_the_oracle, border
from tests.strategies import Step

NAN = np.nan


def int32s(*numbers):
    return np.array(numbers, np.int32)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.string(), ["car", None, "ünit"]),
        (pa.int64(), [-1, None, 2**62 + 1]),
        (pa.float64(), [0.1, None, -1e300]),
        (pa.bool_(), [True, None, False]),
        (
            pa.timestamp("us", "UTC"),
            [datetime(1960, 1, 1, tzinfo=UTC), None, datetime(2300, 1, 1, tzinfo=UTC)],
        ),
    ],
)
def test_an_attribute_is_kept_as_it_came(kind, values):
    memory = AttributeMemory(kind, 2)
    memory.resize(4)
    memory.put(int32s(3, 0, 1), pa.array(values, kind))
    assert memory.take(int32s(0, 1, 2, 3)).to_pylist() == [values[1], values[2], None, values[0]]
    assert memory.take(int32s(3)).type == kind
    memory.choose(int32s(1, 3))
    assert memory.take(int32s(0, 1)).to_pylist() == [values[2], values[0]]


def test_of_several_values_the_last_counts():
    memory = AttributeMemory(pa.string(), 2)
    memory.put(int32s(0, 0, 1, 0), pa.array(["a", "b", "c", None]))
    assert memory.take(int32s(0, 1)).to_pylist() == [None, "c"]


def test_nothing_is_known_of_an_attribute_that_never_came():
    assert AttributeMemory(pa.string(), 2).take(int32s(1, 0)).to_pylist() == [None, None]


def test_free_text_does_not_pile_up():
    memory = AttributeMemory(pa.string(), 10)
    slots = int32s(*range(10))
    sizes = []
    for number in range(1500):
        texts = [f"comment {number} on {slot}" for slot in slots]
        memory.put(slots, pa.array(texts))
        sizes.append(memory.nbytes)
    assert memory.take(slots).to_pylist() == texts
    assert max(sizes) < 2 * max(sizes[:300])


COLUMNS = Columns("s", "t", ("x", "y"), "kind", time_unit="us")


class Memory:
    """A memory of three streams, fed row by row with what a stream table would tell it."""

    def __init__(self):
        self.memory = RowMemory(COLUMNS, {"kind": pa.string()})
        self.memory.resize(3)
        self.known = np.full((3, 2), NAN)

    def row(self, slot, time, x, y, kind):
        before = self.known.copy()
        self.known[slot] = np.where(np.isnan([x, y]), self.known[slot], [x, y])
        self.memory.remember(
            int32s(slot),
            np.array([time]),
            np.array([[x], [y]]),
            (pa.array([kind], pa.string()),),
            lambda: before,
        )

    def last(self, slot, *columns):
        """The last row that a query on these columns saw: its own x, y and kind."""
        table = self.memory.table(int32s(slot), np.array(columns), self.known[[slot]], ("x", "y", "kind"))
        cells = [table[name][0].as_py() for name in ("x", "y", "kind")]
        return [None if isinstance(cell, float) and math.isnan(cell) else cell for cell in cells]


def test_as_long_as_rows_are_whole_one_copy_serves_all():
    memory = Memory()
    memory.row(0, 1, 1.0, 2.0, "car")
    memory.row(0, 2, 3.0, 4.0, None)
    assert not memory.memory.layered
    assert memory.last(0, 0) == memory.last(0, 0, 1) == [3.0, 4.0, None]


def test_a_row_without_any_value_is_seen_by_none():
    memory = Memory()
    memory.row(0, 1, 1.0, 2.0, "car")
    memory.row(0, 2, NAN, NAN, "bus")
    assert not memory.memory.layered
    assert memory.last(0, 0, 1) == [1.0, 2.0, "car"]


def test_with_rows_in_part_each_column_has_a_last_row_of_its_own():
    memory = Memory()
    memory.row(0, 1, 1.0, 2.0, "car")
    memory.row(1, 1, 5.0, 6.0, "ship")
    memory.row(0, 2, 7.0, NAN, "bus")
    assert memory.memory.layered
    assert memory.last(0, 0) == [7.0, None, "bus"]  # x came last with the bus
    assert memory.last(0, 1) == [1.0, 2.0, "car"]  # y with the car
    assert memory.last(0, 0, 1) == memory.last(0, 1, 0) == [7.0, None, "bus"]
    assert memory.last(1, 0) == memory.last(1, 1) == [5.0, 6.0, "ship"]
    memory.row(0, 3, NAN, 8.0, "tram")
    assert memory.last(0, 0) == [7.0, None, "bus"]
    assert memory.last(0, 1) == memory.last(0, 0, 1) == [None, 8.0, "tram"]


def test_layers_grow_and_shrink_with_the_streams():
    memory = Memory()
    memory.row(2, 1, 1.0, NAN, "bus")
    memory.memory.resize(5)
    memory.known = np.concatenate([memory.known, np.full((2, 2), NAN)])
    memory.row(4, 2, NAN, 3.0, "car")
    memory.memory.choose(int32s(4, 2))
    memory.known = memory.known[[4, 2]]
    assert memory.last(0, 1) == [None, 3.0, "car"]
    assert memory.last(1, 0) == [1.0, None, "bus"]
    assert memory.memory.nbytes > 0


PLANE = {"id": "s", "time": "t", "values": ["x", "y"], "attributes": ["kind"]}


def row(time, x, y, kind, stream="a"):
    return {"s": stream, "t": time * 1_000_000, "x": x, "y": y, "kind": kind}


@pytest.mark.parametrize("where", ["kind = 'bus'", "x > 0", "y IS NULL", "kind IS NULL"])
def test_a_query_that_comes_later_judges_the_row_it_would_have_seen(where):
    """Registering on x, on y and on both between rows that lack one, the other, or both."""
    rows = [
        row(1, 1.0, 1.0, "car"),
        row(2, 2.0, None, "bus"),
        row(3, None, 2.0, None),
        row(4, None, None, "bus"),
        row(5, 0.5, None, "bus"),
        row(6, -1.0, -1.0, "car"),
    ]
    steps = []
    for number, each in enumerate(rows):
        steps.append(Step("process", {"rows": [each, row(each["t"] // 1_000_000, 1.0, 1.0, "bus", "b")]}))
        for on in (["x"], ["y"], ["x", "y"]):
            form = {
                "type": "border", "id": f"{on} after {number}", "on": on, "initial": "report", "where": where,
                "region": {"type": "box", "lo": [0] * len(on), "hi": [9] * len(on)},
            }  # fmt: skip
            steps.append(Step("register", {"query": form}))
    assert_as_the_oracle(PLANE, [border("always", 0, 9, on=["x"], where=where)], steps)
