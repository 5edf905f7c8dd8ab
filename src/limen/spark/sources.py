"""The sources of a job file as streaming DataFrames: of rows, and of changes of queries."""

import socket
from typing import cast

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # as all of Spark's users name it
from pyspark.sql.types import StructType

from limen.errors import InvalidInput, Unreachable
from limen.jobfile.endpoints import Files, Rate, Source, Topic, local_path

_PATIENCE = 5.0  # seconds to wait for an answer of a server
_TURN = 100  # rows in which a stream of the rate source goes around once


def read_source(spark: SparkSession, source: Source) -> DataFrame:
    """Return the rows of a job."""
    place = source.place
    if isinstance(place, Rate):
        rows = _rate(spark, place)
    elif isinstance(place, Topic):
        rows = _topic(spark, place).select(
            F.from_json(F.col("value").cast("string"), _schema(place.schema)).alias("row")
        )
        rows = rows.select("row.*")
    else:
        rows = _files(spark, place)
    try:
        if source.select:
            rows = rows.selectExpr(*source.select)
        if source.where:
            rows = rows.where(source.where)
    except (AnalysisException, ParseException) as error:
        raise InvalidInput(
            first_line(error), where="source: select, where", hint=f"columns: {', '.join(rows.columns)}"
        ) from error
    return rows


def read_changes(spark: SparkSession, place: Files | Topic) -> DataFrame:
    """Return the changes of queries that a job receives while it runs."""
    if isinstance(place, Topic):
        return _topic(spark, place).select(F.col("value").cast("string").alias("change"))
    _check_folder(place.path, "queries: folder")
    reader = spark.readStream.option("maxFilesPerTrigger", place.per_batch) if place.per_batch else spark.readStream
    files = reader.text(place.path, wholetext=True)
    lines = files.select(F.posexplode(F.split("value", "\r?\n")).alias("number", "change"))
    return lines.where(F.trim("change") != "").select(_numbered().alias("change"))


def _numbered() -> Column:
    """Give a change the number of its line as its place among those of one time, unless it names one.

    The line is read, not searched for words: `advance` takes no number, and a query may have the id "seq". What is no
    change stays as it is, so that the error shows what was written.
    """
    line = F.trim("change")
    fields = F.from_json(line, "map<string, string>")
    takes_number = fields["op"].isin("register", "deregister") & ~F.map_contains_key(fields, "seq")
    seq = F.concat(F.lit('{"seq": '), (F.col("number") + 1).cast("string"), F.lit(", "))
    numbered = F.concat(seq, F.substring(line, F.lit(2), F.length(line)))
    return F.when(line.startswith("{") & takes_number, numbered).otherwise(line)


def _check_folder(path: str, where: str) -> None:
    folder = local_path(path)
    if folder is not None and not folder.exists():
        raise InvalidInput(where=where, expected="a folder that exists", got=path, hint="it may be empty at the start")


def check_servers(servers: str, where: str) -> None:
    """Fail at once when no server of a list answers; Kafka's own client would keep trying."""
    reasons = []
    for server in servers.split(","):
        host, _, port = server.strip().rpartition(":")
        if not host or not port.isdigit():
            raise InvalidInput(where=f"{where}: servers", expected="host:port, several with commas", got=servers)
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()
        except OSError as error:
            reasons.append(f"{server.strip()}: {error.strerror or error}")
        else:
            return
    raise Unreachable(where=f"{where}: servers", expected="a broker that answers", got="; ".join(reasons))


def first_line(error: Exception) -> str:
    """Return the message of a Spark error, without the plan and the trace behind it."""
    return str(error).strip().split("\n")[0].removesuffix(";")


def _files(spark: SparkSession, place: Files) -> DataFrame:
    _check_folder(place.path, "source: path")
    reader = spark.readStream.format(place.format)
    if place.per_batch:
        reader = reader.option("maxFilesPerTrigger", place.per_batch)
    for name, value in place.options.items():
        reader = reader.option(name, value)
    if place.format != "delta":
        reader = reader.schema(_schema(place.schema) if place.schema else _schema_of_files(spark, place))
    return reader.load(place.path)


def _schema_of_files(spark: SparkSession, place: Files) -> StructType:
    try:
        return spark.read.format(place.format).options(**place.options).load(place.path).schema
    except AnalysisException as error:
        raise InvalidInput(
            where="source: path",
            expected=f"{place.format} files to take the schema from, or a key 'schema'",
            got=first_line(error),
        ) from error


def _schema(text: str | None) -> StructType:
    try:
        return cast("StructType", StructType.fromDDL(text or ""))
    except (ParseException, AnalysisException, ValueError) as error:
        raise InvalidInput(
            where="source: schema", expected="columns such as 'id string, ts timestamp, x double'", got=text,
            hint=first_line(error),
        ) from error  # fmt: skip


def _topic(spark: SparkSession, place: Topic) -> DataFrame:
    check_servers(place.servers, f"topic {place.topic!r}")
    reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", place.servers)
    reader = reader.option("subscribe", place.topic).option("startingOffsets", place.starting)
    if place.per_batch:
        reader = reader.option("maxOffsetsPerTrigger", place.per_batch)
    for name, value in place.options.items():
        reader = reader.option(name, value)
    return reader.load()


def _rate(spark: SparkSession, place: Rate) -> DataFrame:
    """Make synthetic streams that move on circles; the position follows from the row's number alone."""
    numbers = spark.readStream.format("rate").option("rowsPerSecond", place.per_second).load()
    stream = F.col("value") % place.streams
    angle = (F.floor(F.col("value") / place.streams) / _TURN + stream / place.streams) * (2 * 3.141592653589793)
    radius = 5 + 40 * (stream + 1) / place.streams
    return numbers.select(
        F.concat(F.lit("s"), stream).alias("id"),
        F.col("timestamp").alias("time"),
        (50 + radius * F.cos(angle)).alias("x"),
        (50 + radius * F.sin(angle)).alias("y"),
    )
