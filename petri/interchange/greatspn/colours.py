"""Colours of GreatSPN: classes `circular p{1..N}`, products `A * B`, and multisets `2<x, All> + <y++, p3>`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NoReturn

from petri.interchange.reading import bags
from petri.interchange.reading.bags import BagError, Component
from petri.interchange.reading.coloured import Coloured, Variables
from petri.interchange.reading.expressions import Expressions
from petri.interchange.reading.foreign import Foreign, Transition
from petri.interchange.reading.infix import Writer, plain_call
from petri.interchange.reading.sorts import MOST_VALUES, Sort, enumeration, product
from petri.interchange.reading.tokens import InfixError, Node
from petri.interchange.reading.xml_tree import Element

_PART: Final = re.compile(r"\s*(?P<prefix>\w*?)\s*\{(?P<inside>[^}]*)\}\s*(?:is\s+(?P<name>\w+))?\s*\+?", re.ASCII)
_RANGE: Final = re.compile(r"\s*(\w+)\s*\.\.\s*(\w+)\s*")
_ORDER: Final = re.compile(r"\s*(?:circular|ordered|unordered|enum|agent)\b")
_TERM: Final = re.compile(r"\s*(?P<sign>[+-]?)\s*(?P<count>\w*)\s*\*?\s*(?P<guard>\[)?")
_INSIDE: Final = re.compile(r"\s*<(?P<inside>[^<>]*)>\s*")
_MEMBER: Final = re.compile(r"\bd\(\s*(\w+)\s*\)\s*(!?=+|<>)\s*(\w+)|\b(\w+)\s*(\bin\b|!\s*in\b)\s*(\w+)", re.ASCII)


class Colours:
    """using: the variables of the transition whose arcs are read."""

    def __init__(self, foreign: Foreign, expressions: Expressions) -> None:
        self.foreign, self.expressions = foreign, expressions
        self.sorts: dict[str, Sort] = {}
        self.parts: dict[str, tuple[str, ...]] = {}  # the values of a static subclass
        self.values: dict[str, tuple[str, Sort]] = {}  # by the names that they have in the file
        self.variables: dict[str, tuple[str, Sort]] = {}
        self.markings: dict[str, str] = {}
        self.using = Variables()
        self.writer = Writer(self._name, expressions.writer.tokens, self._call)

    def declare(self, classes: list[Element], variables: list[Element]) -> None:
        for element in sorted(classes, key=lambda one: "*" in one.get("definition")):
            self._declare(element)
        for element in variables:
            sort = self.domain(element)
            key = element.get("name")
            self.variables[key] = self.foreign.names.give("variable", key), sort

    def marking(self, name: str, value: str) -> None:
        """Read a constant that is a multiset."""
        self.markings[name] = value

    def domain(self, element: Element) -> Sort:
        """Return the sort that an element names; black tokens if it names none."""
        name = element.get("domain")
        if not name or name == "Neutral":
            return Sort(self.foreign)
        if name not in self.sorts and re.search("[*,]", name):
            self._product(name, name, element)
        if name not in self.sorts:
            self._refuse("foreign-unknown-name", element, name=name)
        return self.sorts[name]

    # ------------------------------------------------------------ classes

    def _declare(self, element: Element) -> None:
        name, definition = element.get("name"), element.get("definition")
        if "{" not in definition:
            self._product(name, definition, element)
            return
        values: list[str] = []
        text = definition
        while (order := _ORDER.match(text)) is not None and "{" not in order[0]:
            text = text[order.end() :]
        end, groups = 0, list[tuple[str, list[str]]]()
        while (found := _PART.match(text, end)) is not None:
            inside = self._listed(found["prefix"], found["inside"], element)
            groups.append((found["name"] or "", inside))
            values += inside
            end = found.end()
        if text[end:].strip() or not values or len(values) > MOST_VALUES:
            self._refuse("foreign-class", element, text=definition)
        self.sorts[name] = sort = self._made(name, values)
        written = dict(zip(values, sort.values, strict=True))
        self.values |= {value: (text, sort) for value, text in written.items()}
        self.parts |= {part: tuple(written[one] for one in inside) for part, inside in groups if part}

    def _made(self, name: str, values: list[str]) -> Sort:
        """Return the sort: of numbers, if the values are a prefix with numbers."""
        numbers = [re.sub(r"^\D*", "", value) for value in values]
        prefixes = {value.rstrip("0123456789") for value in values}
        shown = numbers if len(prefixes) == 1 and "" not in numbers else values
        made = enumeration(self.foreign, name, name, list(zip(values, shown, strict=True)))
        if made.first is not None and prefixes != {""}:
            declared = self.foreign.types[-1]
            declared.doc = " ".join(filter(None, (declared.doc, f"{values[0]}, …" if len(values) > 1 else values[0])))
        return made

    def _listed(self, prefix: str, inside: str, element: Element) -> list[str]:
        ends = _RANGE.fullmatch(inside)
        if ends is None:
            return [f"{prefix}{one.strip()}" for one in inside.split(",") if one.strip()]
        first, last = (self.expressions.whole(end, element.span(self.foreign.file)) for end in ends.groups())
        if last - first > MOST_VALUES:
            self._refuse("foreign-set-size", element, most=MOST_VALUES)
        return [f"{prefix}{number}" for number in range(first, last + 1)]

    def _product(self, name: str, definition: str, element: Element) -> None:
        parts = [self.sorts.get(part.strip()) for part in re.split("[*,]", definition)]
        known = [part for part in parts if part is not None and not part.parts]
        if len(known) < len(parts):
            self._refuse("foreign-class", element, text=definition)
        self.sorts[name] = product(self.foreign, name, name.replace("*", "_"), known)

    # ------------------------------------------------------------ multisets

    def bag(self, text: str, sort: Sort, element: Element) -> list[bags.Item]:
        """Return the multiset of a marking; nothing if the text is empty."""
        found = self.conditional(text, sort, element)
        if any(condition for condition, _ in found):
            self._refuse("foreign-construct", element, what="a condition in a marking")
        return found[0][1] if found else []

    def conditional(self, text: str, sort: Sort, element: Element) -> list[tuple[str, list[bags.Item]]]:
        """Return the multiset of an arc, `2<x> + [x != c1]<x++>`, in parts with the condition of each."""
        text = _bare(self.markings.get(text.strip(), text))
        parts: dict[str, tuple[list[tuple[int, bags.Token]], list[tuple[int, bags.Token]]]] = {}
        end, span = 0, element.span(self.foreign.file)
        while text[end:].strip() and (found := _TERM.match(text, end)) is not None:
            condition, after = self._condition_of(text, found, element)
            inside = _INSIDE.match(text, after)
            if inside is None:
                break
            end, number = inside.end(), found["count"]
            count = self.expressions.whole(number, span) if number else 1
            added, subtracted = parts.setdefault(condition, ([], []))
            for sign, token in self._tokens(inside["inside"], sort, element):
                positive = (found["sign"] != "-") == (sign > 0)
                (added if positive else subtracted).append((count, token))
        if text[end:].strip():
            reason = f"`{text[end:].strip()[:40]}` is not expected"
            self._refuse("foreign-expression", element, text=text[:80], reason=reason)
        try:
            return [(condition, bags.difference(*part)) for condition, part in parts.items()]
        except BagError as error:
            self._refuse(str(error), element)

    def _condition_of(self, text: str, term: re.Match[str], element: Element) -> tuple[str, int]:
        """Return the condition in brackets before a term, and where it ends."""
        if not term["guard"]:
            return "", term.end()
        depth, end = 1, term.end()
        while depth and end < len(text):
            depth += (text[end] == "[") - (text[end] == "]")
            end += 1
        return self._guard(text[term.end() : end - 1], element), end

    def _tokens(self, inside: str, sort: Sort, element: Element) -> list[tuple[int, bags.Token]]:
        """Return the tokens of `<a, b>`: several where a component is a sum."""
        parts = sort.parts or (sort,)
        written = inside.split(",")
        if len(written) != len(parts):
            self._refuse("foreign-sort", element)
        tokens: list[tuple[int, bags.Token]] = [(1, ())]
        for text, part in zip(written, parts, strict=True):
            components = self._components(text, part, element)
            tokens = [(sign * own, (*before, one)) for sign, before in tokens for own, one in components]
        return tokens

    def _components(self, text: str, sort: Sort, element: Element) -> list[tuple[int, Component]]:
        """`All`, `All - x`, `x`, `x++`, `L1`, `p3`, and their sums."""
        found: list[tuple[int, Component]] = []
        for sign, part in re.findall(r"([+-]?)\s*(\w+(?:\+\+|--)?|![\w]+)\s*", text.replace(" ", "")):
            found += [(-1 if sign == "-" else 1, one) for one in self._component(part, sort, element)]
        if not found:
            self._refuse("foreign-sort", element)
        return found

    def _component(self, text: str, sort: Sort, element: Element) -> list[Component]:
        name = text.strip("!+-")
        if name in self.variables:
            written, own = self.variables[name]
            self.using.used[written] = own
            if own.name != sort.name:
                self._refuse("foreign-sort", element)
            if text == name:
                return [Component(sort, written, variable=True)]
            return [Component(sort, sort.predecessor(written) if text.endswith("--") else sort.successor(written))]
        if name in ("All", "S"):
            return [Component(sort)]
        if name in self.parts:
            return [Component(sort, value) for value in self.parts[name]]
        value = self.values.get(name)
        if value is None or value[1].name != sort.name:
            self._refuse("foreign-unknown-name", element, name=name)
        return [Component(sort, value[0])]

    # ------------------------------------------------------------ guards

    def condition(self, text: str, transition: Transition, coloured: Coloured, element: Element) -> str:
        """Return the guard of a transition, for a place in a conjunction."""
        self.using = coloured.variables(transition)
        return self._guard(text, element)

    def _guard(self, text: str, element: Element) -> str:
        span = element.span(self.foreign.file)
        node = self.expressions.node(_MEMBER.sub(self._membership, text), span, tight_not=False)
        try:
            return self.writer.operand(self.expressions.expanded(node, span), 2)
        except InfixError as error:
            self._refuse("foreign-expression", element, text=text[:80], reason=error.reason)

    def _membership(self, found: re.Match[str]) -> str:
        """`d(x) = L1` or `x in L1`: x is of this static subclass."""
        name, sign, part = [group for group in found.groups() if group is not None]
        if part in self.sorts:
            inside = "true"
        elif part in self.parts:
            inside = " or ".join(f"{name} == {value}" for value in self.parts[part])
        else:
            return found[0]
        return f"(not ({inside}))" if sign.startswith("!") or sign == "<>" else f"({inside})"

    def _name(self, node: Node) -> str:
        if node.text in self.variables:
            written, sort = self.variables[node.text]
            self.using.used[written] = sort
            return written
        if node.text in self.values:
            return self.values[node.text][0]
        return self.expressions.writer.name(node)

    def _call(self, node: Node, arguments: Sequence[str]) -> str:
        """`CN[x]`, the position of a colour in its class, from 1; `x++`, the next colour; and plain functions."""
        if node.text not in ("CN", "++", "--") or len(arguments) != 1:
            return plain_call(node, arguments)
        sort = self._sort_of(node.parts[0])
        if node.text == "CN":
            return sort.ordinal(arguments[0])
        return sort.successor(arguments[0]) if node.text == "++" else sort.predecessor(arguments[0])

    def _sort_of(self, node: Node) -> Sort:
        if node.op == "call" and node.text in ("++", "--"):
            return self._sort_of(node.parts[0])
        known = self.variables.get(node.text) or self.values.get(node.text)
        if node.op != "name" or known is None:
            raise InfixError(node.at, f"`{node.text}` is not a colour")
        return known[1]

    def _refuse(self, identifier: str, element: Element, **values: str | int) -> NoReturn:
        self.foreign.refuse(identifier, element.span(self.foreign.file), **values)


def _bare(text: str) -> str:
    """Return a multiset without parentheses around the whole."""
    text = text.strip()
    return text[1:-1] if text.startswith("(") and text.endswith(")") and ")" not in text[1:-1] else text
