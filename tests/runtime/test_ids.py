from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.runtime.ids import Ids, string_buffers

names = st.text(st.sampled_from("ab\0é😀"), max_size=20)


@given(batches=st.lists(st.lists(names, max_size=20), max_size=4), strangers=st.lists(names, max_size=5))
def test_ids_number_strings_as_a_dictionary_would(batches, strangers):
    ids, numbers = Ids(), {}
    for batch in batches:
        expected = [numbers.setdefault(name, len(numbers)) for name in batch]
        assert ids.slots(pa.array(batch, pa.string())).tolist() == expected
    assert len(ids) == len(numbers)
    assert ids.all().to_pylist() == list(numbers)
    assert ids.find(pa.array(strangers, pa.string())).tolist() == [numbers.get(name, -1) for name in strangers]


@pytest.mark.parametrize(
    "strings",
    [
        pytest.param(["", "a", ""], id="the empty string"),
        pytest.param(["x" * 10_000, "x" * 9_999 + "y", "x" * 10_000], id="ids of 10 KB"),
        pytest.param(["日本", "日本語", "e\u0301", "\u00e9"], id="unicode, not normalised"),
        pytest.param(["a", "a\0", "a\0\0", "\0a"], id="embedded NULs"),
        pytest.param(["12345678", "1234567", "123456789"], id="around a word"),
    ],
)
def test_ids_that_are_hard_to_tell_apart(strings):
    ids = Ids.of(strings)
    distinct = list(dict.fromkeys(strings))
    assert ids.all().to_pylist() == distinct
    assert ids.find(pa.array(strings)).tolist() == [distinct.index(name) for name in strings]


def test_ids_grow_batch_by_batch():
    ids = Ids()
    strings = [f"stream {number} {'x' * (number % 40)}" for number in range(3000)]
    for first in range(0, len(strings), 77):
        slots = ids.slots(pa.array(strings[first : first + 77]))
        assert slots.tolist() == list(range(first, min(first + 77, len(strings))))
    assert ids.slots(pa.array(strings[::-1])).tolist() == list(range(3000))[::-1]
    assert ids.take(np.array([2999, 0, 2999], np.int32)).to_pylist() == [
        strings[2999],
        strings[0],
        strings[2999],
    ]


def test_a_batch_of_known_strings_takes_no_more_room():
    strings = pa.array([f"s{number}" for number in range(500)])
    ids = Ids.of(strings)
    held = ids.nbytes
    for _ in range(5):
        ids.slots(strings)
    assert ids.nbytes == held


def test_room_follows_what_is_held():
    ids = Ids.of([f"stream-{number:06}" for number in range(8_000)])
    assert ids.nbytes < 8_000 * 150
    assert Ids.of(["x" * 1_000_000]).nbytes < 2_500_000


@pytest.mark.parametrize(
    "array",
    [
        pytest.param(pa.array(["b", "a", "b"]), id="string"),
        pytest.param(pa.array(["b", "a", "b"], pa.large_string()), id="large_string"),
        pytest.param(pa.array(["z", "b", "a", "b", "z"]).slice(1, 3), id="sliced"),
        pytest.param(pa.array(["b", "a", "b"]).dictionary_encode(), id="dictionary"),
        pytest.param(pa.array(["z", "b", "a", "b"]).dictionary_encode().slice(1), id="sliced dictionary"),
        pytest.param(
            pa.DictionaryArray.from_arrays(pa.array([1, 3, 1]), pa.array(["x", "b", "y", "a", "z"])),
            id="dictionary of more strings than rows",
        ),
    ],
)
def test_arrays_of_every_layout(array):
    ids = Ids()
    assert ids.take(ids.slots(array)).to_pylist() == ["b", "a", "b"]


def test_a_dictionary_that_is_not_much_used_leaves_no_trace():
    ids = Ids()
    ids.slots(pa.DictionaryArray.from_arrays(pa.array([1]), pa.array(["x", "b", "y"])))
    assert ids.all().to_pylist() == ["b"]


def test_no_strings():
    ids = Ids()
    assert ids.slots(pa.array([], pa.string())).tolist() == []
    assert ids.find(pa.array(["a"])).tolist() == [-1]
    assert ids.all().to_pylist() == []


def test_hashes_belong_to_strings_and_not_to_slots():
    one, other = Ids.of(["a", "b", "c"]), Ids.of(["c", "a"])
    assert one.hashes[0].tolist() == other.hashes[1].tolist()
    assert one.hashes[2].tolist() == other.hashes[0].tolist()


def test_string_buffers_are_those_of_arrow():
    array = pa.array(["one", "two", "three"]).slice(1)
    data, bounds = string_buffers(array)
    assert [data[start:stop].tobytes() for start, stop in pairwise(bounds)] == [
        b"two",
        b"three",
    ]
    assert data.ctypes.data == array.buffers()[2].address
