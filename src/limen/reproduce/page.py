"""The report as one HTML file that carries its pictures, to be opened or sent as it is."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING

from limen.reproduce.report import LEGEND, TITLE, WORDS, alternative_text, counted, setting_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from limen.reproduce.conditions import Conditions
    from limen.reproduce.figure import Verdict
    from limen.reproduce.results import Result, Results

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1c2321; background: #fff; margin: 0 auto; max-width: 62rem;
       padding: 1.5rem; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin: 0 0 .5rem; }
section { border-top: 2px solid #d5dedb; margin-top: 2.5rem; padding-top: 1.2rem; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; min-width: 36rem; margin: 1rem 0; font-size: .92rem; }
td.claim { width: 36%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #d5dedb; }
th { border-bottom: 2px solid #8aa39c; }
.why { margin: .3rem 0 0; color: #55645f; }
th, td.word, td.figure { white-space: nowrap; overflow-wrap: normal; }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; }
.pictures img { max-width: 100%; height: auto; border: 1px solid #d5dedb; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .9rem; margin: .6rem 0; }
dt { color: #55645f; } dd { margin: 0; }
.reached::before { content: "✓ "; } .explained::before { content: "≈ "; } .missed::before { content: "✗ "; }
.reached { color: #0a5d3f; } .explained { color: #7a4b00; } .missed { color: #a11212; font-weight: bold; }
@media print { section { break-inside: avoid; } }
"""


def as_page(results: Sequence[Result], conditions: Conditions, folder: Results) -> str:
    """Write the report as HTML. Every text is escaped; there are no scripts and no links to elsewhere."""
    summary = _table(
        ("figure", "claim", "what came out", "verdict"),
        (
            f'<td class="figure"><a href="#{escape(result.figure.name)}">{escape(result.figure.name)}</a></td>'
            f'<td class="claim">{escape(verdict.claim)}</td>'
            f"<td>{escape(verdict.outcome)}</td>{_word(verdict.outcome_in_a_word)}"
            for result in results
            for verdict in result.verdicts
        ),
    )
    words = _described(WORDS)
    about = _described({"machine": conditions.machine, "versions": conditions.versions})
    sections = "\n".join(_section(result, folder) for result in results)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(TITLE)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{escape(TITLE)}</h1>\n<p>{escape(counted(results))}.</p>\n"
        f"{about}\n<p>{escape(LEGEND)}</p>\n{words}\n{summary}\n{sections}\n</body>\n</html>\n"
    )


def _section(result: Result, folder: Results) -> str:
    figure = result.figure
    about = {
        "source": figure.source,
        "setting": setting_of(result),
        "data": f"{folder.csv_of(figure).name}, {len(result.points)} points, taken in {result.seconds:.0f} s",
    }
    pictures = "\n".join(
        f'<img alt="{escape(alternative_text(figure, panel))}" '
        f'src="data:image/png;base64,{_encoded(folder, result, panel.letter)}">'
        for panel in figure.panels
    )
    verdicts = _table(
        ("claim", "what came out", "verdict"),
        (
            f'<td class="claim">{escape(verdict.claim)}</td>'
            f"<td>{escape(verdict.outcome)}{_why(verdict)}</td>"
            f"{_word(verdict.outcome_in_a_word)}"
            for verdict in result.verdicts
        ),
    )
    learned = f"<p>{escape(figure.learned)}</p>\n" if figure.learned else ""
    return (
        f'<section id="{escape(figure.name)}">\n<h2>{escape(figure.name)}: {escape(figure.title)}</h2>\n{learned}'
        f'{_described(about)}\n<div class="pictures">\n{pictures}\n</div>\n{verdicts}\n</section>'
    )


def _why(verdict: Verdict) -> str:
    return f'<p class="why">Why: {escape(verdict.explanation)}</p>' if verdict.explanation else ""


def _encoded(folder: Results, result: Result, letter: str) -> str:
    return base64.b64encode(folder.picture_of(result.figure, letter).read_bytes()).decode()


def _described(terms: dict[str, str]) -> str:
    return f"<dl>{''.join(f'<dt>{escape(term)}</dt><dd>{escape(text)}</dd>' for term, text in terms.items())}</dl>"


def _table(heads: Sequence[str], rows: Iterable[str]) -> str:
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    rows_and_head = f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>"
    return f'<div class="table"><table>\n{rows_and_head}\n</table></div>'


def _word(word: str) -> str:
    return f'<td class="word {word}">{word}</td>'
