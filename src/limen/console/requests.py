"""Query changes that the page has requested, with their state: sent, in force since a batch, or rejected and why."""

import json
import time

from limen.errors import LimenError
from limen.formats.query_json import Plain, change_from_json, query_to_dict
from limen.model.change import Register

#: Changes that are remembered.
ROOM = 200


class Requests:
    """Requested changes, by the number (`seq`) that the job returns with its result."""

    def __init__(self) -> None:
        self._requests: dict[int, Plain] = {}

    def sent(self, seq: int, op: str, id: str, what: str) -> Plain:
        """Record a change that was sent; `what` is its name on the page."""
        request = {"seq": seq, "op": op, "id": id, "what": what, "state": "sent", "sent": time.time()}
        self._requests[seq] = request
        while len(self._requests) > ROOM:
            del self._requests[next(iter(self._requests))]
        return request

    def withdraw(self, seq: int) -> None:
        """Remove a change that could not be sent."""
        self._requests.pop(seq, None)

    def answered(self, change: Plain) -> None:
        """Update a change with its result: a line of `changes.jsonl`."""
        request = self._requests.get(change.get("seq") or -1)
        if request is None or request["state"] == "in force":
            return
        request["batch"] = change["batch"]
        if change.get("error"):
            request["state"], request["error"] = "rejected", change["error"]
        else:
            request["state"] = "in force"

    def latest(self, limit: int = 20) -> list[Plain]:
        """Return the last changes, the newest first."""
        return list(reversed(self._requests.values()))[:limit]

    @staticmethod
    def query_of(change: Plain) -> Plain | None:
        """Return the query that a change registers, in JSON form."""
        text = change.get("change")
        if not text:
            return None
        try:
            read = json.loads(text)
            if isinstance(read.get("query"), dict):
                query: Plain = read["query"]
                return query
            found = change_from_json(text)  # one in SQL
        except (LimenError, ValueError):
            return None
        return query_to_dict(found.query) if isinstance(found, Register) else None
