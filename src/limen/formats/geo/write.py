"""GeoJSON out, a feature at a time, so that files may be larger than memory."""

import datetime as dt
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from limen.arrays import Floats
from limen.formats.geo.feature_file import Outline
from limen.formats.geo.fences import Fences


def write_collection(path: Path, features: Iterable[dict[str, Any]], crs: object = None) -> int:
    """Write a FeatureCollection with a feature a line, and return how many there were."""
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as out:
        system = f' "crs": {json.dumps(crs)},' if crs is not None else ""
        out.write(f'{{"type": "FeatureCollection",{system} "features": [')
        for count, feature in enumerate(features, start=1):
            text = json.dumps(feature, ensure_ascii=False, allow_nan=False, default=str)
            out.write(f"{',' if count > 1 else ''}\n{text}")
        out.write("\n]}\n")
    return count


def json_value(value: Any) -> Any:
    """Return what stands for a value of Arrow in JSON, which has neither times nor numbers that are not finite.

    Examples
    --------
    >>> json_value([1.5, math.nan, {"at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC)}])
    [1.5, None, {'at': '2026-01-01T00:00:00Z'}]
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: json_value(each) for key, each in value.items()}
    if isinstance(value, list):
        return [json_value(each) for each in value]
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        return value.isoformat().replace("+00:00", "Z")
    return value


def write_fences(path: Path, fences: Fences) -> int:
    """Write the valid features, repaired or not, with their ids and properties."""
    # Coordinates that are no degrees stay so; only GeoJSON names its system in a way that GeoJSON can repeat.
    crs = fences.file.crs
    named = isinstance(crs, dict) and "properties" in crs and not fences.lonlat
    return write_collection(path, _features(fences), crs if named else None)


def _features(fences: Fences) -> Iterable[dict[str, Any]]:
    columns = {name: fences.file.column(name) for name in fences.file.properties}
    for position in fences.good():
        outline = fences.outlines[position]
        assert outline is not None
        own = fences.file.ids[position] if fences.file.ids is not None else None
        yield {
            "type": "Feature",
            **({"id": own} if own is not None else {}),
            "properties": {name: json_value(values[position]) for name, values in columns.items()},
            "geometry": geometry_of(outline),
        }


def geometry_of(outline: Outline) -> dict[str, Any]:
    """Write an outline as GeoJSON has it: shells go round to the left, holes to the right."""
    if outline.point is not None:
        return {"type": "Point", "coordinates": outline.point.tolist()}
    polygons = [
        [turned(ring, left=number == 0).tolist() for number, ring in enumerate(rings)] for rings in outline.polygons
    ]
    if outline.type == "Polygon":
        return {"type": "Polygon", "coordinates": polygons[0]}
    return {"type": "MultiPolygon", "coordinates": polygons}


def turned(ring: Floats, *, left: bool) -> Floats:
    """Return a ring, closed or not, in the requested direction."""
    # Relative to the first vertex, so that small outlines far from the origin keep their precision.
    x, y = (ring - ring[0]).T
    area = float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
    return ring if (area > 0) == left else ring[::-1]
