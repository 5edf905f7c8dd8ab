"""The Spark session: the settings that Limen requires, and those that make it fast."""

import os
import sys
from collections.abc import Iterator
from typing import Any

from pyspark.sql import SparkSession

from limen.errors import InvalidInput

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_PARTITIONS = "spark.sql.shuffle.partitions"
_LARGEST = "spark.broadcast.UDFCompressionThreshold"

_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_MARGIN = 1 << 16  # bytes for the rest of a job

#: Without these a streaming job cannot run.
NEEDED = {_PROVIDER: _ROCKSDB}
#: With these it runs well.
ADVISED = {
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    # No limit in bytes: with one, Spark works out the size of the batch anew for every row, which takes as long as
    # all the rest of the way from a file to Python.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
    "spark.python.daemon.module": "limen.spark.daemon",
    # A list of queries travels with the operator. What is larger than this Spark sends by a way that its stateful
    # operators in Python do not know.
    _LARGEST: "1g",
}

#: And with this, when the checkpoint is on a local disk: Spark's default forks processes to set permissions there.
LOCAL = {
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    )
}


def settings(shards: int | None = None) -> dict[str, str]:
    """Return the configuration for a custom session.

    Parameters
    ----------
    shards
        How many parts a job is to have; by default one for each core of this machine. On a cluster, give the number
        of cores that the job may use.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> builder = SparkSession.builder.appName("fleet")
    >>> for name, value in settings(shards=8).items():
    ...     builder = builder.config(name, value)
    """
    return {**NEEDED, **ADVISED, _PARTITIONS: str(shards or os.cpu_count() or 1)}


def session(**conf: Any) -> SparkSession:
    """Start a Spark session that Limen runs well on, or return the one that is running.

    Parameters
    ----------
    **conf
        Settings of Spark, which outrank those of `settings()`: ``session(**{"spark.master": "local[4]"})``. Without a
        master, from here or from spark-submit, Spark runs in this process on all cores.
    """
    wanted = {name: str(value) for name, value in conf.items()}
    for name in wanted:
        if not name.startswith("spark."):
            raise InvalidInput(where="session", expected="settings of Spark, such as spark.master", got=repr(name))
    running = SparkSession.getActiveSession()
    builder = SparkSession.builder
    local = wanted.get("spark.master", "" if any(_masters_of_environment()) else "local").startswith("local")
    if local:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers here see what this process sees
    if running is None and local and "spark.master" not in wanted and "spark.remote" not in wanted:
        builder = builder.master("local[*, 4]").appName("limen")  # a task that fails is tried again, as on a cluster
    for name, value in {**settings(), **(LOCAL if local else {}), **wanted}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def check_session(spark: SparkSession) -> None:
    """Raise an error that lists the settings which a session lacks for streaming jobs."""
    missing = {name: value for name, value in NEEDED.items() if spark.conf.get(name, "") != value}
    if missing:
        raise InvalidInput(
            "the Spark session lacks settings that a streaming job needs",
            where="monitor",
            expected=", ".join(f"{name}={value}" for name, value in missing.items()),
            got=", ".join(f"{name}={spark.conf.get(name, None)}" for name in missing),
            hint="limen.spark.session() starts a session that has them; limen.spark.settings() lists all of them; "
            "spark.conf.set(name, value) adds them to this one",
        )


def check_list(spark: SparkSession, size: int) -> None:
    """Raise an error when a list of queries has more bytes than the session can send to a stateful operator."""
    most = _bytes(spark.conf.get(_LARGEST, "1m") or "1m")
    if size > most - _MARGIN:
        raise InvalidInput(
            where="monitor: queries",
            expected=f"a list of less than {most:,} bytes when it is packed, since {_LARGEST} is that",
            got=f"{size:,} bytes",
            hint=f"start the session with {_LARGEST}=1g, as limen.spark.session() does, or give the queries as a "
            "streaming DataFrame of changes",
        )


def _bytes(size: str) -> int:
    """Read a size as Spark writes them.

    Examples
    --------
    >>> _bytes("1g"), _bytes("64kb"), _bytes("100")
    (1073741824, 65536, 100)
    """
    number = size.strip().lower().removesuffix("b")
    unit = number[-1:] if number[-1:] in _UNITS else ""
    return int(number.removesuffix(unit)) * _UNITS.get(unit, 1)


def partitions(spark: SparkSession) -> int:
    """Return the number of partitions into which the session shuffles rows."""
    return int(spark.conf.get(_PARTITIONS) or 200)


def _masters_of_environment() -> Iterator[str]:
    yield from (
        os.environ[name] for name in ("MASTER", "SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED") if name in os.environ
    )
    yield from (word for word in os.environ.get("PYSPARK_SUBMIT_ARGS", "").split() if word == "--master")
