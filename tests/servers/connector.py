"""Spark's Kafka connector for the pyspark that is installed, also where Maven Central has not all of it yet."""

import importlib.metadata
from pathlib import Path

from packaging.version import Version

from tests.servers import maven

_GROUP = "org.apache.spark"
_CONNECTOR = "spark-sql-kafka-0-10_2.13"
_TOKENS = "spark-token-provider-kafka-0-10_2.13"  # what the connector needs of Spark and pyspark does not bring
# What else it needs and pyspark brings.
_BROUGHT = (
    "at.yawk.lz4:*",
    "com.google.code.findbugs:*",
    "org.apache.hadoop:*",
    "org.apache.spark:spark-tags_2.13",
    "org.lz4:*",
    "org.scala-lang:*",
    "org.scala-lang.modules:*",
    "org.slf4j:*",
    "org.xerial.snappy:*",
)


def connector_package() -> str:
    """Return the Maven coordinate of the connector: pyspark's version, or the newest released before it."""
    return _newest(_CONNECTOR, _spark())


def connector_jars() -> list[Path]:
    """Return the connector and all it needs as files, for `spark.jars`. They are fetched once.

    A copy of Maven Central may have a connector and not the token provider of the same version; with
    `spark.jars.packages`, Spark would not start. The token provider before it does as well.
    """
    # By the version of pyspark, so that nobody has to be asked where the folder is there.
    folder = maven.CACHE / f"connector-{_spark()}"
    if not folder.exists():
        connector = connector_package()
        tokens = _newest(_TOKENS, Version(connector.split(":")[2]))
        maven.fetch([connector], folder, without=_BROUGHT, instead=[tokens])
    return sorted(folder.glob("*.jar"))


def _spark() -> Version:
    return Version(importlib.metadata.version("pyspark"))


def _newest(artifact: str, limit: Version) -> str:
    """Return the coordinate of the newest version up to a limit; previews do not count."""
    versions = [Version(version) for version in maven.versions(_GROUP, artifact)]
    released = [version for version in versions if not version.is_prerelease and version <= limit]
    if not released:
        raise maven.Unavailable(f"Maven Central has no {_GROUP}:{artifact} up to version {limit}")
    return f"{_GROUP}:{artifact}:{max(released)}"
