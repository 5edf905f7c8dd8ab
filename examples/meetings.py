"""Meetings and convoys: vehicles on generated roads that come near each other, once, or again a minute later.

A meeting is two slow vehicles nearer than 10 metres within 3 seconds. A convoy is two fast ones nearer than 60 metres
now, and the same two still so half a minute to a minute later: four tuples, two of each.

Prints::

    4,800 reports of 122 vehicles on generated roads
    meeting: 56 pairs of vehicles
    convoy: 27 pairs of vehicles
    1,011 reports were kept at the most
"""

import limen
from limen import simulate

meeting = limen.Pattern(
    "meeting",
    {"one": "kind = 'slow'", "other": "kind = 'slow'"},
    limen.Pair("one", "other", after=(-3, 3), distance=10, where="one.vehicle <> other.vehicle"),
    report="first",
)
near = {"after": (0, 2), "distance": 60}
convoy = limen.Pattern(
    "convoy",
    dict.fromkeys(("a", "b", "later_a", "later_b"), "kind = 'fast' and speed > 10"),
    [
        limen.Pair("a", "b", **near, where="a.vehicle <> b.vehicle"),
        limen.Pair("later_a", "later_b", **near),
        limen.Pair("a", "later_a", after=(30, 60), where="a.vehicle = later_a.vehicle"),
        limen.Pair("b", "later_b", after=(30, 60), where="b.vehicle = later_b.vehicle"),
    ],
    report="first",
)


def main() -> None:
    roads = simulate.generated_roads(nodes=100, edges=125, side=1_000, seed=3)
    traffic = simulate.Traffic(network=roads, objects=80, reports=60, interval=2, kind=0.5, seed=5)
    engine = limen.Engine(simulate.TRAFFIC_COLUMNS, queries=[meeting, convoy])
    met = {"meeting": set(), "convoy": set()}
    for table in traffic.tables(batch_seconds=10):
        for alert in engine.process(table).to_pylist():
            met[alert["query_id"]].add(frozenset(each["stream_id"] for each in alert["bindings"]))
    counters = engine.counters
    print(f"{counters['rows']:,} reports of {counters['streams']} vehicles on generated roads")
    for name, pairs in met.items():
        print(f"{name}: {len(pairs)} pairs of vehicles")
    print(f"{counters['most_stored']:,} reports were kept at the most")


if __name__ == "__main__":
    main()
