"""Figures 18 to 21: many queries in one buffer. Times are looked at for nothing but their being there."""

import numpy as np

from lab.tests.reproduce.miniature import sole
from limen_lab.reproduce.sole import sole_18 as eighteen
from limen_lab.reproduce.sole import sole_19 as nineteen
from limen_lab.reproduce.sole import sole_20 as twenty
from limen_lab.reproduce.sole.sole_sharing import shared


def test_the_finer_the_grid_the_more_often_a_query_is_listed():
    small, large = (sole(18).curve("a", name) for name in ("0.01 % of the city", "1 %"))
    for entries in (small, large):
        assert list(entries.values()) == sorted(entries.values())
        assert min(entries.values()) >= 1
    assert all(large[cells] > small[cells] for cells in small)
    assert {point.panel for point in sole(18)} == {"a", "b"}
    assert eighteen.PAPERS_CHOICE in small


def test_sharing_gains_more_for_larger_queries():
    ratio = list(sole(19).curve("a", nineteen.RATIO).values())
    assert ratio == sorted(ratio)
    assert ratio[0] > 1


def test_shared_no_object_is_there_twice():
    objects, _ = twenty.size("tiny")
    once, often = sole(20).curve("a", twenty.SHARED), sole(20).curve("a", twenty.EACH_ITS_OWN)
    cached, caches = sole(20).curve("b", twenty.SHARED), sole(20).curve("b", twenty.EACH_ITS_OWN)
    assert all(once[x] + cached[x] <= objects for x in once)
    assert all(once[x] <= often[x] and cached[x] <= caches[x] for x in once)
    assert list(cached.values()) == sorted(cached.values(), reverse=True)
    assert list(caches.values()) == sorted(caches.values())


def test_what_is_counted_is_what_a_look_at_all_streams_finds():
    watched, seconds = shared(400, 60, 0.005)
    for second in seconds:
        watched.play(second)
    region, cached, regions, caches = twenty.counted(watched)
    queries = watched.buffer._store.arrays.queries[watched.slots]
    away = np.abs(watched.position[None, :, :] - queries["center"][:, None, :]).max(axis=2)
    away[np.arange(60), queries["focal"]] = np.inf  # a stream is not in its own answer
    half = queries["half"][:, :1]
    inside, around = away < half, away < half + watched.margin
    # without a full cache area a few of those in it are not known
    assert regions <= inside.sum()
    assert regions >= 0.97 * inside.sum()
    assert 0.9 * around.sum() <= regions + caches <= around.sum()
    assert region <= inside.any(axis=0).sum()
    assert region + cached <= around.any(axis=0).sum()
