"""Seeded workloads: streams and queries for benchmarks, demos and tests.

Nothing here reads the clock or a global random state: the same arguments, and the same seed, give the same data. Each
workload exists as arrays, for benchmarks of kernels, and as Arrow tables and queries, for everything else.
"""

from limen.simulate.alerts import Alerts, alert_queries, as_alerts
from limen.simulate.bounds import as_borders
from limen.simulate.box_workload import box_columns, box_queries, box_streams, box_values
from limen.simulate.buoys import BUOY_COLUMNS, Buoys
from limen.simulate.city import city_roads
from limen.simulate.garage_sites import Sites, garage_sites
from limen.simulate.garages import WITHIN, Garages, garage_queries
from limen.simulate.generated_roads import generated_roads
from limen.simulate.kinds import FAST, SLOW, Kind
from limen.simulate.prices import PRICE_COLUMNS, price_queries, price_streams, price_values, symbols
from limen.simulate.reports import TRAFFIC_COLUMNS, Reports
from limen.simulate.road_files import read_roads
from limen.simulate.roads import SIDE, LeftOut, RoadNetwork, road_network
from limen.simulate.shops import shop_sites
from limen.simulate.traffic import Traffic, traffic_queries

__all__ = [
    "BUOY_COLUMNS",
    "FAST",
    "PRICE_COLUMNS",
    "SIDE",
    "SLOW",
    "TRAFFIC_COLUMNS",
    "WITHIN",
    "Alerts",
    "Buoys",
    "Garages",
    "Kind",
    "LeftOut",
    "Reports",
    "RoadNetwork",
    "Sites",
    "Traffic",
    "alert_queries",
    "as_alerts",
    "as_borders",
    "box_columns",
    "box_queries",
    "box_streams",
    "box_values",
    "city_roads",
    "garage_queries",
    "garage_sites",
    "generated_roads",
    "price_queries",
    "price_streams",
    "price_values",
    "read_roads",
    "road_network",
    "shop_sites",
    "symbols",
    "traffic_queries",
]
