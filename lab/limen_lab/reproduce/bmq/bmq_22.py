"""bmq-processor, Figure 22: the density of differences between consecutive stock prices."""

from limen_lab.reproduce.locality.locality_figures import density_figure
from limen_lab.reproduce.locality.trading import SETTING, stocks

FIGURE = density_figure(
    "bmq-22",
    "Density of differences between consecutive stock prices",
    "BMQ-Processor, Figure 22 (Appendix A)",
    make=stocks,
    sampled={1: "every 10 seconds", 6: "every minute", 60: "every 10 minutes"},
    unit="won",
    setting=SETTING,
)
