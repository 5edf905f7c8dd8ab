"""What families keep beside queries and the stream table, as named arrays, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from limen.operators.stored_patterns import dump_tuples, load_tuples

if TYPE_CHECKING:
    import pyarrow as pa

    from limen.index.ids import Ids
    from limen.operators.catalogue import Catalogue
    from limen.state.codec import Sections


def dump_kept(catalogue: Catalogue) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write what families keep, and facts about it; both are empty when they keep nothing."""
    arrays = {
        f"kept/{f}/{name}": column
        for f, family in enumerate(catalogue.families)
        for name, column in family.part().items()
    }
    tuples, patterns = dump_tuples(catalogue.patterns, "patterns/")
    return arrays | tuples, {"patterns": patterns} if patterns else {}


def load_kept(
    catalogue: Catalogue, arrays: Sections, facts: dict[str, Any], types: dict[str, pa.DataType], ids: Ids
) -> None:  # fmt: skip
    """Keep what `dump_kept` wrote and nothing else, once queries and streams are there."""
    load_tuples(catalogue.patterns, "patterns/", arrays, facts.get("patterns", []), types, ids)
    for f, family in enumerate(catalogue.families):
        place = f"kept/{f}/"
        part = {name.removeprefix(place): column for name, column in arrays.items() if name.startswith(place)}
        if part:
            family.put_part(part)
