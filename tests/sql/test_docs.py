"""Every statement of the pages on SQL is run, on the streams that they speak of; and the grammar has every word."""

import re
from pathlib import Path

import pyarrow as pa
import pytest
from rich.text import Text

from limen.cli.sql.feeds import simulated
from limen.cli.sql.keywords import KEYWORDS
from limen.cli.sql.shell import Shell
from limen.sql.cursor import statements

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("sql.md", "sql-cookbook.md")
OWNERS = ("city", "Ann", "Bob")
FAVOURITES = pa.table(
    {
        "id": [f"{kind} {number}" for number in range(40) for kind in [("truck", "car", "van")[number % 3]]],
        "owner": [OWNERS[number % 7 % 3] for number in range(40)],
        "seats": [number % 9 for number in range(40)],
    }
)


def blocks(page: str) -> list[str]:
    return re.findall(r"^```sql\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_statement_of_a_page_runs(page: str) -> None:
    shells = {
        stream: Shell(simulated(stream), {"favourites": FAVOURITES}, seconds=20) for stream in ("positions", "prices")
    }
    ran, silent = 0, []
    for block in blocks(page):
        for cursor in statements(block):
            first, last = cursor.token.start, cursor.until(())[-1].end
            text = block[first:last]
            shell = shells["prices" if "prices" in text else "positions"]
            shown = [str(each) for each in shell.execute(text)]
            assert not any(line.startswith("error") for line in shown), (text, shown)
            silent += [text] if not shown or shown == ["0 rows"] else []
            ran += 1
    assert silent == []
    shown = [each for each in shells["positions"].execute(".run 30") if isinstance(each, Text)]
    assert not shown[-1].plain.startswith("0 events")
    assert ran > 20


def test_the_cookbook_has_twenty_questions() -> None:
    page = (DOCS / "sql-cookbook.md").read_text(encoding="utf-8")
    assert [int(number) for number in re.findall(r"^\*\*(\d+)\. ", page, re.MULTILINE)] == list(range(1, 21))
    assert len(blocks("sql-cookbook.md")) == 21


def test_the_grammar_has_every_word() -> None:
    page = (DOCS / "sql-grammar.md").read_text(encoding="utf-8")
    told = {word.upper() for word in re.findall(r"\w+", page)}
    left_out = {"OR", "NOT", "IN", "LIKE", "IS", "NULL"}  # of expressions, which are Spark's
    words = {part.upper() for word in KEYWORDS for part in re.findall(r"\w+", word)}
    assert words - left_out - told == set()
