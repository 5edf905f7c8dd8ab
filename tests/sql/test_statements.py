"""Statements and the queries that they are: the papers' own, and ours."""

import math
from datetime import timedelta

import pyarrow as pa
import pytest

from limen import (
    Border,
    Box,
    Circle,
    Columns,
    Engine,
    Match,
    Nearest,
    Pair,
    Pattern,
    Polygon,
    Range,
    Transition,
    Variable,
    Within,
)  # fmt: skip
from limen.errors import InvalidStatement
from limen.model.query import Query
from limen.sql import CreateQuery, CreateRegion, DropQuery, Explain, Select, ShowQueries, parse, parse_script, to_sql
from limen.sql.statement import Around, Place

TRIANGLE = Polygon([(0, 0), (4, 0), (4, 4)])
ABOVE_40 = math.nextafter(40, math.inf)
QUERIES: dict[str, Query] = {
    "CREATE BORDER downtown ON positions INSIDE BOX (0, 0, 10, 10)": Border("downtown", Box((0, 0), (10, 10))),
    "create border downtown on positions inside box ((0, 0), (10, 10)) initial report": Border(
        "downtown", Box((0, 0), (10, 10)), initial="report"
    ),
    "CREATE BORDER b ON s INSIDE (10, 0, 0, 10) INITIAL SILENT": Border("b", Box((0, 0), (10, 10))),
    "CREATE BORDER b ON s INSIDE (100, 100, -100, -100)": Border("b", Box((-100, -100), (100, 100))),
    "CREATE BORDER b ON s INSIDE (-170, 10, 170, 0)": Border("b", Box((-170, 0), (170, 10))),
    "CREATE BORDER b ON s INSIDE BOX (170, 0, -170, 10)": Border("b", Box((170, 0), (-170, 10))),
    "CREATE BORDER b ON s INSIDE (1, 2, 3, 4) CROSSINGS MARGIN .5 CONFIRM 3 MIN_STAY INTERVAL '10' SECONDS": Border(
        "b", Box((1, 2), (3, 4)), crossings=True, margin=0.5, confirm=3, min_stay=10
    ),
    "CREATE BORDER cheap ON prices FOR 'IBM' INSIDE price < 40": Border(
        "cheap", Range(None, 40), on="price", streams="IBM"
    ),
    "CREATE BORDER b ON s INSIDE price <= 40": Border("b", Range(None, ABOVE_40), on="price"),
    "CREATE BORDER b ON s INSIDE price > 40": Border("b", Range(ABOVE_40, None), on="price"),
    "CREATE BORDER b ON s INSIDE 30 <= price AND 40 > price": Border("b", Range(30, 40), on="price"),
    "CREATE BORDER b ON s INSIDE price = 40": Border("b", Range(40, ABOVE_40), on="price"),
    "CREATE BORDER b ON s INSIDE price BETWEEN -3e1 AND 40": Border("b", Range(-30, ABOVE_40), on="price"),
    "CREATE BORDER b ON s INSIDE RANGE (NULL, 40)": Border("b", Range(None, 40)),
    "CREATE MATCH m ON s (y, x) FOR (7, bus) WHERE kind = 'car' INSIDE CIRCLE (1, 2, 3);": Match(
        "m", Circle((1, 2), 3), on=("y", "x"), streams=("7", "bus"), where="kind = 'car'"
    ),
    "CREATE MATCH m ON s WHERE (inside > 1) INSIDE BOX ((0, NULL, 1), (1, 2, NULL))": Match(
        "m", Box((0, None, 1), (1, 2, None)), where="inside > 1"
    ),
    "CREATE MATCH `my match` ON `a b` INSIDE POLYGON('POLYGON ((0 0, 4 0, 4 4, 0 0))')": Match("my match", TRIANGLE),
    "CREATE TRANSITION t ON s INSIDE (0, 0, 1, 1) WITHIN INTERVAL 3 MINUTES": Transition(
        "t", Box((0, 0), (1, 1)), within=180
    ),
    "CREATE TRANSITION t ON s INSIDE (0, 0, 1, 1) WITHIN INTERVAL '3 minutes' REPORT stayed, gone": Transition(
        "t", Box((0, 0), (1, 1)), within=timedelta(minutes=3), kinds=("stayed", "gone")
    ),
    "CREATE TRANSITION t ON s INSIDE (0, 0, 1, 1) REPORT gone WITHIN 1.5": Transition(
        "t", Box((0, 0), (1, 1)), within=1.5, kinds="gone"
    ),
    "CREATE WITHIN w ON s INSIDE CIRCLE (5, 5, 2) MIN_ACCURACY 90": Within("w", Circle((5, 5), 2), min_accuracy=90),
    "CREATE WITHIN w ON s INSIDE ('M', 'car 54', 10, 20)": Within("w", focal="car 54", width=10, height=20),
    "CREATE WITHIN w ON s INSIDE BOX (10, 20) AROUND 'car 54'": Within("w", focal="car 54", width=10, height=20),
    "CREATE WITHIN w ON s (x) INSIDE RANGE (10) AROUND 54": Within("w", focal="54", width=10, on="x"),
    "CREATE WITHIN w ON s INSIDE CIRCLE (500) AROUND 'car 54'": Within("w", focal="car 54", radius=500),
    "CREATE NEAREST n ON s WHERE free kNN (5, 3, 4)": Nearest("n", 5, center=(3, 4), where="free"),
    "CREATE NEAREST n ON s knn ('M', 5, 'Ann')": Nearest("n", 5, focal="Ann"),
    "CREATE NEAREST n ON s kNN (5) AROUND Ann MIN_ACCURACY 50": Nearest("n", 5, focal="Ann", min_accuracy=50),
}  # fmt: skip


@pytest.mark.parametrize("text", QUERIES)
def test_a_statement_is_a_query(text: str) -> None:
    statement = parse(text)
    assert isinstance(statement, CreateQuery)
    assert statement.query == QUERIES[text]
    written = to_sql(statement.query, statement.stream)
    assert parse(written) == statement


CCQ = """CREATE TRIGGER collision
FOR E as V1, E as V2, E as V3
WHEN V1.p = A AND V2.p = B AND V3.p = C
AND DISTANCE(V1.r, V2.r) < 1 AND V2.t - V1.t IN [0, 5]
AND DISTANCE(V2.r, V3.r) < 1 AND V3.t - V2.t IN [1, 5]"""


def test_the_trigger_of_the_paper_on_patterns() -> None:
    statement = parse(CCQ)
    assert isinstance(statement, CreateQuery)
    assert statement.stream == "E"
    assert statement.query == Pattern(
        "collision",
        {"V1": "p = 'A'", "V2": "p = 'B'", "V3": "p = 'C'"},
        [Pair("V1", "V2", after=(0, 5), distance=1), Pair("V2", "V3", after=(1, 5), distance=1)],
    )
    assert statement.warnings == tuple(
        f"trigger collision: {name} is no column of a variable, and was read as the text '{name}'" for name in "ABC"
    )
    query = statement.query
    engine = Engine(Columns("id", "time", ("x", "y"), ("p",), time_unit="s"), queries=[query])
    rows = {
        "id": ["a", "b", "c", "d"],
        "time": [1, 3, 5, 6],
        "x": [0.0, 0.5, 1.0, 9.0],
        "y": [0.0] * 4,
        "p": list("ABCC"),
    }
    (alert,) = engine.process(pa.table(rows)).to_pylist()
    assert [(each["variable"], each["stream_id"]) for each in alert["bindings"]] == [
        ("V1", "a"),
        ("V2", "b"),
        ("V3", "c"),
    ]


def test_a_bare_name_of_a_trigger_may_be_a_word_of_sql() -> None:
    statement = parse("""
        CREATE TRIGGER t FOR E AS a, E AS b
        WHEN a.p = left AND b.p <> report AND order = b.q AND a.q = date AND a.day < DATE '2026-01-01'
        AND a.p IS NOT NULL AND b.t - a.t IN [0, 5] CAP 3
    """)
    assert isinstance(statement, CreateQuery)
    assert statement.query == Pattern(
        "t",
        {"a": "p = 'left' AND q = 'date' AND day < DATE '2026-01-01' AND p IS NOT NULL",
         "b": "p <> 'report' AND 'order' = q"},
        [Pair("a", "b", after=(0, 5))],
        cap=3,
    )  # fmt: skip
    assert len(statement.warnings) == 4


PATTERNS: dict[str, Query] = {
    "CREATE PATTERN p ON s AS a, b WHEN b.x - a.x > 3 AND b.y - a.y BETWEEN 0 AND 1 AND b.t - a.t IN [0, 5]": Pattern(
        "p",
        {"a": None, "b": None},
        [Pair("a", "b", after=(0, 5), where="b.x - a.x > 3 AND b.y - a.y BETWEEN 0 AND 1")],
    ),
    """CREATE PATTERN storm ON buoys AS humid, windy
       WHEN humid.humidity > 90 AND windy.wind BETWEEN 3 AND 8 AND (humid.kind = 'x' OR humid.kind = 'y')
       AND humid.kind <> windy.kind AND 5 > DISTANCE(humid, windy) AND DISTANCE(windy.r, humid.r) >= 2
       AND windy.t - humid.t <= INTERVAL 1 HOUR AND humid.time - windy.time < 0 REPORT FIRST""": Pattern(
        "storm",
        {"humid": "humidity > 90 AND (kind = 'x' OR kind = 'y')", "windy": "wind BETWEEN 3 AND 8"},
        [Pair("humid", "windy", after=(0.000001, 3600), distance=5, beyond=2, where="humid.kind <> windy.kind")],
        report="first",
    ),
    "CREATE PATTERN crowd ON s AT LEAST 3 WHERE speed < 1 DISTANCE 5 WITHIN INTERVAL 5 MINUTES CAP 4": Pattern.at_least(
        "crowd", 3, where="speed < 1", distance=5, within=300, cap=4
    ),
    """CREATE PATTERN p ON s (x, y) FOR 'a', 'b' WHERE flag
       VARIABLE a FOR 1 WHERE u > 3 INSIDE (0, 0, 1, 1) VARIABLE b
       PAIR a, b AFTER [0.5, NULL] BEYOND 3 WHERE a.x < b.y RETAIN 60""": Pattern(
        "p",
        {"a": Variable("a", "u > 3", Box((0, 0), (1, 1)), streams=1), "b": None},
        [Pair("a", "b", after=(0.5, None), beyond=3, where="a.x < b.y")],
        retain=60, on=("x", "y"), streams=("a", "b"), where="flag",
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", PATTERNS)
def test_a_statement_is_a_pattern(text: str) -> None:
    statement = parse(text)
    assert isinstance(statement, CreateQuery)
    assert statement.query == PATTERNS[text]
    assert parse(to_sql(statement.query, statement.stream)).query == statement.query  # type: ignore[union-attr]


SOLE_RANGE = 'SELECT M.ObjectID\nFROM MovingObjects M\nWHERE M.type = "truck"\nINSIDE MyArea'
SOLE_JOIN = "SELECT M.ObjectID\nFROM MovingObjects M, MyFavoriteCars F\nWHERE M.ObjectID = F.ObjectID\nINSIDE MyArea"


@pytest.mark.parametrize("text", [SOLE_RANGE, SOLE_JOIN])
@pytest.mark.parametrize("area", ["(0, 10, 10, 0)", "('M', 'police', 4, 4)"])
def test_the_statements_of_the_paper_on_answers(text: str, area: str) -> None:
    region, statement = parse_script(f"CREATE REGION MyArea AS {area}; {text}")
    assert isinstance(region, CreateRegion)
    assert isinstance(statement, Select)
    assert statement.place is not None
    assert statement.place == region.place
    assert statement.place.what in (Box((0, 0), (10, 10)), Around("police", width=4, height=4))


@pytest.mark.parametrize(
    ("clause", "nearest"),
    [("kNN (5, 3, 4)", (5, [3, 4])), ("kNN ('M', 5, 42)", (5, "42")), ("knn(5) AROUND a", (5, "a"))],
)
def test_the_nearest_of_the_paper_on_answers(clause: str, nearest: object) -> None:
    statement = parse(f"SELECT * FROM MovingObjects M {clause}")
    assert isinstance(statement, Select)
    assert statement.nearest == nearest


def test_what_groups_may_stand_before_the_place_or_behind() -> None:
    before = parse("SELECT F.owner, count(*) FROM s M JOIN F ON M.id = F.id GROUP BY F.owner INSIDE (0, 0, 1, 1)")
    behind = parse("SELECT F.owner, count(*) FROM s M JOIN F ON M.id = F.id INSIDE (0, 0, 1, 1) GROUP BY F.owner")
    assert isinstance(before, Select)
    assert isinstance(behind, Select)
    assert before.tree == behind.tree


def test_statements_that_are_no_queries() -> None:
    assert parse("DROP QUERY `my query`;") == DropQuery("my query")
    assert parse("show queries") == ShowQueries()
    explained = parse("EXPLAIN CREATE MATCH m ON s INSIDE (0, 0, 1, 1)")
    assert isinstance(explained, Explain)
    assert explained.statement == parse("CREATE MATCH m ON s INSIDE (0, 0, 1, 1)")


def test_a_script_has_regions_by_name_from_where_they_are_created_on() -> None:
    region, query = parse_script("""
        -- where the money is
        CREATE REGION Centre AS CIRCLE (0, 0, 5);
        CREATE BORDER centre ON positions INSIDE CENTRE;
    """)
    assert region == CreateRegion("Centre", Place(Circle((0, 0), 5)))
    assert query == CreateQuery(Border("centre", Circle((0, 0), 5)), "positions")
    with pytest.raises(InvalidStatement, match=r"line 1, column 29: .* got centre"):
        parse_script("CREATE BORDER b ON s INSIDE centre; CREATE REGION centre AS CIRCLE (0, 0, 5)")
    cheap = parse_script("CREATE REGION cheap AS price < 40; CREATE BORDER b ON s INSIDE cheap")[1]
    assert isinstance(cheap, CreateQuery)
    assert cheap.query == Border("b", Range(None, 40), on="price")


def test_replacing_is_said() -> None:
    statement = parse("CREATE OR REPLACE BORDER b ON s INSIDE (0, 0, 1, 1)")
    assert isinstance(statement, CreateQuery)
    assert statement.replace
    place = Place(Circle((0, 0), 1))
    with pytest.raises(InvalidStatement, match="expected a name that is not taken, got R"):
        parse("CREATE REGION R AS (0, 0, 1, 1)", {"r": place})
    assert parse("CREATE OR REPLACE REGION R AS (0, 0, 1, 1)", {"r": place}).replace  # type: ignore[union-attr]
