"""Run a second `limen` command in a child process that ends with this one, however this one ends."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Self

_PATIENCE = 5.0  # seconds to end in good order
WITH_PARENT = "--with-parent"


class Companion:
    """A process that runs as long as this is open. The command must take `--with-parent`; see `end_with_parent`.

    `words` are the arguments of `limen`. Its messages go to `log`, by default to where those of this process go.
    """

    def __init__(self, *words: str, log: Path | None = None) -> None:
        self._words, self._log = words, log
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        messages: IO[bytes] | None = None if self._log is None else self._log.open("ab")
        # In its own session, Ctrl-C does not reach it: this process handles Ctrl-C and shuts down in order.
        self._process = subprocess.Popen(  # noqa: S603  # ourselves
            [sys.executable, "-m", "limen", *self._words, WITH_PARENT],
            stdin=subprocess.PIPE,
            stdout=messages,
            stderr=messages,
            start_new_session=True,
        )
        if messages is not None:
            messages.close()
        return self

    def __exit__(self, *_: object) -> None:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        process.terminate()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdin.close()

    @property
    def exit_code(self) -> int | None:
        """How it has ended; None while it runs."""
        return None if self._process is None else self._process.poll()

    def wait(self) -> None:
        """Wait until it ends."""
        assert self._process is not None
        self._process.wait()


def end_with_parent() -> None:
    """End when the process is gone that started this one and holds the other end of standard input."""

    def wait() -> None:
        while os.read(0, 4096):  # not through sys.stdin: a thread must not hold its lock when Python exits
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_PATIENCE)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
