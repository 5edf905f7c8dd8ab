import base64
import re
from html.parser import HTMLParser

import pytest

from lab.tests.reproduce.small import Small
from limen_lab.reproduce.html_report import as_page
from limen_lab.reproduce.laboratory import reproduce
from limen_lab.reproduce.machine import RunConditions
from limen_lab.reproduce.markdown_report import as_markdown
from limen_lab.reproduce.results import Results

CONDITIONS = RunConditions("quick", "a machine <with> cores", "limen 1")


class Tags(HTMLParser):
    """Sees that every tag is closed where it was opened."""

    VOID = frozenset({"meta", "img"})

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text = [], [], ""

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(autouse=True)
def no_drawing(monkeypatch):
    """Pictures take half a second each and have tests of their own."""
    monkeypatch.setattr(
        "limen_lab.reproduce.drawing.draw", lambda figure, panel, points: b"\x89PNG" + panel.letter.encode()
    )


@pytest.fixture
def made(tmp_path):
    folder = Results(tmp_path)
    small = [Small("bmq-10"), Small("bmq-11", reached=False, explanation="there is *a* reason")]
    return [reproduce(each.figure, folder, CONDITIONS) for each in small], folder


def test_the_page_is_whole_and_carries_its_pictures(made):
    results, folder = made
    page = Tags()
    page.feed(as_page(results, CONDITIONS, folder))
    assert page.open == []
    pictures = [attributes for tag, attributes in page.seen if tag == "img"]
    assert len(pictures) == 4
    first = base64.b64decode(pictures[0]["src"].removeprefix("data:image/png;base64,"))
    assert first == (folder.folder / "bmq-10a.png").read_bytes()
    assert all(attributes["alt"] for attributes in pictures)


def test_the_page_asks_for_nothing_from_elsewhere(made):
    page = as_page(*made[:1], CONDITIONS, made[1])
    assert "<script" not in page
    assert not re.search(r"(src|href)=\"(?!#|data:)", page)


def test_texts_are_texts_and_no_markup(made):
    results, folder = made
    page = as_page(results, CONDITIONS, folder)
    assert "ours | is &lt;faster&gt;" in page
    assert "<faster>" not in page
    assert "a machine &lt;with&gt; cores" in page
    markdown = as_markdown(results, CONDITIONS, folder)
    assert "ours \\| is &lt;faster>" in markdown
    assert "there is \\*a\\* reason" in markdown


def test_the_summary_stands_before_the_figures(made):
    results, folder = made
    page = Tags()
    page.feed(as_page(results, CONDITIONS, folder))
    assert page.text.index("2 figures, 2 claims, 1 reached, 1 explained") < page.text.index("a paper, Figure 10")
    tags = [tag for tag, _ in page.seen]
    assert tags.index("table") < tags.index("section")


def test_the_markdown_names_pictures_data_and_verdicts(made):
    results, folder = made
    lines = as_markdown(results, CONDITIONS, folder).splitlines()
    assert "| [bmq-11](#bmq-11) | ours \\| is &lt;faster> | 2 × | explained |" in lines
    assert any(line.endswith("](bmq-10b.png)") for line in lines)
    assert any("[bmq-11.csv](bmq-11.csv), 15 points" in line for line in lines)
    assert "* Setting: smaller" in lines


def test_a_report_of_nothing(tmp_path):
    folder = Results(tmp_path)
    assert "0 figures, 0 claims" in as_page([], CONDITIONS, folder)
    assert "0 figures, 0 claims" in as_markdown([], CONDITIONS, folder)
