import pytest

from limen.errors import InvalidInput, LimenError
from limen_lab.reproduce import figure_catalogue
from limen_lab.reproduce.figure_catalogue import load, missing_library, names, resolve

PAPERS = {
    *(f"bmq-{number}" for number in range(10, 26)),
    "bmq-rtmq",
    "ccq-05",
    "ccq-06",
    "ccq-07",
    *(f"sole-{number}" for number in range(12, 26) if number != 15),  # 15 has plans, and nothing measured
    *("vc-06", "vc-07", "vc-12", "vc-13"),
}


def test_all_figures_of_the_papers_are_there():
    assert set(names()) >= PAPERS


def test_names_are_known_without_loading_anything(monkeypatch):
    monkeypatch.setattr(figure_catalogue, "import_module", None)
    assert "vc-06" in names()


@pytest.mark.parametrize("name", sorted(PAPERS))
def test_a_figure_is_complete(name):
    figure = load(name)
    letters = [panel.letter for panel in figure.panels]
    curves = [curve.name for curve in figure.curves]
    assert figure.name == name
    assert figure.title
    assert figure.source
    assert len(letters) == len(set(letters)) > 0
    assert len(curves) == len(set(curves)) > 0
    assert {"full", "quick"} <= set(figure.setting)
    assert all(panel.x.label and panel.y.label for panel in figure.panels)


@pytest.mark.parametrize(
    ("requested", "found"),
    [
        (["vc-13"], ["vc-13"]),
        (["VC-13"], ["vc-13"]),
        (["vc-13b"], ["vc-13"]),
        (["vc-13a"], ["vc-13"]),
        (["vc-12a-time", "vc-12b"], ["vc-12"]),
        (["vc-6", "vc-7"], ["vc-06", "vc-07"]),
        (["vc-07", "bmq-21a"], ["bmq-21", "vc-07"]),
        ([], []),
    ],
)
def test_names_of_figures_and_panels(requested, found):
    assert [figure.name for figure in resolve(requested)] == found


def test_all_is_all():
    assert [figure.name for figure in resolve(["all", "vc-06"])] == list(names())


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("vc-14", "did you mean 'vc-1"),
        ("bqm-21", "did you mean 'bmq-21'?"),
        ("vc-13c", "did you mean 'vc-13'?"),
        ("everything", "limen reproduce --list names them all"),
    ],
)
def test_an_unknown_name_gets_the_nearest_one(name, hint):
    with pytest.raises(InvalidInput) as caught:
        resolve([name])
    assert str(caught.value).startswith(f"figure: expected a figure of the papers, got '{name}'. Hint: {hint}")


def test_a_missing_library_comes_with_a_hint(monkeypatch):
    def fail(module):
        raise ModuleNotFoundError(name="rtree.index")

    monkeypatch.setattr(figure_catalogue, "import_module", fail)
    with pytest.raises(LimenError, match=r"figure vc-13 needs rtree, which is not installed\. Hint: pip install rtree"):
        load("vc-13")


def test_another_missing_module_is_a_mistake_of_ours_and_stays_one():
    error = ModuleNotFoundError(name="limen_lab.reproduce.nothing")
    assert missing_library("figure vc-13", error) is error
