"""A shard's state in pages: each batch writes the changed pages, and a stale copy catches up from those it missed.

Streams are kept in pages of a fixed number of slots. A batch that changes most of a page writes the page; the few
streams it changes in other pages go together into one *record*. A record is needed until every page it updates has
been written after it, and so each batch with a record also writes a page, the one that has waited longest. What a batch
writes thus goes with what it changed, never with all there is, and no batch has to tidy up after many others.

Held rows and waiting changes are pages that are written once. Time decides which of them are done; a page that is
done is removed. Queries are one long page, and a record a batch of the changes made since it was written.

The *manifest* lists all pages. It is written last, with a *token* of its own: a shard in a worker's memory is the
committed one if and only if it has the committed token.
"""

import json
import os
from typing import Any

import numpy as np
import pyarrow as pa

from limen.arrays import Ints, Mask, Slots
from limen.checkpoint.codec import Sections, array_of, decode, encode
from limen.checkpoint.manifest import MANIFEST, NEVER, PLACE, Manifest
from limen.checkpoint.operator_state import dump_operator_state, load_operator_state
from limen.checkpoint.pages import Pages, get_long, get_page, put_long
from limen.checkpoint.records import ids_in_one, only
from limen.checkpoint.snapshot import dump_rows, load_rows
from limen.checkpoint.stored_queries import dump_queries, load_queries
from limen.formats.query_json import change_from_dict, change_to_dict
from limen.model.change import Deregister, Register
from limen.model.columns import Columns
from limen.model.options import Options
from limen.queries.registry import new_shard
from limen.runtime.catalogue import Catalogue
from limen.runtime.reorder_buffer import Part
from limen.runtime.repeats import Repeats
from limen.runtime.timeline import BEGINNING

PAGE = 2048  # streams a page
MOST_IN_RECORD = 4  # a page is written when one in so many of its streams has changed; else they go into the record
MOST_BEHIND = 64  # batches after which a copy in a worker's memory is read afresh
FEWEST_CHANGES = 1000  # changes of queries kept as such before all queries are written
_COVERED = np.iinfo(np.int64).max


class Journal:
    """A shard with the pages that store its state.

    Parameters
    ----------
    columns, options
        Of the shard, should there be none yet.
    """

    def __init__(self, columns: Columns, options: Options, types: dict[str, pa.DataType]) -> None:
        self.shard = new_shard(columns, options)
        self.shard.types.update(types)
        self.shard.keep_track()
        self.manifest = Manifest()

    # ---- reading -----------------------------------------------------------------------------------------------------

    def can_catch_up(self, manifest: Manifest) -> bool:
        """Whether the state of this copy is a part of the state that the manifest lists."""
        own = self.manifest
        if own.token == manifest.token:
            return True
        if own.batch == NEVER:
            return not own.token
        return own.renumbered == manifest.renumbered and (own.batch, own.token) in manifest.earlier

    def catch_up(self, pages: Pages, manifest: Manifest, facts: dict[str, Any], repeats: Ints) -> None:
        """Bring this copy to the state that the manifest lists."""
        shard = self.shard
        if self.manifest.token != manifest.token:
            self._read_streams(pages, manifest)
            self._read_queries(pages, manifest)
            line = facts["line"]
            self._read_reorder_buffer(pages, manifest, line["watermark"])
            self._read_waiting(pages, manifest)
            shard.repeats = Repeats.from_array(repeats)
            shard.largest, shard.advanced, shard.arrived = line["largest"], line["advanced"], line["arrived"]
            shard.counters, shard.changes = facts["counters"], shard.changes | facts["changes"]
            content = get_long(pages, "line", manifest.timeline_pages)
            shard.timeline.load(line["clock"], decode(content, PLACE)[0] if content else {})
            for operator in shard.catalogue.operators:
                operator.forget_streams()
            content = get_long(pages, "kept", manifest.operator_state_pages)
            load_operator_state(
                shard.catalogue, *(decode(content, PLACE) if content else ({}, {})), shard.types, shard.streams.ids
            )
            shard.prepare()
        # With a larger lateness than before, the watermark would go back to times that are complete.
        shard.advanced = max(shard.advanced, facts["line"]["watermark"])
        # Later renumberings must count as changes since the pages were written.
        shard.streams.renumbered, shard.catalogue.renumbered = manifest.renumbered[:2]
        shard.keep_track()
        self.manifest = manifest

    def _read_streams(self, pages: Pages, manifest: Manifest) -> None:
        streams, known, since = self.shard.streams, len(self.shard.streams.ids), self.manifest.batch
        news = [(page, _arrays(pages, f"streams/{page}")) for page in np.flatnonzero(manifest.written > since).tolist()]
        records = [(b, _arrays(pages, f"record/{b}")) for b in manifest.records if b > since]
        if manifest.streams > known:
            first_page = known // PAGE
            names = [
                (page * PAGE, _arrays(pages, f"ids/{page}")["ids"])
                for page in range(first_page, len(manifest.named))
                if manifest.named[page]
            ]
            names += [(int(array_of(record, "first_new", np.int64)[0]), record["new_ids"]) for _, record in records]
            streams.slots(ids_in_one(names, known, manifest.streams))
        for page, content in news:
            # Streams added since are in records.
            streams.load(_slots_of_page(page, page * PAGE + len(content["last_time"])), content)
        for batch, record in records:
            slots = array_of(record, "slots", np.int32)
            if len(slots):
                newer = manifest.written[slots // PAGE] < batch
                streams.load(slots[newer], only(record, newer))

    def _read_queries(self, pages: Pages, manifest: Manifest) -> None:
        since = self.manifest.batch
        if manifest.queries_written > since:
            since = manifest.queries_written
            arrays, facts = decode(get_long(pages, "queries", manifest.queries_pages), PLACE)
            self.shard.clear_queries()
            load_queries(self.shard.catalogue, arrays, facts["families"], self.shard.streams)
        for batch, _ in manifest.changes:
            if batch > since:
                for together in json.loads(get_page(pages, f"changes/{batch}")):
                    self.shard.replay_changes([_change(plain) for plain in together])

    def _read_reorder_buffer(self, pages: Pages, manifest: Manifest, watermark: int) -> None:
        buffer = self.shard.reorder_buffer
        have = {part.page: part for part in buffer.parts}
        buffer.parts = [
            have.get(page) or Part(load_rows(buffer.columns, _arrays(pages, f"held/{page}")), page)
            for page in manifest.buffer_pages
        ]
        buffer.take_before(watermark, self.shard.types)

    def _read_waiting(self, pages: Pages, manifest: Manifest) -> None:
        shard = self.shard
        have = {arrived: (at, arrived, change) for at, arrived, change in shard.waiting}
        waiting = []
        for first, after, settled in manifest.waiting:
            if after <= shard.arrived:
                entries = [have[number] for number in range(first, after) if number in have]
            else:
                plain = json.loads(get_page(pages, f"waiting/{first}"))
                entries = [(at, arrived, _change(change)) for at, arrived, change in plain]
            waiting += [entry for entry in entries if entry[0] > settled]
        shard.waiting = sorted(waiting, key=lambda entry: entry[:2])  # a sorted list is a heap

    # ---- writing -----------------------------------------------------------------------------------------------------

    def save(self, pages: Pages, facts: dict[str, Any]) -> None:
        """Write what has changed since the last time."""
        shard, manifest = self.shard, self.manifest
        catalogue = shard.catalogue
        previous = (manifest.batch, manifest.token)
        manifest.batch += 1
        renumbered = (shard.streams.renumbered, catalogue.renumbered, len(shard.streams.memory.layers))
        if renumbered != manifest.renumbered:
            self._forget_pages(pages)
            manifest.renumbered = renumbered
            manifest.earlier = []
        self._write_streams(pages)
        self._write_queries(pages, catalogue)
        self._write_reorder_buffer(pages)
        self._write_waiting(pages)
        self._write_timeline(pages)
        self._write_operator_state(pages, catalogue)
        manifest.earlier = [*manifest.earlier, previous][-MOST_BEHIND:] if previous[1] else []
        manifest.token = os.urandom(12).hex()
        line = {
            "largest": shard.largest,
            "advanced": shard.advanced,
            "watermark": shard.watermark,
            "arrived": shard.arrived,
            "clock": shard.timeline.clock,
        }
        own = {"line": line, "counters": shard.counters, "changes": shard.changes}
        pages.put(MANIFEST, manifest.to_bytes({**own, **facts}, shard.repeats.to_array()))
        shard.keep_track()

    def _write_timeline(self, pages: Pages) -> None:
        """Write the stream table of the global timeline where it has one of its own: rarely, and then as a whole."""
        part = self.shard.timeline.dump(len(self.shard.streams.ids))
        content = encode(part, {}) if part else b""
        self.manifest.timeline_pages = put_long(pages, "line", content, self.manifest.timeline_pages)

    def _write_operator_state(self, pages: Pages, catalogue: Catalogue) -> None:
        """Write the state of operators as a whole: tuples that may become alerts, streams that matter to answers."""
        arrays, facts = dump_operator_state(catalogue)
        content = encode(arrays, facts) if arrays or facts else b""
        self.manifest.operator_state_pages = put_long(pages, "kept", content, self.manifest.operator_state_pages)

    def _forget_pages(self, pages: Pages) -> None:
        """Write all pages that contain slots or handles: these have been renumbered."""
        manifest = self.manifest
        for page in range(len(manifest.written)):
            pages.remove(f"streams/{page}")
            pages.remove(f"ids/{page}")
        for record in manifest.records:
            pages.remove(f"record/{record}")
        manifest.streams = 0
        manifest.written, manifest.named, manifest.awaited = (np.empty(0, np.int64) for _ in range(3))
        manifest.records = []
        manifest.queries_written = NEVER
        all_slots = np.arange(len(self.shard.streams.ids), dtype=np.int32)
        self.shard.streams.touched = [all_slots]

    def _write_streams(self, pages: Pages) -> None:
        streams, manifest = self.shard.streams, self.manifest
        known, before, batch = len(streams.ids), manifest.streams, manifest.batch
        touched = np.zeros(known, np.bool_)
        for slots in streams.touched or ():
            touched[slots] = True
        self._make_pages(-(-known // PAGE))
        count = np.add.reduceat(touched, np.arange(0, known, PAGE), dtype=np.int64) if known else np.empty(0, np.int64)
        size = np.minimum(known - np.arange(len(count)) * PAGE, PAGE)
        whole = count * MOST_IN_RECORD >= size
        fresh = np.arange(before, known)
        if before == 0:
            whole[:] = True
        in_record = np.flatnonzero(touched & ~np.repeat(whole, size)).astype(np.int32)
        new_in_record = bool(len(fresh)) and not whole[before // PAGE :].all()
        if len(in_record) or new_in_record:
            record = {"slots": in_record, "first_new": np.array([before]), "new_ids": streams.ids.all().slice(before)}
            pages.put(f"record/{batch}", encode({**record, **streams.dump(in_record)}, {}))
            manifest.records.append(batch)
            stale = np.unique(np.concatenate([in_record // PAGE, fresh // PAGE]))
            stale = stale[~whole[stale]]
            manifest.awaited[stale] = np.minimum(manifest.awaited[stale], batch)
            self._choose_longest_waiting(whole, 1 + len(in_record) // PAGE)
        for page in np.flatnonzero(whole).tolist():
            slots = _slots_of_page(page, known)
            pages.put(f"streams/{page}", encode(streams.dump(slots), {}))
            if manifest.named[page] < len(slots):
                pages.put(f"ids/{page}", encode({"ids": streams.ids.take(slots)}, {}))
                manifest.named[page] = len(slots)
        manifest.written[whole] = batch
        manifest.awaited[whole] = _COVERED
        manifest.streams = known
        self._drop_records(pages)

    def _make_pages(self, count: int) -> None:
        manifest = self.manifest
        new = count - len(manifest.written)
        manifest.written = np.append(manifest.written, np.full(new, NEVER))
        manifest.named = np.append(manifest.named, np.zeros(new, np.int64))
        manifest.awaited = np.append(manifest.awaited, np.full(new, _COVERED))

    def _choose_longest_waiting(self, whole: Mask, count: int) -> None:
        """Choose pages to write although they have changed little, so that records can be deleted."""
        waiting = np.flatnonzero((self.manifest.awaited < _COVERED) & ~whole)
        chosen = waiting[np.argsort(self.manifest.awaited[waiting], kind="stable")[:count]]
        whole[chosen] = True

    def _drop_records(self, pages: Pages) -> None:
        manifest = self.manifest
        needed = int(manifest.awaited.min(initial=_COVERED))
        for record in [record for record in manifest.records if record < needed]:
            pages.remove(f"record/{record}")
            manifest.records.remove(record)

    def _write_queries(self, pages: Pages, catalogue: Catalogue) -> None:
        manifest, applied = self.manifest, self.shard.applied or []
        new = sum(len(together) for together in applied)
        changes = new + sum(count for _, count in manifest.changes)
        if manifest.queries_written == NEVER or changes > max(FEWEST_CHANGES, len(catalogue) // 10):
            arrays, families = dump_queries(catalogue)
            content = encode(arrays, {"families": families})
            manifest.queries_pages = put_long(pages, "queries", content, manifest.queries_pages)
            manifest.queries_written = manifest.batch
            for batch, _ in manifest.changes:
                pages.remove(f"changes/{batch}")
            manifest.changes = []
        elif new:
            plain = [[change_to_dict(change) for change in together] for together in applied]
            pages.put(f"changes/{manifest.batch}", json.dumps(plain, ensure_ascii=False).encode())
            manifest.changes.append((manifest.batch, new))

    def _write_reorder_buffer(self, pages: Pages) -> None:
        buffer, manifest = self.shard.reorder_buffer, self.manifest
        for part in buffer.parts:
            if part.page is None:
                part.page = manifest.next_buffer_page
                manifest.next_buffer_page += 1
                pages.put(f"held/{part.page}", encode(dump_rows(part.rows), {}))
        numbers = {part.page for part in buffer.parts}
        for page in manifest.buffer_pages:
            if page not in numbers:
                pages.remove(f"held/{page}")
        manifest.buffer_pages = sorted(number for number in numbers if number is not None)

    def _write_waiting(self, pages: Pages) -> None:
        shard, manifest = self.shard, self.manifest
        written = max((after for _, after, _ in manifest.waiting), default=0)
        pages_left = []
        for first, after, settled in manifest.waiting:
            if any(first <= arrived < after for _, arrived, _ in shard.waiting):
                pages_left.append((first, after, max(settled, shard.settled)))
            else:
                pages.remove(f"waiting/{first}")
        new = [entry for entry in shard.waiting if entry[1] >= written]
        if new:
            plain = [(at, arrived, change_to_dict(change)) for at, arrived, change in new]
            first = min(arrived for _, arrived, _ in new)
            pages.put(f"waiting/{first}", json.dumps(plain, ensure_ascii=False).encode())
            pages_left.append((first, shard.arrived, BEGINNING))
        manifest.waiting = pages_left
        shard.settled = BEGINNING


def _arrays(pages: Pages, name: str) -> Sections:
    return decode(get_page(pages, name), PLACE)[0]


def _slots_of_page(page: int, known: int) -> Slots:
    return np.arange(page * PAGE, min((page + 1) * PAGE, known), dtype=np.int32)


def _change(plain: object) -> Register | Deregister:
    change = change_from_dict(plain)
    assert isinstance(change, (Register, Deregister))
    return change
