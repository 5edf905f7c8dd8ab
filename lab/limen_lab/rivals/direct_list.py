"""The direct list, the simplest of the indexes that virtual constructs are measured against."""

from limen_lab.rivals.cei import CEI


class DirectList(CEI):
    """Intervals, listed by each cell that they cover: encoded intervals of which none are joined.

    One list holds the answer, so nothing is faster to look up; an interval is listed as often as it has cells.

    Parameters
    ----------
    cells_a_box : float
        How many cells an interval of median width has, which is how often it is listed. With fewer, more have to be
        compared at the end.
    cells_for_each : float
        The most cells there may be, in proportion to the intervals.

    References
    ----------
    K.-L. Wu, S.-K. Chen, P. S. Yu, *Indexing Continual Range Queries for Efficient Stream Processing*, §2.5.
    """

    def __init__(self, *, cells_a_box: float = 8, cells_for_each: float = 0.5) -> None:
        super().__init__(cells_a_box=cells_a_box, k=0, cells_for_each=cells_for_each)
