"""The stateful operator: a shard between Spark's state store and its batches.

Spark starts a process for every stream that only reads the names of its states, and the stream waits for it. So this
module loads what that needs, and the rest with the first rows.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.streaming.stateful_processor import MapState, StatefulProcessor, StatefulProcessorHandle, TimerValues
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

if TYPE_CHECKING:
    import pandas as pd

    from limen.spark.job import Job

_NAME = StructType([StructField("name", StringType(), nullable=False)])
_PAGE = StructType([StructField("page", BinaryType(), nullable=False)])


class MapPages:
    """Pages in a map of Spark's state store."""

    def __init__(self, state: MapState) -> None:
        self._state = state
        self.written = 0  # bytes

    def get(self, name: str) -> bytes | None:
        """Return a page."""
        value = self._state.getValue((name,))
        return None if value is None else bytes(value[0])

    def put(self, name: str, page: bytes) -> None:
        """Write a page."""
        self._state.updateValue((name,), (page,))
        self.written += len(page)

    def remove(self, name: str) -> None:
        """Take a page out."""
        self._state.removeKey((name,))


class ShardProcessor(StatefulProcessor):
    """Process each batch with the shard's state, and write the changed pages."""

    def __init__(self, job: Job) -> None:
        self._pickled = pickle.dumps(job)
        self._job: Job | None = None

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state. Spark also calls this where there is none to look at."""
        self._state = handle.getMapState("pages", _NAME, _PAGE)

    def handleInputRows(  # noqa: N802  # Spark's name
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: ARG002, N803
    ) -> Iterator[pd.DataFrame]:
        """Take the packets of a batch."""
        from limen.spark.shard_step import take_batch  # noqa: PLC0415  # not before there are rows

        if self._job is None:
            self._job = pickle.loads(self._pickled)  # noqa: S301  # our own
        contents = (content for frame in rows for content in frame["packet"])
        yield take_batch(self._job, int(key[0]), contents, MapPages(self._state))

    def close(self) -> None:
        """Do nothing: all state is in the store."""
