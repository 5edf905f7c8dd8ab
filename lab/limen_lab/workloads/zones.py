"""Zones that cover a city: the taxi zones of New York, or as many made up like them."""

import json
from pathlib import Path

import numpy as np

from limen.arrays import Floats
from limen.simulate.data_folder import find_data

ZONES_FILE = "taxi_zones.geojson"
GENERATED_FILE = "generated_zones.geojson"
ZONE_ID = "LocationID"  # the property that holds ids, in both files


def zone_file(folder: str | Path) -> Path:
    """Return a GeoJSON file of zones, with their ids in `LocationID` and their names in `zone` and `borough`.

    Parameters
    ----------
    folder : path
        Where generated zones are written if those of New York are not there: they are looked for in
        `nyc_taxi_zones` within the folder that the environment variable LIMEN_DATA names, or else in
        `shared/data/nyc_taxi_zones` within the current folder and those above it.
    """
    if (known := _new_york()) is not None:
        return known
    path = Path(folder) / GENERATED_FILE
    rings = generated_zones()
    across = round(len(rings) ** 0.5)
    features = [
        {
            "type": "Feature",
            "properties": {ZONE_ID: number + 1, "zone": _name(number, across), "borough": "Generated"},
            "geometry": {"type": "Polygon", "coordinates": [[*ring.tolist(), ring[0].tolist()] for ring in zone]},
        }
        for number, zone in enumerate(rings)
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
    return path


def zone_rings() -> tuple[str, list[list[Floats]]]:
    """Return the rings of the taxi zones of New York, or of as many and as jagged made-up ones, and their name."""
    known = _new_york()
    return ("generated", generated_zones()) if known is None else ("taxi zones of New York", read_rings(known))


def read_rings(path: Path) -> list[list[Floats]]:
    """Return the rings of each feature of a GeoJSON file of polygons, those of all its parts and holes together."""
    zones = []
    for feature in json.loads(path.read_text(encoding="utf-8"))["features"]:
        parts, kind = feature["geometry"]["coordinates"], feature["geometry"]["type"]
        zones.append([np.array(ring) for part in (parts if kind == "MultiPolygon" else [parts]) for ring in part])
    return zones


def generated_zones(across: int = 16, vertices: int = 93, seed: int = 0) -> list[list[Floats]]:
    """Cut a square, as large as New York, into zones with jagged borders that neighbours share.

    Parameters
    ----------
    across : int
        How many zones lie side by side, in both directions.
    vertices : int
        How many a border of two zones has.
    seed : int
        The same seed gives the same zones.

    Examples
    --------
    >>> zones = generated_zones(across=2, vertices=3)
    >>> len(zones), zones[0][0].shape
    (4, (8, 2))
    """
    rng = np.random.default_rng(seed)
    size = 0.45 / across
    share = np.linspace(0, 1, vertices)[:-1]
    corner = np.stack(np.meshgrid(np.arange(across + 1.0), np.arange(across + 1.0), indexing="ij"), axis=2)
    corner += rng.uniform(-0.3, 0.3, corner.shape)

    # Waves go sideways, and are small near the corners, so that no border meets itself or another one.
    height = 0.01 * np.minimum(1, 10 * np.minimum(share, 1 - share))

    def border(one: Floats, other: Floats) -> Floats:
        sideways = (other - one)[::-1] * (1, -1)
        wave = np.clip(rng.normal(0, height), -3 * height, 3 * height)
        line: Floats = one + share[:, None] * (other - one) + wave[:, None] * sideways
        return line

    rows = [[border(corner[i, j], corner[i + 1, j]) for j in range(across + 1)] for i in range(across)]
    columns = [[border(corner[i, j], corner[i, j + 1]) for j in range(across)] for i in range(across + 1)]

    def back(line: Floats, end: Floats) -> Floats:
        return np.concatenate([end[None], line[:0:-1]])

    zones = []
    for i in range(across):
        for j in range(across):
            top = back(rows[i][j + 1], corner[i + 1, j + 1])
            left = back(columns[i][j], corner[i, j + 1])
            ring = np.concatenate([rows[i][j], columns[i + 1][j], top, left])
            zones.append([np.array([-74.25, 40.5]) + size * ring])
    return zones


def _new_york() -> Path | None:
    folder = find_data("nyc_taxi_zones", [ZONES_FILE])
    return None if folder is None else folder / ZONES_FILE


def _name(number: int, across: int) -> str:
    """Name a generated zone after its place: columns from the west, rows from the south."""
    column, row = divmod(number, across)
    return f"Zone {column + 1}/{row + 1}"
