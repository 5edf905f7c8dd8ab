"""All queries of a catalogue as named arrays, and back."""

from typing import Any

import numpy as np

from limen.checkpoint.codec import Sections, array_of
from limen.runtime.catalogue import Catalogue
from limen.runtime.ids import Ids
from limen.runtime.stream_table import StreamTable


def dump_queries(catalogue: Catalogue) -> tuple[dict[str, Any], list[Any]]:
    """Return all queries as named arrays, and facts about their groups, one entry an operator."""
    arrays: dict[str, Any] = {
        "queries/ids": catalogue.ids.all(),
        "queries/family_of": catalogue.family_of[: len(catalogue.ids)],
    }
    facts = [operator.dump_queries(f"family/{f}", arrays) for f, operator in enumerate(catalogue.operators)]
    return arrays, facts


def load_queries(catalogue: Catalogue, arrays: Sections, facts: list[Any], streams: StreamTable) -> None:
    """Read what `dump_queries` returned into an empty catalogue."""
    catalogue.ids = Ids.of(arrays["queries/ids"])
    catalogue.family_of = array_of(arrays, "queries/family_of", np.int8)
    # What an earlier version wrote has fewer operators.
    for f, (operator, kept) in enumerate(zip(catalogue.operators, facts, strict=False)):
        operator.load_queries(f"family/{f}", arrays, kept, streams)
