"""A symmetric net in PNML, written for the tests: philosophers who may leave a message for all others."""

from __future__ import annotations


def variable(name: str) -> str:
    return f'<variable refvariable="{name}"/>'


def one(term: str, count: int = 1) -> str:
    """`count` of a value."""
    number = f'<subterm><numberconstant value="{count}"><positive/></numberconstant></subterm>'
    return f"<numberof>{number}<subterm>{term}</subterm></numberof>"


def many(word: str, *terms: str) -> str:
    return f"<{word}>{''.join(f'<subterm>{term}</subterm>' for term in terms)}</{word}>"


ALL = '<all><usersort declaration="phil"/></all>'
DOT = "<dotconstant/>"


def place(name: str, sort: str, marking: str = "") -> str:
    kind = f'<type><structure><usersort declaration="{sort}"/></structure></type>'
    initial = f"<hlinitialMarking><structure>{marking}</structure></hlinitialMarking>" if marking else ""
    return f'<place id="{name}"><name><text>{name}</text></name>{kind}{initial}</place>\n'


def transition(name: str, condition: str = "") -> str:
    guard = f"<condition><structure>{condition}</structure></condition>" if condition else ""
    return f'<transition id="{name}">{guard}</transition>\n'


def arc(source: str, target: str, inscription: str) -> str:
    key, inside = f"{source}-{target}", f"<structure>{inscription}</structure>"
    return f'<arc id="{key}" source="{source}" target="{target}"><hlinscription>{inside}</hlinscription></arc>\n'


DECLARED = """<declaration><structure><declarations>
<namedsort id="dot" name="dot"><dot/></namedsort>
<namedsort id="pair" name="Seat * State"><productsort>
  <usersort declaration="phil"/><usersort declaration="mood"/></productsort></namedsort>
<namedsort id="phil" name="Seat"><cyclicenumeration>
  <feconstant id="s1" name="1"/><feconstant id="s2" name="2"/>
  <feconstant id="s3" name="3"/></cyclicenumeration></namedsort>
<namedsort id="mood" name="Mood"><finiteenumeration>
  <feconstant id="m1" name="calm"/><feconstant id="m2" name="hungry"/></finiteenumeration></namedsort>
<variabledecl id="vx" name="x"><usersort declaration="phil"/></variabledecl>
<variabledecl id="vy" name="y"><usersort declaration="phil"/></variabledecl>
</declarations></structure></declaration>
"""


def document(*parts: str, declared: str = DECLARED) -> str:
    start = '<pnml><net id="table" type="http://www.pnml.org/version-2009/grammar/symmetricnet">'
    return f'{start}{declared}<page id="g">\n{"".join(parts)}</page></net></pnml>\n'


def pair(seat: str, mood: str) -> str:
    return many("tuple", seat, mood)


def constant(name: str) -> str:
    return f'<useroperator declaration="{name}"/>'


_HUNGRY = pair(constant("s1"), constant("m2"))
_CALM = pair(constant("s2"), constant("m1"))
_LOW = many("lessthan", variable("vx"), constant("s3"))

TABLE = document(
    place("Who", "pair", many("add", one(_HUNGRY), one(_CALM, 2))),
    place("Fork", "phil", one(ALL)),
    place("Bell", "dot", one(DOT, 3)),
    place("Told", "phil"),
    transition("eat", many("and", many("inequality", variable("vx"), constant("s3")), _LOW)),
    arc("Who", "eat", one(pair(variable("vx"), constant("m2")))),
    arc("Fork", "eat", many("add", one(variable("vx")), one(many("successor", variable("vx"))))),
    arc("Bell", "eat", one(DOT, 2)),
    arc("eat", "Fork", many("add", one(variable("vx")), one(many("predecessor", variable("vx"))))),
    arc("eat", "Told", many("subtract", one(ALL), one(variable("vx")))),
    transition("hear"),
    arc("Told", "hear", many("subtract", one(ALL), one(variable("vy")))),
    arc("hear", "Who", one(pair(variable("vy"), constant("m1")), 2)),
)  # fmt: skip
