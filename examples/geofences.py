"""Geofences in longitude and latitude: a polygon with a hole, a circle in metres, and a box across the antimeridian.

Prints::

    10:01 ferry enter harbour
    10:02 ferry enter around the beacon
    10:03 ferry exit around the beacon
    10:03 ferry exit harbour
    10:04 tanker enter date line
    10:05 tanker exit date line
"""

from datetime import UTC, datetime

import pyarrow as pa

import limen

COLUMNS = limen.Columns(id="ship", time="ts", values=("lon", "lat"), crs="lonlat")
# As GeoJSON has it: longitude first. The island in the middle is not part of the harbour.
HARBOUR = limen.Polygon(
    [(9.90, 53.52), (10.02, 53.52), (10.02, 53.56), (9.90, 53.56)],
    holes=[[(9.95, 53.53), (9.96, 53.53), (9.96, 53.54), (9.95, 53.54)]],
)
QUERIES = [
    limen.Border("harbour", HARBOUR),
    limen.Border("around the beacon", limen.Circle((9.98, 53.54), 500)),  # metres
    limen.Border("date line", limen.Box((179, -20), (-179, 0))),  # from west to east
]
TRACKS = {
    "ferry": [(9.85, 53.54), (9.92, 53.54), (9.98, 53.543), (9.955, 53.535)],  # the last one is on the island
    "tanker": [(178.2, -10.0)] * 4 + [(179.5, -10.0), (-178.5, -10.0)],
}


def main() -> None:
    rows = [(minute, ship, *place) for ship, places in TRACKS.items() for minute, place in enumerate(places)]
    minute, ship, lon, lat = zip(*sorted(rows), strict=True)
    ts = [datetime(2026, 1, 1, 10, each, tzinfo=UTC) for each in minute]
    engine = limen.Engine(COLUMNS, queries=QUERIES)
    events = engine.process(pa.table({"ship": ship, "ts": ts, "lon": lon, "lat": lat}))
    for event in limen.sort_events(events).to_pylist():
        print(f"{event['time']:%H:%M} {event['stream_id']} {event['kind']} {event['query_id']}")


if __name__ == "__main__":
    main()
