"""Ride hailing: the five nearest free taxis to each customer, who is in the stadium, who is around a police car.

All of these are answers, sets of streams, that are kept up to date while everything moves. What comes out is their
changes, `add` and `remove`; whoever folds them has the answers at any time. With a folder as argument, a picture is
drawn there.

Prints::

    16,800 reports, 289 streams, 7 queries, 1,369 changes:
      stadium: 172 came, 143 went (expired, moved)
      around the police: 146 came, 137 went (expired, moved)
      own cars: 56 came, 47 went (expired, moved)
      Ann: 48 came, 48 went (deregistered, expired, moved, registered)
      Bob: 53 came, 53 went (deregistered, moved, registered)
      Cem: 103 came, 98 went (moved, registered)
      Eve: 135 came, 130 went (moved, registered)
    Ann's first changes:
      00:01:00 + taxi 105 (registered)
      00:01:00 + taxi 33 (registered)
      00:01:00 + taxi 78 (registered)
      00:01:00 + taxi 90 (registered)
      00:01:00 + taxi 94 (registered)
      00:01:10 - taxi 78 (moved)
      00:01:10 + taxi 13 (moved)
      00:01:12 - taxi 105 (moved)
      00:01:12 + taxi 78 (moved)
    after ten minutes, folded from the changes:
      stadium: phone 1009, phone 1047, phone 1054, phone 1055, phone 1059 and 24 more
      around the police: taxi 116, taxi 150, taxi 163, taxi 168, taxi 180 and 4 more
      own cars: taxi 104, taxi 116, taxi 164, taxi 168, taxi 176 and 4 more
      Ann: nobody
      Bob: nobody
      Cem: taxi 148, taxi 169, taxi 190, taxi 194, taxi 202
      Eve: taxi 168, taxi 180, taxi 200, taxi 214, taxi 58
    Cem's taxis are those found by looking at all: True
"""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import limen
from limen import simulate

FIRST = datetime(2026, 1, 1, tzinfo=UTC)
COLUMNS = limen.Columns(id="who", time="time", values=("x", "y"), attributes=("status",))
SILENT = 15  # seconds: whoever is silent for longer has gone home
# Who waits, from minute to minute. Eve waits nowhere: she walks on, and taxis are sought around her phone.
CUSTOMERS = {"Ann": (1, 6), "Bob": (2, 8), "Cem": (4, None), "Eve": (1, None)}


def minute(number: float) -> datetime:
    return FIRST + timedelta(minutes=number)


def traffic(city: simulate.RoadNetwork) -> pa.Table:
    """Let cars drive and people walk for ten minutes, and say who they are; all report every five seconds."""
    cars = simulate.Traffic(network=city, objects=100, reports=120, interval=5, seed=1)
    people = simulate.Traffic(
        network=city, objects=40, reports=120, interval=5, kind="slow", seed=2, first_number=1_000
    )
    tables = [with_roles(pa.concat_tables(each.tables(batch_seconds=60))) for each in (cars, people)]
    return pa.concat_tables(tables).sort_by([("time", "ascending"), ("who", "ascending")])


def with_roles(reports: pa.Table) -> pa.Table:
    """Make a police car and a dispatcher of two cars that are there all the time, and taxis of the others.

    A person who is there all the time is Eve. Taxis are free for some minutes and taken for others.
    """
    name, second = reports["vehicle"], seconds_of(reports)
    counts = reports.group_by("vehicle").aggregate([([], "count_all")]).sort_by("vehicle")
    always = counts.filter(pc.field("count_all") == pc.max(counts["count_all"]))["vehicle"].to_pylist()
    on_foot = reports["kind"][0].as_py() == "slow"
    special = {always[0]: "Eve"} if on_foot else {always[0]: "police", always[1]: "dispatcher"}
    number = pc.cast(pc.utf8_slice_codeunits(name, 1), pa.int64()).to_numpy()
    free = (second + 37 * number) % 420 < 240
    who, status = [], []
    for each, is_free in zip(name.to_pylist(), free.tolist(), strict=True):
        role = special.get(each, f"{'phone' if on_foot else 'taxi'} {each[1:]}")
        who.append(role)
        status.append(("free" if is_free else "taken") if role.startswith("taxi") else "")
    return pa.table({"who": who, "time": reports["time"], "x": reports["x"], "y": reports["y"], "status": status})


def ask(city: simulate.RoadNetwork, taxis: list[str]) -> tuple[limen.Engine, list[limen.Nearest | limen.Within]]:
    """Make an engine and give it all queries; those of customers wait for their times."""
    middle = city.extent / 2
    turn = np.radians(np.arange(22.5, 360, 45))
    ring = middle + np.column_stack([330 * np.cos(turn), 230 * np.sin(turn)])
    fleet = [taxi for taxi in taxis if int(taxi.split()[1]) % 4 == 0]
    standing = [
        limen.Within("stadium", limen.Polygon(ring.tolist())),
        limen.Within("around the police", focal="police", radius=400),
        limen.Within("own cars", focal="dispatcher", width=1_600, height=1_200, streams=fleet),
    ]
    places = dict(zip(("Ann", "Bob", "Cem"), simulate.shop_sites(city, 3, seed=16).tolist(), strict=True))
    waiting = [
        limen.Nearest(
            name,
            5,
            center=places.get(name),
            focal=None if name in places else name,
            where="status = 'free'",
        )
        for name in CUSTOMERS
    ]
    engine = limen.Engine(COLUMNS, queries=standing, expire_after=SILENT)
    for query in waiting:
        begin, end = CUSTOMERS[query.id]
        engine.register(query, at=minute(begin))
        if end is not None:
            engine.deregister(query.id, at=minute(end))
    return engine, [*standing, *waiting]


def fold(events: pa.Table, until: datetime) -> dict[str, set[str]]:
    """Put the answers of all queries together from their changes up to a time."""
    answers: dict[str, set[str]] = {}
    for event in limen.sort_events(events.filter(pc.field("time") <= until)).to_pylist():
        answer = answers.setdefault(event["query_id"], set())
        (answer.add if event["kind"] == "add" else answer.remove)(event["stream_id"])
    return answers


def nearest_by_hand(reports: pa.Table, place: tuple[float, ...], k: int) -> set[str]:
    """Find the nearest free taxis at the end, by looking at all of them."""
    last = reports.group_by("who", use_threads=False).aggregate(
        [("time", "last"), ("x", "last"), ("y", "last"), ("status", "last")]
    )
    end = pc.max(reports["time"]).as_py()
    there = last.filter(
        (pc.field("time_last") >= end - timedelta(seconds=SILENT)) & (pc.field("status_last") == "free")
    )
    far = np.hypot(there["x_last"].to_numpy() - place[0], there["y_last"].to_numpy() - place[1])
    return set(there["who"].take(pa.array(np.argsort(far)[:k])).to_pylist())


def seconds_of(table: pa.Table) -> np.ndarray:
    return pc.subtract(table["time"], pa.scalar(FIRST, table["time"].type)).cast(pa.int64()).to_numpy() // 1_000_000


def listed(answer: set[str]) -> str:
    some, more = sorted(answer)[:5], max(len(answer) - 5, 0)
    return (", ".join(some) or "nobody") + (f" and {more} more" if more else "")


def main(pictures: Path | None = None) -> None:
    city = simulate.generated_roads(1_200, 1_400, side=3_000.0)
    reports = traffic(city)
    names = pc.unique(reports["who"]).to_pylist()
    engine, queries = ask(city, [name for name in names if name.startswith("taxi")])
    found = [engine.process(reports.filter(pc.equal(seconds_of(reports) // 10, ten))) for ten in range(60)]
    events = limen.sort_events(pa.concat_tables([*found, engine.close()]))
    print(f"{len(reports):,} reports, {len(names)} streams, {len(queries)} queries, {len(events):,} changes:")
    for query in queries:
        own = events.filter(pc.field("query_id") == query.id)
        came = pc.sum(pc.equal(own["kind"], "add")).as_py()
        reasons = ", ".join(sorted(set(own["reason"].to_pylist())))
        print(f"  {query.id}: {came} came, {len(own) - came} went ({reasons})")

    print("Ann's first changes:")
    for event in events.filter(pc.field("query_id") == "Ann").slice(0, 9).to_pylist():
        sign = "+" if event["kind"] == "add" else "-"
        print(f"  {event['time']:%H:%M:%S} {sign} {event['stream_id']} ({event['reason']})")

    print("after ten minutes, folded from the changes:")
    answers = fold(events, minute(10))
    for query in queries:
        print(f"  {query.id}: {listed(answers[query.id])}")
    cem = next(query for query in queries if query.id == "Cem")
    print("Cem's taxis are those found by looking at all:", answers["Cem"] == nearest_by_hand(reports, cem.center, 5))

    if pictures is not None:
        from pictures.ride_hailing import draw  # noqa: PLC0415  # only who draws needs matplotlib

        moments = [minute(number) for number in (1, 2.5, 4, 5.5, 7, 9)]
        draw(pictures / "ride-hailing.png", city, reports, queries, [(at, fold(events, at)) for at in moments], SILENT)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
