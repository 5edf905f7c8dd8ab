"""Run one shard: on a micro-batch of a streaming query, or on a sorted, bounded input."""

from dataclasses import replace
from typing import Any

from limen.errors import LimenError
from limen.formats.query_json import canonical_json, change_to_dict
from limen.model.change import Advance, Change, Deregister, Register
from limen.runtime.admission import Arrivals
from limen.runtime.events import Events
from limen.runtime.shard import Shard
from limen.runtime.timeline import BEGINNING
from limen.spark.job import Job, query_of, unpack_queries
from limen.spark.packet import Packet
from limen.spark.shard_output import GAUGES, KEPT, MOST_PROBLEMS, ShardOutput


class ShardRun:
    """What both kinds of run share: changes of queries in, events and counters out.

    Parameters
    ----------
    job : Job
    number : int
        Of the shard.
    shard : Shard
        Its state, which changes.
    """

    def __init__(self, job: Job, number: int, shard: Shard) -> None:
        self.job, self.number, self.shard = job, number, shard
        self.output = ShardOutput()
        shard.admission.counts_rows = job.counts_rows(number)
        self._before = self._counted()

    def take_list(self, content: bytes, earlier: bytes | None) -> None:
        """Register the list of queries; at a restart, what differs from the earlier list."""
        then, now = {} if earlier is None else unpack_queries(earlier), unpack_queries(content)
        gone = [id for id in then if id not in now]
        new = [id for id, line in now.items() if then.get(id) != line]
        changes: list[Register | Deregister] = [
            Deregister(id) for id, mine in zip(gone, self._mine(gone), strict=True) if mine and self.shard.has_query(id)
        ]
        changes += [Register(query_of(now[id])) for id, mine in zip(new, self._mine(new), strict=True) if mine]
        self._add(self.shard.change(changes))

    def end(self) -> ShardOutput:
        """Return the output."""
        shard, output = self.shard, self.output
        for name, count in self._counted().items():
            if self._counts(name):
                output.counts[name] += count - self._before.get(name, 0)
        gauges = shard.gauges()
        output.counts |= {name: gauges.get(name, 0) for name in GAUGES if self._counts(name)}
        if "kept" in gauges:
            output.counts |= {f"kept_{name}": int(gauges["kept"][name]) for name in KEPT}
            output.lack = round(1000 * (100 - gauges["kept"]["least_accuracy"]))
        if self.job.counts_queries(self.number):
            for problem in shard.problems:
                self._report(problem)
        shard.problems.clear()
        output.watermark = None if shard.watermark == BEGINNING else shard.watermark
        return output

    def _counted(self) -> dict[str, int]:
        """Return all totals of the shard, by their names in the output."""
        counted: dict[str, int] = {}
        for name, total in self.shard.totals().items():
            parts = {f"_{part}": count for part, count in total.items()} if isinstance(total, dict) else {"": total}
            counted |= {name + part: count for part, count in parts.items()}
        return counted

    def _counts(self, name: str) -> bool:
        """Return whether a count of this shard is part of the batch's, and not one that another shard has too."""
        if name in ("queries", "waiting") or name.startswith("changes_"):
            return self.job.counts_queries(self.number)
        return name not in ("late", "expired", "held", "streams") or self.job.counts_rows(self.number)

    # ---- changes of queries ------------------------------------------------------------------------------------------

    def _read_changes(self, packets: list[Packet]) -> tuple[list[Any], list[Any], int]:
        """Read the changes of packets: those with a time, those without, and how far time is to advance."""
        changes: list[Register | Deregister] = []
        advance_to = BEGINNING
        for text in (text for packet in packets for text in packet.changes):
            change = self._read_change(text)
            if isinstance(change, Advance):
                advance_to = max(advance_to, change.to)
            elif change is not None:
                changes.append(change)
        ids = [change.query.id if isinstance(change, Register) else change.id for change in changes]
        changes = [change for change, mine in zip(changes, self._mine(ids), strict=True) if mine]
        # In an order that does not depend on the way through the network.
        changes = sorted((replace(change, seq=change.seq or 0) for change in changes), key=self._order)
        return (
            [each for each in changes if each.at is not None],
            [each for each in changes if each.at is None],
            advance_to,
        )

    def _mine(self, ids: list[str]) -> list[bool]:
        return self.job.has_queries(ids, self.number)

    def _order(self, change: Register | Deregister) -> tuple[int, int, bool, str]:
        at = self.shard.watermark if change.at is None else max(change.at, self.shard.watermark)
        return at, change.seq or 0, isinstance(change, Register), canonical_json(change_to_dict(change))

    def _read_change(self, text: str | None) -> Change | None:
        try:
            return self.job.read_change(text)
        except LimenError as error:
            if self.number == 0:
                self.output.counts["changes_rejected"] += 1
                self._report(f"{error} in {text}")
            return None

    def _report(self, problem: str) -> None:
        if len(self.output.problems) < MOST_PROBLEMS:
            self.output.problems.append(problem)

    def _add(self, events: list[Events]) -> None:
        if events:
            self.output.events.append(self.shard.table(events))


class StreamingRun(ShardRun):
    """One micro-batch of a streaming query."""

    def take(self, packets: list[Packet]) -> None:
        """Process all packets of a batch."""
        timed, untimed, advance_to = self._read_changes(packets)
        if timed:
            self._add(self.shard.change(timed))
        self._add(self.shard.process_parts([packet.arrivals for packet in packets], advance_to))
        if untimed:
            self._add(self.shard.change(untimed))


class BoundedRun(ShardRun):
    """A whole input, sorted by time, a chunk after the other."""

    def __init__(self, job: Job, number: int, shard: Shard) -> None:
        super().__init__(job, number, shard)
        self._newest: int | None = None
        self._limited = False  # whether the times of all rows are known beforehand
        self._advance_to = BEGINNING

    def begin(self, packets: list[Packet]) -> None:
        """Take what applies to the whole input, before its first row: changes of queries, and its largest time."""
        timed, untimed, self._advance_to = self._read_changes(packets)
        parts = [packet.arrivals for packet in packets]
        self._newest = self.shard.newest(parts)
        self._limited = any(len(part.spans) for part in parts)
        self._add(self.shard.change(untimed))  # a table of changes is there before the first row
        self._add(self.shard.change(timed))

    def take(self, parts: list[Arrivals]) -> None:
        """Take the next rows."""
        last = max((int(part.rows.time[-1]) for part in parts if part.rows), default=None)
        self._add(self.shard.process_sorted(parts, self._newest if self._limited else last))

    def close(self) -> None:
        """End the input."""
        if self._advance_to > BEGINNING:
            self._add(self.shard.advance(self._advance_to))
        self._add(self.shard.close(BEGINNING if self._newest is None else self._newest))

    def hand_over(self) -> ShardOutput:
        """Return the output since the last call."""
        found, self.output = self.output, ShardOutput()
        return found
