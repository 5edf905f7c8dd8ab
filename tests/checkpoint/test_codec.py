import struct
import zlib

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen import StateError
from limen.checkpoint.codec import MAGIC, VERSION, array_of, decode, encode

BLOB = encode({"a": np.arange(6.0).reshape(2, 3), "ids": pa.array(["é", "b"])}, {"n": 1, "name": "ü"})
HEADER = 24  # magic, version, checksum, length


def error_of(blob):
    with pytest.raises(StateError) as caught:
        decode(blob)
    return str(caught.value)


def signed(payload: bytes, version: int = VERSION) -> bytes:
    """Put a sound header in front of anything."""
    return struct.pack("<8sIIQ", MAGIC, version, zlib.crc32(payload), len(payload)) + payload


@pytest.mark.parametrize(
    "array",
    [
        np.array([1, -(2**63), 2**63 - 1]),
        np.array([[0.5, np.nan], [np.inf, -0.0]]),
        np.array([True, False]),
        np.array([1, 2], np.int32),
        np.array([-1, 1], np.int8),
        np.empty((0, 3)),
        np.empty(0, np.bool_),
        np.arange(12.0).reshape(3, 2, 2)[:, ::-1],
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_an_array_comes_back_as_it_was(array):
    sections, _ = decode(encode({"a": array}, {}))
    back = array_of(sections, "a", array.dtype, (-1, *array.shape[1:]))
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert back.flags.writeable


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["a", None, "é" * 10_000]),
        pa.array(["x", "a", "b"]).slice(1),
        pa.array([True, None]),
        pa.nulls(2),
        pa.array([0], pa.timestamp("us", "UTC")),
        pa.array(["a", "a"]).dictionary_encode(),
    ],
    ids=lambda column: str(column.type),
)
def test_an_arrow_array_comes_back_as_it_was(column):
    sections, _ = decode(encode({"a": column}, {}))
    assert sections["a"].type == column.type
    assert sections["a"].to_pylist() == column.to_pylist()


facts = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(fact=facts)
def test_facts_come_back_as_they_were(fact):
    _, back = decode(encode({}, {"fact": fact}))
    assert back == {"fact": fact}


def test_the_same_state_gives_the_same_bytes():
    assert encode({"a": np.arange(6.0).reshape(2, 3), "ids": pa.array(["é", "b"])}, {"n": 1, "name": "ü"}) == BLOB


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_all_that_holds_bytes_is_read(kind):
    assert decode(kind(BLOB))[1] == {"n": 1, "name": "ü"}


@pytest.mark.parametrize("length", [*range(1, HEADER), HEADER, HEADER + 1, len(BLOB) // 2, len(BLOB) - 1])
def test_a_truncated_blob_says_so(length):
    needed = HEADER if length < HEADER else len(BLOB)
    assert error_of(BLOB[:length]) == (
        f"snapshot: expected {needed} bytes, got {length}: it is truncated. Hint: copy it again, or take an older one"
    )


@given(place=st.integers(HEADER, len(BLOB) - 1), flip=st.integers(1, 255))
def test_a_flipped_byte_is_noticed(place, flip):
    damaged = bytearray(BLOB)
    damaged[place] ^= flip
    assert error_of(bytes(damaged)) == (
        "snapshot: expected bytes as they were written, got bytes with another checksum."
        " Hint: the snapshot is damaged; go back to an older copy"
    )


@pytest.mark.parametrize("place", range(HEADER))
def test_a_flipped_byte_in_the_header_is_noticed(place):
    damaged = bytearray(BLOB)
    damaged[place] ^= 1
    assert error_of(bytes(damaged)).startswith("snapshot: expected ")


def test_bytes_behind_the_end_are_noticed():
    assert "got bytes with another checksum" in error_of(BLOB + b"\0")


@pytest.mark.parametrize("version", [0, VERSION + 1, 2**32 - 1])
def test_another_version_says_what_to_do(version):
    assert error_of(signed(BLOB[HEADER:], version)) == (
        f"snapshot: expected format version {VERSION}, got version {version}."
        " Hint: read it with the release of Limen that wrote it"
    )


@pytest.mark.parametrize("blob", [b"", b"\0" * 100, b"PAR1" * 10, b"LIMEN\x00\n" + b"\0" * 40, b"\x80\x04N."])
def test_what_is_not_ours_is_refused(blob):
    assert error_of(blob) == (f"snapshot: expected bytes that Limen wrote, got {len(blob)} other bytes")


@pytest.mark.parametrize(("thing", "name"), [("text", "str"), (None, "NoneType"), (7, "int"), ([1], "list")])
def test_what_is_not_bytes_is_refused(thing, name):
    assert error_of(thing) == f"snapshot: expected bytes, got {name}"


def test_a_section_that_is_not_there_or_not_what_was_declared():
    sections, _ = decode(BLOB)
    with pytest.raises(StateError) as caught:
        array_of(sections, "b", np.float64)
    assert str(caught.value) == ("snapshot: expected a section 'b'. Hint: it was made by another version of Limen")
    with pytest.raises(StateError) as caught:
        array_of(sections, "a", np.int64)
    assert str(caught.value) == "snapshot: section 'a': expected int64, got float64"


def test_nothing_is_pickled():
    """Facts are what JSON can say; an object that only pickle could carry is refused."""
    with pytest.raises(TypeError, match="not JSON serializable"):
        encode({}, {"object": object()})
    with pytest.raises(pa.ArrowInvalid):
        encode({"a": np.array([object()], object)}, {})
    assert b"pickle" not in BLOB
