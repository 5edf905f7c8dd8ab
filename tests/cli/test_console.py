"""`limen console`, and the console beside a job: how it starts, what keeps it from starting, how it ends."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from limen.cli import console_process
from limen.cli.companion import Companion
from limen.cli.console_process import ConsoleProcess
from limen.cli.main import app
from limen.errors import InvalidInput
from limen.jobfile import JobFile, read_job
from tests.jobfile.test_mistakes import GOOD
from tests.servers.process import free_port

PATIENCE = 60.0


def until(holds: Callable[[], Any], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"waited too long for {what}"
        time.sleep(0.05)


def state(pid: int) -> str:
    """Return the letter by which the system tells what a process does; X for one that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def running(pid: int) -> bool:
    return state(pid) not in "XZ"


@pytest.fixture
def job(tmp_path: Path) -> JobFile:
    (tmp_path / "job.toml").write_text(GOOD)
    return read_job(tmp_path / "job.toml")


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    calls: list[Any] = []
    monkeypatch.setattr("os.nice", lambda _: 0)  # this process serves nobody
    monkeypatch.setattr("limen.console.serve", lambda *words, **named: calls.append((words, named)))
    return calls


def test_the_page_gets_what_the_file_and_the_command_say(
    job: JobFile, served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIMEN_CONSOLE_TOKEN", "open sesame")
    done = CliRunner().invoke(app, ["console", job.file, "--port", "81", "--set", "console.host=::1"])
    assert done.exit_code == 0, done.output
    assert "console of fleet at http://[::1]:81/" in done.output
    ((folder, name), named) = served[0]
    assert (folder, name) == (f"{job.checkpoint}-window", "fleet")
    assert named == {
        "host": "::1", "port": 81, "token": "open sesame", "tiles": None, "roads": None, "open_browser": False
    }  # fmt: skip


def test_a_file_without_a_place_for_the_window_is_told(job: JobFile, served: list[Any]) -> None:
    done = CliRunner().invoke(app, ["console", job.file, "--set", "checkpoint=s3://bucket/checkpoint"])
    assert done.exit_code == 2
    assert "console: folder: expected a folder on a disk that the job, its workers and the console share" in done.output
    assert not served


def test_without_the_extra_it_is_said_what_to_install(job: JobFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console_process, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=r"pip install 'limen\[console\]'"):
        ConsoleProcess(job).__enter__()
    done = CliRunner().invoke(app, ["run", job.file, "--console"])
    assert done.exit_code == 2
    assert "--console: expected the package starlette, got none" in done.output


def test_a_port_that_is_taken_and_an_address_without_a_token_are_told(
    job: JobFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LIMEN_CONSOLE_TOKEN", raising=False)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(InvalidInput, match="console: port: expected a port that is free"):
            ConsoleProcess(job, other.getsockname()[1]).__enter__()
    open_to_all = replace(job, console=replace(job.console, host="0.0.0.0"))
    with pytest.raises(InvalidInput, match="expected a token, since others can reach"):
        ConsoleProcess(open_to_all).__enter__()


def test_a_console_runs_beside_a_job_and_ends_with_it(job: JobFile, tmp_path: Path) -> None:
    port = free_port()
    with ConsoleProcess(job, port, log=tmp_path / "log") as page:
        assert page.url == f"http://127.0.0.1:{port}/"

        def answers() -> bool:
            with socket.socket() as visitor:
                return visitor.connect_ex(("127.0.0.1", port)) == 0

        until(answers, "the page")
        assert page.remark() is None
        assert page._process is not None
        pid = page._process.pid
    assert not running(pid)


def test_a_console_that_dies_is_told_once(job: JobFile, tmp_path: Path) -> None:
    port = free_port()
    with ConsoleProcess(job, port, log=tmp_path / "log") as page:
        assert page._process is not None
        page._process.kill()
        until(lambda: page.exit_code is not None, "its end")
        remark = page.remark()
        assert remark is not None
        assert f"the job goes on; more is in {tmp_path / 'log'}. Again: limen console {job.file}" in remark
        assert page.remark() is None


def test_a_companion_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from limen.cli.companion import Companion\n"
        f"words = ['simulate', 'live', '--out', {str(tmp_path)!r}, '--vehicles', '100', '--fences', '1']\n"
        "with Companion(*words) as companion:\n"
        "    print(companion._process.pid, flush=True)\n"
        "    time.sleep(600)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    until(lambda: list((tmp_path / "reports").glob("*.parquet")) if (tmp_path / "reports").exists() else [], "reports")
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    until(lambda: not running(child), "the companion's end")


def test_a_companion_that_does_not_listen_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limen.cli.companion._PATIENCE", 0.2)
    with Companion("simulate", "live", "--out", str(tmp_path), log=tmp_path / "log") as companion:
        process = companion._process
        assert process is not None
        process.send_signal(signal.SIGSTOP)
        until(lambda: state(process.pid) == "T", "its standstill")
    assert companion.exit_code == -signal.SIGKILL
