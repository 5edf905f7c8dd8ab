"""State as bytes: named arrays in Arrow's IPC format behind a small header. Never pickle.

Layout: 8 magic bytes, then the format version, a checksum and the length of what follows, then one
Arrow record batch with a single row, in which every array is a list; its shape is kept with its field.
"""

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from limen.arrays import Array
from limen.errors import StateError

MAGIC = b"LIMEN\x00\r\n"  # with a line end that a text-mode copy would damage
VERSION = 1
_HEADER = struct.Struct("<8sIIQ")

Sections = dict[str, pa.Array]


def encode(arrays: Mapping[str, Array | pa.Array], facts: Mapping[str, Any]) -> bytes:
    """Write named arrays, and facts that JSON can represent.

    Examples
    --------
    >>> arrays, facts = decode(encode({"a": np.array([[1.0, 2.0]])}, {"n": 1}))
    >>> array_of(arrays, "a", np.float64, (-1, 2)), facts
    (array([[1., 2.]]), {'n': 1})
    """
    fields, columns = [], []
    for name, array in arrays.items():
        values = _compact(array) if isinstance(array, pa.Array) else pa.array(np.ascontiguousarray(array).reshape(-1))
        fields.append(pa.field(name, pa.large_list(values.type)))
        columns.append(pa.LargeListArray.from_arrays(pa.array([0, len(values)], pa.int64()), values))
    schema = pa.schema(fields, {"limen": json.dumps(facts, ensure_ascii=False)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
    payload: bytes = sink.getvalue().to_pybytes()
    return _HEADER.pack(MAGIC, VERSION, zlib.crc32(payload), len(payload)) + payload


def _compact(array: pa.Array) -> pa.Array:
    """Copy a slice: what surrounds it in memory would be written too."""
    return array.take(pa.array(np.arange(len(array)))) if array.get_total_buffer_size() > array.nbytes else array


def decode(blob: bytes, place: str = "snapshot") -> tuple[Sections, dict[str, Any]]:
    """Read what `encode` wrote; anything else raises StateError. `place` is where it was stored."""
    if not isinstance(blob, (bytes, bytearray, memoryview)):
        raise StateError(where=place, expected="bytes", got=type(blob).__name__)
    blob = bytes(blob)
    if blob[: len(MAGIC)] != MAGIC[: len(blob)] or not blob:
        raise StateError(where=place, expected="bytes that Limen wrote", got=f"{len(blob)} other bytes")
    if len(blob) < _HEADER.size:
        raise _truncated(place, len(blob), _HEADER.size)
    _, version, checksum, length = _HEADER.unpack_from(blob)
    if version != VERSION:
        raise StateError(
            where=place,
            expected=f"format version {VERSION}",
            got=f"version {version}",
            hint="read it with the release of Limen that wrote it",
        )
    payload = memoryview(blob)[_HEADER.size :]
    if len(payload) < length:
        raise _truncated(place, len(blob), _HEADER.size + length)
    if len(payload) != length or zlib.crc32(payload) != checksum:
        raise StateError(where=place, expected="bytes as they were written", got="bytes with another checksum",
                         hint=f"the {place} is damaged; go back to an older copy")  # fmt: skip
    with pa.ipc.open_stream(pa.py_buffer(payload)) as reader:
        batch = reader.read_next_batch()
        facts = json.loads(reader.schema.metadata[b"limen"])
    return {name: batch.column(i).flatten() for i, name in enumerate(batch.schema.names)}, facts


def array_of(sections: Sections, name: str, kind: npt.DTypeLike, shape: tuple[int, ...] = (-1,)) -> Array:
    """Return a section as a NumPy array of its own, of a declared type and shape."""
    if name not in sections:
        raise StateError(
            where="snapshot", expected=f"a section {name!r}", hint="it was made by another version of Limen"
        )
    array = sections[name].to_numpy(zero_copy_only=False)
    if array.dtype != np.dtype(kind):
        raise StateError(where=f"snapshot: section {name!r}", expected=str(np.dtype(kind)), got=str(array.dtype))
    if -1 in shape and array.size == 0:
        shape = tuple(0 if size == -1 else size for size in shape)
    return np.array(array).reshape(shape)


def _truncated(place: str, got: int, expected: int) -> StateError:
    return StateError(where=place, expected=f"{expected} bytes", got=f"{got}: it is truncated",
                      hint="copy it again, or take an older one")  # fmt: skip
