"""A figure's way from nothing to a result: measured, judged, drawn, kept."""

import time
from collections.abc import Callable, Sequence

from limen_lab.reproduce.figure import Figure, Points
from limen_lab.reproduce.figure_catalogue import load, missing_library, names
from limen_lab.reproduce.machine import RunConditions
from limen_lab.reproduce.results import Result, Results


def check_can_draw() -> None:
    """Refuse to begin without what pictures are drawn by."""
    try:
        import matplotlib  # noqa: F401, ICN001, PLC0415  # only to know whether it is there
    except ModuleNotFoundError as error:
        raise missing_library("a picture", error) from error


def reproduce(
    figure: Figure, results: Results, conditions: RunConditions, on_point: Callable[[int], None] = lambda _: None
) -> Result:
    """Measure a figure and keep it.

    Parameters
    ----------
    figure, results, conditions
    on_point
        Called after each point with the number of points.
    """
    from limen_lab.reproduce.drawing import draw  # noqa: PLC0415  # matplotlib takes a second to load

    begin = time.perf_counter()
    measured = []
    for point in figure.measure(conditions.scale):
        measured.append(point)
        on_point(len(measured))
    points = Points(measured)
    taken = time.perf_counter() - begin
    result = Result(figure, points, tuple(figure.judge(points)), conditions, taken)
    results.write(result, {panel.letter: draw(figure, panel, points) for panel in figure.panels})
    return result


def all_done(results: Results, conditions: RunConditions, others: Sequence[Figure] = ()) -> list[Result]:
    """Return what the folder has under these conditions, in the order of the papers, and then of others."""
    figures = [load(name) for name in names() if results.has(name)] + list(others)
    found = (results.read(figure, conditions) for figure in figures)
    return [result for result in found if result is not None]
