"""What a restart must have in common with the run before it."""

from dataclasses import replace
from typing import Any

import pytest

from limen import Border, Columns, Range, StateError
from limen.model.options import BY_QUERY, BY_STREAM, Options
from limen.spark.job import Job, pack_queries, unpack_queries
from limen.spark.packet import Packet
from limen.spark.shard_step import advance
from tests.checkpoint.test_journal import MemoryPages

COLUMNS = Columns(id="id", time="t", values="x", attributes="kind")
BEFORE = Job(COLUMNS, Options.of({"order": "event"}), {"kind": "string"}, 2, BY_STREAM)
START_ANEW = "go on as before, or start with a new checkpoint"


@pytest.mark.parametrize(
    ("now", "text"),
    [
        (
            {"shards": 5},
            (
                "checkpoint: the checkpoint was written with other shards: expected shards 2, got 5. Hint: "
                "monitor(…, shards=…) with the number of before; for another number start with a new checkpoint, "
                "from the point in the source where this one stopped"
            ),
        ),
        (
            {"routing": BY_QUERY},
            'expected routing "by_stream", got "by_query". Hint: give monitor the routing of before',
        ),
        ({"options": Options.of({})}, f'expected order "event", got "arrival". Hint: {START_ANEW}'),
        (
            {"columns": Columns(id="id", time="t", values="y", attributes="kind")},
            "Hint: give monitor the columns of before, or start with a new checkpoint",
        ),
        (
            {"types": {"kind": "int64"}},
            'expected types {"kind":"string"}, got {"kind":"int64"}. Hint: cast the attribute to its type of before',
        ),
    ],
    ids=["shards", "routing", "order", "columns", "types"],
)
def test_another_job_is_refused_before_anything_is_touched(now: dict[str, Any], text: str) -> None:
    pages = MemoryPages()
    advance(BEFORE, 0, [Packet()], pages)
    before = dict(pages.current)
    with pytest.raises(StateError) as caught:
        advance(replace(BEFORE, **now), 0, [Packet()], pages)
    assert text in str(caught.value)
    assert pages.current == before
    advance(BEFORE, 0, [Packet()], pages)


@pytest.mark.parametrize("option", [{"lateness": 5}, {"max_ahead": 9}, {"expire_after": 3}, {"on_bad_row": "fail"}])
def test_other_options_may_change(option: dict[str, Any]) -> None:
    pages = MemoryPages()
    advance(BEFORE, 0, [Packet()], pages)
    advance(replace(BEFORE, options=Options.of({"order": "event", **option})), 0, [Packet()], pages)


def test_queries_travel() -> None:
    queries = [Border("é", Range(0, 1)), Border("b", Range(None, 2), where="kind = 'x'")]
    lines = unpack_queries(pack_queries(queries))
    assert list(lines) == ["é", "b"]
    assert unpack_queries(pack_queries([])) == {}
