"""Find the folders of real data sets: in a folder that is named, or beside the project."""

import os
from collections.abc import Sequence
from pathlib import Path

from limen.errors import InvalidInput

DATA_FOLDER = "LIMEN_DATA"  # the environment variable


def find_data(name: str, files: Sequence[str]) -> Path | None:
    """Return the folder of a data set; None where there is none.

    Parameters
    ----------
    name : str
        The data set: a folder within the one that the environment variable LIMEN_DATA names, or else within
        `shared/data` in the current folder or one above it.
    files : sequence of str
        What must be in it.
    """
    if given := os.environ.get(DATA_FOLDER):
        return holding(Path(given) / name, files, DATA_FOLDER)
    here = Path.cwd()
    places = (above / "shared" / "data" / name for above in (here, *here.parents))
    return next((place for place in places if _holds(place, files)), None)


def holding(folder: Path, files: Sequence[str], where: str) -> Path:
    """Return the folder; raise an error if a file is missing. A folder that is named explicitly has no fallback."""
    if not _holds(folder, files):
        raise InvalidInput(where=where, expected=f"a folder with {' and '.join(files)}", got=str(folder))
    return folder


def _holds(folder: Path, files: Sequence[str]) -> bool:
    return all((folder / name).is_file() for name in files)
