"""The last rows of streams, in arrays."""

import numpy as np
import pyarrow as pa

from limen import Columns
from limen.console.trails import Trails

COLUMNS = Columns("id", "t", ("x", "y"), ("kind",))


def told(*rows: tuple[str, int, float | None, float, str | None]) -> pa.Table:
    ids, time, x, y, kind = zip(*rows, strict=True)
    times = pa.array(time, pa.timestamp("us", "UTC"))
    return pa.table({"stream_id": ids, "time": times, "v0": x, "v1": y, "a0": pa.array(kind, pa.string())})


def test_the_latest_row_is_where_a_stream_is() -> None:
    trails = Trails(COLUMNS)
    trails.add(told(("a", 1, 1, 1, "car"), ("b", 1, 9, 9, None), ("a", 2, 2, 2, "van")), batch=0)
    assert trails.place[trails.slot("a")].tolist() == [2, 2]
    trail = trails.trail(trails.slot("a"))
    assert (trail.time.tolist(), trail.attributes, trail.batch.tolist()) == ([1, 2], [["car"], ["van"]], [0, 0])
    assert trails.trail(trails.slot("b")).attributes == [[None]]
    assert trails.slot("never") == -1


def test_a_late_row_moves_nobody_and_is_kept_in_its_place() -> None:
    trails = Trails(COLUMNS)
    trails.add(told(("a", 5, 5, 5, "car")), batch=0)
    trails.add(told(("a", 3, 3, 3, "car")), batch=1)
    assert trails.place[0].tolist() == [5, 5]
    assert trails.trail(0).time.tolist() == [3, 5]
    assert trails.trail(0).batch.tolist() == [1, 0]


def test_a_missing_value_is_unchanged() -> None:
    trails = Trails(COLUMNS)
    trails.add(told(("a", 1, 1, 1, "car")), batch=0)
    trails.add(told(("a", 2, None, 7, "car")), batch=1)
    assert trails.place[0].tolist() == [1, 7]


def test_only_the_last_rows_are_kept_however_they_come() -> None:
    rng = np.random.default_rng(0)
    trails = Trails(COLUMNS, length=4)
    kept: dict[str, list[int]] = {}
    clock = 0
    for batch in range(40):
        rows = []
        for _ in range(int(rng.integers(1, 12))):
            clock += 1
            id = f"s{rng.integers(0, 5)}"
            rows.append((id, clock, float(clock), 0.0, None))
            kept.setdefault(id, []).append(clock)
        trails.add(told(*[rows[at] for at in rng.permutation(len(rows))]), batch)
    for id, times in kept.items():
        assert trails.trail(trails.slot(id)).time.tolist() == times[-4:]


def test_those_that_moved_since_a_turn() -> None:
    trails = Trails(COLUMNS)
    trails.add(told(("a", 1, 1, 1, None), ("b", 1, 1, 1, None)), 0)
    turn = trails.turn
    trails.add(told(("b", 2, 2, 2, None)), 1)
    assert trails.names(trails.since(turn)) == ["b"]
    assert trails.names(trails.since(0)) == ["a", "b"]


def test_arrays_grow_and_the_table_has_the_users_names() -> None:
    trails = Trails(COLUMNS)
    trails.add(told(*[(f"s{n}", n, float(n), 0.0, "car") for n in range(5000)]), 0)
    assert len(trails) == 5000
    assert trails.place[trails.slot("s4999")].tolist() == [4999, 0]
    table = trails.table(np.array([trails.slot("s7")]))
    assert table.column_names == ["id", "t", "x", "y", "kind"]
    assert table.to_pylist()[0]["x"] == 7
    west, south, east, north = trails.bounds or []
    assert 0 <= west < 100
    assert 4900 < east <= 4999
    assert south == north == 0


def test_one_column_is_drawn_beside_the_streams() -> None:
    trails = Trails(Columns("id", "t", "price"))
    times = pa.array([1, 1], pa.timestamp("us", "UTC"))
    trails.add(pa.table({"stream_id": ["a", "b"], "time": times, "v0": [40.0, 41.0]}), 0)
    assert trails.place[:2].tolist() == [[0, 40], [1, 41]]
