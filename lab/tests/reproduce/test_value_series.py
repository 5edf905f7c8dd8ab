from datetime import UTC, date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from limen.errors import InvalidInput
from limen_lab.reproduce.locality.value_series import read_series

BEGIN = datetime(2026, 1, 1, 9, tzinfo=UTC)


@pytest.fixture
def series_of(tmp_path):
    def write(text):
        file = tmp_path / "series.csv"
        file.write_text(text)
        return read_series(file)

    return write


def refused(series_of, text):
    with pytest.raises(InvalidInput) as caught:
        series_of(text)
    return str(caught.value)


def test_times_and_values(series_of):
    series = series_of("time,price\n2026-01-01 09:00:00,3\n2026-01-01 09:01:00,4.5\n2026-01-01 09:02:00,4\n")
    assert (series.name, series.timed, series.missing, series.gaps) == ("price", True, 0, 0)
    assert series.values.tolist() == [3, 4.5, 4]
    assert np.diff(series.times).tolist() == [60, 60]
    assert series.description == "3 values of price"


@pytest.mark.parametrize("text", ["value\n3\n5\n4\n", "3\n5\n4\n", "3\n5\n4"])
def test_values_alone(series_of, text):
    series = series_of(text)
    assert (series.values.tolist(), series.timed, series.name) == ([3, 5, 4], False, "value")
    assert series.every(1).tolist() == [2, -1]


def test_two_columns_without_names_are_time_and_value(series_of):
    series = series_of("10,3\n20,5\n30,4\n")
    assert (series.times.tolist(), series.values.tolist()) == ([10, 20, 30], [3, 5, 4])


def test_rows_in_no_order_are_put_in_order(series_of):
    assert series_of("t,v\n30,4\n10,3\n20,5\n").values.tolist() == [3, 5, 4]


@pytest.mark.parametrize("nothing", ["", "NA", "nan", "sensor error", "-"])
def test_missing_values_are_counted_and_no_difference_is_taken_over_them(series_of, nothing):
    series = series_of(f"value,unit\n1,C\n2,C\n{nothing},C\n10,C\n11,C\n")
    assert series.values.tolist() == [1, 2, 10, 11]
    assert series.every(1).tolist() == [1, 1]
    assert (
        series.description
        == "4 values of value; rows without a value, left out: 1; gaps, over which no difference is taken: 1"
    )


def test_a_gap_in_time_is_counted_and_no_difference_is_taken_over_it(series_of):
    rows = [(60 * k, k) for k in (0, 1, 2, 3, 4, 100, 101, 102)]
    series = series_of("time,value\n" + "".join(f"{t},{v}\n" for t, v in rows))
    assert series.gaps == 1
    assert series.every(1).tolist() == [1] * 6
    assert 96 not in series.every(2)


def test_times_that_jitter_are_no_gaps(series_of):
    times = np.cumsum([1, 1, 2, 1, 1.5, 1, 2.5, 1])
    assert series_of("time,value\n" + "".join(f"{t},1\n" for t in times)).gaps == 0


@pytest.mark.parametrize(
    "times",
    [
        [BEGIN + timedelta(seconds=k) for k in range(4)],
        [(BEGIN + timedelta(seconds=k)).replace(tzinfo=None) for k in range(4)],
        [(BEGIN + timedelta(seconds=k)).time() for k in range(4)],
        [date(2026, 1, 1 + k) for k in range(4)],
        [k + 0.5 for k in range(4)],
    ],
)
def test_parquet(tmp_path, times):
    file = tmp_path / "series.parquet"
    pq.write_table(pa.table({"value": [1, 2, None, 4], "when": times, "note": ["a", "b", "c", "d"]}), file)
    series = read_series(file)
    assert (series.name, series.values.tolist(), series.missing) == ("value", [1, 2, 4], 1)
    if not isinstance(times[0], float):
        assert series.timed
        step = 86_400 if type(times[0]) is date else 1
        assert np.diff(series.times).tolist() == [step, 2 * step]


def test_another_file_has_another_digest(series_of):
    assert series_of("1\n2\n3\n").digest != series_of("1\n2\n4\n").digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("value\n3.5\n", "expected 3 numbers or more, got 1 of them in column 'value', and 0 rows without a number"),
        (
            "value\n3.5\nNA\n\nNA\n4\n",
            "expected 3 numbers or more, got 2 of them in column 'value', and 2 rows without a number",
        ),
        ("value\n", "expected a column of numbers, got columns value, none with a number"),
        ("", "expected a CSV or Parquet file, got Empty CSV file"),
        (
            "name,colour\na,red\nb,blue\nc,red\n",
            "expected a column of numbers, got columns name, colour, none with a number",
        ),
        ("time\n1\n2\n3\n", "expected a column of numbers, got times only, column time"),
        (
            "when,value\nsoon,1\nlater,2\nnow,3\n",
            "expected times as numbers, or such as 2004-04-14 09:00:00, got 'soon'",
        ),
        ("a,b\n1,2\n1\n", "expected a CSV or Parquet file, got CSV parse error"),
    ],
)
def test_what_is_no_series_is_refused(series_of, text, message):
    assert message in refused(series_of, text)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InvalidInput, match=r"--series .*none.csv: expected a CSV or Parquet file, got No such file"):
        read_series(tmp_path / "none.csv")


def test_a_parquet_file_that_is_none(tmp_path):
    (tmp_path / "no.parquet").write_text("time,value\n")
    with pytest.raises(InvalidInput, match="expected a CSV or Parquet file"):
        read_series(tmp_path / "no.parquet")
