"""Run the first Python example of the README, as a newcomer would paste it.

`make wheel` calls it with the Python of an empty environment; the tests call it with their own.
"""

import re
import sys
from pathlib import Path

FENCED_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def first_example(readme: Path) -> str:
    """Return the source text of the first fenced Python block."""
    block = FENCED_PYTHON.search(readme.read_text(encoding="utf-8"))
    if block is None:
        raise SystemExit(f"{readme}: expected a fenced Python example, got none")
    return block.group(1)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    exec(compile(first_example(path), str(path), "exec"), {"__name__": "__main__"})
