"""Telemetry on Spark: the changes that arrive, the folder of a job, and the option of `monitor`."""

from dataclasses import replace
from pathlib import Path

import pytest

from limen import Columns
from limen.errors import InvalidInput
from limen.jobfile import read_job
from limen.model.options import Options
from limen.spark.job import Job
from limen.spark.monitoring import monitor
from limen.spark.telemetry import arrived, checkpoint_is_new, job_publisher, task_publisher
from limen.telemetry import TelemetrySettings
from tests.spark.job_folder import Job as JobFolder

JOB = Job(Columns(id="id", time="t", values=("x",)), Options.of({}), {}, 2, "by_stream")
BORDER = '{"id": "b", "region": {"hi": 1, "lo": 0, "type": "range"}, "type": "border"}'


@pytest.mark.parametrize(
    ("text", "told", "error"),
    [
        (f'{{"op": "register", "seq": 7, "query": {BORDER}}}', ("register", "b", 7, None), None),
        ('{"op": "deregister", "id": "b", "at": "1970-01-01T00:00:01Z"}', ("deregister", "b", None, 1_000_000), None),
        ('{"op": "register", "seq": 8, "sql": "CREATE BORDER s ON v INSIDE x > 1"}', ("register", "s", 8, None), None),
        ('{"op": "register", "seq": 9, "query": {"id": "c", "type": "boder"}}', ("register", "c", 9, None), "border"),
        ('{"op": "deregister", "seq": 1e400, "id": 5}', ("deregister", None, None, None), "seq"),
        ('{"op": ["register"], "query": 3}', (None, None, None, None), "op"),
        ("[1]", (None, None, None, None), "change"),
        ("{", (None, None, None, None), "JSON"),
        (None, (None, None, None, None), "null"),
    ],
)
def test_changes_are_told_with_what_is_wrong(text: str | None, told: tuple[object, ...], error: str | None) -> None:
    (line,) = arrived([text], JOB)
    assert tuple(line.get(name) for name in ("op", "id", "seq", "at")) == told
    assert line["change"] == text
    assert (line.get("error") is None) == (error is None)
    assert error is None or error in line["error"]


def test_ticks_are_no_news() -> None:
    assert arrived(['{"op": "advance", "to": "1970-01-01T00:00:01Z"}'] * 3, JOB) == []


def test_outside_of_a_batch_there_is_nothing_to_tell(tmp_path: Path) -> None:
    assert task_publisher(None) is None
    assert task_publisher(TelemetrySettings(str(tmp_path))) is None


def test_a_checkpoint_is_new_until_a_job_has_begun(tmp_path: Path) -> None:
    assert checkpoint_is_new(None, str(tmp_path / "none"))
    (tmp_path / "metadata").touch()
    assert not checkpoint_is_new(None, f"file://{tmp_path}")
    assert not checkpoint_is_new(None, "hdfs://far/away")  # Spark will know


def test_a_job_whose_checkpoint_is_elsewhere_needs_a_folder(tmp_path: Path) -> None:
    described = read_job(JobFolder(tmp_path).file())
    elsewhere = replace(described, console=replace(described.console, settings=None))
    with pytest.raises(InvalidInput, match="console: folder: expected a folder on a disk that the job"):
        job_publisher(elsewhere)


def test_window_is_the_deprecated_name_of_telemetry(tmp_path: Path) -> None:
    settings = TelemetrySettings(str(tmp_path))
    with (
        pytest.warns(DeprecationWarning, match="window= is deprecated.*use telemetry="),
        pytest.raises(InvalidInput, match="a DataFrame of Spark first"),
    ):
        monitor(None, [], JOB.columns, window=settings)
    with pytest.raises(InvalidInput, match="expected the option 'telemetry' alone, got 'telemetry' and 'window'"):
        monitor(None, [], JOB.columns, telemetry=settings, window=settings)
