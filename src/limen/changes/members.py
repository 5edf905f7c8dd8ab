"""The members of an answer, instant by instant: adds and removes, paired."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from limen.arrays import Ints, Mask
from limen.changes.change_rows import PHASE, SIGN, TIME, codes_of
from limen.errors import InvalidInput
from limen.model.time import from_micros

#: The time of rows that are carried along from before, which is before all others.
BEFORE = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class MemberSteps:
    """What each instant did to each member that it touched, in any order.

    The arrays are of one length. `row` is some row of the member. `old` and `new` are the rows of the adds by which it
    was there before the instant and is there after it, or -1.
    """

    when: Ints
    row: Ints
    old: Ints
    new: Ints
    last: Mask  # whether it is the latest of its member


def when_of(rows: pa.Table, carried: int) -> Ints:
    """Return the times of rows, of which so many at the beginning are carried along."""
    when = np.array(rows[TIME].to_numpy(), np.int64)
    when[:carried] = BEFORE
    return when


def steps_of(rows: pa.Table, carried: int, member: Sequence[str]) -> MemberSteps:
    """Pair adds and removes.

    Only what an instant leaves behind counts, so a membership is what the signs up to it add up to, 0 or 1, and its add
    is the last one in canonical order.
    """
    code, when = codes_of(rows, member), when_of(rows, carried)
    sign, phase = rows[SIGN].to_numpy(), rows[PHASE].to_numpy()
    order = np.lexsort((sign, phase, when, code))
    starts = run_starts(code[order], when[order])
    if not starts.size:
        return MemberSteps(starts, starts, starts, starts, np.zeros(0, np.bool_))
    row = order[starts]
    after = np.cumsum(np.add.reduceat(sign[order], starts))
    first = np.append(True, code[row][1:] != code[row][:-1])  # of its member
    base = np.append(0, after[:-1])[first]
    after = after - base[np.cumsum(first) - 1]
    if ((after < 0) | (after > 1)).any():
        raise _unpaired(rows, row, after, when[row], member)
    latest_add = np.maximum.reduceat(np.where(sign[order] > 0, np.arange(order.size), -1), starts)
    new = np.where(after == 1, order[latest_add], -1)
    old = np.where(first, -1, np.append(-1, new[:-1]))
    return MemberSteps(when[row], row, old, new, np.append(first[1:], True))


def run_starts(*keys: Ints) -> Ints:
    """Return where runs of equal keys begin."""
    if not keys[0].size:
        return np.zeros(0, np.int64)
    different = np.zeros(keys[0].size, np.bool_)
    different[0] = True
    for key in keys:
        different[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(different)


def still_there(rows: pa.Table, steps: MemberSteps) -> pa.Table:
    """Return the rows that began the memberships that last, in their order."""
    return rows.take(pa.array(np.sort(steps.new[steps.last & (steps.new >= 0)])))


def label(rows: pa.Table, row: int, names: Sequence[str]) -> str:
    """Name what a row is about."""
    return ", ".join(f"{name} {rows[name][row].as_py()!r}" for name in names)


def at(micros: Any) -> str:
    """Format a time for a message."""
    return f"at {from_micros(int(micros))}"


def _unpaired(rows: pa.Table, row: Ints, after: Ints, when: Ints, member: Sequence[str]) -> InvalidInput:
    """Return the error of the earliest change that does not fit."""
    wrong = np.flatnonzero((after < 0) | (after > 1))
    earliest = wrong[np.argmin(when[wrong])]
    where = f"changes: {label(rows, int(row[earliest]), member)}"
    if after[earliest] < 0:
        return InvalidInput(
            where=where,
            expected="an add, or enter, before a remove, or exit",
            got=f"a remove without an add {at(when[earliest])}",
            hint="give all events from the first on, or table after table to changes.Running; border queries need "
            "initial='report'",
        )
    return InvalidInput(
        where=where,
        expected="a remove, or exit, before the next add, or enter",
        got=f"a second add {at(when[earliest])}",
        hint="were events given twice, or filtered by a column that changes between add and remove? If a join made "
        "several rows of one member, name the columns that distinguish them: member=(…)",
    )
