"""Wrong statements, and all that is said of each."""

import pickle

import pytest

from limen.errors import InvalidStatement
from limen.sql import parse, parse_script

FORMS = (
    "a region: RANGE, BOX, CIRCLE, POLYGON, MULTIPOLYGON, (x1, y1, x2, y2), a name or a comparison such as price < 40"
)
REFUSED = "SQL here defines queries, drops them or selects; it writes no data"
BEGINNINGS = "CREATE, DROP QUERY, SHOW QUERIES, EXPLAIN or SELECT"
MISTAKES = {
    "": f"line 1, column 1: expected a statement: {BEGINNINGS}, got nothing",
    "INSERT INTO s VALUES (1)": f"line 1, column 1: expected {BEGINNINGS}, got INSERT. Hint: {REFUSED}",
    "SELCT * FROM s INSIDE r": f"line 1, column 1: expected {BEGINNINGS}, got SELCT. Hint: did you mean 'SELECT'?",
    "DROP TABLE s": f"line 1, column 6: expected QUERY, got TABLE. Hint: {REFUSED}",
    "CREATE BODER b ON s INSIDE (0, 0, 1, 1)": (
        "line 1, column 8: expected REGION, BORDER, TRANSITION, MATCH, WITHIN, NEAREST, PATTERN or TRIGGER, got BODER. "
        "Hint: did you mean 'BORDER'?"
    ),
    "CREATE BORDER\n  ON s INSIDE (0, 0, 1, 1)": "line 2, column 6: expected ON, got s",
    "CREATE BORDER b ON s INSIDE nowhere": (
        f"line 1, column 29: expected {FORMS}, got nowhere. Hint: CREATE REGION name AS … gives a region a name"
    ),
    "CREATE REGION centre AS (0, 0, 1, 1); CREATE BORDER b ON s\nINSIDE center": (
        "line 2, column 8: expected a region that has been created (centre), got center. Hint: did you mean 'centre'?"
    ),
    "CREATE BORDER b ON s INSIDE CIRKLE (0, 0, 1)": (
        "line 1, column 29: expected RANGE, BOX, CIRCLE, POLYGON or MULTIPOLYGON, got CIRKLE. "
        "Hint: did you mean 'CIRCLE'?"
    ),
    "CREATE BORDER b ON s (x) INSIDE (0, 0, 1, 1)": "line 1, column 33: expected a region of 1 dimension (x), got 2",
    "CREATE BORDER b ON s INSIDE RANGE (4, 1)": "line 1, column 29: range: expected lo < hi, got lo 4.0, hi 1.0",
    "CREATE BORDER b ON s INSIDE price <> 40": (
        "line 1, column 35: expected <, <=, >, >= or =, got <>. Hint: a region is one piece: <, <=, >, >=, = or BETWEEN"
    ),
    "CREATE BORDER b ON s INSIDE price < 40 AND volume > 3": (
        "line 1, column 44: expected a comparison of the column price again, got volume. Hint: BOX (…) is about several"
    ),
    "CREATE BORDER b ON s INSIDE CIRCLE (5) AROUND 'car 54'": (
        "line 1, column 29: expected a region that stays where it is, got one around 'car 54'. "
        "Hint: CREATE WITHIN takes places that move"
    ),
    "CREATE BORDER b ON s WHERE kind == 'car' AND INSIDE (0, 0, 1, 1)": (
        "line 1, column 28: expression \"kind == 'car' AND\": expected a condition in SQL, "
        "got a syntax error near 'AND' in line 1, column 17"
    ),
    "CREATE BORDER b ON s WHERE upper(kind) = 'CAR' INSIDE (0, 0, 1, 1)": (
        "line 1, column 28: expression \"upper(kind) = 'CAR'\": expected a condition of simple parts, "
        "got UPPER(kind) at character 1. Hint: a condition may have comparisons, AND, OR, NOT, IN (constants), "
        "BETWEEN, LIKE, ILIKE, IS NULL, + - * / %, columns, numbers, 'text', TRUE, FALSE, NULL, DATE '…' and "
        "TIMESTAMP '…'"
    ),
    "CREATE BORDER b ON s INSIDE (0, 0, 1, 1) WHERE kind = 'car'": (
        "line 1, column 42: expected INITIAL, CROSSINGS, MARGIN, CONFIRM, MIN_STAY or the end of the statement, "
        "got WHERE. Hint: it comes before INSIDE"
    ),
    "CREATE BORDER b ON s INSIDE (0, 0, 1, 1) MARGN 3": (
        "line 1, column 42: expected INITIAL, CROSSINGS, MARGIN, CONFIRM, MIN_STAY or the end of the statement, "
        "got MARGN. Hint: did you mean 'MARGIN'?"
    ),
    "CREATE BORDER b ON s INSIDE (0, 0, 1, 1) CONFIRM 0": (
        "line 1, column 15: query 'b': confirm: expected a number of rows, 1 or more, got 0"
    ),
    "CREATE TRANSITION t ON s INSIDE (0, 0, 1, 1)": (
        "line 1, column 45: expected WITHIN, how long a stream has, such as WITHIN INTERVAL 3 MINUTES, got the end"
    ),
    "CREATE TRANSITION t ON s INSIDE (0, 0, 1, 1) WITHIN INTERVAL 3 MINUETS": (
        "line 1, column 64: expected a unit: WEEKS, DAYS, HOURS, MINUTES, SECONDS, MILLISECONDS or MICROSECONDS, "
        "got MINUETS. Hint: did you mean 'MINUTES'?"
    ),
    "CREATE TRANSITION t ON s INSIDE (0, 0, 1, 1) WITHIN 3 REPORT staid": (
        "line 1, column 62: expected passed, returned, stayed or gone, got staid. Hint: did you mean 'stayed'?"
    ),
    "CREATE NEAREST n ON s INSIDE (0, 0, 1, 1)": (
        "line 1, column 23: expected KNN, got INSIDE. Hint: INSIDE belongs to CREATE WITHIN"
    ),
    "CREATE NEAREST n ON s kNN (2.5, 1, 1)": "line 1, column 28: expected how many, a whole number, got 2.5",
    "CREATE NEAREST n ON s kNN (5)": (
        "line 1, column 30: expected a center, kNN (k, x, y), or kNN (k) AROUND 'id', got the end"
    ),
    "CREATE WITHIN w ON s INSIDE ('N', 'car 54', 1, 1)": (
        "line 1, column 30: expected numbers, or 'M' for a place that moves, got 'N'"
    ),
    "CREATE MATCH m ON s INSIDE POLYGON ('POLYGON ((0 0, 4 0, 4 4))')": (
        "line 1, column 37: expected a ring that ends where it begins, got one that does not"
    ),
    "CREATE MATCH m ON s INSIDE POLYGON ('POINT (0 0)')": (
        "line 1, column 37: expected WKT of a POLYGON or a MULTIPOLYGON, got Point"
    ),
    "CREATE MATCH 'm ON s INSIDE (0, 0, 1, 1)": (
        "line 1, column 14: expected a closing quote or the end of a comment, got 'm ON s INSIDE (0, 0, 1, 1)"
    ),
    "SELECT * FROM s WHERE kind = 'car'": (
        "line 1, column 35: expected INSIDE or kNN: where to look, got the end. "
        "Hint: without a place it is no continuous query; Spark answers it as it is"
    ),
    "SELECT * FROM s INSIDE (0, 0, 1, 1) kNN (5, 1, 1)": (
        "line 1, column 37: expected one spatial clause, INSIDE or kNN, got a second one. "
        "Hint: two queries, and a join of them"
    ),
    "SELECT * FROM s INSIDE (0, 0, 1, 1) ORDER BY id": (
        "line 1, column 37: expected SELECT, FROM, JOIN, WHERE, INSIDE or kNN, and GROUP BY, got ORDER BY. "
        "Hint: it has no meaning for changes; use it on the DataFrame that comes out"
    ),
    "CREATE BORDER b ON s INSIDE (170, 10, -170, 0)": (
        "line 1, column 29: expected the smaller x first, the two being more than 180 apart as degrees may be, "
        "got 170 before -170. Hint: BOX (170, 0, -170, 10) goes from 170 to the east, over the antimeridian; "
        "BOX (-170, 0, 170, 10) from -170 to 170"
    ),
    "CREATE BORDER b ON s WHERE from = 3 INSIDE (0, 0, 1, 1)": (
        "line 1, column 28: expression 'from = 3': expected a condition in SQL, got a syntax error near 'from' in "
        "line 1, column 4. Hint: a column whose name is a word of SQL goes into backquotes: `from`"
    ),
    "CREATE BORDER b ON s WHERE inside > 3 INSIDE (0, 0, 1, 1)": (
        "line 1, column 28: expected a condition after WHERE, got inside. "
        "Hint: a column whose name is a word of SQL goes into backquotes: `inside`"
    ),
    "SELECT id, select FROM s INSIDE (0, 0, 1, 1)": (
        "line 1, column 12: expected SELECT as Spark has it, got 'select' (invalid expression / unexpected token). "
        "Hint: a column whose name is a word of SQL goes into backquotes: `select`"
    ),
    "SELECT from FROM s INSIDE (0, 0, 1, 1)": (
        "line 1, column 1: expected one SELECT, got SELECT of nothing. "
        "Hint: a column whose name is a word of SQL goes into backquotes: `from`"
    ),
    "CREATE PATTERN p ON s AS a, b WHEN b.x - a.x IN [0, 3]": (
        "line 1, column 38: expected b.t, got x. Hint: of other columns BETWEEN … AND … compares the difference"
    ),
    "CREATE PATTERN p ON s AS a, b WHEN a.x = c": (
        "line 1, column 42: expected a column of a variable, such as a.c, or a text in quotes, got c"
    ),
    "CREATE PATTERN p ON s AS a, b WHEN a.x = 3 OR b.x = 2": (
        "line 1, column 44: expected conditions joined by AND, got OR. Hint: put what OR joins into parentheses"
    ),
    "CREATE PATTERN p ON s AS first, second WHEN frist.x = 3": (
        "line 1, column 45: expected a variable (first, second), got frist. Hint: did you mean 'first'?"
    ),
    "CREATE PATTERN p ON s AS a, b WHEN DISTANCE(a.r, b.r) <= 3": (
        "line 1, column 55: expected < or >=, which distances are compared by, got <="
    ),
    "CREATE PATTERN p ON s AS a, b, c WHEN a.x + b.x > c.x": (
        "line 1, column 39: expected a condition on the columns of one variable or two, got one on a, b, c. "
        "Hint: write a.column"
    ),
    "CREATE PATTERN p ON s AS a, b WHEN b.t - a.t IN [0, 5] AND a.t - b.t IN [1, 2]": (
        "line 1, column 16: query 'p': expected consistent time constraints, got contradictory ones: b → a → b adds up "
        "to -1 seconds"
    ),
    "CREATE PATTERN p ON s VARIABLE a INSIDE x < 3": (
        "line 1, column 41: expected a region on the pattern's columns, got a comparison. "
        "Hint: a comparison is a condition: WHERE"
    ),
    "CREATE TRIGGER p FOR e AS a, f AS b WHEN a.x = 3": (
        "line 1, column 30: expected the stream e again: all tuples of a pattern are of one, got f"
    ),
    "EXPLAIN SHOW QUERIES": "line 1, column 9: expected a query to explain: CREATE or SELECT, got SHOW",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_what_is_said_of_a_wrong_statement(text: str) -> None:
    with pytest.raises(InvalidStatement) as caught:
        parse_script(text) if text else parse(text)
    assert str(caught.value) == MISTAKES[text]


def test_a_second_statement_where_one_is_wanted() -> None:
    with pytest.raises(InvalidStatement, match=r"line 2, column 1: expected one statement, got another one"):
        parse("SHOW QUERIES;\nSHOW QUERIES")


def test_an_error_keeps_its_place_when_it_is_told_from_further_out_and_between_processes() -> None:
    with pytest.raises(InvalidStatement) as caught:
        parse("CREATE BODER b")
    error = pickle.loads(pickle.dumps(caught.value.within("alerts.sql")))
    assert (error.line, error.column) == (1, 8)
    assert str(error).startswith("alerts.sql: line 1, column 8: expected REGION")
