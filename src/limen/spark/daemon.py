"""The parent of Python workers, with what every job needs loaded before the first of them is forked.

Spark starts `python -m limen.spark.daemon` once on each machine, by the setting `spark.python.daemon.module`. A worker
that it forks finds pandas, Arrow and the kernels in memory, instead of loading them for a second or more.
"""

import pyarrow as pa
from pyspark import daemon

from limen.checkpoint.pages import PagesInMemory
from limen.model.border import Border
from limen.model.columns import Columns
from limen.model.options import BY_STREAM, Options
from limen.model.region import Range
from limen.spark.job import Job, pack_queries
from limen.spark.pack import pack_rows, unpack
from limen.spark.packet import Packet
from limen.spark.shard_step import advance


def warm() -> None:
    """Run a few rows through what every job does; what only some do is loaded when it is needed.

    Compiling here for other jobs too would keep this one waiting where nothing is compiled yet.
    """
    columns = Columns(id="id", time="t", values="x", time_unit="s")
    job = Job(columns, Options.of({"order": "event"}), {}, 2, BY_STREAM, pack_queries([Border("b", Range(0, 3))]))
    pages = [PagesInMemory(), PagesInMemory()]
    for first in (0, 10):
        rows = {"id": [f"s{i % 7}" for i in range(40)], "t": [first + i // 7 for i in range(40)]}
        table = pa.table({**rows, "x": [float(i % 5) for i in range(40)]})
        for batch in pack_rows(job)(iter(table.to_batches())):
            for number, content in enumerate(batch.column("packet").to_pylist()):
                packet = Packet.from_bytes(content, columns)
                for _ in unpack(iter([advance(job, number, [packet], pages[number]).to_batch()])):
                    pass


if __name__ == "__main__":
    warm()
    daemon.manager()
