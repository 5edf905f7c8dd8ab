# ruff: noqa: E501  # texts of errors are quoted whole
import math
from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from limen import Columns
from limen.runtime.rows import with_attribute_types
from tests.runtime.batches import KIND, error_of, rows_of, table

# ---- ids -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (pa.array(["é", "b"]), ["é", "b"]),
        (pa.array(["é", "b"], pa.large_string()), ["é", "b"]),
        (pa.array(["é", "b"], pa.string_view()), ["é", "b"]),
        (pa.array([7, -7], pa.int8()), ["7", "-7"]),
        (pa.array([2**64 - 1, 0], pa.uint64()), ["18446744073709551615", "0"]),
        (pa.array(["é", "b"]).dictionary_encode(), ["é", "b"]),
        (pa.array(["é", "b"], pa.large_string()).dictionary_encode(), ["é", "b"]),
        (pa.array([7, 8]).dictionary_encode(), ["7", "8"]),
        (pa.array(["z", "é", "b"]).slice(1), ["é", "b"]),
        (pa.chunked_array([["é"], ["b"]]), ["é", "b"]),
        (
            pa.chunked_array([pa.array(["é"]).dictionary_encode(), pa.array(["b"]).dictionary_encode()]),
            ["é", "b"],
        ),
    ],
    ids=lambda case: str(case.type) if isinstance(case, (pa.Array, pa.ChunkedArray)) else "",
)
def test_ids_of_every_type(ids, expected):
    assert rows_of(table(s=ids)).ids.to_pylist() == expected


@pytest.mark.parametrize("kind", [pa.float64(), pa.bool_(), pa.binary(), pa.timestamp("us")])
def test_ids_of_other_types_are_refused(kind):
    text = error_of(table(s=pa.nulls(2, kind)))
    assert text == f"batch: id column 's': expected strings or integers, got {kind}"


# ---- times -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("times", "micros"),
    [
        (pa.array([1, -1], pa.timestamp("s")), [1_000_000, -1_000_000]),
        (pa.array([1, -1], pa.timestamp("ms")), [1_000, -1_000]),
        (pa.array([1, -1], pa.timestamp("us")), [1, -1]),
        (pa.array([1_999, -1], pa.timestamp("ns")), [1, -1]),
        (pa.array([-1_000, -1_001], pa.timestamp("ns", "UTC")), [-1, -2]),
        (pa.array([0, 1], pa.timestamp("s", "Europe/Zurich")), [0, 1_000_000]),  # the zone is for show: a moment is one
        (pa.array([date(1970, 1, 2), date(1969, 12, 31)]), [86_400_000_000, -86_400_000_000]),
        (pa.array([date(1970, 1, 2), date(1969, 12, 31)], pa.date64()), [86_400_000_000, -86_400_000_000]),
        (pa.array([datetime(2300, 1, 1, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC)]), [10_413_792_000_000_000, -62_135_596_800_000_000]),
        (pa.chunked_array([pa.array([5], pa.timestamp("us")), pa.array([6], pa.timestamp("us"))]), [5, 6]),
    ],
    ids=lambda case: str(case.type) if isinstance(case, (pa.Array, pa.ChunkedArray)) else "",
)  # fmt: skip
def test_times_of_every_type(times, micros):
    assert rows_of(table(t=times), Columns("s", "t", "x")).time.tolist() == micros


@pytest.mark.parametrize(
    ("unit", "micros"),
    [("s", [3_000_000, -2_000_000]), ("ms", [3_000, -2_000]), ("us", [3, -2]), ("ns", [0, -1])],
)
@pytest.mark.parametrize("kind", [pa.int64(), pa.int16()])
def test_integers_count_what_columns_say(kind, unit, micros):
    rows = rows_of(table(t=pa.array([3, -2], kind)), Columns("s", "t", "x", time_unit=unit))
    assert rows.time.tolist() == micros


def test_a_timestamp_knows_its_own_unit():
    assert rows_of(
        table(t=pa.array([1, 2], pa.timestamp("s"))), Columns("s", "t", "x", time_unit="ns")
    ).time.tolist() == [
        1_000_000,
        2_000_000,
    ]


@pytest.mark.parametrize(
    ("times", "unit", "text"),
    [
        (
            pa.array([1, 2]),
            None,
            "batch: time column 't': expected timestamps, got int64. Hint: give the unit of the integers: Columns(…, time_unit='s'), 'ms', 'us' or 'ns'",
        ),
        (
            pa.array([1.0, 2.0]),
            "s",
            "batch: time column 't': expected timestamps, or integers with Columns(time_unit=…), got double",
        ),
        (
            pa.array(["2026-01-01", "2026-01-02"]),
            None,
            "batch: time column 't': expected timestamps, or integers with Columns(time_unit=…), got string",
        ),
        (
            pa.array([0, 2**62]),
            "ms",
            "batch: time column 't': expected times that fit into 64 bits of microseconds, got 0 to 4611686018427387904 ms. Hint: is the unit right?",
        ),
    ],
)
def test_times_that_are_none_are_refused(times, unit, text):
    assert error_of(table(t=times), Columns("s", "t", "x", time_unit=unit)) == text


def test_integers_beyond_64_bits_are_refused():
    text = error_of(table(t=pa.array([0, 2**64 - 1], pa.uint64())), Columns("s", "t", "x", time_unit="us"))
    assert text.startswith("batch: time column 't': expected times that fit into 64 bits of microseconds")


# ---- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([1.5, -2.0]), [1.5, -2.0]),
        (pa.array([1.5, -2.0], pa.float32()), [1.5, -2.0]),
        (pa.array(np.array([1.5, -2.0], np.float16)), [1.5, -2.0]),
        (pa.array([3, None], pa.int8()), [3.0, math.nan]),
        (pa.array([2**63, 2**53 + 1], pa.uint64()), [2.0**63, 2.0**53]),
        (pa.array([Decimal("0.10"), Decimal(-3)]), [0.1, -3.0]),
        (pa.array([None, 1.0]), [math.nan, 1.0]),
        (pa.nulls(2), [math.nan, math.nan]),
        (pa.array([9.0, 1.0, 2.0]).slice(1), [1.0, 2.0]),
        (pa.array([9.0, None, 2.0]).slice(1), [math.nan, 2.0]),
        (pa.chunked_array([[1.0], [2.0]]), [1.0, 2.0]),
        (pa.array([5e-324, 1.7976931348623157e308]), [5e-324, 1.7976931348623157e308]),
    ],
    ids=lambda case: str(case.type) if isinstance(case, (pa.Array, pa.ChunkedArray)) else "",
)
def test_values_of_every_type(values, expected):
    assert repr(rows_of(table(x=values)).values.tolist()) == repr([expected])


def test_negative_zero_is_zero():
    assert repr(rows_of(table(x=[-0.0, 0.0])).values.tolist()) == "[[0.0, 0.0]]"


@pytest.mark.parametrize("kind", [pa.string(), pa.bool_(), pa.timestamp("us"), pa.list_(pa.float64())])
def test_values_that_are_not_numbers_are_refused(kind):
    assert error_of(table(x=pa.nulls(2, kind))) == f"batch: value column 'x': expected numbers, got {kind}"


# ---- attributes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "kind", "expected"),
    [
        (pa.array(["car", None]), pa.string(), ["car", None]),
        (pa.array(["car", None], pa.large_string()), pa.string(), ["car", None]),
        (pa.array(["car", None]).dictionary_encode(), pa.string(), ["car", None]),
        (pa.array([1, 2], pa.uint8()), pa.int64(), [1, 2]),
        (pa.array([1, 2], pa.uint64()), pa.float64(), [1.0, 2.0]),
        (pa.array([0.5, math.nan], pa.float32()), pa.float64(), [0.5, None]),
        (pa.array(np.array([0.5, np.nan], np.float16)), pa.float64(), [0.5, None]),
        (pa.array([Decimal("0.5"), None]), pa.float64(), [0.5, None]),
        (pa.array([True, None]), pa.bool_(), [True, None]),
        (pa.array([1_999, None], pa.timestamp("ns")), pa.timestamp("us", "UTC"), [datetime(1970, 1, 1, 0, 0, 0, 1, UTC), None]),
        (pa.array([date(1970, 1, 2), None]), pa.timestamp("us", "UTC"), [datetime(1970, 1, 2, tzinfo=UTC), None]),
    ],
    ids=lambda case: str(case.type) if isinstance(case, pa.Array) else "",
)  # fmt: skip
def test_attributes_of_every_type(column, kind, expected):
    types = {}
    (attribute,) = rows_of(table(kind=column), KIND, types).attributes
    assert (attribute.type, attribute.to_pylist()) == (kind, expected)
    assert types == {"kind": kind}


def test_an_attribute_without_a_value_has_no_type_yet():
    types = {}
    rows = rows_of(table(kind=pa.nulls(2)), KIND, types)
    assert types == {}
    typed = with_attribute_types(rows, KIND, {"kind": pa.string()})
    assert (typed.attributes[0].type, typed.attributes[0].to_pylist()) == (pa.string(), [None, None])


@pytest.mark.parametrize(
    ("known", "column", "expected"),
    [
        (pa.string(), pa.nulls(2), [None, None]),
        (pa.float64(), pa.array([1, None]), [1.0, None]),
        (pa.int64(), pa.array([1.0, None]), [1, None]),
    ],
)
def test_an_attribute_keeps_the_type_it_had(known, column, expected):
    (attribute,) = rows_of(table(kind=column), KIND, {"kind": known}).attributes
    assert (attribute.type, attribute.to_pylist()) == (known, expected)


@pytest.mark.parametrize(
    ("known", "column", "got"),
    [
        (pa.string(), pa.array([1, 2]), "expected string, got int64"),
        (pa.int64(), pa.array(["1", "2"]), "expected int64, got string"),
        (pa.int64(), pa.array([0.5, 1.0]), "expected int64, got double"),
        (pa.bool_(), pa.array([0, 1]), "expected bool, got int64"),
    ],
)
def test_an_attribute_that_changes_its_type_is_refused(known, column, got):
    types = {"kind": known}
    text = error_of(table(kind=column), KIND, types)
    assert text == f"batch: attribute column 'kind': {got}. Hint: an attribute keeps the type it had when it first came"
    assert types == {"kind": known}


def test_an_attribute_that_is_no_scalar_is_refused():
    text = error_of(table(kind=[[1], [2]]), KIND)
    assert (
        text == f"batch: attribute column 'kind': expected text, numbers, booleans or times, got {pa.list_(pa.int64())}"
    )


def test_a_batch_that_fails_late_teaches_no_types():
    columns, types = Columns("s", "t", "x", ("kind", "shape"), time_unit="us"), {}
    error_of(table(kind=["a", "b"], shape=[[1], [2]]), columns, types)
    assert types == {}
