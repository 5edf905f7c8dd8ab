"""bmq-processor, Figure 20: stock prices."""

from limen_lab.reproduce.figure import Axis
from limen_lab.reproduce.locality.generated_series import PRICES
from limen_lab.reproduce.locality.locality_figures import values_figure
from limen_lab.reproduce.locality.trading import SETTING, stocks

FIGURE = values_figure(
    "bmq-20",
    "Stock prices",
    "BMQ-Processor, Figure 20 (Appendix A)",
    make=stocks,
    value=Axis("price", "won"),
    domain=PRICES,
    setting=SETTING,
)
