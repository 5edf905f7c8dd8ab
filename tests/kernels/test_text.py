import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kernels import text
from tests.kernels.room import Room, assert_unharmed

# Lengths on either side of a word, of two words, and of the 255 that a table's cell can tell apart.
ALPHABET = ("", "\0", "a", "a\0", "ab", "b" * 8, "b" * 8 + "\0", "c" * 16, "c" * 17, "c" * 16 + "d",
            "c" * 33, "é", "😀", "x" * 255, "x" * 256, "x" * 300, "x" * 299 + "y")  # fmt: skip
strings = st.lists(st.sampled_from(ALPHABET), max_size=25)


def arrow(names):
    """Lay strings out as Arrow does."""
    encoded = [name.encode() for name in names]
    bounds = np.cumsum([0, *(len(each) for each in encoded)]).astype(np.int32)
    return np.frombuffer(b"".join(encoded), np.uint8), bounds


class Store:
    """Known strings in the least room that will do: it grows by one cell at a time, so kernels stop often."""

    def __init__(self):
        self.known = 0
        self.stops = 0
        self.table = Room(2, np.int64)
        self.table.cells[:] = text.EMPTY
        self.heads, self.hashes = Room(0, np.uint64, 2), Room(0, np.uint64, 2)
        self.offsets, self.stored = Room(1, np.int64), Room(0, np.uint8)
        self.offsets.cells[:] = 0

    @property
    def arrays(self):
        return tuple(room.cells for room in (self.table, self.heads, self.offsets, self.stored))

    def slots(self, names):
        data, bounds = arrow(names)
        out, row = Room(len(names)), 0
        while row < len(names):
            row, self.known = text.slots_of(data, bounds, row, *self.arrays, self.hashes.cells, self.known, out.cells)
            assert_unharmed(self.table, self.heads, self.offsets, self.stored, self.hashes, out)
            if row < len(names):
                self.stops += 1
                self._grow(int(bounds[row + 1] - bounds[row]))
        return out.cells.tolist()

    def find(self, names):
        data, bounds = arrow(names)
        out = Room(len(names))
        text.look_up(data, bounds, *self.arrays, out.cells)
        out.assert_unharmed()
        return out.cells.tolist()

    def _grow(self, size):
        """Make room for one more string of a size."""
        self.heads, self.hashes = larger(self.heads, self.known + 1), larger(self.hashes, self.known + 1)
        self.offsets = larger(self.offsets, self.known + 2)
        self.stored = larger(self.stored, int(self.offsets.cells[self.known]) + size)
        if 2 * (self.known + 1) > len(self.table.cells):
            self.table = Room(2 * len(self.table.cells), np.int64)
            self.table.cells[:] = text.EMPTY
            text.fill_table(self.hashes.cells, self.offsets.cells, self.known, self.table.cells)
            self.table.assert_unharmed()


def larger(room, size):
    if size <= len(room.cells):
        return room
    width = room.cells.shape[1] if room.cells.ndim == 2 else None
    grown = Room(size, room.cells.dtype, width)
    grown.cells[: len(room.cells)] = room.cells
    return grown


@given(batches=st.lists(strings, max_size=3))
def test_strings_are_numbered_in_the_order_they_come(batches):
    store, numbers = Store(), {}
    for names in batches:
        assert store.slots(names) == [numbers.setdefault(name, len(numbers)) for name in names]
    assert store.known == len(numbers)
    assert store.find(list(ALPHABET)) == [numbers.get(name, -1) for name in ALPHABET]


def test_a_store_that_is_full_stops_at_every_new_string():
    store = Store()
    assert store.slots(list(ALPHABET) * 2) == [*range(len(ALPHABET))] * 2
    assert store.stops >= len(ALPHABET) - 1  # the empty string needs no bytes, but a cell


def test_a_known_string_needs_no_room():
    store = Store()
    store.slots(["a", "b"])
    stops = store.stops
    assert store.slots(["b", "a", "b"]) == [1, 0, 1]
    assert store.stops == stops


@pytest.mark.parametrize("count", [0, 1, 300])
def test_many_strings_share_a_table(count):
    names = [f"stream-{number}" for number in range(count)]
    store = Store()
    assert store.slots(names) == list(range(count))
    assert store.find([*names[::-1], "stranger"]) == [*range(count)[::-1], -1]


def test_strings_with_one_mark_are_told_apart_by_their_bytes():
    """Cells hold 23 bits of a hash; here the table itself says that all strings look alike."""
    store = Store()
    names = ["long string, same length " + letter for letter in "abcdefgh"]
    store.slots(names)
    data, bounds = arrow(names[:1])
    table = np.full(64, text.EMPTY, np.int64)
    size = int(bounds[1])
    words = (np.uint64(text.word(data, at, size)) for at in (0, 8))
    h1, _ = text.hash_string(*words, data, 0, size)
    home, mark = int(h1) & 63, int(text.marked(np.uint64(h1), size))
    for step, slot in enumerate([3, 2, 1, 0]):
        table[(home + step) & 63] = mark << 32 | slot
    out = np.empty(1, np.int32)
    text.look_up(data, bounds, table, store.heads.cells, store.offsets.cells, store.stored.cells, out)
    assert out.tolist() == [0]


@given(names=strings)
def test_strings_sort_by_their_bytes(names):
    data, bounds = arrow(names)
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            assert text.precedes(bounds, data, i, j) == (one.encode() < other.encode())
