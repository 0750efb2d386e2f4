"""What a file of CPN Tools declares: colour sets, variables, values and functions."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final, NoReturn

from petri.interchange.cpn_tools import ml
from petri.interchange.cpn_tools.ml import Function
from petri.interchange.cpn_tools.terms import SINGLE, Colour, Scope
from petri.interchange.reading.foreign import Constant, Foreign, Type
from petri.interchange.reading.infix import value_of
from petri.interchange.reading.tokens import InfixError, Node
from petri.interchange.reading.xml_tree import Element
from petri.net import Span

_PRIORITIES: Final = {"P_HIGH": 100, "P_NORMAL": 1_000, "P_LOW": 10_000}
_SIMPLE: Final = {
    "unit": "",
    "bool": "bool",
    "int": "int",
    "intinf": "int",
    "time": "int",
    "real": "real",
    "string": "",
}


class Declared:
    def __init__(self, foreign: Foreign, net: Element) -> None:
        self.foreign, self.net = foreign, net
        self.colours: dict[str, Colour] = {}
        self.functions: dict[str, Function] = {}
        self.elements: dict[str, Element] = {}  # where they are declared
        self.faults: dict[str, str] = {}  # why a value or a function is not understood
        self.values: dict[str, str] = {"true": "true", "false": "false"}
        self.siblings: dict[str, tuple[str, ...]] = dict.fromkeys(("true", "false"), ("true", "false"))
        self.variables: dict[str, tuple[str, Colour]] = {}

    def read(self) -> None:
        box = self.net.first("globbox") or Element("globbox", {}, self.net.line, self.net.column)
        blocks = [box, *box.everywhere("block")]
        for block in blocks:
            block.said("id")
        for element in (one for block in blocks for one in block.all("ml")):
            element.remarks += ml.comments(element.text)
            try:
                found = ml.declarations(element.text)
                self.functions |= found
                self.elements |= dict.fromkeys(found, element)
            except InfixError as error:
                names = re.findall(r"\b(?:val|fun)\s+([\w']+)", element.text)
                self.faults |= dict.fromkeys(names, error.reason)
                if not names:
                    what = f"the declaration `{' '.join(element.text.split())[:60]}`"
                    self.foreign.warn("foreign-unread", self.span(element), what=what)
        for element in box.everywhere("color"):
            self._colour(element)
        self._warn_of_strings()
        for element in box.everywhere("var"):
            colour = self.colour(element, element.said("type", "id"))
            for one in element.all("id"):
                key = one.text.strip()
                self.variables[key] = self.foreign.names.give("variable", key), colour

    def _warn_of_strings(self) -> None:
        """Name the sets of strings that places or products use."""
        used = {one.said("type", "text") for one in self.net.everywhere("place")}
        used |= {one.text.strip() for product in self.net.everywhere("product") for one in product.all("id")}
        strings = [name for name, colour in self.colours.items() if colour.kind == "string" and name in used]
        if strings:
            first = next(one for one in self.net.everywhere("color") if one.said("id") == strings[0])
            self.foreign.warn("foreign-strings", self.span(first), names=strings)

    def _colour(self, element: Element) -> None:
        name, timed = element.said("id"), element.first("timed") is not None
        if (alias := element.first("alias")) is not None:
            known = self.colour(alias, alias.said("id"))
            self.colours[name] = Colour(
                known.name, known.kind, timed, known.parts, known.fields, known.values, known.bounds
            )
            return
        body = element.first(next((one.tag for one in element.nested if one.tag not in ("id", "timed")), ""))
        if not name or body is None:
            self.refuse("foreign-construct", element, what="this colour set")
        made = self._made(element, body, name)
        made.timed = timed
        self.colours[name] = made

    def _made(self, element: Element, body: Element, name: str) -> Colour:
        if body.tag in ("int", "bool", "real") and (limits := body.first("with")) is not None:
            if body.tag != "int":
                self.refuse("foreign-construct", element, what=f"the colour set `{name}`")
            low, high = ([one.text.strip() for one in limits.all("ml")] + ["", ""])[:2]
            bounds = self._bound(low, element), self._bound(high, element)
            made = self._type(name, "..".join(bounds))
            return Colour(made, "range", bounds=bounds)
        if body.tag in _SIMPLE:
            return Colour(_SIMPLE[body.tag], body.tag)
        if body.tag == "enum":
            return self._enumeration(name, [one.text.strip() for one in body.all("id")])
        if body.tag == "index":
            low, high = ([one.text.strip() for one in body.all("ml")] + ["", ""])[:2]
            bounds = self._bound(low, element), self._bound(high, element)
            self.functions[body.said("id")] = ml.IDENTITY
            return Colour(self._type(name, "..".join(bounds)), "range", bounds=bounds)
        if body.tag == "product":
            return self._product(
                name, body, [(f"x{number}", one.text.strip()) for number, one in enumerate(body.all("id"), 1)]
            )
        return self.refuse("foreign-construct", element, what=f"the colour set `{name}`, a `{body.tag}`,")

    def _enumeration(self, name: str, names: list[str]) -> Colour:
        """Return a set of named values. Tokens of the one value that a set has are black."""
        self.siblings |= dict.fromkeys(names, tuple(names))
        if len(names) == 1:
            self.values[names[0]] = SINGLE
            return Colour("", "single")
        values = tuple(self.foreign.names.give("value", one) for one in names)
        self.values |= dict(zip(names, values, strict=True))
        return Colour(self._type(name, " | ".join(values)), "values", values=values)

    def _product(self, name: str, body: Element, parts: list[tuple[str, str]]) -> Colour:
        colours = tuple(self.colour(body, one) for _, one in parts)
        made = Colour("", "product", parts=colours, fields=tuple(one for one, _ in parts))
        if any(part.only.kind == "product" for part in colours):
            self.refuse("foreign-construct", body, what=f"`{name}`, a product of products,")
        if len(made.kept) > 1:
            inside = (f"{made.fields[place]}: {colours[place].name}" for place in made.kept)
            made.name = self._type(name, f"{{ {', '.join(inside)} }}")
        elif made.kept:
            made.name = made.only.name
        return made

    def _type(self, name: str, definition: str) -> str:
        made = self.foreign.names.give("sort", name)
        self.foreign.types.append(Type(made, definition, self.foreign.names.original(made)))
        return made

    def colour(self, element: Element, name: str) -> Colour:
        found = self.colours.get(name)
        if found is None and name.lower() in _SIMPLE and name.isupper():
            found = self.colours[name] = Colour(_SIMPLE[name.lower()], name.lower())
        if found is None:
            self.refuse("foreign-unknown-name", element, name=name or "colour set")
        return found

    def _bound(self, text: str, element: Element) -> str:
        try:
            return Scope(self.constant).text(self.node(text))
        except InfixError as error:
            self.refuse("foreign-expression", element, text=text[:80], reason=error.reason)

    def priority(self, text: str, element: Element) -> int:
        """Return a priority: a number, or the name of one. Some names have numbers without a declaration."""
        declared = self.functions.get(text)
        value = value_of(declared.body, {}) if declared is not None and not declared.parameters else None
        if value is None:
            number = str(_PRIORITIES.get(text, text))
            value = Fraction(number) if number.isdecimal() and len(number) < 10 else None
        if value is None or value.denominator != 1:
            self.refuse("foreign-construct", element, what=f"the priority `{text[:40]}`")
        return int(value)

    # ------------------------------------------------------------ texts

    def node(self, text: str) -> Node:
        """Return an expression with its functions written out. Raises InfixError."""
        return self.written_out(ml.expression(text))

    def written_out(self, node: Node) -> Node:
        return ml.written_out(node, self.functions, lambda name: self.siblings.get(name, ()))

    def constant(self, name: str) -> str | None:
        """Return a name of the language for a value; a number becomes a parameter when it is first used.

        Raises InfixError.
        """
        made = self.functions.get(name)
        if name in self.faults:
            raise InfixError(0, f"`{name}` is not understood: {self.faults[name]}")
        if name not in self.values and made is not None and not made.parameters and len(made.forms) == 1:
            given = self.foreign.names.give("constant", name)
            element = self.elements.get(name)
            said = (self.foreign.names.original(given), element.comments() if element is not None else "")
            value = Scope(self.constant).text(made.body)
            self.foreign.constants.append(Constant(given, value, doc="\n".join(filter(None, said))))
            self.values[name] = given
        return self.values.get(name)

    def span(self, element: Element) -> Span:
        return element.span(self.foreign.file)

    def refuse(self, identifier: str, element: Element, **values: str | int) -> NoReturn:
        self.foreign.refuse(identifier, self.span(element), **values)
