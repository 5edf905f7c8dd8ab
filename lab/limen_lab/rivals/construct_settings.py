"""Settings of VCI and VCR, checked."""

import math

from limen.errors import InvalidInput
from limen.queries.match.axis import Domain


def checked_domain(domain: Domain) -> Domain:
    """Refuse what is no domain."""
    lo, hi = domain
    if not (math.isfinite(lo) and math.isfinite(hi) and lo < hi):
        raise InvalidInput(where="domain", expected="two finite numbers lo < hi", got=domain)
    return float(lo), float(hi)


def checked_sizes(longest: int | None, cells: tuple[int, ...] | None) -> None:
    """Refuse sizes that cannot be, alone or together."""
    if cells is not None and min(cells) < 1:
        raise InvalidInput(where="cells", expected="one or more", got=min(cells))
    if longest is not None and longest < 1:
        raise InvalidInput(where="longest, the L of constructs", expected="one or more", got=longest)
    if longest is not None and cells is not None and longest > min(cells):
        raise InvalidInput(
            where="longest, the L of constructs",
            expected=f"no more than the {min(cells)} cells of the domain",
            got=longest,
            hint="give more cells or a smaller L, or leave either to be chosen by the index",
        )
