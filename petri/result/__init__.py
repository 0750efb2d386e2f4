"""What a run gives back: figures with their intervals, and the same for files and for other programs."""

from petri.result.result import MeasureResult, PlaceFigures, Result, TransitionFigures, run_failure

__all__ = ["MeasureResult", "PlaceFigures", "Result", "TransitionFigures", "run_failure"]
