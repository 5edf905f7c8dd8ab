"""A driver in a process of its own, with its JVM and Python workers: started, watched and killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

PROJECT = Path(__file__).parents[2]
PATIENCE = 180.0  # seconds after which something that must happen is taken not to happen any more
_GLANCE = 0.01  # seconds from one look to the next


class Driver:
    """A running job.

    Parameters
    ----------
    module : str
        The program.
    arguments
        Of the program.
    log : Path
        Where its output goes, after what is there.
    """

    def __init__(self, module: str, arguments: Iterable[object], log: Path) -> None:
        self._log = log
        with log.open("ab") as output:
            # A session of its own: whatever the driver starts stays in it, even after the driver is gone.
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, *map(str, arguments)],
                cwd=PROJECT,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        """Whether it is still at work."""
        return self._process.poll() is None

    def wait(self, seconds: float = PATIENCE) -> int | None:
        """Wait for the end and return the exit code, or None if there was no end within that time."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def workers(self) -> list[int]:
        """Return the Python workers. The driver starts the JVM, that starts a daemon, and its forks are the workers."""
        family = self._family()
        generation = {self._process.pid}
        for _ in range(3):
            generation = {pid for pid, parent in family.items() if parent in generation}
        return sorted(generation)

    def processes(self) -> list[int]:
        """Return all processes: driver, JVM, daemon and workers."""
        return sorted(self._family())

    def signal(self, number: int) -> None:
        """Send the driver a signal, as a supervisor does."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kill driver, JVM and workers at once, and come back when none of them is left to touch the checkpoint."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        until(self._nobody_is_left, "the end of a killed driver's processes")
        self._process.wait()

    def log_tail(self, length: int = 4000) -> str:
        """Return the end of the output."""
        return self._log.read_text(errors="replace")[-length:]

    def _nobody_is_left(self) -> bool:
        family = self._family()
        for pid in family:  # the daemon has a process group of its own
            kill_process(pid)
        return not family

    def _family(self) -> dict[int, int]:
        """Return the living processes of the session, and the parent of each."""
        listing = subprocess.run(
            ["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True
        ).stdout
        family = {}
        for line in listing.splitlines():
            pid, parent, state = line.split()
            if not state.startswith("Z"):  # a zombie touches nothing; it waits for a parent that may never ask
                with suppress(ProcessLookupError):
                    if os.getsid(int(pid)) == self._process.pid:
                        family[int(pid)] = int(parent)
        return family


def kill_process(pid: int) -> bool:
    """Kill a process; tell whether it was there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def until(happened: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
    """Wait until something has happened."""
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:.0f} s for {what}")
        time.sleep(_GLANCE)
