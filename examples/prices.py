"""Price alerts: buy low, sell high, each investor on a stock of their own.

A thousand simulated stocks, and twenty alerts on each. An alert names its stock, so a new price meets only
the alerts on that stock, however many there are on others.

Prints::

    20000 alerts on 1000 stocks
    200000 prices, 10699 alerts reached, 9933 left
"""

from collections import Counter

import limen
from limen import simulate

STOCKS, TICKS = 1_000, 200


def main() -> None:
    opening = simulate.price_values(STOCKS, tuples=1)[0]
    alerts = simulate.as_alerts(simulate.alert_queries(opening, per_stream=20), simulate.symbols(STOCKS))
    engine = limen.Engine(simulate.PRICE_COLUMNS, queries=alerts)
    print(f"{len(alerts)} alerts on {STOCKS} stocks")

    kinds: Counter[str] = Counter()
    for prices in simulate.price_streams(STOCKS, TICKS, batch_ticks=10):
        events = engine.process(prices)
        kinds.update(events["kind"].to_pylist())
    print(f"{engine.counters['rows']} prices, {kinds['enter']} alerts reached, {kinds['exit']} left")


if __name__ == "__main__":
    main()
