# ruff: noqa: E501  # texts of errors are quoted whole
"""Road networks: read, generated, and what is left out of them."""

from pathlib import Path

import numpy as np
import pytest

from limen.errors import InvalidInput
from limen.simulate import LeftOut, city_roads, generated_roads, read_roads, road_network
from limen.simulate.city import EDGES_FILE, NODES_FILE
from limen.simulate.generated_roads import CLASS_SHARES

OLDENBURG = Path(__file__).parents[3] / "shared" / "data" / "oldenburg"
needs_oldenburg = pytest.mark.skipif(not OLDENBURG.is_dir(), reason=f"needs the map of Oldenburg in {OLDENBURG}")

# A square of 30 by 15 with a corner left open: 1 ── 2 ── 3, 4 below 3.
NODES = "1\t0\t15\t*\n2\t15\t15\t*\n3\t30\t15\t*\n4\t30\t0\t*\n"
EDGES = "10\t1\t2\t0\t*\n11\t2\t3\t3\t*\n12\t3\t4\t6\t*\n"


def read(folder, nodes=NODES, edges=EDGES, side=30.0):
    (folder / "nodes.txt").write_text(nodes)
    (folder / "edges.txt").write_text(edges)
    return read_roads(folder / "nodes.txt", folder / "edges.txt", side)


def arcs(network):
    return set(zip(network.tails.tolist(), network.heads.tolist(), network.road.tolist(), strict=True))


def test_reads_nodes_and_roads(tmp_path):
    network = read(tmp_path)
    assert network.name == "nodes"
    assert network.xy.tolist() == [[0.0, 15.0], [15.0, 15.0], [30.0, 15.0], [30.0, 0.0]]
    assert network.ends.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert network.road_class.tolist() == [0, 3, 6]
    assert network.metres.tolist() == [15.0, 15.0, 15.0]
    assert network.left_out == LeftOut()


def test_the_longer_side_is_scaled_and_the_other_keeps_its_proportion(tmp_path):
    assert read(tmp_path, side=15_000.0).extent.tolist() == [15_000.0, 7_500.0]
    moved = NODES.replace("\t15\t*", "\t-85\t*").replace("\t0\t*", "\t-100\t*")
    assert read(tmp_path, moved, side=30.0).xy.tolist() == read(tmp_path, side=30.0).xy.tolist()


def test_every_road_is_two_arcs_that_are_twins(tmp_path):
    network = read(tmp_path)
    assert arcs(network) == {(0, 1, 0), (1, 0, 0), (1, 2, 1), (2, 1, 1), (2, 3, 2), (3, 2, 2)}
    for node in range(4):
        assert (network.tails[network.starts[node] : network.starts[node + 1]] == node).all()
    assert (network.tails[network.twins] == network.heads).all()
    assert (network.road[network.twins] == network.road).all()
    assert (network.twins[network.twins] == np.arange(6)).all()


@pytest.mark.parametrize(
    ("nodes", "edges"),
    [
        (NODES.replace("\n", "\r\n"), EDGES.replace("\n", "\r\n")),
        (NODES.rstrip("\n"), EDGES.rstrip("\n")),
        (NODES.replace("\t*", ""), EDGES.replace("\t*", "")),
        (NODES + "\n\n", "\n" + EDGES),
        (NODES.replace("*", "Alte Straße 7"), EDGES.replace("*", "A 28 nach Leer")),
    ],
    ids=["CRLF", "no newline at the end", "no names", "blank lines", "names of several words"],
)
def test_what_does_not_matter_in_a_file(tmp_path, nodes, edges):
    assert arcs(read(tmp_path, nodes, edges)) == arcs(read(tmp_path))


def test_names_may_be_in_any_encoding(tmp_path):
    (tmp_path / "nodes.txt").write_bytes(NODES.replace("*", "Straße").encode("latin-1"))
    (tmp_path / "edges.txt").write_text(EDGES)
    assert len(read_roads(tmp_path / "nodes.txt", tmp_path / "edges.txt").xy) == 4


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ("1\t0\n", "nodes.txt:1: expected id, x, y and a name, separated by tabs or spaces, got 1\t0"),
        (
            NODES + "5\tfar\t3\t*\n",
            "nodes.txt:5: expected id, x, y and a name, separated by tabs or spaces, got 5\tfar\t3\t*",
        ),
        (
            NODES + "V\t1\t3\t*\n",
            "nodes.txt:5: expected id, x, y and a name, separated by tabs or spaces, got V\t1\t3\t*",
        ),
        (NODES + "5\tnan\t3\t*\n", "nodes.txt:5: expected finite coordinates, got nan, 3"),
        (NODES + "5\t1\tinf\t*\n", "nodes.txt:5: expected finite coordinates, got 1, inf"),
        (NODES + "2\t9\t9\t*\n", "nodes.txt:5: expected each node once, got node 2 again"),
        ("", "nodes.txt: expected id, x, y and a name, separated by tabs or spaces, got an empty file"),
        ("\n \n", "nodes.txt: expected id, x, y and a name, separated by tabs or spaces, got an empty file"),
    ],
)
def test_bad_nodes_are_explained(tmp_path, nodes, text):
    with pytest.raises(InvalidInput) as error:
        read(tmp_path, nodes)
    assert str(error.value) == f"{tmp_path}/{text}"


@pytest.mark.parametrize(
    ("edges", "text"),
    [
        (
            EDGES + "13\t1\t2\n",
            "edges.txt:4: expected id, two node ids, class and a name, separated by tabs or spaces, got 13\t1\t2",
        ),
        (
            EDGES + "13\t1\t2\tfast\t*\n",
            "edges.txt:4: expected id, two node ids, class and a name, separated by tabs or spaces, got 13\t1\t2\tfast\t*",
        ),
        (EDGES + "13\t1\t2\t7\t*\n", "edges.txt:4: expected a class from 0 to 6, got 7"),
        (EDGES + "13\t1\t2\t-1\t*\n", "edges.txt:4: expected a class from 0 to 6, got -1"),
        ("", "edges.txt: expected id, two node ids, class and a name, separated by tabs or spaces, got an empty file"),
    ],
)
def test_bad_roads_are_explained(tmp_path, edges, text):
    with pytest.raises(InvalidInput) as error:
        read(tmp_path, edges=edges)
    assert str(error.value) == f"{tmp_path}/{text}"


@pytest.mark.parametrize(("one", "other"), [(1, 99), (99, 1)])
def test_a_road_to_a_missing_node_is_explained(tmp_path, one, other):
    with pytest.raises(InvalidInput) as error:
        read(tmp_path, edges=EDGES + f"13\t{one}\t{other}\t3\t*\n")
    assert str(error.value) == f"{tmp_path}/edges.txt:4: expected nodes of {tmp_path}/nodes.txt, got node 99"


def test_isolated_nodes_and_smaller_parts_are_left_out_and_counted(tmp_path):
    more_nodes = NODES + "5\t900\t900\t*\n6\t800\t800\t*\n7\t810\t800\t*\n"
    network = read(tmp_path, more_nodes, EDGES + "13\t6\t7\t3\t*\n")
    assert network.left_out == LeftOut(isolated_nodes=1, remote_nodes=2, remote_roads=1)
    assert str(network.left_out) == (
        "1 isolated node, 2 nodes not connected with the rest, 1 road not connected with the rest"
    )
    assert arcs(network) == arcs(read(tmp_path))
    # What is left out does not count for the size of the city.
    assert network.extent.tolist() == [30.0, 15.0]


def test_roads_that_lead_nowhere_are_dropped_and_counted(tmp_path):
    network = read(tmp_path, NODES + "5\t30\t0\t*\n", EDGES + "13\t2\t2\t3\t*\n14\t4\t5\t3\t*\n")
    assert network.left_out == LeftOut(isolated_nodes=1, roads_without_length=2)
    assert arcs(network) == arcs(read(tmp_path))


def test_the_larger_part_is_kept_wherever_it_is_in_the_file(tmp_path):
    network = read(tmp_path, "8\t0\t0\t*\n9\t1\t1\t*\n" + NODES, "13\t8\t9\t3\t*\n" + EDGES)
    assert network.metres.tolist() == [15.0, 15.0, 15.0]
    assert network.road_class.tolist() == [0, 3, 6]


def test_no_road_at_all_is_explained(tmp_path):
    with pytest.raises(InvalidInput, match="nodes: expected a road between two places, got 1 roads, none with length"):
        read(tmp_path, edges="13\t2\t2\t3\t*\n")


@pytest.mark.parametrize("side", [0.0, -1.0, float("inf"), float("nan")])
def test_impossible_sizes_are_refused(side):
    with pytest.raises(InvalidInput, match="side: expected metres, from 1 to 10,000,000, got"):
        generated_roads(20, 21, side=side)


def test_a_generated_network_is_of_the_size_and_kind_of_oldenburg():
    network = generated_roads()
    assert (network.name, len(network.xy), len(network.ends)) == ("generated", 6_105, 7_035)
    assert network.left_out == LeftOut()
    assert network.extent.max() == 15_000.0
    assert network.extent.min() > 10_000.0
    # 185 units of Oldenburg's map are 103 m.
    assert network.metres.mean() == pytest.approx(103.0, rel=0.12)
    classes = np.bincount(network.road_class, minlength=7) / 7_035
    assert classes == pytest.approx(CLASS_SHARES, abs=0.002)
    degrees = np.bincount(np.diff(network.starts)) / 6_105
    assert degrees == pytest.approx([0.0, 0.10, 0.53, 0.32, 0.05], abs=0.13)


def test_generated_streets_do_not_double():
    network = generated_roads(500, 600)
    assert len(np.unique(np.sort(network.ends, axis=1), axis=0)) == 600


def test_fast_roads_hang_together_more_than_chance_would_have_it():
    network = generated_roads()
    fast = network.ends[network.road_class <= 2]
    joints = np.bincount(fast.ravel(), minlength=len(network.xy))
    assert (joints[fast] >= 2).mean() > 0.9


@pytest.mark.parametrize(("nodes", "edges"), [(10, 9), (100, 99), (100, 115), (100, 128)])
def test_generated_networks_of_all_sizes_are_whole(nodes, edges):
    network = generated_roads(nodes, edges)
    assert (len(network.xy), len(network.ends), network.left_out) == (nodes, edges, LeftOut())


def test_seed_decides():
    assert np.array_equal(generated_roads(100, 115, seed=3).xy, generated_roads(100, 115, seed=3).xy)
    assert not np.array_equal(generated_roads(100, 115, seed=3).xy, generated_roads(100, 115, seed=4).xy)


@pytest.mark.parametrize(
    ("nodes", "edges", "text"),
    [
        (9, 9, "nodes: expected 10 or more, got 9"),
        (100, 98, "edges: expected 99 to 130 for 100 nodes, got 98"),
        (100, 131, "edges: expected 99 to 130 for 100 nodes, got 131"),
    ],
)
def test_impossible_networks_are_refused(nodes, edges, text):
    with pytest.raises(InvalidInput, match=text):
        generated_roads(nodes, edges)


def test_road_networks_can_be_made_of_arrays():
    network = road_network("line", np.array([[5.0, 5.0], [6.0, 5.0]]), np.array([[0, 1]]), np.array([2]))
    assert str(network) == "line: 2 nodes, 1 roads, 15 km"


def test_the_city_is_generated_where_no_map_is(tmp_path, monkeypatch):
    monkeypatch.delenv("LIMEN_DATA", raising=False)
    monkeypatch.setattr(Path, "cwd", lambda: Path("/nowhere/at/all"))
    assert city_roads().name == "generated"


@pytest.mark.parametrize("below", ["", "project", "project/deep/inside"])
def test_the_map_is_found_beside_the_project(tmp_path, monkeypatch, below):
    monkeypatch.delenv("LIMEN_DATA", raising=False)
    lay_map(tmp_path / "shared/data/oldenburg")
    (tmp_path / below).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(tmp_path / below)
    network = city_roads()
    assert (network.name, len(network.xy)) == ("oldenburg", 4)


def test_the_data_folder_can_be_named(tmp_path, monkeypatch):
    lay_map(tmp_path / "oldenburg")
    monkeypatch.setenv("LIMEN_DATA", str(tmp_path))
    assert len(city_roads().xy) == 4
    assert len(city_roads(tmp_path / "oldenburg").xy) == 4


def test_a_named_folder_without_the_map_is_an_error(tmp_path, monkeypatch):
    expected = f"expected a folder with {NODES_FILE} and {EDGES_FILE}, got {tmp_path}"
    with pytest.raises(InvalidInput) as error:
        city_roads(tmp_path)
    assert str(error.value) == f"folder: {expected}"
    monkeypatch.setenv("LIMEN_DATA", str(tmp_path))
    with pytest.raises(InvalidInput) as error:
        city_roads()
    assert str(error.value) == f"LIMEN_DATA: {expected}/oldenburg"


def lay_map(folder):
    folder.mkdir(parents=True)
    (folder / NODES_FILE).write_text(NODES)
    (folder / EDGES_FILE).write_text(EDGES)


@needs_oldenburg
def test_oldenburg_is_read_whole():
    network = city_roads(OLDENBURG)
    assert str(network) == "oldenburg: 6,105 nodes, 7,035 roads, 725 km"
    assert network.left_out == LeftOut()
    assert network.extent.tolist() == pytest.approx([13_137.0, 15_000.0], abs=1.0)
    assert np.bincount(network.road_class).tolist() == [57, 619, 566, 4_312, 706, 673, 102]


@pytest.mark.parametrize(
    ("far", "text"),
    [
        (1e308, "lane: expected coordinates below 1e+100, got 1e+308"),
        (1e-320, "lane: expected places apart from each other, got 1e-320 from end to end"),
    ],
)
def test_places_too_far_apart_or_too_near_to_tell_are_refused(far, text):
    with pytest.raises(InvalidInput) as caught:
        road_network("lane", np.array([[0.0, 0.0], [far, 0.0]]), np.array([[0, 1]]), np.array([0]))
    assert str(caught.value) == text
