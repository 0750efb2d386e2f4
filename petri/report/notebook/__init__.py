"""Models and results in a notebook: short descriptions, HTML tables, plots and drawings, all without a script.

The module is a `petri.display.Report`.
"""

from petri.report.notebook.descriptions import text
from petri.report.notebook.drawing import draw
from petri.report.notebook.fragments import html
from petri.report.notebook.plotly_figures import figure
from petri.report.notebook.progress import progress_line
from petri.report.telling.instants import why

__all__ = ["draw", "figure", "html", "progress_line", "text", "why"]
