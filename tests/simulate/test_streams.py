"""Prices and boxes: the same walks as arrays and as tables."""

import numpy as np
import pyarrow as pa
import pytest

from limen.errors import InvalidInput
from limen.simulate import (
    PRICE_COLUMNS,
    box_columns,
    box_queries,
    box_streams,
    box_values,
    price_queries,
    price_streams,
    price_values,
    symbols,
)


def test_price_tables_hold_the_values():
    tables = list(price_streams(streams=11, tuples=7, seed=5, batch_ticks=3))
    assert [table.num_rows for table in tables] == [33, 33, 11]
    prices = pa.concat_tables(tables)["price"].to_numpy().reshape(7, 11)
    assert np.array_equal(prices, price_values(streams=11, tuples=7, seed=5))


def test_price_tables_have_the_declared_columns_and_types():
    table = next(price_streams(streams=2, tuples=1))
    assert table.schema == pa.schema(
        [("symbol", pa.string()), ("time", pa.timestamp("us", "UTC")), ("price", pa.float64())]
    )
    assert (PRICE_COLUMNS.id, PRICE_COLUMNS.time, *PRICE_COLUMNS.values) == tuple(table.column_names)


def test_rows_come_by_time_and_then_by_stream():
    table = pa.concat_tables(price_streams(streams=12, tuples=3, batch_ticks=2))
    assert table.sort_by([("time", "ascending"), ("symbol", "ascending")]) == table
    assert table["symbol"].to_pylist() == symbols(12) * 3
    assert np.unique(np.diff(np.unique(table["time"].to_numpy()))).tolist() == [np.timedelta64(1, "s")]


def test_box_tables_hold_the_values():
    table = pa.concat_tables(box_streams(dimensions=3, streams=4, tuples=5, seed=2))
    positions = np.column_stack([table[name].to_numpy() for name in box_columns(3).values])
    assert np.array_equal(positions.reshape(5, 4, 3), box_values(dimensions=3, streams=4, tuples=5, seed=2))


def test_the_defaults_are_the_papers():
    first = next(price_streams())
    lo, hi = price_queries()
    assert first.num_rows == 2_000
    assert len(lo) == 100_000
    assert np.allclose(hi - lo, 1_000.0)
    assert box_queries()[0].shape == (10_000, 2)


def test_streams_do_not_begin_on_the_queries_of_the_same_seed():
    assert not np.isin(price_values(streams=100, tuples=1, seed=4), price_queries(n=100, seed=4)[0]).any()


def test_batches_of_no_ticks_are_refused():
    with pytest.raises(InvalidInput, match="batch_ticks: expected 1 or more, got 0"):
        next(price_streams(streams=1, tuples=1, batch_ticks=0))
