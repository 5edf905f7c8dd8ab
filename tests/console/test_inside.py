"""Who is in what, against a plain dictionary."""

import numpy as np

from limen.console.inside import Inside


def test_folding_is_what_a_dictionary_does() -> None:
    rng = np.random.default_rng(3)
    inside = Inside()
    expected: dict[tuple[int, int], int] = {}
    counts: dict[int, int] = {}
    for time in range(60):
        n = int(rng.integers(0, 40))
        query, stream = rng.integers(0, 6, n), rng.integers(0, 9, n)
        begins = rng.random(n) < 0.5
        queries, by = inside.fold(query, stream, begins, np.full(n, time))
        for each, difference in zip(queries.tolist(), by.tolist(), strict=True):
            counts[each] = counts.get(each, 0) + difference
        last = {(int(q), int(s)): bool(b) for q, s, b in zip(query, stream, begins, strict=True)}
        for pair, is_in in last.items():
            if is_in:
                expected.setdefault(pair, time)
            else:
                expected.pop(pair, None)
        for q in range(6):
            streams, since = inside.of_query(q)
            found = dict(zip(streams.tolist(), since.tolist(), strict=True))
            assert found == {s: t for (p, s), t in expected.items() if p == q}
            assert counts.get(q, 0) == len(found)
    for s in range(9):
        queries, since = inside.of_stream(s)
        assert dict(zip(queries.tolist(), since.tolist(), strict=True)) == {
            q: t for (q, p), t in expected.items() if p == s
        }
    assert inside.forget(2) == sum(q == 2 for q, _ in expected)
    assert len(inside.of_query(2)[0]) == 0
    assert len(inside) == sum(q != 2 for q, _ in expected)
