"""`limen warm`: compile kernels before they are needed."""

from time import perf_counter
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from limen.cli.error_text import errors_as_text


def warm(
    families: Annotated[
        list[str] | None,
        typer.Argument(help="border, match, transition, answer, budget or pattern; by default all."),
    ] = None,
) -> None:
    """Compile kernels now, on all cores, so that no user waits for them.

    They are kept in LIMEN_CACHE_DIR, by default in the user's cache folder, for this version of Limen, Python and
    Numba and for this processor. Use it in images and in CI.
    """
    with errors_as_text():
        from limen.kernels import cache  # noqa: PLC0415  # not to check what is wrong
        from limen.warm import Warming, check_families  # noqa: PLC0415

        names, began, folder = check_families(families or []), perf_counter(), cache.folder(cache.__file__)
        before = _files(folder)
        with Progress(console=Console(stderr=True)) as progress:
            task = progress.add_task("compiling kernels", total=1.0)
            for share in Warming(names).wait():
                progress.update(task, completed=share)
        new = len(_files(folder) - before)
        compiled = f"{new} kernels compiled" if new else "all kernels were there"
        typer.echo(f"{', '.join(sorted(names))}: {compiled}, {perf_counter() - began:.0f} s; in {folder}")


def _files(folder: object) -> set[str]:
    from pathlib import Path  # noqa: PLC0415

    return {each.name for each in Path(str(folder)).iterdir() if not each.name.startswith(".")} if folder else set()
