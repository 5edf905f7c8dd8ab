"""Query changes, sent to the job through its control stream, so that they survive a restart and reach every shard."""

import json
import time
from pathlib import Path
from typing import Any

from limen.console.drawn_region import check_drawing
from limen.console.live_state import LiveState
from limen.console.query_table import HOLDS, PAUSED
from limen.errors import InvalidInput, InvalidQuery, InvalidStatement, LimenError, Unreachable
from limen.formats.query_json import Plain, query_from_dict, query_to_dict
from limen.sql import CreateQuery, CreateRegion, DropQuery
from limen.sql.parser import each_statement
from limen.sql.statement_files import another_stream
from limen.telemetry.atomic_files import write_text


def way(job: Plain | None) -> Plain:
    """Return whether changes can be sent, and if not, what to add to the job file."""
    if job is None:
        return {"open": False, "why": "There is no job yet.", "add": None}
    changes = job.get("changes")
    if not changes:
        file = job.get("job_file") or "the job file"
        add = '[queries]\nfolder = "changes"'
        return {"open": False, "why": f"This job takes no changes. To allow them, add to {file}:", "add": add}
    if changes.get("kafka") and not _kafka():
        why = "This job takes changes from Kafka. To send them from here, install confluent-kafka."
        return {"open": False, "why": why, "add": "pip install confluent-kafka"}
    return {"open": True, "why": "", "add": None}


class Control:
    """Send query changes to the job, and return their status."""

    def __init__(self, live: LiveState) -> None:
        self._live = live
        self._latest = 0

    def register(self, query: Plain, *, drawn: bool = False) -> Plain:
        """Register a query; the region of a drawn one is validated first."""
        if drawn and isinstance(query.get("region"), dict):
            check_drawing(query["region"])
        read = query_from_dict(query)
        read.check(self._live.columns)
        plain = query_to_dict(read)
        known = self._live.query_table.slot(read.id)
        again = known >= 0 and self._live.query_table.state[known] == HOLDS
        sent = self._send({"op": "register", "query": plain}, read.id, "replace" if again else "register")
        self._unpause(read.id)
        return sent

    def drop(self, id: str) -> Plain:
        """Drop a query."""
        state = self._state(id)
        if state == PAUSED:  # it is out already
            self._unpause(id)
            with self._live.lock:
                batch = (self._live.series.latest or {"batch": 0})["batch"]
                self._live.query_table.deregister(id, batch)
                self._live.turn += 1
            return {"seq": 0, "op": "drop", "id": id, "what": "drop", "state": "in force", "batch": batch}
        return self._send({"op": "deregister", "id": id}, id, "drop")

    def pause(self, id: str) -> Plain:
        """Deregister a query, and remember it as paused."""
        if self._state(id) == PAUSED:
            raise InvalidInput(where=f"query {id!r}", expected="one in force", got="a paused one")
        query = self._live.query_table.query(self._live.query_table.slot(id))
        assert query is not None
        self._live.reader.keep_paused([*self._others(id), query])
        return self._send({"op": "deregister", "id": id}, id, "pause")

    def resume(self, id: str) -> Plain:
        """Register a paused query again."""
        query = next((each for each in self._live.reader.paused() if str(each["id"]) == id), None)
        if query is None:
            raise InvalidInput(where=f"query {id!r}", expected="a paused one", got="one that is not paused")
        sent = self._send({"op": "register", "query": query}, id, "resume")
        self._unpause(id)
        return sent

    def sql(self, text: str, *, send: bool) -> list[Plain]:
        """Parse statements, and send their changes if all are valid; else raise the first error."""
        found: list[tuple[int, CreateQuery | DropQuery]] = []
        for line, statement in each_statement(text, {}):
            if isinstance(statement, InvalidStatement):
                raise statement
            if isinstance(statement, CreateRegion):
                continue
            if not isinstance(statement, CreateQuery | DropQuery):
                raise InvalidStatement(
                    line=line, column=1, expected="CREATE … or DROP QUERY", got=type(statement).__name__,
                    hint="here queries are created and dropped; `limen sql` and limen.spark.sql run a SELECT",
                )  # fmt: skip
            stream = self._live.stream
            if isinstance(statement, CreateQuery) and stream and statement.stream.casefold() != stream.casefold():
                raise another_stream(line, f"the stream {stream!r}", statement.stream, stream)
            try:
                if isinstance(statement, CreateQuery):
                    statement.query.check(self._live.columns)
                else:
                    self._state(statement.name)
            except (InvalidQuery, InvalidInput) as error:
                raise InvalidStatement.at(line, 1, error) from error
            found.append((line, statement))
        plain = [_described(statement) for _, statement in found]
        if not send:
            return plain
        return [
            self.register(query_to_dict(each.query)) if isinstance(each, CreateQuery) else self.drop(each.name)
            for _, each in found
        ]

    def _state(self, id: str) -> int:
        slot = self._live.query_table.slot(id)
        if slot < 0 or self._live.query_table.state[slot] not in (HOLDS, PAUSED):
            raise InvalidInput(where="query", expected="the id of a query of this job", got=repr(id))
        return int(self._live.query_table.state[slot])

    def _others(self, id: str) -> list[Plain]:
        return [each for each in self._live.reader.paused() if str(each["id"]) != id]

    def _unpause(self, id: str) -> None:
        paused = self._live.reader.paused()
        if len(others := self._others(id)) != len(paused):
            self._live.reader.keep_paused(others)

    def _send(self, change: Plain, id: str, what: str) -> Plain:
        job = self._live.job
        if not (found := way(job))["open"]:
            raise InvalidInput(found["why"], hint=found["add"])
        # From the clock, so that changes of several consoles are ordered by time; each number is unique.
        self._latest = max(time.time_ns() // 1000, self._latest + 1)
        change["seq"] = self._latest
        text = json.dumps(change)
        assert job is not None
        with self._live.lock:  # recorded first, since the response may arrive at once
            request = self._live.requests.sent(self._latest, change["op"], id, what)
        try:
            if job["changes"].get("folder"):
                _to_folder(Path(job["changes"]["folder"]), text, self._latest)
            else:
                _to_kafka(job["changes"]["kafka"], text)
        except BaseException:
            with self._live.lock:
                self._live.requests.withdraw(request["seq"])
            raise
        with self._live.lock:
            self._live.turn += 1
            return dict(request)


def _described(statement: CreateQuery | DropQuery) -> Plain:
    if isinstance(statement, DropQuery):
        return {"op": "drop", "id": statement.name}
    query = statement.query
    return {"op": "register", "id": query.id, "family": query.type, "warnings": list(statement.warnings)}


def _to_folder(folder: Path, text: str, number: int) -> None:
    """Write a file into a folder atomically; the source ignores the temporary name, which begins with a dot."""
    try:
        write_text(folder / f"console-{number}.jsonl", text + "\n")
    except OSError as error:
        raise Unreachable(f"the change could not be written to {folder}", got=str(error)) from error


def _kafka() -> Any:
    try:
        import confluent_kafka  # noqa: PLC0415  # only for jobs that take changes from Kafka
    except ImportError:
        return None
    return confluent_kafka


def _to_kafka(place: Plain, text: str) -> None:
    problems: list[str] = []
    producer = _kafka().Producer({"bootstrap.servers": place["servers"], "message.timeout.ms": 5000})
    producer.produce(
        place["topic"], text.encode(), callback=lambda error, _: problems.append(str(error)) if error else None
    )
    if producer.flush(6) or problems:
        raise Unreachable("Kafka did not take the change", got=problems[0] if problems else "no answer")


def as_problem(error: LimenError) -> Plain:
    """Return an error as the page shows it: its text, and its position in a statement."""
    plain: Plain = {"error": str(error)}
    if isinstance(error, InvalidStatement) and error.line is not None:
        plain |= {"line": error.line, "column": error.column}
    return plain
