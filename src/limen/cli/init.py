"""`limen init`: a job file to start from."""

from pathlib import Path
from typing import Annotated

import typer

from limen.cli.error_text import errors_as_text
from limen.errors import InvalidInput, did_you_mean
from limen.jobfile.endpoints import SOURCES
from limen.jobfile.template import job_template


def init(
    source: Annotated[str, typer.Argument(help=f"Where rows come from: {', '.join(SOURCES)}.")],
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path("job.toml"),
    force: Annotated[bool, typer.Option(help="Write over a file that is there.")] = False,
) -> None:
    """Write a commented job file for a source, to be edited and given to `limen run`."""
    with errors_as_text():
        if source not in SOURCES:
            raise InvalidInput(
                where="source",
                expected=f"one of {', '.join(SOURCES)}",
                got=repr(source),
                hint=did_you_mean(source, SOURCES),
            )
        if out.exists() and not force:
            raise InvalidInput(
                where="--out", expected="a file that does not exist", got=str(out), hint="--force replaces it"
            )
        out.write_text(job_template(source, out.stem), encoding="utf-8")
    typer.echo(f"{out}: edit it, then `limen run {out} --dry-run` checks it")
