"""`python -m limen` is `limen`."""

from limen.cli.main import app

app()
