"""PRISM's modules, as far as they are continuous-time Markov chains of bounded variables.

A variable that is only counted up and down is a place of black tokens; any other is a place with one coloured token.
Commands with the same label of several modules become one transition for each combination.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import product
from typing import Final, NoReturn

from petri.interchange.prism.bounds import Bounds
from petri.interchange.reading import infix
from petri.interchange.reading.coloured import black, times
from petri.interchange.reading.expressions import MOST_OPERATIONS, Expressions
from petri.interchange.reading.foreign import Foreign, Place, Transition
from petri.interchange.reading.infix import Writer
from petri.interchange.reading.marking import figure, figure_of_tokens
from petri.interchange.reading.remarks import Remarks
from petri.interchange.reading.timing import exponential, guard
from petri.interchange.reading.tokens import InfixError, Node
from petri.net import Span

MOST_COMMANDS: Final = 20_000  # transitions, also of combinations
_COMMENT: Final = re.compile(r"//[^\n]*")
_CONST: Final = re.compile(r"const\s+(?:(int|double|bool|rate|prob)\s+)?(\w+)\s*(?:=([^;]*))?;")
_FORMULA: Final = re.compile(r"formula\s+(\w+)\s*=([^;]*);")
_LABEL: Final = re.compile(r"label\s+\"(\w+)\"\s*=([^;]*);")
_GLOBAL: Final = re.compile(r"global\s+([^;]*);")
_RENAMED: Final = re.compile(r"module\s+(\w+)\s*=\s*(\w+)\s*\[([^\]]*)\]\s*endmodule\b")
_MODULE: Final = re.compile(r"module\s+(\w+)(.*?)\bendmodule\b", re.DOTALL)
_REWARDS: Final = re.compile(r"rewards\s*(?:\"(\w+)\")?(.*?)\bendrewards\b", re.DOTALL)
_DECLARED: Final = re.compile(r"\s*(\w+)\s*:\s*(?:\[(.*)\.\.(.*)\]|(bool|int))\s*(?:init\s+(.*))?$", re.DOTALL)
_COMMAND: Final = re.compile(r"\s*\[(\w*)\](.*?)->(.*)$", re.DOTALL)
_ASSIGNED: Final = re.compile(r"\s*\(?\s*(\w+)'\s*=(.*)$", re.DOTALL)
_OTHER_KINDS: Final = frozenset(
    "dtmc probabilistic mdp nondeterministic pta fdctmc ma smg pomdp popta imdp idtmc lts".split()
)
_RANGE_TRUE: Final = Node("name", text="true")
_ZERO: Final = Node("number", text="0")
_BEFORE: Final = re.compile(r"\s*(\w*)")
_BITS: Final = {"0": 0, "1": 1, "false": 0, "true": 1}


@dataclass(slots=True)
class _Variable:
    """counted: a place of black tokens. flag: it holds one, or none, as commands say that fix its value."""

    place: str
    type: str
    initial: str
    counted: bool
    flag: bool = False
    bound: str = ""  # the name that arcs bind


@dataclass(slots=True)
class _Declared:
    """type: `bool` or `int`. low, high: the bounds of an int, None without them."""

    type: str
    low: Node | None
    high: Node | None
    initial: Node
    span: Span
    doc: str


@dataclass(slots=True)
class _Command:
    module: str
    label: str
    guard: Node
    rate: Node
    updates: dict[str, Node]
    span: Span
    written: bool  # in the file, and not made by renaming


@dataclass(slots=True)
class _Texts:
    """A module as it was written; base: the place of its body in the file; renamed: it is a copy of another one."""

    name: str
    body: str
    base: int
    doc: str
    renamed: bool


def read(foreign: Foreign, data: bytes) -> None:
    _Model(foreign).read()


class _Model:
    def __init__(self, foreign: Foreign) -> None:
        self.foreign = foreign
        self.remarks = Remarks(foreign.source, "//")
        self.text = _COMMENT.sub(lambda one: " " * len(one[0]), foreign.source)
        self.lines = [0, *(found.end() for found in re.finditer("\n", self.text))]  # where each begins
        self.expressions = Expressions(foreign, lambda _: None)
        self.formulas: dict[str, Node] = {}
        self.written = {found[1]: found[2] for found in _FORMULA.finditer(self.text)}
        self.modules: dict[str, _Texts] = {}
        self.copies: set[str] = set()  # what a renaming makes from one another
        self.commands: list[_Command] = []
        self.variables: dict[str, _Variable] = {}
        self.order: dict[str, int] = {}
        self.bound: dict[str, str] = {}  # the variables by the names that arcs bind
        self.declared: dict[str, _Declared] = {}
        self.setting: dict[str, list[_Command]] = {}  # the commands that set a variable
        self.labels: dict[str, list[str]] = {}  # the modules that have a label
        self.of_label: dict[tuple[str, str], list[_Command]] = {}  # the commands with a label in a module
        self.labelled: dict[str, list[str]] = {}  # the transitions that a label became
        self.rewards: list[tuple[str, str, Span]] = []
        self.values: dict[str, Node] = {}  # of variables that a command compares with constants
        self.writer = Writer(self._name, self._held, infix.plain_call)

    def read(self) -> None:
        self.foreign.comments += self.remarks.head()
        self._top()
        for module in self.modules.values():
            self._module(module)
        made = list(self._combined())
        self._declare(made)
        for command in made:
            self._transition(command)
        self._measures()
        self.expressions.note_unused(self.foreign.span(1))

    # ------------------------------------------------------------ the file

    def _top(self) -> None:
        at = 0
        kinds = (
            (_CONST, self._constant), (_FORMULA, self._formula), (_LABEL, self._label), (_GLOBAL, self._global),
            (_RENAMED, self._renamed), (_MODULE, self._keep), (_REWARDS, self._reward),
        )  # fmt: skip
        seen = False
        while (start := _BEFORE.match(self.text, at)) is not None and start.end() < len(self.text):
            at, kind = start.start(1), start[1]
            if kind in ("ctmc", "stochastic"):
                seen, at = True, at + len(kind)
                continue
            if kind in _OTHER_KINDS:
                self._refuse("foreign-kind", self._span(at), kind=kind)
            if self.text[at] == ";":
                at += 1
                continue
            for pattern, take in kinds:
                found = pattern.match(self.text, at)
                if found is not None:
                    take(found)
                    at = found.end()
                    break
            else:
                self._refuse("foreign-construct", self._span(at), what=f"`{self.text[at : at + 40].split()[0]}`")
        if not seen:
            self._refuse("foreign-kind", self.foreign.span(1), kind="mdp")

    def _constant(self, found: re.Match[str]) -> None:
        kind = {"double": "real", "rate": "real", "prob": "real"}.get(found[1] or "int", "int")
        value = (found[3] or "").strip()
        if not value:
            value = "1" if found[1] != "bool" else "false"
            self.expressions.guess(found[2], value, self._span(found.start()))
        self.expressions.constant(found[2], value, kind, doc=self._about(found.start()))

    def _formula(self, found: re.Match[str]) -> None:
        self.formulas[found[1]] = self._node(found[2], self._span(found.start()))

    def _label(self, found: re.Match[str]) -> None:
        self.rewards.append((found[1], f"{found[2]} : 1;", self._span(found.start())))

    def _global(self, found: re.Match[str]) -> None:
        self._variable(found[1], self._span(found.start()), self._about(found.start()))

    def _keep(self, found: re.Match[str]) -> None:
        self._new_module(found[1], found[2], found.start(2), found, False)

    def _renamed(self, found: re.Match[str]) -> None:
        base = self.modules.get(found[2])
        if base is None:
            self._refuse("foreign-unknown-name", self._span(found.start()), name=found[2])
        pairs = [pair.partition("=") for pair in found[3].split(",")]
        new = {old.strip(): name.strip() for old, _, name in pairs}
        self.copies |= {found[1], found[2], *new.keys(), *new.values()}
        body = re.sub(r"\b[A-Za-z_]\w*", lambda one: new.get(one[0], one[0]), base.body)
        self._new_module(found[1], body, found.start(), found, True)

    def _new_module(self, name: str, body: str, base: int, found: re.Match[str], renamed: bool) -> None:
        if name in self.modules:
            self._refuse("foreign-twice", self._span(found.start()), name=name)
        self.modules[name] = _Texts(name, body, base, self._about(found.start()), renamed)

    def _reward(self, found: re.Match[str]) -> None:
        self.rewards.append((found[1] or "reward", found[2], self._span(found.start())))

    def _about(self, at: int) -> str:
        return self.remarks.about(self._span(at).line)

    def _module(self, module: _Texts) -> None:
        """Give the comment of a module to its first variable."""
        at, doc = 0, module.doc
        for statement in module.body.split(";"):
            start = module.base
            if not module.renamed:
                start += min(at + len(statement) - len(statement.lstrip()), len(module.body))
            span, at = self._span(start), at + len(statement) + 1
            if not statement.strip():
                continue
            command = _COMMAND.match(statement)
            if command is None:
                said = "" if module.renamed else self.remarks.about(span.line)
                self._variable(statement, span, "\n".join(filter(None, (doc, said))))
                doc = ""
            else:
                self._command(module, command, span)

    def _variable(self, text: str, span: Span, doc: str) -> None:
        found = _DECLARED.match(text.strip())
        if found is None:
            self._refuse("foreign-line", span, text=text.strip()[:80])
        if found[1] in self.declared:
            self._refuse("foreign-twice", span, name=found[1])
        low, high = (self._node(part, span) if part else None for part in found.groups()[1:3])
        missing = Node("name", text="false") if found[4] == "bool" else low or _ZERO
        initial = self._node(found[5], span) if found[5] else missing
        self.declared[found[1]] = _Declared(found[4] or "int", low, high, initial, span, doc)

    def _command(self, module: _Texts, found: re.Match[str], span: Span) -> None:
        label, condition = found[1], self._node(found[2], span)
        if label and module.name not in self.labels.setdefault(label, []):
            self.labels[label].append(module.name)
        for rate, updates in self._alternatives(found[3], span):
            made = _Command(module.name, label, condition, rate, updates, span, not module.renamed)
            self.commands.append(made)
            self.of_label.setdefault((label, module.name), []).append(made)
            for name in updates:
                self.setting.setdefault(name, []).append(made)

    def _alternatives(self, text: str, span: Span) -> Iterator[tuple[Node, dict[str, Node]]]:
        """`rate : (x'=1) & (y'=2) + …`"""
        depth, start, colon = 0, 0, -1
        for position, character in enumerate(f"{text}+"):
            depth += (character in "([") - (character in ")]")
            if depth or (character == "+" and colon < 0 and position < len(text)):
                continue
            if character == ":" and colon < 0:
                colon = position
            elif character == "+":
                rate = text[start:colon] if colon >= 0 else "1"
                yield self._node(rate, span), self._updates(text[max(colon + 1, start) : position], span)
                start, colon = position + 1, -1

    def _updates(self, text: str, span: Span) -> dict[str, Node]:
        if text.strip() == "true":
            return {}
        found: dict[str, Node] = {}
        for part in _split(text, "&"):
            assigned = _ASSIGNED.match(part.strip())
            if assigned is None:
                self._refuse("foreign-line", span, text=text.strip()[:80])
            value = assigned[2].strip()
            found[assigned[1]] = self._node(value[:-1] if part.strip().startswith("(") else value, span)
        return found

    # ------------------------------------------------------------ variables

    def _declare(self, made: Sequence[_Command]) -> None:
        flags = {name for name, declared in self.declared.items() if self._flag(name, declared)}
        counted = self._counted(self.declared.keys() - flags, made) | flags
        for key, declared in self.declared.items():
            place, span = self.foreign.names.give("place", key), declared.span
            if key in self.copies:
                self.foreign.copies.add(place)
            bounds = (declared.low, declared.high)
            start, *limits = (self.expressions.written(one, key, span) for one in (declared.initial, *bounds) if one)
            type_ = "..".join(limits) or declared.type
            self.order[key] = len(self.order)
            self.variables[key] = _Variable(place, type_, start, key in counted, key in flags)
            if key in counted:
                tokens = black({"false": "0", "true": "1"}.get(start, start))
                limit = "" if key in flags or not limits else f"at most {limits[1]}"
                said = f"{declared.doc} ({limit})" if declared.doc and limit else declared.doc or limit
                self.foreign.places.append(Place(place, initial=tokens, doc=said))
            else:
                self.variables[key].bound = self.foreign.names.give("variable", key, f"{key}_now")
                self.bound[self.variables[key].bound] = key
                self.foreign.places.append(Place(place, type_, infix.factor(start), doc=declared.doc))
        for command in self.commands:
            unknown = next((name for name in command.updates if name not in self.variables), None)
            if unknown is not None:
                self._refuse("foreign-unknown-name", command.span, name=unknown)

    def _flag(self, name: str, declared: _Declared) -> bool:
        """Return whether a variable is a flag, or 0 or 1, and no command sets it to 1 without knowing its value."""
        if declared.type != "bool" and (declared.low is None or (_bit(declared.low), _bit(declared.high)) != (0, 1)):
            return False
        return _bit(declared.initial) is not None and all(
            (value := _bit(command.updates[name])) is not None
            and (not value or any(_says(part, name) is not None for part in _conjuncts(command.guard)))
            for command in self.setting.get(name, ())
        )

    def _counted(self, names: Set[str], made: Sequence[_Command]) -> set[str]:
        """Return the variables that all updates count: add or subtract a number, add another such variable, or set to
        0.

        Their guards must keep them within their bounds, which a number of tokens does not have: PRISM stops where an
        update leaves them, and so does the range of a place with a value.
        """
        bounds = Bounds(
            {name: (one.low or _ZERO, one.high) for name, one in self.declared.items()},  # no place holds less than 0
            self.expressions.definition,
            lambda name: self.expressions.kind(name) == "int",
        )
        left = {name for name in names if self._may_be_counted(self.declared[name])}
        changed = set[str]()
        for command in made:
            guards = list(_conjuncts(command.guard))
            for name, node in command.updates.items():
                if name in left and not bounds.keep(name, node, guards):
                    left.discard(name)
                changed |= {name} if _change(node, name) is not None else set()
        left &= changed
        updates = [(name, node) for command in made for name, node in command.updates.items()]
        while wrong := {name for name, node in updates if name in left and not _counts(node, name, left)}:
            left -= wrong
        return left

    def _may_be_counted(self, declared: _Declared) -> bool:
        """Return whether a variable is an int from 0 on, and begins within its bounds as far as these are numbers."""
        if declared.type == "bool" or (declared.low is not None and infix.value_of(declared.low, {}) != 0):
            return False
        start, most = (infix.value_of(one, {}) if one else None for one in (declared.initial, declared.high))
        return (start is None or start >= 0) and (start is None or most is None or start <= most)

    # ------------------------------------------------------------ commands

    def _combined(self) -> Iterator[_Command]:
        """Yield each command without a label, and each combination of commands with a label of several modules."""
        count, done = 0, set[str]()
        for command in self.commands:
            combinations: Iterator[tuple[_Command, ...]] = iter([(command,)])
            if command.label and len(self.labels[command.label]) > 1:
                if command.label in done:
                    continue
                done.add(command.label)
                modules = self.labels[command.label]
                combinations = product(*(self.of_label.get((command.label, module), ()) for module in modules))
            for parts in combinations:
                count += 1
                if count > MOST_COMMANDS:
                    self._refuse("foreign-too-large", command.span, what="combinations of commands", most=MOST_COMMANDS)
                yield parts[0] if len(parts) == 1 else self._joined(parts)

    def _joined(self, parts: tuple[_Command, ...]) -> _Command:
        first = parts[0]
        condition, rate, updates = first.guard, first.rate, dict(first.updates)
        for part in parts[1:]:
            condition = Node("and", (condition, part.guard))
            if infix.value_of(part.rate, {}) != 1:
                rate = part.rate if infix.value_of(rate, {}) == 1 else Node("*", (rate, part.rate))
            both = updates.keys() & part.updates.keys()
            if both:
                self._refuse("foreign-construct", part.span, what=f"`{min(both)}`, which two modules change at once,")
            updates |= part.updates
        return _Command(first.module, first.label, condition, rate, updates, first.span, first.written)

    def _transition(self, command: _Command) -> None:
        name = self._name_of(command)
        transition = Transition(name, doc=self.remarks.about(command.span.line) if command.written else "")
        self.foreign.transitions.append(transition)
        self.labelled.setdefault(command.label, []).append(name)
        if (command.label or command.module) in self.copies:
            self.foreign.copies.add(name)
        self.values = {}
        conditions = [part for part in _conjuncts(command.guard) if not self._fixed(part)]
        changes = {key: self._moved(node, key) for key, node in command.updates.items() if self.variables[key].counted}
        down = {key: -change for key, change in changes.items() if change is not None and change < 0}
        try:
            known = self._rate_positive(command.rate)
            for part in conditions:
                name = part.parts[0].text if part.parts else ""
                if not 1 <= _asks(part) <= down.get(name, 0) and part != _RANGE_TRUE:
                    said = self.writer.operand(self._as_tokens(part), 3)
                    if said not in known:
                        guard(transition, said)
            positive = down.keys() | {part.parts[0].text for part in conditions if _asks(part) > 0}
            fixed = {key for key, value in self.values.items() if value.text not in ("0", "false")}
            rate, signed = self._as_tokens(command.rate), self._signed()
            exponential(transition, rate, self.writer, (positive | fixed).__contains__, signed)
            given = {key: self._given(key, node) for key, node in command.updates.items() if key not in changes}
        except InfixError as error:
            self._refuse("foreign-expression", command.span, text=name, reason=error.reason)
        self._arcs(transition, command, changes, given)

    def _signed(self) -> set[str]:
        """Return the variables that may be negative."""
        lows = {name: one.low for name, one in self.declared.items() if not self.variables[name].counted}
        values = {name: infix.value_of(low, {}) if low is not None else None for name, low in lows.items()}
        return {name for name, value in values.items() if value is None or value < 0}

    def _rate_positive(self, rate: Node) -> tuple[str, ...]:
        """Conditions that `exponential` adds; it does not, where the rate is a variable that a condition bounds."""
        text = self.writer.operand(self._as_tokens(rate), 5)
        return () if rate.op == "name" else (f"{text} > 0", f"{text} > 0.0")

    def _name_of(self, command: _Command) -> str:
        """Return the label, with a number from the second command on; else a step of the module."""
        names = self.foreign.names
        if not command.label or names.known("transition", command.label):
            return names.fresh(command.label or f"{command.module}_step")
        return names.give("transition", command.label)

    def _arcs(
        self, transition: Transition, command: _Command, changes: dict[str, int | None], given: dict[str, str]
    ) -> None:
        words = set(re.findall(r"\w+", " ".join([*transition.clauses.values(), *given.values()])))
        named = {self.bound[word] for word in words & self.bound.keys()}
        for key in sorted(named | command.updates.keys() | self.values.keys(), key=self.order.__getitem__):
            variable, change = self.variables[key], changes.get(key)
            if variable.flag and key in self.values and not (change is not None and change < 0):
                word = "read" if _bit(self.values[key]) else "no"
                transition.inputs.append(f"{word} {variable.place}")
            if key in changes and change is None:
                node = command.updates[key]
                if _bit(node) == 0:
                    transition.inputs.append(f"reset {variable.place}")
                else:
                    transition.outputs.append(f"{self._held(node.parts[1])} * {variable.place}")
            elif change:
                arcs = transition.inputs if change < 0 else transition.outputs
                arcs.append(times(abs(change), variable.place))
            elif key in given:
                transition.inputs.append(f"{variable.place}({self._pattern(key, words)})")
                transition.outputs.append(f"{variable.place}({given[key]})")
            elif not variable.counted and (key in self.values or key in named):
                transition.inputs.append(f"read {variable.place}({self._pattern(key, words)})")

    def _pattern(self, key: str, words: set[str]) -> str:
        """Return what an arc finds: the value that a guard asks for, or any, by its name where that is used."""
        if key in self.values:
            return self.writer.text(self.values[key])
        bound = self.variables[key].bound
        return bound if bound in words else "_"

    def _moved(self, node: Node, key: str) -> int | None:
        """Return by how much an update changes a variable that is counted; None if that is not known."""
        if self.variables[key].flag and key in self.values:
            return (_bit(node) or 0) - (_bit(self.values[key]) or 0)
        return _change(node, key)

    def _fixed(self, part: Node) -> bool:
        """Return whether a condition only gives the value of an uncounted variable, or a flag; the value is kept."""
        for key in (one.text for one in part.everywhere() if one.op == "name" and one.text in self.variables):
            variable, bit = self.variables[key], _says(part, key)
            if bit is not None and (variable.flag or variable.type == "bool"):
                word = ("false", "true")[bit] if variable.type == "bool" else str(bit)
                return self._fix(key, Node("name" if variable.type == "bool" else "number", text=word))
            break
        if part.op == "==" and part.parts[0].op == "name" and part.parts[0].text in self.variables:
            value = part.parts[1]
            if not any(one.op == "name" and one.text in self.variables for one in value.everywhere()):
                return not self.variables[part.parts[0].text].flag and self._fix(part.parts[0].text, value)
        return False

    def _fix(self, key: str, value: Node) -> bool:
        variable = self.variables[key]
        if (variable.counted and not variable.flag) or key in self.values:
            return False
        self.values[key] = value
        return True

    def _given(self, key: str, node: Node) -> str:
        written = self._as_tokens(node)
        value = infix.value_of(written, {})
        short = infix.decimal_of(value) if value is not None else None
        return short if short is not None else infix.bare(self.writer.text(written))

    def _as_tokens(self, node: Node) -> Node:
        """Return the expression with variables as `tokens`, and those whose value a guard says as this value."""
        if node.op == "name" and node.text in self.variables:
            held = Node("tokens", text=node.text, at=node.at)
            truth = self.variables[node.text].flag and self.variables[node.text].type == "bool"
            return self.values.get(node.text) or (Node(">", (held, _ZERO)) if truth else held)
        return Node(node.op, tuple(map(self._as_tokens, node.parts)), node.text, node.at)

    def _name(self, node: Node) -> str:
        return self._held(node) if node.text in self.variables else self.expressions.writer.name(node)

    def _held(self, node: Node) -> str:
        variable = self.variables[node.text]
        return f"tokens({variable.place})" if variable.counted else variable.bound

    # ------------------------------------------------------------ the rest

    def _measures(self) -> None:
        """Rewards and labels become measures, of states that read counted variables or one other, and of firings."""
        others: list[tuple[str, Span]] = []
        self.values = {}
        for title, body, span in self.rewards:
            said = self._reward_text([one.strip() for one in body.split(";") if one.strip()], span)
            if said is None:
                others.append((title, span))
            else:
                self.foreign.measures.append(f"measure {self.foreign.names.fresh(title)} = {said}")
        if others:
            self.foreign.warn("foreign-rewards", others[0][1], names=[title for title, _ in others])

    def _reward_text(self, items: list[str], span: Span) -> str | None:
        """Return the sum of `condition : value` of states and `[label] true : number` of commands;

        None if there is more.
        """
        states: dict[str, list[tuple[Node, Node]]] = {}  # by the variable whose value they read
        parts: list[str] = []
        for label, condition, value in [self._reward_item(item, span) for item in items]:
            if label is None:
                read = {one.text for node in (condition, value) for one in node.everywhere() if one.op == "name"}
                of_value = {name for name in read & self.variables.keys() if not self.variables[name].counted}
                if of_value and len(read & self.variables.keys()) > 1:
                    return None
                pair = self._as_tokens(condition), self._as_tokens(value)
                states.setdefault(next(iter(of_value), ""), []).append(pair)
                continue
            number = infix.value_of(value, {})
            if condition != _RANGE_TRUE or number is None or (short := infix.decimal_of(number)) is None:
                return None
            factor = "" if short == "1" else f"{short} * "
            parts += [f"{factor}rate({name})" for name in self.labelled.get(label, [])]
        of_value_writer = Writer(self.expressions.writer.name, lambda _: "value", infix.plain_call)
        try:
            for key, pairs in states.items():
                if key:
                    parts.append(figure_of_tokens(self.variables[key].place, pairs, of_value_writer))
                else:
                    parts.append(figure(pairs, self.writer))
        except InfixError:
            return None
        return " + ".join(parts) or None

    def _reward_item(self, item: str, span: Span) -> tuple[str | None, Node, Node]:
        """Return the label of commands, none for states, the condition and the value."""
        found = re.fullmatch(r"(?:\[(\w*)\])?([^:]*):(.*)", item, re.DOTALL)
        if found is None:
            self._refuse("foreign-line", span, text=item[:80])
        return found[1], self._node(found[2], span), self._node(found[3], span)

    def _node(self, text: str, span: Span) -> Node:
        return self._inlined(self.expressions.node(text.strip(), span, tight_not=False), span, [], [0])

    def _inlined(self, node: Node, span: Span, above: list[str], size: list[int]) -> Node:
        """Return the expression with formulas written out; it is parsed again, as they may come later in the file."""
        size[0] += 1
        if size[0] > MOST_OPERATIONS:
            self._refuse(
                "foreign-expression", span, text=above[0] if above else node.text, reason="it is too long, written out"
            )
        if node.op == "name" and (formula := self._formula_of(node.text, span)) is not None:
            if node.text in above:
                self._refuse("foreign-circle", span, name=node.text)
            return self._inlined(formula, span, [*above, node.text], size)
        return Node(node.op, tuple(self._inlined(part, span, above, size) for part in node.parts), node.text, node.at)

    def _formula_of(self, name: str, span: Span) -> Node | None:
        if name in self.formulas:
            return self.formulas[name]
        if name not in self.written:
            return None
        self.formulas[name] = self.expressions.node(self.written[name].strip(), span, tight_not=False)
        return self.formulas[name]

    def _span(self, at: int) -> Span:
        line = bisect_right(self.lines, at)
        return self.foreign.span(line, at - self.lines[line - 1] + 1)

    def _refuse(self, identifier: str, span: Span, **values: str | int) -> NoReturn:
        self.foreign.refuse(identifier, span, **values)


def _split(text: str, sign: str) -> list[str]:
    """Return the parts between signs that are in no parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == sign and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _bit(node: Node | None) -> int | None:
    """0 or 1, if an expression is one of these or a truth value."""
    return _BITS.get(node.text) if node is not None and node.op in ("name", "number") else None


def _says(part: Node, name: str) -> int | None:
    """Return the value, 0 or 1, that a condition gives to a variable:

    `x`, `!x`, `x = 1`, `x > 0`; None if it says no more.
    """
    if part.op == "name" and part.text == name:
        return 1
    if part.op == "not" and part.parts[0] == Node("name", text=name, at=part.parts[0].at):
        return 0
    if len(part.parts) != 2 or part.parts[0].op != "name" or part.parts[0].text != name:
        return None
    value = _bit(part.parts[1])
    if part.op in ("==", "!="):
        return value if value is None or part.op == "==" else 1 - value
    if (part.op, value) in ((">", 0), (">=", 1)):
        return 1
    return 0 if (part.op, value) in (("<", 1), ("<=", 0)) else None


def _change(node: Node, name: str) -> int | None:
    """Return by how much `name + 2`, `name - 1` or `name` changes the variable; None for any other expression."""
    if node.op == "name" and node.text == name:
        return 0
    if node.op in ("+", "-") and node.parts[0].op == "name" and node.parts[0].text == name:
        number = node.parts[1]
        if number.op == "number" and number.text.isdigit() and len(number.text) < 9:
            return int(number.text) if node.op == "+" else -int(number.text)
    return None


def _counts(node: Node, name: str, counted: set[str]) -> bool:
    """Return whether an update is `name + 2`, `name + other` or 0."""
    if _change(node, name) is not None or (node.op, node.text) == ("number", "0"):
        return True
    return (
        node.op == "+"
        and all(part.op == "name" for part in node.parts)
        and (node.parts[0].text == name and node.parts[1].text in counted)
    )


def _conjuncts(node: Node) -> Iterator[Node]:
    if node.op == "and":
        for part in node.parts:
            yield from _conjuncts(part)
    else:
        yield Node(node.op, node.parts, node.text)


def _asks(node: Node) -> int:
    """Return the number that `name >= number` or `name > number - 1` asks for; 0 for any other condition."""
    if node.op not in (">", ">=") or node.parts[0].op != "name":
        return 0
    number = node.parts[1]
    if number.op != "number" or not number.text.isdigit() or len(number.text) > 9:
        return 0
    return int(number.text) + (node.op == ">")
