"""The queries of a job, up to millions: their counts, and each query as it was at any batch."""

import json
from collections.abc import Iterable
from itertools import islice

import numpy as np
import pyarrow as pa

from limen.arrays import Bytes, Floats, Ints, Slots
from limen.console.map_shapes import box_of, drawn
from limen.console.slot_table import NEVER, SlotTable
from limen.formats.query_json import Plain
from limen.model.columns import Columns

FAMILIES = ("border", "transition", "match", "within", "nearest", "pattern")
#: States of a query.
GONE, HOLDS, PAUSED = 0, 1, 2
STATES = ("dropped", "in force", "paused")


class QueryTable(SlotTable):
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
        arrays = {
            "family": ((), np.uint8, 0), "state": ((), np.uint8, GONE), "box": ((4,), np.float64, np.nan),
            "inside": ((), np.int64, 0), "events": ((), np.int64, 0), "last": ((), np.int64, NEVER),
            "counted": ((), np.int64, 0),
        }  # fmt: skip
        super().__init__(64, arrays)
        self.columns = columns
        self.version = 0
        self._texts: list[bytes] = []  # of each query as it was first
        self._later: dict[int, list[tuple[int, Plain | None]]] = {}  # later versions, each with its batch

    def __len__(self) -> int:
        return int((self.state[: len(self.ids)] != GONE).sum())

    def read(self, queries: Iterable[Plain]) -> None:
        """Add queries in JSON form that are in force from the start."""
        queries = iter(queries)
        while chunk := list(islice(queries, 10_000)):
            slots = self.slots(pa.array([str(query["id"]) for query in chunk]))
            for slot, query in zip(slots.tolist(), chunk, strict=True):
                # As text, a million queries take a few hundred megabytes.
                self._texts[slot] = json.dumps(query).encode()
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
        return int(self.slots(pa.array([id]))[0])

    def slots(self, ids: pa.Array) -> Slots:
        """Return the slots of queries; unknown ids get a new slot, with the state `GONE`."""
        slots = self.ids.slots(ids)
        self.make_room()
        self._texts += [b""] * (len(self.ids) - len(self._texts))
        return slots

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

    # Arrays of the slot table, declared for the type checker.
    family: Bytes
    state: Bytes
    box: Floats
    inside: Ints
    events: Ints
    last: Ints
    counted: Ints
