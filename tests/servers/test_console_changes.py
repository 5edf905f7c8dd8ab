"""Changes from the console's page to a job that takes them from Kafka: through a real broker, and without one."""

import json
from pathlib import Path

import pytest

from limen.console.control import Control, way
from limen.console.live_state import LiveState
from limen.errors import Unreachable
from limen.model.columns import Columns
from tests.console.city_job import EngineJob
from tests.servers import kafka
from tests.servers.process import free_port

pytestmark = pytest.mark.soak

FENCE = {"type": "border", "id": "fence", "region": {"type": "box", "lo": [0, 0], "hi": [3, 3]}}


def looked_at(folder: Path, servers: str) -> LiveState:
    changes = {"kafka": {"servers": servers, "topic": "changes"}}
    job = EngineJob(folder, Columns("id", "t", ("x", "y")), [], changes=changes)
    live = LiveState(folder)
    live.refresh()
    job.publisher.end()
    assert way(live.job)["open"]
    return live


def test_changes_go_to_the_topic(tmp_path: Path) -> None:
    if reason := kafka.why_not():
        pytest.skip(reason)
    with kafka.Broker(tmp_path / "kafka") as broker:
        broker.create_topic("changes")
        sent = Control(looked_at(tmp_path / "window", broker.servers)).register(FENCE)
        assert sent["state"] == "sent"
        ((_, message),) = kafka.consume(broker.servers, "changes")
    change = json.loads(message or "")
    assert (change["op"], change["query"], change["seq"]) == ("register", FENCE, sent["seq"])


def test_a_broker_that_does_not_answer_is_told(tmp_path: Path) -> None:
    live = looked_at(tmp_path / "window", f"127.0.0.1:{free_port()}")
    with pytest.raises(Unreachable, match="Kafka did not take the change"):
        Control(live).register(FENCE)
    assert live.requests.latest() == []
