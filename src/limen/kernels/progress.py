"""Say that kernels are being compiled, when a user has waited for a second."""

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 1.0  # seconds of compilation before anything is said

#: By the name of a query, for about how many seconds of one core the kernels that it needs at first are compiled.
SECONDS = {"Border": 5, "Match": 5, "Transition": 6, "Pattern": 6, "Within": 10, "Nearest": 10}
OTHERS = "streams", 5  # what is compiled, before there is a query

_log = logging.getLogger("limen.kernels")
_lock = threading.Lock()
_spent, _depth = 0.0, 0
_expected, _named = set[str](), set[str]()  # queries: those that there are, and those that were announced
_listeners: list[Callable[[str], None]] = []


def expect(queries: set[str]) -> None:
    """Note for which queries, by the names of their classes, kernels may have to be compiled."""
    _expected.update(queries)


@contextmanager
def compiling() -> Iterator[None]:
    """Count the time of a compilation, with all that is compiled for it, and announce it if it takes long."""
    global _spent, _depth  # noqa: PLW0603
    _depth += 1
    if _depth > 1:  # for another one, which is counted
        try:
            yield
        finally:
            _depth -= 1
        return
    began = time.monotonic()
    timer = threading.Timer(max(PATIENCE - _spent, 0.0), announce)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _depth -= 1
        _spent += time.monotonic() - began


def announce() -> None:
    """Say what is compiled and about how long it takes: once for each kind of query."""
    with _lock:
        new = sorted(_expected - _named) or ([] if _named else [OTHERS[0]])
        _named.update(new)
    if not new:
        return
    seconds = max(SECONDS.get(name, OTHERS[1]) for name in new)
    text = f"compiling kernels for {' and '.join(new)} (once per machine, about {seconds} s)"
    _log.info(text)
    for listener in _listeners:
        listener(text)
    if not _listeners and (sys.stderr.isatty() or hasattr(sys, "ps1") or "ipykernel" in sys.modules):
        print(text, file=sys.stderr, flush=True)  # noqa: T201  # a user waits, at a terminal or a notebook


def listen(listener: Callable[[str], None]) -> None:
    """Call a function with every announcement, instead of writing it to the terminal."""
    _listeners.append(listener)
