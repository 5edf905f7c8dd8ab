"""Pictures that commands draw beside their output."""

from collections.abc import Callable
from importlib.util import find_spec


def drawn(draw: Callable[[], str]) -> str:
    """Draw a picture and return the line that describes it; without matplotlib, return how to install it."""
    return draw() if find_spec("matplotlib") is not None else "no picture: pip install 'limen[plots]'"
