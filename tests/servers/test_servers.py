"""The servers that other tests lean on: they keep what they were given, whatever happens to them."""

from pathlib import Path

import pytest

from tests.servers import kafka, postgres

pytestmark = pytest.mark.slow


@pytest.mark.soak
def test_a_broker_keeps_its_messages_when_killed_and_when_stopped(tmp_path: Path) -> None:
    if reason := kafka.why_not():
        pytest.skip(reason)
    first, second = ("a", "1"), ("b", "2")
    with kafka.Broker(tmp_path) as broker:
        servers = broker.servers
        broker.create_topic("rows", partitions=2)
        kafka.produce(servers, "rows", [first])
        assert kafka.consume(servers, "rows") == [first]

        broker.stop(kill=True)
        broker.start()
        assert broker.servers == servers
        assert kafka.consume(servers, "rows") == [first]

        kafka.produce(servers, "rows", [second])
        broker.stop()
        broker.start()
        assert sorted(kafka.consume(servers, "rows")) == [first, second]


def test_postgres_keeps_its_rows_when_killed_and_when_stopped() -> None:
    if reason := postgres.why_not():
        pytest.skip(reason)
    with postgres.Postgres() as server:
        url = server.url
        server.rows("create table t (name text primary key)")
        server.rows("insert into t values ('a')")

        server.stop(kill=True)
        server.start()
        assert server.url == url
        assert server.rows("select name from t") == [("a",)]

        server.rows("insert into t values ('b')")
        server.stop()
        server.start()
        assert server.rows("select name from t order by name") == [("a",), ("b",)]
