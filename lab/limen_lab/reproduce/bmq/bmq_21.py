"""bmq-processor, Figure 21: how much stock prices fluctuate, by the sampling rate."""

from limen_lab.reproduce.locality.generated_series import PRICES
from limen_lab.reproduce.locality.locality_figures import fluctuation_figure
from limen_lab.reproduce.locality.trading import SETTING, stocks

FIGURE = fluctuation_figure(
    "bmq-21",
    "Fluctuation level of stock prices, by the sampling rate",
    "BMQ-Processor, Figure 21 (Appendix A)",
    make=stocks,
    sampled=(1, 3, 6, 12, 30, 60, 180),
    domain=PRICES,
    setting=SETTING,
)
