"""What operators store beside queries and the stream table, as named arrays, and back."""

from typing import Any

import pyarrow as pa

from limen.checkpoint.codec import Sections
from limen.runtime.catalogue import Catalogue
from limen.runtime.ids import Ids


def dump_operator_state(catalogue: Catalogue) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what operators store, and facts about it by the operator's name; both are empty when there is nothing."""
    arrays: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    for f, operator in enumerate(catalogue.operators):
        name = operator.state_name or f"kept/{f}"
        own, own_facts = operator.dump()
        arrays |= {f"{name}/{column}": values for column, values in own.items()}
        if own_facts:
            facts[name] = own_facts
    return arrays, facts


def load_operator_state(
    catalogue: Catalogue, arrays: Sections, facts: dict[str, Any], types: dict[str, pa.DataType], ids: Ids
) -> None:
    """Replace what operators store by what was dumped, once queries and streams are there."""
    for f, operator in enumerate(catalogue.operators):
        name = operator.state_name or f"kept/{f}"
        own = {each.removeprefix(f"{name}/"): column for each, column in arrays.items() if each.startswith(f"{name}/")}
        operator.load(own, facts.get(name, []), types, ids)
