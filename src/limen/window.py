"""The old name of `limen.telemetry`, with a warning; it will be removed in the next version."""

import warnings

from limen import telemetry

_NEW_NAMES = {
    "News": "News", "Told": "TaskSample", "Window": "TelemetryReader", "WindowSettings": "TelemetrySettings"
}  # fmt: skip


def __getattr__(name: str) -> object:
    """Return a class by its old name, with a warning."""
    if name not in _NEW_NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    new = _NEW_NAMES[name]
    warnings.warn(f"limen.window.{name} is deprecated; use limen.telemetry.{new}", DeprecationWarning, stacklevel=2)
    return getattr(telemetry, new)
