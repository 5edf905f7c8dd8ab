"""What a job reads from its places, line by line."""

from pathlib import Path

from pyspark.sql import SparkSession

from limen.jobfile.endpoints import Files
from limen.spark.sources import read_changes

REGISTER = '{"op": "register", "query": {"type": "match", "id": "q", "region": {"type": "range", "lo": 0, "hi": 1}}}'
# Each line with the number it is to have as its `seq`; None where it stays as it is.
LINES = [
    (REGISTER, 1),
    ('  {"op": "deregister", "id": "q"}  ', 2),
    ("", None),
    ('{"op": "advance", "to": "2026-01-01T00:00:00Z"}', None),  # moves time, and has no place among others
    ('{"op": "deregister", "id": "q", "seq": 9}', None),
    ('{"op": "deregister", "id": "q", "seq": null}', None),
    ('{"op": "deregister", "id": "seq"}', 7),
    ('{"op": "deregister", "id": "advance"}', 8),
    (REGISTER.replace('"hi": 1', '"hi": Infinity'), 9),  # as Python writes it
    ('{"op": "deregister", "op": "advance", "id": "q"}', 10),  # rejected with the number or without it
    # What is no change is told as it came, so that the place of the mistake is right.
    ('{"op": "register"', None),
    ('{"op": "rename", "id": "q"}', None),
    ('{"op": ["register"]}', None),
    ('{"id": "q"}', None),
    ("{}", None),
    ("{", None),
    ('[{"op": "register"}]', None),
    ("[]", None),
    ("7", None),
    ("null", None),
    ("op", None),
]


def test_changes_of_a_folder_are_numbered_by_their_lines(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "changes"
    folder.mkdir()
    (folder / "0.jsonl").write_text("\r\n".join(line for line, _ in LINES))
    changes = read_changes(spark, Files("text", str(folder)))
    query = changes.writeStream.format("memory").queryName("numbered").trigger(availableNow=True).start()
    query.awaitTermination()
    got = [row.change for row in spark.table("numbered").collect()]
    told = [(line.strip(), number) for line, number in LINES if line]
    assert got == [line if number is None else f'{{"seq": {number}, {line[1:]}' for line, number in told]
