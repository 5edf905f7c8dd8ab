"""Report the errors of a command: one line on the terminal and exit code 2."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from limen.errors import LimenError


@contextmanager
def errors_as_text() -> Iterator[None]:
    """Print an error of ours, or of the file system, instead of a traceback."""
    try:
        yield
    except (LimenError, OSError) as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None
