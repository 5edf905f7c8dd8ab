"""Locks of a checkpoint and of a telemetry folder: one job each. The system releases them when the process ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from limen.errors import StateError
from limen.jobfile.endpoints import local_path

_NAME = ".limen.lock"
_HINTS = {
    "checkpoint": "stop that job, or give this one a checkpoint of its own",
    "telemetry folder": "stop that job, or give this one a folder of its own in [console]",
}


@contextmanager
def only_job(checkpoint: str, telemetry: str | None = None) -> Iterator[None]:
    """Lock the checkpoint of a job, and its telemetry folder if it has one.

    A checkpoint that is not on a local disk is not locked: Spark takes care of it, when two jobs write the same batch.
    Neither is a telemetry folder that cannot be written, which stops no job.
    """
    with ExitStack() as held:
        folder = local_path(checkpoint)
        if folder is not None:
            try:
                _hold(held, "checkpoint", folder)
            except OSError as error:
                raise StateError(
                    where="checkpoint",
                    expected="a folder that can be written to",
                    got=f"{checkpoint}: {error.strerror}",
                ) from error
        if telemetry is not None:
            with suppress(OSError):  # a job runs without telemetry
                _hold(held, "telemetry folder", Path(telemetry))
        yield


def _hold(held: ExitStack, what: str, folder: Path) -> None:
    """Lock a folder until the stack is closed; if another process holds it, raise an error that names the process."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / _NAME, os.O_RDWR | os.O_CREAT, 0o644)
    held.callback(os.close, descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(descriptor, 20, 0).decode(errors="replace").strip()
        raise StateError(
            where=what,
            expected=f"a {what} that no other job is using",
            got=f"{folder}, in use by process {holder or 'unknown'}",
            hint=_HINTS[what],
        ) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
