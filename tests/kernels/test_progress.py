"""What is said while kernels are compiled."""

import io
import logging
import time
from types import SimpleNamespace

import pytest

from limen.kernels import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch: pytest.MonkeyPatch):
    for name, value in {"_spent": 0.0, "_depth": 0, "_expected": set(), "_named": set(), "_listeners": []}.items():
        monkeypatch.setattr(progress, name, value)
    monkeypatch.setattr(progress, "PATIENCE", 0.05)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    shown = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=shown, modules={}))
    return shown


def compile_for(seconds: float, *queries: str) -> None:
    progress.expect(set(queries))
    with progress.compiling():
        time.sleep(seconds)


def test_a_long_compilation_is_announced_once(terminal: Terminal, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO, "limen.kernels")
    compile_for(0.2, "Nearest", "Border")
    compile_for(0.2, "Border")
    expected = "compiling kernels for Border and Nearest (once per machine, about 10 s)"
    assert terminal.getvalue() == expected + "\n"
    assert caplog.messages == [expected]


def test_a_short_compilation_is_not_announced(terminal: Terminal):
    compile_for(0.0)
    time.sleep(0.1)
    assert terminal.getvalue() == ""


def test_many_short_ones_are_a_long_one(terminal: Terminal):
    for _ in range(20):
        compile_for(0.01, "Pattern")
    assert terminal.getvalue().startswith("compiling kernels for Pattern ")


def test_another_kind_of_query_is_announced_as_well(terminal: Terminal):
    compile_for(0.2)
    compile_for(0.2, "Border")
    compile_for(0.2, "Nearest")
    said = [line.split(" (")[0].removeprefix("compiling kernels for ") for line in terminal.getvalue().splitlines()]
    assert said == ["streams", "Border", "Nearest"]


def test_a_program_that_is_not_at_a_terminal_has_it_in_the_log_only(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    caplog.set_level(logging.INFO, "limen.kernels")
    compile_for(0.2)
    assert terminal.getvalue() == ""
    assert len(caplog.messages) == 1


def test_a_listener_takes_the_announcement_in_place_of_the_terminal(terminal: Terminal):
    heard: list[str] = []
    progress.listen(heard.append)
    compile_for(0.2, "Match")
    assert terminal.getvalue() == ""
    assert [text.split(" (")[0] for text in heard] == ["compiling kernels for Match"]


def test_an_error_ends_a_compilation(terminal: Terminal):
    with pytest.raises(ValueError, match="no"), progress.compiling():
        raise ValueError("no")
    time.sleep(0.1)
    assert terminal.getvalue() == ""
    assert progress._depth == 0
