"""Figures at the smallest scale, each measured once for all of its tests."""

from functools import cache, partial

from limen_lab.reproduce.figure import Figure, Points
from limen_lab.reproduce.figure_catalogue import load


def figure(number: int, paper: str = "bmq") -> Figure:
    return load(f"{paper}-{number}")


@cache
def miniature(number: int, paper: str = "bmq") -> Points:
    return Points(figure(number, paper).measure("tiny"))


sole = partial(miniature, paper="sole")
