"""The window: a folder into which a job tells some of what it does, and from which others look at it.

The job writes, a console reads, and neither waits for the other.
"""

from limen.window.looking import News, Told, Window
from limen.window.settings import WindowSettings

__all__ = ["News", "Told", "Window", "WindowSettings"]
