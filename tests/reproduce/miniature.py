"""Figures at the smallest scale, each measured once for all of its tests."""

from functools import cache
from importlib import import_module

from limen.reproduce.figure import Figure, Points


def figure(number: int) -> Figure:
    return import_module(f"limen.reproduce.bmq_{number}").FIGURE


@cache
def miniature(number: int) -> Points:
    return Points(figure(number).measure("tiny"))
