"""What names denote: in the library's nets every name is found, or is a word of the language."""

from __future__ import annotations

from pathlib import Path

import pytest

from petri import language, library
from petri.editor.names import find_names
from petri.language.checking.figures import FIGURES_ELSEWHERE, MEASURE_FUNCTIONS, SAMPLE_FIELDS, is_percentile
from petri.language.checking.functions import DISTRIBUTIONS, FUNCTIONS
from petri.language.loader import OpenTexts
from petri.language.meaning.types import BUILTIN
from petri.language.meaning.units import UNITS
from petri.language.syntax import tree
from petri.language.syntax.lexer import lex
from petri.language.syntax.steps import STEP_NAMES
from petri.measure import reorder

NETS = [library.nets() / f"{name}.net" for name in library.net_names()]
WORDS = {
    *(
        *FUNCTIONS,
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
    *("nothing", "_", "dead", "elapsed", "histogram", "series", "resolution", "least", "most", "thread", "service"),
    *("reply", "stream", "caller"),
}


def unknown(path: Path) -> set[str]:
    """The names of a net that are neither found nor words of the language, its imports and its own name left out."""
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


@pytest.mark.parametrize("path", NETS, ids=lambda path: path.stem)
def test_every_name_of_the_library_is_found(path: Path) -> None:
    assert unknown(path) == set()


def test_an_occurrence_is_where_its_name_is_written() -> None:
    path = library.nets() / "npf.net"
    study = language.study(path, OpenTexts())
    for file, listed in find_names(study).found.items():
        lines = study.problems.sources[file].splitlines()
        for one in listed:
            assert lines[one.span.line - 1][one.span.column - 1 : one.span.end_column - 1] == one.meant.name
