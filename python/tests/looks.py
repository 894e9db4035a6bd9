"""Parts of traces: as methods of a trace, and as flags of a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import onca


@dataclass(frozen=True)
class Part:
    """A part of any trace, said twice."""

    name: str
    of: Callable[[onca.Trace], onca.Trace]
    flags: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


PARTS = [
    Part("whole", lambda trace: trace, ()),
    Part("window", lambda trace: trace["20%":"60%"], ("--from=20%", "--to=60%")),
    Part("end", lambda trace: trace["70%":], ("--from=70%",)),
    Part("start", lambda trace: trace[:"12.5%"], ("--to=12.5%",)),
    Part("values", lambda trace: trace.values("*a*", "*i*"), ("--values=*a*", "--values=*i*")),
    Part("hidden", lambda trace: trace.hide("*omp*"), ("--hide-values=*omp*",)),
    Part(
        "containers",
        lambda trace: trace["10%":].containers("*1", "*2/**"),
        ("--from=10%", "--containers=*1", "--containers=*2/**"),
    ),
    Part("long", lambda trace: trace.min_duration("0.5ms"), ("--min-duration=0.5ms",)),
    Part(
        "several",
        lambda trace: trace["5%":"95%"].hide("*Send*").hide_containers("*3").order("name", descending=True),
        ("--from=5%", "--to=95%", "--hide-values=*Send*", "--hide-containers=*3", "--order=name", "--descending"),
    ),
]
