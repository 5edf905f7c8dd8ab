"""Arrays by the slots of ids, which grow with the ids."""

from typing import Any

import numpy as np
import pyarrow as pa

from limen.arrays import Array
from limen.growable import grown
from limen.runtime.ids import Ids

NEVER = np.iinfo(np.int64).min


class SlotTable:
    """Ids, and arrays with a row for each of them: by name, the shape and type of a row and its initial value."""

    def __init__(self, rows: int, arrays: dict[str, tuple[tuple[int, ...], Any, Any]]) -> None:
        self.ids = Ids()
        self._initial = {name: initial for name, (_, _, initial) in arrays.items()}
        for name, (shape, dtype, initial) in arrays.items():
            setattr(self, name, np.full((rows, *shape), initial, dtype))

    def make_room(self) -> None:
        """Allocate rows for all ids."""
        for name, initial in self._initial.items():
            setattr(self, name, grown(getattr(self, name), len(self.ids), initial))

    def slot(self, id: str) -> int:
        """Return the slot of an id, -1 if it was never seen."""
        return int(self.ids.find(pa.array([id]))[0])

    def names(self, slots: Array) -> list[str]:
        """Return the ids of slots."""
        names: list[str] = self.ids.take(np.asarray(slots, np.int32)).to_pylist()
        return names
