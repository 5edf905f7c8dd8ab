"""The temperature that Figures 23 to 25 of bmq-processor are about."""

from collections.abc import Sequence

from limen_lab.reproduce.figure import Scale, at_scale
from limen_lab.reproduce.locality.generated_series import temperature
from limen_lab.reproduce.locality.value_series import ValueSeries

_GENERATED = "a generated temperature, every minute, to a tenth of a degree, domain 50 °C"
SETTING: dict[Scale, str] = {
    "full": f"{_GENERATED}; 8 days, as in the paper",
    "quick": f"{_GENERATED}; 8 days, as in the paper",
    "tiny": f"{_GENERATED}; 2 days",
}


def thermometer(scale: Scale) -> Sequence[ValueSeries]:
    """Return the temperature."""
    return (temperature(at_scale(scale, full=8, quick=8, tiny=2)),)
