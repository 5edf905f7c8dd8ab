"""Whether a straight way meets a polygon, in rational numbers: for the few that floats leave in doubt."""

from fractions import Fraction
from itertools import pairwise

from limen.arrays import Floats


def way_meets(edges: Floats, start: tuple[float, float], end: tuple[float, float]) -> bool:
    """Return whether a point between two others is in the polygon with these edges (n, 4), lower ends first.

    Whether it is can only change where the way meets an edge: it is tested at all such points, and between them.

    Examples
    --------
    >>> import numpy as np
    >>> triangle = np.array([[0.0, 0.0, 4.0, 4.0], [8.0, 0.0, 4.0, 4.0]])
    >>> way_meets(triangle, (0.0, 4.0), (8.0, 4.0)), way_meets(triangle, (0.0, 3.0), (8.0, 3.0))
    (False, True)
    """
    (x0, y0), (x1, y1) = (tuple(map(Fraction, point)) for point in (start, end))
    dx, dy = x1 - x0, y1 - y0
    exact = [tuple(map(Fraction, edge)) for edge in edges.tolist()]
    shares = {Fraction(0), Fraction(1)}
    for xa, ya, xb, yb in exact:
        ex, ey = xb - xa, yb - ya
        area = dx * ey - dy * ex
        if area:
            shares.add(((xa - x0) * ey - (ya - y0) * ex) / area)
        elif (xa - x0) * dy == (ya - y0) * dx:  # upon each other
            shares |= {(x - x0) / dx if dx else (y - y0) / dy for x, y in ((xa, ya), (xb, yb))}
    ordered = sorted(share for share in shares if 0 <= share <= 1)
    middles = [(one + other) / 2 for one, other in pairwise(ordered)]
    return any(_contains(exact, x0 + share * dx, y0 + share * dy) for share in (*ordered, *middles))


def _contains(edges: list[tuple[Fraction, ...]], x: Fraction, y: Fraction) -> bool:
    return sum(ya <= y < yb and (xb - xa) * (y - ya) - (x - xa) * (yb - ya) > 0 for xa, ya, xb, yb in edges) % 2 == 1
