"""Where a query is on the map, from its wire form: the box around it, and what to draw."""

import math

from limen.formats.query_json import Plain
from limen.kernels.earth import EARTH_RADIUS
from limen.model.columns import Columns

Box = tuple[float, float, float, float]

_METRES = math.pi * EARTH_RADIUS / 180  # a degree of latitude
_FAR = 1e12  # where a side that is infinite is drawn
NOWHERE: Box = (math.nan, math.nan, math.nan, math.nan)


def drawn(query: Plain, columns: Columns) -> Plain | None:
    """Return the shape of a query that stays where it is, in the coordinates of the map; None if it has none.

    The map has the first two value columns; a query on others is not on it.

    Examples
    --------
    >>> from limen.model.columns import Columns
    >>> drawn({"type": "nearest", "id": "n", "k": 2, "center": [1, 2]}, Columns("id", "t", ("x", "y")))
    {'point': [1, 2]}
    """
    on = query.get("on")
    if on is not None and list(on if isinstance(on, (list, tuple)) else [on]) != list(columns.values[:2]):
        return None
    if on is None and len(columns.values) > 2:
        return None
    if query.get("center") is not None:
        return {"point": list(query["center"])}
    region = query.get("region")
    return None if region is None else _region(region, lonlat=columns.crs == "lonlat")


def _region(region: Plain, *, lonlat: bool) -> Plain | None:
    kind = region["type"]
    if kind == "circle":
        (x, y), radius = region["center"], float(region["radius"])
        up = radius / _METRES if lonlat else radius
        return {"ellipse": [x, y, up / max(math.cos(math.radians(y)), 1e-6) if lonlat else up, up]}
    if kind == "polygon":
        return {"rings": [region["shell"], *region.get("holes", ())]}
    if kind == "multipolygon":
        return {"rings": [ring for part in region["polygons"] for ring in (part["shell"], *part.get("holes", ()))]}
    if kind == "range":  # of one column: a band across the picture
        return {"box": [-_FAR, _end(region.get("lo"), -_FAR), _FAR, _end(region.get("hi"), _FAR)]}
    low, high = region.get("lo") or [None, None], region.get("hi") or [None, None]
    if len(low) != 2 or len(high) != 2:
        return None
    west, south = _end(low[0], -_FAR), _end(low[1], -_FAR)
    east, north = _end(high[0], _FAR), _end(high[1], _FAR)
    return {"box": [west, south, east + 360 if lonlat and west > east else east, north]}


def _end(value: float | str | None, far: float) -> float:
    return far if value is None or isinstance(value, str) else min(max(float(value), -_FAR), _FAR)


def box_of(shape: Plain | None) -> Box:
    """Return west, south, east and north of a shape."""
    if shape is None:
        return NOWHERE
    if "box" in shape:
        west, south, east, north = shape["box"]
        return west, south, east, north
    if "point" in shape:
        x, y = shape["point"][:2]
        return x, y, x, y
    if "ellipse" in shape:
        x, y, across, up = shape["ellipse"]
        return x - across, y - up, x + across, y + up
    xs = [point[0] for ring in shape["rings"] for point in ring]
    ys = [point[1] for ring in shape["rings"] for point in ring]
    return min(xs), min(ys), max(xs), max(ys)
