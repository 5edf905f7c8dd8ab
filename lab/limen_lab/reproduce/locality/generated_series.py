"""Series in place of the paper's traces: two stocks for some days of trading, and the temperature of some days.

The traces that the paper shows are not to be had. These are made to be like them in what the paper says of them: steps
of whole units of price, most of them none, one stock livelier than the other; a temperature that follows the sun
and the weather, read to a tenth of a degree.
"""

import numpy as np

from limen.arrays import Floats
from limen_lab.reproduce.locality.value_series import ValueSeries

PRICES = 1_000_000.0  # won; the paper's domain of prices
DEGREES = 50.0  # Celsius; a domain of temperatures, from -10 to 40
LIVELY, STEADY, TEMPERATURE = "lively stock (as Samsung)", "steady stock (as LG)", "temperature"
PRICE_STEP, DAY, TRADING, OPENING = 10.0, 86_400.0, 6 * 3_600.0, 9 * 3_600.0  # seconds
TEMPERATURE_STEP = 60.0


def prices(days: int) -> tuple[ValueSeries, ValueSeries]:
    """Return the prices of a lively and of a steady stock, every ten seconds while there is trading."""
    return (
        _price(LIVELY, days, first=600_000, unit=1_000, moves=0.1, seed=20),
        _price(STEADY, days, first=70_000, unit=100, moves=0.15, seed=21),
    )


def _price(name: str, days: int, *, first: int, unit: int, moves: float, seed: int) -> ValueSeries:
    """Walk by units: up, down or, most of the time, not at all; over night by several."""
    rng = np.random.default_rng(seed)
    a_day = int(TRADING / PRICE_STEP)
    steps = rng.choice(
        (-2, -1, 0, 1, 2), (days, a_day), p=(moves / 20, moves * 0.45, 1 - moves, moves * 0.45, moves / 20)
    )
    steps[:, 0] = rng.integers(-4, 5, days)
    times = DAY * np.arange(days)[:, None] + OPENING + PRICE_STEP * np.arange(a_day)
    values = first + unit * np.cumsum(steps.reshape(-1))
    return ValueSeries(name, times.reshape(-1), values.astype(np.float64), missing=0, timed=True)


def temperature(days: int) -> ValueSeries:
    """Return the temperature of every minute."""
    rng = np.random.default_rng(23)
    count = int(days * DAY / TEMPERATURE_STEP)
    times: Floats = TEMPERATURE_STEP * np.arange(count, dtype=np.float64)
    sun = 5.0 * np.sin(2 * np.pi * (times / DAY - 0.375))  # coldest at three in the morning
    weather = np.cumsum(rng.normal(0.0, 0.03, count))
    weather -= np.linspace(0.0, weather[-1], count)  # back where it began: no drift out of the domain
    return ValueSeries(TEMPERATURE, times, np.round(12.0 + sun + weather, 1), missing=0, timed=True)
