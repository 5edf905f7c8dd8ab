"""Choose the frame and the resolution of a grid of points."""

import math

import numpy as np

from limen.arrays import Floats

POINTS_A_CELL = 1.0  # measured: see `limen bench answer --only grid`
MOST_CELLS = 1 << 22
FARTHEST, NARROWEST = 1e100, 1e-100  # so that areas, and cells a unit, are numbers
SAMPLE = 20_000
RIM = 0.01  # of the points on each side may lie outside, so that a few far away do not make the grid coarse


def frame_of(points: Floats) -> Floats:
    """Return the frame (2, 3) of a grid for points (n, dimensions); see `limen.queries.answer.kernels.object_grid`."""
    frame = np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    if not len(points):
        return frame
    low, high = spread(points)
    cells = min(max(len(points) / POINTS_A_CELL, 1.0), MOST_CELLS)
    wide = [axis for axis in range(2) if high[axis] - low[axis] > NARROWEST]
    if not wide:
        return frame
    # Square cells, but for a frame so narrow that they would be wider than it.
    area = math.prod(float(high[axis] - low[axis]) for axis in wide)
    side = (area / cells) ** (1 / len(wide))
    for axis in wide:
        width = float(high[axis] - low[axis])
        count = min(max(math.floor(width / side), 1), int(cells))
        frame[axis] = low[axis], count / width, count
    return frame


def spread(points: Floats) -> tuple[Floats, Floats]:
    """Return the bounds of most points (n, dimensions) along the first two axes; zeros without points."""
    if not len(points):
        return np.zeros(2), np.zeros(2)
    sample = np.clip(points[:: max(len(points) // SAMPLE, 1), :2], -FARTHEST, FARTHEST)
    low, high = np.quantile(sample, [RIM, 1 - RIM], axis=0)
    spare = (high - low) * 0.02
    return low - spare, high + spare


def outside(frame: Floats, points: Floats) -> int:
    """Count the points that are beyond a frame."""
    beyond = np.zeros(len(points), np.bool_)
    for axis in range(2):
        begin, end = frame[axis, 0], frame[axis, 0] + frame[axis, 2] / frame[axis, 1]
        beyond |= (points[:, axis] < begin) | (points[:, axis] >= end)
    return int(beyond.sum())


def on_a_plane(points: Floats) -> Floats:
    """Return one-dimensional points as points of the plane with y = 0; all others unchanged."""
    return np.column_stack([points, np.zeros(len(points))]) if points.shape[1] == 1 else points
