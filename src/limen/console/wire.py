"""Encode updates for browsers: positions and counts as plain bytes, all else as JSON."""

import struct

import numpy as np

from limen.arrays import Array, Bytes, Floats

POSITIONS, COUNTS, ROADS = 1, 2, 3
_HEAD = struct.Struct("<BxxxIdd")


def positions(slots: Array, places: Floats) -> bytes:
    """Write where streams are: their slots, then x and y from an origin, in single precision.

    Seen from the middle of the data, single precision is exact to a millimetre in a city, and to a few metres where
    the data goes round the world.

    Examples
    --------
    >>> frame = positions(np.array([7]), np.array([[3.0, 4.0]]))
    >>> len(frame), frame[0]
    (36, 1)
    """
    known = ~np.isnan(places).any(axis=1)
    slots, places = slots[known], places[known]
    origin = places.mean(axis=0) if len(places) else np.zeros(2)
    offsets = (places - origin).astype("<f4")
    head = _HEAD.pack(POSITIONS, len(slots), float(origin[0]), float(origin[1]))
    return b"".join([head, slots.astype("<u4").tobytes(), offsets[:, 0].tobytes(), offsets[:, 1].tobytes()])


def counts(slots: Array, inside: Array) -> bytes:
    """Write how many streams are in queries: slots, then counts."""
    head = _HEAD.pack(COUNTS, len(slots), 0.0, 0.0)
    return b"".join([head, slots.astype("<u4").tobytes(), np.maximum(inside, 0).astype("<u4").tobytes()])


def roads(lines: Floats, rank: Bytes) -> bytes:
    """Write pieces of roads (n, 4), x and y of both ends from an origin, then the rank of each, 0 for the largest."""
    ends = lines.reshape(-1, 2)
    origin = ends.mean(axis=0) if len(ends) else np.zeros(2)
    offsets = (ends - origin).astype("<f4").reshape(-1, 4)
    head = _HEAD.pack(ROADS, len(lines), float(origin[0]), float(origin[1]))
    return b"".join([head, offsets.tobytes(), rank.astype(np.uint8).tobytes()])
