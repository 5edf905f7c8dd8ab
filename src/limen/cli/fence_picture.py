"""A picture of the regions that queries watch, with what is wrong in red."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from limen.arrays import Floats
from limen.formats.geo.feature_file import Outline
from limen.formats.geo.geometries import in_one_piece
from limen.formats.geo.write import turned
from limen.kernels.earth import EARTH_RADIUS
from limen.model.query import Query
from limen.model.region import Box, Region
from limen.model.shape import Circle, MultiPolygon, Polygon

# Neighbours differ, and text on them stays readable.
COLORS = ("#a8d5ba", "#f3d9a4", "#b7cfe8", "#e6c3dd", "#d6dcb0", "#c9c4e8", "#f0c4b4")
LINE_COLOR, WRONG_COLOR = "#33658a", "#d1495b"
MOST_LABELS = 40
_CORNERS = 64  # of the polygon that is drawn for a circle


def draw_fences(
    path: Path, name: str, queries: Sequence[Query], wrong: Sequence[Outline | None], *, lonlat: bool
) -> str:
    """Draw the regions of two dimensions, and what is wrong as far as it can be drawn.

    Returns
    -------
    str
        What the picture shows, or why there is none.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415  # only plotting needs it

    regions = {query.id: getattr(query, "region", None) for query in queries}
    shown = {id: region for id, region in regions.items() if region is not None and region.dimensions == 2}
    red = [rings for outline in wrong for rings in _drawable(outline, lonlat=lonlat)]
    view = _view(list(shown.values()), red, lonlat=lonlat)
    if view is None:
        return "no picture: there is no region of two dimensions with an end"
    lo, hi = view
    stretch = 1 / max(math.cos(math.radians((lo[1] + hi[1]) / 2)), 0.05) if lonlat else 1.0
    ratio = float(np.clip((hi[1] - lo[1]) * stretch / (hi[0] - lo[0]), 0.4, 2.5))
    figure = Figure(figsize=(11, 11 * ratio + 0.6), layout="constrained")
    axes = figure.add_subplot()
    fences = [[ring for part in _parts(region, view, lonlat=lonlat) for ring in part] for region in shown.values()]
    width = 0.8 if len(fences) < 2000 else 0.3
    _add(axes, fences, {"facecolors": COLORS, "edgecolors": LINE_COLOR, "linewidths": width, "alpha": 0.75})
    _add(axes, red, {"facecolors": "#d1495b55", "edgecolors": WRONG_COLOR, "linewidths": 1.6, "zorder": 3})
    if len(shown) <= MOST_LABELS:
        for id, rings in zip(shown, fences, strict=True):
            x, y = (rings[0].min(axis=0) + rings[0].max(axis=0)) / 2
            axes.text(x, y, id, ha="center", va="center", fontsize=9, zorder=4)
    axes.set_xlim(lo[0], hi[0])
    axes.set_ylim(lo[1], hi[1])
    axes.set_aspect(stretch, adjustable="box")
    if lonlat:
        axes.set_xlabel("longitude")
        axes.set_ylabel("latitude")
    problems = f", {len(wrong):,} bad, in red" if wrong else ""
    axes.set_title(f"{name}: {len(shown):,} regions{problems}")
    figure.savefig(path, dpi=110)
    left_out = len(queries) - len(shown)
    others = f"; {left_out:,} of other dimensions are left out" if left_out else ""
    return f"a picture of {len(shown):,} regions in {path}{others}"


def _drawable(outline: Outline | None, *, lonlat: bool) -> list[list[Floats]]:
    """Return the rings of what is wrong, where they are places at all."""
    if outline is None:
        return []
    rings = [ring for ring in outline.rings if len(ring) > 1 and np.isfinite(ring).all()]
    # What lies beyond the world would leave no room for what is on it.
    if lonlat and any((np.abs(ring) > (360, 90)).any() for ring in rings):
        return []
    return [rings] if rings else []


def _view(regions: Sequence[Region], red: Sequence[Sequence[Floats]], *, lonlat: bool) -> tuple[Floats, Floats] | None:
    """Choose what to show: everything that has an end, and some more; the rest is cut off there."""
    everything = (np.full(2, -np.inf), np.full(2, np.inf))
    parts = [ring for region in regions for part in _parts(region, everything, lonlat=lonlat) for ring in part]
    points = np.concatenate([*parts, *(ring for rings in red for ring in rings), np.empty((0, 2))])
    lo, hi = np.empty(2), np.empty(2)
    for axis in range(2):
        ends = points[np.isfinite(points[:, axis]), axis]
        if not len(ends):
            return None
        spare = (ends.max() - ends.min()) * 0.04 or 1.0
        lo[axis], hi[axis] = ends.min() - spare, ends.max() + spare
    return lo, hi


def _parts(region: Region, view: tuple[Floats, Floats], *, lonlat: bool) -> list[list[Floats]]:
    """Return the rings of each part of a region, shells to the left and holes to the right, as filling them needs."""
    if isinstance(region, Circle):
        return [[_circle(region, lonlat=lonlat)]]
    if isinstance(region, Box):
        (west, south), (east, north) = np.maximum(region.lower, view[0]), np.minimum(region.upper, view[1])
        east = east + 360 if lonlat and region.lower[0] > region.upper[0] else east
        return [[np.array([[west, south], [east, south], [east, north], [west, north]])]]
    polygons = region.polygons if isinstance(region, MultiPolygon) else (region,)
    return [
        [
            turned(ring, left=number == 0)
            for number, ring in enumerate(in_one_piece(part.rings) if lonlat else part.rings)
        ]
        for part in polygons
        if isinstance(part, Polygon)
    ]


def _circle(circle: Circle, *, lonlat: bool) -> Floats:
    angle = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)
    reach = np.array([circle.radius, circle.radius])
    if lonlat:
        north = math.degrees(circle.radius / EARTH_RADIUS)
        reach = np.array([north / max(math.cos(math.radians(circle.center[1])), 1e-6), north])
    corners: Floats = np.array(circle.center) + reach * np.column_stack([np.cos(angle), np.sin(angle)])
    return corners


def _add(axes: Any, fences: Sequence[Sequence[Floats]], style: dict[str, Any]) -> None:
    from matplotlib.collections import PathCollection  # noqa: PLC0415
    from matplotlib.path import Path as Outline  # noqa: PLC0415

    paths = []
    for rings in fences:
        vertices = np.concatenate([np.concatenate([ring, ring[:1]]) for ring in rings])
        codes = np.full(len(vertices), Outline.LINETO, np.uint8)
        ends = np.cumsum([len(ring) + 1 for ring in rings])
        codes[np.append(0, ends[:-1])] = Outline.MOVETO
        codes[ends - 1] = Outline.CLOSEPOLY
        paths.append(Outline(vertices, codes))
    if paths:
        axes.add_collection(PathCollection(paths, transform=axes.transData, **style))
