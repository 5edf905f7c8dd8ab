"""Read the accuracy of results under a memory budget from a job's checkpoint."""

from os import PathLike

import pandas as pd  # Spark reads the types of `_of_shard`
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from limen.checkpoint.codec import decode
from limen.checkpoint.journal import Journal
from limen.checkpoint.manifest import MANIFEST, Manifest
from limen.checkpoint.pages import PagesInMemory
from limen.checkpoint.snapshot import types_from_dict
from limen.errors import InvalidInput
from limen.model.columns import Columns
from limen.model.options import Options
from limen.spark.progress import state_pages

_SCHEMA = (
    "query_id string, stored bigint, missed bigint, accuracy double, share double, locked boolean, measured double"
)


def accuracy(spark: SparkSession, checkpoint: str | PathLike[str]) -> DataFrame:
    """Return how accurate answers were after the latest batch: a row a query, as `Engine.accuracy` has them.

    Parameters
    ----------
    spark
        The session that reads the state.
    checkpoint
        The checkpoint of a streaming query that `monitor` is in, with `max_speed` and `report_every`; the job may be
        running or not.

    Returns
    -------
    DataFrame
        `query_id`, `stored`, `missed`, `accuracy`, `share`, `locked`, and `measured`, which is null unless the job has
        `measure_accuracy`. Each shard's state is read where Spark has it, by its workers.
    """
    pages = state_pages(spark, checkpoint)
    manifest = pages.where(F.col("name") == MANIFEST).select("page").first()
    if manifest is None or "options" not in decode(bytes(manifest[0]))[1]:
        raise InvalidInput(
            where=f"checkpoint {str(checkpoint)!r}",
            expected="one of a job that keeps only what matters, and has ended a batch",
            got="another" if manifest is not None else "one without a batch",
            hint="monitor(…, max_speed=…, report_every=…); without them every answer is exact",
        )
    return pages.groupBy("shard").applyInPandas(_of_shard, _SCHEMA)


def _of_shard(rows: pd.DataFrame) -> pd.DataFrame:
    pages = PagesInMemory((name, bytes(page)) for name, page in zip(rows["name"], rows["page"], strict=True))
    found = Manifest.read(pages)
    assert found is not None
    manifest, facts, repeats = found
    job = facts["job"]
    options = Options(**facts["options"])
    journal = Journal(Columns.from_dict(job["columns"]), options, types_from_dict(job["types"]))
    journal.catch_up(pages, manifest, facts, repeats)
    table = journal.shard.accuracy_table().to_pandas()
    if "measured" not in table:
        table["measured"] = None
    return table
