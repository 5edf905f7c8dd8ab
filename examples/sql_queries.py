"""Queries in SQL: the statements of a text, the engine that answers them, and the text again from a query.

Prints::

    CREATE BORDER depot ON vehicles WHERE kind = 'van' INSIDE BOX ((0, 0), (10, 10)) INITIAL REPORT
    CREATE NEAREST helpers ON vehicles kNN (1) AROUND 'van 1'
    00:00:00 bus 7 add helpers (moved)
    00:00:00 van 1 enter depot (appeared)
    00:00:01 van 1 exit depot (moved)
    00:00:02 bus 7 remove helpers (moved)
    00:00:02 bus 9 add helpers (moved)
"""

import pyarrow as pa

import limen

STATEMENTS = """
    CREATE REGION yard AS (0, 0, 10, 10);
    CREATE BORDER depot ON vehicles WHERE kind = 'van' INSIDE yard INITIAL REPORT;
    CREATE NEAREST helpers ON vehicles kNN ('M', 1, 'van 1');
"""

columns = limen.Columns(id="vehicle", time="t", values=("x", "y"), attributes=("kind",), time_unit="s")
queries = limen.sql.load_script(STATEMENTS)
for query in queries:
    print(limen.sql.to_sql(query, "vehicles"))

engine = limen.Engine(columns, queries=queries)
rows = [
    (0, "van 1", "van", 5, 5), (0, "bus 7", "bus", 6, 5), (0, "bus 9", "bus", 40, 5),
    (1, "van 1", "van", 15, 5), (2, "van 1", "van", 30, 5),
]  # fmt: skip
table = pa.table(
    {
        "vehicle": [vehicle for _, vehicle, *_ in rows],
        "t": [t for t, *_ in rows],
        "x": [float(x) for *_, x, _ in rows],
        "y": [float(y) for *_, y in rows],
        "kind": [kind for _, _, kind, *_ in rows],
    }
)
for event in limen.sort_events(engine.process(table)).to_pylist():
    print(f"{event['time']:%H:%M:%S}", event["stream_id"], event["kind"], event["query_id"], f"({event['reason']})")
