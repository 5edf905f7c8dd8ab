"""Draw the pictures of docs/geofence-stories.md and docs/answers.md, by running the examples that they tell of.

Run it by hand when they change; the documentation only shows the results. The maps of New York and Oldenburg must be
where `limen.simulate` looks for them, else the pictures are of made-up places.
"""

import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Draw."""
    folder = ROOT / "docs" / "stories"
    folder.mkdir(exist_ok=True)
    sys.path.insert(0, str(ROOT / "examples"))  # as it is when they are run as programs
    for name in ("taxi_zones", "coupons", "ride_hailing"):
        runpy.run_path(str(ROOT / "examples" / f"{name}.py"))["main"](folder)


if __name__ == "__main__":
    main()
