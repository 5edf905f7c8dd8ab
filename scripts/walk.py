"""Count the functions and files of Limen that one tuple of one `Border` query passes in `Engine.process`.

The engine is warm: it processed a few batches before, so that caches are filled and kernels compiled. The counted batch
has one row, which enters the query's region.

* A *function* is a code object of the package `limen` that is called at least once. A generator and a comprehension
  with a frame of its own are functions. A compiled kernel is one if Python calls it; what it calls inside is not seen.
* A *file* is a file of the package that holds one of them.
* A *switch* is a call in another file than the call before it, in the order in which the calls happen. Calls of other
  packages, such as NumPy, are left out.

`make walk` prints the numbers and their limits; `--verbose` lists the files. The exit code is 1 beyond a limit.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

import limen

if TYPE_CHECKING:
    from types import CodeType, FrameType

PACKAGE = str(Path(limen.__file__).parent) + "/"
WARM_BATCHES = 5
MOST_FILES = 18
MOST_SWITCHES = 45


def rows(second: int, price: float) -> pa.Table:
    """Return a batch of one tuple."""
    time = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)
    return pa.table({"symbol": ["IBM"], "time": [time], "price": [price]})


def walk() -> list[CodeType]:
    """Return the functions that one tuple passes, in the order of the calls."""
    columns = limen.Columns(id="symbol", time="time", values="price")
    engine = limen.Engine(columns, queries=[limen.Border("round", limen.Range(99, 101))])
    for second in range(WARM_BATCHES):
        engine.process(rows(second, 100.0 if second % 2 else 98.0))
    last = rows(WARM_BATCHES, 100.0)
    calls: list[CodeType] = []

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            calls.append(frame.f_code)

    sys.setprofile(profile)
    try:
        events = engine.process(last)
    finally:
        sys.setprofile(None)
    assert events.num_rows == 1, events
    return calls


def main() -> None:
    """Print functions, files and switches."""
    parser = argparse.ArgumentParser(description="What one tuple of one Border query passes in Engine.process.")
    parser.add_argument("--verbose", action="store_true", help="list the files, with the functions that are called")
    verbose = parser.parse_args().verbose
    calls = walk()
    functions, files = Counter(calls), sorted({code.co_filename for code in calls})
    switches = sum(one.co_filename != next_one.co_filename for one, next_one in pairwise(calls))
    print(f"functions {len(functions):4}")
    print(f"files     {len(files):4}   target at most {MOST_FILES}")
    print(f"switches  {switches:4}   target at most {MOST_SWITCHES}")
    if verbose:
        for file in files:
            print(file.removeprefix(PACKAGE))
            for code, times in functions.items():
                if code.co_filename == file:
                    print(f"    {code.co_qualname}" + (f" ×{times}" if times > 1 else ""))
    if len(files) > MOST_FILES or switches > MOST_SWITCHES:
        sys.exit(1)


if __name__ == "__main__":
    main()
