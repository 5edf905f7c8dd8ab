"""Taxis over the zones of New York: who enters, leaves and stays, zone by zone.

The zones are a file of shapes, and so are their names, which are joined to what happened. Where the map of New York is
not at hand, zones are synthetic; the second output is theirs. With a folder as argument, two pictures are drawn there.

Prints::

    1,000 taxis, 260 zones, two hours: 31,278 enter, 31,271 exit, 1,876 stayed
    Central Park, Manhattan: 288 enters, 285 exits, 37 stays
    Steinway, Queens: 180 enters, 180 exits, 29 stays
    Sunnyside, Queens: 282 enters, 277 exits, 27 stays
    Heartland Village/Todt Hill, Staten Island: 118 enters, 116 exits, 25 stays
    East New York, Brooklyn: 213 enters, 214 exits, 21 stays
    with GPS: 37,037 enter, 37,030 exit, 1,775 stayed
    with GPS, confirmed: 29,952 enter, 29,946 exit, 1,852 stayed
    exact, confirmed: 29,031 enter, 29,025 exit, 1,904 stayed

Prints, without the map::

    1,000 taxis, 256 zones, two hours: 18,495 enter, 18,497 exit, 3,637 stayed
    Zone 4/13, Generated: 83 enters, 81 exits, 29 stays
    Zone 9/12, Generated: 107 enters, 113 exits, 29 stays
    Zone 11/8, Generated: 104 enters, 97 exits, 28 stays
    Zone 5/4, Generated: 122 enters, 126 exits, 28 stays
    Zone 5/8, Generated: 114 enters, 111 exits, 28 stays
    with GPS: 20,482 enter, 20,485 exit, 3,573 stayed
    with GPS, confirmed: 16,781 enter, 16,785 exit, 3,622 stayed
    exact, confirmed: 16,400 enter, 16,404 exit, 3,656 stayed
"""

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import pyarrow as pa
import pyarrow.compute as pc

import limen
from limen_lab import workloads

KINDS = ("enter", "exit", "stayed")


def watch(file: Path, reports: list[pa.Table], **calm: float) -> pa.Table:
    """Return all that happens in the zones of a file: who enters, who leaves, and who stays for ten minutes."""
    borders = limen.load_queries(file, kind="border", id="LocationID", **calm)
    # The same zones, asked something else. Queries of one engine need ids of their own, so there are two.
    stays = limen.load_queries(file, kind="transition", id="LocationID", within="10 minutes", kinds="stayed", **calm)
    engines = [limen.Engine(workloads.TAXI_COLUMNS, queries) for queries in (borders, stays)]
    return pa.concat_tables(engine.process(batch) for batch in reports for engine in engines)


def count_by_zone(events: pa.Table, names: pa.Table) -> pa.Table:
    """Make a row of each zone: its names, and how often it was entered, left and stayed in; the busiest first."""
    table = names.select(["query_id", "zone", "borough"])
    for kind in KINDS:
        counts = events.filter(pc.field("kind") == kind).group_by("query_id").aggregate([([], "count_all")])
        table = table.join(counts.rename_columns(["query_id", kind]), "query_id")
        table = table.set_column(table.num_columns - 1, kind, pc.fill_null(table[kind], 0))
    return table.sort_by([("stayed", "descending"), ("zone", "ascending")])


def totals(events: pa.Table) -> str:
    return ", ".join(f"{pc.sum(pc.equal(events['kind'], kind)).as_py():,} {kind}" for kind in KINDS)


def main(pictures: Path | None = None) -> None:
    file = workloads.zone_file(mkdtemp())
    fleet = workloads.Taxis(zones=workloads.read_rings(file), taxis=1_000, reports=720, seed=1)
    reports = list(fleet.tables(batch_seconds=60))
    events = watch(file, reports)
    by_zone = count_by_zone(events, limen.load_properties(file, id="LocationID"))
    print(f"{fleet.taxis:,} taxis, {len(by_zone)} zones, two hours: {totals(events)}")
    for row in by_zone.slice(0, 5).to_pylist():
        print("{zone}, {borough}: {enter} enters, {exit} exits, {stayed} stays".format(**row))

    # Who waits beside a border seems to go in and out when positions are 10 m off, unless two in a row must say so.
    noisy = list(replace(fleet, noise=10.0).tables(batch_seconds=60))
    print(f"with GPS: {totals(watch(file, noisy))}")
    print(f"with GPS, confirmed: {totals(watch(file, noisy, confirm=2))}")
    print(f"exact, confirmed: {totals(watch(file, reports, confirm=2))}")

    if pictures is not None:
        from pictures.taxis import draw_map, draw_stays  # noqa: PLC0415  # only who draws needs matplotlib

        zones = limen.load_queries(file, id="LocationID")
        draw_map(pictures / "taxi-zones.png", zones, by_zone, events, pa.concat_tables(reports))
        draw_stays(pictures / "taxi-stays.png", by_zone, events)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
