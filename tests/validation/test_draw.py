"""The draw of the figures on which constants may be fitted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from petri.experiment import Experiment
from petri.experiment.design.definition import CHOSEN, FITTED, INPUT, TRIVIAL, UNPREDICTABLE
from petri.validation.draw import drawn_roles
from petri.validation.study import Fitting, StudyError, read_study
from petri.validation.suite import experiments, folders
from tests.cli.calling import caller
from tests.engines import REFERENCE

ROOT = Path(__file__).resolve().parents[2]
Capture = pytest.CaptureFixture[str]

NET = """
net levels
param level = 1 in 0..100
param offered: real = 4
place start = token
place done : real
transition go: start -> done(1.0 * level)  takes 1
measure height = level * count(go)
run until 10
"""

EXPERIMENT = """
net: levels.net
grid: {level: [1, 2, 3, 4, 5, 6, 7, 8, 9]}
replications: 2
measures: [height]
expected:
  - {at: {level: 1}, measure: height, value: 1, role: input}
  - {at: {level: 2}, measure: height, value: 0.1, within: 0.2}
  - {at: {level: 3}, measure: height, value: 4.1}
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Write nine figures: one is an input, one is met by 0, one by what is offered; two of the rest are fitted."""
    folder = tmp_path / "validation" / "levels"
    folder.mkdir(parents=True)
    (folder / "levels.net").write_text(NET, "utf-8")
    others = [f"  - {{at: {{level: {n}}}, measure: height, value: {n + 10}}}\n" for n in range(4, 10)]
    (folder / "figure_1.yaml").write_text(EXPERIMENT + "".join(others), "utf-8")
    again = EXPERIMENT.partition("expected:")[0] + "expected:\n" + others[0].replace("14", "15")
    (folder / "figure_2.yaml").write_text(again, "utf-8")
    (folder / "study.yaml").write_text("fitting: {seed: 1, offered: {height: offered}}", "utf-8")
    return folder


def test_figures_found_to_be_inputs_leave_the_others_as_drawn(study: Path) -> None:
    net, path = study / "levels.net", study / "figure_1.yaml"
    net.write_text(NET.replace("run until", "measure depth = 2 * level * count(go)\nrun until"), "utf-8")
    depths = "".join(f"  - {{at: {{level: {n}}}, measure: depth, value: {n + 20}}}\n" for n in range(4, 10))
    found = path.read_text("utf-8").replace("[height]", "[height, depth]") + depths

    def heights(seed: int, text: str, *inputs_since: str) -> dict[tuple[str, int], str]:
        path.write_text(text, "utf-8")
        roles = drawn_roles(experiments(study), Fitting(seed, inputs_since=inputs_since))
        return {figure: role for figure, role in roles.items() if figure[1] < 9}

    marked = found.replace("measure: depth,", "measure: depth, role: input,")
    drawn = [heights(seed, found) for seed in range(2)]
    assert [heights(seed, marked, "depth") for seed in range(2)] == drawn
    assert [heights(seed, marked) for seed in range(2)] != drawn  # so it is the entry that keeps them
    for role in (CHOSEN, UNPREDICTABLE):
        assert [heights(seed, marked.replace("role: input,", f"role: {role},")) for seed in range(2)] == drawn


@pytest.mark.slow
def test_a_third_of_the_informative_quantities_is_drawn(study: Path) -> None:
    fitting = read_study(study).fitting
    assert fitting is not None
    roles = drawn_roles(experiments(study), fitting)
    assert [roles["figure_1", place] for place in range(3)] == [INPUT, TRIVIAL, TRIVIAL]
    drawn = [place for place in range(3, 9) if roles["figure_1", place] == FITTED]
    assert len(drawn) == 2
    assert roles == drawn_roles(experiments(study), fitting)
    others = {
        tuple(place for place in range(3, 9) if drawn_roles(experiments(study), Fitting(seed))["figure_1", place])
        for seed in range(2, 6)
    }
    assert len(others) > 1  # the seed decides


def test_figures_of_one_quantity_are_drawn_together(study: Path) -> None:
    """The same point in another table, with another value: to fit one of the two would give away the other."""
    for seed in range(4):
        roles = drawn_roles(experiments(study), Fitting(seed, {"height": "offered"}))
        assert roles["figure_1", 3] == roles["figure_2", 0]


def test_both_sets_are_counted(study: Path, tmp_path: Path, capsys: Capture) -> None:
    text = (study / "figure_1.yaml").read_text("utf-8")
    (study / "figure_1.yaml").write_text(
        text.replace("value: 14}", "value: 4, role: fitted}").replace("value: 15}", "value: 5}"), "utf-8"
    )
    (study / "figure_2.yaml").unlink()
    where = ["--folder", str(study), "--stores", str(tmp_path / "stores"), *REFERENCE, "--quiet"]
    shown = caller(capsys)("validate", "all", *where).out
    assert "predicted: 1 of 7; fitting set: 1 of 1; fixed by an input: 1 of 1" in shown


@pytest.mark.parametrize("wrong", ["{}", "{seed: often}", "{seed: 1, length: packets}", "{seed: 1, share: 2}", "7"])
def test_a_draw_that_makes_no_sense_is_told(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "study.yaml").write_text(f"fitting: {wrong}", "utf-8")
    with pytest.raises(StudyError, match="fitting"):
        read_study(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", folders(ROOT / "validation"))
def test_the_project_s_roles_are_those_drawn_and_a_third_is_fitted(name: str) -> None:
    folder = folders(ROOT / "validation")[name]
    fitting = read_study(folder).fitting
    if fitting is None:
        # of `accelerators` every second image is fitted on, as its page says; `tcp` has no figures
        assert name in ("accelerators", "tcp")
        return
    stated = {one: Experiment.load(path).expected for one, path in experiments(folder).items()}
    roles = drawn_roles(experiments(folder), fitting)
    assert roles == {(one, place): had.role for one, ones in stated.items() for place, had in enumerate(ones)}
    counts = Counter(roles.values())
    informative = sum(counts[role] for role in ("", FITTED, CHOSEN, UNPREDICTABLE))
    assert 0.25 < counts[FITTED] / informative < 0.4  # of figures; of quantities exactly a third
