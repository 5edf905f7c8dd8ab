"""Mistakes in job files: each is told with its line, what was expected, what came, and what may have been meant."""

import json
import textwrap
from pathlib import Path

import pytest

from limen.errors import InvalidInput
from limen.formats.geo.shape_queries import ARGUMENTS
from limen.jobfile import read_job
from limen.jobfile.job_file import JobMistakes

GOOD = textwrap.dedent("""\
    name = "fleet"
    checkpoint = "checkpoint"

    [source]
    format = "csv"
    path = "incoming"
    schema = "vehicle string, ts timestamp, x double"

    [columns]
    id = "vehicle"
    time = "ts"
    values = ["x"]

    [[queries.inline]]
    type = "border"
    id = "depot"
    region = { type = "range", lo = 0, hi = 9 }

    [options]
    lateness = "10 seconds"

    [[sink]]
    format = "parquet"
    path = "events"

    [trigger]
    every = "5 seconds"
    """)

SOURCES = "parquet, csv, json, kafka, delta, rate"
SINKS = "parquet, csv, json, console, kafka, delta, postgres"
OPTIONS = (
    "order, lateness, max_ahead, on_bad_row, expire_after, expiry, max_speed, report_every, cache, cache_model, "
    "measure_accuracy, memory, shedding, shards, tick, routing"
)

# (what is replaced, by what, what is said)
MISTAKES = {
    "key of the file": (
        'name = "fleet"',
        'nmae = "fleet"',
        (
            "job.toml:1: nmae: expected one of source, columns, name, stream, queries, sink, trigger, metrics, "
            "checkpoint, options, console, spark, got an unknown key. Hint: did you mean 'name'?"
        ),
    ),
    "no checkpoint": ('checkpoint = "checkpoint"', "", "job.toml: expected a key 'checkpoint': text, got none"),
    "checkpoint is a number": ('"checkpoint"', "7", "job.toml:2: checkpoint: expected text, got 7"),
    "source format": (
        '"csv"',
        '"cvs"',
        f"job.toml:5: source.format: expected one of {SOURCES}, got 'cvs'. Hint: did you mean 'csv'?",
    ),
    "source key": (
        'path = "incoming"',
        'pth = "incoming"',
        (
            "job.toml:4: source: expected a key 'path': text, got none. Hint: is 'pth' meant to be it?\n"
            "job.toml:6: source.pth: expected one of format, path, schema, files_per_batch, options, select, where, "
            "got an unknown key. Hint: did you mean 'path'?"
        ),
    ),
    "no schema for csv": (
        'schema = "vehicle string, ts timestamp, x double"',
        "",
        "job.toml:4: source: expected a key 'schema': text, got none",
    ),
    "files a batch": (
        'path = "incoming"',
        'path = "incoming"\nfiles_per_batch = 0',
        "job.toml:7: source.files_per_batch: expected a whole number from 1 to 2,147,483,647, got 0",
    ),
    "variable that is not set": (
        '"incoming"',
        '"${LIMEN_NOWHERE}/in"',
        "job.toml:6: source.path: expected the variable LIMEN_NOWHERE in the environment, got none of that name",
    ),
    "columns key": (
        "values = ",
        "value = ",
        (
            "job.toml:9: columns: expected the keys id, time, values, attributes, crs, time_unit, got 'value'. "
            "Hint: did you mean 'values'?"
        ),
    ),
    "no columns": (
        '[columns]\nid = "vehicle"\ntime = "ts"\nvalues = ["x"]\n',
        "",
        "job.toml: expected a table [columns]: id, time and values, got none",
    ),
    "query type": (
        '"border"',
        '"boarder"',
        (
            "job.toml:14: query: expected type 'border', 'match', 'transition', 'within', 'nearest' or 'pattern', "
            "got 'boarder'. Hint: did you mean 'border'?"
        ),
    ),
    "region": ("hi = 9", "hi = 0", "job.toml:14: query 'depot': range: expected lo < hi, got lo 0.0, hi 0.0"),
    "query on another column": (
        'id = "depot"',
        'id = "depot"\non = ["y"]',
        "job.toml:14: query 'depot': on: expected a column among x, got 'y'",
    ),
    "query twice": (
        "[options]",
        '[[queries.inline]]\ntype = "match"\nid = "depot"\nregion = { type = "range", lo = 0, hi = 9 }\n\n[options]',
        "job.toml:19: queries.inline: expected each id once, got 'depot' twice",
    ),
    "file of queries": (
        "[[queries.inline]]",
        '[queries]\nfile = "nowhere.jsonl"\n[[queries.inline]]',
        "job.toml:15: {folder}/nowhere.jsonl: expected a file, got No such file or directory",
    ),
    "no queries": (
        '[[queries.inline]]\ntype = "border"\nid = "depot"\nregion = { type = "range", lo = 0, hi = 9 }',
        "[queries]",
        (
            "job.toml:14: queries: expected queries: inline, sql, a file, a folder of changes or a topic of Kafka, "
            "got none"
        ),
    ),
    "option": (
        "lateness =",
        "latness =",
        f"job.toml:20: option 'latness': expected one of {OPTIONS}. Hint: did you mean 'lateness'?",
    ),
    "duration": (
        '"10 seconds"',
        '"soon"',
        (
            "job.toml:20: option 'lateness': expected a timedelta, a number of seconds or text such as '10 seconds', "
            "got 'soon'"
        ),
    ),
    "shards": (
        'lateness = "10 seconds"',
        "shards = 0.5",
        "job.toml:20: options.shards: expected a whole number, got 0.5",
    ),
    "sink format": (
        'format = "parquet"',
        'format = "postgre"',
        f"job.toml:23: sink.format: expected one of {SINKS}, got 'postgre'. Hint: did you mean 'postgres'?",
    ),
    "sink without a place": ('path = "events"', "", "job.toml:22: sink: expected a key 'path': text, got none"),
    "no sink": (
        '[[sink]]\nformat = "parquet"\npath = "events"',
        "",
        "job.toml: expected a [[sink]]: where events go, got none",
    ),
    "sink as one table": (
        "[[sink]]",
        "[sink]",
        (
            "job.toml:22: sink: expected a list of tables, each headed [[sink]], "
            "got {'format': 'parquet', 'path': 'events'}"
        ),
    ),
    "two triggers": (
        "every =",
        "available_now = true\nevery =",
        "job.toml:28: trigger.every: expected either available_now or every, got both",
    ),
    "setting of Spark": (
        "[trigger]",
        '[spark]\nmaster = "local"\n\n[trigger]',
        'job.toml:27: spark.master: expected a setting of Spark in quotes, such as "spark.master", got master',
    ),
    "format misspelt": (
        'format = "csv"',
        'fromat = "csv"',
        "job.toml:4: source: expected a key 'format': text, got none. Hint: is 'fromat' meant to be it?",
    ),
    "empty text": ('"incoming"', '""', "job.toml:6: source.path: expected text, got nothing"),
    "sink into the source": (
        '"events"',
        '"incoming"',
        "job.toml:24: sink.path: expected a folder of its own, got that of the source",
    ),
    "name": ('"fleet"', '"a/b"', "job.toml:1: name: expected letters, digits, spaces, dots and dashes, got 'a/b'"),
    "options as a list": (
        "[options]",
        "[[options]]",
        "job.toml:19: options: expected a table, got [{'lateness': '10 seconds'}]",
    ),
    "tick": (
        'lateness = "10 seconds"',
        "tick = 0.5",
        "job.toml:20: option 'tick': expected whole seconds, at least one, got 0.5",
    ),
    "not TOML": (
        "[columns]",
        "[columns",
        "job.toml:9: expected TOML, got Expected ']' at the end of a table declaration (at line 9, column 9)",
    ),
}


# A job whose queries are shapes, and where its mistakes are told: [queries] begins at line 14.
SHAPES = GOOD.replace("x double", "lon double, lat double").replace(
    'values = ["x"]', 'values = ["lon", "lat"]\ncrs = "lonlat"'
)
SHAPES = SHAPES.replace(
    '[[queries.inline]]\ntype = "border"\nid = "depot"\nregion = { type = "range", lo = 0, hi = 9 }',
    '[queries]\nfile = "zones.geojson"\nkind = "transition"\nid = "LocationID"\nwithin = "3 minutes"',
)
SUFFIXES = ".geojson, .json, .wkt, .parquet, .geoparquet"
MISTAKES_OF_SHAPES = {
    "kind": (
        '"transition"',
        '"transitoin"',
        (
            "job.toml:17: queries.kind: expected one of border, match, transition, within, got 'transitoin'. "
            "Hint: did you mean 'transition'?\n"
            "job.toml:19: queries.within: expected an argument of a border query: {border}, got 'within'"
        ),
    ),
    "argument of another kind": (
        '"transition"',
        '"match"',
        "job.toml:19: queries.within: expected an argument of a match query: on, streams, where, got 'within'",
    ),
    "argument misspelt": (
        "within =",
        "whithin =",
        (
            "job.toml:16: zones.geojson: expected the argument 'within' of a transition query, got none\n"
            "job.toml:19: queries.whithin: expected one of {keys}, got an unknown key. Hint: did you mean 'within'?"
        ),
    ),
    "value of an argument": (
        '"3 minutes"',
        '"soon"',
        (
            "job.toml:19: zones.geojson: query '12': within: expected a timedelta, a number of seconds or text such as "
            "'10 seconds', got 'soon'"
        ),
    ),
    "property of ids": (
        '"LocationID"',
        '"LocationId"',
        (
            "job.toml:18: zones.geojson: id: expected a property among LocationID, reach, got 'LocationId'. "
            "Hint: did you mean 'LocationID'?"
        ),
    ),
    "property of radiuses": (
        "within =",
        'radius = "rech"\nwithin =',
        (
            "job.toml:19: zones.geojson: radius: expected a number, or a property among LocationID, reach, got 'rech'. "
            "Hint: did you mean 'reach'?"
        ),
    ),
    "repair": (
        "within =",
        'repair = "yes"\nwithin =',
        "job.toml:19: queries.repair: expected true or false, got 'yes'",
    ),
    "crs of the columns": (
        "within =",
        'crs = "planar"\nwithin =',
        "job.toml:19: queries.crs: expected 'lonlat', as the columns have it, got 'planar'",
    ),
    "columns": (
        'values = ["lon", "lat"]\ncrs = "lonlat"',
        'values = ["lon", "lat", "height"]\n',
        (
            "job.toml:16: query '12': expected a region of 3 dimensions (lon, lat, height), got 2. "
            "Hint: name the columns that the region is about with on="
        ),
    ),
    "on": (
        "within =",
        'on = ["lon", "alt"]\nwithin =',
        "job.toml:19: query '12': on: expected a column among lon, lat, got 'alt'. Hint: did you mean 'lat'?",
    ),
    "file of lines": (
        "zones.geojson",
        "zones.jsonl",
        "\n".join(
            f"job.toml:{line}: queries.{key}: expected a file of shapes beside it ({SUFFIXES}), got 'zones.jsonl'"
            for line, key in ((17, "kind"), (18, "id"), (19, "within"))
        ),
    ),
    "no file": (
        'file = "zones.geojson"\nkind = "transition"\nid = "LocationID"\nwithin = "3 minutes"',
        'kind = "border"',
        f"job.toml:16: queries.kind: expected a file of shapes beside it ({SUFFIXES}), got none",
    ),
    "feature": (
        "zones.geojson",
        "bow_tie.geojson",
        (
            "job.toml:16: bow_tie.geojson feature 1 (LocationID 12): self-intersection at (1, 1). "
            "Hint: repair=True repairs it; limen check lists all invalid features"
        ),
    ),
    "no such file": (
        "zones.geojson",
        "nowhere.geojson",
        "job.toml:16: {folder}/nowhere.geojson: expected a file, got No such file or directory",
    ),
}


def lay_shapes(folder: Path, name: str, *places: tuple[int, list[list[float]] | list[float]]) -> None:
    """Write a GeoJSON file of features with a number and a ring or a point each."""
    features = [
        {
            "type": "Feature",
            "properties": {"LocationID": number, "reach": 50 * number},
            "geometry": {"type": "Polygon", "coordinates": [place]}
            if isinstance(place[0], list)
            else {"type": "Point", "coordinates": place},
        }
        for number, place in places
    ]
    (folder / name).write_text(json.dumps({"type": "FeatureCollection", "features": features}))


SQUARE = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 0.0]]
BOW_TIE = [[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0], [0.0, 0.0]]


def write(folder: Path, text: str) -> Path:
    path = folder / "job.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(("old", "new", "said"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_told_with_its_line(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises((JobMistakes, InvalidInput)) as caught:
        read_job(write(tmp_path, GOOD.replace(old, new)))
    assert str(caught.value) == said.replace("{folder}", str(tmp_path.resolve()))


@pytest.mark.parametrize(("old", "new", "said"), MISTAKES_OF_SHAPES.values(), ids=MISTAKES_OF_SHAPES.keys())
def test_a_mistake_about_shapes_is_told_with_its_line(old: str, new: str, said: str, tmp_path: Path) -> None:
    lay_shapes(tmp_path, "zones.geojson", (12, SQUARE))
    lay_shapes(tmp_path, "bow_tie.geojson", (12, BOW_TIE))
    assert SHAPES.count(old) == 1
    with pytest.raises(JobMistakes) as caught:
        read_job(write(tmp_path, SHAPES.replace(old, new)))
    for_all = dict.fromkeys(name for names in ARGUMENTS.values() for name in names)
    keys = ["inline, sql, file, kind, id, radius, repair, crs", *for_all, "folder, files_per_batch, kafka"]
    said = said.replace("{keys}", ", ".join(keys)).replace("{border}", ", ".join(ARGUMENTS["border"]))
    assert str(caught.value) == said.replace("{folder}", str(tmp_path.resolve()))


def test_shapes_that_all_do_not_fit_are_told_in_a_few_lines(tmp_path: Path) -> None:
    lay_shapes(tmp_path, "zones.geojson", *((number, SQUARE) for number in range(40)))
    with pytest.raises(JobMistakes) as caught:
        read_job(write(tmp_path, SHAPES.replace('["lon", "lat"]\ncrs = "lonlat"', '["lon"]')))
    *some, last = map(str, caught.value.problems)
    assert len(some) == 3
    assert last == "job.toml:15: queries.file: expected queries that fit the columns, got 37 more that do not"


def test_all_mistakes_are_told_at_once_in_the_order_of_their_lines(tmp_path: Path) -> None:
    text = GOOD.replace('"5 seconds"', '"soon"').replace('"csv"', '"cvs"').replace("hi = 9", "hi = 0")
    with pytest.raises(JobMistakes) as caught:
        read_job(write(tmp_path, text))
    assert [str(problem).split(" ")[0] for problem in caught.value.problems] == [
        "job.toml:5:",
        "job.toml:14:",
        "job.toml:27:",
    ]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nowhere.toml: expected a job file, got No such file or directory"):
        read_job(tmp_path / "nowhere.toml")
