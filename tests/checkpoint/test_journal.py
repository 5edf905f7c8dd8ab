"""State in pages: whoever goes on from them, however far behind, goes on as if nothing had happened."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen import Columns
from limen.checkpoint import journal as journals
from limen.checkpoint.journal import Journal
from limen.checkpoint.manifest import Manifest
from limen.errors import StateError
from limen.formats.query_json import query_from_dict
from limen.model.change import Deregister, Register
from limen.model.options import Options
from limen.runtime.events import Events, table_of
from tests import subject
from tests.strategies import Scenario, crowd, scenarios, shuttles
from tests.subject import Subject, assert_same_events


class MemoryPages:
    """Pages that are committed all at once."""

    def __init__(self) -> None:
        self.committed: dict[str, bytes] = {}
        self.current: dict[str, bytes] = {}
        self.written = 0

    def get(self, name: str) -> bytes | None:
        return self.current.get(name)

    def put(self, name: str, page: bytes) -> None:
        self.current[name] = page
        self.written += len(page)

    def remove(self, name: str) -> None:
        self.current.pop(name, None)

    def commit(self) -> None:
        self.committed = dict(self.current)

    def roll_back(self) -> None:
        self.current = dict(self.committed)


class Workers:
    """Several workers, each with a copy of the shard that may be behind; every call is served by one of them."""

    def __init__(self, columns: Mapping[str, Any], queries: Iterable[Mapping[str, Any]], workers: int, **options: Any):
        self.plain = columns
        self.columns = Columns(**columns)
        self.options = Options.of(options)
        self.pages = MemoryPages()
        self.copies: list[Journal | None] = [None] * workers
        self.turn = 0
        self._serve("change", [Register(query_from_dict(form)) for form in queries])

    def serve_next(self, worker: int) -> None:
        self.turn = worker

    def _serve(self, call: str, *arguments: Any) -> list[dict[str, Any]]:
        journal = self._journal()
        events = getattr(journal.shard, call)(*arguments)
        return self._end(journal, events)

    def _journal(self) -> Journal:
        found = Manifest.read(self.pages)
        copy = self.copies[self.turn]
        if copy is None or (found is not None and not copy.can_catch_up(found[0])):
            copy = Journal(self.columns, self.options, {})
        if found is not None:
            # Types come with the schema on Spark; here they are what any worker has seen.
            copy.shard.types.update({name: subject.ATTRIBUTE_TYPES[name] for name in found[1]["types"]})
            copy.catch_up(self.pages, *found)
        self.copies[self.turn] = copy
        return copy

    def _end(self, journal: Journal, events: list[Events]) -> list[dict[str, Any]]:
        table = table_of(events, journal.shard.catalogue.ids, journal.shard.streams.ids)
        journal.shard.tidy()
        journal.save(self.pages, {"types": list(journal.shard.types)})
        return subject._plain(table)

    def process(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        journal = self._journal()
        shard = journal.shard
        return self._end(journal, shard.process(subject._table(rows, self.plain)))

    def register(self, query: Mapping[str, Any], at: int | None = None) -> list[dict[str, Any]]:
        return self._serve("change", [Register(query_from_dict(query), at)])

    def deregister(self, query_id: str, at: int | None = None) -> list[dict[str, Any]]:
        return self._serve("change", [Deregister(query_id, at)])

    def advance(self, to: int) -> list[dict[str, Any]]:
        return self._serve("advance", to)

    def close(self) -> list[dict[str, Any]]:
        return self._serve("close")


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "PAGE", 2)
    monkeypatch.setattr(journals, "FEWEST_CHANGES", 3)
    monkeypatch.setattr(journals, "MOST_BEHIND", 6)


def run(scenario: Scenario, workers: Workers, plan: st.DataObject | None, seed: int = 0) -> None:
    steady = Subject(scenario.columns, scenario.queries, **scenario.options)
    workers.pages.commit()
    for number, step in enumerate(scenario.steps):
        expected = getattr(steady, step.call)(**step.arguments)
        attempts = plan.draw(st.integers(0, 1), label="failed attempts") if plan else 0
        for _ in range(attempts):
            workers.serve_next(plan.draw(st.integers(0, len(workers.copies) - 1), label="worker that fails"))
            getattr(workers, step.call)(**step.arguments)
            workers.pages.roll_back()
        workers.serve_next(
            plan.draw(st.integers(0, len(workers.copies) - 1), label="worker") if plan else (number * 7 + seed) % 3
        )
        got = getattr(workers, step.call)(**step.arguments)
        workers.pages.commit()
        assert_same_events(expected, got, f"step {number}: {step}")
        assert {event["event_id"] for event in got} == {event["event_id"] for event in expected}


@pytest.mark.usefixtures("small_pages")
@given(scenario=scenarios(max_dimensions=2) | shuttles(), data=st.data())
def test_any_worker_can_go_on_from_the_pages(scenario: Scenario, data: st.DataObject) -> None:
    run(scenario, Workers(scenario.columns, scenario.queries, 3, **scenario.options), data)


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("seed", range(3))
def test_many_streams_and_queries(seed: int) -> None:
    scenario = crowd(seed, queries=300, streams=40, ticks=12, dimensions=1 + seed % 2)
    run(scenario, Workers(scenario.columns, scenario.queries, 3, **scenario.options), None, seed)


def test_what_is_numbered_anew_after_a_restart_is_written_anew() -> None:
    columns = {"id": "s", "time": "t", "values": ["x"]}
    passing = [
        [{"type": "match", "id": f"{name}{number}", "region": {"type": "range", "lo": 9}} for number in range(5000)]
        for name in "ab"
    ]
    workers = Workers(columns, passing[0], 1, order="event", expire_after=1000)

    def restart() -> None:
        workers.copies = [None]

    def change(changes: list[Register | Deregister]) -> None:
        workers._serve("change", changes)

    change([Deregister(form["id"]) for form in passing[0]])  # numbered anew for the first time
    stay = {"type": "transition", "id": "stay", "region": {"type": "range", "lo": 0, "hi": 1}, "within": 60}
    change([Register(query_from_dict(form)) for form in (*passing[1], stay)])
    for second, x in ((0, 5.0), (1, 0.5), (2, 0.5)):
        workers.process([{"s": "car", "t": second * 1_000_000, "x": x}])
    restart()
    change([Deregister(form["id"]) for form in passing[1]])  # numbered anew by another worker, once more
    restart()
    events = workers.process([{"s": "car", "t": 200_000_000, "x": 0.5}, {"s": "b", "t": 300_000_000, "x": 5.0}])
    assert [(event["kind"], event["time"], event["started_at"]) for event in events] == [
        ("stayed", 61_000_000, 1_000_000)
    ]


def test_streams_numbered_anew_after_a_restart_are_written_anew() -> None:
    workers = Workers({"id": "s", "time": "t", "values": ["x"]}, [], 1, order="event", expire_after=10)
    kept = [f"kept {number}" for number in range(10)]

    def speak(second: int, *names: str) -> None:
        workers.process([{"s": name, "t": second * 1_000_000, "x": 5.0} for name in (*names, *kept)])

    speak(0, *(f"a{number}" for number in range(6000)))
    for second in (9, 18, 27):
        speak(second)
    speak(30, *(f"b{number}" for number in range(6000)))
    speak(39)
    workers.copies = [None]
    speak(48)  # forgets the second crowd, as the first batch after a restart
    workers.copies = [None]
    speak(57)
    copy = workers.copies[0]
    assert copy is not None
    assert int(copy.shard.streams.live.sum()) == len(kept)


def busy(streams: int, updated: int, batches: int) -> list[int]:
    """Return the bytes written in each batch when some of the streams update."""
    workers = Workers({"id": "s", "time": "t", "values": ["x"]}, [], 1, order="arrival")
    everyone = [{"s": f"s{number}", "t": 0, "x": 1.0} for number in range(streams)]
    workers.process(everyone)
    written = []
    for batch in range(1, batches + 1):
        before = workers.pages.written
        some = [{"s": f"s{(batch * 7919 + 31 * k) % streams}", "t": batch, "x": 2.0} for k in range(updated)]
        workers.process(some)
        written.append(workers.pages.written - before)
    return written


def test_a_batch_writes_what_it_changed_and_not_all_there_is() -> None:
    everything = busy(40_000, 40_000, 2)[-1]
    few = busy(40_000, 400, 60)
    assert max(few) < everything / 5
    assert sum(few) / len(few) < everything / 7


def test_records_do_not_pile_up() -> None:
    workers = Workers({"id": "s", "time": "t", "values": ["x"]}, [], 1, order="arrival")
    workers.process([{"s": f"s{number}", "t": 0, "x": 1.0} for number in range(8 * journals.PAGE)])
    for batch in range(1, 60):
        workers.process(
            [{"s": f"s{(batch * 5003 + 977 * k) % (8 * journals.PAGE)}", "t": batch, "x": 2.0} for k in range(20)]
        )
    records = [name for name in workers.pages.current if name.startswith("record/")]
    assert 0 < len(records) <= 9


def test_a_page_that_is_missing_is_told() -> None:
    workers = Workers({"id": "s", "time": "t", "values": ["x"]}, [], 2, order="arrival")
    workers.process([{"s": "a", "t": 0, "x": 1.0}])
    workers.pages.remove("streams/0")
    workers.serve_next(1)
    with pytest.raises(StateError, match=r"streams/0.*damaged"):
        workers.process([{"s": "a", "t": 1, "x": 1.0}])


def test_another_version_is_refused() -> None:
    workers = Workers({"id": "s", "time": "t", "values": ["x"]}, [], 1)
    directory, facts, repeats = Manifest.read(workers.pages)
    page = directory.to_bytes({**facts, "version": 99}, repeats)
    workers.pages.put("directory", page)
    with pytest.raises(StateError, match=r"version 99.*release of Limen that wrote"):
        Manifest.read(workers.pages)
