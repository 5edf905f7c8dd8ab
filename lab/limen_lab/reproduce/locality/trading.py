"""The stock prices that Figures 20 to 22 of bmq-processor are about."""

from collections.abc import Sequence

from limen_lab.reproduce.figure import Scale, at_scale
from limen_lab.reproduce.locality.generated_series import prices
from limen_lab.reproduce.locality.value_series import ValueSeries

_GENERATED = "two generated stocks, a price every 10 seconds of trading, domain 1,000,000 won"
SETTING: dict[Scale, str] = {
    "full": f"{_GENERATED}; 7 days, as in the paper",
    "quick": f"{_GENERATED}; 7 days, as in the paper",
    "tiny": f"{_GENERATED}; 2 days",
}


def stocks(scale: Scale) -> Sequence[ValueSeries]:
    """Return a lively and a steady stock."""
    return prices(at_scale(scale, full=7, quick=7, tiny=2))
