"""Parts of a graph and the fastest ways through it, on random small graphs: slow and obvious code says what is so."""

from collections.abc import Iterator

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from limen.arrays import Floats, Slots
from limen.simulate.kernels.shortest_paths import NOWHERE, components, fastest_to, passers

Road = tuple[int, int, float]


class Graph:
    """A graph as arcs sorted by their beginnings; roads go both ways."""

    def __init__(self, nodes: int, roads: list[Road]) -> None:
        arcs = sorted(
            (ends, number, way) for number, (a, b, _) in enumerate(roads) for way, ends in ((0, (a, b)), (1, (b, a)))
        )
        self.nodes = nodes
        self.tails = np.array([tail for (tail, _), _, _ in arcs], np.int32)
        self.heads = np.array([head for (_, head), _, _ in arcs], np.int32)
        self.seconds = np.array([roads[number][2] for _, number, _ in arcs])
        place = {(number, way): arc for arc, (_, number, way) in enumerate(arcs)}
        self.twins = np.array([place[number, 1 - way] for _, number, way in arcs], np.int32)
        self.starts = np.searchsorted(self.tails, np.arange(nodes + 1)).astype(np.int32)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    nodes = draw(st.integers(1, 8))
    node = st.integers(0, nodes - 1)
    # Few different times, so that many ways are equally fast.
    roads = draw(st.lists(st.tuples(node, node, st.sampled_from([1.0, 2.0, 2.5, 7.0])), max_size=14))
    return Graph(nodes, [road for road in roads if road[0] != road[1]])


def fastest(graph: Graph, destination: int) -> Floats:
    """Try every arc as often as there are nodes."""
    best = np.full(graph.nodes, np.inf)
    best[destination] = 0.0
    for _ in range(graph.nodes):
        for tail, head, seconds in zip(graph.tails, graph.heads, graph.seconds, strict=True):
            best[tail] = min(best[tail], best[head] + seconds)
    return best


def found(graph: Graph, destination: int, metres: Floats) -> tuple[Floats, ...]:
    next_arc, time, length = np.empty(graph.nodes, np.int32), np.empty(graph.nodes), np.empty(graph.nodes)
    heap_time, heap_node = np.empty(len(graph.heads) + 1), np.empty(len(graph.heads) + 1, np.int32)
    fastest_to(
        destination, graph.starts, graph.heads, graph.twins, graph.seconds, metres,
        next_arc, time, length, heap_time, heap_node,
    )  # fmt: skip
    return next_arc, time, length


def way(graph: Graph, next_arc: Slots, node: int) -> Iterator[int]:
    while next_arc[node] != NOWHERE:
        assert graph.tails[next_arc[node]] == node
        yield int(next_arc[node])
        node = graph.heads[next_arc[node]]


@given(graphs())
def test_nodes_are_of_one_part_if_a_way_joins_them(graph: Graph) -> None:
    part = np.empty(graph.nodes, np.int32)
    count = components(graph.starts, graph.heads, part, np.empty(graph.nodes, np.int32))
    joined = np.array([np.isfinite(fastest(graph, node)) for node in range(graph.nodes)])
    assert (joined == (part[:, None] == part)).all()
    assert sorted(set(part.tolist())) == list(range(count))


@given(graphs())
def test_ways_are_as_fast_as_can_be_and_lead_to_the_destination(graph: Graph) -> None:
    metres = graph.seconds * 10.0
    for destination in range(graph.nodes):
        next_arc, time, length = found(graph, destination, metres)
        assert time.tolist() == fastest(graph, destination).tolist()
        for node in np.flatnonzero(np.isfinite(time)):
            arcs = list(way(graph, next_arc, node))
            assert sum(graph.seconds[arcs]) == time[node]
            assert sum(metres[arcs]) == length[node]
            assert (graph.heads[arcs[-1]] if arcs else node) == destination
        assert (next_arc[np.isinf(time)] == NOWHERE).all()
        assert np.isinf(length[np.isinf(time)]).all()


@given(graphs())
def test_passers_are_counted_on_every_arc_of_every_way(graph: Graph) -> None:
    next_arc, time, _ = found(graph, 0, graph.seconds)
    passing = np.zeros(len(graph.heads), np.int64)
    passers(np.argsort(-time, kind="stable"), next_arc, graph.heads, passing, np.empty(graph.nodes, np.int64))
    expected = np.zeros(len(graph.heads), np.int64)
    for node in range(graph.nodes):
        for arc in way(graph, next_arc, node):
            expected[arc] += 1
    assert passing.tolist() == expected.tolist()


def test_the_fastest_way_need_not_be_the_shortest() -> None:
    """0 ── 1 takes nine seconds; by way of 2 it is longer, and takes four."""
    graph = Graph(3, [(0, 1, 9.0), (0, 2, 2.0), (1, 2, 2.0)])
    metres = np.where((graph.tails == 2) | (graph.heads == 2), 700.0, 50.0)
    next_arc, time, length = found(graph, 1, metres)
    assert graph.heads[next_arc[0]] == 2
    assert (time.tolist(), length.tolist()) == ([4.0, 0.0, 2.0], [1400.0, 0.0, 700.0])
