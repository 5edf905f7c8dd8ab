"""The tuples of alerts, as a column of events and as what event ids are made of."""

from datetime import UTC, datetime

import numpy as np

from limen import SCHEMA
from limen.runtime.bindings import Bindings
from limen.runtime.ids import Ids

STREAMS = Ids.of(["north", "süd"])
VARIABLES = Ids.of(["humid", "windy"])


def bindings(starts=(0, 2, 2, 3), variable=(0, 1, 1), stream=(1, 0, 1), time=(1, 2, 3)):
    """Three alerts: of two tuples, of none, and of one."""
    return Bindings(
        np.array(starts, np.int64),
        np.array(variable, np.int32),
        np.array(stream, np.int32),
        np.array(time, np.int64),
        VARIABLES,
    )


def binding(variable, stream, micros):
    return {"variable": variable, "stream_id": stream, "time": datetime(1970, 1, 1, 0, 0, 0, micros, UTC)}


FIRST, LAST = [binding("humid", "süd", 1), binding("windy", "north", 2)], [binding("windy", "süd", 3)]


def test_each_alert_has_its_tuples_by_name():
    column = bindings().column(0, 3, STREAMS)
    column.validate(full=True)
    assert column.type == SCHEMA.field("bindings").type
    assert column.to_pylist() == [FIRST, [], LAST]


def test_some_alerts_only():
    assert bindings().column(1, 3, STREAMS).to_pylist() == [[], LAST]
    assert bindings().column(2, 2, STREAMS).to_pylist() == []


def test_a_piece_has_the_hashes_of_the_whole():
    whole = bindings().hashes(0, 3, STREAMS)
    assert whole.shape == (3, 2)
    assert bindings().hashes(1, 3, STREAMS).tolist() == whole[1:].tolist()
    assert bindings().hashes(1, 1, STREAMS).shape == (0, 2)


def test_alerts_that_differ_anywhere_differ_in_their_hash():
    others = [
        bindings(),
        bindings(variable=(1, 0, 1)),
        bindings(stream=(0, 1, 1)),
        bindings(time=(2, 1, 3)),
        bindings(variable=(1, 0, 1), stream=(0, 1, 1), time=(2, 1, 3)),  # the same tuples in another order
        bindings(starts=(0, 1, 2, 3)),
    ]
    assert len({tuple(each.hashes(0, 1, STREAMS)[0].tolist()) for each in others}) == len(others)


def test_hashes_depend_on_ids_and_not_on_their_numbers():
    renumbered = bindings(stream=(0, 1, 0))
    assert renumbered.hashes(0, 3, Ids.of(["süd", "north"])).tolist() == bindings().hashes(0, 3, STREAMS).tolist()
