"""Explains what is right in another language or tool, and wrong here: one function for each such mistake.

`slips` calls them before its own explanations, because they know better what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from petri.catalogue.operations import DISTRIBUTIONS, FUNCTIONS
from petri.catalogue.words import CLAUSES, FORMS, clauses_of
from petri.diagnostics import Diagnostic, did_you_mean
from petri.language.syntax.case import CLAUSE_WORDS, PAIRS, Case
from petri.language.syntax.lexer import Token, span_of

_LOOPED = ("transition", "thread", "instance", "measure")  # their arrays have a variable
_WITH_ARCS = ("take", "hold", "use", "give", "for", "unless")  # steps
_OF_TRANSITIONS = frozenset(clause.word for clause in clauses_of("transition"))
_OTHERS = ("in", "net", "time", "run", "expect", "import", "wait", *_WITH_ARCS)
_WITH_VALUE = frozenset((*_OTHERS, *(word for word, clause in CLAUSES.items() if not clause.bare and word.isalpha())))
_LATER = (clause.word for kind in ("place", "run", "measure") for clause in clauses_of(kind) if clause.word.isalpha())
_ENDING = (_OF_TRANSITIONS | {"->", *_LATER}) - {"if"}
_CHOOSING = frozenset(word for word, form in FORMS.items() if form.startswith(f"{word} least"))
_REVERSED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_CONDITION = frozenset((*_REVERSED, "==", "!=", "and", "or", "not", "(", ".", "true", "false"))
_CHANGES = {"++": "+ 1", "--": "- 1", "+=": "+", "-=": "-", "*=": "*", "/=": "/", ":=": "", "=": ""}
_CLAUSES_MEANT = {
    **dict.fromkeys(
        ("preempt", "preemptive", "preemptable", "interruptible", "interrupt"),
        "`after …  resume` for work that another transition may interrupt: `takes` holds its tokens to the end",
    ),
    **dict.fromkeys(("nonpreemptive", "uninterruptible"), "nothing: a firing with `takes` is never interrupted"),
    **dict.fromkeys(("immediate", "instant", "urgent"), "nothing: a transition without `takes` is immediate"),
    **dict.fromkeys(("break", "stop", "exit"), "a guard, `when …`; in a thread a loop, `while …`"),
    **dict.fromkeys(("loop", "forever"), "nothing: a transition fires whenever its inputs have tokens"),
    "once": "an input from a place with one token, which it does not give back",
}


def explain_habit(case: Case) -> Diagnostic | None:
    """Return the explanation of a mistake that another language teaches; None of any other mistake."""
    return next((found for habit in _HABITS if (found := habit(case))), None)


# ---------------------------------------------------------------- parts of a declaration


def text_of(tokens: Sequence[Token]) -> str:
    """Return tokens as they were written, with one blank where there was space."""
    parts = [tokens[0].text] if tokens else []
    for before, token in pairwise(tokens):
        apart = token.first or before.end_column != token.column
        parts.append(" " + token.text if apart else token.text)
    return "".join(parts)


def end_of(tokens: Sequence[Token], start: int, stops: str = ",=~") -> int:
    """Return the end of what begins at `start`: a clause, a sign of `stops`, or a bracket that closes another."""
    depth = 0
    for position in range(start, len(tokens)):
        kind = tokens[position].kind
        depth += (kind in PAIRS) - (kind in PAIRS.values())
        if depth < 0 or (depth == 0 and position > start and (kind in stops or kind in _ENDING)):
            return position
    return len(tokens)


def _arrow(case: Case) -> int | None:
    return next((n for n, token in enumerate(case.tokens) if token.kind == "->"), None)


def _in_outputs(case: Case) -> bool:
    """Return whether the mistake is behind the `->` of a transition, before its first clause."""
    arrow = _arrow(case)
    if case.word != "transition" or arrow is None or arrow >= case.position:
        return False
    return not any(token.kind in _OF_TRANSITIONS for token in case.tokens[arrow : case.position])


def _in_inputs(case: Case) -> bool:
    arrow = _arrow(case)
    colon = any(token.kind == ":" for token in case.tokens[: case.position])
    return case.word == "transition" and colon and (arrow is None or case.position < arrow)


# ---------------------------------------------------------------- clauses, and what is behind a name


def _behind_name(case: Case) -> Diagnostic | None:
    """`serve[j.size > 4]: …`, a guard of CPN Tools, and `serve[4]`, an array without a variable."""
    if case.word not in _LOOPED or len(case.tokens) < 4 or case.tokens[2].kind not in ("[", "("):
        return None
    end = end_of(case.tokens, 3, "")
    inside = case.tokens[3:end]
    if not inside or not 2 <= case.position <= end or any(token.kind == "in" for token in inside):
        return None
    span, text = span_of(inside[0], inside[-1], case.path), text_of(inside)
    wanted = f"0..{_one_less(text)}" if text.isdigit() else text if ".." in text else range_meant(text)
    if wanted is None and any(token.kind in _CONDITION for token in inside):
        return case.tell("guard-in-brackets", span=span, guard=text) if case.word == "transition" else None
    if case.tokens[2].kind == "(":
        return None
    named = re.fullmatch(r"(\w+)(?: ?[:=] ?(.+))?", text) if inside[0].kind == "NAME" else None
    variable, wanted = (named[1], named[2]) if named else ("i", wanted)
    form = f"{case.word} {case.tokens[1].text}[{variable} in {wanted or '0..3'}]"
    guard = text if variable == text and case.word == "transition" else None
    return case.tell("index-without-name", span=span, form=form, guard=guard)


def _too_early(case: Case) -> Diagnostic | None:
    """`serve when x > 4: a(x) -> b(x)`, `serve: a(x) when x > 4 -> b(x)`"""
    arrow = _arrow(case)
    if case.word != "transition" or case.kind not in _OF_TRANSITIONS or case.open_brackets():
        return None
    if arrow is None or arrow < case.position:
        return None
    clause = text_of(case.tokens[case.position : end_of(case.tokens, case.position, ",:")])
    return case.tell("clause-too-early", word=case.kind, name=case.tokens[1].text, clause=clause)


def _second_brackets(case: Case) -> Diagnostic | None:
    """`t[i in 0..3][j in 0..3]`"""
    if case.word not in _LOOPED or case.kind != "[" or case.before.kind != "]" or case.tokens[2].kind != "[":
        return None
    loops = [
        text_of(case.tokens[3 : case.position - 1]),
        text_of(case.tokens[case.position + 1 : end_of(case.tokens, case.position + 1, "")]),
    ]
    name = case.tokens[1].text
    return case.tell("two-brackets", name=name, form=f"{case.word} {name}[{', '.join(loops)}]")


def _loop_elsewhere(case: Case) -> Diagnostic | None:
    """`transition t: p[i] -> q[i]  for i in 0..3`"""
    if case.word not in _LOOPED or case.kind != "for" or case.position < 2:
        return None
    loop = case.tokens[case.position + 1 : end_of(case.tokens, case.position + 1, ":")]
    written = text_of(loop) if [token.kind for token in loop[:2]] == ["NAME", "in"] else "i in 0..3"
    return case.tell("loop-elsewhere", form=f"{case.word} {case.tokens[1].text}[{written}]")


def _sign_after_word(case: Case) -> Diagnostic | None:
    """`priority = 2`, `weight: 3`, `time: ms`"""
    word = case.before
    known = word.kind == word.text or (word.text == case.word and case.position == 1)  # the word of a step is a name
    if case.kind not in ("=", ":") or word.text not in _WITH_VALUE or not known:
        return None
    return sign_after_word(case, word)


def sign_after_word(case: Case, word: Token) -> Diagnostic:
    """Say how the clause or declaration is written, where a sign follows its word."""
    last = case.position + (case.kind == ":" and case.after == "=")
    rest = case.tokens[last + 1 : end_of(case.tokens, last + 1, "" if word.text in ("draw", "let") else ",=")]
    span = span_of(case.tokens[case.position], case.tokens[last], case.path)
    sign = text_of(case.tokens[case.position : last + 1])
    form = f"{word.text} {text_of(rest)}" if rest else FORMS.get(word.text)
    return case.tell("sign-after-word", span=span, sign=sign, word=word.text, form=form)


def _comma_before_clause(case: Case) -> Diagnostic | None:
    """Explain `takes 3 us, priority 2`"""
    if case.kind != "," or case.open_brackets() or case.after not in CLAUSE_WORDS & case.expected:
        return None
    return case.tell("comma-before-clause", word=case.after)


def _word_of_transition(case: Case) -> Diagnostic | None:
    """Explain `takes 3 us preempt`; in `takes 3 preempt -> b`, the word was read as a unit."""
    unit = case.before if case.position > 2 and case.tokens[case.position - 2].kind == "NUMBER" else None
    token = next((one for one in (case.found, unit) if one is not None and one.text in _CLAUSES_MEANT), None)
    if case.word != "transition" or token is None:
        return None
    span = span_of(token, token, case.path)
    return case.tell("unknown-clause", span=span, found=token.text, instead=_CLAUSES_MEANT[token.text])


def _preference_without_word(case: Case) -> Diagnostic | None:
    """`prefer (p.class, p.born)`, `prefer p.born`"""
    at = next((n for n in (case.position - 1, case.position - 2) if n > 0 and case.tokens[n].kind in _CHOOSING), None)
    if at is None or at + 1 == len(case.tokens) or case.tokens[at + 1].text in ("least", "most"):
        return None
    key = case.tokens[at + 1 : end_of(case.tokens, at + 1, "")]
    return case.tell("preference-form", span=span_of(key[0], key[-1], case.path), key=text_of(key)) if key else None


# ---------------------------------------------------------------- arcs


def _joined(case: Case) -> Diagnostic | None:
    """Explain `a & b -> c`, `a and b -> c`, `a ++ b -> c`"""
    if case.open_brackets() or not (_in_inputs(case) or _in_outputs(case) or case.word in _WITH_ARCS):
        return None
    first = case.found
    if case.kind == "+" and case.before.kind == "+" and case.after == "NAME":
        first = case.before
    elif case.kind != "and" or "," not in case.expected:
        return None
    assert first is not None
    return case.tell("arcs-joined", span=span_of(first, case.tokens[case.position], case.path))


def _in_brackets(case: Case) -> Diagnostic | None:
    """Explain `{a, b} -> c`, `(a, b) -> c`"""
    opened = next(iter(case.open_brackets()), case.found)
    if not (_in_inputs(case) or _in_outputs(case)) or opened is None or opened.kind not in ("{", "("):
        return None
    start = case.tokens.index(opened)
    end = end_of(case.tokens, start + 1, "")
    if case.tokens[start - 1].kind not in (":", "->") or end in (start + 1, len(case.tokens)):
        return None
    if opened is not case.found and (case.kind != "," or len(case.open_brackets()) > 1):
        return None
    span = span_of(opened, case.tokens[end], case.path)
    return case.tell("arcs-in-brackets", span=span, arcs=text_of(case.tokens[start + 1 : end]))


def _probability(case: Case) -> Diagnostic | None:
    """`-> 0.3: a, 0.7: b`, `-> a: 0.3, b: 0.7`, `-> a | b`; `src, 0.3: a, 0.7: b`, with no arrow at all"""
    if case.open_brackets():
        return None
    if _in_inputs(case) and _arrow(case) is None and case.kind == ":" and case.before.kind == "NUMBER":
        weights = _weights(case)
        return case.tell("output-chosen", sign=":", first=weights[0], second=(*weights, "1")[1])
    if _in_inputs(case) and case.kind in ("|", "or") and "," in case.expected:
        return case.tell("input-chosen", sign=case.kind)
    if not _in_outputs(case):
        return None
    if case.kind in ("|", "or"):
        return case.tell("output-chosen", sign=case.kind, first="1", second="1")
    sign = case.before.kind if case.before.kind == "with" else case.kind
    weights = _weights(case) if sign in (":", "with") else []
    return case.tell("output-chosen", sign=sign, first=weights[0], second=(*weights, "1")[1]) if weights else None


def _weights(case: Case) -> list[str]:
    """Return the numbers that are written before or behind the outputs, with a `:` or `with` between."""
    start = (_arrow(case) or 0) + 1
    end = next((n for n in range(start, len(case.tokens)) if case.tokens[n].kind in _OF_TRANSITIONS), len(case.tokens))
    text = text_of(case.tokens[start:end])
    number = r"[\d.]+%?(?: ?/ ?[\d.]+)?"
    return re.findall(rf"(?<![\w.])({number}) ?:", text) or re.findall(rf"(?::|with) ?({number})(?= ?(?:,|$))", text)


def _changed(case: Case) -> Diagnostic | None:
    """`c(n++)`, `c(n += 1)`, `c(n = n + 1)`, `c(n), n += 1`"""
    arrow = _arrow(case)
    if case.word != "transition" or arrow is None or case.position <= arrow:
        return None
    for at in range(max(case.position - 2, arrow + 2), min(case.position + 2, len(case.tokens))):
        signs = case.tokens[at : at + 2]
        double = len(signs) == 2 and signs[0].end_column == signs[1].column and text_of(signs) in _CHANGES
        sign = text_of(signs if double else signs[:1])
        if sign in _CHANGES and (double or _assigns(case, at)):
            return _replaced(case, at, sign)
    return None


def _assigns(case: Case, at: int) -> bool:
    """Return whether the `=` at a position sets a value: among outputs, or where the name before it recurs."""
    name, bracket = case.tokens[at - 1], next(iter(case.open_brackets()[-1:]), None)
    if at != case.position or name.kind != "NAME" or (bracket is not None and bracket.kind != "("):
        return False
    rest = case.tokens[at + 1 : end_of(case.tokens, at + 1)]
    return (bracket is None and _in_outputs(case)) or any(token.text == name.text for token in rest)


def _replaced(case: Case, at: int, sign: str) -> Diagnostic | None:
    """Say how the new token is written, where the sign of a change is at a position."""
    tokens, after = case.tokens, at + len(sign)
    prefix = tokens[at - 1].kind != "NAME"
    name = after if prefix else at - 1
    end = after if sign in ("++", "--") else end_of(tokens, after)
    if name >= len(tokens) or tokens[name].kind != "NAME" or (end == after and sign not in ("++", "--")):
        return None
    variable, field = tokens[name].text, None
    begin = min(name, at)
    if tokens[name - 1].kind == ".":
        variable, field, begin = tokens[name - 2].text, variable, name - 2
    old = variable if field is None else f"{variable}.{field}"
    new = " ".join(filter(None, (old if _CHANGES[sign] else "", _CHANGES[sign], text_of(tokens[after:end]))))
    value = new if field is None else f"{variable} with {{{field}: {new}}}"
    span = span_of(tokens[begin], tokens[name if prefix else end - 1], case.path)
    return case.tell("token-changed", span=span, form=f"{_place_with(case, variable)}({value})")


def _place_with(case: Case, variable: str) -> str:
    """Return a place to which the transition gives a token with this variable."""
    tokens = case.tokens[_arrow(case) or 0 :]
    for place, (bracket, inner) in zip(tokens, pairwise(tokens[1:]), strict=False):
        if place.kind == "NAME" and bracket.kind == "(" and inner.text in (variable, "+", "-"):
            return place.text
    return "place"


def _misspelt(case: Case, rest: Sequence[Token]) -> bool:
    """`takse (s + 1) / 1 Gbps`"""
    words = sorted(case.expected & set(CLAUSE_WORDS))
    return rest[1].kind == "(" and rest[0].text not in FUNCTIONS and did_you_mean(rest[0].text, words) is not None


def _time_behind_outputs(case: Case) -> Diagnostic | None:
    """`-> line p.size / 1 Gbps`, `-> line min(d, 3 us)`, `-> line: 3 us`"""
    if not _in_outputs(case) or "takes" not in case.expected or case.open_brackets():
        return None
    colon = case.kind == ":" and case.after in ("NUMBER", "NAME") and case.before.kind != "NUMBER"
    start = case.position + colon
    if not colon and (case.kind not in ("NAME", "NUMBER", "(") or case.before.kind in ("->", ",")):
        return None
    rest = case.tokens[start : end_of(case.tokens, start)]
    kinds = {token.kind for token in rest}
    if case.kind == "NAME" and rest[1:] and (rest[1].kind in ("NAME", "NUMBER") or _misspelt(case, rest)):
        return None  # `takse s / 1 Gbps`
    calculates = not kinds.isdisjoint("/*+-") and kinds.isdisjoint("={")
    called = len(rest) > 1 and rest[1].kind == "(" and rest[0].text in (*DISTRIBUTIONS, *FUNCTIONS)
    alone = len(rest) == 1 and rest[0].text in ("delay", "duration", "timeout")  # words of other languages for clauses
    if not (calculates or called or colon or alone or case.kind == "NUMBER"):
        return None
    return case.tell("missing-takes", time=text_of(rest))


# ---------------------------------------------------------------- steps


def _colon_of_block(case: Case) -> Diagnostic | None:
    """`while n > 0:`, `repeat 3:`, `if n > 0:`"""
    if case.kind != ":" or case.word not in ("while", "repeat", "if", "elif") or case.open_brackets():
        return None
    then = "then" if case.word in ("if", "elif") else None
    return case.tell("colon-of-block", word=case.word, then=then, without=None if then else case.word)


def _set_changed(case: Case) -> Diagnostic | None:
    """`set n += 1`, `set n++`, `set n = n++`"""
    if case.word != "set" or len(case.tokens) < 3 or case.kind not in ("+", "-", "*", "/"):
        return None
    name = case.tokens[1].text
    at = case.position if case.expected == {"="} else case.position - 1
    sign, rest = (
        text_of(case.tokens[at : at + 2]),
        [token for token in case.tokens[at + 2 :] if token.line == case.before.line],
    )
    if sign not in _CHANGES:
        return None
    value = " ".join(filter(None, (name, _CHANGES[sign], text_of(rest))))
    return case.tell(
        "set-changed", span=span_of(case.tokens[at], case.tokens[at + 1], case.path), name=name, value=value
    )


# ---------------------------------------------------------------- expressions and expectations


def _elif(case: Case) -> Diagnostic | None:
    """`if a then 1 elif b then 2 else 3`"""
    if case.word in ("if", "elif") or not any(token.kind == "then" for token in case.tokens[: case.position]):
        return None
    for token in (case.found, case.before):
        if token is not None and token.text in ("elif", "elsif", "elseif"):
            return case.tell("elif-in-expression", span=span_of(token, token, case.path), found=token.text)
    return None


def _two_bounds(case: Case) -> Diagnostic | None:
    """`expect 70% < u < 80%`, `expect u > 70% and u < 80%`, `expect u in 70%..80%`"""
    if case.word != "expect" or case.kind not in (*_REVERSED, "and", "in"):
        return None
    before, after = case.tokens[1 : case.position], text_of(case.tokens[case.position + 1 :])
    signs, text = [token.kind for token in before if token.kind in _REVERSED], text_of(before)
    if case.kind == "in":
        low, _, high = after.partition("..")
        return _two_expectations(case, f"{text} >= {low}", f"{text} <= {high}") if high and not signs else None
    if len(signs) != 1:
        return None
    if case.kind == "and":
        return _two_expectations(case, text, after)
    low, measured = (part.strip() for part in text.split(signs[0], 1))
    return _two_expectations(case, f"{measured} {_REVERSED[signs[0]]} {low}", f"{measured} {case.kind} {after}")


def _two_expectations(case: Case, first: str, second: str) -> Diagnostic:
    return case.tell("expect-two", first=f"expect {first}", second=f"expect {second}")


# ---------------------------------------------------------------- ranges and types


def range_meant(text: str) -> str | None:
    """Return what a range of another language is here:

    `0..3` for `range(4)`, `range(0, 4)`, `0..<4` and `0:3`; else None.
    """
    plain = re.sub(r" ?([][(){},:<]|\.\.+) ?", r"\1", text)
    if found := re.fullmatch(r"range\((?:(.+?),)?(.+)\)|(\w+)\.\.<(\w+)", plain):
        return f"{found[1] or found[3] or 0}..{_one_less(found[2] or found[4])}"
    if found := re.fullmatch(r"(\w+)(?: to |:|\.\.\.)(\w+)", plain) or re.fullmatch(
        r"[\[({](\w+)\.\.(\w+)[\])}]", plain
    ):
        return f"{found[1]}..{found[2]}"
    if found := re.fullmatch(r"[\[({](-?\d+(?:,-?\d+)+)[\])}]", plain):
        numbers = [int(number) for number in found[1].split(",")]
        successive = all(b == a + 1 for a, b in pairwise(numbers))
        return f"{numbers[0]}..{numbers[-1]}" if successive or len(numbers) == 2 else None
    return None


def _one_less(text: str) -> str:
    return str(int(text) - 1) if text.isdigit() else f"{text}-1"


def _range(case: Case) -> Diagnostic | None:
    """`i in range(4)`, `i in 4`, `0:3`, `0..<4`, `in [0..1]`, and the type `range(4)`"""
    for start in _range_starts(case):
        end = end_of(case.tokens, start + 1)
        written = case.tokens[start + 1 : end]
        text = text_of(written)
        looped = case.tokens[start].kind == "in" and case.word in _LOOPED and text.isdigit()
        meant = f"0..{_one_less(text)}" if looped else range_meant(text)
        if start < case.position <= end and meant not in (None, text):
            return case.tell("range-form", span=span_of(written[0], written[-1], case.path), range=meant)
    return None


def _range_starts(case: Case) -> list[int]:
    """Return the positions before the mistake behind which a range may be, the last one first."""
    before = [token.kind for token in case.tokens[: case.position]]
    starts = [n for n, kind in enumerate(before) if kind == "in"]
    if case.word in ("place", "port", "service", "param", "type"):
        starts += [n for n, kind in enumerate(before) if n > 1 and kind in ("[", ":", "=")][:1]
    return starts[::-1]


def _initial_in_brackets(case: Case) -> Diagnostic | None:
    """`place p : int = {1, 2, 3}`, `= (1, 2, 3)`"""
    opened = next(iter(case.open_brackets()), None)
    if case.word != "place" or opened is None or opened.kind == "[":
        return None
    start = case.tokens.index(opened)
    end = end_of(case.tokens, start + 1, "")
    inside = case.tokens[start + 1 : end]
    if case.tokens[start - 1].kind != "=" or not inside or end == len(case.tokens):
        return None
    if any(token.kind in (":", "=") for token in inside):
        return None
    return case.tell("initial-in-brackets", span=span_of(opened, case.tokens[end], case.path), tokens=text_of(inside))


def _loop_without_in(case: Case) -> Diagnostic | None:
    """`t[i = 0..3]`, `for i: 0..3`, `for i from 0 to 3`"""
    if case.expected != {"in"} or case.kind not in ("=", ":", "from", "<"):
        return None
    return case.tell("loop-without-in", name=case.before.text)


def _type_of_place(case: Case) -> Diagnostic | None:
    """`place p : int[]`, `int list`, `{red, green}`, `int in 0..3`"""
    if case.word not in ("place", "port", "param", "type"):
        return None
    sign = ":" if case.word != "type" else "="
    start = next((n + 1 for n, token in enumerate(case.tokens[: case.position]) if token.kind == sign), 0)
    end = end_of(case.tokens, start)
    if not 0 < start < case.position <= end:
        return None
    text, span = text_of(case.tokens[start:end]), span_of(case.tokens[start], case.tokens[end - 1], case.path)
    if found := re.fullmatch(r"(?:int|real|integer|float) ?(?:\(|in |)(\S+\.\.[^)]+)\)?", text):
        return case.tell("type-of-range", span=span, range=found[1])
    if found := re.fullmatch(r"(?:enum ?)?[({] ?(\w+(?: ?[,|] ?\w+)+) ?[)}]|(\"\w+\"(?: ?\| ?\"\w+\")+)", text):
        names = re.split(r" ?[,|] ?", (found[1] or found[2]).replace('"', ""))
        return case.tell("type-of-names", span=span, names=" | ".join(names))
    if re.search(r"\[\]|\b[Ll]ist\b|<\w+>", text):
        element = next((word for word in re.findall(r"\w+", text) if word.lower() not in ("list", "array")), "int")
        return case.tell("type-of-list", span=span, element=element)
    return None


_HABITS: tuple[Callable[[Case], Diagnostic | None], ...] = (
    _behind_name,
    _too_early,
    _second_brackets,
    _loop_elsewhere,
    _sign_after_word,
    _comma_before_clause,
    _word_of_transition,
    _preference_without_word,
    _elif,
    _two_bounds,
    _range,
    _initial_in_brackets,
    _loop_without_in,
    _type_of_place,
    _joined,
    _in_brackets,
    _probability,
    _changed,
    _set_changed,
    _colon_of_block,
    _time_behind_outputs,
)
