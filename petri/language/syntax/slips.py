"""Explains why a declaration does not parse: one explanation for each common mistake.

`explain` calls the functions of `_SLIPS` in turn; the first that recognises the mistake explains it. The last one
recognises everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, takewhile

from petri.catalogue.units import UNITS
from petri.catalogue.words import (
    ARC_WORDS,
    CLAUSES,
    DECLARATIONS,
    DECLARING,
    EXAMPLES,
    FORMS,
    RESERVED,
    SOFT,
    SYNONYMS,
    SYNONYMS_OF_ARCS,
    WORDS_FOR_HOLDING,
    clauses_of,
)
from petri.diagnostics import Diagnostic, Label, did_you_mean
from petri.language.syntax.case import CLAUSE_WORDS, PAIRS, Case, shown
from petri.language.syntax.driver import SyntaxFailure
from petri.language.syntax.lexer import Token, span_of
from petri.language.syntax.other_languages import end_of, explain_habit, sign_after_word, text_of
from petri.language.syntax.splitting import OTHER_WORDS, Statement
from petri.language.syntax.tables import END
from petri.net import Span
from petri.structs import replace

_COMPARING = ("<", "<=", ">", ">=", "==", "!=")
_SIGNS = frozenset(("->", "<=", ">=", "==", "!=", ".."))  # of two characters
_OPERATORS = frozenset(
    (*_COMPARING, "+", "-", "*", "/", "div", "mod", "and", "or", "..", "with", ".", "[", "(", "->", "|")
)
_OPERAND_ENDS = frozenset(("NAME", "NUMBER", "STRING", ")", "]", "}", "token", "all", "now", "end", "true", "false"))
_BARE = frozenset(word for word, clause in CLAUSES.items() if clause.bare)
_NAMES = frozenset(("NAME", *SOFT))
_BEGINS = frozenset(("NAME", "NUMBER", "STRING", "{", "token", "now", "(", "-"))
_INPUT_WORDS = tuple(word for word in ARC_WORDS if word not in ("any", "each"))  # which outputs cannot have
_UNITS = frozenset((*UNITS, "cycle", "cycles")) - {"b"}  # nets often declare cycles, and call something b
_TYPES = ("int", "real", "bool", "Time", "Bytes", "Rate", "Freq", "token")


# Errors in a declaration that are repeated wherever its name is used; one is enough.
SPREADING = frozenset(("reserved-name",))
# Explanations that know better than the lexer what a sign of another language was meant to be: `!source` in an arc.
EXPLAINS_SIGNS = frozenset(("inhibitor-not", "name-in-quotes", "arcs-joined", "type-of-names"))


def names_beside(statement: Statement, position: int) -> frozenset[str]:
    """Return the words at a position and before it, and the name of the array in whose index it is."""
    case = Case(statement, position, frozenset(), "")
    words = [case.before.text, case.found.text if case.found else ""]
    for bracket in case.open_brackets()[-1:]:
        words.append(statement.tokens[max(statement.tokens.index(bracket) - 1, 0)].text)
    return frozenset(words)


def explain(statement: Statement, failure: SyntaxFailure, path: str) -> Diagnostic:
    """Return the one diagnostic for a declaration that does not parse."""
    case = Case(statement, failure.position, failure.expected, path)
    if habit := explain_habit(case):
        return habit
    for slip in _SLIPS:
        diagnostic = slip(case)
        if diagnostic:
            return diagnostic
    return _unexpected(case)


# ---------------------------------------------------------------- words


def _not_a_declaration(case: Case) -> Diagnostic | None:
    """Explain a word at the start of a line that starts no declaration, after a complete declaration."""
    token = case.found
    if case.word == "end":
        return case.tell("after-end")
    if case.word == "":
        token = case.tokens[0]
        if token.kind not in _NAMES:
            return case.tell("before-declaration", span=span_of(token, token, case.path), found=shown(token))
    elif not (token and token.kind in _NAMES and token.first and END in case.expected):
        return None
    if token.text == "after" and case.word:
        return None
    if case.after == ":" and case.position + 2 < len(case.tokens) and case.tokens[case.position + 2].kind == "=":
        return case.tell("assignment", span=span_of(token, case.tokens[case.position + 2], case.path), name=token.text)
    if token.text in DECLARING and case.after in ("=", ":"):
        return sign_after_word(replace(case, position=case.position + 1), token)
    words = (*DECLARATIONS, *(kind for kind in case.expected if kind in CLAUSE_WORDS))
    suggestion = _meant(token.text, words)
    span = span_of(token, token, case.path)
    listed = None if suggestion else ", ".join(word for word in DECLARATIONS if word != "end")
    return case.tell("not-a-declaration", span=span, found=token.text, suggestion=suggestion, words=listed)


def _misspelt_unit(case: Case) -> Diagnostic | None:
    """Explain `takes 3 weigth 4`: the clause's word was read as the unit of the number before it."""
    unit = case.before
    if unit.kind != "NAME" or case.tokens[case.position - 2].kind != "NUMBER" or case.kind not in _BEGINS:
        return None
    suggestion = _meant(unit.text, [kind for kind in case.expected if kind in CLAUSE_WORDS])
    if suggestion and not case.wants_value:
        span = span_of(unit, unit, case.path)
        return case.tell("misspelt-clause", span=span, found=unit.text, suggestion=suggestion)
    return None


def _draw_of_value(case: Case) -> Diagnostic | None:
    """`draw m = n + 1`"""
    if case.kind != "=" or case.expected != {"~"} or case.tokens[case.position - 2].kind not in ("draw", ","):
        return None
    return case.tell("draw-equals", name=case.before.text)


def _misspelt_clause(case: Case) -> Diagnostic | None:
    token = case.found
    if not token or (case.before.kind not in _OPERAND_ENDS and case.before.kind not in _BARE):
        return None
    words = [kind for kind in case.expected if kind in CLAUSE_WORDS or kind == "="]
    if token.kind != "NAME" and token.text not in SYNONYMS:
        return None
    suggestion = _meant(token.text, words)
    if suggestion:
        return case.tell("misspelt-clause", found=token.text, suggestion=suggestion)
    if _type_follows(case):
        return None
    if token.text in ("rate", "lambda", "mu") and "after" in words:
        return case.tell("rate-clause", found=token.text)
    if token.kind == "NAME" and "takes" in words and case.after in ("NAME", "NUMBER", "("):
        return case.tell("unknown-clause", found=token.text, words=_words_of("transition"))
    return None


def _late_condition(case: Case) -> Diagnostic | None:
    """`transition t: a(x) -> b(x) if x > 3`, and the same after any clause."""
    if case.word != "transition" or case.kind != "if" or case.wants_value or case.open_brackets():
        return None
    if "->" in case.expected or any(token.kind == "then" for token in case.tokens[case.position :]):
        return None
    return case.tell("condition-late", name=case.tokens[1].text, output=_last_output(case))


def _last_output(case: Case) -> str | None:
    """Return the output that ends here, if no clause follows the outputs yet."""
    before = case.tokens[: case.position]
    kinds = [token.kind for token in before]
    if "->" not in kinds or any(kind in CLAUSE_WORDS for kind in kinds[kinds.index("->") :]):
        return None
    depth, start = 0, len(before)
    while start and (depth or before[start - 1].kind not in (",", "->")):
        start -= 1
        depth += (before[start].kind in PAIRS.values()) - (before[start].kind in PAIRS)
    return "".join(token.text for token in before[start:])


def _meant(word: str, candidates: tuple[str, ...] | list[str]) -> str | None:
    synonym = SYNONYMS.get(word.lower())
    if synonym in candidates or word in OTHER_WORDS:
        return synonym if synonym in candidates else None
    return did_you_mean(word, sorted(candidates))


def _reserved_name(case: Case) -> Diagnostic | None:
    token = case.found
    if not token or token.kind not in RESERVED or "NAME" not in case.expected:
        return None
    closes = case.after in _OPERATORS | {",", ")", "]", "}", "~", ":", "="} and token.kind not in ("if", "not")
    only_name = "NUMBER" not in case.expected and case.after not in ("NAME", "NUMBER", "(")
    if closes or only_name or case.position == 1:
        return case.tell("reserved-name", name=token.text)
    return None


def _missing_name(case: Case) -> Diagnostic | None:
    if case.expected & {"NAME", "NUMBER"} != {"NAME"}:
        return None
    token = case.found
    if token and token.kind == "NUMBER" and case.before.kind != "each":
        together = case.after == "NAME"
        last = case.tokens[case.position + 1] if together else token
        shown = token.text + (last.text if together else "")
        return case.tell("name-begins", span=span_of(token, last, case.path), name=shown)
    if token and token.kind == "STRING":
        return case.tell("name-in-quotes", name=token.text.strip('"'))
    if case.position == 1 and case.word:
        return case.tell("missing-name", word=case.word, form=FORMS.get(case.word))
    return None


# ---------------------------------------------------------------- arrays


def _array_of_places(case: Case) -> Diagnostic | None:
    """`voq[0..3][0..3]`, `voq[i in 0..3]`, `voq[4]`."""
    stack = case.open_brackets()
    inside = bool(stack) and stack[-1].kind == "["
    bracket = case.tokens.index(stack[-1]) if inside else case.position
    array = case.tokens[bracket - 1] if bracket else None
    declares = case.word in ("place", "port")
    if declares and not inside and case.kind == "[" and case.before.kind == "]":
        array = case.tokens[1]
    elif not declares or not inside or not array or array.kind != "NAME" or case.kind not in (",", "in", "]"):
        return None
    form = f"{case.word} {array.text}[{_ranges(case.tokens[case.tokens.index(array) + 1 :])}]"
    if case.kind == "[":
        return case.tell("two-brackets", name=array.text, form=form)
    if case.kind == "in":
        span = span_of(case.before, case.tokens[case.position], case.path)
        return case.tell("array-variable", span=span, form=form) if case.before.kind == "NAME" else None
    if case.before.kind == "NUMBER" and case.before.text.isdigit():
        return case.tell("array-size", span=span_of(case.before, case.before, case.path), form=form)
    return None


def _ranges(tokens: Sequence[Token]) -> str:
    """Return the ranges of the indices that were meant by `[i in 0..3][4]`: `0..3, 0..3`."""
    found, depth = [""], 0
    for position, token in enumerate(tokens):
        depth += {"[": 1, "]": -1}.get(token.kind, 0)
        if depth == 0 and (position + 1 == len(tokens) or tokens[position + 1].kind != "["):
            break
        if token.kind == "," or (token.kind == "[" and found[-1]):
            found.append("")
        elif token.kind == "in":
            found[-1] = ""
        elif token.kind not in "[]":
            found[-1] += token.text
    return ", ".join(f"0..{max(int(text) - 1, 0)}" if text.isdigit() else text for text in found)


# ---------------------------------------------------------------- brackets


def _brackets(case: Case) -> Diagnostic | None:
    stack = case.open_brackets()
    token = case.found
    if token and token.kind in PAIRS.values():
        if not stack:
            return case.tell("unopened-bracket", closing=token.text)
        closing = PAIRS[stack[-1].kind]
        if token.kind != closing:
            return case.tell("wrong-bracket", _opened(stack[-1], case), closing=closing, opening=stack[-1].text)
        return None
    if not stack or (case.wants_value and token):
        return None
    closing = PAIRS[stack[-1].kind]
    ends = CLAUSE_WORDS - {"by", "order", "at", "in", "for"} | {"->", "=", ":"}
    clause = token is None or token.kind in ends
    if closing not in case.expected and token is not None:
        return None
    if clause and not (case.kind == "=" and case.expected & {"==", ":"}):
        return case.tell("unclosed-bracket", _opened(stack[-1], case), closing=closing, opening=stack[-1].text)
    return None


def _opened(token: Token, case: Case) -> Label:
    return Label(span_of(token, token, case.path), "opened-here")


def _brace_block(case: Case) -> Diagnostic | None:
    if case.kind != "{" or "{" in case.expected:
        return None
    if case.word == "type" or (case.word == "place" and _type_follows(case)):
        return None
    return case.tell("brace-block", word=case.word, form=FORMS.get(case.word))


# ---------------------------------------------------------------- transitions


def _transition_shape(case: Case) -> Diagnostic | None:
    if case.word != "transition":
        return None
    name = case.tokens[1].text if len(case.tokens) > 1 else ""
    if ":" in case.expected and "->" not in case.expected and not case.open_brackets():
        return case.tell("missing-colon", word=case.word, name=name, form=FORMS["transition"])
    if case.kind == "{":
        return None
    if case.kind == "not" and case.wants_value and "no" in case.expected:
        return case.tell("inhibitor-not", place=_plain(case.tokens[min(case.position + 1, len(case.tokens) - 1)]))
    outputs = [position for position, token in enumerate(case.tokens[: case.position]) if token.kind == "->"]
    brackets = case.open_brackets()
    if not brackets and (wrong := _arc_word(case, bool(outputs))):
        return wrong
    if not outputs and "->" in case.expected and not brackets:
        return _missing_arrow(case, name)
    if case.kind == "->" and not outputs and case.before.kind == "-":
        span = span_of(case.before, case.tokens[case.position], case.path)
        return case.tell("foreign-symbol", span=span, found="-->", instead="->")
    if case.kind == "->" and outputs and not brackets:
        arrow = case.tokens[outputs[0]]
        return case.tell("second-arrow", Label(span_of(arrow, arrow, case.path), "first-here"))
    if case.before.kind == "->" and case.wants_value and case.ends_here and not brackets and case.kind != ",":
        return case.tell("missing-outputs", name=name)
    return None


def _arc_word(case: Case, outputs: bool) -> Diagnostic | None:
    """Explain a word of arcs without a meaning here: behind the `->`, of another tool, or twice at one arc."""
    before = case.before
    if outputs:
        if case.kind in _INPUT_WORDS:
            return case.tell("input-only", word=case.kind, each=_called(case, 1) if case.kind == "all" else None)
        if before.kind == "all" and case.kind == "NAME":  # which was read as the name of a place
            span = span_of(before, before, case.path)
            return case.tell("input-only", span=span, word="all", each=_called(case, 0))
        if before.kind == "each" or (case.kind == "each" and before.kind == "*"):
            return case.tell("each-not-first")
        return None
    if case.kind == "each" and case.wants_value:
        return case.tell("output-only", all=_called(case, 1))
    if case.kind in (*_INPUT_WORDS, "NAME") and before.kind == "all":
        return case.tell("all-with-word", span=span_of(before, before, case.path))
    is_first = before.kind in _NAMES and case.tokens[case.position - 2].kind in (":", ",")
    if is_first and case.kind in ("NAME", "NUMBER", "any"):
        meant = SYNONYMS_OF_ARCS.get(before.text.lower())
        if meant is not None:
            span = span_of(before, before, case.path)
            held = _term(case) if before.text.lower() in WORDS_FOR_HOLDING else None
            return case.tell("arc-word-unknown", span=span, word=before.text, suggestion=meant or None, held=held)
    return None


def _term(case: Case) -> str:
    """Return what is written of an arc, without its pattern: `2 * crew`."""
    tokens = case.tokens[case.position + (case.kind == "any") :]
    term = takewhile(lambda token: token.kind in ("NUMBER", "*", "NAME"), tokens)
    return " ".join(token.text for token in term)


def _called(case: Case, ahead: int) -> str:
    """Return the place to which a word of an arc belongs, `queue(…)`."""
    tokens = case.tokens[case.position + ahead :]
    place = tokens[0].text if tokens and tokens[0].kind == "NAME" else "place"
    return f"{place}(…)"


def _missing_arrow(case: Case, name: str) -> Diagnostic | None:
    if any(token.kind == "->" for token in case.tokens):
        return None
    compared = [token for token in case.tokens[3 : case.position] if token.kind in (">", ">=")]
    if len(compared) == 1 and case.ends_here:
        span = span_of(compared[0], compared[0], case.path)
        return case.tell("arrow-sign", span=span, found=shown(compared[0]))
    if case.ends_here or case.kind in _BEGINS:
        return case.tell("missing-arrow", name=name)
    return None


# ---------------------------------------------------------------- signs


def _split_sign(case: Case) -> Diagnostic | None:
    """`queue(x) - > done(x)`, `x = = 3`: a blank within a sign."""
    for first, second in pairwise(case.tokens[max(case.position - 1, 0) : case.position + 2]):
        sign, span = first.text + second.text, span_of(first, second, case.path)
        if sign in _SIGNS:
            return case.tell("split-sign", span=span, sign=sign)
        if sign == "=>":
            return case.tell("foreign-symbol", span=span, found=f"{first.text} {second.text}", instead="->")
    return None


def _equals(case: Case) -> Diagnostic | None:
    if case.kind == "=" and "==" in case.expected and "=" not in case.expected:
        stack = case.open_brackets()
        fields = bool(stack) and stack[-1].kind == "(" and case.tokens[case.position - 2].kind in ("(", ",")
        return case.tell("single-equals", field=case.before.text if fields else None)
    if case.kind == "=" and ":" in case.expected and case.open_brackets():
        return case.tell("field-equals", field=case.before.text)
    if case.kind == "=" and case.before.kind == ":":
        return case.tell("colon-equals", span=span_of(case.before, case.tokens[case.position], case.path))
    if case.kind == "==" and "=" in case.expected:
        return case.tell("double-equals")
    declaring = case.word in ("param", "const", "unit", "type", "dist", "fn", "instance", "measure")
    if declaring and "=" in case.expected and "==" not in case.expected and not case.open_brackets():
        return case.tell("missing-equals", word=case.word, name=case.tokens[1].text, form=FORMS[case.word])
    if case.word == "place" and case.kind == "NUMBER" and "=" in case.expected:
        return case.tell("missing-equals", word=case.word, name=case.tokens[1].text, form=FORMS["place"])
    return None


def _type_shape(case: Case) -> Diagnostic | None:
    """`type P = (seq: int)`"""
    kinds = [token.kind for token in case.tokens[2:6]]
    if case.word != "type" or kinds[:1] != ["="]:
        return None
    opening = case.tokens[3:4]
    where = span_of(opening[0], opening[0], case.path) if opening else None
    if kinds[1:2] == ["("]:
        return case.tell("type-in-parentheses", span=where, name=case.tokens[1].text)
    return None


def _missing_type_colon(case: Case) -> Diagnostic | None:
    """`place p int`, `module M(n int)`, `port in work Packet`, `{ int seq }`."""
    if case.before.text in _TYPES and case.kind == "NAME" and ":" in case.expected:
        where = span_of(case.before, case.tokens[case.position], case.path)
        return case.tell("type-before-name", span=where, name=_plain(case.found), type=case.before.text)
    if _type_follows(case):
        return case.tell("missing-type-colon", name=case.before.text, type=_plain(case.found))
    return None


def _type_follows(case: Case) -> bool:
    if case.before.kind not in ("NAME", "]") or ":" not in case.expected or "->" in case.expected or not case.found:
        return False
    if case.kind == "{":
        return case.word == "place" and case.tokens[min(case.position + 3, len(case.tokens) - 1)].kind != "NUMBER"
    return case.kind == "token" or (case.kind == "NAME" and not _meant_clause(case))


def _meant_clause(case: Case) -> bool:
    text = case.found.text if case.found else ""
    words = [kind for kind in case.expected if kind in CLAUSE_WORDS]
    return text not in _TYPES and not text[:1].isupper() and _meant(text, words) is not None


def _comparison(case: Case) -> Diagnostic | None:
    if (
        case.word == "expect"
        and "<=" in case.expected
        and "!=" not in case.expected
        and case.kind not in _OPERATORS - {"!="}
    ):
        return case.tell("expect-comparison")
    if case.kind in _COMPARING and "==" not in case.expected and case.before.kind in _OPERAND_ENDS:
        chained = any(token.kind in _COMPARING for token in case.tokens[1 : case.position])
        return case.tell("chained-comparison") if chained and case.word != "expect" else None
    return None


def _numbers(case: Case) -> Diagnostic | None:
    token, before = case.found or case.before, case.before
    number = case.tokens[max(case.position - 2, 0)]
    if before.kind == "." and number.kind == "NUMBER":
        last = token if token.kind == "NUMBER" and not token.first else before
        whole = None if "." in number.text else f"{number.text}.0"  # of `1.2.3` nobody knows what was meant
        return case.tell("number-point", span=span_of(number, last, case.path), number=whole)
    if token.kind == "." and case.wants_value and case.after == "NUMBER":
        digits = case.tokens[case.position + 1]
        return case.tell("number-point", span=span_of(token, digits, case.path), number=f"0.{digits.text}")
    if case.kind == "NUMBER" and before.kind == "NUMBER":
        if before.text.endswith("%"):
            return case.tell("percent-modulo", span=span_of(before, token, case.path), number=before.text.rstrip("%"))
        joined = f"{before.text}_{token.text}" if token.text.isdigit() else None
        return case.tell("two-numbers", span=span_of(before, token, case.path), number=joined)
    return None


def _conditional(case: Case) -> Diagnostic | None:
    if case.kind == "if" and not case.wants_value and any(token.kind == "else" for token in case.tokens):
        return case.tell("if-after-value") if case.before.kind in _OPERAND_ENDS else None
    conditions = [token.kind for token in case.tokens[: case.position]].count("if")
    if case.kind == "else" and conditions and "if" in case.expected | {"if"} and case.word in ("place", "measure"):
        return case.tell("if-after-value")
    if not (case.ends_here or case.kind == "else") or case.kind == "=":
        return None
    if "then" in case.expected:
        step = case.word if case.word in ("if", "elif") else None
        return case.tell("missing-then", word=step or "if", step=step, both=None if step else "a else b")
    if "else" not in case.expected:
        return None
    limits = any(token.kind == "within" for token in case.tokens[: case.position])
    return case.tell("limit-without-label" if limits and not conditions else "missing-else")


def _missing_value(case: Case) -> Diagnostic | None:
    if case.wants_value and case.kind == "if":
        return case.tell("if-in-expression")
    if not case.wants_value or not case.ends_here:
        return None
    if case.kind == "," and case.before.kind in ("(", "[", "{", ":", "->", ","):
        return case.tell("stray-comma")
    if case.before.kind == ",":
        comma = span_of(case.before, case.before, case.path)
        return case.tell("trailing-comma", span=comma)
    example = EXAMPLES.get(case.before.text)
    form = None if example else FORMS.get(case.word)
    return case.tell("missing-value", before=case.before.text, example=example, form=form)


def _unit_after_value(case: Case) -> Diagnostic | None:
    """Explain `takes n ns`, `takes (n + 1) ns`: only a number has a unit behind it."""
    token, before = case.found, case.before
    if token is None or token.first or before.kind not in ("NAME", ")", "]") or "*" not in case.expected:
        return None
    return case.tell("unit-after-value", unit=token.text) if token.text in _UNITS else None


def _over_without_value(case: Case) -> Diagnostic | None:
    """`count(x in q)`"""
    brackets = case.open_brackets()
    if case.kind != ")" or ":" not in case.expected or not brackets:
        return None
    opening = case.tokens.index(brackets[-1])
    words = [token.text for token in case.tokens[opening - 1 : case.position]]
    if words[3:4] != ["in"] or words[0] not in ("count", "sum", "any", "all"):
        return None
    span = span_of(case.tokens[opening - 1], case.tokens[case.position], case.path)
    value = words[2] if words[0] == "sum" else "true"
    return case.tell("over-without-value", span=span, name=words[0], form=f"{words[0]}({' '.join(words[2:])}: {value})")


def _loop_comma(case: Case) -> Diagnostic | None:
    """`= (i, j) for i in 0..3, j in 0..9`, as within the brackets of an array."""
    comma = case.tokens[case.position - 2]
    words = [token.kind for token in case.tokens[: case.position]]
    if case.kind != "in" or case.word != "place" or comma.kind != "," or "for" not in words:
        return None
    return case.tell("loop-comma", span=span_of(comma, case.before, case.path), name=case.before.text)


def _missing_comma(case: Case) -> Diagnostic | None:
    if (
        case.kind in _BEGINS
        and case.before.kind in _OPERAND_ENDS
        and "," in case.expected
        and not (case.found and case.found.first)
    ):
        gap = (
            Span(case.path, case.before.line, case.before.column, case.found.line, case.found.end_column)
            if case.found
            else None
        )
        second = case.tokens[case.position - 2].kind == "," and case.before.kind == "NAME"  # `…, modulo 65536`
        setting = f"{case.before.text}: {case.found.text}" if second and case.found else None
        rest = case.tokens[case.position : end_of(case.tokens, case.position)]
        time = (
            {"time" if "takes" in case.expected else "lasting": text_of(rest)}
            if {"takes", "for"} & case.expected
            else {}
        )
        return case.tell("missing-comma", span=gap, before=case.before.text, setting=setting, **time)
    return None


def _one_name(case: Case) -> Diagnostic | None:
    """`place a, b`, `param x = 1, y = 2`, `param pi = 3,14`, `type Colour = red, green`."""
    if case.kind != "," or case.open_brackets():
        return None
    last = case.tokens[min(case.position + 1, len(case.tokens) - 1)]
    if case.before.kind == "NUMBER" and last.kind == "NUMBER" and case.before.text.isdigit():
        span = span_of(case.before, last, case.path)
        return case.tell("decimal-comma", span=span, number=f"{case.before.text}.{last.text}")
    if case.word == "type":
        return case.tell("enumeration-comma")
    if case.word in ("place", "param", "const", "unit", "dist", "measure", "net", "time", "import", "expect"):
        return case.tell("one-name", word=case.word)
    return None


def _run_length(case: Case) -> Diagnostic | None:
    if case.word == "run" and case.position == 1 and case.found:
        rest = case.tokens[2 if SYNONYMS.get(case.found.text) == "until" else 1 :]
        unit = f" {rest[1].text}" if len(rest) > 1 and rest[1].kind == "NAME" else ""
        length = rest[0].text + unit if rest and rest[0].kind == "NUMBER" else None
        return case.tell("run-until", length=length, words=_words_of("run"))
    return None


# ---------------------------------------------------------------- anything else


def _unexpected(case: Case) -> Diagnostic:
    identifier = "unexpected" if case.found else "unfinished"
    return case.tell(identifier, expected=_wanted(case), form=FORMS.get(case.word))


def _wanted(case: Case) -> str:
    """Return what was expected, in words: "a value", "an operator", and symbols and keywords literally."""
    expected = set(case.expected)
    wanted: list[str] = []
    if {"NAME", "NUMBER"} <= expected:
        if case.before.kind == ":" and case.word in ("place", "port", "param", "module", "type"):
            wanted.append("a type")
        else:
            wanted.append("a value")
        expected -= {"NAME", "NUMBER", "STRING", "(", "{", "-", "not", "if", "|", *_OPERAND_ENDS}
    elif "NAME" in expected:
        wanted.append("a name")
        expected -= {"NAME", "token"}
    elif "STRING" in expected:
        wanted.append("a text in quotes")
    signs = sorted(kind for kind in expected if kind in (",", ":", "=", "->", "~", ")", "]", "}", "|"))
    words = sorted(kind for kind in expected if kind in CLAUSE_WORDS and kind not in _OPERATORS)
    wanted += [f"`{sign}`" for sign in signs + words][:6]
    if "+" in expected and len(wanted) < 6:
        wanted.append("an operator")
    if END in expected:
        wanted.append("the next declaration")
    if not wanted:
        wanted = [f"`{kind}`" for kind in sorted(expected)]
    if len(wanted) < 2:
        return "".join(wanted)
    return f"{', '.join(wanted[:-1])} or {wanted[-1]}"


def _words_of(whole: str) -> tuple[str, ...]:
    return tuple(clause.word for clause in clauses_of(whole))


def _plain(token: Token | None) -> str:
    return token.text if token and token.kind != "{" else "…"


_SLIPS: tuple[Callable[[Case], Diagnostic | None], ...] = (
    _split_sign,
    _not_a_declaration,
    _array_of_places,
    _reserved_name,
    _numbers,
    _missing_name,
    _type_shape,
    _conditional,
    _brackets,
    _misspelt_unit,
    _brace_block,
    _transition_shape,
    _late_condition,
    _draw_of_value,
    _misspelt_clause,
    _missing_type_colon,
    _equals,
    _comparison,
    _one_name,
    _run_length,
    _missing_value,
    _unit_after_value,
    _over_without_value,
    _loop_comma,
    _missing_comma,
)
