"""Leaving out streams before the operator changes nothing: a SELECT is its query on the streams that are left."""

from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import limen
from limen import changes
from limen.cli.sql_select import RunningSelect
from limen.model.query import Query
from limen.sql import Select, parse
from limen.sql.planning import make_plan

COLUMNS = limen.Columns("s", "t", ("x", "y"), ("kind",), time_unit="s")
OWNERS = {"a": ("city", 1), "b": ("Ann", 4), "d": ("city", 6), "nobody": ("Bob", 9)}
FAVOURITES = pa.table(
    {"id": list(OWNERS), "owner": [o for o, _ in OWNERS.values()], "seats": [n for _, n in OWNERS.values()]}
)
#: Conditions on the id, and which streams they leave.
BEFORE = {
    "M.s <> 'a'": lambda s: s != "a",
    "M.s IN ('a', 'b', 'zz')": lambda s: s in ("a", "b", "zz"),
    "(M.s = 'b' OR 'd' = M.s)": lambda s: s in ("b", "d"),
    "NOT M.s LIKE 'c%'": lambda s: not s.startswith("c"),
}
#: Conditions on values and attributes, as a query has them.
INSIDE = {
    "M.kind = 'car'": "kind = 'car'",
    "(M.x > 1 OR kind = 'bus')": "(x > 1 OR kind = 'bus')",
    "M.y BETWEEN 0 AND 3": "y BETWEEN 0 AND 3",
    "M.kind <> 'it\\'s'": "kind <> 'it\\'s'",
}
BEHIND = {"F.seats > 3": lambda owner: owner[1] > 3, "F.owner <> 'Ann'": lambda owner: owner[0] != "Ann"}
PLACES: dict[str, Any] = {
    "INSIDE (1, 3, 3, 1)": lambda **more: limen.Within("select", limen.Box((1, 1), (3, 3)), **more),
    "INSIDE CIRCLE (1.5) AROUND c": lambda **more: limen.Within("select", focal="c", radius=1.5, **more),
    "INSIDE ('M', 'b', 2, 4)": lambda **more: limen.Within("select", focal="b", width=2, height=4, **more),
    "INSIDE x >= 2": lambda **more: limen.Within("select", limen.Range(2, None), on="x", **more),
    "kNN (2, 2, 2)": lambda **more: limen.Nearest("select", 2, center=(2, 2), **more),
    "kNN ('M', 1, 'c')": lambda **more: limen.Nearest("select", 1, focal="c", **more),
}
places = st.sampled_from((0.0, 1.0, 2.0, 3.0, 4.0))
rows = st.fixed_dictionaries(
    {"s": st.sampled_from("abcde"), "x": places, "y": places, "kind": st.sampled_from(("car", "bus", "it's"))}
)


def some(choices: dict[str, Any]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(sorted(choices)), max_size=2, unique=True)


def told(query: Query | None, tables: list[pa.Table]) -> list[dict[str, Any]]:
    if query is None:
        return []
    engine = limen.Engine(COLUMNS, queries=[query])
    return [row for table in tables for row in changes.signed(engine.process(table)).to_pylist()]


@given(
    st.lists(st.lists(rows, min_size=1, max_size=5, unique_by=lambda row: row["s"]), min_size=1, max_size=8),
    some(BEFORE),
    some(INSIDE),
    st.none() | some(BEHIND),
    st.sampled_from(sorted(PLACES)),
)
def test_a_select_is_its_query_on_the_streams_that_it_leaves(
    instants: list[list[dict[str, Any]]], before: list[str], inside: list[str], behind: list[str] | None, place: str
) -> None:
    tables = [
        pa.Table.from_pylist([{**row, "t": second} for row in instant], pa.schema(
            [("s", pa.string()), ("t", pa.int64()), ("x", pa.float64()), ("y", pa.float64()), ("kind", pa.string())]))
        for second, instant in enumerate(instants)
    ]  # fmt: skip
    joined = behind is not None
    conditions = [*before, *inside, *(behind or []), *(["F.id = M.s"] if joined else [])]
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    text = (
        f"SELECT M.s{', F.owner' if joined else ''}, M.x FROM m M{', favourites F' if joined else ''} {where} {place}"
    )
    statement = parse(text)
    assert isinstance(statement, Select)
    plan = make_plan(statement, {"m": COLUMNS}, {"favourites": FAVOURITES.schema.names}.get)
    assert (plan.before() is not None) == bool(before)
    assert (plan.keys() is not None) == joined
    select = RunningSelect(plan, COLUMNS, {"favourites": FAVOURITES})
    got = [row for table in [select.begin(None), *map(select.take, tables)] for row in table.to_pylist()]

    left = [s for s in "abcde" if all(BEFORE[each](s) for each in before)]
    if behind is not None:
        left = [s for s in left if s in OWNERS and all(BEHIND[each](OWNERS[s]) for each in behind)]
    text_of_where = " AND ".join(INSIDE[each] for each in inside) or None
    query = PLACES[place](streams=left, where=text_of_where) if left else None
    wanted = [
        {"s": row["stream_id"], **({"owner": OWNERS[row["stream_id"]][0]} if joined else {}), "x": row["values"][0],
         "time": row["time"], "sign": row["sign"]}
        for row in told(query, tables)
    ]  # fmt: skip
    assert sorted(map(repr, got)) == sorted(map(repr, wanted)), text
