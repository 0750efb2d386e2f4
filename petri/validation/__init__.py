"""Comparison of the library's nets with published figures: folders of experiments, and statements of their papers.

    from petri.validation import folders, run_folder

    result = run_folder(folders()["reordering"], store_folder="results")
    print(result.found, "of", len(result.figures))

`docs/validation.md` describes how to write such a folder.
"""

from __future__ import annotations

from petri.validation.statements import Judged, Statement, StatementError, read_statements
from petri.validation.study import StudyError
from petri.validation.suite import FigureCheck, Validation, folders, only_run, run_folder

__all__ = [
    "FigureCheck",
    "Judged",
    "Statement",
    "StatementError",
    "StudyError",
    "Validation",
    "folders",
    "only_run",
    "read_statements",
    "run_folder",
]
