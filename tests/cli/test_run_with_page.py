"""`limen run --console` when the job has ended: on a terminal the page stays, unless the job was stopped."""

import io
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from limen.cli import run
from limen.errors import InvalidInput, StateError, Unreachable
from limen.jobfile import JobFile, read_job
from limen.jobfile.code import Code
from tests.jobfile.test_mistakes import GOOD


class Page:
    """A page that counts who waits for it."""

    url = "http://127.0.0.1:8080/"

    def __init__(self) -> None:
        self.waited = 0

    def wait(self) -> None:
        self.waited += 1
        raise KeyboardInterrupt


@pytest.fixture
def job(tmp_path: Path) -> JobFile:
    (tmp_path / "job.toml").write_text(GOOD)
    return read_job(tmp_path / "job.toml")


def played(
    job: JobFile, monkeypatch: pytest.MonkeyPatch, *, stopped: bool = False, terminal: bool = True, error: Any = None
) -> tuple[int, int, str]:
    """Return the exit code, how often the page was waited for, and what was printed."""
    seen: list[JobFile] = []

    def play(job: JobFile, *_: Any) -> Any:
        seen.append(job)
        if error is not None:
            raise error
        return Code.DONE, SimpleNamespace(stopped=stopped)

    monkeypatch.setattr(run, "play", play)
    page, screen = Page(), io.StringIO()
    console = Console(file=screen, force_terminal=terminal, color_system=None)
    code = run.play_with_page(job, console, None, page)  # type: ignore[arg-type]
    assert seen == [replace(job, console=replace(job.console, telemetry=True))]
    return code, page.waited, screen.getvalue()


def test_the_page_stays_when_the_job_has_ended_by_itself(job: JobFile, monkeypatch: pytest.MonkeyPatch) -> None:
    code, waited, printed = played(job, monkeypatch)
    assert (code, waited) == (0, 1)
    assert "its page stays at http://127.0.0.1:8080/ until Ctrl-C" in printed


def test_it_goes_with_a_job_that_was_stopped_or_is_a_supervisors(job: JobFile, monkeypatch: pytest.MonkeyPatch) -> None:
    assert played(job, monkeypatch, stopped=True)[:2] == (0, 0)
    assert played(job, monkeypatch, terminal=False)[:2] == (0, 0)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (StateError(where="checkpoint", expected="another"), Code.CHECKPOINT),
        (Unreachable(where="topic", expected="a broker"), Code.FAILED),
        (InvalidInput(where="source", expected="a folder"), Code.WRONG),
        (OSError("no"), Code.WRONG),
    ],
)
def test_it_stays_to_say_why_a_job_did_not_start(
    job: JobFile, monkeypatch: pytest.MonkeyPatch, error: Exception, code: Code
) -> None:
    assert played(job, monkeypatch, error=error)[:2] == (code, 1)
