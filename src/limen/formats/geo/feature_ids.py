"""The ids of features, which become the ids of queries."""

import math
from dataclasses import dataclass

from limen.errors import InvalidQuery, shorten
from limen.formats.geo.feature_file import FeatureFile
from limen.model.query import query_id

_LONGEST_IN_LABEL = 60


@dataclass(frozen=True, slots=True)
class FeatureIds:
    """The id of each feature.

    Parameters
    ----------
    name
        The name of the id in messages; None where a feature has no name but its position.
    source
        Where they come from, for messages.
    texts
        The id of each feature, or what is wrong with it.
    """

    name: str | None
    source: str
    texts: list[str | InvalidQuery]

    def label(self, position: int) -> str:
        """Name a feature: by its number, and by its id where it has one of its own."""
        text = self.texts[position]
        if self.name is None or isinstance(text, InvalidQuery):
            return f"feature {position + 1}"
        return f"feature {position + 1} ({self.name} {shorten(text, _LONGEST_IN_LABEL)})"


def ids_of(file: FeatureFile, wanted: str | None) -> FeatureIds:
    """Take the property `wanted` as ids; without one the features' own ids, else the property `id`, else positions."""
    if wanted is not None:
        return _by_property(file, wanted)
    if file.ids is not None and any(id is not None for id in file.ids):
        return FeatureIds("id", "the features themselves", [_text(id, "id") for id in file.ids])
    if "id" in file.properties:
        return _by_property(file, "id")
    return FeatureIds(None, "their positions in the file", [str(number + 1) for number in range(len(file))])


def _by_property(file: FeatureFile, name: str) -> FeatureIds:
    if not isinstance(name, str) or (name not in file.properties and len(file)):
        raise file.no_property(name, "id", "", "no property: the file has none")
    values = file.column(name) if len(file) else []
    return FeatureIds(name, f"the property {name}", [_text(value, name) for value in values])


def _text(value: object, name: str) -> str | InvalidQuery:
    # Whole numbers become floats where a table had gaps; 56.0 means 56.
    whole = int(value) if isinstance(value, float) and math.isfinite(value) and value.is_integer() else value
    try:
        return query_id(whole)
    except InvalidQuery:
        got = "none" if value is None else repr(value)
        return InvalidQuery(where=name, expected="text that is not empty, or an integer", got=got)
