"""Seeded workloads: streams and queries for benchmarks, demos and tests.

Nothing here looks at the clock or at a global random state; the same arguments give the same data. Each
workload exists as arrays, for benchmarks of kernels, and as Arrow tables and queries, for everything else.
"""

from limen.workloads.alerts import Alerts, alert_queries, as_alerts
from limen.workloads.bounds import as_borders
from limen.workloads.boxes import box_columns, box_queries, box_streams, box_values
from limen.workloads.prices import PRICE_COLUMNS, price_queries, price_streams, price_values, symbols

__all__ = [
    "PRICE_COLUMNS",
    "Alerts",
    "alert_queries",
    "as_alerts",
    "as_borders",
    "box_columns",
    "box_queries",
    "box_streams",
    "box_values",
    "price_queries",
    "price_streams",
    "price_values",
    "symbols",
]
