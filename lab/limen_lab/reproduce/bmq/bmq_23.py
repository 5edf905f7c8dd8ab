"""bmq-processor, Figure 23: a temperature."""

from limen_lab.reproduce.figure import Axis
from limen_lab.reproduce.locality.generated_series import DEGREES
from limen_lab.reproduce.locality.locality_figures import values_figure
from limen_lab.reproduce.locality.weather import SETTING, thermometer

FIGURE = values_figure(
    "bmq-23",
    "Temperature",
    "BMQ-Processor, Figure 23 (Appendix A)",
    make=thermometer,
    value=Axis("temperature", "°C"),
    domain=DEGREES,
    setting=SETTING,
)
