# ruff: noqa: E501  # texts of errors are quoted whole
import math
import sqlite3
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.errors import InvalidInput, InvalidQuery
from limen.model import Expression

# Expressions over columns x, y (float), n, m (integer) and k, j (text), each as a pair of texts: ours and
# SQLite's, which divides integers without a remainder unless told otherwise.
# All numbers are dyadic, so that both compute the same to the bit.
floats = st.sampled_from([-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, 4.25])
integers = st.integers(-7, 7)
strings = st.sampled_from(["", "a", "ab", "B", "a%b", "é", "it's", "\U0001f600", "a\nb"])


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def same(text):
    return text, text


def join(*parts):
    """Put texts and pairs together into one pair."""
    pairs = [same(part) if isinstance(part, str) else part for part in parts]
    return "".join(ours for ours, _ in pairs), "".join(theirs for _, theirs in pairs)


def binary(operators, left, right):
    return st.builds(lambda a, o, b: join("(", a, f" {o} ", b, ")"), left, st.sampled_from(operators), right)


def negated(word):
    return st.sampled_from([f" {word} ", f" NOT {word} "])


whole = st.sampled_from(["n", "m"]).map(same) | integers.map(lambda v: same(str(v)))
remainders = binary(["%"], whole, whole)
numbers = st.recursive(
    st.sampled_from(["x", "y"]).map(same) | floats.map(lambda v: same(repr(v))) | whole | remainders | st.just(same("NULL")),
    lambda inner: (
        binary(["+", "-", "*"], inner, inner)
        | st.builds(lambda a, b: join("(", a, " / ", ("(", "(1.0 * "), b, "))"), inner, inner)
        | inner.map(lambda v: join("(- ", v, ")"))
    ),
    max_leaves=5,
)  # fmt: skip
texts = st.sampled_from(["k", "j"]).map(same) | strings.map(lambda v: same(quoted(v)))
comparisons = ["=", "<>", "!=", "<", "<=", ">", ">="]
patterns = st.lists(st.sampled_from(["a", "b", "B", "é", "%", "_"]), max_size=4).map("".join)
atoms = (
    binary(comparisons, numbers, numbers)
    | binary(comparisons, texts, texts)
    | st.builds(lambda v, w, a, b: join("(", v, w, a, " AND ", b, ")"), numbers, negated("BETWEEN"), numbers, numbers)
    | st.builds(lambda v, w, c: join("(", v, w, "(", ", ".join(c), "))"), numbers, negated("IN"), st.lists(floats.map(repr) | st.just("NULL"), min_size=1))
    | st.builds(lambda v, w, c: join("(", v, w, "(", ", ".join(c), "))"), texts, negated("IN"), st.lists(strings.map(quoted), min_size=1))
    | st.builds(lambda v, w, p: join("(", v, w, quoted(p), ")"), texts, negated("LIKE"), patterns)
    | st.builds(lambda v, w: join("(", v, w, ")"), numbers | texts, st.sampled_from([" IS NULL", " IS NOT NULL"]))
    | st.sampled_from(["TRUE", "FALSE"]).map(same)
)  # fmt: skip
conditions = st.recursive(
    atoms,
    lambda inner: binary(["AND", "OR"], inner, inner) | inner.map(lambda c: join("(NOT ", c, ")")),
    max_leaves=6,
)
rows = st.lists(
    st.tuples(
        *(st.none() | floats for _ in "xy"),
        *(st.none() | integers for _ in "nm"),
        *(st.none() | strings for _ in "kj"),
    ),
    min_size=1,
    max_size=12,
)
TYPES = {"x": "float64", "y": "float64", "n": "int64", "m": "int64", "k": "string", "j": "string"}


def arrays(table):
    columns = zip(*table, strict=True)
    return {name: pa.array(values, kind) for (name, kind), values in zip(TYPES.items(), columns, strict=True)}


def mask(text, **columns):
    return Expression.parse(text).mask({name: pa.array(values) for name, values in columns.items()}).tolist()


def judge(condition, table):
    with sqlite3.connect(":memory:") as database:
        database.execute("PRAGMA case_sensitive_like = ON")
        database.execute("CREATE TABLE t (x REAL, y REAL, n INTEGER, m INTEGER, k TEXT, j TEXT)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", table)
        answer = [bool(met) for (met,) in database.execute(f"SELECT ({condition}) IS TRUE FROM t ORDER BY rowid")]
    database.close()
    return answer


@given(conditions, rows)
def test_sqlite_agrees(condition, table):
    ours, theirs = condition
    assert Expression.parse(ours).mask(arrays(table)).tolist() == judge(theirs, table)


@given(conditions, rows)
def test_the_canonical_text_means_the_same(condition, table):
    expression = Expression.parse(condition[0])
    again = Expression.parse(expression.canonical)
    assert again == expression
    assert (again.canonical, again.names) == (expression.canonical, expression.names)
    assert again.mask(arrays(table)).tolist() == expression.mask(arrays(table)).tolist()


@given(st.lists(st.tuples(st.floats(), st.floats()), min_size=1))
def test_the_remainder_of_floats_has_the_sign_of_the_dividend(pairs):
    def remainder(a, b):
        return math.fmod(a, b) if math.isfinite(a) and b != 0 and not math.isnan(b) else math.nan

    lefts, rights = zip(*pairs, strict=True)
    expected = [remainder(a, b) for a, b in pairs]
    for text, wanted in (
        ("x % y < 0", [e < 0 for e in expected]),
        ("x % y >= 0", [e >= 0 for e in expected]),
    ):
        assert mask(text, x=list(lefts), y=list(rights)) == wanted


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(1, 2**62)), min_size=1))
def test_the_remainder_of_integers_is_exact(pairs):
    lefts, rights = zip(*pairs, strict=True)
    wanted = [int(math.copysign(1, a)) * (abs(a) % b) for a, b in pairs]
    assert mask("x % y = r", x=lefts, y=rights, r=wanted) == [True] * len(pairs)


def test_equal_conditions_have_one_canonical_text():
    plain = Expression.parse("kind = 'truck' AND speed BETWEEN 1 AND 2")
    for text in (
        'kind="truck" and   speed between 1 and 2',
        "(`kind` == 'truck') AND (speed >= 1 AND speed <= 2) -- trucks",
    ):
        assert Expression.parse(text) == plain
        assert hash(Expression.parse(text)) == hash(plain)
    assert Expression.parse("Kind = 'truck'") != Expression.parse("kind = 'truck'")
    assert Expression.parse("x < 1") is Expression.parse("x < 1")


def test_names():
    assert Expression.parse("b > 1 or a.kind <> b.kind or `my col` = b").names == (
        "a.kind",
        "b",
        "b.kind",
        "my col",
    )
    # Words with which statements begin are names like any other.
    assert Expression.parse("load > 3 and `select` = 1").names == ("load", "select")


def test_qualified_names_are_keys():
    columns = {"a.kind": pa.array(["x", "y"]), "b.kind": pa.array(["x", "z"])}
    assert Expression.parse("a.kind <> b.kind").mask(columns).tolist() == [False, True]


def test_missing_is_not_true():
    nan = math.nan
    assert mask("x <> 1", x=[nan, None, 2.0]) == [False, False, True]
    assert mask("NOT x = 1", x=[nan, None, 2.0]) == [False, False, True]
    assert mask("x IS NULL", x=[nan, None, 2.0]) == [True, True, False]
    assert mask("x - x = 0 OR x - x <> 0", x=[math.inf, 1.0]) == [False, True]
    assert mask("x / 0 > 1 OR x / 0 <= 1 OR x % 0 = 0", x=[1, 2]) == [False, False]
    assert mask("1 / 2 * x = 1", x=[2, 3]) == [True, False]
    assert mask("x = 1 OR TRUE", x=pa.nulls(2)) == [True, True]
    assert mask("x LIKE 'a' OR x + 1 > 2 OR x IN (1) OR x = DATE '2026-01-01'", x=pa.nulls(1)) == [False]
    assert mask("x", x=[True, False, None]) == [True, False, False]


def test_zero_has_no_sign():
    assert mask("x IN (0) AND x IN (-0.0) AND x = 0", x=[-0.0, 0.0]) == [True, True]


def test_constants_alone():
    assert mask("TRUE", x=[1, 2]) == [True, True]
    assert mask("NULL", x=[1, 2]) == [False, False]
    assert mask("5 % 3 = 2 AND 'a' LIKE 'a%' AND 1 IN (1, NULL)", x=[1]) == [True]
    with pytest.raises(InvalidInput, match="expression 'TRUE': expected at least one column, got none"):
        Expression.parse("TRUE").mask({})


def test_whole_numbers_are_compared_exactly():
    big = 2**60
    assert mask(f"x = {big + 1}", x=[big, big + 1]) == [False, True]
    assert mask(f"x IN ({big + 1})", x=[big, big + 1]) == [False, True]
    assert mask("x > 1.5", x=[big + 1, 1]) == [True, False]
    assert mask("x > 99999999999999999999", x=[big]) == [False]
    assert mask("x * x > 0", x=[2**62]) == [True]
    assert mask("-x > 0", x=[-(2**63)]) == [True]


def test_types_of_columns():
    assert mask("x = 19.99", x=[Decimal("19.99"), None]) == [True, False]
    assert mask("x > -1", x=pa.array([2**64 - 1, 0], pa.uint64())) == [True, True]
    assert mask("x = 3", x=pa.array([3, 4], pa.int8())) == [True, False]
    assert mask("x = 0.5", x=pa.array([0.5], pa.float32())) == [True]
    for kind in (pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
        columns = {"k": pa.array(["a", "b", None], pa.string()).cast(kind)}
        assert Expression.parse("k = 'a' AND k IN ('a', 'c')").mask(columns).tolist() == [True, False, False]
    chunks = {"x": pa.chunked_array([[1], [2]])}
    assert Expression.parse("x = 2").mask(chunks).tolist() == [False, True]


def test_times():
    moment = datetime(2026, 1, 1, 12, tzinfo=UTC)
    text = "t >= TIMESTAMP '2026-01-01T10:00:00-02:00' AND t < DATE '2026-01-02'"
    assert mask(text, t=[moment, moment.replace(hour=11), None]) == [True, False, False]
    assert mask(text, t=[moment.replace(tzinfo=None)]) == [True]
    assert mask("t = DATE '2026-01-01'", t=[date(2026, 1, 1), date(2026, 1, 2)]) == [True, False]
    # Nanoseconds are floored, also before 1970.
    before = pa.array([-1, 0], pa.timestamp("ns"))
    assert mask("t < TIMESTAMP '1970-01-01'", t=before) == [True, False]


def test_patterns():
    assert mask(r"k LIKE 'a\%b'", k=["a%b", "axb"]) == [True, False]
    assert mask(r"k LIKE 'a\\\\b'", k=["a\\b", "axb"]) == [True, False]
    assert mask("k LIKE 'a.b'", k=["a.b", "axb"]) == [True, False]
    assert mask("k ILIKE 'A_É'", k=["axé", "axe"]) == [True, False]
    assert mask("k NOT ILIKE 'A%'", k=["a", "b", None]) == [False, True, False]


def test_quotes():
    assert mask("""k IN ('it''s', "say ""hi\""", 'it\\'s', "a'b")""", k=["it's", 'say "hi"', "a'b", "its"]) == [
        True, True, True, False,
    ]  # fmt: skip


def test_long_chains_are_no_deep_nests():
    assert mask(" OR ".join(f"x = {i}" for i in range(2000)), x=[1999, 2000]) == [True, False]
    listed = ", ".join(map(str, range(2000)))
    assert mask(f"x IN ({listed})", x=[1999, 2000]) == [True, False]


@pytest.mark.parametrize("text", ["(" * 300 + "x = 1" + ")" * 300, "x = 1" + " + 1" * 300])
def test_deep_nests_are_refused(text):
    with pytest.raises(InvalidQuery, match="expected parts nested at most 100 deep, got more"):
        Expression.parse(text)


@pytest.mark.parametrize(
    ("text", "expected", "got"),
    [
        ("x >", "a condition in SQL", "a syntax error near '>' in line 1, column 3"),
        ("x > 1 y", "a condition in SQL", "a syntax error near 'y' in line 1, column 7"),
        ("x = 'a", "a condition in SQL", "text or a name without its closing quote"),
        ("x > 1; y > 1", "one condition", "2"),
        ("-- nothing", "one condition", "0"),
        ("x + 1", "a condition", "a number"),
        ("'a'", "a condition", "a text"),
        ("x > 1 AND 5", "conditions for AND", "((`x` > 1) AND 5)"),
        ("NOT 'a'", "conditions for NOT", "(NOT 'a')"),
        ("'a' > 1", "values of one kind for >", "('a' > 1)"),
        ("x IN (1, 'a')", "values of one kind for IN", "(`x` IN (1, 'a'))"),
        ("x + 'a' > 1", "numbers for +", "(`x` + 'a')"),
        ("1 LIKE 'a'", "text for LIKE", "(1 LIKE 'a')"),
        ("x = 1e999", "a number that a float can hold", "1e999"),
        ("t = DATE '2026-13-01'", "DATE 'YYYY-MM-DD'", "'2026-13-01'"),
        ("t = TIMESTAMP 'noon'", "TIMESTAMP 'YYYY-MM-DDThh:mm:ssZ'", "'noon'"),
        (r"k LIKE 'a\\b'", "%, _ or \\ after \\ in a pattern", "'a\\\\b'"),
        (r"k LIKE 'a\\'", "%, _ or \\ after \\ in a pattern", "'a\\\\'"),
        ("k = '\ud800'", "text that UTF-8 can hold", "half of a surrogate pair"),
    ],
)
def test_what_cannot_be_read_is_refused(text, expected, got):
    with pytest.raises(InvalidQuery) as caught:
        Expression.parse(text)
    assert str(caught.value) == f"expression {text!r}: expected {expected}, got {got}"


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ("1 < 2 AND abs(x) > 1", "ABS(x) at character 11"),
        ("x IN (SELECT 1)", "x IN (SELECT 1) at character 1"),
        ("x IN (y)", "x IN (y) at character 1"),
        ("CASE WHEN x THEN 1 END", "CASE WHEN x THEN 1 END at character 11"),
        ("a.b.c = 1", "a.b.c at character 1"),
        ("x IS TRUE", "x IS TRUE at character 1"),
        ("k LIKE j", "k LIKE j at character 1"),
        ("k LIKE 'a' ESCAPE '!'", "k LIKE 'a' ESCAPE '!' at character 1"),
        ("CAST(x AS INT) = 1", "CAST(x AS INT) at character 6"),
        ("k || 'a' = 'ba'", "k || 'a' at character 1"),
        ("? = 1", "?"),
        ("a.* = 1", "a.* at character 1"),
    ],
)
def test_what_conditions_do_not_have_is_refused(text, got):
    with pytest.raises(InvalidQuery) as caught:
        Expression.parse(text)
    assert str(caught.value) == (
        f"expression {text!r}: expected a condition of simple parts, got {got}. Hint: a condition may have "
        "comparisons, AND, OR, NOT, IN (constants), BETWEEN, LIKE, ILIKE, IS NULL, + - * / %, columns, numbers, "
        "'text', TRUE, FALSE, NULL, DATE '…' and TIMESTAMP '…'"
    )


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        ("x > 3", ["a"], "expected values of one kind for >, got `x` (string), 3 (int64)"),
        ("x > 'a'", [1.5], "expected values of one kind for >, got `x` (double), 'a' (string)"),
        ("x IN ('a')", [1], "expected values of one kind for IN, got `x` (int64), 'a' (string)"),
        ("x + 1 > 1", ["a"], "expected numbers for +, got `x` (string), 1 (int64)"),
        ("x LIKE 'a'", [1], "expected text for LIKE, got `x` (int64), 'a' (string)"),
        ("NOT x", [1], "expected conditions for NOT, got `x` (int64)"),
        ("x", [1], "expected a condition, got `x` (int64)"),
        ("x IS NULL", [[1]], "expected numbers, text, times or conditions for IS NULL, got `x` (list<item: int64>)"),
        (
            "x > '2026'",
            [date(2026, 1, 1)],
            "expected values of one kind for >, got `x` (timestamp[us, tz=UTC]), '2026' (string). Hint: write times as TIMESTAMP '…'",
        ),
    ],
)  # fmt: skip
def test_columns_of_the_wrong_type_are_refused(text, values, message):
    with pytest.raises(InvalidQuery) as caught:
        mask(text, x=values)
    assert str(caught.value) == f"expression {text!r}: {message}"


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(InvalidInput) as caught:
        mask("kind = 'a'", knd=["a"], x=[1])
    assert str(caught.value) == (
        "expression \"kind = 'a'\": expected the column 'kind', got knd, x. Hint: did you mean 'knd'?"
    )
