"""How much a series fluctuates (bmq-processor, §4.4 and Appendix A): by the rate at which it is sampled."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from limen.arrays import Floats
from limen.regions.boxes import BoxIndex
from limen.simulate import price_queries
from limen_lab.reproduce.figure import Verdict
from limen_lab.reproduce.judging import judged
from limen_lab.reproduce.locality.value_series import ValueSeries

QUERIES, WIDTH = 10_000, 0.001  # ranges over the whole domain, for what an hour of a stream costs
BINS = 20  # on either side of zero
SHOWN = 600  # values of a series in a picture


def fluctuation(series: ValueSeries, rows: int, domain: float) -> float:
    """Return FL in per cent: the average distance of consecutive values, every so many rows, by the domain."""
    differences = series.every(rows)
    return 100.0 * float(np.abs(differences).mean()) / domain if len(differences) else 0.0


def rate(series: ValueSeries, rows: int) -> float:
    """Return how often an hour, or a row where there are no times, every so many rows is."""
    return (3_600.0 if series.timed else 1.0) / (rows * series.usual_step)


def thinned(series: ValueSeries) -> tuple[Floats, Floats]:
    """Return times in hours, or rows, and values: so many as a picture can show, and what lies in gaps left out."""
    every = max(len(series.values) // SHOWN, 1)
    steps = np.diff(series.times, prepend=series.times[:1])
    steps[steps > series.longest_step] = series.usual_step
    times = np.cumsum(steps) / (3_600.0 if series.timed else 1.0)
    return times[::every], series.values[::every]


def densities(series: ValueSeries, sampled: Sequence[int]) -> dict[int, tuple[Floats, Floats]]:
    """Return the density of differences at several rates: the middles of bins around zero, alike for all, and per cent.

    Where values come in steps, bins are as wide as whole steps, so that a difference is in the middle of its bin.
    """
    differences = {rows: series.every(rows) for rows in sampled}
    every = np.concatenate(list(differences.values()))
    reach = float(np.quantile(np.abs(every), 0.995)) if len(every) else 0.0
    step = _step(every)
    width = max(np.ceil(reach / BINS / step), 1.0) * step if step else max(reach / BINS, 1e-12)
    edges = width * (np.arange(-BINS - 1, BINS + 1) + 0.5)
    middles = (edges[1:] + edges[:-1]) / 2
    found = {}
    for rows, each in differences.items():
        counts, _ = np.histogram(each, edges)
        found[rows] = middles, 100.0 * counts / max(len(each), 1)
    return found


def _step(differences: Floats) -> float:
    """Return the unit that differences are multiples of, 0 if they are not."""
    sizes = np.abs(differences)
    sizes = sizes[sizes > 0]
    if not len(sizes):
        return 0.0
    unit = float(sizes.min())
    if len(np.unique(np.round(sizes / unit))) > 10 * BINS:
        return 0.0  # so small a unit is none
    return unit if bool(np.all(np.abs(sizes / unit - np.round(sizes / unit)) < 1e-3)) else 0.0


def hourly_work(series: ValueSeries, rows: int, domain: float) -> tuple[float, float]:
    """Return what an hour of a stream costs with ranges all over its domain: entries looked at, and queries matched.

    The first is what the border index reads; the second is what has to be found, and compared with what was found
    before, when every value is matched anew.
    """
    lower, upper = price_queries(n=QUERIES, width=WIDTH, domain=domain)
    index = BoxIndex(1)
    index.insert(np.stack([lower, upper], axis=1)[:, None, :])
    values = series.values[::rows] - min(float(series.values.min()), 0.0)
    one, column = np.zeros(len(values) - 1, np.int32), np.zeros(1, np.int64)
    index.crossings(one, values[None, :-1].copy(), values[None, 1:].copy(), column, 1)
    matched = np.searchsorted(np.sort(lower), values, "right") - np.searchsorted(np.sort(upper), values, "right")
    hours = len(values) / rate(series, rows)
    return index.looked / hours, float(matched.sum()) / hours


def falls_with_rate(name: str, curve: Mapping[float, float]) -> Verdict:
    """Judge whether FL falls as the rate rises."""
    rates = sorted(curve)
    claim = f"{name}: FL falls as the sampling rate rises"
    if len(rates) < 2:
        return judged(
            claim, "one rate only", reached=False, otherwise="the series is too short to be sampled less often"
        )
    highs = [(before, after) for before, after in pairwise(rates) if curve[after] >= curve[before]]
    outcome = f"from {curve[rates[0]]:.3g} % at {rates[0]:g} to {curve[rates[-1]]:.3g} % at {rates[-1]:g}"
    where = ", ".join(f"{before:g} to {after:g}" for before, after in highs)
    return judged(
        claim,
        outcome,
        reached=not highs,
        otherwise=f"it does not fall from {where}: values of this series do not lie nearer to each other when they are "
        "nearer in time",
    )


def peaks_at_zero(name: str, middles: Sequence[float], density: Sequence[float]) -> Verdict:
    """Judge whether a difference of nothing is the likeliest."""
    peak = middles[int(np.argmax(density))]
    at_zero = density[int(np.argmin(np.abs(middles)))]
    return judged(
        f"{name}: differences are centred at zero, and zero is considerably likely",
        f"the peak is at {peak:g}; {at_zero:.0f} % of the differences are in the bin around zero",
        reached=abs(peak) < 1e-9,
        otherwise=f"most often this series moves by {peak:g}: it has a drift, or moves between few values",
    )
