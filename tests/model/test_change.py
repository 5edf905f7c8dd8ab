import pytest

from limen.errors import InvalidQuery
from limen.model import Advance, Border, Deregister, Range, Register

QUERY = Border("q", Range(0, 1))


def test_changes_are_values():
    assert Register(QUERY) == Register(query=QUERY, at=None, seq=None)
    assert len({Register(QUERY, 1, 2), Register(QUERY, at=1, seq=2)}) == 1
    assert Deregister(7).id == "7"
    with pytest.raises(AttributeError):
        Advance(3).to = 4


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Register(QUERY, at="now"), "change: at: expected a whole number, got 'now'"),
        (lambda: Register(QUERY, seq=True), "change: seq: expected a whole number, got True"),
        (lambda: Deregister("q", at=1.5), "change: at: expected a whole number, got 1.5"),
        (lambda: Deregister(""), "query: expected an id: text that is not empty, or an integer, got ''"),
        (lambda: Advance(None), "change: to: expected whole microseconds, got None"),
        (lambda: Advance("now"), "change: to: expected a whole number, got 'now'"),
    ],
)
def test_what_is_wrong_is_said(make, text):
    with pytest.raises(InvalidQuery) as caught:
        make()
    assert str(caught.value) == text
