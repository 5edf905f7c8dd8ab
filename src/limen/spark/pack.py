"""From the user's rows to packets: one binary row for each shard and chunk, so that a shuffle moves few fat rows."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pyarrow as pa

from limen.model.options import BY_QUERY
from limen.runtime.admission import Arrivals, read_arrivals
from limen.spark.job import Job
from limen.spark.packet import Packet
from limen.spark.shards import key_of, split
from limen.spark.telemetry import arrived, task_publisher
from limen.telemetry.task import TaskPublisher

#: The columns of packed rows, as Spark names their types.
PACKED = "shard int, packet binary"
_SCHEMA = pa.schema([("shard", pa.int32()), ("packet", pa.binary())])

# A packet of about a megabyte: few to handle, and none of them a burden to the JVM's garbage collector.
PACKET_ROWS = 1 << 15
FEWEST_ROWS, MOST_ROWS = 1 << 16, 1 << 19  # a chunk …
MOST_BYTES = 1 << 27  # … or so many bytes, whichever comes first


def pack_rows(job: Job) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that packs the rows of a partition."""

    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        empty = True
        publisher = task_publisher(job.telemetry)
        for chunk in chunks(batches, min(max(PACKET_ROWS * job.shards, FEWEST_ROWS), MOST_ROWS)):
            empty = False
            yield _packed(_of_chunk(chunk, job, publisher))
        if publisher is not None:
            publisher.write_rows()
        if empty:  # so that every shard takes part in every batch, and knows the job from its first one
            yield _packed([Packet()] * job.shards)

    return pack


def pack_changes(job: Job) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that packs the changes of a partition, for every shard."""

    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        texts = [text for batch in batches for text in batch.column(0).to_pylist()]
        if texts and (publisher := task_publisher(job.telemetry)) is not None:
            publisher.changes(arrived(texts, job))
        yield _packed([Packet(changes=texts)] * job.shards)

    return pack


def chunks(batches: Iterator[pa.RecordBatch], enough: int = MOST_ROWS) -> Iterator[pa.Table]:
    """Put record batches together to tables of about so many rows."""
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= enough or size >= MOST_BYTES:
            yield pa.Table.from_batches(waiting)
            waiting, rows, size = [], 0, 0
    if rows:
        yield pa.Table.from_batches(waiting)


def pack_spans(job: Job) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that sends every shard the times of a partition, and nothing else."""

    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for chunk in chunks(batches):
            yield _packed([Packet(Arrivals(spans=_read(chunk, job).spans))] * job.shards)

    return pack


def _of_chunk(chunk: pa.Table, job: Job, publisher: TaskPublisher | None) -> list[Packet]:
    part = _read(chunk, job)
    rows = part.rows
    assert rows is not None
    if publisher is not None:
        publisher.add_rows(rows, chunk.num_rows)
    if job.routing == BY_QUERY or job.shards == 1:
        return [Packet(part)] * job.shards
    order, starts = split(rows.ids, job.shards)
    parts = [rows.take(order[starts[n] : starts[n + 1]]) for n in range(job.shards)]
    return [Packet(replace(part, rows=parts[0])), *(Packet(Arrivals(own, part.spans)) for own in parts[1:])]


def _read(chunk: pa.Table, job: Job) -> Arrivals:
    return read_arrivals(chunk, job.columns, dict(job.arrow_types), job.options.max_ahead)


def _packed(packets: list[Packet]) -> pa.RecordBatch:
    keys = pa.array([key_of(number) for number in range(len(packets))], pa.int32())
    # A packet for all shards is serialized once.
    contents = {number: packet.to_bytes() for number, packet in {id(packet): packet for packet in packets}.items()}
    column = pa.array([contents[id(packet)] for packet in packets], pa.binary())
    return pa.RecordBatch.from_arrays([keys, column], schema=_SCHEMA)


def unpack(outputs: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Return the events that are in outputs."""
    for batch in outputs:
        for output in batch.column(0):
            with pa.ipc.open_stream(output.as_buffer()) as reader:
                yield from reader


def unpack_events(job: Job) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that unpacks the events of a job, and publishes a sample of them if it has telemetry."""
    if job.telemetry is None:
        return unpack
    most = max(1, job.telemetry.events // job.shards)

    def publish(outputs: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        publisher = task_publisher(job.telemetry)
        return unpack(outputs) if publisher is None else publisher.events(unpack(outputs), most)

    return publish
