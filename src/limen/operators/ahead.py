"""Times too far ahead: one wrong clock must not make everything else late.

A batch is described by its *spans*: its times sorted, and cut wherever the next one is more than `max_ahead` later.
Spans of parts of a batch put together are the spans of the whole, so shards that see only their part agree on where
the batch is cut, and nobody needs to see all its times.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: One row a span: its first and last time, and how many rows lie in it.
Spans = npt.NDArray[np.int64]

NONE: Spans = np.empty((0, 3), np.int64)


def spans_of(times: npt.NDArray[np.int64], max_ahead: int | None) -> Spans:
    """Describe the times of rows. Without a limit there is one span.

    Examples
    --------
    >>> spans_of(np.array([7, 1, 2, 9, 1]), 3).tolist()
    [[1, 2, 3], [7, 9, 2]]
    """
    if not len(times):
        return NONE
    if max_ahead is None:
        return np.array([[times.min(), times.max(), len(times)]])
    ordered = np.sort(times)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(ordered) > max_ahead) + 1])
    ends = np.append(starts[1:], len(ordered))
    return np.stack([ordered[starts], ordered[ends - 1], ends - starts], axis=1)


def joined(parts: list[Spans], max_ahead: int | None) -> Spans:
    """Describe a batch whose parts are described."""
    spans = np.concatenate([NONE, *parts])
    if not len(spans):
        return spans
    spans = spans[np.argsort(spans[:, 0], kind="stable")]
    reached = np.maximum.accumulate(spans[:, 1])
    apart = np.zeros(len(spans) - 1, np.bool_) if max_ahead is None else spans[1:, 0] - reached[:-1] > max_ahead
    starts = np.concatenate([[0], np.flatnonzero(apart) + 1])
    return np.stack(
        [spans[starts, 0], np.maximum.reduceat(spans[:, 1], starts), np.add.reduceat(spans[:, 2], starts)], axis=1
    )


def newest_accepted(spans: Spans, known: int | None, max_ahead: int | None) -> int | None:
    """Return the largest time of a batch that is not too far ahead, None when there is none.

    `known` is the largest time before the batch. Without one the batch's own median stands in for it: a wrong clock
    does not make the others wrong.
    """
    if not len(spans):
        return None
    if max_ahead is None:
        return int(spans[-1, 1])
    if known is None:
        rows = np.cumsum(spans[:, 2])
        median = int(np.searchsorted(rows, (rows[-1] - 1) // 2, side="right"))
        return int(spans[median, 1])
    newest = None
    for first, last, _ in spans.tolist():
        # Within a span, steps are short; one that begins behind `known` may still end too far beyond it only by
        # such steps, which carry `known` along.
        if first > known + max_ahead:
            break
        newest = last
        known = max(known, last)
    return newest
