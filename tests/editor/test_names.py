"""What names denote: in the library's nets every name is found, or is a word of the language."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from petri import language, library
from petri.catalogue.operations import DISTRIBUTIONS, FUNCTIONS, OF_EACH
from petri.catalogue.units import UNITS
from petri.editor.names import find_names
from petri.editor.workspace import Workspace
from petri.language.checking.measures.figure_templates import FIGURES_ELSEWHERE, SAMPLE_FIELDS, is_percentile
from petri.language.checking.measures.figures import MEASURE_FUNCTIONS
from petri.language.loader import OpenTexts
from petri.language.meaning.types import BUILTIN
from petri.language.syntax import tree
from petri.language.syntax.lexer import lex
from petri.language.syntax.steps import STEP_NAMES
from petri.measure import reorder
from tests.sampling import one_in

NETS = [Path(library.nets()) / f"{name}.net" for name in library.net_names()]
WORDS = {
    *(
        *FUNCTIONS,
        *OF_EACH,
        *DISTRIBUTIONS,
        *MEASURE_FUNCTIONS,
        *SAMPLE_FIELDS,
        *FIGURES_ELSEWHERE,
        *BUILTIN,
        *UNITS,
        *STEP_NAMES,
        *reorder.FIELDS,
        *reorder.DISTRIBUTIONS,
    ),
    *(
        "nothing",
        "_",
        "dead",
        "elapsed",
        "histogram",
        "series",
        "resolution",
        "least",
        "most",
        "thread",
        "service",
        "up",
        "e",
    ),
    "schedule",
    *("reply", "stream", "caller"),
}


def unknown(path: Path) -> set[str]:
    """Return the names of a net, without its own and imports, that are neither found nor words of the language."""
    study = language.study(path, OpenTexts())
    file = study.loader.files[0]
    found = {(one.span.line, one.span.column) for one in find_names(study).found.get(file.path, [])}
    skipped = {d.span.line for d in file.declarations if isinstance(d, (tree.Import, tree.Net))}
    tokens = lex(study.problems.sources[file.path], file.path).tokens
    return {
        token.text
        for token in tokens
        if token.kind == "NAME"
        and (token.line, token.column) not in found
        and token.line not in skipped
        and token.text not in WORDS
        and not is_percentile(token.text)
    }


@pytest.mark.parametrize("path", one_in(6, NETS))
def test_every_name_of_the_library_is_found(path: Path) -> None:
    assert unknown(path) == set()


def test_an_occurrence_is_where_its_name_is_written() -> None:
    path = Path(library.nets()) / "npf.net"
    study = language.study(path, OpenTexts())
    for file, listed in find_names(study).found.items():
        lines = study.problems.sources[file].splitlines()
        for one in listed:
            assert lines[one.span.line - 1][one.span.column - 1 : one.span.end_column - 1] == one.meant.name


LIKE_FUNCTIONS = """net n
param rate = 2
place min : int = 3
place done : int
transition count: min(x) -> if x > min(1, rate) then done(x) else min(x)
measure counted = count(count)
measure rated = rate(count) * rate
"""


def test_a_name_like_a_function_is_told_from_the_function(tmp_path: Path) -> None:
    path = tmp_path / "a.net"
    path.write_text(LIKE_FUNCTIONS, encoding="utf-8")
    study = language.study(path, OpenTexts())
    (listed,) = find_names(study).found.values()
    found = {name: [(one.span.line, one.span.column) for one in listed if one.meant.name == name] for name in WORDS}
    assert found["min"] == [(3, 7), (5, 19), (5, 67)]
    assert found["rate"] == [(2, 7), (5, 43), (7, 31)]
    assert found["count"] == [(5, 12), (6, 25), (7, 22)]


UNITS_OF_ITS_OWN = """net n
time cycle
unit cycle = 1 / 600 MHz
place p = token
transition t: p -> p  takes 3 cycle
run until 5 cycle
"""


def test_a_unit_is_found_wherever_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.net"
    path.write_text(UNITS_OF_ITS_OWN, encoding="utf-8")
    study = language.study(path, OpenTexts())
    (listed,) = find_names(study).found.values()
    assert [one.span.line for one in listed if one.meant.name == "cycle"] == [2, 3, 5, 6]


def test_a_check_after_an_edit_of_300_lines_is_fast() -> None:
    """While one types: 0.03 s of processor time; only what has changed is parsed again."""
    lines = [
        "net big",
        "time ns",
        "type Packet = { seq: int, size: Bytes }",
        "place q0 : Packet = {seq: 0, size: 64 B}",
    ]
    for number in range(1, 100):
        lines.append(f"## the queue {number}")
        lines.append(f"place q{number} : Packet fifo cap {number}")
        lines.append(
            f"transition t{number}: q{number - 1}(p) -> q{number}(p with {{seq: p.seq + 1}})  takes p.size / 1 Gbps"
        )
    text = "\n".join([*lines, "run until 1 ms", ""])
    workspace, path = Workspace(), Path("/big.net")
    spent = []
    for length in range(6):
        workspace.open(path, text.replace("1 ms", f"{length + 1} ms"))
        start = process_time()
        assert workspace.check(path).study is not None
        spent.append(process_time() - start)
    assert min(spent[1:]) < 0.1


def test_the_amount_of_a_token_names_its_fields(tmp_path: Path) -> None:
    path = tmp_path / "sums.net"
    text = (
        "const size = 3\nplace q : { size: int }\ntransition t: q(p) -> q(p)  takes size\nmeasure m = mean(q, size)\n"
    )
    path.write_text(text, encoding="utf-8")
    study = language.study(path, OpenTexts())
    kinds = {one.span.line: one.meant.kind for one in find_names(study).found[str(path)] if one.meant.name == "size"}
    assert kinds == {1: "a constant", 2: "a field", 3: "a constant", 4: "a field"}


LIMITED = """net n
place work = token
place ack
param servers = 2
thread t
  take work
  again: wait 1.0 * servers
  take ack within 3 else again
  take ack within 4 else last
  last: give work
end
measure late = count(t.take_ack_late)
"""


def test_a_label_is_found_at_the_limits_that_lead_there(tmp_path: Path) -> None:
    path = tmp_path / "a.net"
    path.write_text(LIMITED, encoding="utf-8")
    study = language.study(path, OpenTexts())
    assert not study.problems.failed
    (listed,) = find_names(study).found.values()
    for name, places in (("again", [(7, 3), (8, 26)]), ("last", [(9, 26), (10, 3)]), ("servers", [(4, 7), (7, 21)])):
        assert sorted((one.span.line, one.span.column) for one in listed if one.meant.name == name) == places
