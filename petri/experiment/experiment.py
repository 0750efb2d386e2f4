"""An experiment as a program or a file declares it, with all that can be done with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from petri.experiment.design.definition import Definition
from petri.experiment.design.preparation import Prepared, prepare
from petri.experiment.procedure.campaign import sweep
from petri.experiment.results.outcome import Outcome
from petri.experiment.yaml.file import load_experiment
from petri.run.arguments import check_path


@dataclass(frozen=True)
class Experiment(Definition):
    __doc__ = Definition.__doc__

    @classmethod
    def load(cls, path: str | Path, root: str | Path | None = None) -> Self:
        """Load an experiment from a YAML file. Raises LanguageError with all its errors.

        root: the folder in which and below which it may name files; that of the file if None.
        """
        check_path("path", path)
        if root is not None:
            check_path("root", root)
        return cls(**vars(load_experiment(Path(path), None if root is None else Path(root))))

    def run(self, store: str | Path | None = None, **options: Any) -> Outcome:
        """Run what is missing in a store; see `petri.experiment.sweep` for the options."""
        return sweep(self, store, **options)

    def prepare(self, engine: str = "auto") -> Prepared:
        """Flatten the net at every point. Raises ExperimentError or LanguageError if a point is invalid."""
        return prepare(self, engine)
