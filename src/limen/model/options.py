"""How a job runs: the options that all engines share, with the same names everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from limen.errors import InvalidInput, did_you_mean
from limen.model.budget_options import check_keeping, read_keeping
from limen.model.time import seconds

ORDERS = ("arrival", "event")
ON_BAD_ROW = ("count", "fail")
EXPIRIES = ("tight", "loose", "no-index")
BY_STREAM = "by_stream"  # streams are split, queries are everywhere
BY_QUERY = "by_query"  # queries are split, streams are everywhere
ROUTINGS = (BY_STREAM, BY_QUERY)
MOST_SHARDS = 1 << 14
LONGEST = 10_000 * 366 * 86_400 * 1_000_000  # microseconds; times and durations added stay within 64 bits


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a job; durations are in microseconds here and in anything `seconds` reads where users give them.

    Attributes
    ----------
    order
        ``"arrival"`` processes a batch at once, ``"event"`` holds rows until their time is complete.
    lateness
        How far behind the largest time the watermark is.
    max_ahead
        How far beyond the largest time a row may be; None for any.
    on_bad_row
        ``"count"`` counts bad rows and goes on, ``"fail"`` raises.
    expire_after
        The silence after which a stream is forgotten; None for never. With `max_speed` it is `report_every`, if not
        given.
    expiry
        How long patterns keep tuples, and how they find them: ``"tight"``, ``"loose"`` or ``"no-index"``.
    max_speed, report_every
        How far a stream can come in a second, and how often it reports at least: then answers keep only streams that
        matter to some query. None to keep all.
    cache, cache_model
        How much of the cache area is kept, from 0 to 1; and how wide it is: ``"safe"`` for exact answers, ``"paper"``
        for the narrower one of the paper.
    measure_accuracy
        Keep all streams beside those that matter, to measure how accurate answers are.
    memory, shedding
        Bytes that answers may take, by count, and what is shed when they take more: ``"query"`` for areas of queries,
        ``"object"`` for streams that few queries want.
    """

    order: str = "arrival"
    lateness: int = 0
    max_ahead: int | None = None
    on_bad_row: str = "count"
    expire_after: int | None = None
    expiry: str = "tight"
    max_speed: float | None = None
    report_every: int | None = None
    cache: float = 1.0
    cache_model: str = "safe"
    measure_accuracy: bool = False
    memory: int | None = None
    shedding: str | None = None

    @property
    def keeps_significant(self) -> bool:
        """Whether answers keep only the streams that matter to some query."""
        return self.max_speed is not None

    @classmethod
    def of(cls, given: Mapping[str, Any], also: tuple[str, ...] = ()) -> Options:
        """Read and check options as users give them; `also` names further ones that the caller reads.

        Examples
        --------
        >>> Options.of({"order": "event", "lateness": "10 seconds"}).lateness
        10000000
        """
        known = [*(field.name for field in fields(cls)), *also]
        for name in given:
            if name not in known:
                raise InvalidInput(
                    where=f"option {name!r}", expected=f"one of {', '.join(known)}", hint=did_you_mean(name, known)
                )
        read = {**given, **read_keeping(given)}
        for name, choices in (("order", ORDERS), ("on_bad_row", ON_BAD_ROW), ("expiry", EXPIRIES)):
            if name in read and read[name] not in choices:
                raise InvalidInput(
                    where=f"option {name!r}", expected=" or ".join(map(repr, choices)), got=repr(read[name])
                )
        for name in ("lateness", "max_ahead", "expire_after", "report_every"):
            if read.get(name) is not None:
                read[name] = seconds(read[name], f"option {name!r}")
                if not 0 <= read[name] <= LONGEST:
                    expected = "a duration of 0 or more" if read[name] < 0 else "at most 10,000 years"
                    raise InvalidInput(where=f"option {name!r}", expected=expected, got=given[name])
        if read.get("lateness", 0) is None:
            read["lateness"] = 0
        if read.get("expire_after") is None:
            read["expire_after"] = read.get("report_every")
        return cls(**read)

    def agreed(self) -> Options:
        """Return these options if they go together."""
        check_keeping(self)
        return self


def read_routing(routing: Any) -> str:
    """Return how the work is split among shards: by stream or by query."""
    if routing not in ROUTINGS:
        raise InvalidInput(where="option 'routing'", expected=" or ".join(map(repr, ROUTINGS)), got=repr(routing))
    return str(routing)


def read_tick(tick: Any) -> int:
    """Return the microseconds from one tick of the clock to the next."""
    every = seconds(tick, "option 'tick'")
    if every < 1_000_000 or every % 1_000_000:
        raise InvalidInput(where="option 'tick'", expected="whole seconds, at least one", got=repr(tick))
    return every
