"""Regions of the plane with a shape: circles and polygons."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from limen.arrays import Floats
from limen.errors import InvalidQuery
from limen.model.region import Region, read_number

LARGEST_RADIUS = 1e150  # distances are compared by their squares, which must be numbers


@dataclass(frozen=True, slots=True, init=False)
class Circle(Region):
    """All points no further than `radius` from `center`; with ``crs="lonlat"`` the radius is in metres.

    Examples
    --------
    >>> Circle((3, 4), 5)
    Circle(center=(3.0, 4.0), radius=5.0)
    """

    center: tuple[float, float]
    radius: float

    def __init__(self, center: Iterable[float], radius: float) -> None:
        object.__setattr__(self, "center", _point(center, "circle: center"))
        size = read_number(radius, "circle: radius", "a number above 0")
        if not 0 < size <= LARGEST_RADIUS:
            expected = "at most 1e150" if size > LARGEST_RADIUS else "a number above 0"
            raise InvalidQuery(where="circle: radius", expected=expected, got=repr(radius))
        object.__setattr__(self, "radius", size)

    @property
    def lower(self) -> tuple[float, ...]:
        """The smallest value in each dimension; in the units of the radius."""
        return tuple(middle - self.radius for middle in self.center)

    @property
    def upper(self) -> tuple[float, ...]:
        """The largest value in each dimension; in the units of the radius."""
        return tuple(middle + self.radius for middle in self.center)


class _Rings(Region):
    """What polygons have in common: rings of vertices; a point is inside if it is within an odd number of them."""

    __slots__ = ()

    @property
    def rings(self) -> tuple[Floats, ...]:
        """All rings, shells and holes alike: arrays (vertices, 2), the last vertex joined to the first."""
        raise NotImplementedError

    @property
    def lower(self) -> tuple[float, ...]:
        """The smallest value in each dimension."""
        return tuple(min(float(ring[:, axis].min()) for ring in self.rings) for axis in range(2))

    @property
    def upper(self) -> tuple[float, ...]:
        """The largest value in each dimension."""
        return tuple(max(float(ring[:, axis].max()) for ring in self.rings) for axis in range(2))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> Any:
        raise NotImplementedError


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Polygon(_Rings):
    """The points within a ring of vertices, and not within its holes.

    A point is inside when an odd number of edges, of all rings, pass to its right: so rings may go round either way, be
    closed by a repeated vertex or not, and repeat vertices. A point on an edge that two polygons share is in one only.

    Parameters
    ----------
    shell
        Vertices (x, y), three or more; with ``crs="lonlat"`` longitude and latitude.
    holes
        Rings of vertices.

    Examples
    --------
    >>> Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], holes=[[(1, 1), (2, 1), (1, 2)]])
    Polygon of 4 vertices and 1 hole
    """

    shell: Floats
    holes: tuple[Floats, ...]

    def __init__(self, shell: Iterable[Sequence[float]], holes: Iterable[Iterable[Sequence[float]]] = ()) -> None:
        object.__setattr__(self, "shell", _ring(shell, "polygon: shell"))
        try:
            rings = tuple(holes)
        except TypeError:
            raise InvalidQuery(where="polygon: holes", expected="rings of vertices", got=repr(holes)) from None
        read = tuple(_ring(ring, f"polygon: hole {number}") for number, ring in enumerate(rings, start=1))
        object.__setattr__(self, "holes", read)

    @property
    def rings(self) -> tuple[Floats, ...]:
        """The shell, and then the holes."""
        return (self.shell, *self.holes)

    def _key(self) -> Any:
        return tuple(ring.tobytes() for ring in self.rings)

    def __repr__(self) -> str:
        holes = f" and {_counted(len(self.holes), 'hole')}" if self.holes else ""
        return f"Polygon of {_counted(len(self.shell), 'vertex')}{holes}"


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class MultiPolygon(_Rings):
    """Several polygons as one region; where two of them overlap is outside, as it is within an even number of rings.

    Examples
    --------
    >>> square = Polygon([(0, 0), (1, 0), (1, 1), (0, 1)])
    >>> MultiPolygon([square, Polygon([(5, 5), (6, 5), (6, 6)])])
    MultiPolygon of 2 polygons
    """

    polygons: tuple[Polygon, ...]

    def __init__(self, polygons: Iterable[Polygon]) -> None:
        parts = tuple(polygons) if not isinstance(polygons, (str, bytes)) and hasattr(polygons, "__iter__") else ()
        if not parts or not all(isinstance(part, Polygon) for part in parts):
            raise InvalidQuery(where="multipolygon", expected="one Polygon or more", got=repr(polygons))
        object.__setattr__(self, "polygons", parts)

    @property
    def rings(self) -> tuple[Floats, ...]:
        """The rings of all polygons."""
        return tuple(ring for part in self.polygons for ring in part.rings)

    def _key(self) -> Any:
        return tuple(tuple(ring.tobytes() for ring in part.rings) for part in self.polygons)

    def __repr__(self) -> str:
        return f"MultiPolygon of {_counted(len(self.polygons), 'polygon')}"


def _point(point: object, where: str) -> tuple[float, float]:
    numbers = tuple(point) if isinstance(point, (tuple, list, np.ndarray)) else ()
    if len(numbers) != 2:
        raise InvalidQuery(where=where, expected="two numbers, x and y", got=repr(point))
    x, y = (read_number(number, where, "two finite numbers") for number in numbers)
    if not (math.isfinite(x) and math.isfinite(y)):
        raise InvalidQuery(where=where, expected="two finite numbers", got=repr(point))
    return x, y


def _ring(vertices: object, where: str) -> Floats:
    """Read vertices: without the repeated one that closes a ring, and without repetitions, which mean nothing."""
    try:
        given = np.array(vertices if isinstance(vertices, np.ndarray) else list(vertices), np.float64)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise InvalidQuery(where=where, expected="vertices (x, y)", got=f"{vertices!r:.80}") from None
    if given.ndim != 2 or given.shape[1] != 2:
        expected = "vertices of two coordinates"
        raise InvalidQuery(where=where, expected=expected, got=f"an array of shape {given.shape}")
    if not np.isfinite(given).all():
        row = int(np.flatnonzero(~np.isfinite(given).all(axis=1))[0])
        raise InvalidQuery(where=f"{where}: vertex {row + 1}", expected="finite numbers", got=str(given[row].tolist()))
    ring = given + 0.0  # negative zero is zero
    ring = ring[np.append(True, (ring[1:] != ring[:-1]).any(axis=1))] if len(ring) else ring
    if len(ring) > 1 and (ring[0] == ring[-1]).all():
        ring = ring[:-1]
    if len(ring) < 3:
        got = f"{len(ring)}"
        raise InvalidQuery(where=where, expected="three different vertices or more", got=got)
    # Scaled by powers of two, which changes no side, so that products of very large or small numbers are numbers.
    scaled = np.ldexp(ring, -np.frexp(np.abs(ring).max(axis=0))[1])
    edges = scaled - scaled[0]
    if not (edges[:, 0] * edges[1, 1] != edges[:, 1] * edges[1, 0]).any():
        raise InvalidQuery(where=where, expected="vertices with an area between them", got="all of them on one line")
    ring = np.ascontiguousarray(ring)
    ring.setflags(write=False)
    return ring


def _counted(count: int, thing: str) -> str:
    plural = {"vertex": "vertices"}.get(thing, f"{thing}s")
    return f"{count:,} {thing if count == 1 else plural}"
