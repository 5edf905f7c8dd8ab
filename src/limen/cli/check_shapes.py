"""What `limen check` reports of a file of shapes besides its problems: its contents and its overlaps."""

from pathlib import Path

import typer

from limen.errors import shorten
from limen.formats.geo import Fences
from limen.formats.geo.overlaps import find_overlaps

_SHOWN = 3


def report_fences(path: Path, fences: Fences) -> None:
    """Print repairs, problems, and remarks on the rest."""
    for problem in (*fences.repairs, *fences.problems()):
        typer.echo(problem.within(path))
    for remark in (*fences.remarks(), *_properties(fences), *_overlaps(fences)):
        typer.echo(f"{path}: {remark}")


def _properties(fences: Fences) -> list[str]:
    return [f"properties {', '.join(fences.file.properties)}"] if fences.file.properties else []


def _overlaps(fences: Fences) -> list[str]:
    """Describe which features overlap, by how much, and which pairs overlap most."""
    good = [position for position in fences.good() if fences.geometries[position] is not None]
    if len(good) < 2:
        return []
    names = [str(fences.ids.texts[position]) for position in good]
    overlaps = find_overlaps(fences.geometries[good], names, lonlat=fences.lonlat)
    found = []
    if len(overlaps.pairs):
        about = "about " if fences.lonlat else ""
        largest = ", ".join(
            f"{area_text(area, lonlat=fences.lonlat)} of {shorten(names[one], 40)} and {shorten(names[other], 40)}"
            for (one, other), area in zip(
                overlaps.pairs[:_SHOWN].tolist(), overlaps.areas[:_SHOWN].tolist(), strict=True
            )
        )
        total = area_text(float(overlaps.areas.sum()), lonlat=fences.lonlat)
        how = " (as on a map that is flat at their latitude)" if fences.lonlat else ""
        pairs = "pairs" if len(overlaps.pairs) > 1 else "pair"
        found.append(f"{len(overlaps.pairs):,} {pairs} of features overlap, by {about}{total} in all{how}: {largest}")
    else:
        found.append("no two features overlap")
    if overlaps.unseen:
        found[0] += f"; {overlaps.unseen:,} pairs of neighbours were not looked at"
    return found


def area_text(area: float, *, lonlat: bool) -> str:
    """Write an area, with a unit where it is known.

    Examples
    --------
    >>> area_text(0.49142, lonlat=True), area_text(2_500_000, lonlat=True), area_text(12, lonlat=False)
    ('0.491 m²', '2.5 km²', '12')
    """
    if not lonlat:
        return _digits(area)
    return f"{_digits(area / 1e6)} km²" if area >= 1e5 else f"{_digits(area)} m²"


def _digits(number: float) -> str:
    return f"{number:,.0f}" if number >= 1000 else f"{number:.3g}"
