"""bmq-processor, Figure 20: stock prices."""

from __future__ import annotations

from limen.reproduce.figure import Axis
from limen.reproduce.generated_series import PRICES
from limen.reproduce.locality_figures import values_figure
from limen.reproduce.trading import SETTING, stocks

FIGURE = values_figure(
    "bmq-20",
    "Stock prices",
    "BMQ-Processor, Figure 20 (Appendix A)",
    make=stocks,
    value=Axis("price", "won"),
    domain=PRICES,
    setting=SETTING,
)
