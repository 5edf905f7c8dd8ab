"""Queries sorted into groups by what they have in common; however sorted, the answer is the oracle's."""

import numpy as np
import pytest

from limen.queries.regional.group import ConditionalGroup, Group, MixedGroup
from limen.queries.regional.operator import MOST_CONDITIONS
from tests.runtime.agreement import assert_as_the_oracle, border
from tests.strategies import SECOND, Step
from tests.subject import Subject

COLUMNS = {"id": "s", "time": "t", "values": ["x"], "attributes": ["level"]}


def walk(seed, streams=6, ticks=10):
    """Batches in which streams jump between whole numbers and change their level; some cells are missing."""
    random = np.random.default_rng(seed)
    for tick in range(ticks):
        yield [
            {
                "s": f"s{stream}",
                "t": tick * SECOND,
                "x": None if random.random() < 0.1 else float(random.integers(0, 6)),
                "level": None if random.random() < 0.1 else int(random.integers(0, 4)),
            }
            for stream in range(streams)
        ]


def batches(seed):
    return [Step("process", {"rows": rows}) for rows in walk(seed)]


def groups_of(subject, family=0):
    return [type(group) for group in subject.engine._shard.catalogue.operators[family].groups]


def conditions(count, value="level"):
    """So many conditions, all different, no two true together all the time."""
    return [f"{value} + {number} >= {number + number % 4}" for number in range(count)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("initial", ["silent", "report"])
def test_more_conditions_than_are_worth_a_group_each(seed, initial):
    queries = [
        border(f"q{number}", number % 5, number % 5 + 2, where=where, initial=initial)
        for number, where in enumerate(conditions(2 * MOST_CONDITIONS))
    ]
    subject = assert_as_the_oracle(COLUMNS, queries, batches(seed))
    assert groups_of(subject) == [ConditionalGroup] * MOST_CONDITIONS + [MixedGroup]


@pytest.mark.parametrize("seed", range(3))
def test_single_stream_alerts_each_with_a_condition(seed):
    queries = [
        border(f"q{number}", number % 5, 5, where=where, streams=[f"s{number % 7}", "nobody"], initial="report")
        for number, where in enumerate(conditions(40))
    ]
    subject = assert_as_the_oracle(COLUMNS, queries, batches(seed))
    assert groups_of(subject) == [MixedGroup]


@pytest.mark.parametrize("seed", range(3))
def test_matches_with_many_conditions(seed):
    queries = [
        {**border(f"q{number}", number % 5, number % 5 + 2, where=where), "type": "match"}
        for number, where in enumerate(conditions(MOST_CONDITIONS + 5, "x"))
    ]
    subject = assert_as_the_oracle(COLUMNS, queries, batches(seed))
    assert groups_of(subject, family=1)[-1] is MixedGroup


@pytest.mark.parametrize("seed", range(3))
def test_queries_come_go_and_change_their_group_while_streams_move(seed):
    random = np.random.default_rng(seed)
    steps = []
    for batch in batches(seed):
        steps.append(batch)
        for _ in range(12):
            form = border(f"q{random.integers(20)}", float(random.integers(0, 4)), 5, initial="report")
            if random.random() < 0.7:
                form["where"] = conditions(50)[random.integers(50)]
            if random.random() < 0.3:
                form["streams"] = [f"s{random.integers(6)}"]
            steps.append(Step("register", {"query": form}))
        steps.append(Step("deregister", {"query_id": form["id"]}))
    assert_as_the_oracle(COLUMNS, [], steps)


def test_conditions_that_mean_the_same_share_a_group():
    wheres = ["level>1", "level > 1", "(level > 1)", None, None]
    queries = [border(f"q{n}", 0, 2, where=where) for n, where in enumerate(wheres)]
    subject = Subject(COLUMNS, [{key: part for key, part in form.items() if part is not None} for form in queries])
    assert groups_of(subject) == [ConditionalGroup, Group]


def test_conditions_of_queries_that_are_gone_are_forgotten():
    subject = Subject(COLUMNS)
    for number in range(700):
        form = border(f"q{number}", 0, 2, where=f"level > {number}", streams=["a"])
        subject.register(form)
        subject.process([{"s": "a", "t": number * SECOND, "x": 1.0, "level": number}])
        subject.deregister(form["id"])
    (group,) = subject.engine._shard.catalogue.operators[0].groups
    assert len(group._conditions) < 500
