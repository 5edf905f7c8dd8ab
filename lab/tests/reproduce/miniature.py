"""Figures at the smallest scale, each measured once for all of its tests."""

from functools import cache, partial
from importlib import import_module

from limen_lab.reproduce.figure import Figure, Points


def figure(number: int, paper: str = "bmq") -> Figure:
    return import_module(f"limen_lab.reproduce.{paper}_{number}").FIGURE


@cache
def miniature(number: int, paper: str = "bmq") -> Points:
    return Points(figure(number, paper).measure("tiny"))


sole = partial(miniature, paper="sole")
