"""Models and results in a notebook: short descriptions, HTML tables, plots and drawings, all without a script.

`petri.display` calls these functions by name.
"""

from petri.report.instants import why
from petri.report.notebook.descriptions import (
    describe_forwarding,
    describe_model,
    describe_outcome,
    describe_result,
    describe_search,
)
from petri.report.notebook.drawing import draw, drawing_html
from petri.report.notebook.fragments import measure_html, model_html, outcome_html, result_html
from petri.report.notebook.progress import progress_line, search_line, sweep_line
from petri.report.why import why_text

__all__ = [
    "describe_forwarding",
    "describe_model",
    "describe_outcome",
    "describe_result",
    "describe_search",
    "draw",
    "drawing_html",
    "measure_html",
    "model_html",
    "outcome_html",
    "progress_line",
    "result_html",
    "search_line",
    "sweep_line",
    "why",
    "why_text",
]
