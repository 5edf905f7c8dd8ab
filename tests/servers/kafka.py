"""A real Kafka broker for tests: one node without ZooKeeper, its jars from Maven Central."""

import functools
import logging
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Self

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.servers import maven
from tests.servers.connector import connector_jars, connector_package
from tests.servers.process import Process, free_port

__all__ = ["Broker", "connector_jars", "connector_package", "consume", "produce", "why_not"]

# The version of the client in Spark's connector.
_VERSION = "3.9.2"
_JARS = maven.CACHE / f"kafka-{_VERSION}"
_CLUSTER = "limenlimenlimenlimenlg"  # any sixteen bytes
_PATIENCE = 30.0  # seconds for an answer of the broker
_QUIET = logging.getLogger(
    __name__
)  # the client's complaints about a broker that is away; pytest shows them on failure

# Small, for a machine that has other things to do; it starts sooner when little is compiled.
_JAVA = ("java", "-Xms64m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")

_SETTINGS = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={data}
# A single broker holds all there is.
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
# A killed broker may come back only after the session of its former life; by default that takes nine seconds.
broker.session.timeout.ms=2000
broker.heartbeat.interval.ms=300
# Rows of tests are often years old by their own times: nothing is ever too old.
log.retention.ms=-1
# Topics are made by whoever wants them; a misspelt one is an error.
auto.create.topics.enable=false
"""

_LOGGING = """
log4j.rootLogger=WARN, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%d %p %m (%c)%n
"""


def _fetch() -> None:
    # The broker brings no logger of its own.
    maven.fetch([f"org.apache.kafka:kafka_2.13:{_VERSION}", "org.slf4j:slf4j-reload4j:1.7.36"], _JARS)


@functools.cache
def why_not(*, connector: bool = False) -> str | None:
    """Return why there can be no broker here, or None if there can. The first time on a machine, this fetches it.

    Parameters
    ----------
    connector
        Whether Spark's connector is needed as well.
    """
    if shutil.which("java") is None:
        return "Kafka needs java, and there is none on the path"
    try:
        _fetch()
        if connector:
            connector_jars()
    except maven.Unavailable as reason:
        return f"Kafka cannot be had: {reason}"
    return None


class Broker:
    """A broker on a loopback port, with its topics in a folder. Stopped or killed, it can be started again.

    Parameters
    ----------
    folder : Path
        Where its data and its log are kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._process: Process | None = None

    @property
    def servers(self) -> str:
        """Where it listens, in the words of Kafka's clients."""
        return f"127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start it, and come back when it serves every topic it has."""
        if not (self._folder / "server.properties").exists():
            self._format()
        command = self._java("kafka.Kafka", "server.properties")
        self._process = Process(command, self._folder / "server.log", folder=self._folder)
        self._process.wait_until(self._serves)

    def stop(self, *, kill: bool = False) -> None:
        """Stop it in order, or kill it as a power cut does."""
        process, self._process = self._process, None
        if process is not None:
            process.kill() if kill else process.stop(signal.SIGTERM)

    def create_topic(self, name: str, partitions: int = 1) -> None:
        """Make a topic."""
        admin = self._admin()  # by name: its promises die with it
        admin.create_topics([NewTopic(name, partitions, 1)])[name].result(_PATIENCE)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(kill=True)  # nobody needs its data any more

    def _format(self) -> None:
        _fetch()
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / "log4j.properties").write_text(_LOGGING)
        settings = _SETTINGS.format(port=self._port, controller=free_port(), data=self._folder / "data")
        (self._folder / "server.properties").write_text(settings)
        format_ = ("kafka.tools.StorageTool", "format", "--cluster-id", _CLUSTER, "--config", "server.properties")
        subprocess.run(self._java(*format_), cwd=self._folder, capture_output=True, timeout=_PATIENCE, check=True)

    def _java(self, *command: str) -> list[str]:
        return [*_JAVA, "-Dlog4j.configuration=file:log4j.properties", "-cp", f"{_JARS}/*", *command]

    def _serves(self) -> bool:
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", self._port)) != 0:
                return False
        try:
            topics = self._admin().list_topics(timeout=1).topics.values()
        except KafkaException:
            return False
        return all(part.leader == 1 for topic in topics for part in topic.partitions.values())

    def _admin(self) -> AdminClient:
        return AdminClient({"bootstrap.servers": self.servers}, logger=_QUIET)


def produce(servers: str, topic: str, messages: list[tuple[str, str]]) -> None:
    """Write messages, keys and values, and come back when the broker has them all."""
    failures: list[KafkaError] = []
    # One request at a time keeps the order where the client has to try again.
    settings = {"bootstrap.servers": servers, "max.in.flight": 1, "linger.ms": 1, "queue.buffering.max.messages": 0}
    producer = Producer(settings, logger=_QUIET)
    for key, value in messages:
        producer.produce(topic, value, key, on_delivery=lambda error, _: failures.append(error) if error else None)
    left = producer.flush(_PATIENCE)
    if failures or left:
        raise RuntimeError(f"of {len(messages)} messages to {topic}, {left} wait and these failed: {failures[:3]}")


def consume(servers: str, topic: str) -> list[tuple[str | None, str | None]]:
    """Return the keys and values that a topic holds now: partition after partition, each in its order."""
    consumer = Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": "tests",  # the client wants one; nothing is ever committed
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 10,  # the end of a partition is told after a fetch that found nothing
        },
        logger=_QUIET,
    )
    try:
        return _all_of(consumer, topic)
    finally:
        consumer.close()


def _all_of(consumer: Consumer, topic: str) -> list[tuple[str | None, str | None]]:
    rows: dict[int, list[tuple[str | None, str | None]]] = {
        partition: [] for partition in sorted(consumer.list_topics(topic, _PATIENCE).topics[topic].partitions)
    }
    consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in rows])
    unread: set[int | None] = set(rows)
    deadline = time.monotonic() + _PATIENCE
    while unread:
        message = consumer.poll(1)
        if message is None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"partitions {unread} of {topic} were not read within {_PATIENCE:.0f} s")
            continue
        error, partition = message.error(), message.partition()
        if error is None and partition is not None:
            rows[partition].append((_text(message.key()), _text(message.value())))
        elif error is not None and error.code() == KafkaError._PARTITION_EOF:
            unread.discard(partition)
        else:
            raise KafkaException(error)
    return [row for of_partition in rows.values() for row in of_partition]


def _text(content: str | bytes | None) -> str | None:
    return content.decode() if isinstance(content, bytes) else content
