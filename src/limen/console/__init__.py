"""The console: a web page over a running job."""

from limen.console.server import application, serve

__all__ = ["application", "serve"]
