"""A real PostgreSQL server for tests, from the packages of the system."""

import atexit
import functools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Self

import psycopg

from tests.servers.process import Process, free_port

_PATIENCE = 60  # seconds to make an empty database
_INSTALLING = 300  # seconds to install the server, where it has to be
_USER = "postgres"

# Nobody else's disk, and a small machine. What was committed survives the server's death, not the machine's.
_SETTINGS = (
    "listen_addresses=127.0.0.1",
    "fsync=off",
    "full_page_writes=off",
    "shared_buffers=32MB",
    "unix_socket_directories=",
)


@functools.cache
def why_not() -> str | None:
    """Return why there can be no server here, or None if there can. Where it is missing, root installs it."""
    reason = None if _programs() else _install()
    if reason is None and os.geteuid() == 0:
        try:
            pwd.getpwnam(_USER)
        except KeyError:
            reason = f"PostgreSQL does not run as root, and there is no user {_USER}"
    return reason


class Postgres:
    """A server on a loopback port that trusts everybody. Stopped or killed, it can be started again with its data."""

    def __init__(self) -> None:
        self._port = free_port()
        self._user = _USER if os.geteuid() == 0 else None  # the server refuses to be root
        self._folder: Path | None = None
        self._process: Process | None = None

    @property
    def url(self) -> str:
        """Where it listens, in the words of libpq."""
        return f"postgresql://{_USER}@127.0.0.1:{self._port}/postgres"

    def start(self) -> None:
        """Start it, and come back when it answers."""
        if self._folder is None:
            self._folder = self._make_empty()
        settings = [word for setting in (f"port={self._port}", *_SETTINGS) for word in ("-c", setting)]
        command = [_program("postgres"), "-D", self._folder / "data", *settings]
        self._process = Process(command, self._folder / "server.log", user=self._user, folder=self._folder)
        self._process.wait_until(self._serves)

    def stop(self, *, kill: bool = False) -> None:
        """Stop it in order, without waiting for its clients, or kill it as a power cut does."""
        process, self._process = self._process, None
        if process is not None:
            process.kill() if kill else process.stop(signal.SIGINT)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a statement in a transaction of its own, and return its rows if it has any."""
        with psycopg.connect(self.url) as connection:
            cursor = connection.execute(sql.encode())
            return [] if cursor.description is None else cursor.fetchall()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(kill=True)
        if self._folder is not None:
            shutil.rmtree(self._folder)
            self._folder = None

    def _make_empty(self) -> Path:
        # Not among the files of the tests: the user who runs the server may not look there.
        folder = Path(tempfile.mkdtemp(prefix="limen-postgres-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        if self._user is not None:
            shutil.chown(folder, self._user, self._user)
        how = ("--username", _USER, "--auth", "trust", "--encoding", "UTF8", "--no-locale", "--no-sync")
        subprocess.run(
            [_program("initdb"), "--pgdata", folder / "data", *how],
            cwd=folder,
            user=self._user,
            group=self._user,
            extra_groups=None if self._user is None else [],
            capture_output=True,
            timeout=_PATIENCE,
            check=True,
        )
        return folder

    def _serves(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=1).close()
        except psycopg.OperationalError:
            return False
        return True


def _programs() -> Path | None:
    """Return the folder of the newest server's programs; Debian keeps them off the path."""
    found = [program.parent for program in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if found:
        return max(found, key=lambda folder: float(folder.parent.name))
    on_path = shutil.which("initdb")
    return None if on_path is None else Path(on_path).parent


def _program(name: str) -> Path:
    folder = _programs()
    if folder is None:
        raise FileNotFoundError(f"PostgreSQL's {name} is neither in /usr/lib/postgresql nor on the path")
    return folder / name


def _install() -> str | None:
    """Install the server; return why that failed, or None."""
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        return "PostgreSQL is not installed, and only root can do that, with apt-get"
    patient = ("-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10", "-o", f"DPkg::Lock::Timeout={_PATIENCE}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    said = ""
    for task in (("update",), ("install", "--yes", "--no-install-recommends", "postgresql")):
        try:
            done = subprocess.run(
                [apt, "--quiet", *patient, *task],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=_INSTALLING,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"PostgreSQL is not installed, and apt-get {task[0]} was not done after {_INSTALLING} s"
        said += done.stdout
    return None if _programs() else f"PostgreSQL is not installed, and apt-get could not do it: {said[-1000:]}"
