"""The settings of a job that every worker needs: plain values, so that they can be serialized."""

import hashlib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from limen.checkpoint.snapshot import types_from_dict
from limen.errors import InvalidQuery, StateError
from limen.formats.query_json import canonical_json, change_from_json, parse_json, query_from_dict, query_to_dict
from limen.model.change import Change, Register
from limen.model.columns import Columns
from limen.model.options import BY_QUERY, BY_STREAM, Options
from limen.model.query import Query
from limen.runtime.condition_check import check_query
from limen.spark.shards import key_of, shards_of
from limen.telemetry.settings import TelemetrySettings


@dataclass(frozen=True)
class Job:
    """The options of the user.

    Attributes
    ----------
    columns, options
        As everywhere.
    types
        Types of the attributes, from the schema of the data.
    shards, routing
        Into how many parts the work is split, and whether by stream or by query.
    queries
        The queries that hold from the start, as JSON lines, compressed; None when queries come as changes only.
    stream
        What changes in SQL call the rows; None for anything.
    telemetry
        Where workers publish status, for the console; None for a job that publishes none.
    """

    columns: Columns
    options: Options
    types: dict[str, str]
    shards: int
    routing: str
    queries: bytes | None = None
    stream: str | None = None
    telemetry: TelemetrySettings | None = None

    @cached_property
    def arrow_types(self) -> dict[str, pa.DataType]:
        """Types of the attributes."""
        return types_from_dict(self.types)

    @cached_property
    def queries_digest(self) -> str:
        """A short name for the list of queries."""
        return "" if self.queries is None else hashlib.sha256(self.queries).hexdigest()

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {key_of(number): number for number in range(self.shards)}

    def number_of(self, key: int) -> int:
        """Return the number of the shard with a key."""
        return self._numbers[key]

    def counts_rows(self, number: int) -> bool:
        """Whether a shard counts what it does with rows: each row is counted once, however many shards see it."""
        return self.routing == BY_STREAM or number == 0

    def counts_queries(self, number: int) -> bool:
        """Whether a shard counts what it does with queries."""
        return self.routing == BY_QUERY or number == 0

    def has_queries(self, ids: list[str], number: int) -> list[bool]:
        """Return which queries belong to a shard."""
        if self.routing == BY_STREAM:
            return [True] * len(ids)
        return [bool(shard == number) for shard in shards_of(ids, self.shards)]

    def check_routing(self, query: Query) -> None:
        """Refuse a query that has to see all streams where a shard sees only some."""
        if query.sees_all_streams and self.routing == BY_STREAM and self.shards > 1:
            raise InvalidQuery(
                where=f"query {query.id!r}",
                expected="a job in which every shard sees all streams, since it looks at many of them",
                got="one whose streams are split",
                hint="start the job with routing='by_query'",
            )

    def read_change(self, text: str | None) -> Change:
        """Read a change of queries; an error if it does not fit this job."""
        if text is None:
            raise InvalidQuery(where="change", expected="one JSON object", got="null")
        change = change_from_json(text, self.stream)
        if isinstance(change, Register):
            check_query(change.query, self.columns, self.arrow_types)
            self.check_routing(change.query)
        return change

    def facts(self) -> dict[str, Any]:
        """What a restart must have in common with the run before it."""
        return {
            "columns": self.columns.to_dict(),
            "types": self.types,
            "shards": self.shards,
            "routing": self.routing,
            "order": self.options.order,
        }

    def check(self, written: dict[str, Any]) -> None:
        """Refuse to resume from the state of a different job."""
        for name, now in self.facts().items():
            then = written[name]
            if then != now:
                raise StateError(
                    f"the checkpoint was written with other {name}",
                    where="checkpoint",
                    expected=f"{name} {canonical_json(then)}",
                    got=canonical_json(now),
                    hint=_REMEDIES.get(name, "go on as before, or start with a new checkpoint"),
                )


_REMEDIES = {
    "shards": "monitor(…, shards=…) with the number of before; for another number start with a new checkpoint, "
    "from the point in the source where this one stopped",
    "routing": "give monitor the routing of before; queries that look at many streams, as nearest does, need "
    "'by_query'; to change it, start with a new checkpoint, from the point in the source where this one stopped",
    "columns": "give monitor the columns of before, or start with a new checkpoint",
    "types": "cast the attribute to its type of before, or start with a new checkpoint",
}


def routing_for(queries: Iterable[Query] | None, options: Options) -> str:
    """Return how a job with these queries is split best: by stream, unless some look at many streams at once.

    So do all answers that keep only what matters: what is stored of a query, and what is not, is counted in one place.
    """
    shared = any(
        query.sees_all_streams or (options.keeps_significant and query.needs_global_order)
        for query in queries or ()
    )  # fmt: skip
    return BY_QUERY if shared else BY_STREAM


def pack_queries(queries: list[Query]) -> bytes:
    """Write a list of queries."""
    lines = (canonical_json(query_to_dict(query)) for query in queries)
    return zlib.compress("\n".join(lines).encode(), 1)


def unpack_queries(content: bytes) -> dict[str, str]:
    """Read a list of queries: the JSON of each, by id."""
    text = zlib.decompress(content).decode()
    return {parse_json(line)["id"]: line for line in text.split("\n")} if text else {}


def query_of(line: str) -> Query:
    """Read a query."""
    return query_from_dict(parse_json(line))
