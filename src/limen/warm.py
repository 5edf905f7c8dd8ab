"""Compile kernels before they are needed: by running a few rows through all that a query family does.

Kernels are compiled for the types that they meet, so the surest list of what to compile is what real rows lead to.
Several processes share the work, and the folder of compiled kernels; see `limen.kernels.cache`.
"""

import hashlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain, islice
from pathlib import Path
from queue import Queue
from typing import Any

import numpy as np
import pyarrow as pa

from limen.engine import Engine
from limen.errors import InvalidInput, LimenError, did_you_mean
from limen.kernels import cache
from limen.kernels.routing import count_shards, shard_of_strings
from limen.model import (
    Border,
    Box,
    Circle,
    Columns,
    Match,
    MultiPolygon,
    Nearest,
    Pair,
    Pattern,
    Polygon,
    Query,
    Range,
    Region,
    Transition,
    Within,
)  # fmt: skip
from limen.model.options import Options
from limen.runtime.ids import string_buffers

ROWS = 400
MOST_ALIKE = 40  # queries of a job of one kind that are run
MOST_LOOKED_AT = 2_000  # queries of a job
LINE = Columns(id="id", time="time", values="x", attributes=("kind",))
PLANE = Columns(id="id", time="time", values=("x", "y"), attributes=("kind",))
SPACE = Columns(id="id", time="time", values=("x", "y", "z"))
EARTH = Columns(id="id", time="time", values=("x", "y"), crs="lonlat")

_begun: set[Path] = set()

SQUARE = ((2.0, 2.0), (8.0, 2.5), (7.0, 8.0), (2.0, 7.0))
HOLE = ((4.0, 4.0), (5.0, 4.0), (5.0, 5.0))
ON_LINE: tuple[Region, ...] = (Range(2, 6), Range(4, 9))
ON_PLANE: tuple[Region, ...] = (
    Box((2, 2), (6, 7)), Circle((5, 5), 2.5), Polygon(SQUARE, [HOLE]), MultiPolygon([Polygon(SQUARE), Polygon(HOLE)])
)  # fmt: skip
IN_SPACE: tuple[Region, ...] = (Box((2, 2, 2), (6, 7, 8)),)
PLACES = ((LINE, ON_LINE), (PLANE, ON_PLANE), (SPACE, IN_SPACE), (EARTH, ON_PLANE))


def rows(columns: Columns, first: int = 0, count: int = ROWS, streams: int = 40, *, text: bool = True) -> pa.Table:
    """Return rows of streams that walk around: a row a second, then several of one time."""
    at = np.arange(first, first + count)
    seconds = at // (1 + at // 50)
    if columns.time_unit is None:
        start = datetime(2026, 1, 1, tzinfo=UTC)
        times = pa.array([start + timedelta(seconds=int(second)) for second in seconds])
    else:
        times = pa.array(seconds * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[columns.time_unit])
    table: dict[str, Any] = {columns.id: pa.array([f"s{number % streams}" for number in at]), columns.time: times}
    for name in columns.attributes:
        table[name] = pa.array([("bus", "taxi")[number % 2] for number in at] if text else at % 7 + 0.5)
    for number, name in enumerate(columns.values):
        table[name] = pa.array(5 + 5 * np.sin(at * (0.7 + 0.3 * number)))
    return pa.table(table)


def exercise(columns: Columns, queries: list[Query], **options: Any) -> None:
    """Run rows through an engine, change its queries, and restore it from its snapshot."""
    half = (len(queries) + 1) // 2
    engine = Engine(columns, queries=queries[:half], **options)
    engine.process(rows(columns, 0, 8))
    engine.process(rows(columns, 8))
    for query in queries[half:]:
        engine.register(query)
    engine.process(rows(columns, ROWS + 8))
    engine.deregister(queries[0].id)
    restored = Engine.restore(engine.snapshot())
    restored.process(rows(columns, 2 * ROWS + 8, streams=60))
    restored.advance(datetime(2026, 1, 2, tzinfo=UTC))
    _ = restored.counters


def route() -> None:
    """Split strings as Spark's shards do."""
    shard = np.empty(3, np.int32)
    shard_of_strings(*string_buffers(["a", "b", "c"]), 2, shard)
    count_shards(shard, np.zeros(3, np.int64), np.empty(3, np.int64))


def _regional(make: Callable[..., Query], variants: tuple[dict[str, Any], ...]) -> Iterator[Callable[[], None]]:
    """Run queries of one family over regions of all kinds."""
    for columns, regions in PLACES:
        for number, variant in enumerate(variants):
            own = {"streams": ["s1", "s2"]} if number == 1 else {}
            some = [make(f"q{place}", region, **variant, **own) for place, region in enumerate(regions)]
            some += [make(f"{query.id}-{copy}", regions[0], **variant) for query in some for copy in range(3)]
            yield partial(exercise, columns, some, order=("arrival", "event")[number % 2])


def _border() -> Iterator[Callable[[], None]]:
    calm = {"margin": 0.5, "confirm": 2, "min_stay": 1}
    return _regional(Border, ({}, {"initial": "report"}, {"crossings": True}, calm))


def _match() -> Iterator[Callable[[], None]]:
    return _regional(Match, ({}, {}))


def _transition() -> Iterator[Callable[[], None]]:
    return _regional(Transition, ({"within": 3}, {"within": 2}, {"within": 3, "margin": 0.5, "confirm": 2}))


def _centered(columns: Columns) -> list[Query]:
    side: dict[str, Any] = {"width": 3.0, "height": 2.0} if len(columns.values) == 2 else {"radius": 3.0}
    center = (5.0,) * len(columns.values)
    found: list[Query] = []
    for number in range(80):
        found.append(Within(f"around {number}", focal=f"s{number % 40}", **side))
        found.append(Within(f"near {number}", focal=f"s{number % 40}", radius=2.0))
    return [*found, Nearest("nearest", 3, center=center), Nearest("nearest to", 2, focal="s3")]


def _answer() -> Iterator[Callable[[], None]]:
    for columns, regions in PLACES:
        inside: list[Query] = [Within(f"in {number}", region) for number, region in enumerate(regions)]
        yield partial(exercise, columns, inside)
        around = _centered(columns)
        for some in (around[:2], around[:-2], around[-2:], around):
            yield partial(exercise, columns, some)


def _budget() -> Iterator[Callable[[], None]]:
    for columns, regions in PLACES:
        for shedding in (None, "query", "object"):
            some: list[Query] = [
                Within(f"in {number}", region, min_accuracy=50) for number, region in enumerate(regions)
            ]
            options = {"memory": 40_000, "shedding": shedding} if shedding else {"measure_accuracy": True}
            some += _centered(columns)[-12:]
            yield partial(exercise, columns, some, max_speed=3.0, report_every=1, **options)


def _pattern() -> Iterator[Callable[[], None]]:
    both = {"a": "x > 5", "b": "x < 5"}
    pairs: tuple[dict[str, Any], ...] = (
        {"after": (0, 9)},
        {"after": (0, 9), "distance": 4.0},
        {"after": (0, 9), "where": "a.kind <> b.kind and a.x < b.x + 9"},
    )
    for columns, _ in PLACES:
        for number, expiry in enumerate(("tight", "loose", "no-index")):
            named = pairs if columns.attributes else pairs[:2]
            some: list[Query] = [Pattern(f"p{n}", both, [Pair("a", "b", **pair)]) for n, pair in enumerate(named)]
            some.append(Pattern.at_least("many", 3, where="x > 5", distance=3.0, within=20))
            some.append(Pattern("capped", both, [Pair("a", "b", after=(0, 5))], cap=2 + number))
            yield partial(exercise, columns, some, expiry=expiry)


#: By name: the rows to run, and for how many seconds of one core all of it is compiled.
FAMILIES: dict[str, tuple[Callable[[], Iterator[Callable[[], None]]], int]] = {
    "border": (_border, 12), "match": (_match, 6), "transition": (_transition, 9), "answer": (_answer, 20),
    "budget": (_budget, 26), "pattern": (_pattern, 7),
}  # fmt: skip


def check_families(names: Iterable[str]) -> list[str]:
    """Return the families to compile, the longest first; all if none is named."""
    wanted = set(names)
    for name in wanted - set(FAMILIES):
        raise InvalidInput(
            where="family", expected=f"one of {', '.join(FAMILIES)}", got=name, hint=did_you_mean(name, FAMILIES)
        )
    return sorted(wanted or FAMILIES, key=lambda name: -FAMILIES[name][1])


def warm_here(family: str, done: Callable[[int, int], None] = lambda _number, _of: None) -> None:
    """Compile the kernels of a family in this process."""
    steps = [route, *FAMILIES[family][0]()]
    for number, step in enumerate(steps, 1):
        step()
        done(number, len(steps))


def warm_job(columns: Columns, queries: Iterable[Query], options: dict[str, Any]) -> None:
    """Compile what some queries need, in this process: a few of each kind, over rows that are made up."""
    some: dict[Any, list[Query]] = {}
    for query in queries:
        like_it = some.setdefault((type(query), type(getattr(query, "region", None)), query.where is None), [])
        if len(like_it) < MOST_ALIKE:
            like_it.append(query)
    route()
    for text in (True, False):  # a condition is about text or about numbers
        with suppress(LimenError):
            engine = Engine(columns, **options)
            for query in chain(*some.values()):
                with suppress(LimenError):
                    engine.register(query)
            for first in range(0, 3 * ROWS, ROWS):
                engine.process(rows(columns, first, text=text))


def start_job(columns: Columns, queries: Iterable[Query], options: dict[str, Any]) -> None:
    """Begin to compile what some queries need, in a process beside this one, unless that was done before.

    Spark takes seconds to start, in which this is done. Its workers wait for a kernel that is being compiled.
    """
    own = {name: value for name, value in options.items() if name in Options.__dataclass_fields__}
    given = pickle.dumps((columns, list(islice(queries, MOST_LOOKED_AT)), own))
    done = cache.mark("job " + hashlib.sha256(given).hexdigest())
    if done is None or done.exists() or done in _begun:
        return
    _begun.add(done)
    process = subprocess.Popen(
        [sys.executable, "-m", "limen.warm"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    with suppress(OSError), process.stdin:
        process.stdin.write(str(done).encode() + b"\n" + given)
    threading.Thread(target=process.wait, daemon=True).start()


class Warming:
    """The compilation of some families in processes of their own, one a core."""

    def __init__(self, families: list[str]) -> None:
        self._waiting, self._share = list(families), dict.fromkeys(families, 0.0)
        self._running: dict[str, subprocess.Popen[str]] = {}
        self._lines: Queue[tuple[str, str]] = Queue()
        for _ in range(len(os.sched_getaffinity(0))):
            self._start()

    def _start(self) -> None:
        if not self._waiting:
            return
        family = self._waiting.pop(0)
        command = [sys.executable, "-m", "limen.warm", family]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603
        self._running[family] = process
        threading.Thread(target=self._read, args=(family, process), daemon=True).start()

    def _read(self, family: str, process: subprocess.Popen[str]) -> None:
        for line in process.stdout or ():
            self._lines.put((family, line))
        self._lines.put((family, ""))

    def wait(self) -> Iterator[float]:
        """Yield the share that is done, until all is; raise an error if a family cannot be compiled."""
        total = sum(FAMILIES[family][1] for family in self._share)
        while self._running:
            family, line = self._lines.get()
            if line:
                number, of = map(int, line.split())
                self._share[family] = number / of
                yield sum(FAMILIES[each][1] * share for each, share in self._share.items()) / total
            elif code := self._running.pop(family).wait():
                for process in self._running.values():
                    process.terminate()
                raise LimenError(f"compiling the kernels of {family} failed with exit code {code}")
            else:
                self._start()


def _main() -> None:
    """Compile the families that are named, or the job that standard input has."""
    for family in sys.argv[1:]:
        warm_here(family, lambda number, of: print(number, of, flush=True))  # noqa: T201  # read by `Warming`
    if not sys.argv[1:]:
        done = Path(sys.stdin.buffer.readline().decode().rstrip("\n"))
        warm_job(*pickle.load(sys.stdin.buffer))  # noqa: S301  # from `start_job`
        cache.write(done, b"")


if __name__ == "__main__":
    _main()
