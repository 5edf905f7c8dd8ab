# ruff: noqa: E501  # texts of errors are quoted whole
import pytest

from limen.errors import InvalidInput, InvalidQuery
from limen.formats import Problem, check_queries, load_queries
from limen.model import Border, Columns, Match, Range

GOOD = '{"type": "border", "id": "a", "region": {"type": "range", "hi": 1}}'
BAD = '{"type": "border", "id": "c", "region": {"type": "range", "lo": 1, "hi": 1}}'
REGISTER = (
    '{"op": "register", "at": "2026-01-01", "query": '
    '{"type": "match", "id": "b\u2028", "region": {"type": "range", "lo": 0}}}'
)
BAD_TEXT = "query 'c': range: expected lo < hi, got lo 1.0, hi 1.0"


@pytest.fixture
def file(tmp_path):
    def write(*lines, name="queries.jsonl"):
        path = tmp_path / name
        path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines))
        return path

    return write


def test_queries_and_registrations_with_comments_between(file):
    path = file("\ufeff// prices", "", "  # more", GOOD + "\r", "   ", REGISTER, "")
    expected = [Border("a", Range(None, 1)), Match("b\u2028", Range(0, None))]
    assert load_queries(path) == expected
    assert load_queries(str(path)) == expected
    assert check_queries(path) == (expected, [])


def test_an_empty_file_has_no_queries(file):
    assert load_queries(file()) == []


def test_the_first_bad_line_is_an_error(file):
    with pytest.raises(InvalidQuery) as caught:
        load_queries(file(GOOD, "", BAD, "{"))
    assert str(caught.value) == f"queries.jsonl line 3: {BAD_TEXT}"


def test_check_lists_every_bad_line(file):
    path = file("{", GOOD, BAD, b'"\xff"', GOOD, '{"op": "deregister", "id": "a"}', "3", REGISTER)
    queries, problems = check_queries(path)
    assert [query.id for query in queries] == ["a", "b\u2028"]
    property_name = "Expecting property name enclosed in double quotes at character 2"
    assert problems == [
        Problem(1, f"JSON: expected one object, got {property_name}"),
        Problem(3, BAD_TEXT),
        Problem(4, "text: expected UTF-8, got the byte 0xff"),
        Problem(5, "id: expected each query once, got 'a' in the lines 2 and 5"),
        Problem(6, "change: expected a query, or a change that registers one, got a change 'deregister'"),
        Problem(7, "query: expected a JSON object, got 3"),
    ]


def test_check_with_columns_also_finds_what_does_not_fit_them(file):
    queries, problems = check_queries(file(GOOD, REGISTER), Columns("id", "t", ("x", "y")))
    assert queries == []
    assert [problem.line for problem in problems] == [1, 2]
    assert problems[0].reason.startswith("query 'a': expected a region of 2 dimensions (x, y), got 1")


@pytest.mark.parametrize("read", [load_queries, check_queries])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.csv", "q.csv: expected a file of queries, .jsonl or .sql, or of shapes, .geojson, .json, .wkt, .parquet, .geoparquet, got '.csv'"),
        ("q", "q: expected a file of queries, .jsonl or .sql, or of shapes, .geojson, .json, .wkt, .parquet, .geoparquet, got no suffix"),
    ],
)  # fmt: skip
def test_other_files_are_refused(file, read, name, text):
    with pytest.raises(InvalidInput) as caught:
        read(file(GOOD, name=name))
    assert str(caught.value) == text


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InvalidInput, match=r"nowhere.jsonl: expected a file, got No such file or directory"):
        load_queries(tmp_path / "nowhere.jsonl")


@pytest.mark.parametrize("read", [load_queries, check_queries])
def test_kind_id_and_other_arguments_are_for_shapes(file, read):
    with pytest.raises(InvalidInput) as caught:
        read(file(GOOD), kind="match", id="name", radius=3, repair=True, within=5)
    assert str(caught.value) == (
        "queries.jsonl: expected no kind, id or other arguments, which are for files of shapes, "
        "got kind='match', id='name', radius=3, repair=True, within=5"
    )
