"""Widths of cache areas around regions, so that no stream enters a region unobserved."""

from limen.model.nearest import Nearest
from limen.model.options import Options
from limen.model.within import Within

# In units of the way that a stream can come between two reports.
STAYING_WITHIN = 0  # each report of a stream decides for itself
MOVING_WITHIN = 2  # while a stream waits for its next report, the center can come as far as in two
STAYING_NEAREST = 2  # the furthest of the nearest goes away, and another that waits has come closer
MOVING_NEAREST = 6  # both, and the center moves, too
AS_IN_THE_PAPER = 1


def cache_margin(query: Within | Nearest, options: Options) -> float:
    """Return how far the cache area of a query reaches beyond its region."""
    if options.cache_model == "paper":
        reaches = AS_IN_THE_PAPER
    elif isinstance(query, Nearest):
        reaches = STAYING_NEAREST if query.focal is None else MOVING_NEAREST
    else:
        reaches = STAYING_WITHIN if query.focal is None else MOVING_WITHIN
    reach = (options.max_speed or 0.0) * (options.report_every or 0) / 1e6
    return options.cache * reach * reaches
