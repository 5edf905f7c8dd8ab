"""What was measured, kept in a folder: a CSV of points, a picture a panel, and a record that says it is complete."""

import csv
import hashlib
import io
import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from limen.errors import InvalidInput
from limen_lab.reproduce.figure import Figure, Point, Points, Verdict
from limen_lab.reproduce.machine import SCALES, RunConditions

HEADER = ("panel", "curve", "x", "category", "y")


@dataclass(frozen=True, slots=True)
class Result:
    """A figure, its points, what they show, how long they took, and under which conditions."""

    figure: Figure
    points: Points
    verdicts: tuple[Verdict, ...]
    conditions: RunConditions
    seconds: float


class Results:
    """The folder. Files appear whole or not at all; the record of a figure is written last.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise InvalidInput(
                where="--out", expected="a folder that can be written", got=f"{folder} ({error.strerror})"
            ) from error

    def csv_of(self, figure: Figure) -> Path:
        """Where the points are."""
        return self.folder / f"{figure.name}.csv"

    def picture_of(self, figure: Figure, letter: str) -> Path:
        """Where the picture of a panel is."""
        return self.folder / f"{figure.name}{letter}.png"

    def record_of(self, figure: Figure) -> Path:
        """Where it is said what the points show."""
        return self.folder / f"{figure.name}.json"

    def write(self, result: Result, pictures: dict[str, bytes]) -> None:
        """Keep a figure; `pictures` are PNG files by the letter of their panel."""
        figure, points = result.figure, _as_csv(result.figure, result.points)
        self.forget(figure)
        write_whole(self.csv_of(figure), points)
        for letter, picture in pictures.items():
            write_whole(self.picture_of(figure, letter), picture)
        record = {
            "figure": figure.name,
            "title": figure.title,
            "source": figure.source,
            "conditions": asdict(result.conditions),
            "seconds": round(result.seconds, 3),
            "identity": _identity(figure),
            "points": hashlib.sha256(points).hexdigest(),
            "verdicts": [{**asdict(each), "in a word": each.outcome_in_a_word} for each in result.verdicts],
        }
        text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
        write_whole(self.record_of(figure), text.encode())

    def read(self, figure: Figure, wanted: RunConditions) -> Result | None:
        """Return a figure that was measured completely under conditions that serve, and none otherwise.

        Its points are judged again, so that a better explanation needs no new measurement.
        """
        record = _read_record(self.record_of(figure))
        try:
            points = self.csv_of(figure).read_bytes()
            conditions = RunConditions(**record["conditions"])
            complete = (
                record["identity"] == _identity(figure)
                and record["points"] == hashlib.sha256(points).hexdigest()
                and conditions.scale in SCALES
                and conditions.serve(wanted)
                and all(self.picture_of(figure, panel.letter).is_file() for panel in figure.panels)
            )
            if not complete:
                return None
            read, seconds = Points(_from_csv(points)), float(record["seconds"])
        except (OSError, KeyError, TypeError, ValueError):  # of another version, or changed by hand: measure anew
            return None
        return Result(figure, read, tuple(figure.judge(read)), conditions, seconds)

    def has(self, name: str) -> bool:
        """Return whether there is a record of a figure by that name, whatever it is worth."""
        return (self.folder / f"{name}.json").is_file()

    def forget(self, figure: Figure) -> None:
        """Take the record away: the figure has to be measured again."""
        self.record_of(figure).unlink(missing_ok=True)


def _read_record(file: Path) -> dict[str, Any]:
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _identity(figure: Figure) -> dict[str, Any]:
    """Return what the points must fit: panels, curves, and the file they come from, if any."""
    return {
        "panels": [panel.letter for panel in figure.panels],
        "curves": [curve.name for curve in figure.curves],
        "input": figure.input_digest,
    }


def _as_csv(figure: Figure, points: Iterable[Point]) -> bytes:
    categories = {panel.letter: panel.categories for panel in figure.panels}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for point in points:
        named = categories[point.panel]
        category = named[int(point.x)] if named else ""
        writer.writerow([point.panel, point.curve, repr(float(point.x)), category, repr(float(point.y))])
    return text.getvalue().encode()


def _from_csv(content: bytes) -> list[Point]:
    rows = csv.DictReader(io.StringIO(content.decode()))
    return [Point(row["panel"], row["curve"], float(row["x"]), float(row["y"])) for row in rows]


def write_whole(file: Path, content: bytes) -> None:
    """Write a file that is there as a whole or not at all, whenever the process ends."""
    handle, partial = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
        os.chmod(partial, 0o644)  # noqa: PTH101  # a temporary file is readable by its owner only
        os.replace(partial, file)  # noqa: PTH105  # mkstemp returns text
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise
