"""Limen: very many continuous queries over very many data streams.

Names are loaded when they are first used. A process that needs little of it, as Spark starts one for every
stream, does not wait for Arrow and the compiler; and Spark is needed only by programs that use it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from limen.errors import InvalidInput, InvalidQuery, InvalidStatement, LimenError, StateError

if TYPE_CHECKING:
    from limen import changes, sql
    from limen.engine import Engine
    from limen.formats import load_queries
    from limen.formats.event_geojson import events_to_geojson
    from limen.formats.geo.properties import load_properties
    from limen.model import (
        Border,
        Box,
        Circle,
        Columns,
        Match,
        MultiPolygon,
        Nearest,
        Pair,
        Pattern,
        Polygon,
        Query,
        Range,
        Region,
        Transition,
        Variable,
        Within,
    )
    from limen.model.event import SCHEMA, sort_events

__version__ = "0.1.0"

__all__ = [
    "SCHEMA", "Border", "Box", "Circle", "Columns", "Engine", "InvalidInput", "InvalidQuery", "InvalidStatement",
    "LimenError", "Match", "MultiPolygon", "Nearest", "Pair", "Pattern", "Polygon", "Query", "Range", "Region",
    "StateError", "Transition", "Variable", "Within", "changes", "events_to_geojson", "load_properties", "load_queries",
    "sort_events", "sql",
]  # fmt: skip


_PARTS = ("changes", "engine", "formats", "model", "sql")
_HOMES = {
    "Engine": "limen.engine",
    "SCHEMA": "limen.model.event",
    "events_to_geojson": "limen.formats.event_geojson",
    "load_properties": "limen.formats.geo.properties",
    "load_queries": "limen.formats",
    "sort_events": "limen.model.event",
}


def __getattr__(name: str) -> object:
    if name == "spark":
        return _spark()
    if name in _PARTS:
        return import_module(f"limen.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'limen' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES.get(name, "limen.model")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__", "spark"]


def _spark() -> object:
    try:
        return import_module("limen.spark")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in {"pyspark", "pandas", "google", "py4j"}:
            raise
        raise LimenError(
            f"limen.spark needs {error.name}, which is not installed", hint="pip install 'limen[spark]'"
        ) from error
