"""The content of a file of shapes, whatever its format: outlines, ids and properties by feature."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from limen.arrays import Floats
from limen.errors import InvalidInput, InvalidQuery, did_you_mean


@dataclass(frozen=True, slots=True)
class Outline:
    """The geometry of a feature as stored in the file, valid or not.

    Parameters
    ----------
    type
        What GeoJSON calls it.
    polygons
        The rings of each polygon, its shell first: arrays (vertices, 2), their first vertex repeated at the end.
    point
        The place of a Point.
    has_z
        Whether there were more than two coordinates.
    unclosed
        A message about the first ring whose last vertex was not its first, before it was closed.
    """

    type: str
    polygons: tuple[tuple[Floats, ...], ...] = ()
    point: Floats | None = None
    has_z: bool = False
    unclosed: str | None = None

    @property
    def rings(self) -> tuple[Floats, ...]:
        """The rings of all polygons."""
        return tuple(ring for polygon in self.polygons for ring in polygon)


@dataclass(frozen=True, slots=True)
class FeatureFile:
    """The features of a file, one after the other.

    Parameters
    ----------
    name
        The file's name, for messages.
    outlines
        The geometry of each feature, or why it cannot be read.
    ids
        The ids that features carry besides their properties, None where one does not; None if the format has no such.
    properties
        A column for each property, with None where a feature lacks it.
    lines
        The line of each feature, in files that have one a line.
    crs
        The coordinate system that the file names: None, text, or what a member `crs` holds.
    """

    name: str
    outlines: Sequence[Outline | InvalidQuery]
    ids: Sequence[object] | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    lines: Sequence[int] | None = None
    crs: object = None

    def __len__(self) -> int:
        return len(self.outlines)

    def column(self, name: str) -> list[object]:
        """Return a property of all features as Python values."""
        values = self.properties[name]
        return values if isinstance(values, list) else list(values.to_pylist())

    def no_property(self, name: object, option: str, before: str, if_none: str) -> InvalidInput:
        """Return the error that an option names a property that the file does not have."""
        names = list(self.properties)
        return InvalidInput(
            where=f"{self.name}: {option}",
            expected=f"{before}a property among {', '.join(names)}" if names else if_none,
            got=repr(name),
            hint=did_you_mean(name, names) if isinstance(name, str) else None,
        )


def point_text(point: Sequence[float] | Floats) -> str:
    """Write a place; ten digits are enough for millimetres on Earth.

    Examples
    --------
    >>> point_text((-73.98765432101, 40.5))
    '(-73.98765432, 40.5)'
    """
    return f"({', '.join(f'{number:.10g}' for number in point)})"
