"""What to remember of moving objects for a picture of them: a sample, however many there are."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from limen.simulate import Reports

# More points than this are no better a picture.
KEPT_ROWS = 300_000


class Sketch:
    """Reports of every so-many-th object, and of all that stand still; `rows` is the number of reports to expect."""

    def __init__(self, rows: int, interval: int) -> None:
        self.interval = interval
        self._every = max(1, -(-rows // KEPT_ROWS))
        self._kept: list[tuple[NDArray[np.float64], ...]] = []

    def watching(self, seconds: Iterator[Reports]) -> Iterator[Reports]:
        """Pass reports on, and remember some of them."""
        for reports in seconds:
            kept = (reports.number % self._every == 0) | (reports.kmh == 0)
            second = np.full(int(kept.sum()), float(reports.second))
            self._kept.append((second, *(column[kept] for column in reports[1:])))
            yield reports

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Return what was remembered: second, number, is_fast, x, y and kmh, in order of time."""
        names = ("second", "number", "is_fast", "x", "y", "kmh")
        return {name: np.concatenate(parts) for name, parts in zip(names, zip(*self._kept, strict=True), strict=True)}

    def trails(self, count: int) -> list[NDArray[np.float64]]:
        """Return the tracks, arrays (reports, 2), of the sampled objects that ended farthest from their start."""
        columns = self.columns()
        moving = columns["kmh"] > 0
        number = columns["number"][moving]
        order = np.argsort(number, kind="stable")
        xy = np.column_stack([columns["x"][moving], columns["y"][moving]])[order]
        _, first = np.unique(number[order], return_index=True)
        ways = np.split(xy, first[1:])
        straight = [float(np.hypot(*(way[-1] - way[0]))) for way in ways]
        return [ways[place] for place in np.argsort(straight)[::-1][:count]]
