"""Records of arrays that belong together: what every such record can do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from limen.arrays import Array, Ints, Mask, Slots
from limen.growable import grown


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """Arrays of one length, the fields of a subclass."""

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def columns(self) -> tuple[Any, ...]:
        """All columns, in the order of the fields, in which kernels take them."""
        return tuple(getattr(self, name) for name in self.__dataclass_fields__)

    def only(self, which: Mask | Ints | Slots) -> Self:
        """Return some of the rows."""
        return self._of([column[which] for column in self.columns])

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Put parts one behind the other."""
        if len(parts) == 1:
            return parts[0]
        return cls._of([np.concatenate(columns) for columns in zip(*(part.columns for part in parts), strict=True)])

    @classmethod
    def _of(cls, columns: list[Array]) -> Self:
        make: Any = cls
        made: Self = make(*columns)
        return made


@dataclass(frozen=True, slots=True)
class OptionColumns(ColumnSet):
    """Options of queries, by handle."""

    def of(self, handles: Slots) -> dict[str, Array]:
        """Return the options of queries by name, for `put`."""
        return dict(zip(self.__dataclass_fields__, self.only(handles).columns, strict=True))

    def put(self, handles: Slots, options: dict[str, Array]) -> Self:
        """Return these with the options of queries set, and with room for them."""
        size = int(handles.max(initial=-1)) + 1
        wider = self._of([grown(column, size) for column in self.columns])
        for name, column in zip(self.__dataclass_fields__, wider.columns, strict=True):
            column[handles] = options[name]
        return wider

    def renumbered(self, handles: Slots) -> Self:
        """Return the options of these handles only, numbered in this order; the last ones may be of other families."""
        size = int(handles.max(initial=-1)) + 1
        return self._of([grown(column, size)[handles] for column in self.columns])

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(column.nbytes for column in self.columns)
