"""Coupons: 5,000 shops of a city make an offer for two hours each, and whoever comes near gets it, once.

An offer is a query that is registered when it begins and taken out when it ends, at times of the data. The city is that
of the papers; where its map is not at hand, roads are synthetic, and the second output is theirs. With a folder as
argument, a picture is drawn there.

Prints::

    5,000 shops, roads: oldenburg; 10,000 changes wait for their times
    294,211 enters, 292,804 coupons: who comes back gets no second one
    264,779 came
    3,335 were there when it began
    24,690 set out there
    all while the offer held: True
    4,932 shops had customers, most of them shop 1774 (465), shop 4890 (462), shop 4695 (460)

Prints, without the map::

    5,000 shops, roads: generated; 10,000 changes wait for their times
    288,287 enters, 285,779 coupons: who comes back gets no second one
    259,392 came
    3,099 were there when it began
    23,288 set out there
    all while the offer held: True
    4,959 shops had customers, most of them shop 1147 (501), shop 4237 (497), shop 3943 (490)
"""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import limen
from limen import simulate

SHOPS, RADIUS = 5_000, 100  # metres
FIRST, HOLDS = datetime(2026, 1, 1, tzinfo=UTC), timedelta(hours=2)


def register_offers(engine: limen.Engine, places: np.ndarray) -> pa.Table:
    """Tell the engine of all offers before the first row; each begins at some minute of the first two hours."""
    minutes = np.random.default_rng(1).integers(1, 121, len(places)).tolist()
    begins = [FIRST + timedelta(minutes=minute) for minute in minutes]
    ids = [f"shop {number}" for number in range(len(places))]
    for id, place, begin in zip(ids, places.tolist(), begins, strict=True):
        # Whoever is there when the offer begins is reported too, not only who comes later.
        offer = limen.Border(id, limen.Circle(place, RADIUS), initial="report")
        engine.register(offer, at=begin)
        engine.deregister(id, at=begin + HOLDS)
    return pa.table({"query_id": ids, "begin": begins, "end": [begin + HOLDS for begin in begins]})


def first_of_each_pair(events: pa.Table) -> pa.Table:
    """Return the first enter of each person at each shop, which is the coupon; later ones are returns."""
    enters = events.filter(pc.field("kind") == "enter").sort_by("time")
    numbered = enters.append_column("row", pa.array(np.arange(len(enters))))
    first = numbered.group_by(["stream_id", "query_id"]).aggregate([("row", "min")])
    return enters.take(first["row_min"]).sort_by("time")


def main(pictures: Path | None = None) -> None:
    city = simulate.city_roads()
    places = simulate.shop_sites(city, SHOPS)
    # A person whose trip is over says nothing more; after two minutes it is no longer there.
    engine = limen.Engine(simulate.TRAFFIC_COLUMNS, expire_after="2 minutes")
    offers = register_offers(engine, places)
    print(
        f"{SHOPS:,} shops, roads: {city.name}; {engine.counters['changes']['waiting']:,} changes wait for their times"
    )

    people = simulate.Traffic(network=city, objects=1_000, reports=490, interval=30, kind=0.25, seed=1)
    reports = list(people.tables(batch_seconds=60))
    events = pa.concat_tables([*map(engine.process, reports), engine.close()])
    coupons = first_of_each_pair(events)
    print(f"{engine.counters['events']['enter']:,} enters, {len(coupons):,} coupons: who comes back gets no second one")
    for reason, story in (("moved", "came"), ("registered", "were there when it began"), ("appeared", "set out there")):
        print(f"{pc.sum(pc.equal(coupons['reason'], reason)).as_py():,} {story}")

    held = coupons.select(["query_id", "time"]).join(offers, "query_id")
    in_time = pc.and_(pc.less_equal(held["begin"], held["time"]), pc.less(held["time"], held["end"]))
    print("all while the offer held:", pc.all(in_time).as_py())
    by_shop = coupons.group_by("query_id").aggregate([([], "count_all")])
    by_shop = by_shop.sort_by([("count_all", "descending"), ("query_id", "ascending")])
    busiest = ", ".join(f"{row['query_id']} ({row['count_all']})" for row in by_shop.slice(0, 3).to_pylist())
    print(f"{len(by_shop):,} shops had customers, most of them {busiest}")

    if pictures is not None:
        from pictures.coupons import draw  # noqa: PLC0415  # only who draws needs matplotlib

        draw(pictures / "coupons.png", city, places, RADIUS, offers, coupons, by_shop, pa.concat_tables(reports))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
