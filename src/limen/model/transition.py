"""Transition queries: streams that cross a border and return in time, or do not."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from limen.errors import InvalidQuery, did_you_mean
from limen.model.debounced import BorderQuery, duration
from limen.model.region import Region

#: What a transition can report, in the order in which queries list them.
TRANSITIONS = ("passed", "returned", "stayed", "gone")
_YEAR = timedelta(days=366)


@dataclass(frozen=True, slots=True, init=False)
class Transition(BorderQuery):
    """Report whether a stream that crossed a border crosses back in time.

    Parameters
    ----------
    id, region, on, streams, where
        See `Query`.
    within
        How long a stream has: a timedelta, seconds, or text such as ``"3 minutes"``; more than nothing.
    kinds
        What to report: ``"passed"`` (in, and out in time), ``"returned"`` (out, and in again in time), ``"stayed"``
        (in, and not out in time) and ``"gone"`` (out, and not in again in time), one or several; by default all.
    margin, confirm, min_stay
        When a crossing counts, as for `Border`; those that count are what is composed.

    Examples
    --------
    >>> from limen.model.region import Box
    >>> Transition("garage 7", Box((0, 0), (30, 30)), within="3 minutes", kinds="stayed").within
    datetime.timedelta(seconds=180)
    """

    type: ClassVar[str] = "transition"

    within: timedelta
    kinds: tuple[str, ...]

    def __init__(
        self,
        id: str | int,
        region: Region,
        within: float | str | timedelta,
        kinds: str | Iterable[str] = TRANSITIONS,
        on: str | Sequence[str] | None = None,
        streams: str | int | Iterable[str | int] | None = None,
        where: str | None = None,
        margin: float = 0,
        confirm: int = 1,
        min_stay: float | str | timedelta = 0,
    ) -> None:
        self._set_common(id, on, streams, where)
        self._set_region(region)
        self._set_debounce(margin, confirm, min_stay)
        put = object.__setattr__
        put(self, "within", duration(within, f"{self._place()}: within", above_zero=True))
        put(self, "kinds", TRANSITIONS if kinds is TRANSITIONS else _kinds(kinds, f"{self._place()}: kinds"))

    @property
    def has_deadlines(self) -> bool:
        """Whether time alone can cause its events: `stayed` and `gone` always wait for it."""
        return True

    def remark(self) -> str | None:
        """Return a warning about what long time limits cost."""
        if self.within <= _YEAR:
            return None
        return (
            f"{self._place()}: within is {self.within.days:,} days; each border event of that time is remembered until "
            "it is over or answered, in about 60 bytes"
        )


def _kinds(kinds: object, place: str) -> tuple[str, ...]:
    given = [kinds] if isinstance(kinds, str) else list(kinds) if isinstance(kinds, Iterable) else []
    expected = f"one or more of {', '.join(TRANSITIONS)}"
    for kind in given:
        if kind not in TRANSITIONS:
            hint = did_you_mean(kind, TRANSITIONS) if isinstance(kind, str) else None
            raise InvalidQuery(where=place, expected=expected, got=repr(kind), hint=hint)
    if not given:
        raise InvalidQuery(where=place, expected=expected, got=repr(kinds))
    return tuple(kind for kind in TRANSITIONS if kind in given)
