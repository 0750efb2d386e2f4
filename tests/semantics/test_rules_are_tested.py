"""Every numbered rule of docs/semantics.md is named by a test, and every test by a rule."""

import re
from pathlib import Path

HERE = Path(__file__).parent
RULES = set(re.findall(r"^\*\*([A-Z]\d+) ", (HERE.parents[1] / "docs" / "semantics.md").read_text(), re.MULTILINE))
TESTED = {
    name.upper()
    for path in HERE.glob("test_*.py")
    for name in re.findall(r"^def test_([a-z]\d+)_", path.read_text(), re.MULTILINE)
}


def test_each_rule_has_a_test() -> None:
    assert len(RULES) > 25
    assert sorted(RULES - TESTED) == []


def test_each_test_names_a_rule() -> None:
    assert sorted(TESTED - RULES) == []
