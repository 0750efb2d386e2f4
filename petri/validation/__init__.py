"""Published figures held against the library's nets: folders of experiments, and what their papers say in words.

    from petri.validation import folders, run_folder

    result = run_folder(folders()["reordering"], store_folder="results")
    print(result.found, "of", len(result.figures))

`docs/validation.md` tells how such a folder is made.
"""

from __future__ import annotations

from petri.validation.statements import Judged, Statement, StatementError, read_statements
from petri.validation.suite import FigureCheck, Validation, folders, only_run, run_folder

__all__ = [
    "FigureCheck",
    "Judged",
    "Statement",
    "StatementError",
    "Validation",
    "folders",
    "only_run",
    "read_statements",
    "run_folder",
]
