"""What a figure of a paper is here: what is measured for it, how it is drawn, and what it must show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

T = TypeVar("T")

#: How large an experiment is: as in the paper, in minutes for all of them, or just enough to see a curve's shape.
Scale = Literal["full", "quick", "tiny"]


def at_scale(scale: Scale, *, full: T, quick: T, tiny: T) -> T:
    """Return the setting for a scale."""
    return {"full": full, "quick": quick, "tiny": tiny}[scale]


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows; its unit stands in brackets after the label."""

    label: str
    unit: str = ""
    log: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes: `letter` is what the paper calls it, empty where a figure has only one.

    The horizontal axis carries numbers, or names where `categories` lists them.
    """

    letter: str
    title: str
    x: Axis
    y: Axis
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Curve:
    """A line in a panel: `ours` marks what is Limen's own rather than the paper's."""

    name: str
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """A measured value: the row of a figure's CSV. `x` is a category's number where the panel has categories."""

    panel: str
    curve: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the paper says, what came out, whether that reaches it, and why not where it does not."""

    claim: str
    outcome: str
    reached: bool
    explanation: str = ""

    @property
    def outcome_in_a_word(self) -> str:
        """What a reader looks for first.

        Examples
        --------
        >>> Verdict("twice as fast", "1.5 times", reached=False, explanation="twice as many events").outcome_in_a_word
        'explained'
        """
        return "reached" if self.reached else "explained" if self.explanation else "missed"


@dataclass(frozen=True, slots=True)
class Figure:
    """An experiment. `measure` yields its points one by one; `judge` reads all of them.

    Attributes
    ----------
    name
        The paper's short name and the figure's number: ``bmq-10``. A panel adds its letter: ``bmq-10a``.
    title
        What is varied, and what is seen.
    source
        Where it is in the papers, all of them if several have it.
    panels, curves
        What is drawn.
    measure
        Takes the scale; seeded, so that the same scale gives the same workload.
    judge
        Takes all points of the figure and says what they show of each claim.
    setting
        The workload in words, for each scale.
    learned
        What a reader should take away, in a sentence or two.
    input_digest
        Of the file that the points come from, where they come from a file: another file is another measurement.
    """

    name: str
    title: str
    source: str
    panels: tuple[Panel, ...]
    curves: tuple[Curve, ...]
    measure: Callable[[Scale], Iterator[Point]]
    judge: Callable[[Points], Iterable[Verdict]]
    setting: Mapping[Scale, str] = field(default_factory=dict)
    learned: str = ""
    input_digest: str = ""


class Points:
    """The points of a figure, by panel and curve."""

    def __init__(self, points: Iterable[Point]) -> None:
        self._points = list(points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)

    def curve(self, panel: str, curve: str) -> dict[float, float]:
        """Return a curve as a mapping from x to y, in the order of x."""
        found = {point.x: point.y for point in self._points if (point.panel, point.curve) == (panel, curve)}
        return dict(sorted(found.items()))
