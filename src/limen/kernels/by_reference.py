"""Records of arrays that kernels take by reference.

To Numba, a named tuple is the sum of its arrays: seven values for each, which are passed one by one in every call,
unboxed and counted, and optimized again in every caller. Kernels with two hundred arrays in a few tuples took seconds
to compile and 50 µs to call. A named tuple declared with `by_reference` is one address instead, of a table with the
address, the shape and the strides of each array; a kernel reads from it what it uses.

The caller keeps the record alive during the call. Arrays read from a record are not reference counted: a kernel must
not return them.

This uses only what Numba documents for extensions. With `NUMBA_DISABLE_JIT=1` a record is a named tuple.
"""

import hashlib
from typing import Any, TypeVar, cast

import numba
import numba.core.cgutils
import numba.extending
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.typing.templates import AttributeTemplate

#: Numba has few types; these are in its documented interface.
extending, cgutils, config, typeof = (
    cast("Any", each) for each in (numba.extending, numba.core.cgutils, numba.config, numba.typeof)
)
Record = TypeVar("Record", bound=type)

_WORD = ir.IntType(64)
_TABLE = _WORD.as_pointer()
_ARRAY_HEAD = 2  # words before the shape: address and number of items


def by_reference(record: Record) -> Record:
    """Declare that kernels take a named tuple of arrays, numbers, truth values and such records by reference."""
    if config.DISABLE_JIT:
        return record
    # A subclass, since named tuples have no room for what is computed once.
    body = {"__module__": record.__module__, "__qualname__": record.__qualname__, "__doc__": record.__doc__}
    made = type(record.__name__, (record,), {**body, "__getattr__": _described})
    extending.typeof_impl.register(made)(lambda value, _: value.numba_type)
    return cast("Record", made)


class RecordType(cast("type[Any]", types.Type)):  # type: ignore[misc]  # Numba is untyped
    """The type of a record: the names and types of its fields, and where each begins in the table."""

    def __init__(self, record: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields, self.place, words = fields, {}, 0
        for name, kind in fields:
            self.place[name] = words
            words += _ARRAY_HEAD + 2 * kind.ndim if isinstance(kind, types.Array) else 1
        digest = hashlib.sha256(repr(fields).encode()).hexdigest()[:12]
        super().__init__(name=f"{record}_{digest}")


def _described(record: Any, name: str) -> Any:
    """Compute the type of a record and its table, when either is asked for first."""
    if name not in {"numba_type", "address"}:
        raise AttributeError(f"{type(record).__name__!r} object has no attribute {name!r}")
    fields, words = [], []
    for field, value in zip(record._fields, record, strict=True):
        if isinstance(value, np.ndarray):
            fields.append((field, typeof(value)))
            words += [value.ctypes.data, value.size, *value.shape, *value.strides]
        elif isinstance(value, tuple):
            fields.append((field, cast("Any", value).numba_type))
            words.append(cast("Any", value).address)
        else:
            fields.append((field, types.boolean if isinstance(value, bool) else types.int64))
            words.append(int(value))
    table = np.array(words, np.int64)
    record.__dict__.update(numba_type=RecordType(type(record).__name__, tuple(fields)), table=table)
    record.__dict__["address"] = table.ctypes.data
    return record.__dict__[name]


@extending.register_model(RecordType)
class _RecordModel(extending.models.PrimitiveModel):  # type: ignore[misc,name-defined]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _TABLE)


@extending.unbox(RecordType)
def _unbox(_kind: Any, record: Any, context: Any) -> Any:
    address = context.pyapi.object_getattr_string(record, "address")
    table = context.pyapi.long_as_voidptr(address)
    context.pyapi.decref(address)
    return extending.NativeValue(context.builder.bitcast(table, _TABLE), is_error=context.pyapi.c_api_error())


@extending.infer_getattr
class _Fields(cast("type[Any]", AttributeTemplate)):  # type: ignore[misc]
    key = RecordType

    def generic_resolve(self, kind: Any, name: str) -> Any:
        """Return the type of a field."""
        return dict(kind.fields).get(name)


@extending.lower_getattr_generic(RecordType)
def _read(context: Any, builder: Any, kind: Any, table: Any, name: str) -> Any:
    """Read a field: loads that the optimizer may move and merge, since a table is never written while a kernel runs."""
    place, field = kind.place[name], dict(kind.fields)[name]

    def word(at: int, of_type: Any = _WORD) -> Any:
        where = builder.gep(table, [ir.Constant(_WORD, place + at)])
        loaded = builder.load(builder.bitcast(where, of_type.as_pointer()), align=8)
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded

    if isinstance(field, RecordType):
        return word(0, _TABLE)
    if isinstance(field, types.Boolean):
        return builder.trunc(word(0), ir.IntType(1))
    if not isinstance(field, types.Array):
        return word(0)
    array = cgutils.create_struct_proxy(field)(context, builder)
    shape = [word(_ARRAY_HEAD + axis) for axis in range(field.ndim)]
    strides = [word(_ARRAY_HEAD + field.ndim + axis) for axis in range(field.ndim)]
    item = ir.Constant(_WORD, context.get_abi_sizeof(context.get_data_type(field.dtype)))
    if field.layout == "C":  # computed from the shape, where the optimizer can see it
        strides[-1] = item
        for axis in range(field.ndim - 2, -1, -1):
            strides[axis] = builder.mul(strides[axis + 1], shape[axis + 1])
    array.data, array.nitems, array.itemsize = word(0, array.data.type), word(1), item
    array.shape = cgutils.pack_array(builder, shape, ty=_WORD)
    array.strides = cgutils.pack_array(builder, strides, ty=_WORD)
    for owner in ("meminfo", "parent"):
        setattr(array, owner, cgutils.get_null_value(getattr(array, owner).type))
    return array._getvalue()  # noqa: SLF001  # as Numba's documentation has it
