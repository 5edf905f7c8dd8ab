"""Find the rows of a batch that match each variable: each distinct predicate is evaluated once, for all rows."""

from typing import NamedTuple

import numpy as np

from limen.arrays import Ints, Mask, Slots
from limen.kernels.routing import count_shards
from limen.model.columns import Columns
from limen.model.expressions.expression import Expression
from limen.model.pattern import Pattern
from limen.model.region import Region
from limen.model.variable import Variable
from limen.regions.contract import RegionIndex
from limen.regions.region_index import is_shape, new_index, on_sphere, regions_of
from limen.runtime.step import Step


class Predicate(NamedTuple):
    """The conditions on a single tuple; None, or empty, for no condition."""

    conditions: tuple[str, ...]
    region: Region | None
    on: tuple[int, ...]  # of the region
    streams: tuple[tuple[str, ...], ...]


def predicate_of(pattern: Pattern, variable: Variable, columns: Columns) -> Predicate:
    """Return the predicate of a variable: its own, and that of all variables."""
    texts = {Expression.parse(each).canonical for each in (pattern.where, variable.where) if each is not None}
    streams = {each for each in (pattern.streams, variable.streams) if each is not None}
    on = columns.positions(pattern.on) if variable.region is not None else ()
    return Predicate(tuple(sorted(texts)), variable.region, on, tuple(sorted(streams)))


class Tasks(NamedTuple):
    """Rows that may stand for variables, in their order, and these variables."""

    rows: Ints
    starts: Ints  # where the variables of each row begin
    variable: Slots


class Predicates:
    """The distinct predicates of all variables."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._variables: dict[Predicate, list[int]] = {}
        self._regions: dict[tuple[Region, tuple[int, ...]], RegionIndex] = {}

    def set(self, predicates: list[Predicate]) -> None:
        """Set the predicates of all variables, in the order of their numbers."""
        self._variables = {}
        for number, predicate in enumerate(predicates):
            self._variables.setdefault(predicate, []).append(number)
        wanted = {(predicate.region, predicate.on) for predicate in predicates if predicate.region is not None}
        self._regions = {key: self._regions.get(key) or self._index(*key) for key in wanted if key[0] is not None}

    def _index(self, region: Region, on: tuple[int, ...]) -> RegionIndex:
        lonlat = on_sphere(self._columns, on)
        shapes = is_shape(region, lonlat=lonlat)
        index = new_index(len(on), bound=False, shapes=shapes, lonlat=lonlat)
        index.insert(regions_of([region], index))
        return index

    def tasks(self, step: Step, seen: Mask) -> Tasks:
        """Find the rows, of those that are seen, that may stand for variables."""
        rows, variables = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
        for predicate, numbers in self._variables.items():
            found = np.flatnonzero(self._holds(predicate, step, seen)).astype(np.int32)
            if len(found):
                for number in numbers:
                    rows.append(found)
                    variables.append(np.full(len(found), number, np.int32))
        row, variable = np.concatenate(rows), np.concatenate(variables)
        starts, order = np.zeros(len(seen) + 1, np.int64), np.empty(len(row), np.int64)
        count_shards(row, starts, order)
        some = np.flatnonzero(starts[1:] > starts[:-1])
        return Tasks(some, np.append(starts[some], len(row)), variable[order])

    def _holds(self, predicate: Predicate, step: Step, seen: Mask) -> Mask:
        mask = seen
        for text in predicate.conditions:
            mask = mask & step.holds(Expression.parse(text))
        if predicate.region is not None:
            index = self._regions[predicate.region, predicate.on]
            columns = np.array(predicate.on, np.int64)
            inside = np.zeros(len(seen), np.bool_)
            inside[index.containing(step.slot, step.rows.values, columns).arrays()[0]] = True
            mask = mask & inside
        for names in predicate.streams:
            wanted = np.zeros(len(step.streams.ids) + 1, np.bool_)
            wanted[step.streams.ids.find(list(names))] = True
            wanted[-1] = False  # unknown streams
            mask = mask & wanted[step.slot]
        return mask
