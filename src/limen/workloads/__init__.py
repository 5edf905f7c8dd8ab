"""Seeded workloads: streams and queries for benchmarks, demos and tests.

Nothing here looks at the clock or at a global random state; the same arguments give the same data. Each
workload exists as arrays, for benchmarks of kernels, and as Arrow tables and queries, for everything else.
"""

from limen.workloads.alerts import Alerts, alert_queries, as_alerts
from limen.workloads.bounds import as_borders
from limen.workloads.boxes import box_columns, box_queries, box_streams, box_values
from limen.workloads.buoys import BUOY_COLUMNS, Buoys
from limen.workloads.city import city_roads
from limen.workloads.garage_sites import Sites, garage_sites
from limen.workloads.garages import WITHIN, Garages, garage_queries
from limen.workloads.generated_roads import generated_roads
from limen.workloads.kinds import FAST, SLOW, Kind
from limen.workloads.prices import PRICE_COLUMNS, price_queries, price_streams, price_values, symbols
from limen.workloads.reports import TRAFFIC_COLUMNS, Reports
from limen.workloads.road_files import read_roads
from limen.workloads.roads import SIDE, LeftOut, RoadNetwork, road_network
from limen.workloads.shops import shop_sites
from limen.workloads.taxis import TAXI_COLUMNS, Taxis
from limen.workloads.traffic import Traffic, traffic_queries
from limen.workloads.zones import ZONE_ID, generated_zones, read_rings, zone_file, zone_rings

__all__ = [
    "BUOY_COLUMNS",
    "FAST",
    "PRICE_COLUMNS",
    "SIDE",
    "SLOW",
    "TAXI_COLUMNS",
    "TRAFFIC_COLUMNS",
    "WITHIN",
    "ZONE_ID",
    "Alerts",
    "Buoys",
    "Garages",
    "Kind",
    "LeftOut",
    "Reports",
    "RoadNetwork",
    "Sites",
    "Taxis",
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
    "generated_zones",
    "price_queries",
    "price_streams",
    "price_values",
    "read_rings",
    "read_roads",
    "road_network",
    "shop_sites",
    "symbols",
    "traffic_queries",
    "zone_file",
    "zone_rings",
]
