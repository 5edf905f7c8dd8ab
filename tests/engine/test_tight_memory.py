"""Answers that keep only what matters: options that must go together, budgets that cannot hold, and what is said."""
# ruff: noqa: E501  # texts of errors are quoted whole

import pyarrow as pa
import pytest

from limen import Columns, Engine, InvalidInput, Nearest, Range, Within

COLUMNS = Columns(id="symbol", time="t", values="price", time_unit="s")
OPTIONS = {"max_speed": 10, "report_every": "30 seconds"}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"max_speed": 10}, "option 'max_speed': expected 'report_every' beside it, got none"),
        ({"report_every": 10}, "option 'report_every': expected 'max_speed' beside it, got none"),
        ({"max_speed": 0, "report_every": 1}, "option 'max_speed': expected a number above 0, in units a second, got 0"),
        ({"max_speed": "fast"}, "option 'max_speed': expected a number above 0, in units a second, got 'fast'"),
        ({**OPTIONS, "report_every": 0}, "option 'report_every': expected a duration above 0, got 0"),
        ({**OPTIONS, "cache": 1.5}, "option 'cache': expected a number from 0 to 1, got 1.5"),
        ({**OPTIONS, "cache": -0.1}, "option 'cache': expected a number from 0 to 1, got -0.1"),
        ({**OPTIONS, "cache": float("nan")}, "option 'cache': expected a number from 0 to 1, got nan"),
        ({**OPTIONS, "cache_model": "bold"}, "option 'cache_model': expected 'safe' or 'paper', got 'bold'"),
        ({**OPTIONS, "memory": 1000}, "option 'memory': expected 'shedding' beside it, got none"),
        ({**OPTIONS, "shedding": "object"}, "option 'shedding': expected 'memory' beside it, got none"),
        ({"memory": 1000, "shedding": "object"}, "option 'memory': expected 'max_speed' beside it, got none"),
        ({**OPTIONS, "memory": "much"}, "option 'memory': expected a number of bytes above 0, or text such as '64 MB', got 'much'"),
        ({**OPTIONS, "memory": 0}, "option 'memory': expected a number of bytes above 0, or text such as '64 MB', got 0"),
        ({**OPTIONS, "shedding": "rows"}, "option 'shedding': expected 'query' or 'object' or None, got 'rows'"),
        ({"measure_accuracy": True}, "option 'measure_accuracy': expected 'max_speed' beside it, got none"),
        ({**OPTIONS, "measure_accuracy": 1}, "option 'measure_accuracy': expected True or False, got 1"),
        ({**OPTIONS, "expire_after": 10}, "option 'expire_after': expected at least report_every, or streams that report on time would be forgotten, got 10 seconds"),
    ],
)  # fmt: skip
def test_options_that_do_not_fit(options, text):
    with pytest.raises(InvalidInput) as caught:
        Engine(COLUMNS, **options)
    assert str(caught.value) == text


def test_a_budget_too_small_for_the_focals_alone():
    queries = [Within(f"q{number}", focal=f"s{number}", radius=1) for number in range(10)]
    with pytest.raises(InvalidInput, match=r"memory': expected room for the queries .* leave 8 queries out"):
        Engine(COLUMNS, queries, **OPTIONS, memory=1200, shedding="object")
    engine = Engine(COLUMNS, queries[:2], **OPTIONS, memory=1200, shedding="object")
    assert not len(engine.register(queries[2:]))
    assert engine.counters["queries"] == 2
    assert engine.counters["changes"]["refused"] == 8


def test_what_cannot_be_held_is_said():
    """Everything is wanted, and there is no room for it: it is kept, and said."""
    strict = [Within("all", Range(0, 100), min_accuracy=100), Nearest("near", 2, center=[0], min_accuracy=100)]
    for shedding in ("query", "object"):
        engine = Engine(COLUMNS, strict, max_speed=1, report_every=4, memory=2000, shedding=shedding)
        for second in range(12):
            rows = {"symbol": [f"s{number}" for number in range(20)], "t": [second] * 20}
            engine.process(pa.table({**rows, "price": [float(number) for number in range(20)]}))
        kept = engine.counters["kept"]
        assert kept["full"]
        assert kept["overdrawn"] > 0
        assert kept["locked"] == 2
        assert engine.accuracy["accuracy"].to_pylist() == [100.0, 100.0]
        engine.register(Within("more", Range(0, 1)))
        assert engine.counters["changes"]["refused"] == 1
