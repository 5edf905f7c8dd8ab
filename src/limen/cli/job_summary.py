"""The contents of a job file in a few lines."""

import re
from collections import Counter
from typing import Any

from rich.console import Console

from limen.jobfile import JobFile


def print_plan(job: JobFile, console: Console) -> None:
    """Print the source, the queries and the sinks of a job."""
    columns = job.columns
    kinds = Counter(query.type for query in job.queries)
    lines = {
        "job": job.name,
        "source": _place(job.source.place),
        "columns": f"id {columns.id}, time {columns.time}, values {', '.join(columns.values)}",
        "attributes": ", ".join(columns.attributes) or "none",
        "queries": ", ".join(f"{count:,} {kind}" for kind, count in kinds.items()) or "none at the start",
        "changes": _place(job.changes) if job.changes else "none while it runs",
        "options": ", ".join(f"{name} {value}" for name, value in job.options.items()) or "the defaults",
    }
    for number, sink in enumerate(job.sinks, start=1):
        lines[f"sink {number}"] = _place(sink.place) + (f", where {sink.where}" if sink.where else "")
    lines["trigger"] = _trigger(job)
    lines["checkpoint"] = job.checkpoint
    width = max(map(len, lines))
    for name, text in lines.items():
        console.print(f"{name:{width}}  {text}", soft_wrap=True, markup=False)


def _trigger(job: JobFile) -> str:
    if job.available_now:
        return "all that is there, then the end"
    return f"every {job.every / 1e6:g} s" if job.every else "as often as possible"


def _place(place: Any) -> str:
    facts = {name: getattr(place, name) for name in place.__slots__ if name != "format"}
    if "url" in facts:
        facts["url"] = without_password(facts["url"])
    facts["options"] = ", ".join(facts.get("options") or ())  # names only: values may be secrets
    if place.format == "kafka" and place.schema is None:
        facts.pop("starting", None)
    return ", ".join(
        [place.format, *(f"{name} {value}" for name, value in facts.items() if value not in (None, {}, ""))]
    )


def without_password(url: str) -> str:
    """Return an address as it may be shown.

    Examples
    --------
    >>> without_password("postgresql://me:secret@host/db"), without_password("postgresql://me@host/db")
    ('postgresql://me:…@host/db', 'postgresql://me@host/db')
    """
    url = re.sub(r"(password=)[^&\s]+", r"\1…", url)
    scheme, slashes, rest = url.partition("://")
    account, at, host = rest.rpartition("@")
    user, colon, _ = account.partition(":")
    return f"{scheme}{slashes}{user}:…@{host}" if at and colon else url
