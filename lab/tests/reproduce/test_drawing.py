from dataclasses import replace

import pytest

from lab.tests.reproduce.small import Small
from limen_lab.reproduce.drawing import draw, drawn
from limen_lab.reproduce.figure import Curve, Point, Points

SMALL = Small()
POINTS = Points(SMALL.measure("tiny"))


def axes_of(panel, figure=SMALL.figure, points=POINTS):
    return drawn(figure, panel, points).axes[0]


def test_a_picture_is_a_png():
    for panel in SMALL.figure.panels:
        assert draw(SMALL.figure, panel, POINTS).startswith(b"\x89PNG")


def test_axes_are_named_with_units():
    axes = axes_of(SMALL.figure.panels[0])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("queries", "time [µs]")
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_curves_are_distinguishable_without_colours():
    lines = axes_of(SMALL.figure.panels[0]).get_lines()
    assert len({line.get_marker() for line in lines}) == 3
    assert len({str(line._dash_pattern) for line in lines}) == 3
    rival, other, ours = lines
    assert rival.get_markerfacecolor() == other.get_markerfacecolor() == "white"
    assert ours.get_markerfacecolor() != "white"
    assert ours.get_linewidth() > rival.get_linewidth()
    assert ours.get_label() == "ours (Limen)"


def test_bars_are_distinguishable_without_colours():
    rival, other, ours = axes_of(SMALL.figure.panels[1]).containers
    assert rival[0].get_hatch() != other[0].get_hatch()
    assert rival[0].get_hatch()
    assert not ours[0].get_hatch()
    assert ours[0].get_facecolor() != rival[0].get_facecolor()


@pytest.mark.parametrize("number", [0, 1])
def test_nothing_is_cut_off_and_nothing_hidden(number):
    panel = replace(SMALL.figure.panels[number], title="A title so long that it does not fit into one line " * 3)
    many = tuple(Curve(f"an index with {'a rather long name, ' * k} number {k}", ours=k > 5) for k in range(8))
    figure = replace(SMALL.figure, curves=many)
    points = Points(Point(panel.letter, curve.name, x, k + 1) for k, curve in enumerate(many) for x in (0, 1))
    canvas = drawn(figure, replace(panel, x=replace(panel.x, log=False)), points)
    canvas.draw_without_rendering()
    width, height = canvas.get_size_inches()
    tight = canvas.get_tightbbox()
    assert -0.01 <= tight.x0 < tight.x1 <= width + 0.01
    assert -0.01 <= tight.y0 < tight.y1 <= height + 0.01
    legend, axes = canvas.legends[0].get_window_extent(), canvas.axes[0].get_tightbbox()
    assert legend.y1 <= axes.y0 + 1


def test_curves_without_points_are_not_in_the_legend():
    figure = replace(SMALL.figure, curves=(*SMALL.figure.curves, Curve("of another scale")))
    labels = [text.get_text() for text in drawn(figure, figure.panels[0], POINTS).legends[0].get_texts()]
    assert labels == ["rival", "other rival", "ours (Limen)"]


def test_what_a_logarithm_cannot_show_is_left_out():
    points = Points([Point("a", "rival", 0, 1), Point("a", "rival", 1, 0), Point("a", "rival", 2, 3)])
    (line,) = axes_of(SMALL.figure.panels[0], points=points).get_lines()
    assert list(line.get_xdata()) == [2]


def test_nothing_measured_is_an_empty_picture():
    assert draw(SMALL.figure, SMALL.figure.panels[0], Points([])).startswith(b"\x89PNG")
