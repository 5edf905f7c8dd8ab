"""Regions of two dimensions to draw, and what is in them by rational arithmetic: one point, one edge at a time."""

import math
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from limen.regions.kernels.geometry import distance_on_earth
from limen.regions.shapes import CIRCLE, Shapes


def circles(center, radius, bounds=None):
    n = len(radius)
    if bounds is None:
        bounds = np.stack([center - radius[:, None], center + radius[:, None]], axis=2)
    return Shapes(np.full(n, CIRCLE, np.int8), bounds, center, radius, np.empty((0, 4)), np.zeros(n, np.int64))


@dataclass(frozen=True)
class Drawn:
    """A region: one of a box, a circle, and rings."""

    box: tuple = ()  # (xlo, xhi), (ylo, yhi)
    circle: tuple = ()  # x, y, radius
    rings: tuple = ()  # of vertices
    bounds: tuple = field(default=(), compare=False)  # of a circle in degrees

    @property
    def shape(self):
        if self.box:
            return Shapes.boxes(np.array([self.box], np.float64))
        if self.circle:
            center, radius = np.array([self.circle[:2]], np.float64), np.array(self.circle[2:], np.float64)
            return circles(center, radius, np.array([self.bounds]) if self.bounds else None)
        return Shapes.polygons([[np.array(ring, np.float64) for ring in self.rings]])

    def contains(self, x, y, lonlat=False):
        if self.box:
            return all(lo <= value < hi for value, (lo, hi) in zip((x, y), self.box, strict=True))
        if self.circle:
            cx, cy, radius = self.circle
            if lonlat:
                return distance_on_earth(cx, cy, x, y) <= radius
            return (x - cx) * (x - cx) + (y - cy) * (y - cy) <= radius * radius
        return sum(exact_crosses(one, other, x, y) for one, other in self.edges()) % 2 == 1

    def edges(self):
        for ring in self.rings:
            yield from zip(ring, (*ring[1:], ring[0]), strict=True)

    def landmarks(self):
        """Coordinates worth trying."""
        if self.box:
            return [float(end) for ends in self.box for end in ends if math.isfinite(end)]
        if self.circle:
            cx, cy, radius = self.circle
            return [cx, cy, cx - radius, cx + radius, cy - radius, cy + radius]
        return [end for ring in self.rings for vertex in ring for end in vertex]

    def spots(self):
        """Points on the border, or as near as numbers allow."""
        if self.box:
            return [(x, y) for x in self.box[0] for y in self.box[1] if math.isfinite(x) and math.isfinite(y)]
        if self.circle:
            cx, cy, radius = self.circle
            return [(cx, cy - radius), (cx + radius, cy), (cx + radius * 0.6, cy + radius * 0.8)]
        return [vertex for ring in self.rings for vertex in ring] + [
            (xa + share * (xb - xa), ya + share * (yb - ya))
            for (xa, ya), (xb, yb) in self.edges()
            for share in (0.25, 0.5, 0.7)
        ]


def exact_crosses(one, other, x, y):
    (ya, xa), (yb, xb) = sorted([(one[1], one[0]), (other[1], other[0])])
    if not ya <= y < yb:
        return False
    xa, ya, xb, yb, x, y = map(Fraction, (xa, ya, xb, yb, x, y))
    return (xb - xa) * (y - ya) - (x - xa) * (yb - ya) > 0


def known(*numbers):
    return not any(math.isnan(number) for number in numbers)


def inside(regions, owners, streams, points, lonlat=False):
    """Find pairs (row, query) with the row's point in the query's region."""
    return Counter(
        (row, query)
        for row, (stream, (x, y)) in enumerate(zip(streams, points, strict=True))
        for query, region in regions.items()
        if (owners is None or stream in owners[query]) and known(x, y) and region.contains(x, y, lonlat)
    )


def crossed(regions, owners, streams, before, after, lonlat=False):
    """Find pairs (row, query), ~query for a leave: the difference of what contains both ends."""
    moving = [known(*was, *now) for was, now in zip(before, after, strict=True)]
    then, now = (inside(regions, owners, streams, points, lonlat) for points in (before, after))
    return Counter({(row, query): 1 for row, query in now - then if moving[row]}) + Counter(
        {(row, ~query): 1 for row, query in then - now if moving[row]}
    )


def passed(regions, owners, streams, before, after):
    """Find pairs (row, query) of moves from outside to outside with a point inside between them."""
    found = Counter()
    for row, (stream, was, now) in enumerate(zip(streams, before, after, strict=True)):
        if not known(*was, *now):
            continue
        for query, region in regions.items():
            if owners is not None and stream not in owners[query]:
                continue
            if not region.contains(*was) and not region.contains(*now) and meets(region, was, now):
                found[row, query] += 1
    return found


def meets(region, was, now):
    """Tell whether some point between is in the region, trying all places where that may change, and between those."""
    if region.circle:
        cx, cy, _ = region.circle
        dx, dy = now[0] - was[0], now[1] - was[1]
        whole = dx * dx + dy * dy
        along = min(max((dx * (cx - was[0]) + dy * (cy - was[1])) / whole, 0.0), 1.0) if whole > 0 else 0.0
        nearest = was[0] + along * dx, was[1] + along * dy
        # a point of the way, whatever rounding makes of it
        return region.contains(*(sorted((one, at, other))[1] for one, at, other in zip(was, nearest, now, strict=True)))
    (x0, y0), (x1, y1) = (tuple(map(Fraction, point)) for point in (was, now))
    if region.box:
        far = Fraction(10) ** 309  # beyond all numbers
        (left, right), (bottom, top) = (
            tuple(Fraction(end) if math.isfinite(end) else (far if end > 0 else -far) for end in ends)
            for ends in region.box
        )  # fmt: skip
        edges = [((left, bottom), (left, top)), ((right, bottom), (right, top))]
        edges += [((left, bottom), (right, bottom)), ((left, top), (right, top))]
    else:
        edges = [tuple(tuple(map(Fraction, end)) for end in edge) for edge in region.edges()]
    shares = {Fraction(0), Fraction(1)}
    for (xa, ya), (xb, yb) in edges:
        across = (x1 - x0) * (yb - ya) - (y1 - y0) * (xb - xa)
        if across:
            shares.add(((xa - x0) * (yb - ya) - (ya - y0) * (xb - xa)) / across)
        for y in (ya, yb):  # a side may also change at the height of a vertex, and where the way is level at its x
            if y1 != y0:
                shares.add((y - y0) / (y1 - y0))
        for x in (xa, xb):
            if x1 != x0:
                shares.add((x - x0) / (x1 - x0))
    tried = sorted(share for share in shares if 0 <= share <= 1)
    tried += [(one + other) / 2 for one, other in pairwise(tried)]
    return any(
        sum(exact_crosses(one, other, x0 + share * (x1 - x0), y0 + share * (y1 - y0)) for one, other in edges) % 2
        for share in tried
    )


STEPS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 8.0, 11.0, 0.1, 2.3)
SIZES = (1.0, 1.0, 1.0, 0.125, 16.0, 1024.0, 1e5)


@st.composite
def regions(draw, infinite=True):
    """Draw a region of any kind and size, on few different coordinates."""
    size, number = draw(st.sampled_from(SIZES)), st.sampled_from(STEPS)
    kind = draw(st.sampled_from(("box", "circle", "polygon", "polygon")))
    if kind == "box":
        box = []
        for _ in range(2):
            lo, hi = sorted(draw(st.lists(number, min_size=2, max_size=2, unique=True)))
            open_end = draw(st.sampled_from(("", "", "", "lo", "hi"))) if infinite else ""
            box.append((-math.inf if open_end == "lo" else lo * size, math.inf if open_end == "hi" else hi * size))
        return Drawn(box=tuple(box))
    if kind == "circle":
        radius = draw(st.sampled_from((0.5, 1.0, 2.5, 5.0)))
        return Drawn(circle=(draw(number) * size, draw(number) * size, radius * size))
    vertices = st.tuples(number, number)
    count = draw(st.integers(1, 3))
    rings = tuple(
        tuple((x * size, y * size) for x, y in draw(st.lists(vertices, min_size=3, max_size=7))) for _ in range(count)
    )
    if all(len({y for _, y in ring}) == 1 for ring in rings):
        return Drawn(rings=(((0.0, 0.0), (size, 0.0), (0.0, size)),))
    return Drawn(rings=rings)


@st.composite
def spots(draw, around):
    """Draw a point: of a border or off it by as little as there is, on a cell's border, anywhere, or unknown."""
    region = draw(st.sampled_from(around)) if around else Drawn(box=((0.0, 1.0), (0.0, 1.0)))
    where = draw(st.sampled_from(("border", "border", "near", "near", "grid", "anywhere", "far", "nowhere")))
    on_border = st.sampled_from(region.spots() or [(0.0, 0.0)])
    if where == "border":
        return draw(on_border)
    if where == "near":
        x, y = draw(on_border)
        return tuple(draw(st.sampled_from((v, math.nextafter(v, 1e9), math.nextafter(v, -1e9)))) for v in (x, y))
    if where == "grid":
        return tuple(draw(st.integers(-4, 40)) * draw(st.sampled_from((0.125, 0.25, 0.5, 1.0, 2.0))) for _ in range(2))
    if where == "anywhere":
        marks = [mark for each in around for mark in each.landmarks()] or [0.0, 1.0]
        return tuple(draw(st.floats(min(marks) - 1, max(marks) + 1)) for _ in range(2))
    if where == "far":
        return tuple(draw(st.sampled_from((-1e300, 1e300, 1e12, 5e-324, 0.0))) for _ in range(2))
    return draw(st.sampled_from(((math.nan, 1.0), (1.0, math.nan))))
