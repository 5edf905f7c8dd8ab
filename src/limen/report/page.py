"""The page of a report: sections with charts, and tables with every number beside them."""

from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec

from limen.report.batches import Batches
from limen.report.counting import COUNT
from limen.report.html import cells, described, page, paragraph, pictures, section, table
from limen.report.summary import Summary
from limen.report.time_text import duration, moment

#: Rows of a table at most.
MOST_QUERIES, MOST_STREAMS = 50, 25
STYLE = "td + td { font-variant-numeric: tabular-nums; }"


def as_page(title: str, source: str, summary: Summary, batches: Batches | None, *, lonlat: bool) -> str:
    """Write a report as HTML."""
    about = {
        "events": f"{summary.events:,}",
        "from": moment(summary.first),
        "to": moment(summary.last),
        "queries with events": summary.queries.number("query_id"),
        "streams with events": summary.streams.number(),
        "source": source,
    }
    if summary.untimed:
        about["left out"] = f"{summary.untimed:,} without a time or a kind"
    parts = [described(about)]
    if find_spec("matplotlib") is None:
        parts.append(paragraph("There are no pictures: pip install 'limen[plots]' draws them."))
    return page(
        title,
        [
            *parts,
            _what(summary),
            _when(summary),
            *_where(summary, lonlat=lonlat),
            *_stays(summary),
            _streams(summary),
            *([] if batches is None else [_batches(batches)]),
        ],
        STYLE,
    )


def _what(summary: Summary) -> str:
    kinds = sorted(summary.kinds, key=lambda kind: -summary.kinds[kind])
    rows = [
        cells((str(query), f"{counts.total():,}", *(f"{counts[kind]:,}" if counts[kind] else "" for kind in kinds)))
        for query, counts in summary.by_query(MOST_QUERIES)
    ]
    total = cells(("all queries", f"{summary.events:,}", *(f"{summary.kinds[kind]:,}" for kind in kinds)))
    shown = [table(("query", "events", *kinds), [total, *rows])]
    shown.append(_rest(summary.queries.number("query_id"), len(rows), "queries"))
    shown.append(paragraph(f"Why: {_listed(summary.reasons)}."))
    shown.append(_error(summary.queries.error))
    return section("what", "What happened", shown)


def _when(summary: Summary) -> str:
    drawn = _drawn("Events over time, by kind.", lambda charts: charts.draw_timeline(summary))
    counts, ((start, end), _) = summary.timeline.dense()
    each = counts.sum(axis=1)
    width = (end - start) / len(each)
    busiest = int(each.argmax())
    text = f"The busiest {duration(width)} began at {moment(start + busiest * width)}, with {each[busiest]:,} events."
    return section("when", "When", [drawn, paragraph(text)])


def _where(summary: Summary, *, lonlat: bool) -> list[str]:
    shown = []
    for axes, grid in sorted(summary.places.items(), reverse=True):
        if not grid.counts:
            continue
        cell, most = max(grid.counts.items(), key=lambda item: (item[1], item[0]))
        sizes = grid.sizes()
        ends = " and ".join(f"{at * size:g} to {(at + 1) * size:g}" for at, size in zip(cell, sizes, strict=True))
        what = "where events happened" if axes == 2 else "the values at which events happened"
        drawn = _drawn(
            f"A map of {what}.",
            lambda charts, grid=grid: charts.draw_places(grid, lonlat=lonlat),
        )
        shown += [drawn, paragraph(f"The fullest cell, from {ends}, has {most:,} of {grid.counts.total():,} events.")]
    return [section("where", "Where", shown)] if shown else []


def _stays(summary: Summary) -> list[str]:
    stays = summary.stays
    if not stays.steps:
        return []
    rows = [
        cells((
            kind, f"{stays.steps[kind].total():,}", duration(stays.least[kind]), duration(stays.median(kind)),
            duration(stays.total[kind] / stays.steps[kind].total()), duration(stays.most[kind]),
        ))
        for kind in sorted(stays.steps)
    ]  # fmt: skip
    drawn = _drawn("From the start of transitions to their end, by kind.", lambda charts: charts.draw_stays(summary))
    heads = ("kind", "events", "shortest", "median, about", "mean", "longest")
    return [section("stays", "How long", [drawn, table(heads, rows)])]


def _streams(summary: Summary) -> str:
    most = summary.streams.counts().slice(0, MOST_STREAMS).to_pylist()
    rows = [cells((row["stream_id"], f"{row[COUNT]:,}")) for row in most]
    rest = _rest(summary.streams.number(), len(rows), "streams")
    return section("streams", "Which streams", [table(("stream", "events"), rows), rest, _error(summary.streams.error)])


def _batches(batches: Batches) -> str:
    rejected = batches.rejected.total()
    about = {
        "batches": f"{batches.number:,}",
        "rows": f"{batches.rows:,}",
        "late": f"{batches.late:,}",
        "rejected": f"{rejected:,}" + (f": {_listed(batches.rejected)}" if rejected else ""),
        "changes rejected": f"{batches.problems:,}",
    }
    if batches.left_out:
        about["alerts left out"] = f"{batches.left_out:,}, beyond the cap of their patterns"
    if batches.kept:
        shed, accuracy = batches.kept.get("shed", 0), batches.kept.get("least_accuracy", 100.0)
        about["shed"] = f"{shed:,}; the least accurate answer had {accuracy:g} % in the end"
    rows = [
        cells((
            str(batch.number), batch.when, duration(batch.milliseconds / 1000), f"{batch.counters.get('rows', 0):,}",
            f"{batch.events:,}", f"{batch.counters.get('late', 0):,}",
        ))
        for batch in batches.slowest()
    ]  # fmt: skip
    drawn = _drawn("How long batches took.", lambda charts: charts.draw_batches(batches))
    heads = ("slowest batches", "ended", "took", "rows", "events", "late")
    return section("batches", "Batches", [described(about), drawn, table(heads, rows)])


def _drawn(text: str, draw: Callable[..., bytes]) -> str:
    """Draw a picture, where that can be done."""
    if find_spec("matplotlib") is None:
        return ""
    from limen.report import charts  # noqa: PLC0415  # it needs what may not be there

    return pictures([(text, draw(charts))])


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.most_common())


def _rest(number: str, shown: int, what: str) -> str:
    return "" if number == f"{shown:,}" else paragraph(f"The first {shown:,} of {number} {what}.")


def _error(error: int) -> str:
    return paragraph(f"There were too many to count each: numbers may be low by up to {error:,}.") if error else ""
