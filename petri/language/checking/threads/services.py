"""Services: the type of their requests, and whether somebody serves them."""

from __future__ import annotations

from collections.abc import Sequence

from petri.language.checking.state import CheckState
from petri.language.meaning.scope import Scope
from petri.language.meaning.templates import Body
from petri.language.meaning.types import CALLER, INT, SITE, UNKNOWN, Record, Request, Type, Unknown, describe, same
from petri.language.syntax import tree


def service_type(checker: CheckState, e: tree.ServiceType, scope: Scope, name: str) -> Type:
    """Return the type of the requests of a service; two of the same structure are one type, in all modules."""
    fields: dict[str, Type] = {}
    reply: tuple[str, ...] = ()
    for part in (e.request, e.reply):
        if part is None:
            continue
        kind = checker.read_type(part, scope)
        if isinstance(kind, Unknown):
            return UNKNOWN
        if not isinstance(kind, Record) or isinstance(kind, Request):
            checker.problems.error("service-not-record", part.span, kind=describe(kind))
            return UNKNOWN
        for field, inner in kind.fields.items():
            if field in fields or field == CALLER:
                checker.problems.error("service-field-taken", part.span, field=field)
                return UNKNOWN
            fields[field] = inner
        reply = tuple(kind.fields) if part is e.reply else ()
    for known in checker.requests:
        own = {field: inner for field, inner in known.fields.items() if field != CALLER}
        if known.reply == reply and list(own) == list(fields) and all(map(same, own.values(), fields.values())):
            return known
    request = Request({**fields, CALLER: Record({SITE: INT})}, name or "request", e.span, reply=reply)
    checker.requests.append(request)
    return request


def check_services(checker: CheckState, bodies: Sequence[tuple[Body, Sequence[tree.Declaration]]]) -> None:
    """Report services to which no transition replies, although threads call them, and which nothing takes from."""
    for body, _ in bodies:
        for place in body.places:
            symbol = place.symbol
            if id(symbol) not in checker.called or not isinstance(symbol.type, Request):
                continue
            if not symbol.taken:
                checker.problems.error("service-unserved", symbol.span, name=symbol.name)
            elif not symbol.type.answered:
                checker.problems.error("service-without-reply", symbol.span, name=symbol.name)
