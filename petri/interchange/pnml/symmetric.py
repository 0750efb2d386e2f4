"""Symmetric nets in PNML: sorts are types, variables are variables, `all` is a list of tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NoReturn

from petri.interchange.pnml.graph import Graph, labelled
from petri.interchange.reading import bags
from petri.interchange.reading.bags import BagError, Component
from petri.interchange.reading.coloured import Coloured, Variables, black
from petri.interchange.reading.foreign import Foreign, Place, Transition
from petri.interchange.reading.sorts import MOST_VALUES, Sort, enumeration, numbered, product, truth
from petri.interchange.reading.xml_tree import Element, whole

_COMPARED = {
    "equality": "==", "inequality": "!=", "lessthan": "<", "lessthanorequal": "<=", "greaterthan": ">",
    "greaterthanorequal": ">=", "gtp": ">", "gte": ">=", "ltp": "<", "lte": "<=",
}  # fmt: skip
_OF_PARTS = ("numberof", "add", "subtract", "tuple", "all")  # terms of tokens that have others in them


class SymmetricNet(Graph):
    """Reads the declarations first, then the graph."""

    def __init__(self, foreign: Foreign, net: Element) -> None:
        super().__init__(foreign, net)
        self.sorts: dict[str, Sort] = {}
        self.constants: dict[str, tuple[str, Sort]] = {}
        self.variables: dict[str, tuple[str, Sort]] = {}
        self.partitions: dict[str, Element] = {}
        self.ranks: dict[str, str] = {}  # the list with the part of each value, by partition
        self.of_place: dict[str, Sort] = {}
        self.tests: list[tuple[str, str, Element]] = []  # the transition, the place and the arc
        self.taken: set[tuple[str, str]] = set()  # transitions and places of which they take coloured tokens
        self.coloured = Coloured(foreign)
        self.using = Variables()

    def read(self) -> None:
        for one in self.net.all("declaration"):
            one.said("text")
            one.first("structure", "declarations")
        declared = list(self.net.everywhere("namedsort"))
        waiting = {element.get("id"): element for element in declared}
        for element in declared:
            self._declare(element, waiting, [])
        for element in self.net.everywhere("variabledecl"):
            name = self.foreign.names.give("variable", element.get("id"), element.get("name") or element.get("id"))
            self.variables[element.get("id")] = name, self._sort(_only(self, element))
        self.partitions = {one.get("id"): one for one in self.net.everywhere("partition")}
        for partition in self.partitions.values():
            partition.pass_over()
        super().read()
        self.coloured.bind_rest(self.foreign.transitions)

    # ------------------------------------------------------------ sorts

    def _declare(self, element: Element, waiting: dict[str, Element], above: list[str]) -> Sort:
        """Return the sort that an element declares; what it needs is declared first."""
        key = element.get("id")
        if key in self.sorts:
            return self.sorts[key]
        if key in above:
            self._refuse("foreign-circle", element, name=element.get("name") or key)
        name, inside = element.get("name") or key, _only(self, element)
        if inside.tag == "productsort":
            parts = []
            for child in inside.all():
                used = waiting.get(child.get("declaration")) if child.tag == "usersort" else None
                parts.append(self._declare(used, waiting, [*above, key]) if used is not None else self._sort(child))
            if any(part.black or part.parts for part in parts) or not parts:
                self._refuse("foreign-construct", inside, what="a product of products or of dots")
            self.sorts[key] = product(self.foreign, key, _short(name), parts)
        else:
            self.sorts[key] = self._simple(inside, key, name)
        return self.sorts[key]

    def _simple(self, element: Element, key: str, name: str) -> Sort:
        """Return a sort that needs no other one.

        Its name is declared, unless it is the sort of dots or of truth values.
        """
        if element.tag == "dot":
            return Sort(self.foreign)
        if element.tag in ("cyclicenumeration", "finiteenumeration"):
            values = [(one.get("id"), one.get("name") or one.get("id")) for one in element.all("feconstant")]
            if not values or len(values) > MOST_VALUES:
                self._refuse("foreign-set-size", element, most=MOST_VALUES)
            made = enumeration(self.foreign, key, name, values)
            self.constants |= {value: (text, made) for (value, _), text in zip(values, made.values, strict=True)}
            return made
        if element.tag == "finiteintrange":
            first, last = (whole(self.foreign, element, element.get(end)) for end in ("start", "end"))
            if not first <= last < first + MOST_VALUES:
                self._refuse("foreign-set-size", element, most=MOST_VALUES)
            return numbered(self.foreign, self.foreign.names.give("sort", key, name), first, last)
        if element.tag == "bool":
            return truth(self.foreign)
        if element.tag == "usersort":
            return self._sort(element)
        raise self._refuse("foreign-construct", element, what=f"`{element.tag}`")

    def _sort(self, element: Element) -> Sort:
        """Return the sort that an element names or is."""
        if element.tag != "usersort":
            return self._simple(element, f"{element.line}:{element.column}", element.tag)
        found = self.sorts.get(element.get("declaration"))
        if found is None:
            self._refuse("foreign-unknown-name", element, name=element.get("declaration"))
        return found

    # ------------------------------------------------------------ the graph

    def _place(self, key: str, element: Element) -> None:
        name = self.foreign.names.give("node", key, labelled(element))
        kind = self._structure(element, "type")
        sort = self._sort(_only(self, kind)) if kind is not None else Sort(self.foreign)
        self.of_place[key] = sort
        marking = self._structure(element, "hlinitialMarking")
        if marking is not None:
            element.label("initialMarking")  # the number of tokens, for the eye
        tokens = self._plain_marking(element, sort) if marking is None else self._marking(marking, sort)
        limit = self.capacity(element)
        self.foreign.places.append(Place(name, sort.name, tokens, capacity=limit, doc=element.comments()))

    def _structure(self, element: Element, label: str) -> Element | None:
        """Return the terms of a label; None without such a label. A label with only a text is refused."""
        found = element.first(label)
        structure = found.first("structure") if found is not None else None
        text = found.said("text") if found is not None else ""  # the same, for the eye
        if text and structure is None:
            self._refuse_text(element, label, text)
        return structure

    def _refuse_text(self, element: Element, label: str, text: str) -> NoReturn:
        kind, name, at = element.tag, element.get("id"), element.first(label) or element
        self._refuse("foreign-no-structure", at, label=label, kind=kind, name=name, text=text)

    def _plain_marking(self, element: Element, sort: Sort) -> str:
        """Refuse a label of place/transition nets, which may be in other nets where tokens have no values."""
        count = self.number(element, "initialMarking", missing=0)
        if count and not sort.black:
            self._refuse_text(element, "initialMarking", str(count))
        return black(count)

    def _marking(self, element: Element, sort: Sort) -> str:
        try:
            return self.coloured.marking(self._bag(element, sort), sort)
        except BagError as error:
            self._refuse(str(error), element)

    def _transition(self, made: Transition, element: Element) -> None:
        super()._transition(made, element)
        self.using = self.coloured.variables(made)
        condition = self._structure(element, "condition")
        if condition is not None:
            made.clauses["when"] = self._condition(_only(self, condition))

    def _join(self, key: str, transition: Transition, into: bool, kind: str, arc: Element) -> None:
        sort, place = self.of_place[key], self.foreign.names.give("node", key)
        self.using = self.coloured.variables(transition)
        if kind == "reset" or (kind == "inhibitor" and arc.first("hlinscription") is None):
            self.join(place, transition, into, kind, arc, self.count(arc))
            return
        items = self._inscribed(arc, sort)
        try:
            if sort.black:
                self.join(place, transition, into, kind, arc, sum(output.count for output in bags.outputs(items)))
            elif kind == "inhibitor":
                self.arcs[transition.name].inputs += self.coloured.inhibitor(place, sort, items)
            elif kind == "test":
                self._test(transition, place, sort, items, arc)
            else:
                self._take_or_give(transition, place, sort, items, into)
        except BagError as error:
            self._refuse(str(error), arc)

    def _take_or_give(self, made: Transition, place: str, sort: Sort, items: list[bags.Item], into: bool) -> None:
        arcs = self.arcs[made.name]
        (self.coloured.take if into else self.coloured.give)(made, place, sort, items)
        self.taken |= {(made.name, place)} if into else set()
        arcs.inputs += made.inputs
        arcs.outputs += made.outputs
        made.inputs, made.outputs = [], []

    def _test(self, made: Transition, place: str, sort: Sort, items: list[bags.Item], arc: Element) -> None:
        arcs = self.arcs[made.name]
        self.coloured.take(made, place, sort, items, "read ")
        arcs.inputs += made.inputs
        made.inputs = []
        self.tests.append((made.name, place, arc))

    def _write(self) -> None:
        """Refuse a test arc that finds tokens which others take. Here it would find more (E1), so it must be alone."""
        tested = Counter((name, place) for name, place, _ in self.tests)
        for name, place, arc in self.tests:
            if tested[name, place] > 1 or (name, place) in self.taken:
                self._refuse("foreign-construct", arc, what="a test arc of coloured tokens beside others of its place")
        super()._write()

    def _inscribed(self, arc: Element, sort: Sort) -> list[bags.Item]:
        inscription = self._structure(arc, "hlinscription")
        if inscription is not None:
            return self._bag(inscription, sort)
        number = self.count(arc)
        if not sort.black:
            if arc.label("inscription"):
                self._refuse_text(arc, "inscription", arc.label("inscription"))
            self._refuse("foreign-no-inscription", arc)
        return [bags.Item(number, (), [])] if number else []

    # ------------------------------------------------------------ terms

    def _bag(self, element: Element, sort: Sort) -> list[bags.Item]:
        parts = sort.parts or (() if sort.black else (sort,))
        added: list[tuple[int, bags.Token]] = []
        subtracted: list[tuple[int, bags.Token]] = []
        for count, token in self._terms(_only(self, element), parts):
            (added if count > 0 else subtracted).append((abs(count), token))
        try:
            return bags.difference(added, subtracted)
        except BagError as error:
            self._refuse(str(error), element)

    def _terms(self, term: Element, parts: tuple[Sort, ...]) -> Iterator[tuple[int, bags.Token]]:
        """Yield the tokens of a term with their numbers, which are negative where they are subtracted."""
        inside = list(_operands(term)) if term.tag in _OF_PARTS else []
        if term.tag == "numberof":
            number = 1
            if inside and inside[0].tag == "numberconstant":
                number = whole(self.foreign, inside[0], inside[0].get("value"))
                list(inside[0].all("positive", "natural"))
                inside = inside[1:]
            for operand in inside if number else ():  # some tools write several: their sum is meant
                for count, token in self._terms(operand, parts):
                    yield number * count, token
        elif term.tag in ("add", "subtract"):
            for position, operand in enumerate(inside):
                sign = -1 if term.tag == "subtract" and position else 1
                for count, token in self._terms(operand, parts):
                    yield sign * count, token
        elif term.tag == "scalarproduct":
            self._refuse("foreign-construct", term, what="`scalarproduct`")
        elif term.tag == "dotconstant" or (term.tag in ("all", "useroperator") and not parts):
            term.get("declaration")  # TAPAAL writes `<useroperator declaration="dot"/>`
            if parts or any(not self._sort(of).black for of in inside):
                self._refuse("foreign-sort", term)
            yield 1, ()
        elif term.tag == "all" and len(parts) > 1:
            if any(self._sort(of).parts != parts for of in inside):
                self._refuse("foreign-sort", term)
            yield 1, tuple(Component(part) for part in parts)
        else:
            written = inside if term.tag == "tuple" else [term]
            if len(written) != len(parts):
                self._refuse("foreign-sort", term)
            yield 1, tuple(self._component(one, part) for one, part in zip(written, parts, strict=True))

    def _component(self, term: Element, sort: Sort) -> Component:
        if term.tag == "all":
            if any(self._sort(of).name != sort.name for of in _operands(term)):
                self._refuse("foreign-sort", term)
            return Component(sort)
        text, found = self._value(term, sort)
        if found.name != sort.name:
            self._refuse("foreign-sort", term)
        return Component(sort, text, variable=term.tag == "variable")

    def _value(self, term: Element, expected: Sort | None = None) -> tuple[str, Sort]:
        """Return a term of one value: its text and its sort."""
        if term.tag == "variable":
            found = self.variables.get(term.get("refvariable"))
            if found is None:
                self._refuse("foreign-unknown-name", term, name=term.get("refvariable"))
            self.using.used[found[0]] = found[1]
            return found
        if term.tag == "useroperator":
            constant = self.constants.get(term.get("declaration"))
            if constant is None:
                self._refuse("foreign-unknown-name", term, name=term.get("declaration"))
            return constant
        if term.tag in ("successor", "predecessor"):
            text, sort = self._value(_only(self, term), expected)
            return (sort.successor(text) if term.tag == "successor" else sort.predecessor(text)), sort
        if term.tag in ("finiteintrangeconstant", "numberconstant"):
            value = str(whole(self.foreign, term, term.get("value")))
            sort = expected or self._range(term)
            for end in ("start", "end"):
                for of in term.all("finiteintrange", "positive", "natural"):
                    of.get(end)
            if value not in sort.values:
                self._refuse("foreign-sort", term)
            return value, sort
        if term.tag == "booleanconstant":
            return term.get("value"), truth(self.foreign)
        if term.tag == "partitionelementof":
            return self._part_of(term)
        raise self._refuse("foreign-construct", term, what=f"`{term.tag}`")

    def _part_of(self, term: Element) -> tuple[str, Sort]:
        """Return the number of the part of a partition to which a value belongs."""
        key = term.get("refpartition")
        partition = self.partitions.get(key)
        if partition is None:
            self._refuse("foreign-unknown-name", term, name=key)
        text, sort = self._value(_only(self, term))
        parts = list(partition.all("partitionelement"))
        part_of = {
            self._value(constant, sort)[0]: number for number, part in enumerate(parts) for constant in _operands(part)
        }
        if part_of.keys() != set(sort.values):
            self._refuse("foreign-construct", partition, what="a partition in which some values are not, or twice,")
        rank = sort.listed(f"part_{partition.get('name') or key}", [part_of[value] for value in sort.values], text)
        return rank, Sort(self.foreign, f"part {key}", tuple(map(str, range(len(parts)))), 0)

    def _range(self, term: Element) -> Sort:
        """Return the declared sort that a number of a range belongs to."""
        inside = term.first("finiteintrange")
        first = inside.get("start") if inside is not None else ""
        last = inside.get("end") if inside is not None else ""
        fitting = (sort for sort in self.sorts.values() if sort.values[:1] == (first,) and sort.values[-1:] == (last,))
        found = next(fitting, None)
        if found is None:
            self._refuse("foreign-sort", term)
        return found

    def _condition(self, term: Element) -> str:
        inside = list(_operands(term)) if term.tag != "booleanconstant" else []
        if term.tag in ("and", "or") and inside:
            return f" {term.tag} ".join(self._part(one) for one in inside)
        if term.tag == "not" and len(inside) == 1:
            return f"not ({self._condition(inside[0])})"
        if term.tag == "imply" and len(inside) == 2:
            return f"not ({self._condition(inside[0])}) or ({self._condition(inside[1])})"
        if term.tag == "booleanconstant":
            return term.get("value")
        operator = _COMPARED.get(term.tag)
        if operator is None or len(inside) != 2:
            self._refuse("foreign-construct", term, what=f"`{term.tag}`")
        return self._compared(operator, *inside)

    def _part(self, term: Element) -> str:
        """Return a condition within another one: comparisons bind tighter than `and`, `or`."""
        return self._condition(term) if term.tag in _COMPARED else f"({self._condition(term)})"

    def _compared(self, operator: str, left: Element, right: Element) -> str:
        number = left.tag in ("finiteintrangeconstant", "numberconstant")
        known = self._value(right if number else left)[1]
        one, sort = self._value(left, known)
        other, of_other = self._value(right, known)
        if sort.name != of_other.name:
            self._refuse("foreign-sort", right)
        ordered = operator not in ("==", "!=")
        return f"{sort.rank(one)} {operator} {sort.rank(other)}" if ordered else f"{one} {operator} {other}"

    def _refuse(self, identifier: str, element: Element, **values: str | int) -> NoReturn:
        self.foreign.refuse(identifier, element.span(self.foreign.file), **values)


def _operands(term: Element) -> Iterator[Element]:
    for child in term.all():
        yield from child.all() if child.tag == "subterm" else (child,)


def _only(net: SymmetricNet, element: Element) -> Element:
    """Return the one thing that an element contains."""
    inside = list(_operands(element))
    if len(inside) != 1:
        net.foreign.refuse("foreign-not-one", element.span(net.foreign.file), what=element.tag, count=len(inside))
    return inside[0]


def _short(name: str) -> str:
    """Return the name of a product, without the operators that some tools write in it."""
    return name.replace("*", "_")
