"""The parent of Python workers, with everything loaded and compiled before the first of them is forked.

Spark starts `python -m limen.spark.daemon` once on each machine, by the setting `spark.python.daemon.module`. A worker
that it forks finds pandas, Arrow and the kernels in memory, instead of loading them for a second or more.
"""

import pyarrow as pa
from pyspark import daemon

from limen.checkpoint.pages import PagesInMemory
from limen.model.border import Border
from limen.model.columns import Columns
from limen.model.match import Match
from limen.model.options import BY_STREAM, Options
from limen.model.query import Query
from limen.model.region import Box, Range
from limen.model.transition import Transition
from limen.spark.job import Job, pack_queries
from limen.spark.pack import pack_rows, unpack
from limen.spark.packet import Packet
from limen.spark.shard_step import advance


def warm() -> None:
    """Run a few rows through all that a worker does."""
    ids, times = [f"s{i % 7}" for i in range(40)], [i // 7 for i in range(40)]
    for values in (("x",), ("x", "y")):
        columns = Columns(id="id", time="t", values=values, time_unit="s")
        region = Range(0, 3) if len(values) == 1 else Box((0, 0), (3, 3))
        queries: list[Query] = [Border(f"b{i}", region, initial=("silent", "report")[i % 2]) for i in range(3)]
        queries += [Border("own", region, streams="s1"), Match("m", region), Transition("t", region, within=1)]
        queries += [Border("debounced", region, crossings=True, margin=1, confirm=2, min_stay=1)]
        job = Job(columns, Options.of({"order": "event"}), {}, 2, BY_STREAM, pack_queries(queries))
        rows = {"id": ids, "t": times, **{name: [float(i % 5) for i in range(40)] for name in values}}
        pages = [PagesInMemory(), PagesInMemory()]
        for _ in range(2):
            for batch in pack_rows(job)(iter(pa.table(rows).to_batches())):
                for number, content in enumerate(batch.column("packet").to_pylist()):
                    packet = Packet.from_bytes(content, columns)
                    for _ in unpack(iter([advance(job, number, [packet], pages[number]).to_batch()])):
                        pass
            rows["t"] = [time + 10 for time in times]


if __name__ == "__main__":
    warm()
    daemon.manager()
