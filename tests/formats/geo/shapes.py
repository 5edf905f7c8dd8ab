"""Small features for the tests of files of shapes."""

import json

SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]
BOW = [[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]


def moved(ring, x, y=0):
    return [[position[0] + x, position[1] + y, *position[2:]] for position in ring]


def polygon(*rings):
    return {"type": "Polygon", "coordinates": list(rings)}


def feature(geometry, id=None, **properties):
    own = {} if id is None else {"id": id}
    return {"type": "Feature", **own, "properties": properties, "geometry": geometry}


def write(path, *features, encoding="utf-8", **members):
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features, **members}), encoding=encoding)
    return path
