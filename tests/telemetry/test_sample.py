"""Samples by a fixed hash."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from limen.spark.shards import shards_of
from limen.telemetry.sample import FEWEST, Sample, buckets, one_of_for

ids = st.lists(st.one_of(st.none(), st.text(max_size=20), st.sampled_from("abc")), max_size=60)


def test_the_hash_never_changes() -> None:
    assert buckets(["", "a", "V17", "Grüße", "x" * 40]).tolist() == [0, 1042390, 647818, 991611, 986180]


def test_a_sample_is_spread_over_streams_and_shards() -> None:
    names = [f"V{number}" for number in range(20_000)]
    chosen = [name for name, bucket in zip(names, buckets(names), strict=True) if bucket % 16 == 0]
    assert 1_100 < len(chosen) < 1_400
    for shards in (2, 4, 7, 64):
        counts = np.bincount(shards_of(chosen, shards), minlength=shards)
        assert counts.min() > 0.4 * len(chosen) / shards


@given(st.lists(ids, max_size=5), st.integers(1, 40))
def test_a_sample_has_all_rows_of_its_streams_and_no_others(parts: list[list[str | None]], most: int) -> None:
    sample, at = Sample(most), 0
    for part in parts:
        numbers = np.arange(at, at + len(part))
        sample.add(pa.array(part, pa.string()), lambda which, numbers=numbers: pa.table({"n": numbers[which]}))
        at += len(part)
    every = [id for part in parts for id in part]
    assert sample.seen == len(every)
    expected = [
        number for number, id in enumerate(every) if id is None or buckets([id])[0] % sample.one_of == 0
    ]  # fmt: skip
    if not parts:
        assert not sample
        return
    got = sample.table()["n"].to_pylist()
    assert got == expected[:most]
    # It is the largest sample that fits, or there is none.
    assert len(expected) <= most or sample.one_of == FEWEST
    if sample.one_of > 1:
        half = sample.one_of // 2
        assert sum(id is None or buckets([id])[0] % half == 0 for id in every) > most


def test_dictionaries_and_pieces_hash_as_plain_strings() -> None:
    plain = ["a", "b", "a", "é"]
    wanted = buckets(plain).tolist()
    assert buckets(pa.array(plain).dictionary_encode()).tolist() == wanted
    assert buckets(pa.chunked_array([plain[:1], plain[1:]])).tolist() == wanted
    assert buckets(pa.array(["z", *plain]).slice(1)).tolist() == wanted
    assert buckets(pa.array(plain, pa.large_string())).tolist() == wanted


@given(st.floats(0, 1e7), st.integers(0, 20))
def test_the_part_is_large_enough_and_not_far_too_large(load: float, before: int) -> None:
    now = one_of_for(load, 1 << before)
    assert now & (now - 1) == 0
    assert now >= min(load, FEWEST)
    assert now == 1 or now <= 4 * load
    assert one_of_for(load, now) == now
