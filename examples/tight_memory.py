"""Phones around cafés: only those that matter are kept; with less memory fewer, and answers say how accurate they are.

Prints::

    all: 5,000 phones kept
    those that matter: 1,147 kept in 186,715 bytes, 100 % accurate
    80,000 bytes, shedding by object: 251 kept in 78,579 bytes, 17 % accurate by their own count, 23 % in truth
    80,000 bytes, shedding by query: 181 kept in 71,021 bytes, 10 % accurate by their own count, 39 % in truth
"""

import numpy as np
import pyarrow as pa

import limen

COLUMNS = limen.Columns(id="phone", time="t", values=("x", "y"), time_unit="s")  # metres
PHONES, SIDE, SECONDS = 5_000, 20_000, 120
BOUNDS = {"max_speed": 15, "report_every": 30}  # metres a second; everyone reports twice a minute


def questions() -> list[limen.Within | limen.Nearest]:
    place = np.random.default_rng(1).integers(0, SIDE, (40, 2)).tolist()
    cafes = [limen.Within(f"café {number}", limen.Circle(center, 400)) for number, center in enumerate(place)]
    couriers = [limen.Within(f"courier {number}", focal=f"p{number}", radius=300) for number in range(20)]
    return [*cafes, *couriers]


def reports() -> list[pa.Table]:
    """Let phones walk along the streets of a grid, each reporting every thirty seconds, one thirtieth at a time."""
    random = np.random.default_rng(2)
    place = random.integers(0, SIDE, (PHONES, 2)).astype(float)
    phones = np.arange(PHONES)
    tables = []
    for second in range(SECONDS):
        now = phones[phones % 30 == second % 30]
        along = random.integers(0, 2, len(now))
        place[now, along] += random.integers(-15 * 30, 15 * 30, len(now))
        x, y = place[now].T
        tables.append(pa.table({"phone": [f"p{phone}" for phone in now], "t": [second] * len(now), "x": x, "y": y}))
    return tables


def watch(**options: object) -> limen.Engine:
    engine = limen.Engine(COLUMNS, questions(), **BOUNDS, **options)
    for table in reports():
        engine.process(table)
    return engine


def main() -> None:
    everyone = limen.Engine(COLUMNS, questions(), expire_after=30)
    for table in reports():
        everyone.process(table)
    print(f"all: {everyone.counters['streams']:,} phones kept")
    enough = watch().counters["kept"]
    percent = enough["least_accuracy"]
    print(f"those that matter: {enough['stored']:,} kept in {enough['used']:,} bytes, {percent:.0f} % accurate")
    for shedding in ("object", "query"):
        kept = watch(memory="80 KB", shedding=shedding, measure_accuracy=True)
        figures = kept.counters["kept"]
        measured = np.mean(kept.accuracy["measured"].to_numpy())
        print(
            f"80,000 bytes, shedding by {shedding}: {figures['stored']:,} kept in {figures['used']:,} bytes, "
            f"{figures['mean_accuracy']:.0f} % accurate by their own count, {measured:.0f} % in truth"
        )


if __name__ == "__main__":
    main()
