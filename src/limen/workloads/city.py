"""The city that simulations take place in: Oldenburg, the map of the papers, or one made up like it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from limen.errors import InvalidInput
from limen.workloads.generated_roads import generated_roads
from limen.workloads.road_files import read_roads
from limen.workloads.roads import SIDE

if TYPE_CHECKING:
    from limen.workloads.roads import RoadNetwork

DATA_FOLDER = "LIMEN_DATA"  # the environment variable
NODES_FILE, EDGES_FILE = "oldenburgGen_node.txt", "oldenburgGen_edge.txt"


def city_roads(folder: str | Path | None = None, side: float = SIDE, seed: int = 0) -> RoadNetwork:
    """Return Oldenburg if its map is there, and otherwise a generated network of the same size; `name` says which.

    Parameters
    ----------
    folder : path, optional
        Where the two files of the map are. Unless told, they are looked for in `oldenburg` within the folder that the
        environment variable LIMEN_DATA names, or else in `shared/data/oldenburg` within the current folder and those
        above it.
    side : float
        Metres of the longer side.
    seed : int
        Decides the generated network, and nothing else.

    Examples
    --------
    >>> city_roads(side=1000.0).extent.max().item()
    1000.0
    """
    place = _map_folder() if folder is None else _holding_the_map(Path(folder), "folder")
    if place is None:
        return generated_roads(side=side, seed=seed)
    return read_roads(place / NODES_FILE, place / EDGES_FILE, side, name="oldenburg")


def _map_folder() -> Path | None:
    if told := os.environ.get(DATA_FOLDER):
        return _holding_the_map(Path(told) / "oldenburg", DATA_FOLDER)
    here = Path.cwd()
    places = (above / "shared" / "data" / "oldenburg" for above in (here, *here.parents))
    return next((place for place in places if _holds_the_map(place)), None)


def _holding_the_map(folder: Path, where: str) -> Path:
    """Return the folder; who names one wants that map and no other."""
    if not _holds_the_map(folder):
        raise InvalidInput(where=where, expected=f"a folder with {NODES_FILE} and {EDGES_FILE}", got=str(folder))
    return folder


def _holds_the_map(folder: Path) -> bool:
    return all((folder / name).is_file() for name in (NODES_FILE, EDGES_FILE))
