"""Hashes are a contract: an event keeps its id for ever, so some are pinned here."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.kernels.hashing import binding_hashes, event_ids, hash_string, hex_digits, word
from tests.kernels.room import Room

WORD = 2**64 - 1


def hashed(data: bytes) -> tuple[int, int]:
    """Hash bytes that lie between others."""
    padded = np.frombuffer(b"\xff" * 3 + data + b"\xff" * 20, np.uint8)
    start, stop = 3, 3 + len(data)
    w1, w2 = (np.uint64(word(padded, at, stop)) for at in (start, start + 8))
    return tuple(int(part) for part in hash_string(w1, w2, padded, start, stop))


def naive_hash(data: bytes) -> tuple[int, int]:
    """The same on whole numbers of any size, for the mixing of MurmurHash3 over zero-filled blocks."""

    def rotated(x, bits):
        return (x << bits | x >> (64 - bits)) & WORD

    def finished(k):
        k = (k ^ k >> 33) * 0xFF51AFD7ED558CCD & WORD
        k = (k ^ k >> 33) * 0xC4CEB9FE1A85EC53 & WORD
        return k ^ k >> 33

    c1, c2, h1, h2 = 0x87C37B91114253D5, 0x4CF5AD432745937F, 0, 0
    for at in range(0, len(data), 16):
        block = data[at : at + 16].ljust(16, b"\0")
        k1, k2 = int.from_bytes(block[:8], "little"), int.from_bytes(block[8:], "little")
        h1 ^= rotated(k1 * c1 & WORD, 31) * c2 & WORD
        h1 = ((rotated(h1, 27) + h2) * 5 + 0x52DCE729) & WORD
        h2 ^= rotated(k2 * c2 & WORD, 33) * c1 & WORD
        h2 = ((rotated(h2, 31) + h1) * 5 + 0x38495AB5) & WORD
    h1, h2 = h1 ^ len(data), h2 ^ len(data)
    h1 = (h1 + h2) & WORD
    h2 = (h2 + h1) & WORD
    h1, h2 = finished(h1), finished(h2)
    h1 = (h1 + h2) & WORD
    return h1, (h2 + h1) & WORD


@pytest.mark.parametrize(
    ("text", "golden"),
    [
        ("", (0, 0)),
        ("a", (0xC58B3279BF9F5B45, 0x4AF916A48B631F46)),
        ("a\0", (0x2D2BEB9A654DF4A2, 0x1A3A88E5D6C05200)),
        ("aaaaaaaa", (0x3767D2833B95181, 0xE3AA59FB7EDEC719)),
        ("0123456789abcdef", (0x4BE06D94CF4AD1A7, 0x87C35B5C63A708DA)),
        ("0123456789abcdefg", (0xBDC4B38BA4AC969, 0xA4A33DEBFB8A941)),
        ("é😀", (0x8FE1D30246C7D90A, 0x47FA26E26ED6A715)),
        ("a" * 40, (0x3E126F8B30A5B7EE, 0x427214196C4D6A34)),
    ],
)
def test_hashes_never_change(text, golden):
    assert hashed(text.encode()) == golden


@given(data=st.binary(max_size=70))
def test_the_hash_is_what_it_is_said_to_be(data):
    assert hashed(data) == naive_hash(data)


@given(data=st.binary(min_size=1, max_size=70), where=st.integers(0), flip=st.integers(1, 255))
def test_one_flipped_byte_changes_both_words(data, where, flip):
    other = bytearray(data)
    other[where % len(data)] ^= flip
    before, after = hashed(data), hashed(bytes(other))
    assert before[0] != after[0]
    assert before[1] != after[1]


@given(data=st.binary(max_size=40), zeros=st.integers(1, 20))
def test_zeros_at_the_end_count(data, zeros):
    """A block that is not full is filled with zeros, so only the length tells these apart."""
    assert hashed(data) != hashed(data + b"\0" * zeros)


@given(number=st.integers(0, 2**32 - 1))
def test_hex_digits(number):
    assert int(hex_digits(np.uint64(number))).to_bytes(8, "little").decode() == f"{number:08x}"


def ids_of(events):
    """Make the ids of events (query, stream, time, start, code) over hashes of their own."""
    hashes = np.array([[1, 2], [3, 4], [2**64 - 1, 2**63]], np.uint64)
    query, stream, *words = np.array(events, np.int64).reshape(-1, 5).T.copy()
    out = Room(len(events), "<u8", width=4)
    event_ids(hashes, query.astype(np.int32), hashes, stream.astype(np.int32), *words, out.cells)
    out.assert_unharmed()
    return [row.tobytes().decode() for row in out.cells]


GOLDEN = {
    (0, 1, 0, -(2**63), 0): "07c42b4093436348b5e23e4c606f454c",
    (1, 0, 0, -(2**63), 0): "46ff1a0c441dea72dc720f8bba62c3a7",
    (2, 2, -1, 0, 257): "dc19644cd7284906af05b94c2c0569de",
    (2, -1, 4_102_444_800_000_000, -(10**15), 10): "00c477d9fc92811e115053698ebd88d5",
}


def test_event_ids_never_change():
    assert dict(zip(GOLDEN, ids_of(list(GOLDEN)), strict=True)) == GOLDEN


@given(
    event=st.tuples(st.integers(0, 2), st.integers(-1, 2), *[st.integers(-(2**63), 2**63 - 1)] * 3),
    part=st.integers(2, 4),
    change=st.integers(1, 2**62),
)
def test_every_part_of_an_event_is_in_its_id(event, part, change):
    other = list(event)
    other[part] += change if other[part] < 0 else -change
    streamed = (event[0], event[1] + 1 if event[1] < 2 else -1, *event[2:])
    asked = ((event[0] + 1) % 3, *event[1:])
    assert len(set(ids_of([event, tuple(other), streamed, asked]))) == 4


def test_parts_do_not_stand_for_one_another():
    events = [(0, 1, 5, 6, 7), (1, 0, 5, 6, 7), (0, 1, 6, 5, 7), (0, 1, 5, 7, 6), (0, 1, 7, 6, 5)]
    assert len(set(ids_of(events))) == len(events)


def test_ids_of_no_events():
    assert ids_of([]) == []


def test_bindings_differ_by_each_part_and_by_their_order() -> None:
    hashes = np.arange(8, dtype=np.uint64).reshape(4, 2) * np.uint64(0x9E3779B97F4A7C15)
    cases = [
        [(0, 1, 5), (1, 2, 6)], [(0, 2, 5), (1, 1, 6)], [(1, 1, 5), (0, 2, 6)], [(0, 1, 6), (1, 2, 5)], [(0, 1, 5)], [],
        [(1, 2, 6), (0, 1, 5)],
    ]  # fmt: skip
    variable, stream, time = (
        np.array([each[part] for case in cases for each in case], kind)
        for part, kind in ((0, np.int32), (1, np.int32), (2, np.int64))
    )
    starts = np.concatenate([[0], np.cumsum([len(case) for case in cases])])
    out = np.empty((len(cases), 2), np.uint64)
    binding_hashes(hashes, variable, hashes, stream, time, starts, out)
    assert len({tuple(each) for each in out.tolist()}) == len(cases)
    again = np.empty((1, 2), np.uint64)
    binding_hashes(hashes, variable, hashes, stream, time, starts[1:3], again)
    assert again[0].tolist() == out[1].tolist()
