"""Places and transitions that differ in one index become arrays: `p1`, `p2`, `p3` is `place p[1..3]`.

Places are a family if their names have consecutive numbers; transitions are one if their names have, or if only the
numbers of their places differ. A family is folded if all its members are instances of one text: at each word of it
they have equal words, or members of the same family or whole numbers that follow the index, as `i`, `i + 1` or
`i mod 3 + 1` do. What does not fit stays as it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final, TypeVar

from petri.interchange.reading.foreign import Foreign, Place, Transition

Named = TypeVar("Named", Place, Transition)
_FEWEST: Final = 3  # members; two agree in too much by chance, unless the file itself makes one from the other
_MOST_ROUNDS: Final = 8  # in which families are given up
MOST_ARCS: Final = 100_000  # nobody reads a text that is longer, which would take minutes
_MOST_WAYS: Final = 8  # in which transitions of equal form are numbered
_MOST_NAMES: Final = 16  # in the comment of a family
_NUMBER: Final = re.compile(r"(?<!\d)(?:0|[1-9]\d{0,5})(?!\d)")
_WORD: Final = re.compile(r"\s+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\w*|\w+|.", re.DOTALL)
_FIXED: Final = ("priority", "servers")  # clauses that are numbers of their own, equal in all members


@dataclass(slots=True, eq=False)
class _Family:
    """Names by index, the least first. name: that of the array, `stem` until the family is known to be folded."""

    stem: str
    members: dict[int, str]
    name: str = ""

    @property
    def range(self) -> str:
        return f"{min(self.members)}..{max(self.members)}"

    @property
    def first(self) -> str:
        return next(iter(self.members.values()))


At = Mapping[str, tuple[_Family, int]]  # the family and index of a name


@dataclass(slots=True)
class _Folded:
    """The text of all members of a family of transitions. used: the indices of the places in it that vary."""

    family: _Family
    transition: Transition
    used: dict[_Family, set[int]]


def fold(net: Foreign) -> dict[str, str]:
    """Fold the families of a net, in place. Returns the new names of what is now in an array, by the old ones."""
    found = _families_that_fit(net)
    if found is None:
        return {}
    places, transitions = found
    families = [*places, *(transition.family for transition in transitions)]
    for family in families:
        family.name = family.stem if family.stem in family.members.values() else net.names.array(family.stem)
    index = _unused_index(net)
    _fold_places(net, places, index)
    _fold_transitions(net, transitions, _at(places), index)
    at = _at(families)
    net.measures = [_renamed(measure, at) for measure in net.measures]
    return {name: _renamed(name, at) for name in at}


def _families_that_fit(net: Foreign) -> tuple[list[_Family], list[_Folded]] | None:
    """Return the families of places that transitions use with an index, and these; None if there are none."""
    if sum(len(transition.inputs) + len(transition.outputs) for transition in net.transitions) > MOST_ARCS:
        return None
    types = " ".join([*(one.definition for one in net.types), *(place.type for place in net.places)])
    fields = set(_WORD.findall(types))  # their names need not differ from those of places
    by_name = {place.name: place for place in net.places if place.name not in fields}
    places = [
        family
        for family in _disjoint(_numbered(list(by_name), net.copies))
        if _place([by_name[name] for name in family.members.values()], list(family.members), family, "i") is not None
    ]
    touched = _touched(net.transitions, _at(places))
    for _ in range(_MOST_ROUNDS):
        if not places:
            return None
        folded = _transitions(net, _at(places))
        fit = [family for family in places if _fits(family, folded, touched[family])]
        if len(fit) == len(places):
            return places, folded
        places = fit
    return None


def _touched(transitions: Sequence[Transition], at: At) -> Counter[_Family]:
    """Return how many transitions each family is in."""
    count = Counter[_Family]()
    for transition in transitions:
        text = " ".join((*transition.inputs, *transition.outputs, *transition.clauses.values()))
        count.update({at[word][0] for word in _WORD.findall(text) if word in at})
    return count


def _fits(family: _Family, folded: Sequence[_Folded], touched: int) -> bool:
    """Return whether arrays of transitions go over all members, and more than half of the transitions with one are in
    these.

    If most transitions name single members, `x[1]` reads no better than `x1`.
    """
    over = [one for one in folded if family in one.used]
    reached = set[int]().union(*(one.used[family] for one in over))
    return reached == family.members.keys() and 2 * sum(len(one.family.members) for one in over) > touched


# ---------------------------------------------------------------- families by names


def _numbered(names: Sequence[str], copies: Set[str]) -> Iterator[_Family]:
    """Yield the families of names that differ in one number, the largest first."""
    groups: dict[tuple[int, str, str], dict[int, str]] = {}
    for name in names:
        for position, found in enumerate(_NUMBER.finditer(name)):
            groups.setdefault((position, name[: found.start()], name[found.end() :]), {})[int(found[0])] = name
    whole = [one for one in groups.items() if _whole(one[1], copies)]
    for (_, before, after), members in sorted(whole, key=lambda one: (-len(one[1]), one[0][0])):
        stem = "_".join(filter(None, (before.strip("_"), after.strip("_"))))
        yield _Family(stem, dict(sorted(members.items())))


def _whole(members: Mapping[int, str], copies: Set[str]) -> bool:
    """Return whether the indices are consecutive, and the members enough: two, if the file makes one from the other."""
    enough = len(members) >= _FEWEST or (len(members) == 2 and set(members.values()) <= copies)
    return enough and max(members) - min(members) == len(members) - 1


def _disjoint(families: Iterable[_Family]) -> list[_Family]:
    taken, found = set[str](), list[_Family]()
    for family in families:
        if taken.isdisjoint(family.members.values()):
            taken.update(family.members.values())
            found.append(family)
    return found


def _at(families: Iterable[_Family]) -> dict[str, tuple[_Family, int]]:
    return {name: (family, index) for family in families for index, name in family.members.items()}


# ---------------------------------------------------------------- places


def _place(places: Sequence[Place], indices: Sequence[int], family: _Family, index: str) -> Place | None:
    """Return the declaration of the array of some places; None if they differ in more than the index."""
    if len({(place.type, place.discipline) for place in places}) > 1:
        return None
    initial = _unified([place.initial for place in places], indices, {}, index)
    capacity = _unified([place.capacity for place in places], indices, {}, index)
    if initial is None or capacity is None:
        return None
    varies = len({(place.initial, place.capacity) for place in places}) > 1
    name = f"{family.name or family.stem}[{f'{index} in ' if varies else ''}{family.range}]"
    return Place(
        name, places[0].type, initial[0], places[0].discipline, capacity[0], _doc([place.doc for place in places])
    )


def _fold_places(net: Foreign, families: Sequence[_Family], index: str) -> None:
    by_name = {place.name: place for place in net.places}

    def array(family: _Family) -> Place:
        made = _place([by_name[name] for name in family.members.values()], list(family.members), family, index)
        assert made is not None, "it was made before"
        made.doc = "\n".join(filter(None, (_originals(net, family), made.doc)))
        return made

    net.places = list(_replaced(net.places, {family: array(family) for family in families}, lambda one: one))


# ---------------------------------------------------------------- transitions


def _transitions(net: Foreign, at: At, index: str = "i") -> list[_Folded]:
    """Return the families of transitions with one text: those of numbered names, then those of equal form."""
    forms = {transition.name: _Form.of(transition, at) for transition in net.transitions}
    found: list[_Folded] = []
    taken: set[str] = set()
    for family in _numbered(list(forms), net.copies):
        if taken.isdisjoint(family.members.values()) and (one := _transition(family, forms, at, index)) is not None:
            found.append(one)
            taken.update(family.members.values())
    for ways in _of_equal_form([form for name, form in forms.items() if name not in taken], net.copies):
        choices = [one for one in (_transition(way, forms, at, index) for way in ways) if one is not None]
        if choices:
            found.append(min(choices, key=lambda one: len(repr(one.transition))))
    return found


@dataclass(slots=True)
class _Form:
    """A transition as texts in the order in which those of other members come. skeleton: these without any numbers."""

    transition: Transition
    texts: list[str]
    skeleton: tuple[str, ...]
    places: list[tuple[int, int]]  # the index of each member of a family in the texts, after the place of its text

    @classmethod
    def of(cls, transition: Transition, at: At) -> _Form:
        clauses = [f"{word} {value}" for word, value in sorted(transition.clauses.items())]
        ordered = [*_ordered(transition.inputs, at), "->", *_ordered(transition.outputs, at), *clauses]
        places = [(n, at[word][1]) for n, text in enumerate(ordered) for word in _WORD.findall(text) if word in at]
        return cls(transition, ordered, tuple(_skeleton(text, at) for text in ordered), places)


def _ordered(arcs: Sequence[str], at: At) -> list[str]:
    """Arcs of black tokens have no order; they are sorted by what they have in common with other members."""
    if any("(" in arc for arc in arcs):
        return list(arcs)
    return sorted(arcs, key=lambda arc: _skeleton(arc, at))


def _skeleton(text: str, at: At) -> str:
    words = (
        f"{at[word][0].first}[]" if word in at else "#" if word.isdigit() else word for word in _WORD.findall(text)
    )
    return "".join(words)


def _of_equal_form(forms: Sequence[_Form], copies: Set[str]) -> Iterator[list[_Family]]:
    """Transitions that differ in numbers only, as families in each way to number them by one of their places."""
    groups: dict[tuple[str, ...], list[_Form]] = {}
    for form in forms:
        groups.setdefault(form.skeleton, []).append(form)
    for group in groups.values():
        ways = []
        for which in range(min(len(group[0].places), _MOST_WAYS)):
            members = {form.places[which][1]: form.transition.name for form in group}
            if len(members) == len(group) and _whole(members, copies):
                ways.append(_Family(group[0].transition.name, dict(sorted(members.items()))))
        yield ways


def _transition(family: _Family, forms: Mapping[str, _Form], at: At, index: str) -> _Folded | None:
    """Return the text of all members, if there is one and the index is in it."""
    members = [forms[name] for name in family.members.values()]
    if len({form.skeleton for form in members}) > 1:
        return None
    indices, used = list(family.members), dict[_Family, set[int]]()
    columns = [_by_offset(form, index_, len(indices), at) for form, index_ in zip(members, indices, strict=True)]
    texts: list[str] = []
    for column in zip(*columns, strict=True):
        if column[0].partition(" ")[0] in _FIXED and len(set(column)) > 1:
            return None
        made = _unified(column, indices, at, index)
        if made is None:
            return None
        texts.append(made[0])
        for other, seen in made[1].items():
            used.setdefault(other, set()).update(seen)
    if not used:
        return None
    first = members[0].transition
    arrow = texts.index("->")
    end = arrow + 1 + len(first.outputs)
    made_of = Transition(
        f"{family.name or family.stem}[{index} in {family.range}]",
        _in_order_of(first.inputs, columns[0][:arrow], texts[:arrow]),
        _in_order_of(first.outputs, columns[0][arrow + 1 : end], texts[arrow + 1 : end]),
        dict(text.split(" ", 1) for text in texts[end:]),
        _doc([form.transition.doc for form in members]),
    )
    return _Folded(family, made_of, used)


def _in_order_of(arcs: Sequence[str], sorted_arcs: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Return the texts of arcs that were sorted, in the order in which the first member has them."""
    order = {arc: number for number, arc in enumerate(arcs)}
    pairs = zip((order[arc] for arc in sorted_arcs), texts, strict=True)
    return [text for _, text in sorted(pairs, key=lambda one: one[0])]


def _by_offset(form: _Form, index: int, count: int, at: At) -> list[str]:
    """Return the texts, in which arcs of equal form are sorted by how far their numbers are from the index."""

    def offsets(text: str) -> list[int]:
        words = _WORD.findall(text)
        numbers = [at[word][1] if word in at else int(word) for word in words if word in at or word.isdigit()]
        return [(number - index) % count for number in numbers]

    arrow = form.texts.index("->")
    ends = (0, arrow), (arrow + 1, arrow + 1 + len(form.transition.outputs))
    texts = list(form.texts)
    for start, end in ends:
        if not any("(" in text for text in texts[start:end]):
            pairs = sorted(
                zip(form.skeleton[start:end], texts[start:end], strict=True), key=lambda p: (p[0], offsets(p[1]))
            )
            texts[start:end] = [text for _, text in pairs]
    return texts


def _fold_transitions(net: Foreign, folded: Sequence[_Folded], at: At, index: str) -> None:
    forms = {transition.name: _Form.of(transition, at) for transition in net.transitions}
    arrays: dict[_Family, Transition] = {}
    for one in folded:
        made = _transition(one.family, forms, at, index)
        assert made is not None, "it was made before"
        made.transition.add_doc(_originals(net, one.family))
        arrays[one.family] = made.transition

    def renamed(one: Transition) -> Transition:
        inputs, outputs = ([_renamed(arc, at) for arc in arcs] for arcs in (one.inputs, one.outputs))
        return Transition(one.name, inputs, outputs, {w: _renamed(v, at) for w, v in one.clauses.items()}, one.doc)

    net.transitions = list(_replaced(net.transitions, arrays, renamed))


# ---------------------------------------------------------------- texts


def _unified(
    texts: Sequence[str], indices: Sequence[int], at: At, index: str
) -> tuple[str, dict[_Family, set[int]]] | None:
    """Return the one text that is each of these at its index, and the indices of places in it that vary;

    None if none is.
    """
    rows = [_WORD.findall(text) for text in texts]
    if len({len(row) for row in rows}) > 1:
        return None
    made, used = list[str](), dict[_Family, set[int]]()
    for position, words in enumerate(zip(*rows, strict=True)):
        members = [at[word] for word in words if word in at]
        numbers = [number for _, number in members]
        if len(members) == len(words) and len({family for family, _ in members}) == 1:
            family = members[0][0]
            said = str(numbers[0]) if len(set(numbers)) == 1 else _following(indices, numbers, index)
            if said is None:
                return None
            if len(set(numbers)) > 1:
                used.setdefault(family, set()).update(numbers)
            made.append(f"{family.name or family.stem}[{said}]")
        elif len(set(words)) == 1:
            made.append(words[0])
        elif not all(_NUMBER.fullmatch(word) for word in words):
            return None
        else:
            said = _following(indices, list(map(int, words)), index)
            if said is None:
                return None
            made.append(said if said == index or _stands_alone(rows[0], position) else f"({said})")
    return "".join(made), used


def _following(indices: Sequence[int], numbers: Sequence[int], index: str) -> str | None:
    """Return the numbers as an expression of the index:

    `i`, `i + 2`, `i mod 5 + 1`; None if they are not one of these.
    """
    shift, count, least = numbers[0] - indices[0], len(indices), min(numbers)
    if all(number - one == shift for one, number in zip(indices, numbers, strict=True)):
        return index if not shift else f"{index} {'+' if shift > 0 else '-'} {abs(shift)}"
    turn = (numbers[0] - least - indices[0]) % count
    if any((one + turn) % count + least != number for one, number in zip(indices, numbers, strict=True)):
        return None
    inner = f"({index} + {turn})" if turn else index
    return f"{inner} mod {count}" + (f" + {least}" if least else "")


def _stands_alone(words: Sequence[str], position: int) -> bool:
    """Return whether a number is a whole argument or index."""
    before = "".join(words[:position]).rstrip()[-1:]
    after = "".join(words[position + 1 :]).lstrip()[:1]
    return before in ("", "(", "[", ",") and after in ("", ")", "]", ",")


def _renamed(text: str, at: At) -> str:
    """Return the text with members by their new names."""
    return "".join(f"{at[word][0].name}[{at[word][1]}]" if word in at else word for word in _WORD.findall(text))


def _unused_index(net: Foreign) -> str:
    texts = [*net.measures, *(f"{constant.name} {constant.value}" for constant in net.constants)]
    texts += [f"{one.name} {one.definition}" for one in net.types]
    texts += [f"{place.name} {place.type} {place.initial} {place.discipline} {place.capacity}" for place in net.places]
    for transition in net.transitions:
        texts += [transition.name, *transition.inputs, *transition.outputs, *transition.clauses.values()]
    words = {word for text in texts for word in _WORD.findall(text)}
    return next((name for name in "ijknm" if name not in words), "") or net.names.fresh("index")


def _doc(docs: Sequence[str]) -> str:
    """Return the comments of members, each once."""
    return "\n".join(dict.fromkeys(filter(None, docs)))


def _originals(net: Foreign, family: _Family) -> str:
    """Return how the file calls the members, where the names of the elements do not say it."""
    names = [net.names.original(name) or name for name in family.members.values()]
    elements = [f"{family.name}[{index}]" for index in family.members]
    if names == elements or (family.stem not in family.members.values() and names == list(family.members.values())):
        return ""
    runs: list[list[str]] = []
    for name in names:
        if runs and _comes_after(runs[-1][-1], name):
            runs[-1].append(name)
        else:
            runs.append([name])
    said = [" … ".join((run[0], run[-1])) if len(run) > 2 else ", ".join(run) for run in runs]
    return ", ".join(said if len(said) <= _MOST_NAMES else [*said[: _MOST_NAMES - 1], "…"])


def _comes_after(before: str, name: str) -> bool:
    """Return whether two names differ by one in their last number: `T3`, `T4`."""
    one, other = (re.fullmatch(r"(.*?)(\d{1,9})(\D*)", text) for text in (before, name))
    if one is None or other is None:
        return False
    return (one[1], int(one[2]) + 1, one[3]) == (other[1], int(other[2]), other[3])


def _replaced(
    items: Sequence[Named], arrays: Mapping[_Family, Named], change: Callable[[Named], Named]
) -> Iterator[Named]:
    """Yield the items with an array for the first member of each family, and without the others."""
    family_of = {name: family for family in arrays for name in family.members.values()}
    done = set[_Family]()
    for item in items:
        family = family_of.get(item.name)
        if family is None:
            yield change(item)
        elif family not in done:
            done.add(family)
            yield arrays[family]
