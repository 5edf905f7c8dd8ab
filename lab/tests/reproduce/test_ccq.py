"""The figures of constraint queries in miniature: every curve is there, and verdicts can be given."""

import pytest

from limen_lab.reproduce.figure import Points
from limen_lab.reproduce.figure_catalogue import load


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ccq-05", "ccq-06", "ccq-07"])
def test_a_figure_in_miniature(name: str) -> None:
    figure = load(name)
    points = Points(figure.measure("tiny"))
    for panel in figure.panels:
        for curve in figure.curves:
            found = points.curve(panel.letter, curve.name)
            assert len(found) >= 2
            assert all(value > 0 for value in found.values())
    verdicts = list(figure.judge(points))
    assert len(verdicts) >= 3
    assert all(verdict.claim and verdict.outcome for verdict in verdicts)
    memory = next(panel.letter for panel in figure.panels if panel.letter == "b")
    tight, loose = points.curve(memory, "Tight"), points.curve(memory, "Loose")
    assert all(tight[x] <= loose[x] for x in loose)
