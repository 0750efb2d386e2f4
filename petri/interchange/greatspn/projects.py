"""GreatSPN's projects (.PNPRO): GSPN, DSPN and SWN.

A `delay` of an exponential transition is its rate. No `nservers` means infinitely many, except for general times, of
which GreatSPN runs one at a time.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NoReturn

from petri.interchange.greatspn.colours import Colours
from petri.interchange.reading.bags import BagError
from petri.interchange.reading.coloured import Coloured, black, lacks, times
from petri.interchange.reading.expressions import Expressions
from petri.interchange.reading.foreign import Foreign, Place, Transition
from petri.interchange.reading.infix import decimal_of, factor, value_of
from petri.interchange.reading.sorts import Sort
from petri.interchange.reading.timing import distribution, exponential, guard
from petri.interchange.reading.tokens import InfixError, Node
from petri.interchange.reading.xml_tree import Element, chosen, report_unread, tree_of
from petri.net import Span

_SKIPPED = ("point", "resource-list", "result-table", "image")
_EYE: Final = (
    r"x|y|.*-[xyk]|.*-magnet|magnets|rotation|broken|width|height|zoom|version|(?:view|show)-\w+(?:-cmd)?|text-size|"
    r"shown-as|alt-name-fn|superposition-tags|partition|name|border-color|fill-color|bold|shadow|shape|text-color|"
    r"locked|\w+-pos|image-uuid"
)
_BESIDE: Final = ("dta", "algebra", "algebra2", "unfolding", "multinet")  # what a project has beside its nets
_QUIET_FORMULAS = ("STAT", "ALL")
# Functions of one and two arguments, `Max[a, b]`, which `infix` calls the same in lower case.
_CALLS: Final = frozenset("Min Max Abs Ceil Floor Round Sqrt Pow Log Mod".split())


def read(foreign: Foreign, data: bytes) -> None:
    root = tree_of(data, foreign.file, foreign.source, _SKIPPED)
    _Project(foreign, root, chosen(foreign, root, "gspn", "name")).read()
    for one in root.all(*_BESIDE):
        one.pass_over()
    foreign.comments += root.comments().splitlines()
    report_unread(foreign, root, _EYE)


class _Project:
    def __init__(self, foreign: Foreign, root: Element, net: Element) -> None:
        self.foreign, self.root, self.net = foreign, root, net
        self.nodes = net.first("nodes") or Element("nodes", {}, net.line, net.column)
        self.places: dict[str, tuple[str, Sort]] = {}
        self.transitions: dict[str, Transition] = {}
        self.expressions = Expressions(foreign, self._place_name, _translated)
        self.coloured = Coloured(foreign)
        self.colours = Colours(foreign, self.expressions)

        self.into: dict[str, list[Element]] = {}  # the input arcs of each transition

    def _place_name(self, name: str) -> str | None:
        return self.places[name][0] if name in self.places else None

    def read(self) -> None:
        self.foreign.call(self.net.get("name"))
        self._constants()
        self.colours.declare(list(self.nodes.all("color-class")), list(self.nodes.all("color-var")))
        for element in self.nodes.all():
            if element.tag == "place":
                self._place(element)
            elif element.tag == "text-box":
                self.foreign.comments += filter(None, (element.text.strip(),))
            elif element.tag not in ("transition", "constant", "template", "color-class", "color-var"):
                self._refuse("foreign-construct", element, what=f"`{element.tag}`")
        for element in self.nodes.all("transition"):
            name = self._new(element, self.transitions)
            self.transitions[element.get("name")] = made = Transition(name, doc=element.comments())
            self.foreign.transitions.append(made)
        for arc in (self.net.first("edges") or self.nodes).all("arc"):
            self._arc(arc)
            if _kind(arc) == "INPUT":
                self.into.setdefault(arc.get("head"), []).append(arc)
        for element in self.nodes.all("transition"):
            self._time(self.transitions[element.get("name")], element)
        self.coloured.bind_rest(self.foreign.transitions)
        self._weights()
        self._measures()
        self.expressions.note_unused(self._span(self.net))

    def _constants(self) -> None:
        """Constants have values; templates get theirs from the measures, or the value that they had last."""
        bound = {
            one.get("varname"): one.get("single-val")
            for measures in self.root.everywhere("measures")
            if measures.get("gspn-name") == self.net.get("name")
            for one in measures.everywhere("assignment")
            if one.get("single-val")
        }
        for element in self.nodes.all("constant", "template"):
            name, value = element.get("name"), element.get("value")
            kind = "int" if (element.get("consttype") or element.get("type")) == "INTEGER" else "real"
            if element.tag == "template":
                last = element.get("last-binding")
                value = bound.get(name) or last
                if not value:
                    value = "1"
                    self.expressions.guess(name, value, self._span(element))
            if element.get("domain"):
                self.colours.marking(name, value)
            else:
                self.expressions.constant(name, value, kind, doc=element.comments())

    def _new(self, element: Element, known: dict[str, Transition] | dict[str, tuple[str, Sort]]) -> str:
        key = element.get("name")
        if not key:
            self._refuse("foreign-no-id", element, kind=element.tag)
        if key in known:
            self._refuse("foreign-twice", element, name=key)
        return self.foreign.names.give(element.tag, key)

    def _place(self, element: Element) -> None:
        if element.get("type", "DISCRETE") not in ("DISCRETE", ""):
            self._refuse("foreign-construct", element, what="a place of a fluid")
        name, sort = self._new(element, self.places), self.colours.domain(element)
        self.places[element.get("name")] = name, sort
        marking = element.get("marking")
        try:
            tokens = self.coloured.marking(self.colours.bag(marking, sort, element), sort) if not sort.black else ""
        except BagError as error:
            self._refuse(str(error), element)
        if sort.black and marking:
            tokens = black(self._number(marking, element))
        self.foreign.places.append(Place(name, sort.name, tokens, doc=element.comments()))

    # ------------------------------------------------------------ transitions

    def _time(self, transition: Transition, element: Element) -> None:
        kind, delay = element.get("type", "EXP"), element.get("delay", "1")
        priority, weight = element.get("priority", "1"), element.get("weight", "1")  # timed ones may have them as well
        condition = element.get("guard")
        if condition and condition.lower() != "true":
            guard(transition, self.colours.condition(condition, transition, self.coloured, element))
        if kind == "IMM":
            element.get("nservers")
            transition.clauses["priority"] = self._number(priority, element)
            transition.weigh(self._text(weight, element))
            return
        if kind == "EXP":
            held = {arc.get("tail") for arc in self._arcs_into(element) if self._takes(arc)}
            node = self.expressions.node(delay, self._span(element))
            try:
                exponential(transition, node, self.expressions.writer, held.__contains__)
            except InfixError as error:
                self._refuse("foreign-expression", element, text=delay, reason=error.reason)
        elif kind in ("GEN", "DET"):
            transition.clauses["after"] = self._general(element, delay)
        else:
            self._refuse("foreign-construct", element, what=f"a transition of the type `{kind}`")
        self._servers(transition, element, kind)

    def _takes(self, arc: Element) -> bool:
        """Return whether an arc takes a token at least, whatever the marking is."""
        value = self.expressions.value(_multiplicity(arc), self._span(arc)) if "<" not in _multiplicity(arc) else None
        return value is not None and value > 0

    def _weights(self) -> None:
        """Warn where GreatSPN weighs each binding: a transition with several then counts more beside another one."""
        immediate = [one for one in self.nodes.all("transition") if one.get("type") == "IMM"]
        places: dict[str, list[Element]] = {}
        for one in immediate:
            for arc in self._arcs_into(one):
                places.setdefault(arc.get("tail"), []).append(one)
        rivals = {
            one.get("name")
            for found in places.values()
            for one in found
            if self.coloured.variables(self.transitions[one.get("name")]).used
            and any(one is not two and one.get("priority", "1") == two.get("priority", "1") for two in found)
        }
        if rivals:
            first = next(one for one in immediate if one.get("name") in rivals)
            self.foreign.warn("foreign-weights", self._span(first), names=sorted(rivals))

    def _general(self, element: Element, delay: str) -> str:
        """Return a general time: a distribution, or a sum of several by probability, `0.25*I[2] + 0.75*I[6]`."""
        parts = [self._weighed(summand) for summand in _summands(self.expressions.node(delay, self._span(element)))]
        if len(parts) == 1 and parts[0][1].op not in ("index", "call"):
            return self.expressions.written(parts[0][1], delay, self._span(element))
        said = [self._distribution(node, delay, element) for _, node in parts]
        shares = [weight for weight, _ in parts]
        if sum(shares) != 1:
            self._refuse("foreign-mixture", element, text=delay, sum=float(sum(shares)))
        if len(parts) == 1:
            return said[0]
        written = (decimal_of(share, 17) or repr(float(share)) for share in shares)
        return f"choice({', '.join(f'{one}: {share}' for one, share in zip(said, written, strict=True))})"

    def _weighed(self, node: Node) -> tuple[Fraction, Node]:
        """Return a part of a mixture: its probability, and what is multiplied by it."""
        factors = node.parts if node.op == "*" else (node,)
        weights = [value for one in factors if (value := value_of(one, self.expressions.values)) is not None]
        others = [one for one in factors if value_of(one, self.expressions.values) is None]
        return (weights[0], others[0]) if len(weights) == len(others) == 1 else (Fraction(1), node)

    def _distribution(self, node: Node, delay: str, element: Element) -> str:
        span = self._span(element)
        parts = [factor(self.expressions.written(part, delay, span)) for part in node.parts]
        found = distribution(node.text, parts) if node.op in ("index", "call") else None
        if found is None:
            self._refuse("foreign-distribution", element, name=node.text or delay)
        return found

    def _servers(self, transition: Transition, element: Element, kind: str) -> None:
        coloured = bool(self.coloured.variables(transition).used)
        coloured |= any(not self.places[arc.get("tail")][1].black for arc in self._arcs_into(element))
        text = element.get("nservers") or ("Infinite" if kind == "EXP" else "1")
        if coloured:
            if text.lower() != "infinite" and text != "1":
                self._refuse("foreign-construct", element, what="a number of servers for coloured tokens")
        elif text.lower() == "infinite":
            transition.clauses["servers"] = "all"
        elif text != "1":
            transition.clauses["servers"] = self._number(text, element)

    # ------------------------------------------------------------ arcs

    def _arcs_into(self, element: Element) -> list[Element]:
        return self.into.get(element.get("name"), [])

    def _arc(self, arc: Element) -> None:
        kind = _kind(arc)
        ends = (arc.get("head"), arc.get("tail")) if kind == "OUTPUT" else (arc.get("tail"), arc.get("head"))
        place, transition = self.places.get(ends[0]), self.transitions.get(ends[1])
        if place is None or transition is None:
            self._refuse("foreign-unknown-name", arc, name=ends[0] if place is None else ends[1])
        transition.add_doc(arc.comments())
        name, sort = place
        if not sort.black:
            self._coloured(arc, kind, name, sort, transition)
            return
        self.colours.using = self.coloured.variables(transition)
        number = self._number(_multiplicity(arc), arc)
        if kind == "INHIBITOR":
            transition.inputs.append(lacks(name, number))
        elif kind == "RESET":
            transition.inputs.append(f"reset {name}")
        elif kind in ("INPUT", "OUTPUT"):
            (transition.inputs if kind == "INPUT" else transition.outputs).append(times(number, name))
        else:
            self._refuse("foreign-arc-kind", arc, kind=kind)

    def _coloured(self, arc: Element, kind: str, name: str, sort: Sort, transition: Transition) -> None:
        self.colours.using = self.coloured.variables(transition)
        for condition, items in self.colours.conditional(_multiplicity(arc, ""), sort, arc):
            try:
                if kind == "OUTPUT":
                    self.coloured.give(transition, name, sort, items, condition)
                elif condition:
                    self._refuse("foreign-construct", arc, what="a condition of an arc that takes tokens or inhibits")
                elif kind == "INPUT":
                    self.coloured.take(transition, name, sort, items)
                elif kind == "INHIBITOR":
                    transition.inputs += self.coloured.inhibitor(name, sort, items)
                else:
                    self._refuse("foreign-arc-kind", arc, kind=kind)
            except BagError as error:
                self._refuse(str(error), arc)

    # ------------------------------------------------------------ the rest

    def _measures(self) -> None:
        for measures in self.root.all("measures"):
            measures.pass_over()
            asked = [one for one in measures.everywhere("formula") if one.get("language") not in _QUIET_FORMULAS]
            if measures.get("gspn-name") == self.net.get("name") and asked:
                self.foreign.warn("foreign-measures", self._span(asked[0]), count=len(asked))

    def _text(self, expression: str, element: Element) -> str:
        return self.expressions.text(expression, self._span(element))

    def _number(self, expression: str, element: Element) -> str:
        """Return an expression of ints, where `/` divides ints; it may use the colours of its transition."""
        span = self._span(element)
        node = _of_ints(self.expressions.expanded(self.expressions.node(expression, span), span))
        return self.expressions.written(node, expression, span, self.colours.writer)

    def _span(self, element: Element) -> Span:
        return element.span(self.foreign.file)

    def _refuse(self, identifier: str, element: Element, **values: str | float) -> NoReturn:
        self.foreign.refuse(identifier, self._span(element), **values)


def _kind(arc: Element) -> str:
    return (arc.get("kind") or arc.get("type")).upper()


def _multiplicity(arc: Element, missing: str = "1") -> str:
    return arc.get("mult") or arc.get("multiplicity") or missing


def _translated(node: Node) -> Node:
    """GreatSPN's functions, `If[c, a, b]` or `Max[a, b]`, in the words of `infix`."""
    parts = tuple(map(_translated, node.parts))
    if node.op == "index" and node.text == "If" and len(parts) == 3:
        return Node("if", parts, at=node.at)
    if node.op == "index" and node.text == "Fract" and len(parts) == 2:
        return Node("/", parts, at=node.at)
    if node.op == "index" and (node.text in _CALLS or node.text == "CN"):
        return Node("call", parts, node.text.lower() if node.text in _CALLS else node.text, node.at)
    return Node(node.op, parts, node.text, node.at)


def _of_ints(node: Node) -> Node:
    return Node("div" if node.op == "/" else node.op, tuple(map(_of_ints, node.parts)), node.text, node.at)


def _summands(node: Node) -> list[Node]:
    return [summand for part in node.parts for summand in _summands(part)] if node.op == "+" else [node]
