"""SELECT statements that are made up, and what each says, in plain Python.

Events are those of the engine in this process; joins, conditions and numbers are made row by row. So whatever the
planner lets run before the operator, in it or behind it, a statement must say the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

import limen
from limen import Columns, changes
from limen.model.query import Query

COLUMNS = Columns("s", "t", ("x", "y"), ("kind",))
SCHEMA = pa.schema(
    [("s", pa.string()), ("t", pa.timestamp("us", "UTC")), ("x", pa.float64()), ("y", pa.float64()),
     ("kind", pa.string())]
)  # fmt: skip
FAVOURITES = pa.schema([("s", pa.string()), ("reason", pa.string()), ("seats", pa.int64())])
TAGS = pa.schema([("id", pa.string()), ("tag", pa.string())])
START = datetime(2026, 1, 1, tzinfo=UTC)
STREAMS = "abcde"
Row = dict[str, Any]

#: Conditions on the id, and which streams they leave.
ON_ID: dict[str, Callable[[str], bool]] = {
    "M.s <> 'a'": lambda s: s != "a",
    "M.s IN ('a', 'b', 'd')": lambda s: s in ("a", "b", "d"),
    "(M.s = 'b' OR 'd' <= M.s)": lambda s: s == "b" or s >= "d",
    "length(concat(M.s, M.s)) = 2": lambda s: True,
}
#: Conditions on values and attributes, as a query has them.
ON_ROWS = {"M.kind = 'car'": "kind = 'car'", "(M.x > 1 OR M.kind IS NULL)": "(x > 1 OR kind IS NULL)"}
#: Conditions on the joined tables; of nothing they are not true.
ON_FAVOURITES: dict[str, Callable[[Row], bool]] = {
    "F.seats > 3": lambda row: row["seats"] is not None and row["seats"] > 3,
    "NOT F.reason = 'Ann'": lambda row: row["reason"] is not None and row["reason"] != "Ann",
    "F.seats IS NULL": lambda row: row["seats"] is None,
}
ON_TAGS: dict[str, Callable[[Row], bool]] = {"T.tag = 'red'": lambda row: row["tag"] == "red"}
PLACES: dict[str, Callable[..., Query]] = {
    "INSIDE (1, 3, 3, 1)": lambda **more: limen.Within("q", limen.Box((1, 1), (3, 3)), **more),
    "INSIDE CIRCLE (1.5) AROUND c": lambda **more: limen.Within("q", focal="c", radius=1.5, **more),
    "INSIDE ('M', 'b', 3, 4)": lambda **more: limen.Within("q", focal="b", width=3, height=4, **more),
    "INSIDE x >= 2": lambda **more: limen.Within("q", limen.Range(2, None), on="x", **more),
    "kNN (2, 2, 2)": lambda **more: limen.Nearest("q", 2, center=(2, 2), **more),
    "kNN ('M', 1, 'c')": lambda **more: limen.Nearest("q", 1, focal="c", **more),
}
#: How a table is joined: the words, with the condition behind ON, USING or in WHERE.
JOINS = {
    "inner": ("JOIN {0} ON {1}", ""),
    "comma": (", {0}", "{1}"),
    "using": ("JOIN {0} USING (s)", ""),
    "left": ("LEFT JOIN {0} ON {1}", ""),
    "semi": ("LEFT SEMI JOIN {0} ON {1}", ""),
    "anti": ("LEFT ANTI JOIN {0} ON {1}", ""),
}
SHOWN = ("inner", "comma", "using", "left")
#: Numbers, and how they are made of the joined rows that a group has.
NUMBERS: dict[str, Callable[[list[Row]], Any]] = {
    "count(*)": len,
    "sum(F.seats)": lambda rows: sum(row["seats"] or 0 for row in rows),
    "avg(F.seats)": lambda rows: mean([row["seats"] for row in rows if row["seats"] is not None]),
    "sum(M.x)": lambda rows: sum((row["x"] for row in rows), 0.0),
    "avg(M.y * 2)": lambda rows: mean([row["y"] * 2 for row in rows]),
}


def mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


@dataclass(frozen=True)
class Statement:
    """A SELECT that was made up."""

    place: str
    on_id: list[str]
    on_rows: list[str]
    favourites: str | None
    on_favourites: list[str]
    tags: str | None
    on_tags: list[str]
    selected: list[str]
    numbers: list[str]
    distinct: bool

    def text(self) -> str:
        """Write it."""
        tables, where = "m M", [*self.on_id, *self.on_rows, *self.on_favourites, *self.on_tags]
        joined = ((self.favourites, "favourites F", "F.s = M.s"), (self.tags, "tags T", "M.s = T.id"))
        # A comma binds less than JOIN: those come first, so that each may speak of M.
        for how, table, on in sorted(joined, key=lambda each: each[0] == "comma"):
            if how is not None:
                words, condition = (part.format(table, on) for part in JOINS[how])
                tables += f" {words}"
                where += [condition] if condition else []
        numbers = [f"{number} AS n{place}" for place, number in enumerate(self.numbers)]
        group = f"GROUP BY {', '.join(self.selected)}" if self.numbers and self.selected else ""
        condition = f"WHERE {' AND '.join(where)}" if where else ""
        chosen = ", ".join([*self.selected, *numbers])
        return f"SELECT {'DISTINCT ' if self.distinct else ''}{chosen} FROM {tables} {condition} {self.place} {group}"


@st.composite
def statements(draw: st.DrawFn) -> Statement:
    def some(choices: Any, most: int = 1) -> list[str]:
        return draw(st.lists(st.sampled_from(sorted(choices)), max_size=most, unique=True))

    favourites, tags = (
        draw(st.sampled_from((None, *JOINS))),
        draw(st.sampled_from((None, *JOINS)).filter(lambda how: how != "using")),
    )
    shown = {
        "M.s": True,
        "F.reason": favourites in SHOWN,
        "T.tag": tags in SHOWN,
    }
    items = [item for item, there in shown.items() if there]
    what = draw(st.sampled_from(("changes", "distinct", "numbers")))
    numbers = [each for each in NUMBERS if "F." not in each or shown["F.reason"]]
    return Statement(
        draw(st.sampled_from(sorted(PLACES))),
        some(ON_ID, 2),
        some(ON_ROWS),
        favourites,
        some(ON_FAVOURITES) if shown["F.reason"] else [],
        tags,
        some(ON_TAGS) if shown["T.tag"] else [],
        draw(st.lists(st.sampled_from(items), min_size=what != "numbers", max_size=len(items), unique=True)),
        draw(st.lists(st.sampled_from(numbers), min_size=1, max_size=3, unique=True)) if what == "numbers" else [],
        what == "distinct",
    )


places = st.sampled_from((0.0, 1.0, 2.0, 3.0, 4.0))
rows = st.fixed_dictionaries(
    {"s": st.sampled_from(STREAMS), "x": places, "y": places, "kind": st.sampled_from(("car", "bus", None))}
)
instants = st.lists(st.lists(rows, max_size=4, unique_by=lambda row: row["s"]), min_size=1, max_size=9)
ids = st.sampled_from((*STREAMS, "nobody", None))
owners = st.lists(
    st.fixed_dictionaries(
        {"s": ids, "reason": st.sampled_from(("city", "Ann", None)), "seats": st.sampled_from((1, 4, 2**53 + 1, None))}
    ),
    max_size=8,
)
tagged = st.lists(st.fixed_dictionaries({"id": ids, "tag": st.sampled_from(("red", "fast", None))}), max_size=6)


def joined(statement: Statement, stream: str, favourites: list[Row], tags: list[Row]) -> list[Row]:
    """Return what joins and conditions make of one stream: a row, several or none."""
    found: list[Row] = [{"M.s": stream}]
    for how, table, key in ((statement.favourites, favourites, "s"), (statement.tags, tags, "id")):
        matches = [row for row in table if row[key] == stream]
        if how in ("inner", "comma", "using") or (how == "left" and matches):
            found = [{**row, **{k: v for k, v in match.items() if k != key}} for row in found for match in matches]
        elif how == "left":
            found = [{**row, **{k: None for k in ("reason", "seats", "tag") if k not in row}} for row in found]
        elif how is not None:
            found = found if bool(matches) == (how == "semi") else []
    for conditions, chosen in ((ON_FAVOURITES, statement.on_favourites), (ON_TAGS, statement.on_tags)):
        found = [row for row in found if all(conditions[each](row) for each in chosen)]
    if not all(ON_ID[each](stream) for each in statement.on_id):
        return []
    return [{**row, "F.reason": row.get("reason"), "T.tag": row.get("tag")} for row in found]


def reference(
    statement: Statement, table: pa.Table, favourites: list[Row], tags: list[Row], options: dict[str, Any]
) -> list[tuple[Any, ...]]:
    """Say what the statement says, in the plainest way."""
    made = {stream: joined(statement, stream, favourites, tags) for stream in STREAMS}
    more: dict[str, Any] = {"where": " AND ".join(ON_ROWS[each] for each in statement.on_rows) or None}
    if statement.place.startswith("kNN"):  # the nearest are those of the streams that are left
        more["streams"] = [stream for stream in STREAMS if made[stream]]
        if not more["streams"]:
            return []
    engine = limen.Engine(COLUMNS, queries=[PLACES[statement.place](**more)], order="event", **options)
    events = changes.signed(pa.concat_tables([engine.process(table), engine.close()])).to_pylist()
    told = [
        {**row, "time": event["time"], "sign": event["sign"], "stream": event["stream_id"],
         "x": event["values"][0], "y": event["values"][1]}
        for event in events for row in made[event["stream_id"]]
    ]  # fmt: skip
    if not statement.numbers and not statement.distinct:
        return [(*(row[name] for name in statement.selected), row["time"], row["sign"]) for row in told]
    return folded(statement, told)


def folded(statement: Statement, told: list[Row]) -> list[tuple[Any, ...]]:
    """Keep the numbers of each group, or whether it has members, and tell each instant that changes them."""
    helpers = [NUMBERS[each] for each in statement.numbers] or [lambda rows: len(rows) > 0]
    members: dict[tuple[Any, ...], list[Row]] = {}
    before: dict[tuple[Any, ...], list[Any]] = {}
    found: list[tuple[Any, ...]] = []
    for time in sorted({row["time"] for row in told}):
        here = [(tuple(row[name] for name in statement.selected), row) for row in told if row["time"] == time]
        for group, row in here:
            if row["sign"] < 0:  # all rows of the stream go together
                members[group] = [each for each in members[group] if each["stream"] != row["stream"]]
        for group, row in here:
            if row["sign"] > 0:
                members.setdefault(group, []).append(row)
        for group in {group for group, _ in here}:
            now = [helper(members.get(group, [])) for helper in helpers]
            if now != before.get(group, [helper([]) for helper in helpers]):
                found.append((*group, time, *((1 if now[0] else -1,) if statement.distinct else now)))
            before[group] = now
    return found


def is_refused(statement: Statement) -> bool:
    """Whether the nearest would be chosen before all that leaves out streams is known."""
    late = {statement.favourites, statement.tags} & {"semi", "anti"}
    late |= {each for how, each in ((statement.favourites, "F"), (statement.tags, "T"))
             if how == "left" and (statement.on_favourites if each == "F" else statement.on_tags)}  # fmt: skip
    return statement.place.startswith("kNN") and bool(late)


def rows_of(instants: list[list[Row]]) -> list[Row]:
    return [
        {**row, "t": START + timedelta(seconds=second)} for second, instant in enumerate(instants) for row in instant
    ]
