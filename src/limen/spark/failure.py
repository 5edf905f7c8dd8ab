"""Why a job ended: from what Spark says, which is long, to a sentence and a code that a supervisor can act upon."""

from __future__ import annotations

import re
from enum import IntEnum

from limen.spark.sources import first_line


class Code(IntEnum):
    """How a job ended."""

    DONE = 0  # all taken, or stopped as asked
    FAILED = 1  # something outside broke; starting again may help, and loses nothing
    WRONG = 2  # the job file, its queries or its columns; starting again does not help
    CHECKPOINT = 3  # it is another job's, in use, damaged, or cannot be written; starting again does not help
    BROKEN_OFF = 130  # stopped at once by a second signal


_OURS = re.compile(r"limen\.errors\.(\w+): (.+)")
_CAUSE = re.compile(r"Caused by: ([\w.$]+(?:: .+)?)")
_CHECKPOINT = ("CANNOT_LOAD_STATE_STORE", "STATE_STORE", "Multiple streaming queries are concurrently using")


def explain(error: Exception) -> tuple[str, Code]:
    r"""Say why a query failed.

    Examples
    --------
    >>> explain(Exception("…\nlimen.errors.StateError: checkpoint: expected shards 2, got 3\n  at …"))
    ('checkpoint: expected shards 2, got 3', <Code.CHECKPOINT: 3>)
    """
    text = str(error)
    ours = _OURS.findall(text)
    if ours:
        kind, told = ours[-1]
        return told.strip(), Code.CHECKPOINT if kind == "StateError" else Code.WRONG
    causes = _CAUSE.findall(text)
    told = causes[-1].strip() if causes else first_line(error)
    if any(word in text for word in _CHECKPOINT):
        remedy = "Hint: put a copy of the checkpoint back in its place, or start with a new one"
        return f"checkpoint: {told}. {remedy}", Code.CHECKPOINT
    return told, Code.FAILED
