"""A server as a process of its own, on a port of this machine: started, stopped, killed, and never left behind."""

import atexit
import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

_PATIENCE = 60.0  # seconds after which a server is taken not to start, or not to stop, any more
_GLANCE = 0.05  # seconds from one look to the next
# Below the ports that systems give to clients: while a server is away, a client that tries to reach it
# could be given the server's own port, and keep it.
_PORTS = range(15_000, 32_000)


def free_port() -> int:
    """Return a port of the loopback interface that nobody listens on."""
    for port in random.SystemRandom().sample(_PORTS, 100):
        with socket.socket() as trial, suppress(OSError):
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(("127.0.0.1", port))
            return port
    raise OSError(f"no free port among a hundred of {_PORTS}")


class Process:
    """A running server.

    Parameters
    ----------
    command
        What to run.
    log : Path
        Where its output goes, after what is there.
    user : str, optional
        Whom to run it as. Only root has a choice.
    folder : Path, optional
        Where to run it.
    """

    def __init__(
        self, command: Sequence[object], log: Path, *, user: str | None = None, folder: Path | None = None
    ) -> None:
        self._log = log
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [str(word) for word in command],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                user=user,
                group=user,
                extra_groups=None if user is None else [],
                start_new_session=True,  # Ctrl-C is for the tests, which then stop the server in order
            )
        # Should the tests be killed, the pipe to this one closes, and it kills the server in our place.
        self._heir = subprocess.Popen(
            ["sh", "-c", 'read -r _; kill -9 "$1"', "sh", str(self._process.pid)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        atexit.register(self.kill)

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Wait until the server is ready; if it never is, end it and show what it said."""
        deadline = time.monotonic() + _PATIENCE
        while not ready():
            code = self._process.poll()
            if code is not None or time.monotonic() > deadline:
                self.kill()
                what = f"not ready after {_PATIENCE:.0f} s" if code is None else f"ended with code {code}"
                raise RuntimeError(f"the server {what}:\n{self._log.read_text(errors='replace')[-4000:]}")
            time.sleep(_GLANCE)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Ask it to end, and come back when it has. One that does not listen is killed, and that is an error."""
        self._process.send_signal(how)
        try:
            self._process.wait(_PATIENCE)
        finally:
            self.kill()

    def kill(self) -> None:
        """Kill it and its children, as a power cut does, and come back when none of them is left."""
        family = [] if self._process.poll() is not None else _children(self._process.pid)
        self._heir.kill()  # first: once the server is gone, its number may be anybody's
        self._heir.communicate()
        self._process.kill()
        self._process.wait()
        for pid in family:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + _PATIENCE
        while any(map(_lives, family)) and time.monotonic() < deadline:
            time.sleep(_GLANCE)
        atexit.unregister(self.kill)


def _children(parent: int) -> list[int]:
    listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = (line.split() for line in listing.splitlines())
    return [int(pid) for pid, its_parent in pairs if int(its_parent) == parent]


def _lives(pid: int) -> bool:
    # A zombie touches nothing; it waits for a parent that may never ask.
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")
