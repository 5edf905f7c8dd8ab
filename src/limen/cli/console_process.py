"""Run the console in a process beside a job: neither waits for the other; the console ends with the command."""

import os
import socket
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from limen.cli.companion import Companion
from limen.cli.console import url
from limen.errors import InvalidInput
from limen.jobfile import JobFile
from limen.jobfile.console import TOKEN


class ConsoleProcess(Companion):
    """A console that runs as long as this is open; `port` and `overrides` replace values of the job file."""

    def __init__(
        self, job: JobFile, port: int | None = None, overrides: Sequence[str] = (), log: Path | None = None
    ) -> None:
        self._job, self._host, self._port = job, job.console.host, port or job.console.port
        replaced = [word for override in overrides for word in ("--set", override)]
        super().__init__("console", job.file, "--port", str(self._port), *replaced, log=log)
        self._reported = False

    @property
    def url(self) -> str:
        """Where the page is."""
        return url(self._host, self._port)

    def __enter__(self) -> Self:
        self._check()
        return super().__enter__()

    def remark(self) -> str | None:
        """Report once that the console has ended by itself; the job continues."""
        if self.exit_code is None or self._reported:
            return None
        self._reported = True
        more = "" if self._log is None else f"; more is in {self._log}"
        again = f"limen console {self._job.file}"
        return f"the console has ended (exit code {self.exit_code}), the job goes on{more}. Again: {again}"

    def _check(self) -> None:
        """Report at once what would keep the console from starting."""
        for package in ("starlette", "uvicorn", "websockets"):
            if find_spec(package) is None:
                raise InvalidInput(
                    where="--console",
                    expected=f"the package {package}",
                    got="none",
                    hint="pip install 'limen[console]'",
                )
        from limen.console.guard import check_address  # noqa: PLC0415  # only with the extra

        check_address(self._host, os.environ.get(TOKEN))
        self._job.console.telemetry_settings()
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind((self._host.strip("[]"), self._port))
            except OSError as error:
                raise InvalidInput(
                    where="console: port",
                    expected="a port that is free",
                    got=f"{self._port}: {error.strerror}",
                    hint="--port chooses another one",
                ) from error
