"""A job file to start from, for each kind of source, with a word on every key."""

from limen.sql.printing import name as written

_FILES = """\
[source]
format = "{format}"
path = "incoming/"                 # a folder; files that appear in it are taken once, oldest first
{schema}
# files_per_batch = 100            # at most so many files a batch
# select = ["vehicle", "to_timestamp(ts) AS ts", "x", "y"]   # SQL, when columns must be made first
# where = "x IS NOT NULL"
{options}
"""
_SCHEMA = 'schema = "vehicle string, ts timestamp, x double, y double"'
_SOURCES = {
    "parquet": _FILES.format(
        format="parquet", schema=f"# {_SCHEMA}   # by default as in the files that are there", options=""
    ),
    "csv": _FILES.format(
        format="csv", schema=_SCHEMA, options="options = { header = true }        # of Spark's reader"
    ),
    "json": _FILES.format(format="json", schema=_SCHEMA, options=""),
    "delta": """\
[source]
format = "delta"                   # pip install delta-spark, in a version made for your Spark
path = "tables/positions"
# files_per_batch = 100
""",
    "kafka": """\
[source]
format = "kafka"
servers = "localhost:9092"         # several with commas
topic = "positions"
schema = "vehicle string, ts timestamp, x double, y double"   # of the messages, which are JSON objects
# starting = "latest"              # where a new checkpoint begins; by default "earliest"
# rows_per_batch = 1000000         # at most so many messages a batch
""",
    "rate": """\
[source]
format = "rate"                    # synthetic positions, to try things
rows_per_second = 1000
streams = 100
""",
}
_COLUMNS = """
[columns]                          # which column plays which part
id = "vehicle"
time = "ts"
values = ["x", "y"]
# attributes = ["kind"]            # further columns that `where` of a query may use
"""
_REST = """
[queries]
# file = "queries.jsonl"           # one JSON object a line; or .sql
# sql = "CREATE BORDER north ON {stream} INSIDE y > 60"
# file = "zones.geojson"           # or shapes, also .wkt and .parquet: a query for each
# kind = "transition"              # the query type for all shapes: border, transition or match,
# id = "LocationID"                # which property holds the ids,
# within = "3 minutes"             # and further arguments for all of them
# folder = "changes/"              # files of changes that appear while the job runs
# kafka = {{ servers = "localhost:9092", topic = "changes" }}

[[queries.inline]]
type = "border"
id = "centre"
region = {{ type = "box", lo = [40, 40], hi = [60, 60] }}

[options]
lateness = "10 seconds"            # rows may be out of order by so much
# max_ahead = "1 hour"             # rows further in the future are rejected
# expire_after = "30 minutes"      # streams silent for so long are forgotten
# shards = 8                       # by default one a core; cannot change with the checkpoint

[[sink]]                           # as many as you like; each may have a `where` on events
format = "parquet"                 # or json, csv, console, kafka, delta, postgres
path = "events/"

[[sink]]
format = "console"
rows = 5
# where = "kind = 'enter'"

[trigger]
{trigger}

# [metrics]
# file = "{name}.prom"             # for the node exporter of Prometheus
# port = 9464                      # or an address to query: http://…:9464/metrics

# [console]                        # a page over the running job: limen run --console, or limen console beside it
# window = true                    # publish the status even when the job is run without its console
# port = 8080                      # on this machine only, unless `host` is set
# roads = "roads.geojson"          # lines below everything; or map tiles: tiles = "https://…/{{z}}/{{x}}/{{y}}.png"

# [spark]
# "spark.master" = "local[4]"
"""


def job_template(source: str, name: str) -> str:
    r"""Return a commented job file for a kind of source.

    Examples
    --------
    >>> print(job_template("rate", "trial").split("\n")[1])
    name = "trial"
    """
    trigger = 'every = "5 seconds"                # or available_now = true: take what is there, and end'
    columns = "" if source == "rate" else _COLUMNS
    rest = _REST.format(trigger=trigger, name=name, stream=written(name))
    return (
        f'# limen run {name}.toml\nname = "{name}"\ncheckpoint = "checkpoint/{name}"  '
        f"# the job's progress and state; keep it\n\n{_SOURCES[source]}{columns}{rest}"
    )
