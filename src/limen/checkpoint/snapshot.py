"""A shard's state as bytes, and back. What can be derived, such as indexes, is built afresh."""

from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa

from limen.checkpoint.codec import Sections, array_of, decode, encode
from limen.checkpoint.operator_state import dump_operator_state, load_operator_state
from limen.checkpoint.stored_queries import dump_queries, load_queries
from limen.formats.query_json import change_from_dict, change_to_dict
from limen.model.change import Deregister, Register
from limen.model.columns import Columns
from limen.model.event import MICROS
from limen.model.options import Options
from limen.queries.registry import new_shard
from limen.runtime.ids import Ids
from limen.runtime.reorder_buffer import Part
from limen.runtime.repeats import Repeats
from limen.runtime.row_memory import Layer
from limen.runtime.rows import Rows
from limen.runtime.shard import Shard

_TYPES = {str(kind): kind for kind in (pa.bool_(), pa.int64(), pa.float64(), pa.string(), MICROS)}


def dump(shard: Shard, facts: dict[str, Any]) -> bytes:
    """Write a shard, and facts of its owner."""
    arrays: dict[str, Any] = {}
    shard.flush()  # first of all, since registrations may name new streams
    known = len(shard.streams.ids)
    arrays["streams/ids"] = shard.streams.ids.all()
    for name in ("last_time", "last", "live"):
        arrays[f"streams/{name}"] = getattr(shard.streams, name)[:known]
    arrays |= {f"line/{name}": column for name, column in shard.timeline.dump(known).items()}
    if len(shard.streams.late_before):
        arrays["streams/late_before"] = shard.streams.late_before[:known]
    arrays |= shard.streams.dump_pair_state(np.arange(known, dtype=np.int32))
    memory = shard.streams.memory
    for c, layer in enumerate(memory.layers):
        for name, attribute in layer.attributes.items():
            arrays[f"memory/{c}/{name}/values"] = attribute.values[:known]
            arrays[f"memory/{c}/{name}/known"] = attribute.known[:known]
            if attribute.strings is not None:
                arrays[f"memory/{c}/{name}/strings"] = attribute.strings.all()
    for c, (own, present_at) in enumerate(zip(memory.own, memory.present_at, strict=True)):
        arrays[f"memory/{c}/own"] = own[:known]
        arrays[f"memory/{c}/present_at"] = present_at[:known]
    queries, families = dump_queries(shard.catalogue)
    kept, kept_facts = dump_operator_state(shard.catalogue)
    arrays |= queries | kept
    for h, part in enumerate(shard.reorder_buffer.parts):
        arrays |= dump_rows(part.rows, f"held/{h}/")
    arrays["repeats"] = shard.repeats.to_array()
    waiting = [[at, number, change_to_dict(change)] for at, number, change in shard.waiting]
    line = {
        "largest": shard.largest, "advanced": shard.advanced, "arrived": shard.arrived, "waiting": waiting,
        "clock": shard.timeline.clock,
    }  # fmt: skip
    return encode(
        arrays,
        {
            "columns": shard.columns.to_dict(),
            "options": asdict(shard.options),
            "types": types_to_dict(shard.types),
            "layers": len(memory.layers),
            "families": families,
            **kept_facts,
            "held": len(shard.reorder_buffer.parts),
            "line": line,
            "counters": shard.counters,
            "changes": shard.changes,
            "holder": facts,
        },
    )


def load(blob: bytes) -> tuple[Shard, dict[str, Any]]:
    """Read what `dump` wrote."""
    arrays, facts = decode(blob)
    shard = new_shard(Columns.from_dict(facts["columns"]), Options(**facts["options"]))
    shard.types.update(types_from_dict(facts["types"]))
    width = len(shard.columns.values)
    streams, memory = shard.streams, shard.streams.memory
    streams.ids = Ids.of(arrays["streams/ids"])
    known = len(streams.ids)
    streams.resize(known)
    streams.put(
        array_of(arrays, "streams/last_time", np.int64),
        array_of(arrays, "streams/last", np.float64, (-1, width)),
        array_of(arrays, "streams/live", np.bool_),
    )
    everyone = np.arange(known, dtype=np.int32)
    if "streams/late_before" in arrays:
        streams.keep_late(everyone, array_of(arrays, "streams/late_before", np.int64))
    streams.load_pair_state(everyone, arrays)
    memory.layers = [Layer(shard.columns, shard.types, known) for _ in range(facts["layers"])]
    for c, layer in enumerate(memory.layers):
        for name, attribute in list(layer.attributes.items()):
            if f"memory/{c}/{name}/values" not in arrays:
                continue  # its type became known, but no row has been processed since
            attribute.values = array_of(arrays, f"memory/{c}/{name}/values", attribute.values.dtype)
            attribute.known = array_of(arrays, f"memory/{c}/{name}/known", np.bool_)
            if attribute.strings is not None:
                attribute.strings = Ids.of(arrays[f"memory/{c}/{name}/strings"])
        if facts["layers"] > 1:
            memory.own.append(array_of(arrays, f"memory/{c}/own", np.float64, (-1, width)))
            memory.present_at.append(array_of(arrays, f"memory/{c}/present_at", np.int64))
    load_queries(shard.catalogue, arrays, facts["families"], shard.streams)
    load_operator_state(shard.catalogue, arrays, facts, shard.types, shard.streams.ids)
    shard.reorder_buffer.parts = [Part(load_rows(shard.columns, arrays, f"held/{h}/")) for h in range(facts["held"])]
    shard.repeats = Repeats.from_array(array_of(arrays, "repeats", np.int64, (-1, 4)))
    line = facts["line"]
    shard.largest, shard.advanced, shard.arrived = line["largest"], line["advanced"], line["arrived"]
    of_line = {name.removeprefix("line/"): column for name, column in arrays.items() if name.startswith("line/")}
    newest = shard.watermark if shard.options.order == "event" else max(shard.largest, shard.watermark)
    shard.timeline.load(line.get("clock", newest), of_line)  # earlier versions had no line
    for at, number, form in line["waiting"]:
        change = change_from_dict(form)
        assert isinstance(change, (Register, Deregister))
        shard.waiting.append((at, number, change))
    shard.counters, shard.changes = facts["counters"], shard.changes | facts["changes"]
    shard.prepare()
    return shard, facts["holder"]


def types_to_dict(types: dict[str, pa.DataType]) -> dict[str, str]:
    """Write the types of attributes."""
    return {name: str(kind) for name, kind in types.items()}


def types_from_dict(plain: dict[str, str]) -> dict[str, pa.DataType]:
    """Read the types of attributes."""
    return {name: _TYPES[kind] for name, kind in plain.items()}


def dump_rows(rows: Rows, place: str = "") -> dict[str, Any]:
    """Write rows as named arrays."""
    arrays: dict[str, Any] = {f"{place}ids": rows.ids, f"{place}time": rows.time, f"{place}values": rows.values}
    return arrays | {f"{place}attributes/{a}": column for a, column in enumerate(rows.attributes)}


def load_rows(columns: Columns, arrays: Sections, place: str = "") -> Rows:
    """Read what `dump_rows` wrote."""
    attributes = tuple(arrays[f"{place}attributes/{a}"] for a in range(len(columns.attributes)))
    time = array_of(arrays, f"{place}time", np.int64)
    values = array_of(arrays, f"{place}values", np.float64, (len(columns.values), -1))
    return Rows(arrays[f"{place}ids"], time, values, attributes)
