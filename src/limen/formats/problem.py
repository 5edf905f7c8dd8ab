"""What is wrong with a part of a file of queries."""

from dataclasses import dataclass
from os import PathLike


@dataclass(frozen=True, slots=True)
class Problem:
    """A line or a feature of a file that is no query, and why.

    Parameters
    ----------
    line
        Its line, in files that have one query a line; else None.
    reason
        What is wrong with it.
    feature
        The feature, in files of shapes, by its position and id.

    Examples
    --------
    >>> Problem(3, "expected lo < hi, got lo 1, hi 1").within("alerts.jsonl")
    'alerts.jsonl:3: expected lo < hi, got lo 1, hi 1'
    >>> Problem(None, "self-intersection at (1, 1)", "feature 17 (LocationID 56)").within("zones.geojson")
    'zones.geojson: feature 17 (LocationID 56): self-intersection at (1, 1)'
    """

    line: int | None
    reason: str
    feature: str | None = None

    def within(self, path: str | PathLike[str]) -> str:
        """Name the file too; a line in the form that editors jump to."""
        place = f"{path}:{self.line}" if self.line is not None else f"{path}: {self.feature}"
        return f"{place}: {self.reason}"
