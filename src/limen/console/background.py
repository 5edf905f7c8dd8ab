"""The road network under the vehicles on the map, from a file that the user or the job names."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from limen.arrays import Bytes, Floats
from limen.errors import InvalidInput
from limen.telemetry.folder_files import ROADS

Lines = tuple[Floats, Bytes]

_RANKS = 3  # large, middle and small roads
_MOST_PIECES = 400_000
_EXPECTED = "GeoJSON with LineStrings, or an .npz file with `xy` and `ends`"


def read_background(folder: str | Path, roads: str | Path | None = None) -> Lines | None:
    """Read the roads of a file, by default `roads.npz` of the telemetry folder: segments (n, 4), and their ranks."""
    path = Path(roads) if roads else Path(folder) / ROADS
    if not path.is_file():
        if roads:
            raise InvalidInput(where=f"roads {path}", expected=_EXPECTED, got="no such file")
        return None
    try:
        lines, rank = _network(path) if path.suffix == ".npz" else _geojson(path)
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise InvalidInput(where=f"roads {path}", expected=_EXPECTED, got=str(error)) from error
    order = np.argsort(rank, kind="stable")[:_MOST_PIECES]  # of very many, the larger ones
    return lines[order], rank[order]


def _network(path: Path) -> Lines:
    with np.load(path, allow_pickle=False) as file:
        xy, ends = np.asarray(file["xy"], np.float64), np.asarray(file["ends"], np.int64)
        classes = np.asarray(file["road_class"]) if "road_class" in file else np.full(len(ends), _RANKS - 1)
    lines = np.hstack([xy[ends[:, 0]], xy[ends[:, 1]]])
    # Classes rise from motorways to lanes; three line widths are enough.
    return lines, np.clip(classes // 2, 0, _RANKS - 1).astype(np.uint8)


def _geojson(path: Path) -> Lines:
    plain: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    features = plain["features"] if plain.get("type") == "FeatureCollection" else [plain]
    pieces: list[Floats] = []
    for feature in features:
        geometry = feature.get("geometry", feature) or {}
        kind, lines = geometry.get("type"), geometry.get("coordinates") or []
        if kind not in ("LineString", "MultiLineString"):
            continue
        for line in [lines] if kind == "LineString" else lines:
            points = np.array([point[:2] for point in line], np.float64)
            pieces.append(np.hstack([points[:-1], points[1:]]))
    if not pieces:
        raise ValueError("no lines")
    found = np.vstack(pieces)
    return found, np.full(len(found), 1, np.uint8)
