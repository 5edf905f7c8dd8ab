"""A log of query changes in the order of batches, collected from the files that workers write.

The queries in force are those of the job file with the changes of the log applied in order. A line with an error
changed nothing.
"""

import json
from pathlib import Path
from typing import Any

from limen.telemetry import folder_files
from limen.telemetry.atomic_files import append_line, read_lines, read_table, write_text
from limen.telemetry.retention import files_of

_LARGE = 64_000_000  # bytes from which compaction is worth its cost


class ChangeLog:
    """The change log of a telemetry folder, and the queries that it starts from."""

    def __init__(self, folder: Path, queries: list[str]) -> None:
        self._folder, self._queries = folder, queries
        self._path = folder / folder_files.CHANGES
        self._compacted = 0  # bytes after the last compaction

    def gather(self, until: int, problems: list[str]) -> None:
        """Append the changes of batches that have ended; `problems` are those that shards reported for the last one."""
        folder = self._folder / folder_files.CHANGES_FOLDER
        lines: list[str] = []
        done: list[Path] = []
        for part in files_of(folder):
            if part.batch <= until:
                done.append(folder / part.name)
                table, _ = read_table(done[-1])
                for row in table.to_pylist():
                    error = row["error"] or _error_of(row["id"], problems)
                    lines.append(json.dumps({"batch": part.batch, **row, "error": error, "from": "changes"}))
        if lines:
            append_line(self._path, "\n".join(lines))
        for path in done:
            path.unlink(missing_ok=True)
        if lines and self._path.stat().st_size > max(_LARGE, 2 * self._compacted):
            self.compact()

    def edited(self) -> None:
        """Append the differences between the queries of the previous run and those of this run."""
        path = self._folder / folder_files.QUERIES
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        then, now = _by_id(text.splitlines()), _by_id(self._queries)
        changes = [_line("deregister", id, None) for id in then if id not in now]
        changes += [_line("register", id, line) for id, line in now.items() if then.get(id) != line]
        if changes:
            append_line(self._path, "\n".join(changes))

    def compact(self) -> None:
        """Remove superseded changes; changes that are scheduled for different times all stay."""
        if not self._path.exists():
            return
        listed = _by_id(self._queries)
        latest: dict[tuple[str, Any], dict[str, Any]] = {}
        content = self._path.read_bytes()
        for line in read_lines(content):
            if line.get("error") is None and line.get("id") is not None:
                key = line["id"], line.get("at")
                latest.pop(key, None)
                latest[key] = line
        needed = {*listed, *(line["id"] for line in latest.values() if line["op"] == "register")}
        kept = [line for line in latest.values() if line["id"] in needed]
        text = "".join(json.dumps(line) + "\n" for line in kept)
        self._compacted = len(text)
        if len(text) < len(content):
            write_text(self._path, text)


def _error_of(id: str | None, problems: list[str]) -> str | None:
    """Return the reason why a shard refused a change that parsed, None if it took it."""
    refusals = f"deregister: no query has the id {id!r}", f"query {id!r}: refused"
    return next((problem for problem in problems if problem.startswith(refusals)), None)


def _by_id(lines: list[str]) -> dict[str, str]:
    return {json.loads(line)["id"]: line for line in lines if line.strip()}


def _line(op: str, id: str, query: str | None) -> str:
    change = {"op": op, "id": id} if query is None else {"op": op, "query": json.loads(query)}
    line = {"batch": None, "op": op, "id": id, "seq": None, "at": None, "change": json.dumps(change), "error": None}
    return json.dumps({**line, "from": "job file"})
