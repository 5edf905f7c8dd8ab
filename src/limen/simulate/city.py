"""The city that simulations take place in: Oldenburg, the map of the papers, or a synthetic one like it."""

from pathlib import Path

from limen.simulate.data_folder import find_data, holding
from limen.simulate.generated_roads import generated_roads
from limen.simulate.road_files import read_roads
from limen.simulate.roads import SIDE, RoadNetwork

FILES = NODES_FILE, EDGES_FILE = "oldenburgGen_node.txt", "oldenburgGen_edge.txt"


def city_roads(folder: str | Path | None = None, side: float = SIDE, seed: int = 0) -> RoadNetwork:
    """Return Oldenburg if its map is there, and otherwise a generated network of the same size; `name` shows which.

    Parameters
    ----------
    folder : path, optional
        Where the two files of the map are. By default they are looked for in `oldenburg` within the folder that the
        environment variable LIMEN_DATA names, or else in `shared/data/oldenburg` within the current folder and those
        above it.
    side : float
        Metres of the longer side.

    Examples
    --------
    >>> city_roads(side=1000.0).extent.max().item()
    1000.0
    """
    place = find_data("oldenburg", FILES) if folder is None else holding(Path(folder), FILES, "folder")
    if place is None:
        return generated_roads(side=side, seed=seed)
    return read_roads(place / NODES_FILE, place / EDGES_FILE, side, name="oldenburg")
