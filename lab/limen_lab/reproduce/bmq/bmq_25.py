"""bmq-processor, Figure 25: the density of differences between consecutive temperatures."""

from limen_lab.reproduce.locality.locality_figures import density_figure
from limen_lab.reproduce.locality.weather import SETTING, thermometer

FIGURE = density_figure(
    "bmq-25",
    "Density of differences between consecutive temperatures",
    "BMQ-Processor, Figure 25 (Appendix A)",
    make=thermometer,
    sampled={1: "every minute", 10: "every 10 minutes", 60: "every hour"},
    unit="°C",
    setting=SETTING,
)
