"""gospn's stochastic reward nets (.spn), with guards, rates and arcs that depend on the marking."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NoReturn

from petri.diagnostics import LanguageError
from petri.interchange.reading.coloured import black, lacks, times
from petri.interchange.reading.expressions import Expressions
from petri.interchange.reading.foreign import Foreign, Place, Transition
from petri.interchange.reading.infix import factor
from petri.interchange.reading.marking import reward
from petri.interchange.reading.timing import distribution, exponential, guard
from petri.interchange.reading.tokens import InfixError, Node
from petri.net import Span

_COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_DECLARED: Final = re.compile(r"(place|exp|imm|gen)\s+([\w.]+)\s*(?:\((.*)\))?\s*$", re.DOTALL)
_ARC: Final = re.compile(r"(arc|iarc|oarc|harc)\s+([\w.]+)\s+to\s+([\w.]+)\s*(?:\((.*)\))?\s*$", re.DOTALL)
_REWARD: Final = re.compile(r"reward\s+([\w.]+)\s+(.*)$", re.DOTALL)
_ASSIGNED: Final = re.compile(r"([\w.]+)\s*=(?!=)\s*(.*)$", re.DOTALL)
_MEMORY: Final = {"prd": "", "prs": "resume", "pri": "repeat"}
_OPTIONS: Final = {  # of each kind of statement
    "place": ("init",), "exp": ("guard", "rate"), "imm": ("guard", "priority", "weight"),
    "gen": ("guard", "dist", "policy"), "arc": ("multi",),
}  # fmt: skip
_UNSAID: Final = ("vanishing", "update")
_ENABLED: Final = re.compile(r"ifelse\(\s*\?\s*([\w.]+)\s*,\s*1\s*,\s*0\s*\)")


@dataclass(slots=True)
class _Declared:
    kind: str
    options: dict[str, str]
    span: Span


def read(foreign: Foreign, data: bytes) -> None:
    _Rewards(foreign).read()


class _Rewards:
    def __init__(self, foreign: Foreign) -> None:
        self.foreign = foreign
        self.places: dict[str, _Declared] = {}
        self.timed: dict[str, _Declared] = {}
        self.arcs: list[tuple[str, str, str, dict[str, str], Span]] = []
        self.rewards: list[tuple[str, str, Span]] = []
        self.expressions = Expressions(foreign, self._place_name)
        self.transitions: dict[str, Transition] = {}

    def read(self) -> None:
        self._statements()
        for key, declared in self.places.items():
            name = self.foreign.names.give("place", key)
            count = self._initial(declared)
            self.foreign.places.append(Place(name, initial=count))
        for key in self.timed:
            self.transitions[key] = made = Transition(self.foreign.names.give("transition", key))
            self.foreign.transitions.append(made)
        for arc in self.arcs:
            self._arc(*arc)
        for key, declared in self.timed.items():
            self._time(key, self.transitions[key], declared)
        self._measures()
        self.expressions.note_unused(self.foreign.span(1))

    # ------------------------------------------------------------ statements

    def _statements(self) -> None:
        source = self.foreign.source
        for found in _COMMENT.finditer(source):
            text = found[0].strip("/*").strip()
            if found[0].startswith("/*"):
                self.foreign.comments += [line.strip() for line in text.splitlines() if line.strip()]
        plain = _COMMENT.sub(lambda one: re.sub(r"[^\n]", " ", one[0]), source)
        lines = plain.splitlines()
        number = 0
        while number < len(lines):
            start, text = number, lines[number]
            while text.count("(") > text.count(")") and number + 1 < len(lines) and number - start < 100:
                number += 1
                text += "\n" + lines[number]
            number += 1
            for statement in text.split(";"):
                if statement.strip():
                    column = len(text) - len(text.lstrip()) + 1
                    self._statement(statement.strip(), self.foreign.span(start + 1, column, len(lines[start].strip())))

    def _statement(self, text: str, span: Span) -> None:
        if (found := _DECLARED.match(text)) is not None:
            known = self.places if found[1] == "place" else self.timed
            if found[2] in self.places or found[2] in self.timed:
                self.foreign.refuse("foreign-twice", span, name=found[2])
            known[found[2]] = _Declared(found[1], self._options(found[1], found[3] or "", span), span)
        elif (found := _ARC.match(text)) is not None:
            self.arcs.append((found[1], found[2], found[3], self._options("arc", found[4] or "", span), span))
        elif (found := _REWARD.match(text)) is not None:
            self.rewards.append((found[1], found[2].strip(), span))
        elif (found := _ASSIGNED.match(text)) is not None:
            self.expressions.constant(found[1], found[2].strip())
        else:
            self.foreign.refuse("foreign-line", span, text=text[:80])

    def _options(self, kind: str, text: str, span: Span) -> dict[str, str]:
        """Read `a = 1, b = min(2, 3)` as a table; a comma within parentheses separates nothing."""
        parts, depth = [""], 0
        for character in text:
            depth += (character == "(") - (character == ")")
            if character == "," and not depth:
                parts.append("")
            else:
                parts[-1] += character
        found: dict[str, str] = {}
        for part in filter(str.strip, parts):
            name, sign, value = part.partition("=")
            if not sign:
                self.foreign.refuse("foreign-line", span, text=part.strip())
            found[name.strip()] = value.strip()
        for name in sorted(found.keys() - _OPTIONS[kind]):
            if name in _UNSAID:
                self.foreign.refuse("foreign-construct", span, what=f"`{name}` of a transition")
            self.foreign.warn("foreign-unread", span, what=f"`{name}` of a statement `{kind}`")
        return found

    # ------------------------------------------------------------ the net

    def _place_name(self, key: str) -> str | None:
        return self.foreign.names.give("place", key) if key in self.places else None

    def _initial(self, declared: _Declared) -> str:
        text = declared.options.get("init", "0")
        for node in self.expressions.node(text, declared.span).everywhere():
            if node.op == "name" and not self.expressions.knows(node.text):
                self.expressions.constant(node.text, "1")
                self.expressions.guess(node.text, "1", declared.span)
        return black(self.expressions.text(text, declared.span))

    def _arc(self, word: str, source: str, target: str, options: dict[str, str], span: Span) -> None:
        into = source in self.places
        key, other = (source, target) if into else (target, source)
        if key not in self.places or other not in self.transitions:
            self.foreign.refuse("foreign-unknown-name", span, name=other if key in self.places else key)
        place, transition = self.foreign.names.give("place", key), self.transitions[other]
        number = self.expressions.text(options.get("multi", "1"), span)
        if word == "harc":
            transition.inputs.append(lacks(place, number))
        else:
            (transition.inputs if into else transition.outputs).append(times(number, place))

    def _time(self, key: str, transition: Transition, declared: _Declared) -> None:
        options, span = declared.options, declared.span
        if "guard" in options:
            guard(transition, self._operand(options["guard"], span))
        if declared.kind == "imm":
            transition.clauses["priority"] = self.expressions.text(options.get("priority", "1"), span)
            transition.weigh(self.expressions.text(options.get("weight", "1"), span))
        elif declared.kind == "exp":
            held = {source for word, source, target, _, _ in self.arcs if target == key and word in ("arc", "iarc")}
            rate = self.expressions.expanded(self.expressions.node(options.get("rate", "1"), span), span)
            try:
                exponential(transition, rate, self.expressions.writer, held.__contains__)
            except InfixError as error:
                self.foreign.refuse("foreign-expression", span, text=options.get("rate", ""), reason=error.reason)
        else:
            self._general(transition, declared)

    def _general(self, transition: Transition, declared: _Declared) -> None:
        options, span = declared.options, declared.span
        if "dist" not in options:
            self.foreign.refuse("foreign-no-time", span)
        node = self.expressions.expanded(self.expressions.node(options["dist"], span), span)
        parts = [factor(self.expressions.written(part, options["dist"], span)) for part in node.parts]
        found = distribution(node.text, parts) if node.op == "call" else None
        if found is None:
            self.foreign.refuse("foreign-distribution", span, name=node.text or options["dist"])
        policy = options.get("policy", "prd").lower()
        if policy not in _MEMORY:
            self.foreign.refuse("foreign-construct", span, what=f"the policy `{policy}`")
        transition.clauses["after"] = found
        transition.clauses |= {"memory": _MEMORY[policy]} if _MEMORY[policy] else {}

    def _operand(self, expression: str, span: Span) -> str:
        """Return a condition, for a place in a conjunction."""
        node: Node = self.expressions.expanded(self.expressions.node(expression, span), span)
        try:
            return self.expressions.writer.operand(node, 2)
        except InfixError as error:
            self._refuse(error, expression, span)

    def _measures(self) -> None:
        """Import rewards that are figures of the marking, or the share of time in which a transition is enabled."""
        others: list[tuple[str, Span]] = []
        for key, formula, span in self.rewards:
            enabled = _ENABLED.fullmatch(formula)
            if enabled is not None and enabled[1] in self.timed and self.timed[enabled[1]].kind != "imm":
                said = f"active({self.transitions[enabled[1]].name})"
            else:
                said = self._figure(formula, span)
            if not said:
                others.append((key, span))
                continue
            self.foreign.measures.append(f"measure {self.foreign.names.give('measure', key)} = {said}")
        if others:
            self.foreign.warn("foreign-rewards", others[0][1], names=[key for key, _ in others])

    def _figure(self, formula: str, span: Span) -> str:
        """Return the figure of the marking; empty if the formula says something else."""
        try:
            node = self.expressions.expanded(self.expressions.node(formula, span), span)
            return reward(node, self.expressions.writer)
        except (InfixError, LanguageError):
            return ""

    def _refuse(self, error: InfixError, text: str, span: Span) -> NoReturn:
        self.foreign.refuse("foreign-expression", span, text=text[:80], reason=error.reason)
