"""Limen on Spark: the same queries over batch and streaming DataFrames."""

from limen.spark.monitor import monitor
from limen.spark.progress import counters, totals
from limen.spark.session import session, settings

__all__ = ["counters", "monitor", "session", "settings", "totals"]
