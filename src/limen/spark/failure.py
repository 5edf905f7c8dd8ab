"""Explain why a job ended: Spark's long error as one sentence, with the exit code for a supervisor."""

import re

from limen.jobfile.code import Code
from limen.spark.sources import first_line

_OURS = re.compile(r"limen\.errors\.(\w+): (.+)")
_CAUSE = re.compile(r"Caused by: ([\w.$]+(?:: .+)?)")
_REMEDY = "Hint: put a copy of the checkpoint back in its place, or start with a new one"
_CHECKPOINT = ("CANNOT_LOAD_STATE_STORE", "STATE_STORE", "Multiple streaming queries are concurrently using")


class SinkFailed(Exception):
    """A sink did not take a batch."""


class SparkGone(Exception):
    """Spark is no longer reachable."""


class CheckpointGone(Exception):
    """The checkpoint of a running job was removed."""

    def __init__(self, checkpoint: str) -> None:
        super().__init__(
            f"checkpoint: {checkpoint} was removed while the job was running, and the job cannot go on without it."
            f" {_REMEDY}: the job then begins anew"
        )


_CHECKED = (SinkFailed, SparkGone)


def explain(error: Exception) -> tuple[str, Code]:
    r"""Explain why a query failed.

    Examples
    --------
    >>> explain(Exception("…\nlimen.errors.StateError: checkpoint: expected shards 2, got 3\n  at …"))
    ('checkpoint: expected shards 2, got 3', <Code.CHECKPOINT: 3>)
    """
    text = str(error)
    if isinstance(error, _CHECKED):
        return text, Code.FAILED
    if isinstance(error, CheckpointGone):
        return text, Code.CHECKPOINT
    ours = _OURS.findall(text)
    if ours:
        kind, message = ours[-1]
        return message.strip(), Code.CHECKPOINT if kind == "StateError" else Code.WRONG
    causes = _CAUSE.findall(text)
    message = causes[-1].strip() if causes else first_line(error)
    if any(word in text for word in _CHECKPOINT):
        return f"checkpoint: {message}. {_REMEDY}", Code.CHECKPOINT
    return message, Code.FAILED
