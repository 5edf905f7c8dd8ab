"""The indexes for matching that are tested alike, and a model that each of them must agree with."""

from dataclasses import dataclass
from functools import partial

import numba
from hypothesis import settings

from limen.queries.match.construct_index import ConstructIndex
from limen_lab.rivals import rtree
from limen_lab.rivals.cei import CEI
from limen_lab.rivals.ces import CES
from limen_lab.rivals.counting import Counting
from limen_lab.rivals.direct_list import DirectList
from limen_lab.rivals.scan import Scan
from limen_lab.rivals.skip_list import IntervalSkipList
from limen_lab.rivals.vci import VCI
from limen_lab.rivals.vcr import VCR

COMPILED = not numba.config.DISABLE_JIT
# As plain Python, every line is what counts; the compiled run checks all cases.
fewer_uncompiled = settings() if COMPILED else settings(max_examples=6)


@dataclass(frozen=True)
class Kind:
    """How to make an index, and the numbers of dimensions that it takes."""

    name: str
    make: object  # called with the dimensions
    dimensions: tuple

    def __str__(self):
        return self.name


def of_its_own(make):
    """Make an index of a kind that has one number of dimensions only."""
    return lambda _dimensions: make()


KINDS = (
    Kind("scan", Scan, (1, 2, 3)),
    Kind("IS-list", of_its_own(IntervalSkipList), (1,)),
    Kind("IS-list, tall", of_its_own(partial(IntervalSkipList, up=0.7, seed=1)), (1,)),
    Kind("direct list", of_its_own(DirectList), (1,)),
    Kind("CEI", of_its_own(CEI), (1,)),
    Kind("CEI, fine", of_its_own(partial(CEI, cells_a_box=40, k=3, cells_for_each=20)), (1,)),
    Kind("CES", of_its_own(CES), (2,)),
    Kind("CES, fine", of_its_own(partial(CES, k=2, cells_for_each=40)), (2,)),
    Kind("STR-tree", rtree.PackedTree, (1, 2)),
    Kind("R-tree", rtree.DynamicTree, (1, 2, 3)),
    Kind("VCI", of_its_own(VCI), (1,)),
    Kind("VCR", of_its_own(VCR), (2,)),
    Kind("several columns", ConstructIndex, (2, 3)),
    Kind("counting", Counting, (2, 3)),
)

EACH = [(kind, dimensions) for kind in KINDS for dimensions in kind.dimensions]
