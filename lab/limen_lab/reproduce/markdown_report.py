"""The report of a folder of results, as Markdown beside the pictures."""

from collections import Counter
from collections.abc import Sequence

from limen_lab.reproduce.figure import Figure, Panel, Verdict
from limen_lab.reproduce.machine import RunConditions
from limen_lab.reproduce.results import Result, Results

TITLE = "The papers' figures, measured again"
LEGEND = (
    "Thick lines with filled marks, and filled bars, are Limen's own; thin broken lines with hollow marks, and hollow "
    "bars, are what the papers measure, built and measured here. Times are CPU times, taken by turns in one run."
)
WORDS = {
    "reached": "what came out is what the paper says, or more",
    "explained": "it is not, and the report says why",
    "missed": "it is not, and the reason is unknown",
}
IN_WORDS = {"full": "the papers' settings", "quick": "quick: smaller than in the papers", "tiny": "tiny: for tests"}


def counted(results: Sequence[Result]) -> str:
    """Say how many claims were reached.

    Examples
    --------
    >>> counted([])
    '0 figures, 0 claims'
    """
    words = Counter(verdict.outcome_in_a_word for result in results for verdict in result.verdicts)
    parts = [_several(len(results), "figure"), _several(words.total(), "claim")]
    return ", ".join(parts + [f"{words[word]} {word}" for word in WORDS if words[word]])


def _several(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def setting_of(result: Result) -> str:
    """Return the workload in words, at the scale it was measured at."""
    scale = result.conditions.scale
    return result.figure.setting.get(scale, "") or IN_WORDS[scale]


def alternative_text(figure: Figure, panel: Panel) -> str:
    """Return the alternative text of a picture."""
    return f"{figure.name}{panel.letter}: {panel.title}. {panel.y.label} by {panel.x.label}."


def as_markdown(results: Sequence[Result], conditions: RunConditions, folder: Results) -> str:
    """Write the report; pictures and data are named as they lie in the folder."""
    lines = [
        f"# {TITLE}", "", f"{counted(results)}.", "",
        f"* Machine: {_plain(conditions.machine)}", f"* Versions: {_plain(conditions.versions)}", f"* {LEGEND}", "",
        *(f"* **{word}**: {meaning}" for word, meaning in WORDS.items()), "",
        "| figure | claim | what came out | |", "|---|---|---|---|",
    ]  # fmt: skip
    for result in results:
        name = result.figure.name
        lines += [
            f"| [{name}](#{name}) | {_cell(verdict.claim)} | {_cell(verdict.outcome)} | {verdict.outcome_in_a_word} |"
            for verdict in result.verdicts
        ]
    for result in results:
        lines += ["", *_section(result, folder)]
    return "\n".join(lines) + "\n"


def _section(result: Result, folder: Results) -> list[str]:
    figure = result.figure
    data = folder.csv_of(figure).name
    return [
        f'<a id="{figure.name}"></a>', "", f"## {figure.name}: {_plain(figure.title)}", "",
        *([_plain(figure.learned), ""] if figure.learned else []),
        f"* Source: {_plain(figure.source)}", f"* Setting: {_plain(setting_of(result))}",
        f"* Data: [{data}]({data}), {len(result.points)} points, taken in {result.seconds:.0f} s", "",
        *(
            f"![{_plain(alternative_text(figure, panel))}]({folder.picture_of(figure, panel.letter).name})\n"
            for panel in figure.panels
        ),
        "| claim | what came out | | why |", "|---|---|---|---|", *map(_row, result.verdicts),
    ]  # fmt: skip


def _row(verdict: Verdict) -> str:
    cells = verdict.claim, verdict.outcome, verdict.outcome_in_a_word, verdict.explanation
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|").replace("\n", " ")


def _plain(text: str) -> str:
    r"""Keep a text from being read as markup.

    Examples
    --------
    >>> print(_plain("lo <= x*y < hi [1]"))
    lo &lt;= x\*y &lt; hi \[1\]
    """
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace("\\", "\\\\")
    for sign in "*_[]`":
        escaped = escaped.replace(sign, f"\\{sign}")
    return escaped
