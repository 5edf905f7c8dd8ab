# ruff: noqa: E501, PD011  # texts of errors are quoted whole; rows have values that are not pandas'
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from limen import Columns
from limen.runtime.batch_reader import read
from limen.runtime.rows import Rows
from tests.runtime.batches import COLUMNS, KIND, error_of, rows_of, table

# ---- batches ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "batch",
    [
        table(),
        table().to_batches()[0],
        table().to_pandas(),
        pa.concat_tables([table().slice(0, 1), table().slice(1, 1)]),
        pa.concat_tables([table(), table()]).slice(2),
        table().select(["x", "t", "s"]),
        table(other=[[1], [2]]),
    ],
    ids=["table", "record batch", "data frame", "chunks", "slice", "other order", "a column too many"],
)
def test_batches_of_every_kind(batch):
    rows = rows_of(batch)
    assert (rows.ids.to_pylist(), rows.time.tolist(), rows.values.tolist()) == (
        ["a", "b"],
        [1, 2],
        [[1.0, 2.0]],
    )
    assert rows.nbytes > 0


@pytest.mark.parametrize(
    "batch", [table().slice(0, 0), table().schema.empty_table(), pa.table({"s": [], "t": [], "x": []})]
)
def test_a_batch_of_no_rows(batch):
    rows = rows_of(batch)
    assert (len(rows), rows.values.shape) == (0, (1, 0))


def test_reading_does_not_change_the_batch():
    batch = table(x=pa.array([-0.0, math.inf]))
    copied = pa.table(batch.to_pydict())
    read(batch, COLUMNS, {})
    assert batch.equals(copied)


@pytest.mark.parametrize(
    ("batch", "text"),
    [
        ([1, 2], "batch: expected a pyarrow.Table, pyarrow.RecordBatch or pandas.DataFrame, got list"),
        (
            pd.Series([1]),
            "batch: expected a pyarrow.Table, pyarrow.RecordBatch or pandas.DataFrame, got Series",
        ),
        (
            table().drop_columns(["x"]),
            "batch: expected a column 'x' (the value column), got columns s, t. Hint: Columns(…) gives each column its role",
        ),
        (
            pa.table({}),
            "batch: expected a column 's' (the id column), got columns none. Hint: Columns(…) gives each column its role",
        ),
        (
            pa.table([["a"], ["b"], [1], [1.0]], names=["s", "s", "t", "x"]),
            "batch: expected a column 's' (the id column), got 2 of that name. Hint: Columns(…) gives each column its role",
        ),
    ],
    ids=["list", "series", "no value column", "no column", "a column twice"],
)
def test_batches_that_are_none_are_refused(batch, text):
    assert error_of(batch) == text


def test_a_data_frame_of_mixed_objects_is_refused():
    text = error_of(pd.DataFrame({"s": ["a", 1], "t": [1, 2], "x": [1.0, 2.0]}))
    assert text.startswith("batch: ")
    assert text.endswith(". Hint: a column of a data frame must hold one type")


# ---- rejections ------------------------------------------------------------------------------------------------------


def test_bad_rows_are_counted_once_under_the_first_reason():
    batch = pa.table(
        {
            "s": pa.array(["a", None, None, "b", "c", "d"]),
            "t": pa.array([1, 2, None, None, 5, 6]),
            "x": pa.array([1.0, 2.0, math.inf, math.inf, -math.inf, math.nan]),
        }
    )
    rows, rejected = read(batch, COLUMNS, {})
    assert rejected == {"null_id": 2, "null_time": 1, "infinite_value": 1}
    assert (rows.ids.to_pylist(), rows.time.tolist()) == (["a", "d"], [1, 6])


@pytest.mark.parametrize(
    ("ids", "kept"),
    [
        (pa.array(["a", None]).dictionary_encode(), ["a"]),
        (pa.DictionaryArray.from_arrays(pa.array([1, 0]), pa.array([None, "a"])), ["a"]),
        (pa.nulls(2), []),
    ],
    ids=["null index", "null in the dictionary", "nothing but nulls"],
)
def test_a_null_id_is_found_wherever_it_hides(ids, kept):
    rows, rejected = read(table(s=ids), COLUMNS, {})
    assert (rows.ids.to_pylist(), rejected) == (kept, {"null_id": 2 - len(kept)})


def test_a_column_of_null_times():
    rows, rejected = read(table(t=pa.nulls(2)), COLUMNS, {})
    assert (len(rows), rejected) == (0, {"null_time": 2})


# ---- canonical order -------------------------------------------------------------------------------------------------

ALL = Columns("s", "t", ("x", "y"), ("kind", "flag"), time_unit="us")
IN_ORDER = [
    ("b", 0, 0.0, 0.0, "a", True),
    ("a", 1, 0.0, 0.0, "a", True),
    ("z", 1, -1.0, 9.0, "a", True),
    ("z", 1, 0.0, 0.0, "a", False),
    ("z", 1, 0.0, 0.0, "a", True),
    ("z", 1, 0.0, 0.0, "a", None),
    ("z", 1, 0.0, 0.0, "é", True),
    ("z", 1, 0.0, 0.0, None, False),
    ("z", 1, 0.0, None, "a", True),
    ("z", 1, None, 0.0, "a", True),
    ("é", 1, 0.0, 0.0, "a", True),  # by UTF-8 bytes, so behind z
]


@pytest.mark.parametrize("seed", range(5))
def test_canonical_order_is_by_content_missing_last(seed):
    shuffled = [IN_ORDER[i] for i in np.random.default_rng(seed).permutation(len(IN_ORDER))]
    names = ("s", "t", "x", "y", "kind", "flag")
    rows = rows_of(pa.table(dict(zip(names, zip(*shuffled, strict=True), strict=True))), ALL).canonical()
    found = zip(
        rows.ids.to_pylist(), rows.time.tolist(), *(pa.array(v, from_pandas=True).to_pylist() for v in rows.values),
        *(column.to_pylist() for column in rows.attributes), strict=True,
    )  # fmt: skip
    assert list(found) == IN_ORDER


def test_rows_are_sliced_taken_and_joined():
    rows = rows_of(table(kind=["p", "q"]), KIND)
    both = Rows.joined([rows.slice(1, 2), rows.take(np.array([True, False]))])
    assert (both.ids.to_pylist(), both.time.tolist(), both.values.tolist()) == (
        ["b", "a"],
        [2, 1],
        [[2.0, 1.0]],
    )
    assert both.attributes[0].to_pylist() == ["q", "p"]
    assert len(Rows.empty(KIND)) == 0
