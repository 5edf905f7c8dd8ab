"""The options of answers that keep only streams which matter: how they are read, and what must go together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from limen.errors import InvalidInput

if TYPE_CHECKING:
    from limen.model.options import Options

CACHE_MODELS = ("safe", "paper")
SHEDDING = ("query", "object")
UNITS = {"": 1, "b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3, "kib": 1024, "mib": 1024**2, "gib": 1024**3}
MOST_BYTES = 2**62
LARGEST = 1e100  # of numbers that are multiplied
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*")


def read_keeping(given: Mapping[str, Any]) -> dict[str, Any]:
    """Read those that are given, one by one.

    Examples
    --------
    >>> read_keeping({"max_speed": 30, "memory": "64 MB"})
    {'max_speed': 30.0, 'memory': 64000000}
    """
    read: dict[str, Any] = {}
    if given.get("max_speed") is not None:
        read["max_speed"] = _number(given["max_speed"], "max_speed", "a number above 0, in units a second")
        if read["max_speed"] <= 0:
            raise InvalidInput(
                where="option 'max_speed'", expected="a number above 0, in units a second", got=repr(given["max_speed"])
            )
    if "cache" in given:
        read["cache"] = _number(given["cache"], "cache", "a number from 0 to 1")
        if not 0 <= read["cache"] <= 1:
            raise InvalidInput(where="option 'cache'", expected="a number from 0 to 1", got=repr(given["cache"]))
    for name, choices in (("cache_model", CACHE_MODELS), ("shedding", (*SHEDDING, None))):
        if name in given and given[name] not in choices:
            raise InvalidInput(
                where=f"option {name!r}", expected=" or ".join(map(repr, choices)), got=repr(given[name])
            )
    if "measure_accuracy" in given and not isinstance(given["measure_accuracy"], bool):
        raise InvalidInput(
            where="option 'measure_accuracy'", expected="True or False", got=repr(given["measure_accuracy"])
        )
    if given.get("memory") is not None:
        read["memory"] = read_bytes(given["memory"])
    return read


def read_bytes(memory: Any) -> int:
    """Read a number of bytes, or text such as "64 MB"."""
    found = _SIZE.fullmatch(memory) if isinstance(memory, str) else None
    if found is not None and found[2].lower() in UNITS:
        size = float(found[1]) * UNITS[found[2].lower()]
    elif isinstance(memory, (int, float)) and not isinstance(memory, bool):
        size = memory
    else:
        size = 0
    if not 1 <= size <= MOST_BYTES:
        raise InvalidInput(
            where="option 'memory'", expected="a number of bytes above 0, or text such as '64 MB'", got=repr(memory)
        )
    return int(size)


def check_keeping(options: Options) -> None:
    """Refuse an option without another one that it requires."""
    if options.report_every == 0:
        raise InvalidInput(where="option 'report_every'", expected="a microsecond or more", got="0")
    needs = [
        ("max_speed", options.max_speed is not None, "report_every", options.report_every is not None),
        ("report_every", options.report_every is not None, "max_speed", options.max_speed is not None),
        ("cache", options.cache != 1.0, "max_speed", options.max_speed is not None),
        ("cache_model", options.cache_model != "safe", "max_speed", options.max_speed is not None),
        ("measure_accuracy", options.measure_accuracy, "max_speed", options.max_speed is not None),
        ("memory", options.memory is not None, "max_speed", options.max_speed is not None),
        ("memory", options.memory is not None, "shedding", options.shedding is not None),
        ("shedding", options.shedding is not None, "memory", options.memory is not None),
    ]
    for name, given, other, there in needs:
        if given and not there:
            raise InvalidInput(where=f"option {name!r}", expected=f"{other!r} beside it", got="none")
    if options.report_every is not None and (options.expire_after or 0) < options.report_every:
        raise InvalidInput(
            where="option 'expire_after'",
            expected="at least report_every, or streams that report on time would be forgotten",
            got=f"{(options.expire_after or 0) / 1e6:g} seconds",
        )


def _number(value: Any, name: str, expected: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= LARGEST:
        raise InvalidInput(where=f"option {name!r}", expected=expected, got=repr(value))
    return float(value)
