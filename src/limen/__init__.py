"""Limen: very many continuous queries over very many data streams."""

from limen import changes
from limen.engine import Engine
from limen.errors import InvalidInput, InvalidQuery, LimenError, StateError
from limen.model import (
    SCHEMA,
    Border,
    Box,
    Circle,
    Columns,
    Match,
    MultiPolygon,
    Nearest,
    Polygon,
    Query,
    Range,
    Region,
    Transition,
    Within,
    events_to_geojson,
    load_properties,
    load_queries,
    sort_events,
)

__version__ = "0.1.0"

__all__ = [
    "SCHEMA",
    "Border",
    "Box",
    "Circle",
    "Columns",
    "Engine",
    "InvalidInput",
    "InvalidQuery",
    "LimenError",
    "Match",
    "MultiPolygon",
    "Nearest",
    "Polygon",
    "Query",
    "Range",
    "Region",
    "StateError",
    "Transition",
    "Within",
    "changes",
    "events_to_geojson",
    "load_properties",
    "load_queries",
    "sort_events",
]


def __getattr__(name: str) -> object:
    """Load the Spark part when someone asks for it: `import limen` must not need Spark, nor wait for it."""
    if name == "spark":
        import importlib  # noqa: PLC0415

        try:
            return importlib.import_module("limen.spark")
        except ModuleNotFoundError as error:
            if (error.name or "").split(".")[0] not in {"pyspark", "pandas", "google", "py4j"}:
                raise
            raise LimenError(
                f"limen.spark needs {error.name}, which is not installed", hint="pip install 'limen[spark]'"
            ) from error
    raise AttributeError(f"module 'limen' has no attribute {name!r}")
