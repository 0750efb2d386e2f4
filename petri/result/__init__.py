"""What a run gives back: figures with their intervals, and the same for files and for other programs."""

from petri.result.figures import MeasureResult, PlaceFigures, TransitionFigures, run_failure
from petri.result.result import Result

__all__ = ["MeasureResult", "PlaceFigures", "Result", "TransitionFigures", "run_failure"]
