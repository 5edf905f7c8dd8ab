import numpy as np
import pytest

from limen.errors import InvalidInput
from limen.simulate import alert_queries, as_alerts, price_values, symbols

PRICES = np.array([40.0, 500.0, 6_000.0])


def test_every_stock_gets_its_share_of_every_kind():
    alerts = alert_queries(PRICES, per_stream=30)
    for stock in range(3):
        mine = alerts.stream == stock
        assert mine.sum() == 30
        assert np.isneginf(alerts.lo[mine]).sum() == 10
        assert np.isposinf(alerts.hi[mine]).sum() == 10


def test_limits_are_near_the_price_and_on_their_side_of_it():
    alerts = alert_queries(PRICES, per_stream=300, reach=0.1, width=0.01)
    price = PRICES[alerts.stream]
    below, upper = np.isneginf(alerts.lo), np.isposinf(alerts.hi)
    within = ~below & ~upper
    assert (alerts.hi <= price)[below].all()
    assert (alerts.lo >= price)[upper].all()
    assert (np.abs(alerts.hi - price) <= 0.1 * price)[below].all()
    assert (np.abs(alerts.lo - price) <= 0.1 * price)[within | upper].all()
    assert np.allclose((alerts.hi - alerts.lo)[within], 0.01 * price[within])


def test_no_alert_is_empty_even_on_a_worthless_stock():
    alerts = alert_queries(np.array([0.0]), per_stream=9)
    assert (alerts.lo < alerts.hi).all()


def test_queries_watch_the_one_stream_of_their_alert():
    prices = price_values(streams=4, tuples=1)[0]
    alerts = alert_queries(prices, per_stream=5)
    queries = as_alerts(alerts, symbols(4))
    assert [query.streams for query in queries] == [(f"S{stock}",) for stock in range(4) for _ in range(5)]
    assert [query.region.lo for query in queries] == alerts.lo.tolist()
    assert [query.region.hi for query in queries] == alerts.hi.tolist()
    assert len({query.id for query in queries}) == 20


def test_seed_decides():
    same, other = alert_queries(PRICES, seed=1), alert_queries(PRICES, seed=2)
    assert np.array_equal(alert_queries(PRICES, seed=1).lo, same.lo)
    assert not np.array_equal(same.lo, other.lo)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"per_stream": 0}, "per_stream: expected 1 or more, got 0"),
        ({"reach": 0.0}, "reach: expected a fraction between 0 and 1, got 0.0"),
        ({"width": 1.0}, "width: expected a fraction between 0 and 1, got 1.0"),
    ],
)
def test_impossible_alerts_are_refused(arguments, text):
    with pytest.raises(InvalidInput, match=text):
        alert_queries(PRICES, **arguments)
