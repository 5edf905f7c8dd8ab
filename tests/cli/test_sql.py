"""`limen sql`: statements on a stream, without a terminal and with one that is not real."""

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from pygments.token import Keyword
from rich.console import Console
from typer.testing import CliRunner

import limen
from limen.cli.main import app
from limen.cli.sql import prompt as sql_prompt
from limen.cli.sql.feeds import ReplayedStream
from limen.cli.sql.job_stream import RunningJob
from limen.cli.sql.keywords import KEYWORDS, completions, lexer
from limen.cli.sql.prompt import prompt_session, statements
from limen.cli.sql.shell import Shell
from limen.formats.query_json import change_from_json
from tests.jobfile.test_mistakes import GOOD

COLUMNS = limen.Columns("car", "t", ("x", "y"), ("kind",))


def second(time: int, **places: tuple[float, float]) -> pa.Table:
    return pa.table(
        {
            "car": list(places),
            "t": pa.array([time * 1_000_000] * len(places), pa.timestamp("us", "UTC")),
            "x": [x for x, _ in places.values()],
            "y": [y for _, y in places.values()],
            "kind": ["truck" if car < "c" else "van" for car in places],
        }
    )


TRIP = [
    second(0, a=(0.0, 0.0), b=(1.0, 1.0), c=(5.0, 5.0)),
    second(1, a=(5.0, 5.0), b=(5.0, 6.0), c=(6.0, 5.0)),
    second(2, a=(5.0, 5.5), b=(1.0, 1.0), c=(0.0, 0.0)),
    second(9, a=(0.0, 0.0), b=(0.0, 0.0), c=(0.0, 0.0)),
]
OWNERS = pa.table({"id": ["a", "b"], "owner": ["city", "Ann"], "seats": [4, 9]})


@pytest.fixture
def shell() -> Shell:
    return Shell(ReplayedStream("trip", COLUMNS, iter(TRIP)), {"owners": OWNERS}, seconds=3)


def shown(shell: Shell, *texts: str) -> list[str]:
    console = Console(width=200, record=True, file=open(os.devnull, "w"))  # noqa: PTH123, SIM115
    for text in texts:
        for each in shell.execute(text):
            console.print(each, markup=False, soft_wrap=True)
    console.file.close()
    return [line.rstrip() for line in console.export_text().splitlines()]


def test_a_query_is_created_and_told_of(shell: Shell) -> None:
    assert shown(shell, "CREATE BORDER in5 ON trip WHERE kind = 'truck' INSIDE (4, 4, 9, 9);", ".run 3") == [
        "border in5 created; .run lets the stream go on",
        "00:00:01  a  enter  in5  at 5.00, 5.00",
        "00:00:01  b  enter  in5  at 5.00, 6.00",
        "00:00:02  b  exit  in5  at 1.00, 1.00",
        "3 events",
    ]
    assert shown(shell, "CREATE WITHIN here ON TRIP INSIDE (4, 4, 9, 9)", "SHOW QUERIES;", "DROP QUERY here;") == [
        "within here created; .run lets the stream go on",
        "00:00:02  a  add  here  at 5.00, 5.50 (registered)",
        "CREATE BORDER in5 ON trip WHERE kind = 'truck' INSIDE BOX ((4, 4), (9, 9))",
        "CREATE WITHIN here ON trip INSIDE BOX ((4, 4), (9, 9))",
        "2 queries",
        "00:00:02  a  remove  here  at 5.00, 5.50 (deregistered)",
        "query here dropped",
    ]
    assert shown(shell, ".run", ".run") == ["00:00:09  a  exit  in5  at 0.00, 0.00", "1 event", "0 events"]


def test_a_select_shows_who_is_there_and_what_changes(shell: Shell) -> None:
    assert shown(
        shell, ".run 1", "SELECT T.car, O.owner FROM trip T JOIN owners O ON T.car = O.id INSIDE (4, 4, 9, 9)"
    ) == [
        "0 events",
        "car  owner  time      sign",
        "a    city   00:00:01  1",
        "b    Ann    00:00:01  1",
        "b    Ann    00:00:02  -1",
        "3 rows",
    ]


def test_a_select_tells_also_what_happened_to_queries_meanwhile(shell: Shell) -> None:
    assert shown(shell, "CREATE BORDER b ON trip INSIDE (4, 4, 9, 9)", "SELECT car FROM trip INSIDE x > 5.5")[1:] == [
        "car  time      sign",
        "c    00:00:01  1",
        "c    00:00:02  -1",
        "2 rows",
        "meanwhile, of the queries that were created:",
        "00:00:01  a  enter  b  at 5.00, 5.00",
        "00:00:01  b  enter  b  at 5.00, 6.00",
        "00:00:02  b  exit  b  at 1.00, 1.00",
        "00:00:02  c  exit  b  at 0.00, 0.00",
        "4 events",
    ]


def test_of_a_text_that_fails_only_what_was_done_before_stays(shell: Shell) -> None:
    assert "nowhere" in shown(shell, "CREATE REGION r AS (0, 0, 1, 1); CREATE BORDER b ON trip INSIDE nowhere")[0]
    assert not shell.regions  # it could not even be read
    text = "CREATE REGION r AS (0, 0, 1, 1); DROP QUERY nobody; CREATE REGION s AS (0, 0, 1, 1)"
    assert shown(shell, text)[0] == "region r created"
    assert list(shell.regions) == ["r"]


def test_rows_of_a_table_that_are_alike_count_each() -> None:
    twice = pa.concat_tables([OWNERS, OWNERS])
    shell = Shell(ReplayedStream("trip", COLUMNS, iter(TRIP)), {"owners": twice}, seconds=2)
    count = "SELECT count(*) AS n, sum(O.seats) AS reason FROM trip T JOIN owners O ON T.car = O.id"
    assert shown(shell, f"{count} INSIDE (4, 4, 9, 9)") == ["time      n  reason", "00:00:01  4  26", "1 row"]


def test_a_select_keeps_numbers_and_different_values(shell: Shell) -> None:
    count = "SELECT O.owner, count(*) AS n, sum(O.seats) AS seats FROM trip T, owners O WHERE T.car = O.id"
    assert shown(shell, ".run 1", f"{count} INSIDE (4, 4, 9, 9) GROUP BY O.owner") == [
        "0 events",
        "owner  time      n  seats",
        "Ann    00:00:01  1  9",
        "city   00:00:01  1  4",
        "Ann    00:00:02  0  0",
        "3 rows",
    ]
    shell = Shell(ReplayedStream("trip", COLUMNS, iter(TRIP)), {}, seconds=99)
    assert shown(shell, "SELECT DISTINCT car FROM trip WHERE kind = 'van' AND car <> 'z' kNN ('M', 1, 'a')") == [
        "car  time      sign",
        "c    00:00:00  1",
        "1 row",
    ]


def test_ids_that_are_numbers_join_numbers() -> None:
    numbered = [table.set_column(0, "car", pa.array([ord(car) for car in table["car"].to_pylist()])) for table in TRIP]
    owners = OWNERS.set_column(0, "id", pa.array([97, 98]))
    shell = Shell(ReplayedStream("trip", COLUMNS, iter(numbered)), {"owners": owners}, seconds=2)
    assert shown(shell, "SELECT T.car, O.owner FROM trip T JOIN owners O ON T.car = O.id INSIDE (4, 4, 9, 9)") == [
        "car  owner  time      sign",
        "97   city   00:00:01  1",
        "98   Ann    00:00:01  1",
        "2 rows",
    ]


def test_a_plan_is_shown(shell: Shell) -> None:
    assert shown(shell, "EXPLAIN SELECT car FROM trip WHERE car > 'a' INSIDE (4, 4, 9, 9)")[-1].endswith(
        "└─ stream trip   -- rows"
    )
    assert "kNN (1, 2, 3)" in shown(shell, "EXPLAIN CREATE NEAREST n ON trip kNN (1, 2, 3)")[1]


def test_what_is_wrong_is_shown_and_the_shell_goes_on(shell: Shell) -> None:
    assert shown(shell, "CREATE BORDER b ON trip\nINSIDE nowhere")[1:] == ["  INSIDE nowhere", "         ^"]
    said = {
        "CREATE MATCH m ON tripp INSIDE (0, 0, 1, 1)": (
            "error: stream: expected trip, got tripp. Hint: did you mean 'trip'?"
        ),
        "DROP QUERY q": "error: DROP QUERY: expected a query that there is, got q",
        ".rum": "error: shell: expected one of .run, .stream, .help, .quit, got .rum. Hint: did you mean '.run'?",
        ".run soon": "error: .run: expected a number of seconds, up to 86,400, got soon",
    }
    for text, line in said.items():
        assert shown(shell, text) == [line]
    create = "CREATE MATCH m ON trip INSIDE (0, 0, 1, 1)"
    assert shown(shell, create, create)[1] == (
        "error: query 'm': expected a name that is not taken, got one that is. "
        "Hint: CREATE OR REPLACE changes it, DROP QUERY ends it"
    )
    assert not shell.ended
    assert shown(shell, ".quit") == []
    assert shell.ended


def test_words_are_completed(shell: Shell) -> None:
    shown(shell, "CREATE REGION centre AS (0, 0, 1, 1); CREATE MATCH mine ON trip INSIDE centre")
    assert completions("create match m on tr", shell.names()) == ["TRANSITION", "TRIGGER", "trip"]
    assert completions("CREATE BORDER b ON trip INSIDE ce", shell.names()) == ["centre"]
    assert "mine" in completions("DROP QUERY m", shell.names())
    assert completions("SELECT own", shell.names()) == ["owner", "owners"]
    assert completions(".r", shell.names()) == [".run"]
    assert completions("SELECT ", shell.names()) == []


def test_words_are_coloured() -> None:
    tokens = list(lexer().get_tokens("CREATE BORDER b ON s INSIDE kNN"))
    keywords = [word for kind, word in tokens if kind in Keyword]
    assert {"CREATE", "BORDER", "INSIDE", "kNN"} <= set(keywords)
    assert "b" not in keywords
    assert len(KEYWORDS) == len(set(KEYWORDS))


def typed(shell: Shell, *lines: str) -> list[str]:
    with create_pipe_input() as keys:
        session = prompt_session(shell, history=InMemoryHistory(), input=keys, output=DummyOutput())
        for line in lines:
            keys.send_text(line + "\r")
        keys.send_text("\x04")  # the end of input
        found = list(statements(session.prompt))
        assert list(session.history.get_strings()) == [line for line in lines if line.strip()]
    return found


def test_lines_of_a_terminal_make_statements_and_a_history(shell: Shell) -> None:
    assert typed(shell, "SHOW", "  QUERIES;", "", ".run 3", "SHOW QUERIES; SHOW QUERIES;") == [
        "SHOW\n  QUERIES;",
        ".run 3",
        "SHOW QUERIES; SHOW QUERIES;",
    ]


def test_without_prompt_toolkit_python_completes_and_remembers(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readline = pytest.importorskip("readline")
    monkeypatch.setattr(sql_prompt, "HISTORY", tmp_path / "history")
    monkeypatch.setattr(sql_prompt, "find_spec", lambda _: None)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("atexit.register", lambda function, *given: written.append((function, given)))
    monkeypatch.setattr(readline, "get_line_buffer", lambda: "CREATE BOR")
    monkeypatch.setattr(readline, "get_endidx", lambda: len("CREATE BOR"))
    written: list[Any] = []
    assert sql_prompt.reader(shell) is input
    complete = readline.get_completer()
    assert [complete("BOR", 0), complete("BOR", 1)] == ["BORDER", None]
    readline.add_history("SHOW QUERIES;")
    for function, given in written:
        function(*given)
    assert "SHOW QUERIES;" in (tmp_path / "history").read_text()


def test_what_is_typed_and_broken_off_is_thrown_away() -> None:
    lines: Any = iter(["SELECT", KeyboardInterrupt, "SHOW QUERIES;", "rest", EOFError])

    def read(_prompt: str) -> str:
        line = next(lines)
        if isinstance(line, str):
            return line
        raise line

    assert list(statements(read)) == ["SHOW QUERIES;", "rest"]


def test_the_command_takes_statements_from_a_pipe() -> None:
    text = "CREATE BORDER b ON prices\n INSIDE price < 50;\n.run 3\nSHOW QUERIES;\n.quit\nSHOW QUERIES;\n"
    result = CliRunner().invoke(app, ["sql", "prices"], input=text)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == "border b created; .run lets the stream go on"
    assert lines[-2:] == ["CREATE BORDER b ON prices INSIDE price < 50", "1 query"]


def test_the_command_replays_a_file(tmp_path: Path) -> None:
    path, table = tmp_path / "trip.parquet", tmp_path / "owners.jsonl"
    pq.write_table(pa.concat_tables(TRIP), path)
    table.write_text("\n".join(json.dumps(row) for row in OWNERS.to_pylist()))
    columns = json.dumps(COLUMNS.to_dict())
    select = "SELECT T.car FROM trip T JOIN owners O ON T.car = O.id WHERE O.seats > 5 INSIDE (4, 4, 9, 9)"
    arguments = ["sql", str(path), "--columns", columns, "--table", f"owners={table}", "-c", select]
    result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "2 rows")
    for wrong, said in {
        ("sql", "trip.txt", "--columns", columns): "expected a .parquet, .csv or .jsonl file, got '.txt'",
        ("sql", str(path)): "limen sql: expected the columns of the file, got none",
        ("sql", "postions"): "expected positions or prices, or a file, got postions. Hint: did you mean 'positions'?",
        ("sql", "--table", "owners"): "--table: expected name=file, such as favourites=cars.csv, got owners",
        ("sql", str(path), "--columns", columns.replace('"x"', '"z"')): "trip.parquet: expected a column 'z'",
    }.items():
        result = CliRunner().invoke(app, list(wrong))
        assert result.exit_code == 2
        assert said in result.output


def test_a_running_job_is_told_by_its_folder_and_heard_by_its_sink(tmp_path: Path) -> None:
    job = tmp_path / "fleet.toml"
    inline = GOOD[GOOD.index("[[queries.inline]]") : GOOD.index("[options]")]
    job.write_text(
        GOOD.replace(inline, '[queries]\nsql = "CREATE MATCH old ON fleet INSIDE x < 3"\nfolder = "changes"\n\n')
    )
    (tmp_path / "changes").mkdir()
    feed = RunningJob(job)
    shell = Shell(feed, seconds=0.3)
    assert shown(shell, "CREATE BORDER b ON fleet INSIDE x > 9; DROP QUERY old;", "SHOW QUERIES") == [
        "border b created; .run lets the stream go on",
        "query old dropped",
        "CREATE BORDER b ON fleet INSIDE x >= 9.000000000000002",
        "1 query",
    ]
    files = sorted((tmp_path / "changes").iterdir())
    changes = [change_from_json(file.read_text()) for file in files]
    assert [type(change).__name__ for change in changes] == ["Register", "Deregister"]
    assert changes[0].seq < changes[1].seq  # type: ignore[operator, union-attr]
    batch = tmp_path / "events" / "job=j1" / "batch=0"
    batch.mkdir(parents=True)
    engine = limen.Engine(limen.Columns("v", "t", "x", time_unit="s"), queries=[changes[0].query])  # type: ignore[union-attr]
    events = engine.process(pa.table({"v": ["bus", "bus"], "t": [1, 2], "x": [1.0, 10.0]}))
    pq.write_table(events, batch / "part-0.parquet")
    assert shown(shell, ".run") == ["0 events"], "Spark has not said yet that the batch is there"
    (batch / "_SUCCESS").touch()
    assert shown(shell, ".run", ".run") == ["00:00:02  bus  enter  b  at 10.00", "1 event", "0 events"]
    said = shown(shell, "SELECT vehicle FROM fleet INSIDE x < 3")[0]
    assert said.startswith("error: SELECT: expected a stream that this process reads, got a job that runs elsewhere")
    job.write_text(GOOD)
    with pytest.raises(
        limen.InvalidInput, match=r"expected a folder of changes on this machine, queries.folder, got none"
    ):
        RunningJob(job)
