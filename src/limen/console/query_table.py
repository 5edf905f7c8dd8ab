"""The queries of a job, up to millions: their counts, and each query as it was at any batch."""

import json
from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from limen.arrays import Array, Bytes, Floats, Ints, Slots
from limen.console.map_shapes import box_of, drawn
from limen.model.columns import Columns
from limen.runtime.ids import Ids

Plain = dict[str, Any]

FAMILIES = ("border", "transition", "match", "within", "nearest", "pattern")
#: States of a query.
GONE, HOLDS, PAUSED = 0, 1, 2
STATES = ("dropped", "in force", "paused")
NEVER = np.iinfo(np.int64).min


class QueryTable:
    """The queries of a job, by the slots of their ids.

    Attributes
    ----------
    family, state, box, inside, events, last, counted
        Of each query its family and state, as positions in `FAMILIES` and `STATES`; its bounding box on the map; how
        many streams are in it; how many events it had; the time of the last one; and the turn in which its count
        changed last.
    version
        Incremented with each change, so that a page knows when to reload its queries.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.ids = Ids()
        self.version = 0
        self._texts: list[bytes] = []  # of each query as it was first
        self._later: dict[int, list[tuple[int, Plain | None]]] = {}  # later versions, each with its batch
        self._grow(64)

    def __len__(self) -> int:
        return int((self.state[: len(self.ids)] != GONE).sum())

    def read(self, queries: Iterable[Plain]) -> None:
        """Add queries in JSON form that are in force from the start."""
        queries = iter(queries)
        while chunk := list(islice(queries, 10_000)):
            slots = self.ids.slots(pa.array([str(query["id"]) for query in chunk]))
            self._grow(len(self.ids))
            for slot, query in zip(slots.tolist(), chunk, strict=True):
                text = json.dumps(query).encode()  # as text, a million queries take a few hundred megabytes
                if slot < len(self._texts):
                    self._texts[slot] = text
                else:
                    self._texts.append(text)
                self._place(slot, query)
            self.version += 1

    def _place(self, slot: int, query: Plain) -> None:
        self.state[slot] = HOLDS
        self.family[slot] = FAMILIES.index(query["type"])
        self.box[slot] = box_of(drawn(query, self.columns))

    def register(self, query: Plain, batch: int) -> int:
        """Register a query from a batch on, in place of the one with its id; return its slot."""
        slot = self._known(str(query["id"]))
        self._later.setdefault(slot, []).append((batch, query))
        self._place(slot, query)
        self.version += 1
        return slot

    def deregister(self, id: str, batch: int, *, paused: bool = False) -> int:
        """Deregister a query from a batch on; return its slot."""
        slot = self._known(id)
        self._later.setdefault(slot, []).append((batch, None))
        self.state[slot] = PAUSED if paused else GONE
        self.inside[slot] = 0
        self.version += 1
        return slot

    def pause(self, query: Plain) -> None:
        """Add a query that is paused."""
        slot = self._known(str(query["id"]))
        if self.state[slot] != HOLDS:
            self._later.setdefault(slot, []).append((-1, query)) if not self._texts[slot] else None
            self._place(slot, query)
            self.state[slot] = PAUSED
            self.version += 1

    def _known(self, id: str) -> int:
        slot = int(self.ids.slots(pa.array([id]))[0])
        self._grow(slot + 1)
        while len(self._texts) <= slot:
            self._texts.append(b"")
        return slot

    def slot(self, id: str) -> int:
        """Return the slot of a query, -1 if the job never had it."""
        return int(self.ids.find(pa.array([id]))[0])

    def slots(self, ids: pa.Array) -> Slots:
        """Return the slots of queries; unknown ids get a new slot, with the state `GONE`."""
        slots = self.ids.slots(ids)
        self._grow(len(self.ids))
        while len(self._texts) < len(self.ids):
            self._texts.append(b"")
        return slots

    def names(self, slots: Array) -> list[str]:
        """Return the ids of queries."""
        names: list[str] = self.ids.take(np.asarray(slots, np.int32)).to_pylist()
        return names

    def query(self, slot: int, batch: int | None = None) -> Plain | None:
        """Return a query in JSON form as it was at a batch, by default the latest; None if it was not in force then."""
        found: Plain | None = json.loads(self._texts[slot]) if self._texts[slot] else None
        for since, query in self._later.get(slot, []):
            if batch is None:
                found = query or found  # a dropped query can still be shown
            elif since <= batch:
                found = query
        return found

    def since(self, slot: int) -> int | None:
        """Return the batch of the last change of a query; None if it is unchanged since the start."""
        later = self._later.get(slot)
        return later[-1][0] if later else None

    def shape(self, slot: int) -> Plain | None:
        """Return the shape of a query on the map."""
        query = self.query(slot)
        return None if query is None else drawn(query, self.columns)

    def _grow(self, needed: int) -> None:
        have = len(self.state) if hasattr(self, "state") else 0
        if needed <= have:
            return
        wanted: dict[str, tuple[tuple[int, ...], Any, Any]] = {
            "family": ((), np.uint8, 0), "state": ((), np.uint8, GONE), "box": ((4,), np.float64, np.nan),
            "inside": ((), np.int64, 0), "events": ((), np.int64, 0), "last": ((), np.int64, NEVER),
            "counted": ((), np.int64, 0),
        }  # fmt: skip
        room = max(needed, 2 * have)
        for name, (shape, dtype, empty) in wanted.items():
            grown = np.full((room, *shape), empty, dtype)
            if have:
                grown[:have] = getattr(self, name)
            setattr(self, name, grown)

    # Arrays that `_grow` allocates.
    family: Bytes
    state: Bytes
    box: Floats
    inside: Ints
    events: Ints
    last: Ints
    counted: Ints
