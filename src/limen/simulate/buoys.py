"""Buoys in the Pacific that report wind, humidity and temperatures: real readings if available, else synthetic.

The real ones are those of the Tropical Atmosphere Ocean project, a reading a day and buoy from 1980 to 1998. They have
no time of day and are fewer than an experiment may want, so they are taken several times over, each time with other
times of day, other ids and a little noise.

References
----------
M. Hadjieleftheriou et al., *Continuous Constraint Query Evaluation for Spatiotemporal Streams*, SSTD 2007, §5.
"""

import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from numpy.typing import NDArray

from limen.model.columns import Columns
from limen.simulate.data_folder import find_data

MEASURES = ("zonal", "meridional", "humidity", "air", "sea")
BUOY_COLUMNS = Columns(id="buoy", time="time", values=("longitude", "latitude", *MEASURES), crs="lonlat")
FILE = "tao-all2.dat.gz"
DAY = 86_400_000_000  # microseconds
#: As the file has them: noise of readings that are taken once more.
_NOISE = dict(zip(MEASURES, (0.3, 0.3, 0.8, 0.1, 0.1), strict=True))
_FIELDS = ("obs", "year", "month", "day", "date", "latitude", "longitude", *MEASURES)


@dataclass(frozen=True)
class Buoys:
    """A stream of readings in order of time.

    They are synthetic with `made`, and where `limen.simulate.data_folder` finds no real ones.

    Examples
    --------
    >>> readings = Buoys(rows=1_000, made=True).table
    >>> readings.num_rows, readings.column_names[:4]
    (1000, ['buoy', 'time', 'longitude', 'latitude'])
    """

    rows: int = 900_000
    seed: int = 0
    made: bool = False

    @cached_property
    def folder(self) -> Path | None:
        """The folder of the real readings; None for synthetic ones."""
        return None if self.made else find_data("tao", [FILE])

    @property
    def described(self) -> dict[str, object]:
        """The parameters that reproduce the readings."""
        return {"readings": "made" if self.folder is None else "TAO", "rows": self.rows, "seed": self.seed}

    @cached_property
    def table(self) -> pa.Table:
        """All readings."""
        rng = np.random.default_rng(self.seed)
        once = _made(rng, min(self.rows, 60_000)) if self.folder is None else _read(self.folder / FILE)
        copies = -(-self.rows // len(once["time"]))
        columns = {name: np.concatenate([column] * copies) for name, column in once.items()}
        n = len(columns["time"])
        columns["time"] = columns["time"] + rng.integers(0, DAY // 1_000_000, n) * 1_000_000
        again = np.arange(n) >= n // copies
        for name, noise in _NOISE.items():
            columns[name] = columns[name] + np.where(again, rng.normal(0, noise, n), 0.0)
        copy = np.repeat(np.arange(copies), n // copies)
        order = np.lexsort((columns["buoy"], copy, columns["time"]))[: self.rows]
        ids = np.char.add(np.char.add(columns["buoy"].astype(str), "#"), copy.astype(str))
        times = pa.array(columns["time"][order]).cast(pa.timestamp("us", "UTC"))
        readings = {name: pa.array(columns[name][order]) for name in BUOY_COLUMNS.values}
        return pa.table({"buoy": pa.array(ids[order]), "time": times, **readings})

    def batches(self, rows: int = 1 << 16) -> Iterator[pa.Table]:
        """Yield the readings in batches."""
        for first in range(0, len(self.table), rows):
            yield self.table.slice(first, rows)


def _read(path: Path) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]:
    """Read the file; a buoy is identified by its position, to the degree."""
    with gzip.open(path) as file:
        table = pacsv.read_csv(
            io.BytesIO(file.read()),
            read_options=pacsv.ReadOptions(column_names=list(_FIELDS)),
            parse_options=pacsv.ParseOptions(delimiter=" "),
            convert_options=pacsv.ConvertOptions(
                null_values=["."], column_types=dict.fromkeys(_FIELDS[5:], pa.float64())
            ),
        )
    columns = {name: table[name].to_numpy() for name in _FIELDS}
    months = (columns["year"] - 70) * 12 + columns["month"] - 1
    days = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) + columns["day"] - 1
    place = (np.round(columns["latitude"]) + 90) * 1000 + np.round(columns["longitude"]) + 180
    kept = {name: columns[name] for name in ("longitude", "latitude", *MEASURES)}
    return {"buoy": place.astype(np.int64), "time": days * DAY, **kept}


def _made(rng: np.random.Generator, rows: int) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]:
    """Make a reading a day of buoys on a grid, whose measures wander about and are missing at times."""
    longitude, latitude = (each.ravel() for each in np.meshgrid(np.arange(137.0, 266.0, 8), (-8, -5, -2, 0, 2, 5, 8)))
    buoys = len(longitude)
    days = -(-rows // buoys)
    columns: dict[str, NDArray[np.float64] | NDArray[np.int64]] = {
        "buoy": np.tile(np.arange(buoys), days)[:rows],
        "time": (np.repeat(np.arange(days), buoys)[:rows] + 4_000) * DAY,
        "longitude": np.tile((longitude + 180) % 360 - 180, days)[:rows] + rng.normal(0, 0.05, rows),
        "latitude": np.tile(latitude, days)[:rows] + rng.normal(0, 0.05, rows),
    }
    centers = dict(zip(MEASURES, ((-3, 3.5), (0, 3), (81, 5), (27, 1.8), (27.7, 2)), strict=True))
    for name, (mean, width) in centers.items():
        steps = rng.normal(size=(days, buoys))
        for day in range(1, days):
            steps[day] = 0.9 * steps[day - 1] + np.sqrt(1 - 0.81) * steps[day]
        values = mean + width * steps.ravel()[:rows]
        values[rng.random(rows) < 0.1] = np.nan
        columns[name] = np.minimum(values, 99.9) if name == "humidity" else values
    return columns
