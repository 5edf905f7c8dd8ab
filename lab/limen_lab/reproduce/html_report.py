"""The report as one HTML file that carries its pictures, to be opened or sent as it is."""

from collections.abc import Sequence
from html import escape

from limen.report.html import described, page, paragraph, pictures, section, table
from limen_lab.reproduce.figure import Verdict
from limen_lab.reproduce.machine import RunConditions
from limen_lab.reproduce.markdown_report import LEGEND, TITLE, WORDS, alternative_text, counted, setting_of
from limen_lab.reproduce.results import Result, Results

STYLE = """
table { min-width: 36rem; }
td.claim { width: 36%; }
.why { margin: .3rem 0 0; color: #55645f; }
td.word, td.figure { white-space: nowrap; overflow-wrap: normal; }
.reached::before { content: "✓ "; } .explained::before { content: "≈ "; } .missed::before { content: "✗ "; }
.reached { color: #0a5d3f; } .explained { color: #7a4b00; } .missed { color: #a11212; font-weight: bold; }
"""


def as_page(results: Sequence[Result], conditions: RunConditions, folder: Results) -> str:
    """Write the report as HTML."""
    summary = table(
        ("figure", "claim", "what came out", "verdict"),
        (
            f'<td class="figure"><a href="#{escape(result.figure.name)}">{escape(result.figure.name)}</a></td>'
            f'<td class="claim">{escape(verdict.claim)}</td>'
            f"<td>{escape(verdict.outcome)}</td>{_word(verdict.outcome_in_a_word)}"
            for result in results
            for verdict in result.verdicts
        ),
    )
    about = described({"machine": conditions.machine, "versions": conditions.versions})
    parts = [paragraph(f"{counted(results)}."), about, paragraph(LEGEND), described(WORDS), summary]
    return page(TITLE, [*parts, *(_section(result, folder) for result in results)], STYLE)


def _section(result: Result, folder: Results) -> str:
    figure = result.figure
    about = {
        "source": figure.source,
        "setting": setting_of(result),
        "data": f"{folder.csv_of(figure).name}, {len(result.points)} points, taken in {result.seconds:.0f} s",
    }
    drawn = pictures(
        (alternative_text(figure, panel), folder.picture_of(figure, panel.letter).read_bytes())
        for panel in figure.panels
    )
    verdicts = table(
        ("claim", "what came out", "verdict"),
        (
            f'<td class="claim">{escape(verdict.claim)}</td>'
            f"<td>{escape(verdict.outcome)}{_why(verdict)}</td>"
            f"{_word(verdict.outcome_in_a_word)}"
            for verdict in result.verdicts
        ),
    )
    learned = paragraph(figure.learned) if figure.learned else ""
    return section(figure.name, f"{figure.name}: {figure.title}", [learned, described(about), drawn, verdicts])


def _why(verdict: Verdict) -> str:
    return f'<p class="why">Why: {escape(verdict.explanation)}</p>' if verdict.explanation else ""


def _word(word: str) -> str:
    return f'<td class="word {word}">{word}</td>'
