"""The CPU time of a process and its descendants, as /proc has it."""

import os
from pathlib import Path


def processor_seconds(root: int) -> float | None:
    """Return the time of a process and its descendants, with those that have ended; None where it is not known.

    Examples
    --------
    >>> import os
    >>> (processor_seconds(os.getpid()) or 1.0) > 0
    True
    >>> processor_seconds(2**30) is None
    True
    """
    ticks: dict[int, int] = {}
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # After the name, which stands in brackets and may have any character: state, parent, …
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        process = int(path.parent.name)
        parents[process] = int(fields[1])
        ticks[process] = sum(map(int, fields[11:15]))  # its own, and of children that have ended
    if root not in ticks:
        return None
    family = {root}
    while grown := {process for process, parent in parents.items() if parent in family} - family:
        family |= grown
    return sum(ticks[process] for process in family) / os.sysconf("SC_CLK_TCK")
