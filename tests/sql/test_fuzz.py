"""Whatever the text, there is a statement or an error with a place in the text; nothing else."""

from hypothesis import example, given
from hypothesis import strategies as st

from limen.errors import InvalidStatement
from limen.sql import parse_script
from limen.sql.parser import each_statement

#: Pieces that statements are made of, and pieces that break readers.
PIECES = (
    "CREATE", "OR", "REPLACE", "BORDER", "TRANSITION", "MATCH", "WITHIN", "NEAREST", "REGION", "PATTERN", "TRIGGER",
    "q", "ON", "s", "(x, y)", "FOR", "'a'", "WHERE", "kind = 'car'", "INSIDE", "kNN", "(0, 0, 1, 1)",
    "('M', 7, 1, 2)", "(3, 1, 2)", "RANGE", "BOX", "CIRCLE", "POLYGON", "MULTIPOLYGON", "(NULL, 4)",
    "((0, 0), (1, 1))", "('POLYGON ((0 0, 1 0, 1 1, 0 0))')", "price < 40", "BETWEEN", "AND", "AROUND", "INITIAL",
    "REPORT", "CROSSINGS", "MARGIN", "CONFIRM", "MIN_STAY", "INTERVAL", "3", "MINUTES", "stayed, gone",
    "MIN_ACCURACY", "DROP", "QUERY", "SHOW", "QUERIES", "EXPLAIN", "SELECT", "*", "count(*)", "FROM", "M", "JOIN",
    "F", "M.id = F.id", "GROUP BY", "DISTINCT", "AS", "V1", "WHEN", "V1.p = A", "DISTANCE(V1.r, V2.r) < 1",
    "V2.t - V1.t IN [0, 5]", "E AS V1", ",", ";", "(", ")", "[", "]", "'", '"', "`", "--", "/*", "*/", "\n", "-",
    ".", "1e999", "1e", "0x1G", "{", "}", "?", "@", "$", "\x00", "é", "𝄞", "\ud800", "9" * 5000, "((((", "::", "=",
    "<>", "NULL", "M.", "\\",
)  # fmt: skip


def read(text: str) -> None:
    """Read a text; what goes wrong goes wrong at a place that is in it."""
    lines = text.split("\n")
    error = None
    try:
        parse_script(text)
    except InvalidStatement as raised:
        error = raised
    if error is not None:
        assert error.line is not None
        assert 1 <= error.line <= len(lines)
        assert error.column is not None
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1
        assert str(error).startswith(f"line {error.line}, column {error.column}: ")
    else:
        assert all(not isinstance(found, InvalidStatement) for _, found in each_statement(text))


@given(st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join))
def test_pieces_of_statements(text: str) -> None:
    read(text)


@given(st.lists(st.sampled_from(PIECES), max_size=15).map("".join))
def test_pieces_without_spaces(text: str) -> None:
    read(text)


@given(st.text(max_size=200))
@example("\r")
@example("\x85'")
def test_any_text(text: str) -> None:
    read(text)


GOOD = (
    "CREATE BORDER `d t` ON s (x, y) FOR 'a', 'b' WHERE kind = 'car' AND a > 1 INSIDE BOX ((0, 0), (9, 9)) CROSSINGS",
    "CREATE TRANSITION t ON s INSIDE CIRCLE (1, 2, 3) WITHIN INTERVAL 3 MINUTES REPORT stayed, gone MARGIN 0.5",
    "CREATE NEAREST n ON s kNN ('M', 5, 'Ann'); CREATE WITHIN w ON s INSIDE CIRCLE (500) AROUND 'car 54'",
    "SELECT M.id, F.owner FROM positions M JOIN favourites F ON M.id = F.id WHERE M.kind = 'truck' INSIDE (0, 0, 9, 9)",
    "CREATE REGION r AS POLYGON ('POLYGON ((0 0, 4 0, 4 4, 0 0))'); CREATE MATCH m ON s INSIDE r; DROP QUERY m",
)


@given(st.sampled_from(GOOD), st.data())
def test_a_good_statement_with_a_piece_changed(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 12)))
    put = data.draw(st.sampled_from(PIECES) | st.characters())
    read(text[:start] + put + text[end:])
