"""What trials find: `probability(tokens(q) == 8 before tokens(q) == 0) splitting on tokens(q)` (Q1 to Q5), and
`share(tokens(q) == 8) splitting on tokens(q)` (Q6)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from petri import net
from petri.catalogue.units import PLAIN
from petri.language.checking.expressions.reader import Reader
from petri.language.checking.measures.figure_templates import FigureTemplate
from petri.language.checking.measures.markings import marking_reader
from petri.language.checking.measures.settings import read_settings
from petri.language.checking.nets.targets import Flat, Loops
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import Node, as_float, constant, evaluate
from petri.language.meaning.scope import Scope
from petri.language.meaning.types import BOOL, INT, REAL, Scalar, plainly
from petri.language.problems import CheckError, needed
from petri.language.syntax import tree
from petri.net import Term

USAGES = {
    "probability": "probability(tokens(place) == 8 before tokens(place) == 0)",
    "share": "share(tokens(place) == 8) splitting on tokens(place)",
}
SETTINGS = ("trials", "precision", "error")
MOST_TRIALS = 10**12
MOST_ERROR = 0.05  # where it is decided, the 95 % interval agrees
_NOT_ASKED = constant(Fraction(0), "real")  # a part that a question does not have


class ChanceReader:
    """Reads one probability in the body in which it is declared; loops: the indices of an array of measures."""

    def __init__(self, checker: CheckState, scope: Scope, loops: Loops) -> None:
        self.checker, self.scope, self.loops = checker, scope, loops
        self.problems = checker.problems

    def read(self, e: tree.Call, importance: tree.Expr | None) -> FigureTemplate:
        """Return the figure of `probability(…)`, or of `share(…)`. Raises CheckError."""
        assert isinstance(e.function, tree.Name)
        name, share = e.function.name, e.function.name == "share"
        settings = [argument for argument in e.arguments if isinstance(argument, tree.Weighted)]
        asked = [argument for argument in e.arguments if not isinstance(argument, tree.Weighted)]
        if len(asked) != 1 or isinstance(asked[0], tree.Asked) == share:
            raise CheckError("measure-usage", e.span, name=name, usage=USAGES[name])
        one = asked[0] if isinstance(asked[0], tree.Asked) else tree.Asked(asked[0], None, None, None, e.span)
        parts = {
            "hit": self._read(self._condition, one.hit),
            "stop": self._read(self._condition, one.stop),
            "within": self._read(self._time, one.within),
            "begin": self._read(self._condition, one.begin),
            "importance": self._read(self._importance, importance),
        }
        question = {name: needed(part) for name, part in parts.items() if part is not _NOT_ASKED}
        question |= self._settings(settings)
        text = self.problems.whole_text(e.span)
        splits = "" if importance is None else self.problems.whole_text(importance.span)

        def made(flat: Flat) -> tuple[int, Term]:
            # Alike texts without indices ask the same, and share their trials.
            same: object = id(e) if self.loops else (text, splits)
            number = flat.chance(("chance", same), lambda: self._built(question, flat, e, text, share))
            return 1, Term("chance", (), number)

        return FigureTemplate(PLAIN, False, lambda flat: flat.leaf(e, e.span, lambda: made(flat)))

    def _read(self, reads: Callable[[tree.Expr], Node], e: tree.Expr | None) -> Node | None:
        """Return a part of the question; None where it is wrong, which has been reported then."""
        return _NOT_ASKED if e is None else self.problems.attempt(reads, e)

    def _built(self, asked: dict[str, Node], flat: Flat, e: tree.Call, text: str, share: bool) -> net.Chance:
        def watched(name: str) -> net.Watched | None:
            return flat.watched(asked[name]) if name in asked else None

        def setting(name: str) -> float | None:
            node = asked.get(name)
            return None if node is None else _in_range(name, as_float(flat.value(node), node.span), node)

        within = asked.get("within")
        if within is not None:
            self._require_positive(within, as_float(flat.value(within), within.span))
        trials, precision, error = (setting(name) for name in SETTINGS)
        return net.Chance(
            flat.watched(asked["hit"]),
            watched("stop"),
            None if within is None else flat.expression(within),
            watched("begin"),
            watched("importance"),
            None if trials is None else int(trials),
            0.1 if precision is None else precision,
            error,
            share,
            text,
            e.span,
        )

    def _condition(self, e: tree.Expr) -> Node:
        return needed(marking_reader(self.checker, self.scope, self.loops).read_scalar(e, BOOL))

    def _importance(self, e: tree.Expr) -> Node:
        (value,) = marking_reader(self.checker, self.scope, self.loops).values(e)
        if not isinstance(value.type, Scalar) or value.type.kind not in ("int", "real"):
            raise CheckError("splitting-on-other", e.span, text=self.problems.text(e.span), kind=plainly(value.type))
        if not value.node.flags:
            raise CheckError("splitting-on-constant", e.span, text=self.problems.text(e.span))
        return value.node

    def _time(self, e: tree.Expr) -> Node:
        node = needed(self._fixed(e, self.checker.units.time_type))
        if not node.flags:
            self._require_positive(node, as_float(evaluate(node, ()), node.span))
        return node

    def _require_positive(self, node: Node, time: float) -> None:
        if time <= 0.0:
            raise CheckError("within-not-positive", node.span)

    def _fixed(self, e: tree.Expr, kind: Scalar) -> Node | None:
        return Reader(self.checker, self.scope, "a probability", loops=self.loops).read_fixed(e, kind)

    def _settings(self, written: list[tree.Weighted]) -> dict[str, Node]:
        """`trials: 100_000`, `precision: 5%`, `error: 1%`. Raises CheckError if one is wrong, and for two of them."""

        def read(name: str, e: tree.Expr) -> Node:
            node = needed(self._fixed(e, INT if name == "trials" else REAL))
            if not node.flags:
                _in_range(name, as_float(evaluate(node, ()), node.span), node)
            return node

        found = read_settings(self.problems, written, SETTINGS, "probability-setting", read)
        if len(found) > 1:
            raise CheckError("trials-and-precision", written[1].span, given=list(found))
        return found


def _in_range(name: str, value: float, node: Node) -> float:
    if name == "trials" and not 1 <= value <= MOST_TRIALS:
        raise CheckError("trials-range", node.span, value=f"{value:.10g}", limit=MOST_TRIALS)
    if name == "precision" and not 0.0001 <= value < 1.0:
        raise CheckError("trials-precision", node.span, value=f"{value:.10g}")
    if name == "error" and not 1e-9 <= value <= MOST_ERROR:
        raise CheckError("trials-error", node.span, value=f"{value:.10g}")
    return value
