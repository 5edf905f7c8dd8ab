"""Reports of moving objects, a second at a time, as arrays and as Arrow tables."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from limen.errors import InvalidInput
from limen.model.columns import Columns
from limen.simulate.tick_tables import FIRST_TICK, TICK

TRAFFIC_COLUMNS = Columns(id="vehicle", time="time", values=("x", "y"), attributes=("kind", "speed"))


class Reports(NamedTuple):
    """Reports of one second: of each object its number, whether it is of the fast kind, its position and speed."""

    second: int
    number: NDArray[np.int64]
    is_fast: NDArray[np.bool_]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    kmh: NDArray[np.float64]


def report_tables(seconds: Iterator[Reports], batch_seconds: int) -> Iterator[pa.Table]:
    """Yield tables of `batch_seconds` seconds each, rows in order of time; the last may be shorter.

    Columns are those of `TRAFFIC_COLUMNS`: `vehicle`, `time`, `x` and `y` in metres, `kind`, `speed` in km/h.
    """
    if batch_seconds < 1:
        raise InvalidInput(where="batch_seconds", expected="1 or more", got=batch_seconds)
    while batch := list(islice(seconds, batch_seconds)):
        second = np.repeat([reports.second for reports in batch], [len(reports.number) for reports in batch])
        number, is_fast, x, y, kmh = (np.concatenate(parts) for parts in list(zip(*batch, strict=True))[1:])
        yield pa.table(
            {
                "vehicle": vehicle_names(number),
                "time": pa.array(FIRST_TICK + second * TICK).cast(pa.timestamp("us", "UTC")),
                "x": x,
                "y": y,
                "kind": pa.array(["slow", "fast"]).take(pa.array(is_fast.astype(np.int8))),
                "speed": kmh,
            }
        )


def vehicle_names(number: NDArray[np.int64]) -> pa.Array:
    """Name objects after their numbers.

    Examples
    --------
    >>> vehicle_names(np.array([7, 1200])).to_pylist()
    ['V7', 'V1200']
    """
    return pc.binary_join_element_wise("V", pc.cast(pa.array(number), pa.string()), "")
