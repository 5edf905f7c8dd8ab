"""The query families, and shards that have all of them."""

from limen.model.columns import Columns
from limen.model.options import Options
from limen.queries.answer.operator import MovingOperator
from limen.queries.answer.stationary import StationaryOperator
from limen.queries.border.operator import BorderOperator
from limen.queries.budget.operator import BudgetOperator
from limen.queries.match.operator import MatchOperator
from limen.queries.pattern.operator import PatternOperator
from limen.queries.regional.unconfirmed import Unconfirmed
from limen.queries.transition.operator import TransitionOperator
from limen.queries.transition.pending_crossings import PendingCrossings
from limen.runtime.catalogue import Families
from limen.runtime.query_operator import QueryOperator
from limen.runtime.shard import Shard

#: By name, which is the family of the queries, except for "budget": it takes those of "area" and "around". State
#: names operators by their position here, so new ones go to the end.
OPERATORS: dict[str, type[QueryOperator]] = {
    "border": BorderOperator,
    "match": MatchOperator,
    "transition": TransitionOperator,
    "area": StationaryOperator,
    "around": MovingOperator,
    "pattern": PatternOperator,
    "budget": BudgetOperator,
}


def new_shard(columns: Columns, options: Options) -> Shard:
    """Return an empty shard with all query families."""

    def operators() -> list[QueryOperator]:
        made = [operator(columns) for operator in OPERATORS.values()]
        for each in made:
            each.use(options)
        return made

    number = {name: position for position, name in enumerate(OPERATORS)}
    if options.keeps_significant:  # results of all kinds then share what is stored of streams
        number |= dict.fromkeys(("area", "around"), number["budget"])
    return Shard(
        columns, options, Families(operators, number, lambda: {"starts": PendingCrossings(), "doubts": Unconfirmed()})
    )
