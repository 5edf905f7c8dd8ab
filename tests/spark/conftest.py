"""One Spark session for all tests, and ways to feed it exact micro-batches and to run a job to its end."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import limen.spark
from tests.servers import kafka, maven
from tests.spark.job_folder import Job
from tests.spark.running import (
    MicroBatches,
    Row,
    Run,
    RunStream,
    SetConf,
    read_batches,
    run,
    wait_for_listeners,
    write_batches,
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the kernels that take longest to compile, so that the tests beside these find them compiled."""
    items.sort(key=lambda item: item.path.name != "test_changes_of_answers.py")


def kafka_jars() -> list[Path]:
    """Return Spark's connector of Kafka, which a session must have from its beginning, where it can be had."""
    try:
        return kafka.connector_jars()
    except maven.Unavailable:
        return []  # tests that need it tell why


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    home = tmp_path_factory.mktemp("spark")
    session = limen.spark.session(
        **{
            "spark.master": "local[2, 4]",  # as a cluster would, it tries a task again that failed
            "spark.sql.shuffle.partitions": 2,  # whatever the machine
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.warehouse.dir": home / "warehouse",
            "spark.local.dir": home / "local",
            "spark.jars": ",".join(map(str, kafka_jars())),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            # Many short jobs: compiling them well costs more than it saves.
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
            "spark.sql.codegen.wholeStage": "false",
        }
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    wait_for_listeners(session)  # a listener that is called after the end would fill the screen
    session.stop()


@pytest.fixture
def set_conf(spark: SparkSession) -> Iterator[SetConf]:
    """Change settings of the session for one test."""
    before: dict[str, str | None] = {}

    def change(name: str, value: str) -> None:
        before.setdefault(name, spark.conf.get(name, None))
        spark.conf.set(name, value)

    yield change
    for name, value in before.items():
        if value is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, value)


@pytest.fixture
def micro_batches(spark: SparkSession, tmp_path: Path) -> MicroBatches:
    """Make a streaming DataFrame of lists of rows: one list is one micro-batch, also an empty one.

    Of two such DataFrames in one job, the first micro-batch takes the first list of each, and so on.
    """
    made = 0

    def make(batches: Sequence[Sequence[Row]], schema: pa.Schema) -> DataFrame:
        nonlocal made
        made += 1
        return read_batches(spark, write_batches(tmp_path / f"source{made}", batches, schema))

    return make


@pytest.fixture
def run_stream(tmp_path: Path) -> RunStream:
    """Run a streaming job until it has taken all its input."""
    made = 0

    def finish(events: DataFrame) -> Run:
        nonlocal made
        made += 1
        return run(events, tmp_path / f"sink{made}", tmp_path / f"checkpoint{made}")

    return finish


@pytest.fixture
def job(spark: SparkSession, tmp_path: Path) -> Iterator[Job]:
    """A job file with its data; whatever of it still runs is stopped in the end."""
    yield Job(tmp_path)
    for query in spark.streams.active:
        query.stop()
