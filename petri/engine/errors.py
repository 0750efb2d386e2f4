"""What can go wrong inside a model, as data; `petri.diagnostics` words it."""

from __future__ import annotations

from collections.abc import Mapping

from petri.net import Scalar, Span
from petri.structs import Frozen, field


class ModelError(Exception):
    """Raised where an expression or a firing breaks a rule (X1–X3); the engine adds where in the run it was."""

    def __init__(self, error: str, span: Span | None = None, **values: object) -> None:
        super().__init__(error)
        self.id = error
        self.span = span
        self.values = values


class Fault(Frozen):
    """Why a run stopped inside the model, as the engine saw it.

    id: int-overflow, division-by-zero, not-finite, domain, bad-parameter (of a distribution), negative-time,
    negative-count, index-range, colour-range, instant-limit, token-limit.
    `binding` names the variables that were known; `transition` is its index. It is None where a row of a stream was
    wrong: then id and values are those of the diagnostic.
    """

    id: str
    transition: int | None
    binding: Mapping[str, Scalar]
    time: float
    span: Span | None = None
    values: Mapping[str, object] = field(default_factory=dict)
