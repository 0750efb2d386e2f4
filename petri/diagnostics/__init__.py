"""Errors, warnings and notes as data, and their formatting in one place.

Code that finds an error creates a `Diagnostic`: an id, the span of the culprit and the relevant values. The sentences
are in `petri/wording/`, one file per area, so that all messages of the project have the same style:

    Diagnostic("unknown-name", span, values={"name": "tbfu", "suggestion": "tbuf"})

    error[unknown-name]: `tbfu` is not declared
      --> ixp.net:12:21
       |
    12 | transition send: tbfu(p), mac -> mac
       |                  ^^^^
       hint: did you mean `tbuf`?

A diagnostic that stops a command is carried by a `LanguageError` (the text is wrong) or a `RunError` (the model failed
during the run).
"""

from petri.diagnostics.data import Diagnostic, Label, Severity, Value
from petri.diagnostics.errors import (
    MOST_DIAGNOSTICS,
    LanguageError,
    RunError,
    RunFailure,
    UnknownName,
    did_you_mean,
    has_errors,
    in_order,
    limited,
    render,
    render_all,
    summary,
    unknown_name,
)

__all__ = [
    "MOST_DIAGNOSTICS",
    "Diagnostic",
    "Label",
    "LanguageError",
    "RunError",
    "RunFailure",
    "Severity",
    "UnknownName",
    "Value",
    "did_you_mean",
    "has_errors",
    "in_order",
    "limited",
    "render",
    "render_all",
    "summary",
    "unknown_name",
]
