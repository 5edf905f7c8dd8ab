"""Changes that the page has asked for: sent, waiting, in force since a batch, or rejected and why."""

from __future__ import annotations

import json
import time
from typing import Any

from limen.errors import LimenError
from limen.model.change import Register
from limen.model.wire import change_from_json, query_to_dict

Plain = dict[str, Any]

#: Changes that are remembered.
ROOM = 200


class Requests:
    """What was asked of the job, by the number (`seq`) that comes back with the answer."""

    def __init__(self) -> None:
        self._asked: dict[int, Plain] = {}
        self.version = 0

    def sent(self, seq: int, op: str, id: str, what: str) -> Plain:
        """Remember a change that was sent; `what` says it in words."""
        asked = {"seq": seq, "op": op, "id": id, "what": what, "state": "sent", "sent": time.time()}
        self._asked[seq] = asked
        while len(self._asked) > ROOM:
            del self._asked[next(iter(self._asked))]
        self.version += 1
        return asked

    def withdraw(self, seq: int) -> None:
        """Forget a change that could not be sent."""
        self._asked.pop(seq, None)
        self.version += 1

    def answered(self, change: Plain) -> None:
        """Take what the job says of a change: a line of `changes.jsonl`."""
        asked = self._asked.get(change.get("seq") or -1)
        if asked is None or asked["state"] == "in force":
            return
        asked["batch"] = change["batch"]
        if change.get("error"):
            asked["state"], asked["error"] = "rejected", change["error"]
        else:
            asked["state"] = "in force"
        self.version += 1

    def latest(self, limit: int = 20) -> list[Plain]:
        """Return the last changes, the newest first."""
        return list(reversed(self._asked.values()))[:limit]

    @staticmethod
    def query_of(change: Plain) -> Plain | None:
        """Return the query that a change registers, in wire form."""
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
