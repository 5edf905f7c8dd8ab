"""Storms: humid air, then strong wind, then cold air, on buoys near each other, within two days of each other.

The readings are those of buoys in the Pacific over eighteen years; where they are not at hand, readings are synthetic,
and the second output is theirs.

Prints::

    178,080 readings (TAO), of 217 buoys
    69 storms, 114 more ways to see them
    22 readings were kept at the most, 0 are now
    mostly in August and September
    humid 1992-08-01 at 88055#0, windy 1992-08-02 at 92055#0, cold 1992-08-04 at 90056#0
    humid 1993-08-16 at 98055#0, windy 1993-08-16 at 95055#0, cold 1993-08-16 at 88055#0

Prints, without the readings::

    178,080 readings (made), of 357 buoys
    3,468 storms, 55,313 more ways to see them
    92 readings were kept at the most, 46 are now
    mostly in March and January
    humid 1980-12-14 at 96#2, windy 1980-12-14 at 80#2, cold 1980-12-14 at 47#2
    humid 1980-12-14 at 96#2, windy 1980-12-14 at 80#2, cold 1980-12-14 at 47#1
"""

from collections import Counter

import limen
from limen import simulate

DAY = 86_400
NEAR = {"after": (0, 2 * DAY), "distance": 1_500_000}  # seconds, metres

storm = limen.Pattern(
    "storm",
    {
        "humid": "humidity > 92",
        "windy": "zonal * zonal + meridional * meridional > 85",
        "cold": "air < 24",
    },
    [
        limen.Pair("humid", "windy", **NEAR, where="humid.buoy <> windy.buoy"),
        limen.Pair("windy", "cold", **NEAR, where="windy.buoy <> cold.buoy"),
        limen.Pair("humid", "cold", where="humid.buoy <> cold.buoy"),
    ],
    report="first",
    on=("longitude", "latitude"),
)


def main() -> None:
    buoys = simulate.Buoys(rows=178_080)
    engine = limen.Engine(simulate.BUOY_COLUMNS, queries=[storm])
    alerts = []
    for batch in buoys.batches():
        alerts += limen.sort_events(engine.process(batch)).to_pylist()
    counters = engine.counters
    print(f"{counters['rows']:,} readings ({buoys.described['readings']}), of {counters['streams']:,} buoys")
    print(f"{len(alerts):,} storms, {counters['left_out']:,} more ways to see them")
    print(f"{counters['most_stored']:,} readings were kept at the most, {counters['stored']:,} are now")
    months = Counter(f"{alert['time']:%B}" for alert in alerts).most_common(2)
    print("mostly in " + " and ".join(month for month, _ in months))
    for alert in alerts[:2]:
        bound = alert["bindings"]
        print(", ".join(f"{each['variable']} {each['time']:%Y-%m-%d} at {each['stream_id']}" for each in bound))


if __name__ == "__main__":
    main()
