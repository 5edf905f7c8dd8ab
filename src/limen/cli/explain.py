"""`limen explain`: what follows from a pattern, in words and as a picture."""

from itertools import combinations
from pathlib import Path  # typer reads annotations at run time
from typing import Annotated

import typer

from limen.cli.error_text import errors_as_text
from limen.cli.pattern_picture import draw_graph
from limen.cli.picture import drawn
from limen.errors import InvalidInput, did_you_mean
from limen.formats.load import load_queries
from limen.formats.query_json import parse_json, query_from_dict
from limen.model.graph import UNBOUNDED, Graph, graph_of
from limen.model.pattern import Pattern


def explain(
    pattern: Annotated[str, typer.Argument(help="A pattern as JSON, or a file of queries (.jsonl) with one in it.")],
    id: Annotated[str | None, typer.Option(help="Which pattern of the file, where it has several.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the graph into this PNG file.")] = None,
) -> None:
    """Show the constraints between each two tuples of a pattern, given and inferred, and how long tuples are kept."""
    with errors_as_text():
        found = read_pattern(pattern, id)
        typer.echo("\n".join(explained(found)))
        if picture is not None:
            typer.echo(drawn(lambda: draw_graph(picture, found)))


def read_pattern(given: str, id: str | None) -> Pattern:
    """Read a pattern from JSON, or from a file by its id."""
    queries = [query_from_dict(parse_json(given))] if given.lstrip().startswith("{") else load_queries(given)
    patterns = {query.id: query for query in queries if isinstance(query, Pattern)}
    if id is not None and id not in patterns:
        hint = did_you_mean(id, patterns)
        raise InvalidInput(where="--id", expected="the id of a pattern", got=repr(id), hint=hint)
    if id is None and len(patterns) != 1:
        hint = f"--id: {', '.join(patterns)}" if patterns else None
        raise InvalidInput(where="explain", expected="one pattern", got=f"{len(patterns)}", hint=hint)
    return patterns[id] if id is not None else next(iter(patterns.values()))


def explained(pattern: Pattern) -> list[str]:
    """Return the given and the inferred constraints of a pattern as lines of text."""
    graph = graph_of(pattern)
    lines = [f"pattern {pattern.id}"]
    for variable in pattern.variables:
        parts = [
            variable.where,
            variable.region and f"in {variable.region}",
            variable.streams and f"of {variable.streams}",
        ]
        lines.append(f"  {variable.name}: {', '.join(str(part) for part in parts if part) or 'any tuple'}")
    for i, j in combinations(range(len(graph.names)), 2):
        lines += [f"  {graph.names[i]} → {graph.names[j]}: {', '.join(constraints(graph, i, j))}"]
    wheres = [f"  {pair.a}, {pair.b}: {pair.where}" for pair in pattern.pairs if pair.where is not None]
    lines += ["compared", *wheres] if wheres else []
    same = [f"{graph.names[i]} before {graph.names[j]}" for i, j in zip(*(graph.order > 0).nonzero(), strict=True)]
    lines += ["interchangeable, so in canonical order", f"  {', '.join(same)}"] if same else []
    lines.append("kept at the most")
    for i, name in enumerate(graph.names):
        others = [int(graph.latest[i, j]) for j in range(len(graph.names)) if j != i]
        last = max(others, default=-1)
        lines.append(f"  {name}: {'not at all' if last < 0 else f'{last / 1e6:g} s after it came'}")
    return lines


def constraints(graph: Graph, i: int, j: int) -> list[str]:
    """Describe the constraints between two variables; inferred ones are marked."""
    given = graph.given_latest[i, j] < UNBOUNDED and graph.given_latest[j, i] < UNBOUNDED
    tighter = graph.latest[i, j] < graph.given_latest[i, j] or graph.latest[j, i] < graph.given_latest[j, i]
    mark = " (follows)" if not given else " (tightened)" if tighter else ""
    words = [f"{-graph.latest[j, i] / 1e6:g} to {graph.latest[i, j] / 1e6:g} s{mark}"]
    if graph.distance[i, j] < float("inf"):
        follows = " (follows)" if graph.distance[i, j] < graph.given_distance[i, j] else ""
        words.append(f"nearer than {graph.distance[i, j]:g}{follows}")
    if graph.beyond[i, j] > 0:
        words.append(f"{graph.beyond[i, j]:g} apart or more")
    return words
