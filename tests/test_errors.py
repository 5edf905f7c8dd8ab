import pickle

import pytest

from limen.errors import InvalidInput, InvalidQuery, LimenError, StateError, did_you_mean, shorten


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"where": "w", "expected": "e", "got": "g", "hint": "h"}, "w: expected e, got g. Hint: h"),
        ({"where": "w", "expected": "e"}, "w: expected e"),
        ({"expected": "e", "got": "g"}, "expected e, got g"),
        ({"where": "w", "got": 3}, "w: got 3"),
        ({"where": "w", "problem": "it broke", "hint": "h"}, "w: it broke. Hint: h"),
        ({"problem": "it broke"}, "it broke"),
        ({"problem": "it broke", "expected": "e", "got": "g"}, "it broke: expected e, got g"),
    ],
)
def test_the_parts_form_one_text(parts, text):
    error = LimenError(**parts)
    assert str(error) == text
    assert error.hint == parts.get("hint")
    assert error.where == parts.get("where")


def test_what_is_long_is_shortened():
    error = InvalidInput(where="query " + "q" * 10_000, expected="an id", got="x" * 10_000)
    assert len(str(error)) < 500
    assert "(10000 characters)" in str(error)


def test_got_shows_other_things_than_text_by_their_repr():
    assert str(LimenError(expected="a number", got=["1"])) == "expected a number, got ['1']"


def test_an_error_can_be_placed_from_further_out():
    error = InvalidQuery(where="region", expected="lo < hi", got="3", hint="swap").within("query 'q'")
    assert type(error) is InvalidQuery
    assert str(error) == "query 'q': region: expected lo < hi, got 3. Hint: swap"
    assert str(StateError("truncated").within("snapshot")) == "snapshot: truncated"


@pytest.mark.parametrize("kind", [LimenError, InvalidQuery, InvalidInput, StateError])
def test_errors_survive_pickling(kind):
    error = kind(where="w", expected="e", got="g", hint="h")
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is kind
    assert (str(back), back.where, back.expected, back.got) == (str(error), "w", "e", "g")


def test_bad_queries_and_input_are_value_errors():
    assert issubclass(InvalidQuery, ValueError)
    assert issubclass(InvalidInput, ValueError)
    assert not issubclass(StateError, ValueError)


def test_shorten_keeps_what_is_short():
    assert shorten("abc", limit=3) == "abc"
    assert shorten("abcdef", limit=4) == "ab…ef (6 characters)"


def test_did_you_mean_is_silent_when_nothing_is_close():
    assert did_you_mean("zzz", ("kind", "speed")) is None
