"""Say that kernels are being compiled, when a user has waited for a second."""

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 1.0  # seconds of compilation before anything is said

#: By the folder of their kernels: what users call them, and for how many seconds they are compiled, on one core.
FAMILIES = {
    "answer": ("Within and Nearest", 10),
    "budget": ("a memory budget", 15),
    "match": ("Match", 5),
    "pattern": ("Pattern", 6),
    "transition": ("Transition", 6),
}
OTHERS = ("regions and streams", 5)

_log = logging.getLogger("limen.kernels")
_lock = threading.Lock()
_spent, _depth, _named = 0.0, 0, set[str]()
_listeners: list[Callable[[str], None]] = []


@contextmanager
def compiling(module: str) -> Iterator[None]:
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
    timer = threading.Timer(max(PATIENCE - _spent, 0.0), announce, [module])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _depth -= 1
        _spent += time.monotonic() - began


def announce(module: str) -> None:
    """Say what is compiled and about how long it takes: once for each family."""
    family = next((part for part in module.split(".") if part in FAMILIES), "")
    name, seconds = FAMILIES.get(family, OTHERS)
    with _lock:
        if name in _named:
            return
        _named.add(name)
    text = f"compiling kernels for {name} (once per machine, about {seconds} s)"
    _log.info(text)
    for listener in _listeners:
        listener(text)
    if not _listeners and (sys.stderr.isatty() or hasattr(sys, "ps1") or "ipykernel" in sys.modules):
        print(text, file=sys.stderr, flush=True)  # noqa: T201  # a user waits, at a terminal or a notebook


def listen(listener: Callable[[str], None]) -> None:
    """Call a function with every announcement, instead of writing it to the terminal."""
    _listeners.append(listener)
