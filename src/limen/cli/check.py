"""`limen check`: validate a file of queries, and list the problems by line or feature."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from limen.cli.check_shapes import report_fences
from limen.cli.error_text import errors_as_text
from limen.cli.fence_picture import draw_fences
from limen.cli.picture import drawn
from limen.errors import InvalidInput
from limen.formats.geo import SUFFIXES, read_fences
from limen.formats.geo.write import write_fences
from limen.formats.load import check_queries
from limen.model.columns import Columns


class QueryKind(StrEnum):
    """The kind of query that every shape becomes."""

    BORDER = "border"
    TRANSITION = "transition"
    MATCH = "match"
    WITHIN = "within"


class CrsOption(StrEnum):
    """How coordinates are meant."""

    LONLAT = "lonlat"
    PLANAR = "planar"


def read_columns(columns: str | None, values: str | None, crs: str = "planar") -> Columns | None:
    """Return the columns given as JSON, as a JSON file, or as names of values; None when nothing is given."""
    if columns is not None and values is not None:
        raise InvalidInput(where="--columns", expected="either --columns or --values", got="both")
    if values is not None:
        return Columns(id="id", time="time", values=tuple(name.strip() for name in values.split(",")), crs=crs)
    if columns is None:
        return None
    text = columns if columns.lstrip().startswith("{") else Path(columns).read_text(encoding="utf-8")
    try:
        return Columns.from_dict(json.loads(text))
    except json.JSONDecodeError as error:
        raise InvalidInput(where="--columns", expected="a JSON object or a file with one", got=str(error)) from None


def check(
    queries: Annotated[
        Path,
        typer.Argument(
            help=f"File of queries, JSON lines (.jsonl) or SQL (.sql), or of shapes ({' '.join(SUFFIXES)})."
        ),
    ],
    columns: Annotated[
        str | None,
        typer.Option(
            help='Columns the queries are about, as JSON or a JSON file: {"id": …, "time": …, "values": […]}.'
        ),
    ] = None,
    values: Annotated[
        str | None, typer.Option(help="Short for --columns when only values matter: their names, as in x,y.")
    ] = None,
    kind: Annotated[QueryKind, typer.Option(help="Of shapes: the type of the queries.")] = QueryKind.BORDER,
    id: Annotated[str | None, typer.Option(help="Of shapes: the property that holds the ids.")] = None,
    radius: Annotated[
        str | None, typer.Option(help="Of points: the property that holds their radius, or a number for all.")
    ] = None,
    within: Annotated[str | None, typer.Option(help="Of transitions: the time limit, as in '3 minutes'.")] = None,
    crs: Annotated[
        CrsOption | None, typer.Option(help="Degrees, or coordinates as they are; shapes are in degrees by default.")
    ] = None,
    repair: Annotated[
        Path | None,
        typer.Option(help="Repair shapes that are not valid, and write all good ones to this GeoJSON file."),
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw regions of two dimensions into this PNG file.")] = None,
) -> None:
    """Validate a file of queries or shapes and report everything bad. Exit code 1 if there is something."""
    shapes = queries.suffix.lower() in SUFFIXES
    system = crs or (CrsOption.LONLAT if shapes else CrsOption.PLANAR)
    arguments: dict[str, Any] = {} if within is None else {"within": within}
    with errors_as_text():
        if columns is not None and crs is not None:
            raise InvalidInput(where="--crs", expected="none beside --columns, which defines it", got=str(crs))
        given = read_columns(columns, values, system)
        wrong = []
        if shapes:
            _check_destination(repair, queries)
            fences = read_fences(
                queries,
                kind,
                id,
                arguments,
                radius=_radius(radius),
                crs=given.crs if given is not None else system,
                repair=repair is not None,
                columns=given,
            )
            good, problems = fences.queries, fences.problems()
            wrong = [fences.outlines[position] for position in fences.errors]
            report_fences(queries, fences)
            remarks = [query.remark() for query in good[:1]]  # the column types are compatible here
            if repair is not None:
                typer.echo(f"{write_fences(repair, fences):,} features written to {repair}")
        else:
            good, problems = check_queries(
                queries, given, kind.value, id, radius=radius, repair=repair is not None, **arguments
            )
            for problem in problems:
                typer.echo(problem.within(queries))
            remarks = [query.remark() for query in good]
        for remark in filter(None, remarks):
            typer.echo(f"{queries}: {remark}")
        if picture is not None:
            lonlat = (given.crs if given is not None else system) == "lonlat"
            typer.echo(drawn(lambda: draw_fences(picture, queries.name, good, wrong, lonlat=lonlat)))
    typer.echo(f"{len(good):,} good, {len(problems):,} bad")
    if problems:
        raise typer.Exit(1)


def _radius(radius: str | None) -> str | float | None:
    """Read a number as one for all; any other text is the name of a property."""
    try:
        return None if radius is None else float(radius)
    except ValueError:
        return radius


def _check_destination(repair: Path | None, queries: Path) -> None:
    if repair is None:
        return
    if repair.suffix.lower() not in (".geojson", ".json"):
        raise InvalidInput(where="--repair", expected="a .geojson file to write", got=repr(repair.name))
    if repair.exists() and queries.exists() and repair.samefile(queries):
        raise InvalidInput(where="--repair", expected="another file than the one that is checked", got=str(repair))
