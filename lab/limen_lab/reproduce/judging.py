"""What verdicts are made of: ratios between curves, how far a curve rises, and numbers in words."""

from collections.abc import Mapping
from itertools import pairwise

from limen_lab.reproduce.figure import Points, Verdict

Line = dict[float, float]

SHORT_RUNS = "Times of short runs have the noise of the machine in them; the claim is for the full scale."


def judged(claim: str, outcome: str, *, reached: bool, otherwise: str = "") -> Verdict:
    """Return a verdict; why a claim is not reached is said only where it is not."""
    return Verdict(claim, outcome, bool(reached), "" if reached else otherwise)  # not NumPy's, which JSON does not know


def growth(curve: Mapping[float, float]) -> float:
    """Return how many times as high a curve is at its last x as at its first.

    Examples
    --------
    >>> growth({1.0: 2.0, 2.0: 9.0, 3.0: 5.0})
    2.5
    """
    values = [curve[x] for x in sorted(curve)]
    return values[-1] / values[0]


def rises(curve: Mapping[float, float]) -> bool:
    """Return whether a curve is higher at each x than at the one before.

    Examples
    --------
    >>> rises({1.0: 2.0, 2.0: 9.0}), rises({1.0: 2.0, 2.0: 2.0})
    (True, False)
    """
    values = [curve[x] for x in sorted(curve)]
    return all(before < after for before, after in pairwise(values))


def falls(curve: Mapping[float, float]) -> bool:
    """Return whether a curve is nowhere higher than at the x before.

    Examples
    --------
    >>> falls({1.0: 9.0, 2.0: 9.0, 3.0: 2.0}), falls({1.0: 2.0, 2.0: 3.0})
    (True, False)
    """
    values = [curve[x] for x in sorted(curve)]
    return all(before >= after for before, after in pairwise(values))


def spread(curve: Mapping[float, float]) -> float:
    """Return how many times as high a curve is where it is highest as where it is lowest.

    Examples
    --------
    >>> spread({1.0: 2.0, 2.0: 9.0, 3.0: 6.0})
    4.5
    """
    return max(curve.values()) / min(curve.values())


def quotient(above: Mapping[float, float], below: Mapping[float, float]) -> Line:
    """Divide a curve by another one, wherever both have a value.

    Examples
    --------
    >>> quotient({1.0: 6.0, 2.0: 9.0}, {2.0: 3.0})
    {2.0: 3.0}
    """
    return {x: y / below[x] for x, y in sorted(above.items()) if x in below}


def last(curve: Mapping[float, float]) -> float:
    """Return a curve's value at its largest x."""
    return curve[max(curve)]


def least(*curves: Mapping[float, float]) -> Line:
    """Return the lowest of several curves at each x that all of them have.

    Examples
    --------
    >>> least({1.0: 6.0, 2.0: 9.0}, {1.0: 7.0, 2.0: 3.0})
    {1.0: 6.0, 2.0: 3.0}
    """
    shared = set.intersection(*(set(curve) for curve in curves))
    return {x: min(curve[x] for curve in curves) for x in sorted(shared)}


def smaller_scale(x: float, papers: float, what: str) -> str:
    """Say that a claim is about a larger workload than was run; empty if it is not.

    Examples
    --------
    >>> smaller_scale(5_000, 100_000, "queries")
    'The claim is about 100,000 queries, and this scale has 5,000. '
    >>> smaller_scale(100_000, 100_000, "queries")
    ''
    """
    return "" if x >= papers else f"The claim is about {papers:,g} {what}, and this scale has {x:,g}. "


def short(value: float) -> str:
    """Write a number with two or three digits that matter.

    Examples
    --------
    >>> [short(value) for value in (0.1234, 6.789, 67.89, 6789.0)]
    ['0.12', '6.8', '68', '6,789']
    """
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"


def range_of(curve: Mapping[float, float]) -> str:
    """Write how low and how high a curve is.

    Examples
    --------
    >>> range_of({1.0: 6.0, 2.0: 19.5, 3.0: 7.0})
    '6 to 20'
    """
    return f"{short(min(curve.values()))} to {short(max(curve.values()))}"


class Lines:
    """The curves of a panel, by name."""

    def __init__(self, points: Points, panel: str) -> None:
        self._points = points
        self._panel = panel

    def __getitem__(self, name: str) -> dict[float, float]:
        return self._points.curve(self._panel, name)


def best_rate(points: Points, rival: str, name: str) -> float:
    """Return how many times as high a rival's curve is, where that is most in panels a and b."""
    panels = (Lines(points, panel) for panel in ("a", "b"))
    return max(rate for panel in panels for rate in quotient(panel[rival], panel[name]).values())
