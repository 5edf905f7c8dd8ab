"""The figures by name: one module each, found by its file's name and loaded when it is first used."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from limen.errors import InvalidInput, LimenError, did_you_mean
from limen_lab.reproduce.figure import Figure

ALL = "all"
_MODULE = re.compile(r"(bmq|ccq|sole|vc)_(\d\d|rtmq)")
_WITH_PANEL = re.compile(r"(?P<figure>.*\d)(?P<panel>[a-z].*)")
_LIBRARIES = {"rtree", "shapely", "matplotlib"}


@cache
def names() -> tuple[str, ...]:
    """Return the names of all figures, without loading any of them."""
    files = Path(__file__).parent.glob("*/*.py")
    return tuple(sorted(file.stem.replace("_", "-") for file in files if _MODULE.fullmatch(file.stem)))


def load(name: str) -> Figure:
    """Return a figure by its name."""
    module = f"limen_lab.reproduce.{name.partition('-')[0]}.{name.replace('-', '_')}"
    try:
        figure: Figure = import_module(module).FIGURE
    except ModuleNotFoundError as error:
        raise missing_library(f"figure {name}", error) from error
    assert figure.name == name, (figure.name, name)
    return figure


def resolve(requested: Iterable[str]) -> list[Figure]:
    """Return the figures that names stand for, each once, in the order of the papers.

    A name is a figure's (``bmq-10``), that of one of its panels (``bmq-10a``; its figure is meant, since the panels of
    a figure come from one measurement), or ``all``.

    Examples
    --------
    >>> [figure.name for figure in resolve(["vc-07", "vc-06"])]
    ['vc-06', 'vc-07']
    """
    wanted = {each for name in requested for each in _named(name)}
    return [load(name) for name in names() if name in wanted]


def _named(name: str) -> Iterator[str]:
    spelled = name.strip().casefold()
    if spelled == ALL:
        yield from names()
        return
    for candidate in _spellings(spelled):
        if candidate in names():
            yield candidate
            return
    with_panel = _WITH_PANEL.fullmatch(spelled)
    if with_panel:
        for candidate in _spellings(with_panel["figure"]):
            if candidate in names():
                _check_panel(load(candidate), with_panel["panel"], name)
                yield candidate
                return
    _refuse(name, [*names(), ALL])


def _spellings(name: str) -> tuple[str, ...]:
    """Return a name as it is, and with the zero that files have before a single digit: ``vc-6`` is ``vc-06``."""
    return name, re.sub(r"-(\d)$", r"-0\1", name)


def _check_panel(figure: Figure, panel: str, name: str) -> None:
    """Refuse a panel that the figure does not have; ``vc-12a`` is short for all panels that begin with an a."""
    letters = [each.letter for each in figure.panels]
    if not any(letter.startswith(panel) for letter in letters):
        _refuse(name, [figure.name, *(f"{figure.name}{letter}" for letter in letters if letter)])


def _refuse(name: str, choices: list[str]) -> None:
    hint = did_you_mean(name, choices) or "limen reproduce --list names them all"
    raise InvalidInput(where="figure", expected="a figure of the papers", got=repr(name), hint=hint)


def missing_library(wanted_by: str, error: ModuleNotFoundError) -> LimenError | ModuleNotFoundError:
    """Say that a library is not installed; an error of another kind stays as it is."""
    library = (error.name or "").partition(".")[0]
    if library not in _LIBRARIES:
        return error
    problem = f"{wanted_by} needs {library}, which is not installed"
    return LimenError(problem, hint=f"pip install {library}")
