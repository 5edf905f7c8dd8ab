"""Workloads that only the laboratory and the examples use: taxis in the zones of a city."""

from limen_lab.workloads.taxis import TAXI_COLUMNS, Taxis
from limen_lab.workloads.zones import ZONE_ID, generated_zones, read_rings, zone_file, zone_rings

__all__ = ["TAXI_COLUMNS", "ZONE_ID", "Taxis", "generated_zones", "read_rings", "zone_file", "zone_rings"]
