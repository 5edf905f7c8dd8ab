"""shapely, loaded when it is first needed: `import limen` must neither need it nor wait for it."""

import importlib
from typing import Any

from limen.errors import LimenError


def load_shapely() -> Any:  # it has no types
    """Import shapely, or raise an error with the install command."""
    try:
        return importlib.import_module("shapely")
    except ModuleNotFoundError as error:
        if error.name != "shapely":
            raise
        problem = "files of shapes need shapely, which is not installed"
        raise LimenError(problem, hint="pip install 'limen[geo]'") from error
