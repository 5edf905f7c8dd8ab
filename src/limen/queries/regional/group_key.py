"""The key by which queries are grouped."""

from typing import NamedTuple


class GroupKey(NamedTuple):
    """The key of a group of queries; `condition` is None also when each has its own."""

    columns: tuple[int, ...]
    condition: str | None
    bound: bool
    mixed: bool
    shapes: bool = False  # in an index of shapes
    calm: bool = False  # debounced; checkpoints store the fields by these names
    passing: bool = False
