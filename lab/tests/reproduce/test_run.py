import pytest
from typer.testing import CliRunner

from lab.tests.reproduce.small import Small
from limen.cli.main import app
from limen_lab.reproduce import figure_catalogue, laboratory


@pytest.fixture(autouse=True)
def no_drawing(monkeypatch):
    """Pictures take half a second each and have tests of their own."""
    monkeypatch.setattr(
        "limen_lab.reproduce.drawing.draw", lambda figure, panel, points: b"\x89PNG" + panel.letter.encode()
    )


@pytest.fixture
def figures(monkeypatch):
    """Two figures that take no time instead of the papers'."""
    both = {"bmq-10": Small("bmq-10"), "bmq-11": Small("bmq-11")}
    for module in (figure_catalogue, laboratory):
        monkeypatch.setattr(module, "names", lambda: tuple(both))
        monkeypatch.setattr(module, "load", lambda name: both[name].figure)
    return both


def limen_reproduce(*arguments):
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


def test_all_figures_and_a_report(figures, tmp_path):
    result = limen_reproduce("all", "--out", tmp_path)
    assert result.exit_code == 0
    assert "reached ours | is <faster>: 2 ×" in result.output
    assert "2 figures, 2 claims, 2 reached" in result.output
    assert (figures["bmq-10"].measured, figures["bmq-11"].measured) == (["full"], ["full"])
    for name in ("report.md", "report.html", "bmq-10.csv", "bmq-11b.png"):
        assert (tmp_path / name).stat().st_size > 0


def test_a_second_run_measures_nothing_and_fresh_measures_again(figures, tmp_path):
    limen_reproduce("all", "--quick", "--out", tmp_path)
    again = limen_reproduce("all", "--quick", "--out", tmp_path)
    assert "kept from a run at scale quick" in again.output
    assert figures["bmq-10"].measured == ["quick"]
    limen_reproduce("bmq-10a", "--quick", "--fresh", "--out", tmp_path)
    assert (figures["bmq-10"].measured, figures["bmq-11"].measured) == (["quick"] * 2, ["quick"])


def test_an_interrupted_run_goes_on_where_it_was(figures, tmp_path):
    figures["bmq-11"].interrupted = True
    stopped = limen_reproduce("all", "--quick", "--out", tmp_path)
    assert stopped.exit_code == 130
    assert "the same command resumes from there" in " ".join(stopped.output.split())
    assert (tmp_path / "bmq-10.json").exists()
    assert not (tmp_path / "bmq-11.json").exists()
    figures["bmq-11"].interrupted = False
    done = limen_reproduce("all", "--quick", "--out", tmp_path)
    assert done.exit_code == 0
    assert (len(figures["bmq-10"].measured), len(figures["bmq-11"].measured)) == (1, 2)
    assert 'id="bmq-10"' in (tmp_path / "report.html").read_text()


def test_a_report_has_what_the_folder_has(figures, tmp_path):
    limen_reproduce("bmq-10", "--quick", "--out", tmp_path)
    limen_reproduce("bmq-11", "--quick", "--out", tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert 'id="bmq-10"' in page
    assert 'id="bmq-11"' in page


@pytest.mark.parametrize(("explanation", "code", "word"), [("", 1, "missed"), ("for a reason", 0, "explained")])
def test_only_a_claim_without_explanation_is_a_failure(figures, tmp_path, explanation, code, word):
    figures["bmq-10"] = Small("bmq-10", reached=False, explanation=explanation)
    result = limen_reproduce("bmq-10", "--out", tmp_path)
    assert result.exit_code == code
    assert f"{word} ours" in result.output


def test_nothing_is_measured_for_a_folder_that_cannot_be_written(figures, tmp_path):
    (tmp_path / "file").write_text("")
    result = limen_reproduce("all", "--out", tmp_path / "file" / "folder")
    assert result.exit_code == 2
    assert "--out: expected a folder that can be written" in result.stderr
    assert figures["bmq-10"].measured == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bmq-1"], "Hint: did you mean 'bmq-11'?"),
        (["bmq-10", "bmq-10c"], "got 'bmq-10c'. Hint: did you mean 'bmq-10'?"),
        ([], "figures: expected names of figures, or all, got none"),
    ],
)
def test_names_that_are_none(figures, tmp_path, arguments, message):
    result = limen_reproduce(*arguments, "--out", tmp_path / "new")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "new").exists()


def test_a_folder_has_to_be_named(figures):
    result = limen_reproduce("all")
    assert (result.exit_code, result.stderr) == (2, "error: --out: expected a folder, got none\n")


def test_without_matplotlib_nothing_is_measured(figures, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    result = limen_reproduce("all", "--out", tmp_path)
    assert result.exit_code == 2
    assert "Hint: pip install matplotlib" in result.stderr
    assert figures["bmq-10"].measured == []


def test_the_list_names_figures_and_panels(figures):
    output = " ".join(limen_reproduce("--list").output.split())
    assert "bmq-10 a b times & more a paper, Figure 10" in output


def test_a_series_of_ones_own(figures, tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("time,level\n" + "".join(f"2026-01-01 00:{k:02}:00,{k // 3}\n" for k in range(40)))
    result = limen_reproduce("--series", file, "--out", tmp_path / "out")
    assert result.exit_code == 0
    assert "40 values of level" in result.output
    assert (tmp_path / "out" / "seriesb.png").exists()
    assert 'id="series"' in (tmp_path / "out" / "report.html").read_text()
    file.write_text(file.read_text() + "2026-01-01 00:40:00,14\n")
    assert "kept" not in limen_reproduce("--series", file, "--out", tmp_path / "out").output


def test_a_file_that_is_no_series_is_refused(figures, tmp_path):
    file = tmp_path / "one.csv"
    file.write_text("value\n3.5\n")
    result = limen_reproduce("all", "--series", file, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "expected 3 numbers or more, got 1 of them" in result.stderr
    assert figures["bmq-10"].measured == []
