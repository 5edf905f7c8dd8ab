"""Read a file of shapes, validate it, and turn it into queries."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from limen.errors import InvalidInput, InvalidQuery
from limen.formats.geo.crs import check_crs
from limen.formats.geo.feature_file import FeatureFile, Outline
from limen.formats.geo.feature_files import read_features
from limen.formats.geo.feature_ids import FeatureIds, ids_of
from limen.formats.geo.regions import Merged, merge, radii_of, region_of
from limen.formats.geo.shape_queries import query_maker
from limen.formats.geo.validity import describe_repair, faults, repaired
from limen.formats.problem import Problem
from limen.model.columns import Columns
from limen.model.query import Query
from limen.model.region import Region
from limen.model.shape import Circle


@dataclass(slots=True)
class Fences:
    """What became of the features of a file; lists of features are by their position, from 0.

    Parameters
    ----------
    file, ids
        What was read.
    lonlat
        Whether coordinates are degrees.
    outlines
        Each feature's geometry, repaired where that was requested; None where it cannot be read.
    geometries
        The same for shapely; None for points, and where there is nothing that it could hold.
    errors
        What is wrong with features, by position.
    repairs
        The faults of features that were repaired, and the results of the repair.
    queries, merged
        The queries, and which of them are several features.
    """

    file: FeatureFile
    ids: FeatureIds
    lonlat: bool
    outlines: list[Outline | None]
    geometries: npt.NDArray[np.object_]
    errors: dict[int, InvalidQuery] = field(default_factory=dict)
    repairs: list[Problem] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    merged: list[Merged] = field(default_factory=list)

    def label(self, position: int) -> str:
        """Return the display name of a feature; by its line where it has one."""
        if self.file.lines is None:
            return self.ids.label(position)
        return self.ids.label(position).replace(f"feature {position + 1}", f"line {self.file.lines[position]}", 1)

    def problems(self) -> list[Problem]:
        """Return the problems, in the order of the file."""
        return [self._problem(position, str(self.errors[position])) for position in sorted(self.errors)]

    def first_error(self) -> InvalidQuery | None:
        """Return what is wrong with the first bad feature, as an error that names it."""
        if not self.errors:
            return None
        position = min(self.errors)
        error = self.errors[position]
        if self.geometries[position] is not None and error.problem is not None and error.problem != "zero area":
            hint = "repair=True repairs it; limen check lists all invalid features"
            error = InvalidQuery(error.problem, where=error.where, expected=error.expected, got=error.got, hint=hint)
        return error.within(f"{self.file.name} {self.label(position)}")

    def good(self) -> list[int]:
        """Return the positions of features that are, or are part of, a query."""
        return [position for position in range(len(self.file)) if position not in self.errors]

    def remarks(self) -> list[str]:
        """Return warnings about features that were accepted."""
        kinds = Counter(outline.type for outline in self.outlines if outline is not None)
        listed = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
        some_kinds = f" ({listed})" if kinds else ""
        found = [f"{len(self.file):,} features{some_kinds}, ids from {self.ids.source}"]
        heights = sum(outline is not None and outline.has_z for outline in self.outlines)
        if heights:
            found.append(f"{heights:,} features have more than two coordinates; only the first two are used")
        if self.merged:
            some = ", ".join(map(str, self.merged[:5])) + (", …" if len(self.merged) > 5 else "")
            what = "ids are" if len(self.merged) > 1 else "id is"
            found.append(f"{len(self.merged):,} {what} shared by features, which became one MultiPolygon each: {some}")
        return found

    def _problem(self, position: int, reason: str) -> Problem:
        if self.file.lines is not None:
            return Problem(self.file.lines[position], reason)
        return Problem(None, reason, self.ids.label(position))

    def _repair(self, position: int, fault: InvalidQuery) -> bool:
        outline = self.outlines[position]
        assert outline is not None
        found = repaired(outline, self.geometries[position])
        if found is None:
            return False
        self.outlines[position], self.geometries[position] = found
        self.repairs.append(self._problem(position, f"{fault}; {describe_repair(found[0])}"))
        return True


def read_fences(
    path: Path,
    kind: str,
    id: str | None,
    arguments: Mapping[str, Any],
    *,
    radius: str | float | None = None,
    crs: str = "lonlat",
    repair: bool = False,
    columns: Columns | None = None,
) -> Fences:
    """Read a file of shapes; the parameters are those of `limen.load_queries`."""
    make = query_maker(kind, arguments, path.name)
    if crs not in ("lonlat", "planar"):
        raise InvalidInput(where=f"{path.name}: crs", expected="'planar' or 'lonlat'", got=repr(crs))
    file = read_features(path)
    if crs == "lonlat":
        check_crs(file.crs, file.name)
    fences = _judged(file, ids_of(file, id), lonlat=crs == "lonlat", repair=repair)
    radii = radii_of(file, radius)
    regions: dict[int, Region] = {}
    for position in fences.good():
        outline = fences.outlines[position]
        assert outline is not None
        try:
            regions[position] = region_of(outline, radii[position])
        except InvalidQuery as error:
            fences.errors[position] = error
    for name, positions in _by_id(fences, regions).items():
        query = make(name, _one_region(fences, regions, positions))
        try:
            if columns is not None:
                query.check(columns)
        except InvalidQuery as error:
            fences.errors[positions[0]] = error
        else:
            fences.queries.append(query)
    return fences


def _judged(file: FeatureFile, ids: FeatureIds, *, lonlat: bool, repair: bool) -> Fences:
    outlines = [outline if isinstance(outline, Outline) else None for outline in file.outlines]
    fences = Fences(file, ids, lonlat, outlines, np.empty(len(file), object))
    for position, text in enumerate(ids.texts):
        if isinstance(text, InvalidQuery):
            fences.errors[position] = text
    for position, unread in enumerate(file.outlines):
        if isinstance(unread, InvalidQuery):
            fences.errors[position] = unread
    there = [position for position, outline in enumerate(outlines) if outline is not None]
    found, fences.geometries[there] = faults([each for each in outlines if each is not None], lonlat=lonlat)
    for position, fault in zip(there, found, strict=True):
        repairable = fault is not None and fences.geometries[position] is not None and position not in fences.errors
        if fault is not None and not (repair and repairable and fences._repair(position, fault)):  # noqa: SLF001
            fences.errors.setdefault(position, fault)
    return fences


def _by_id(fences: Fences, regions: dict[int, Region]) -> dict[str, list[int]]:
    """Group features by their ids; what cannot be one region with those before it is wrong."""
    groups: dict[str, list[int]] = {}
    for position, region in regions.items():
        name = fences.ids.texts[position]
        assert isinstance(name, str)
        others = groups.setdefault(name, [])
        if others and (isinstance(region, Circle) or isinstance(regions[others[0]], Circle)):
            expected = "an id of its own, as for every circle"
            fences.errors[position] = InvalidQuery(expected=expected, got=f"that of {fences.label(others[0])}")
        else:
            others.append(position)
    return groups


def _one_region(fences: Fences, regions: dict[int, Region], positions: list[int]) -> Region:
    if len(positions) == 1:
        return regions[positions[0]]
    region, united = merge([regions[each] for each in positions], fences.geometries[positions])  # type: ignore[misc]
    name = str(fences.ids.texts[positions[0]])
    fences.merged.append(Merged(name, tuple(each + 1 for each in positions), united))
    return region
