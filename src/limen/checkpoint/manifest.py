"""The manifest of a shard's pages: which pages exist, in which version, and how older versions are upgraded.

It is read first and written last, so that every page it lists exists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from limen.arrays import Ints
from limen.checkpoint.codec import Sections, array_of, decode, encode
from limen.checkpoint.pages import Pages
from limen.errors import StateError

MANIFEST = "directory"  # the name of its page
PLACE = "state of the checkpoint"
VERSION = 7
NEVER = -1  # no batch


@dataclass(slots=True)
class Manifest:
    """The pages of a shard. Batches are numbered; a page and a record are identified by the batch that wrote them."""

    batch: int = NEVER
    token: str = ""
    earlier: list[tuple[int, str]] = field(default_factory=list)  # batches, and tokens, from which one can catch up
    streams: int = 0
    written: Ints = field(default_factory=lambda: np.empty(0, np.int64))  # by page, the batch that wrote it
    named: Ints = field(default_factory=lambda: np.empty(0, np.int64))  # by page, how many of its ids are written
    awaited: Ints = field(default_factory=lambda: np.empty(0, np.int64))  # by page, the first record it waits for
    records: list[int] = field(default_factory=list)
    queries_written: int = NEVER
    queries_pages: int = 0
    changes: list[tuple[int, int]] = field(default_factory=list)  # records of changes, and how many are in each
    buffer_pages: list[int] = field(default_factory=list)  # of the reorder buffer
    next_buffer_page: int = 0  # page numbers are not reused: a copy that is behind would take one for another
    waiting: list[tuple[int, int, int]] = field(default_factory=list)  # pages: first, next arrival; settled until
    renumbered: tuple[int, int, int] = (0, 0, 1)
    timeline_pages: int = 0
    operator_state_pages: int = 0

    def to_bytes(self, facts: dict[str, Any], repeats: Ints) -> bytes:
        """Write it, with facts about the shard."""
        content = {_STORED_AS.get(each.name, each.name): getattr(self, each.name) for each in fields(self)}
        arrays = {name: content.pop(name) for name in _ARRAYS}
        return encode(arrays | {"repeats": repeats}, {"version": VERSION, "directory": content, **facts})

    @classmethod
    def read(cls, pages: Pages) -> tuple[Manifest, dict[str, Any], Ints] | None:
        """Read it, the facts, and the repeats; None when nothing has been written yet."""
        page = pages.get(MANIFEST)
        if page is None:
            return None
        arrays, facts = decode(page, PLACE)
        _upgrade(pages, arrays, facts)
        content = facts.pop("directory") | {name: array_of(arrays, name, np.int64) for name in _ARRAYS}
        for name in ("earlier", "changes", "waiting"):
            content[name] = [tuple(entry) for entry in content[name]]
        content["renumbered"] = tuple(content["renumbered"])
        stored = {_STORED_AS.get(each.name, each.name): each.name for each in fields(cls)}
        return (
            cls(**{stored[name]: value for name, value in content.items() if name in stored}),
            facts,
            array_of(arrays, "repeats", np.int64, (-1, 4)),
        )


#: Stored names that differ from the fields' names.
_STORED_AS = {
    "awaited": "told",
    "buffer_pages": "held",
    "next_buffer_page": "next_held",
    "timeline_pages": "line_pages",
    "operator_state_pages": "kept_pages",
}
_ARRAYS = ("written", "named", "told")  # stored names of the fields that are arrays


def _add_totals(pages: Pages, arrays: Sections, facts: dict[str, Any]) -> None:  # noqa: ARG001
    """Version 1 did not store totals; they are counted from now on."""
    facts["totals"] = {}


def _keep(pages: Pages, arrays: Sections, facts: dict[str, Any]) -> None:
    """Version 2 had no transitions, 3 no debounced borders, 5 no patterns: state that pages do not have is empty.

    Version 6 did not store the grid of answers under tight memory, nor the shares of queries with a least accuracy: a
    new grid is made, and the queries begin with their whole area.
    """


def _add_clock(pages: Pages, arrays: Sections, facts: dict[str, Any]) -> None:  # noqa: ARG001
    """Version 4 had no answers, and so no clock of the global timeline; it begins where everything else is."""
    line = facts["line"]
    reached = line["watermark"] if facts["job"]["order"] == "event" else max(line["largest"], line["watermark"])
    line["clock"] = reached


#: By version, the function that upgrades pages of that version to the next one.
UPGRADES: dict[int, Callable[[Pages, Sections, dict[str, Any]], None]] = {
    1: _add_totals,
    2: _keep,
    3: _keep,
    4: _add_clock,
    5: _keep,
    6: _keep,
}


def _upgrade(pages: Pages, arrays: Sections, facts: dict[str, Any]) -> None:
    """Bring pages of an older version to this one; they are committed with the batch, or not at all."""
    written = facts.get("version")
    version = written
    while version in UPGRADES:
        UPGRADES[version](pages, arrays, facts)
        version += 1
    if version != VERSION:
        raise StateError(
            where="state",
            expected=f"version {VERSION}, or one that can be brought to it",
            got=f"version {written}",
            hint="go on with the release of Limen that wrote the checkpoint, or start with a new checkpoint",
        )
