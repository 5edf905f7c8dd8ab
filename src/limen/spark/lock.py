"""One job a checkpoint: a lock that the system takes back when its holder is gone, however it went."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from limen.errors import StateError
from limen.jobfile.places import local_path

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = ".limen.lock"


@contextmanager
def only_job(checkpoint: str) -> Iterator[None]:
    """Hold a checkpoint on a local disk; of others Spark takes care itself, when two jobs write the same batch."""
    folder = local_path(checkpoint)
    if folder is None:
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / _NAME, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StateError(
            where="checkpoint",
            expected="a folder that can be written to",
            got=f"{checkpoint}: {error.strerror}",
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 20, 0).decode(errors="replace").strip()
            raise StateError(
                where="checkpoint",
                expected="a checkpoint that no other job is using",
                got=f"{checkpoint}, in use by process {holder or 'unknown'}",
                hint="stop that job, or give this one a checkpoint of its own",
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)
