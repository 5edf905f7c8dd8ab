import json
from dataclasses import replace

import pytest

from lab.tests.reproduce.small import Small
from limen.errors import InvalidInput
from limen_lab.reproduce.figure import Curve
from limen_lab.reproduce.laboratory import all_done, reproduce
from limen_lab.reproduce.machine import RunConditions, here
from limen_lab.reproduce.results import Results

QUICK, FULL = RunConditions("quick", "a machine", "limen 1"), RunConditions("full", "a machine", "limen 1")


@pytest.fixture(autouse=True)
def no_drawing(monkeypatch):
    """Pictures take half a second each and have tests of their own."""
    monkeypatch.setattr(
        "limen_lab.reproduce.drawing.draw", lambda figure, panel, points: b"\x89PNG" + panel.letter.encode()
    )


@pytest.fixture
def results(tmp_path):
    return Results(tmp_path / "new" / "folder")


def test_what_was_measured_is_read_as_it_was(results):
    small = Small()
    made = reproduce(small.figure, results, QUICK)
    read = results.read(small.figure, QUICK)
    assert list(read.points) == list(made.points)
    assert (read.verdicts, read.conditions) == (made.verdicts, QUICK)
    assert sorted(file.name for file in results.folder.iterdir()) == [
        "bmq-10.csv", "bmq-10.json", "bmq-10a.png", "bmq-10b.png",
    ]  # fmt: skip


def test_points_are_readable_by_others(results):
    reproduce(Small().figure, results, QUICK)
    lines = (results.folder / "bmq-10.csv").read_text().splitlines()
    assert lines[0] == "panel,curve,x,category,y"
    assert lines[4] == "b,rival,0.0,insert,1.0"


def test_points_are_judged_anew(results):
    small = Small(reached=False)
    reproduce(small.figure, results, QUICK)
    small.verdict = replace(small.verdict, explanation="now we know")
    assert results.read(small.figure, QUICK).verdicts[0].explanation == "now we know"


@pytest.mark.parametrize(
    ("measured", "wanted", "kept"),
    [
        (QUICK, QUICK, True),
        (FULL, QUICK, True),
        (QUICK, FULL, False),
        (QUICK, replace(QUICK, machine="another"), False),
        (QUICK, replace(QUICK, versions="limen 2"), False),
    ],
)
def test_only_what_is_as_good_as_wanted_is_kept(results, measured, wanted, kept):
    small = Small()
    reproduce(small.figure, results, measured)
    assert (results.read(small.figure, wanted) is not None) == kept


def test_another_input_or_other_curves_are_another_measurement(results):
    figure = Small().figure
    reproduce(figure, results, QUICK)
    assert results.read(replace(figure, input_digest="another file"), QUICK) is None
    assert results.read(replace(figure, curves=(*figure.curves, Curve("new"))), QUICK) is None


@pytest.mark.parametrize("suffix", [".csv", ".json", "a.png"])
def test_what_is_not_complete_is_not_there(results, suffix):
    small = Small()
    reproduce(small.figure, results, QUICK)
    (results.folder / f"bmq-10{suffix}").unlink()
    assert results.read(small.figure, QUICK) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"identity": 3, "conditions": {"scale": "huge"}}'])
def test_a_broken_record_is_no_record(results, text):
    small = Small()
    reproduce(small.figure, results, QUICK)
    (results.folder / "bmq-10.json").write_text(text)
    assert results.read(small.figure, QUICK) is None


def test_points_changed_by_hand_are_not_believed(results):
    small = Small()
    reproduce(small.figure, results, QUICK)
    with (results.folder / "bmq-10.csv").open("a") as file:
        file.write("a,ours,1.0,,1.0\n")
    assert results.read(small.figure, QUICK) is None


def test_an_interrupted_measurement_leaves_what_was_there_before(results):
    small = Small()
    reproduce(small.figure, results, QUICK)
    small.interrupted = True
    with pytest.raises(KeyboardInterrupt):
        reproduce(small.figure, results, FULL)
    assert results.read(small.figure, QUICK) is not None
    assert not list(results.folder.glob(".*"))


def test_a_write_that_fails_leaves_no_record(results, monkeypatch):
    small = Small()
    reproduce(small.figure, results, QUICK)

    def full_disk(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("limen_lab.reproduce.results.os.replace", full_disk)
    with pytest.raises(OSError, match="No space"):
        reproduce(small.figure, results, QUICK)
    assert results.read(small.figure, QUICK) is None
    assert not list(results.folder.glob(".*"))


def test_the_record_says_what_came_out(results):
    reproduce(Small(reached=False).figure, results, QUICK)
    record = json.loads((results.folder / "bmq-10.json").read_text())
    assert record["conditions"]["scale"] == "quick"
    assert record["verdicts"] == [
        {"claim": "ours | is <faster>", "outcome": "2 ×", "reached": False, "explanation": "", "in a word": "missed"}
    ]


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match=r"--out: expected a folder that can be written, got .*file"):
        Results(tmp_path / "file")


def test_a_folder_knows_what_it_has(results):
    assert all_done(results, QUICK) == []
    other = Small("series")
    made = reproduce(other.figure, results, QUICK)
    assert [each.figure.name for each in all_done(results, QUICK, [other.figure])] == [made.figure.name]


def test_conditions_name_machine_and_versions():
    conditions = here("quick")
    assert "cores" in conditions.machine
    assert "limen" in conditions.versions
    assert "numba" in conditions.versions
