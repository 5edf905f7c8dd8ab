"""Limen on Spark: the same queries over batch and streaming DataFrames."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

# A missing package is reported at once; the rest is loaded on first use, as in all of Limen.
import pyspark  # noqa: F401

if TYPE_CHECKING:
    from limen.spark.monitoring import monitor
    from limen.spark.progress import counters, totals
    from limen.spark.result_accuracy import accuracy
    from limen.spark.spark_session import session, settings
    from limen.spark.statements import sql, stream

__all__ = ["accuracy", "counters", "monitor", "session", "settings", "sql", "stream", "totals"]

_HOMES = {  # no module has the name of its public function: importing it would replace the function in the package
    "accuracy": "result_accuracy",
    "counters": "progress",
    "monitor": "monitoring",
    "session": "spark_session",
    "settings": "spark_session",
    "sql": "statements",
    "stream": "statements",
    "totals": "progress",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'limen.spark' has no attribute {name!r}")
    value: object = getattr(import_module(f"limen.spark.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
