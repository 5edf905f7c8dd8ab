"""The helpers of `limen.changes` on Spark: the same folds, over batches sorted by time and over streams with state."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle, TimerValues

from limen.changes.answer_at import Answer
from limen.changes.change_rows import BEGINS, ENDS, signs_of
from limen.changes.fold import Fold, go_on, take
from limen.checkpoint.codec import decode, encode
from limen.errors import InvalidInput, StateError
from limen.spark.pack import chunks, unpack
from limen.spark.packet import stream_bytes
from limen.spark.schema import named
from limen.spark.spark_session import check_session, partitions

#: Groups share so many places in the state store. A place is read and written as a whole when a batch touches it; with
#: fewer each would hold more, with more a batch would call Python more often. Checkpoints depend on it.
PLACES = 256

_PACKED = "place int, rows binary"
_SCHEMA = pa.schema([("place", pa.int32()), ("rows", pa.binary())])
_PLACE = "#place"


def signed(events: DataFrame) -> DataFrame:
    """Add a column `sign`, as `limen.changes.signed` does."""
    signs_of(_like(events))  # raises an error if a column is missing
    if "sign" not in events.columns:
        kind = F.col("kind")
        sign = F.when(kind.isin(*BEGINS), F.lit(1)).when(kind.isin(*ENDS), F.lit(-1))
        events = events.withColumn("sign", sign.cast("bigint"))
    return events.where("sign IS NOT NULL")


def answer(fold: Answer, events: DataFrame, until: int | None) -> DataFrame:
    """Rebuild result sets, as `limen.changes.answer` does."""
    if until is not None:
        if events.isStreaming:
            raise InvalidInput(
                where="changes.answer: at",
                expected="a table or a batch DataFrame: of a stream, the answer is the one of now",
                got="a streaming DataFrame",
                hint="write the events, and read them as a batch",
            )
        events = events.where(F.col("time") <= F.timestamp_micros(F.lit(until)))
    return folded(fold, events)


def folded(fold: Fold, changes: DataFrame) -> DataFrame:
    """Return the result of a fold over a DataFrame, batch or streaming."""
    rows = fold.rows(_like(changes))  # of no changes, which finds columns that are missing or of a wrong type here
    result, _ = fold.take(rows, 0)
    chosen = changes.select(*map(named, fold.needs(changes.columns)))
    groups = [named(name) for name in fold.by]
    if changes.isStreaming:
        check_session(changes.sparkSession)
        place = F.pmod(F.xxhash64(*groups), F.lit(PLACES)) if groups else F.lit(0)
        packed = chosen.select("*", place.cast("int").alias(_PLACE)).mapInArrow(_pack(fold), _PACKED)
        outputs = packed.groupBy("place").transformWithStateInPandas(
            FoldProcessor(fold), outputStructType="rows binary", outputMode="Append", timeMode="None"
        )
        result = fold.nested(result, rows) if isinstance(fold, Answer) else result
        return outputs.mapInArrow(unpack, from_arrow_schema(result.schema))
    return _in_order(chosen, groups).mapInArrow(_play(fold), from_arrow_schema(result.schema))


def _like(changes: DataFrame) -> pa.Table:
    """Make an empty table with the columns of a DataFrame."""
    return to_arrow_schema(changes.schema, timezone="UTC").empty_table()


def _in_order(changes: DataFrame, groups: list[Column]) -> DataFrame:
    """Put each group into one partition, and the changes of a partition into the order of time."""
    parts = changes.repartition(partitions(changes.sparkSession), *groups) if groups else changes.repartition(1)
    return parts.sortWithinPartitions("time")


def _play(fold: Fold) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that folds a partition sorted by time, chunk by chunk, so that it may exceed memory."""

    def play(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        carried = result = None
        for changes in _whole_instants(chunks(batches)):
            result, carried = take(fold, carried, changes)
            if not isinstance(fold, Answer):
                yield from result.to_batches()
        if isinstance(fold, Answer) and result is not None:
            yield from result.to_batches()

    return play


def _whole_instants(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Cut sorted tables elsewhere: never between rows of one time."""
    held = None
    for table in tables:
        waiting = table if held is None else pa.concat_tables([held, table])
        time = waiting["time"]
        # Rows without a time sort first; the fold that reads them raises the error.
        latest = pc.index(time, time[-1]).as_py() if time[-1].is_valid else 0
        if latest > 0:
            yield waiting.slice(0, latest)
        held = waiting.slice(latest)
    if held is not None:
        yield held


def _pack(fold: Fold) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that packs the rows of a chunk that share a place into one binary value."""

    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for chunk in chunks(batches):
            place = chunk[_PLACE].to_numpy()
            order = np.argsort(place, kind="stable")
            places, starts = np.unique(place[order], return_index=True)
            ends = np.append(starts[1:], order.size)
            contents = [
                # Read on this side: rows without a value stay here, and a value is less to send than all `values`.
                stream_bytes(fold.rows(chunk.take(pa.array(order[start:end])).drop_columns(_PLACE)))
                for start, end in zip(starts, ends, strict=True)
            ]
            yield pa.RecordBatch.from_arrays([pa.array(places, pa.int32()), pa.array(contents)], schema=_SCHEMA)

    return pack


class FoldProcessor(StatefulProcessor):
    """Fold the changes of a micro-batch into the carried state of a place."""

    def __init__(self, fold: Fold) -> None:
        self._fold = fold

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state."""
        self._state = handle.getValueState("carried", "page binary")

    def handleInputRows(  # noqa: N802  # Spark's name
        self,
        key: Any,  # noqa: ARG002
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: ARG002, N803
    ) -> Iterator[pd.DataFrame]:
        """Take the changes of a batch."""
        new = pa.concat_tables(pa.ipc.open_stream(content).read_all() for frame in rows for content in frame["rows"])
        page = self._state.get()
        result, carried = go_on(self._fold, None if page is None else self._carried(bytes(page[0])), new)
        columns = {name: carried[name].combine_chunks() for name in carried.schema.names}
        self._state.update((encode(columns, {"fold": repr(self._fold)}),))
        if isinstance(self._fold, Answer):
            result = self._fold.nested(result, new)
        yield pd.DataFrame({"rows": [stream_bytes(result)] if len(result) else []})

    def close(self) -> None:
        """Do nothing: all state is in the store."""

    def _carried(self, page: bytes) -> pa.Table:
        columns, facts = decode(page, "checkpoint")
        if facts["fold"] != repr(self._fold):
            raise StateError(
                where="checkpoint",
                expected=f"the state of {self._fold!r}",
                got=facts["fold"],
                hint="go on with the helper that wrote it, or start with a new checkpoint",
            )
        return pa.table(columns)
