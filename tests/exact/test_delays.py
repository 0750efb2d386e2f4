"""A net with outputs that arrive later has no chain, and both explorers say so."""

import pytest

from petri import language
from petri.exact.chain import Unsolvable
from petri.exact.native import NativeSpace
from tests.exact.oracle.explorer import NaiveSpace


@pytest.mark.parametrize("space", [NaiveSpace, NativeSpace])
def test_a_delay_is_refused(space: type) -> None:
    net = language.loads("place p = token\nplace q\ntransition t: p -> q  takes exp(1)\ntransition u: q -> p in 3")
    with pytest.raises(Unsolvable) as refused:
        space(net)
    assert (refused.value.id, refused.value.transition) == ("exact-delay", 1)
