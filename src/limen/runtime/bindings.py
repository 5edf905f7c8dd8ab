"""The tuples of alerts, as columns: the stream bound to each variable, and when."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from limen.arrays import Ints, Slots
from limen.kernels.hashing import binding_hashes
from limen.model.event import MICROS, SCHEMA
from limen.runtime.ids import Ids

_LISTS = SCHEMA.field("bindings").type


@dataclass(frozen=True, slots=True)
class Bindings:
    """The bindings of alerts, one behind the other.

    Attributes
    ----------
    starts : int64 array (alerts + 1,)
        Where those of each alert begin.
    variable, stream, time : arrays (bindings,)
    names : Ids
        Of variables.
    """

    starts: Ints
    variable: Slots
    stream: Slots
    time: Ints
    names: Ids

    def column(self, first: int, last: int, streams: Ids) -> pa.Array:
        """Return those of alerts [first, last) as a column of events."""
        here = slice(self.starts[first], self.starts[last])
        times = pa.array(self.time[here]).cast(MICROS)
        items = pa.StructArray.from_arrays(
            [self.names.take(self.variable[here]), streams.take(self.stream[here]), times],
            fields=list(_LISTS.value_type),
        )
        starts = (self.starts[first : last + 1] - self.starts[first]).astype(np.int32)
        return pa.ListArray.from_arrays(pa.array(starts), items, type=_LISTS)

    def hashes(self, first: int, last: int, streams: Ids) -> npt.NDArray[np.uint64]:
        """Return two words for each alert in [first, last) that stand for all its bindings."""
        out = np.empty((last - first, 2), np.uint64)
        binding_hashes(
            self.names.hashes, self.variable, streams.hashes, self.stream, self.time, self.starts[first : last + 1], out
        )
        return out
