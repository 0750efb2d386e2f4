"""The definition of the study: which parameters and measures of a net are load, frame size, loss, delay, throughput."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Final

from petri.experiment.design.definition import Definition
from petri.experiment.design.names import known_figures
from petri.experiment.design.options import option
from petri.experiment.design.sampling import Value
from petri.experiment.errors import problem
from petri.experiment.threshold.condition import check_parameter
from petri.experiment.threshold.definition import Bisected, Search, check_condition
from petri.net import Net

SIZES: Final = (64, 128, 256, 512, 1024, 1280, 1518)  # bytes; RFC 2544, section 9.1, Ethernet
SHARES: Final = (1.0, 0.75, 0.5, 0.25)  # of the throughput, at which the delay is measured (NPF)

USUAL: Final[Mapping[str, tuple[str, ...]]] = {
    "load": ("load", "offered_load", "line_load", "utilisation"),
    "size": ("size", "frame_size", "packet_size", "frame", "packet", "frame_bytes", "length"),
    "loss": ("loss", "lost", "loss_rate", "loss_ratio", "frame_loss", "dropped", "refused"),
    "delay": ("delay", "latency", "frame_delay", "stay"),
    "throughput": ("throughput", "goodput", "forwarded", "forwarding_rate", "served"),
}
"""The names that are looked for where the definition gives none: the first of them that the net has."""

PARAMETERS: Final = ("load", "size")
NEEDED: Final = ("load", "loss")


def _role(name: str, about: str) -> Any:
    return option("text", name, name, "NAME", about, default="")


@dataclass(frozen=True, kw_only=True)
class Forwarding(Bisected):
    """A study of RFC 2544: a search for the throughput, and what is measured at and above it.

    A name that is empty is the first of `USUAL` that the net has. load, size: parameters; loss, delay, throughput:
    measures. Only load and loss must be there. sizes: of the frames, in bytes or in the parameter's unit. between: the
    loads, the greatest last. condition: when a load counts as forwarded, `LOSS == 0` if empty. replications: for delay,
    loss and bursts. The other options are those of `Bisected`.
    """

    key = "rfc2544"
    missing = "rfc-missing"
    no_meaning: ClassVar = {
        **Bisected.no_meaning,
        "measures": "loss, delay and throughput are kept",
        "replications": "it stands under `rfc2544`",
        "precision": "it replicates until a load is decided",
    }

    sizes: Sequence[Value] = option(
        "values", "sizes", "[64, 512, 1518]", "LIST", f"Frame sizes.  [default: {','.join(map(str, SIZES))}]",
        default=SIZES,
    )  # fmt: skip
    load: str = _role("load", "The parameter that is the offered load.  [default: load, …]")
    size: str = _role("size", "The parameter that is the frame size.  [default: size, packet, …]")
    loss: str = _role("loss", "The measure of lost frames.  [default: loss, lost, …]")
    delay: str = _role("delay", "The measure of the delay.  [default: delay, latency, …]")
    throughput: str = _role("throughput", "The measure of what is forwarded.  [default: throughput, …]")
    between: Any = option(
        "free", "in", "0.5..1", "FROM..TO", "The loads.  [default: 0.05..1]", default="0.05..1", refuses=Bisected.ladder
    )
    condition: str = option(
        "text", "while", "loss == 0", "CONDITION", "When a load is forwarded.  [default: LOSS == 0]",
        default="", refuses=check_condition,
    )  # fmt: skip
    replications: int = option(
        "count", "replications", "10", "N", "Runs for delay, loss and bursts.  [default: 10]", default=10, short="-n"
    )

    def search(self, find: str, condition: str, runs: Definition) -> Search:
        """Return the search for the throughput."""
        own = {field.name: getattr(self, field.name) for field in fields(Bisected)}
        return Search(**{**own, "find": find, "condition": condition, "runs": runs})


@dataclass(frozen=True)
class Roles:
    """The names that the net has for them; "" for what it lacks."""

    load: str
    size: str
    loss: str
    delay: str
    throughput: str

    @property
    def measures(self) -> list[str]:
        return [name for name in (self.loss, self.delay, self.throughput) if name]


def find_roles(study: Forwarding, net: Net) -> Roles:
    """Raise ExperimentError if a name that was given is not there, or if there is no load or loss."""
    found = {role: getattr(study, role) or _usual(role, net) for role in USUAL}
    for role, name in found.items():
        if not name and role in NEEDED:
            known = _known(role, net)
            raise problem("rfc-role-missing", role=role, usual=list(USUAL[role]), net=net.name, known=known,
                          kind="parameter" if role in PARAMETERS else "measure")  # fmt: skip
        if name and role in PARAMETERS:
            check_parameter(net, name)
        elif name:
            known_figures(net, [name])
    return Roles(**found)


def _known(role: str, net: Net) -> list[str]:
    if role in PARAMETERS:
        return [parameter.name for parameter in net.parameters if parameter.kind in ("int", "real")]
    return [measure.name for measure in net.measures]


def _usual(role: str, net: Net) -> str:
    known = _known(role, net)
    return next((name for name in USUAL[role] if name in known), "")


def sizes_of(study: Forwarding, roles: Roles, net: Net) -> list[Value]:
    """Return the frame sizes as values of the parameter: whole numbers are bytes if it has a unit."""
    if not roles.size:
        return []
    parameter = next(one for one in net.parameters if one.name == roles.size)
    in_bytes = parameter.dimension == "Bytes"
    return [f"{size} B" if in_bytes and not isinstance(size, str) else size for size in study.sizes]
