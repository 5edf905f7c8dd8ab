"""bmq-processor, Figure 24: how much a temperature fluctuates, by the sampling rate."""

from limen_lab.reproduce.locality.generated_series import DEGREES
from limen_lab.reproduce.locality.locality_figures import fluctuation_figure
from limen_lab.reproduce.locality.weather import SETTING, thermometer

FIGURE = fluctuation_figure(
    "bmq-24",
    "Fluctuation level of temperature, by the sampling rate",
    "BMQ-Processor, Figure 24 (Appendix A)",
    make=thermometer,
    sampled=(1, 2, 5, 10, 30, 60, 120),
    domain=DEGREES,
    setting=SETTING,
)
