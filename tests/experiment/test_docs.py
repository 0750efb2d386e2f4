"""docs/experiments.md: its files load, its commands print what it shows, its options exist.

`python -m tests.experiment.test_docs` writes the output of the commands anew.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest

from petri.engine.native import available
from petri.experiment import Experiment
from petri.experiment.design.options import options_of
from petri.experiment.forwarding.definition import Forwarding
from petri.experiment.threshold.definition import Search
from petri.experiment.yaml.file import KEYS
from tests.documents import script

PAGE = Path(__file__).resolve().parents[2] / "docs" / "experiments.md"
BLOCK = re.compile(
    r"(<!-- (?P<what>file:|pnsim) (?P<rest>.+?) -->\n```\w*\n)(?P<body>.*?)(?=^```$)", re.DOTALL | re.MULTILINE
)


def renewed(text: str, folder: Path) -> str:
    """Return the page with the output that its commands give now; its files are put into the folder."""

    commands = script("commands")

    def renew(block: re.Match[str]) -> str:
        if block["what"] == "file:":
            (folder / block["rest"]).write_text(block["body"], encoding="utf-8")
            return block[0]
        _, out, err = commands.call(block["rest"], folder, columns=80)
        return f"{block[1]}$ pnsim {block['rest']}\n{commands.trimmed(out + err)}"

    return BLOCK.sub(renew, text)


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="the page shows runs of the native engine")
def test_the_output_is_what_the_commands_print(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert renewed(text, tmp_path) == text, "renew it with `python -m tests.experiment.test_docs`"


def test_the_experiment_loads(tmp_path: Path) -> None:
    (block,) = (b for b in BLOCK.finditer(PAGE.read_text(encoding="utf-8")) if b["rest"] == "threads.yaml")
    (tmp_path / "threads.yaml").write_text(block["body"], encoding="utf-8")
    experiment = Experiment.load(tmp_path / "threads.yaml")
    assert len(experiment.points) == 8
    assert len(experiment.expected) == 1


def test_every_option_and_key_is_told() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == script("pages").with_options(text), "renew the tables with `make readme`"
    told = set(re.findall(r"--[a-z0-9-]+", text))
    assert {one.flag for one in options_of(Forwarding).values()} <= told
    for key in KEYS:
        assert f"`{key}`" in text, key
    for option in (options_of(Search) | options_of(Forwarding)).values():
        assert f"  {option.key}: " in text, option.key


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8"), Path(temporary)), encoding="utf-8")
