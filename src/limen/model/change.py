"""Changes of the set of queries while a job runs."""

from dataclasses import dataclass
from typing import TypeAlias

from limen.errors import InvalidQuery
from limen.model.query import Query, query_id


@dataclass(frozen=True, slots=True)
class Register:
    """Register a query; it replaces the one with the same id.

    Parameters
    ----------
    query
        The query.
    at
        Microseconds since 1970 in UTC: rows from this time on see the change; ``None`` leaves it to the run.
    seq
        The place among changes of one time.
    """

    query: Query
    at: int | None = None
    seq: int | None = None

    def __post_init__(self) -> None:
        if self.at is not None or self.seq is not None:  # 100,000 queries at once have neither
            _check_whole(self.at, "at")
            _check_whole(self.seq, "seq")


@dataclass(frozen=True, slots=True)
class Deregister:
    """Deregister the query of this id; ``at`` and ``seq`` as in `Register`."""

    id: str
    at: int | None = None
    seq: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", query_id(self.id))
        _check_whole(self.at, "at")
        _check_whole(self.seq, "seq")


@dataclass(frozen=True, slots=True)
class Advance:
    """Declare every time before ``to``, in microseconds since 1970, complete."""

    to: int

    def __post_init__(self) -> None:
        if self.to is None:
            raise InvalidQuery(where="change: to", expected="whole microseconds", got="None")
        _check_whole(self.to, "to")


Change: TypeAlias = Register | Deregister | Advance


def _check_whole(value: object, part: str) -> None:
    if value is not None and type(value) is not int:
        raise InvalidQuery(where=f"change: {part}", expected="a whole number", got=repr(value))
