"""`limen console`: a page over a job that runs, ran or will run."""

import os
from pathlib import Path  # typer looks at it
from typing import Annotated

import typer

from limen.cli.companion import WITH_PARENT, end_with_parent
from limen.cli.error_text import errors_as_text
from limen.jobfile import read_page
from limen.jobfile.console import TOKEN

_NICE = 15  # a job on the same machine goes first


def console(
    job: Annotated[Path, typer.Argument(help="The job file (TOML).")],
    host: Annotated[str | None, typer.Option(help="Where to listen; by default on this machine only.")] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The page's port, 8080 by default.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A value in place of the file's, as for `limen run`.")
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    with_parent: Annotated[bool, typer.Option(WITH_PARENT, hidden=True)] = False,
) -> None:
    """Show a job in a web page: streams, queries, events, throughput and lateness.

    The job must publish its status: start it with `limen run --console`, or set window = true in [console]. It may be
    started before or after the console, and keeps running when the console ends. If other machines can reach the host,
    visitors need the token in LIMEN_CONSOLE_TOKEN.
    """
    if with_parent:
        end_with_parent()
    os.nice(_NICE)
    with errors_as_text():
        from limen.console import serve  # noqa: PLC0415  # an extra, and slow to load

        name, place = read_page(job, settings or ())
        folder = place.telemetry_settings().folder
        host, port = host or place.host, port or place.port
        if not with_parent:
            typer.echo(f"console of {name} at {url(host, port)}; Ctrl-C ends it, and not the job")
        serve(
            folder,
            name,
            host=host,
            port=port,
            token=os.environ.get(TOKEN),
            tiles=place.tiles,
            roads=place.roads,
            open_browser=open_browser,
        )


def url(host: str, port: int) -> str:
    """Return the address of the page.

    Examples
    --------
    >>> url("127.0.0.1", 8080), url("::1", 81)
    ('http://127.0.0.1:8080/', 'http://[::1]:81/')
    """
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
