"""Road networks from the text files of the network-based generator of moving objects.

A line of the file of nodes has an id, x, y and a name; one of the file of roads has an id, the ids of two nodes, a
class from 0 to 6 and a name. Columns are separated by tabs; names may be missing and are not used.

References
----------
T. Brinkhoff, *A Framework for Generating Network-Based Moving Objects*, GeoInformatica 6(2), 2002.
"""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from limen.errors import InvalidInput
from limen.simulate.roads import CLASS_SPEEDS, SIDE, RoadNetwork, road_network

_NODE = "id, x, y and a name, separated by tabs or spaces"
_ROAD = "id, two node ids, class and a name, separated by tabs or spaces"
_LAST_CLASS = len(CLASS_SPEEDS) - 1


def read_roads(
    nodes_path: str | Path, edges_path: str | Path, side: float = SIDE, name: str | None = None
) -> RoadNetwork:
    r"""Read a road network; its largest connected part is kept, its longer side scaled to `side` metres.

    Its name is by default that of the file of nodes.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> _ = (folder / "nodes.txt").write_text("7\t0\t0\t*\n8\t30\t0\t*\n9\t30\t15\t*\n")
    >>> _ = (folder / "edges.txt").write_text("1\t7\t8\t0\t*\n2\t8\t9\t3\t*\n")
    >>> read_roads(folder / "nodes.txt", folder / "edges.txt", side=3000.0).metres.tolist()
    [3000.0, 1500.0]
    """
    nodes_path, edges_path = Path(nodes_path), Path(edges_path)
    number: dict[int, int] = {}
    places: list[tuple[float, float]] = []
    for line, fields in _lines(nodes_path, _NODE, 3):
        try:
            id, x, y = int(fields[0]), float(fields[1]), float(fields[2])
        except ValueError:
            raise InvalidInput(where=line, expected=_NODE, got="\t".join(fields)) from None
        if not (math.isfinite(x) and math.isfinite(y)):
            raise InvalidInput(where=line, expected="finite coordinates", got=f"{fields[1]}, {fields[2]}")
        if number.setdefault(id, len(number)) != len(places):
            raise InvalidInput(where=line, expected="each node once", got=f"node {id} again")
        places.append((x, y))
    ends: list[tuple[int, int]] = []
    classes: list[int] = []
    for line, fields in _lines(edges_path, _ROAD, 4):
        try:
            _, one, other, road_class = (int(text) for text in fields[:4])
        except ValueError:
            raise InvalidInput(where=line, expected=_ROAD, got="\t".join(fields)) from None
        if not 0 <= road_class <= _LAST_CLASS:
            raise InvalidInput(where=line, expected=f"a class from 0 to {_LAST_CLASS}", got=road_class)
        for node in (one, other):
            if node not in number:
                raise InvalidInput(where=line, expected=f"nodes of {nodes_path}", got=f"node {node}")
        ends.append((number[one], number[other]))
        classes.append(road_class)
    return road_network(name or nodes_path.stem, np.array(places), np.array(ends), np.array(classes), side)


def _lines(path: Path, expected: str, fewest: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the columns of each line, `fewest` at least; blank lines are skipped."""
    empty = True
    # Names of streets are in whatever encoding; the columns that count are plain digits.
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for at, line in enumerate(lines, 1):
            fields = line.split()
            if not fields:
                continue
            if len(fields) < fewest:
                raise InvalidInput(where=f"{path}:{at}", expected=expected, got=line.strip())
            empty = False
            yield f"{path}:{at}", fields
    if empty:
        raise InvalidInput(where=str(path), expected=expected, got="an empty file")
