"""Parking garages in a simulated city: who leaves in time goes free, who stays pays, who is soon back need not again.

Prints::

    400 vehicles and 12 garages on a generated city of 400 nodes
    passed 19, returned 21, stayed 15, gone 17
    free: V1 was in garage04 for 2.0 minutes
    toll: V8 in garage06 since 00:01:38
    free again: V25 was away from garage06 for 0.5 minutes
    ticket ends: V11 left garage09 at 00:04:11
"""

import pyarrow as pa

import limen
from limen import simulate

STORIES = {
    "passed": "free: {stream} was in {garage} for {minutes:.1f} minutes",
    "stayed": "toll: {stream} in {garage} since {since}",
    "returned": "free again: {stream} was away from {garage} for {minutes:.1f} minutes",
    "gone": "ticket ends: {stream} left {garage} at {since}",
}


def main() -> None:
    # Far more of these vehicles park than do in a real city, so that a small one shows everything.
    roads = simulate.generated_roads(400, 460)
    city = simulate.Garages(network=roads, vehicles=400, reports=40, garages=12, crossings=0.004, seed=5)
    print(f"{city.vehicles} vehicles and {city.garages} garages on a {roads.name} city of {len(roads.xy)} nodes")
    engine = limen.Engine(simulate.TRAFFIC_COLUMNS, queries=city.queries())
    found = [engine.process(table) for table in city.tables(batch_seconds=30)]
    events = limen.sort_events(pa.concat_tables([*found, engine.close()])).to_pylist()
    counts = {kind: sum(event["kind"] == kind for event in events) for kind in ("passed", "returned", "stayed", "gone")}
    print(", ".join(f"{kind} {count}" for kind, count in counts.items()))
    for kind, story in STORIES.items():
        event = next(event for event in events if event["kind"] == kind)
        minutes = (event["time"] - event["started_at"]).total_seconds() / 60
        since = f"{event['started_at']:%H:%M:%S}"
        print(story.format(stream=event["stream_id"], garage=event["query_id"], minutes=minutes, since=since))


if __name__ == "__main__":
    main()
