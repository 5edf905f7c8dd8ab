"""Records that kernels take by reference."""

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import pytest

from limen.kernels._jit import inner_kernel, kernel
from limen.kernels.by_reference import by_reference

compiled_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@by_reference
class Counts(NamedTuple):
    """Counts."""

    count: npt.NDArray[np.int64]


@by_reference
class Everything(NamedTuple):
    """All kinds of fields."""

    point: npt.NDArray[np.float64]
    column: npt.NDArray[np.float32]  # not contiguous
    records: npt.NDArray[np.void]
    counts: Counts
    number: int
    truth: bool


RECORD = np.dtype([("a", np.int32), ("b", np.float64)], align=True)


def everything(truth: bool = True, rows: int = 4) -> Everything:
    records = np.zeros(rows, RECORD)
    records["b"] = np.arange(rows) / 2
    wide = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
    return Everything(np.ones((rows, 2)), wide[:, 1], records, Counts(np.zeros(2, np.int64)), -7, truth)


@inner_kernel
def inner(all_of_it, at):
    all_of_it.counts.count[0] += 1
    all_of_it.records[at]["a"] = at
    return all_of_it.column[at] + all_of_it.records[at]["b"]


@kernel
def total(all_of_it):
    result = 0.0
    for at in range(len(all_of_it.point)):
        result += inner(all_of_it, at)
        for c in range(all_of_it.point.shape[1]):
            all_of_it.point[at, c] += 1.0
    return result + all_of_it.number if all_of_it.truth else -result


@kernel
def size_of(all_of_it):
    return all_of_it.point.size + all_of_it.column.size


def test_kernels_read_and_write_every_kind_of_field():
    given = everything()
    assert total(given) == 1 + 4 + 7 + 10 + 0.5 + 1 + 1.5 - 7
    assert given.counts.count.tolist() == [4, 0]
    assert given.records["a"].tolist() == [0, 1, 2, 3]
    assert (given.point == 2.0).all()


def test_other_arrays_in_a_new_record_are_seen_and_the_old_record_stays():
    given = everything()
    other = given._replace(counts=Counts(np.full(2, 10)), truth=False)
    assert total(other) == -(1 + 4 + 7 + 10 + 0.5 + 1 + 1.5)
    assert other.counts.count.tolist() == [14, 10]
    assert given.counts.count.tolist() == [0, 0]


def test_a_record_is_a_named_tuple():
    given = everything()
    assert isinstance(given, tuple)
    assert given._fields == ("point", "column", "records", "counts", "number", "truth")
    assert Everything.__doc__ == "All kinds of fields."
    with pytest.raises(AttributeError, match="'Everything' object has no attribute 'nothing'"):
        _ = given.nothing  # type: ignore[attr-defined]


def test_empty_arrays():
    assert size_of(everything(rows=0)) == 0
    assert total(everything(rows=0)) == -7


@compiled_only
def test_records_of_one_kind_share_a_compilation_and_others_have_their_own():
    before = len(size_of.signatures)
    for rows in (3, 4, 5):
        size_of(everything(rows=rows))
    assert len(size_of.signatures) - before <= 1
    known = set(size_of.signatures)
    given = everything()
    size_of(given._replace(column=given.column.astype(np.float64)))
    assert len(set(size_of.signatures) - known) == 1


@by_reference
class Alike(NamedTuple):
    """The fields of `Counts`, under another name."""

    count: npt.NDArray[np.int64]


@by_reference
class Renamed(NamedTuple):
    """Another name of the field."""

    other: npt.NDArray[np.int64]


@kernel
def first_of(counts):
    return counts.count[0]


@compiled_only
def test_records_with_fields_of_the_same_types_are_told_apart():
    assert first_of(Counts(np.array([3]))) == 3
    assert first_of(Alike(np.array([4]))) == 4
    with pytest.raises(numba.TypingError, match="count"):
        first_of(Renamed(np.array([5])))
