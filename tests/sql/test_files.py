"""SQL wherever queries are given as data: files, job files, changes, and the command that checks them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import limen
from limen import Border, Box, Circle, Columns, InvalidQuery, InvalidStatement, Match, Range
from limen.cli.main import app
from limen.formats.load import check_queries
from limen.formats.query_json import change_from_dict
from limen.jobfile import read_job
from limen.jobfile.job_file import JobMistakes
from tests.jobfile.test_mistakes import GOOD, write
from tests.sql.test_mistakes import FORMS

SCRIPT = """\
-- The centre, and who comes to it.
CREATE REGION centre AS CIRCLE (0, 0, 5);
CREATE BORDER arrivals ON positions
  WHERE kind = 'car'
  INSIDE centre;
CREATE MATCH seen ON Positions INSIDE (0, 0, 1, 1)
"""
QUERIES = [Border("arrivals", Circle((0, 0), 5), where="kind = 'car'"), Match("seen", Box((0, 0), (1, 1)))]
BAD = """\
CREATE BORDER a ON s INSIDE (0, 0, 1, 1);
CREATE BORDER b ON s INSIDE nowhere;
CREATE BORDER a ON s INSIDE (0, 0, 2, 2);
CREATE MATCH c ON other INSIDE (0, 0, 1, 1);
CREATE MATCH d ON s INSIDE RANGE (0, 1);
SELECT * FROM s INSIDE (0, 0, 1, 1);
DROP QUERY a
"""


def lay(folder: Path, text: str) -> Path:
    path = folder / "alerts.sql"
    path.write_text(text, encoding="utf-8-sig")
    return path


def test_a_file_of_statements(tmp_path: Path) -> None:
    assert limen.load_queries(lay(tmp_path, SCRIPT)) == QUERIES


def test_the_first_mistake_of_a_file_is_raised(tmp_path: Path) -> None:
    with pytest.raises(InvalidStatement, match=r"^alerts.sql: line 2, column 29: expected a region"):
        limen.load_queries(lay(tmp_path, BAD))
    with pytest.raises(limen.InvalidInput, match="expected no kind"):
        limen.load_queries(lay(tmp_path, SCRIPT), kind="match")
    path = tmp_path / "latin.sql"
    path.write_bytes(b"SHOW QUERIES;\n\xe9")
    with pytest.raises(InvalidQuery, match=r"latin.sql: line 2: expected UTF-8, got the byte 0xe9"):
        limen.load_queries(path)


def test_all_mistakes_of_a_file_are_told(tmp_path: Path) -> None:
    queries, problems = check_queries(lay(tmp_path, BAD), Columns("id", "t", ("x", "y")))
    assert [query.id for query in queries] == ["a"]
    assert [(problem.line, problem.reason.partition(". Hint")[0]) for problem in problems] == [
        (2, f"line 2, column 29: expected {FORMS}, got nowhere"),
        (3, "line 3, column 1: expected each query once, got 'a' in the lines 1 and 3"),
        (4, "line 4, column 1: expected the stream 's' of line 1, since a job has one, got 'other'"),
        (5, "query 'd': expected a region of 2 dimensions (x, y), got 1"),
        (6, "line 6, column 1: expected CREATE and a query, got SELECT"),
        (7, "line 7, column 1: expected CREATE and a query, got DROP QUERY"),
    ]


def test_a_query_twice_in_one_line(tmp_path: Path) -> None:
    twice = "CREATE BORDER a ON s INSIDE (0, 0, 1, 1); CREATE BORDER a ON s INSIDE (0, 0, 2, 2);"
    with pytest.raises(InvalidStatement, match=r"expected each query once, got 'a' twice"):
        limen.load_queries(lay(tmp_path, twice))


def test_check_takes_a_file_of_statements(tmp_path: Path) -> None:
    good = CliRunner().invoke(app, ["check", str(lay(tmp_path, SCRIPT))])
    assert (good.exit_code, good.output) == (0, "2 good, 0 bad\n")
    path = lay(tmp_path, BAD)
    bad = CliRunner().invoke(app, ["check", str(path), "--values", "x,y"])
    assert bad.exit_code == 1
    assert f"{path}:3: line 3, column 1: expected each query once, got 'a' in the lines 1 and 3" in bad.output
    assert bad.output.endswith("1 good, 6 bad\n")


def job_with(folder: Path, queries: str) -> Path:
    inline = GOOD[GOOD.index("[[queries.inline]]") : GOOD.index("[options]")]
    return write(folder, GOOD.replace(inline, queries + "\n\n"))


def test_statements_in_a_job_file(tmp_path: Path) -> None:
    tables = """
[[queries]]
sql = "CREATE REGION depot AS RANGE (0, 9)"

[[queries]]
sql = '''
  CREATE BORDER depot ON fleet INSIDE depot;
  CREATE BORDER "far away" ON fleet INSIDE x > 1000'''

[[queries.inline]]
type = "match"
id = "seen"
region = { type = "range", lo = 0 }
"""
    job = read_job(job_with(tmp_path, tables))
    borders = (Border("depot", Range(0, 9)), Border("far away", Range(1000.0000000000001, None), on="x"))
    assert job.queries == (Match("seen", Range(0, None)), *borders)
    table = "[queries]\nsql = 'CREATE BORDER depot ON fleet INSIDE RANGE (0, 9)'"
    assert read_job(job_with(tmp_path, table)).queries == borders[:1]


def test_mistakes_of_statements_in_a_job_file(tmp_path: Path) -> None:
    tables = """
[[queries]]
sql = "CREATE BORDER depot ON fleet INSIDE RANGE (0, 9)"
[[queries]]
sql = "CREATE BODER b ON fleet INSIDE x > 1"
[[queries]]
sql = "CREATE BORDER depot ON fleet INSIDE (0, 0, 1, 1)"
"""
    with pytest.raises(JobMistakes) as caught:
        read_job(job_with(tmp_path, tables))
    first, second, third = str(caught.value).split("\n")
    assert first.startswith("job.toml:18: line 1, column 8: expected REGION, BORDER")
    assert second.startswith("job.toml:20: query 'depot': expected a region of 1 dimension (x), got 2")
    assert third == "job.toml:20: queries.sql: expected each id once, got 'depot' twice"


def test_statements_of_a_job_call_its_rows_by_its_name(tmp_path: Path) -> None:
    wrong = "[queries]\nsql = 'CREATE REGION r AS RANGE (0, 9);  CREATE BORDER depot ON flet INSIDE r'"
    with pytest.raises(JobMistakes) as caught:
        read_job(job_with(tmp_path, wrong))
    said = "line 1, column 1: expected the stream 'fleet', got 'flet'. Hint: did you mean 'fleet'?"
    assert str(caught.value) == f"job.toml:15: {said}"
    (tmp_path / "alerts.sql").write_text("CREATE MATCH m ON positions INSIDE x < 3")
    in_file = job_with(tmp_path, '[queries]\nfile = "alerts.sql"')
    with pytest.raises(JobMistakes) as caught:
        read_job(in_file)
    assert str(caught.value) == (
        "job.toml:15: alerts.sql: line 1, column 1: expected the stream 'fleet', got 'positions'. "
        "Hint: statements call a job's rows by its `stream`, or else by its name"
    )
    (query,) = read_job(in_file, ['stream="Positions"']).queries
    assert query.id == "m"


def test_a_change_says_its_query_in_sql() -> None:
    sql = "CREATE BORDER depot ON fleet INSIDE RANGE (0, 9)"
    change = change_from_dict({"op": "register", "sql": sql, "at": "1970-01-01T00:00:01Z"})
    assert change == limen.model.Register(Border("depot", Range(0, 9)), 1_000_000)
    for wrong, said in {
        "DROP QUERY depot": "line 1, column 1: expected CREATE and a query, got DROP QUERY",
        7: "sql: expected a statement such as CREATE BORDER …, got 7",
    }.items():
        with pytest.raises(InvalidQuery) as caught:
            change_from_dict({"op": "register", "sql": wrong})
        assert str(caught.value) == said
    with pytest.raises(InvalidQuery, match="change register: expected the keys sql, at, seq, got 'query'"):
        change_from_dict({"op": "register", "sql": sql, "query": {}})


def test_a_line_of_json_may_hold_a_statement(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text(json.dumps({"op": "register", "sql": "CREATE MATCH m ON s INSIDE RANGE (0, 9)"}))
    assert limen.load_queries(path) == [Match("m", Range(0, 9))]
