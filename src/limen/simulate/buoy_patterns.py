"""Patterns over readings of buoys, made so that each has a wanted *verbosity*: alerts for each reading.

A variable selects a measure between two quantiles; the wider apart they are, the more readings fit and the more
alerts there are. How wide is found by trying all patterns together, several times: on parts from all over the stream,
since no part of it is like all of it (buoys became more, and El Niño came and went), and then on all of it.
"""

from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from limen.engine import Engine
from limen.errors import InvalidInput
from limen.model.pair import Pair
from limen.model.pattern import Pattern
from limen.simulate.buoys import BUOY_COLUMNS, MEASURES

NARROWEST, WIDEST = 0.0005, 0.6  # of the readings that fit a variable
BATCH = 1 << 15
PARTS, PART = 12, 8_000  # of the stream, and readings of each
ROUNDS_ON_PARTS, ROUNDS_ON_ALL = 7, 2


@dataclass(frozen=True)
class PatternQueries:
    """Patterns with the same shape and different measures.

    Parameters
    ----------
    verbosity : float
        Alerts of each for a reading: 0.01 is the paper's 1 %.
    variables, pairs : int
        Of each pattern; pairs that are not there follow from those that are. At least one pair less than variables.
    days : float
        How long after another the next tuple may come.
    distance : float
        How near they are, in metres.
    """

    count: int = 5
    verbosity: float = 0.01
    variables: int = 3
    pairs: int = 2
    days: float = 2.0
    distance: float = 1_500_000.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.verbosity < 1:
            raise InvalidInput(where="verbosity", expected="a number between 0 and 1", got=repr(self.verbosity))

    def patterns(self, readings: pa.Table) -> list[Pattern]:
        """Return the patterns, tuned on the readings they are for."""
        rng = np.random.default_rng(self.seed)
        sample = _parts(readings)
        sorted_values = {name: known for name in MEASURES if len(known := _known(sample, name))}
        measure = rng.choice(list(sorted_values), size=(self.count, self.variables))
        middle = rng.uniform(0.1, 0.9, (self.count, self.variables))
        width = np.full(self.count, 0.02)
        tried = [sample] * ROUNDS_ON_PARTS + [readings] * (ROUNDS_ON_ALL if len(readings) > len(sample) else 0)
        # Widths with too few and too many alerts: the wanted width lies between them.
        low, high = np.full(self.count, NARROWEST), np.full(self.count, WIDEST)
        for number, table in enumerate(tried):
            if number == ROUNDS_ON_PARTS:
                low[:], high[:] = NARROWEST, WIDEST
            made = self._made(measure, middle, width, sorted_values)
            observed = _verbosities(made, table)
            # With m variables, alerts grow about as the m-th power of how many readings fit.
            step = (self.verbosity / np.maximum(observed, 1 / len(table) / 4)) ** (1 / self.variables)
            too_few = observed < self.verbosity
            low, high = np.where(too_few, width, low), np.where(too_few, high, width)
            wanted = width * np.clip(step, 0.3, 4.0)
            width = np.where((wanted > low) & (wanted < high), wanted, np.sqrt(low * high))
        return self._made(measure, middle, width, sorted_values)

    def _made(
        self,
        measure: NDArray[np.str_],
        middle: NDArray[np.float64],
        width: NDArray[np.float64],
        values: dict[str, NDArray[np.float64]],
    ) -> list[Pattern]:
        names = [f"v{number}" for number in range(1, self.variables + 1)]
        chain = list(pairwise(names))
        further = [pair for pair in combinations(names, 2) if pair not in chain]
        steps = {name: number for number, name in enumerate(names)}
        span = self.days * 86_400
        pairs = [
            Pair(a, b, after=(0, span * (steps[b] - steps[a])), distance=self.distance)
            for a, b in [*chain, *further][: max(self.pairs, len(chain))]
        ]
        made = []
        for number in range(self.count):
            variables = {}
            for place, name in enumerate(names):
                column = str(measure[number, place])
                known = values[column]
                low = np.clip(middle[number, place] - width[number] / 2, 0, 1 - width[number])
                first, last = (int(share * (len(known) - 1)) for share in (low, low + width[number]))
                variables[name] = f"{column} >= {float(known[first])} AND {column} < {float(known[last])}"
            made.append(Pattern(f"pattern {number}", variables, pairs, on=("longitude", "latitude")))
        return made


def _parts(readings: pa.Table) -> pa.Table:
    """Return a shorter stream: parts of equal length, evenly spaced over the given one."""
    if len(readings) <= PARTS * PART:
        return readings
    first = np.linspace(0, len(readings) - PART, PARTS).astype(np.int64).tolist()
    return pa.concat_tables([readings.slice(each, PART) for each in first])


def _known(sample: pa.Table, name: str) -> NDArray[np.float64]:
    values = sample[name].to_numpy()
    return np.sort(values[~np.isnan(values)])


def _verbosities(patterns: list[Pattern], readings: pa.Table) -> NDArray[np.float64]:
    engine = Engine(BUOY_COLUMNS, queries=patterns, expiry="no-index")
    counts = dict.fromkeys((pattern.id for pattern in patterns), 0)
    for first in range(0, len(readings), BATCH):
        events = engine.process(readings.slice(first, BATCH))
        for each in pc.value_counts(events["query_id"]).to_pylist():
            counts[each["values"]] += each["counts"]
    return np.array(list(counts.values())) / len(readings)
