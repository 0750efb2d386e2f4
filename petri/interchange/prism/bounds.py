"""Whether guards keep PRISM's variables within their bounds. PRISM stops where an update leaves them.

Bounds, guards and updates are linear forms of variables and constants. A form is at most 0 after an update if a
condition before it, which is such a form as well, is at least as large for all values that variables may have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from petri.interchange.reading.infix import NEGATED, value_of
from petri.interchange.reading.tokens import Node

Form = dict[str, Fraction]  # coefficients by the names of variables and constants; the number is under the empty name
_NUMBER = ""


@dataclass(slots=True)
class Bounds:
    """variables: the lower and the upper bound of each, None without one. constant: their definitions, which may be
    forms of others. whole: whether a constant is an int."""

    variables: Mapping[str, tuple[Node | None, Node | None]]
    constant: Callable[[str], Node | None]
    whole: Callable[[str], bool]
    _forms: dict[str, Form] = field(default_factory=dict)  # of constants

    def keep(self, name: str, value: Node, guards: Iterable[Node]) -> bool:
        """Return whether an update to a value, under guards, leaves a variable within its bounds."""
        new = self._form(value)
        if new is None or any(bound is not None and self._form(bound) is None for bound in self.variables[name]):
            return False
        known = [form for guard in guards for form in self._conditions(guard)]
        known += [
            form for one in {name, *new} if one in self.variables for form in self._beyond(one, {one: Fraction(1)})
        ]
        return all(self._follows(form, known) for form in self._beyond(name, new))

    def _beyond(self, name: str, new: Form) -> Iterator[Form]:
        """Forms that are greater than 0 if a value is out of bounds."""
        low, high = (self._form(bound) if bound is not None else None for bound in self.variables[name])
        if low is not None:
            yield _sum(low, new, -1)
        if high is not None:
            yield _sum(new, high, -1)

    def _follows(self, form: Form, known: Sequence[Form]) -> bool:
        """Return whether a form is at most 0, as one of those that are known to be is at least as large."""
        return any(self._is_negative(_sum(form, other, -1)) for other in ({}, *known))

    def _is_negative(self, form: Form) -> bool:
        """Return whether a form is at most 0 whatever its variables, which are not negative, and its constants are."""
        return all(
            factor <= 0 if name == _NUMBER or self._is_never_negative(name) else factor == 0
            for name, factor in form.items()
        )

    def _is_never_negative(self, name: str) -> bool:
        low = self.variables[name][0] if name in self.variables else None
        value = value_of(low, {}) if low is not None else None
        return value is not None and value >= 0

    def _conditions(self, guard: Node) -> Iterator[Form]:
        """Yield the forms that are at most 0 where a comparison holds."""
        if guard.op == "not" and guard.parts[0].op in NEGATED:
            guard = Node(NEGATED[guard.parts[0].op], guard.parts[0].parts)
        if len(guard.parts) != 2 or guard.op not in ("==", "!=", "<", "<=", ">", ">="):
            return
        left, right = (self._form(part) for part in guard.parts)
        if left is None or right is None:
            return
        under, over = _sum(left, right, -1), _sum(right, left, -1)
        if guard.op == "!=":  # at a bound: then the value is within it
            for form in (under, over):
                yield from (self._strict(form) for name in form if self._is_bound(name, form))
        if guard.op in ("<=", "=="):
            yield under
        if guard.op in (">=", "=="):
            yield over
        if guard.op in ("<", ">"):
            yield self._strict(under if guard.op == "<" else over)

    def _is_bound(self, name: str, form: Form) -> bool:
        """Return whether a form says by how much a variable is beyond one of its bounds."""
        return name in self.variables and any(
            not any(_sum(form, other, -1).values()) for other in self._beyond(name, {name: Fraction(1)})
        )

    def _strict(self, form: Form) -> Form:
        """Return the form that is at most 0 where this one is less; of whole numbers, 1 more."""
        whole = all(
            factor.denominator == 1 and (name == _NUMBER or name in self.variables or self.whole(name))
            for name, factor in form.items()
        )
        return _sum(form, {_NUMBER: Fraction(1)}, 1) if whole else form

    def _form(self, node: Node) -> Form | None:
        """Return the linear form of an expression; None if it has none."""
        if node.op == "number":
            value = value_of(node, {})
            return None if value is None else {_NUMBER: value}
        if node.op == "name":
            return self._of_name(node.text)
        parts = [self._form(part) for part in node.parts]
        forms = [part for part in parts if part is not None]
        if len(forms) < len(parts) or not forms:
            return None
        if node.op == "neg":
            return _sum({}, forms[0], -1)
        if node.op in ("+", "-"):
            return _sum(forms[0], forms[1], 1 if node.op == "+" else -1)
        if node.op == "*":
            number = next((form for form in forms if not form.keys() - {_NUMBER}), None)
            other = forms[1] if number is forms[0] else forms[0]
            return None if number is None else _sum({}, other, number.get(_NUMBER, Fraction(0)))
        return None

    def _of_name(self, name: str) -> Form:
        """Return a variable, a constant with a number, or the form that defines a constant."""
        if name in self.variables:
            return {name: Fraction(1)}
        if name not in self._forms:
            self._forms[name] = {name: Fraction(1)}  # also if it is defined by itself
            defined = self.constant(name)
            if defined is not None and defined.op != "number":
                self._forms[name] = self._form(defined) or self._forms[name]
        return self._forms[name]


def _sum(one: Form, other: Form, times: int | Fraction) -> Form:
    names = dict.fromkeys((*one, *other))
    found = {name: one.get(name, Fraction(0)) + times * other.get(name, Fraction(0)) for name in names}
    return {name: factor for name, factor in found.items() if factor}
