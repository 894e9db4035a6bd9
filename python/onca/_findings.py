"""What costs time: findings, waits and the critical path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, overload

from ._ask import Json
from ._errors import OptionValueError
from ._info import Window
from ._shapes import SHAPES
from ._table import Table

__all__ = ["CriticalPath", "Finding", "Findings", "Waits"]


class Finding:
    """One thing that costs time: what, where, when and how much. `json` has all of it.

    >>> for finding in trace.findings(top=3):
    ...     print(finding.text, finding.where, finding.window, finding.cost_share)
    >>> trace[finding.window].containers(*finding.where).render("timeline")
    """

    def __init__(self, json: Json) -> None:
        self.json = json

    @property
    def kind(self) -> str:
        """What kind of finding it is, such as `slow`: docs/findings.md, docs/compare.md."""
        return str(self.json["kind"])

    @property
    def text(self) -> str:
        """One sentence."""
        return str(self.json["text"])

    @property
    def where(self) -> list[str]:
        """The paths of all containers that it is about."""
        return list(self.json["where"])

    @property
    def groups(self) -> list[str]:
        """The paths of the largest containers that hold just these."""
        return list(self.json["groups"])

    @property
    def window(self) -> Window:
        """When it happens."""
        return Window.of(self.json)

    @property
    def cost(self) -> float:
        """The time of all processes that it costs, in units."""
        return float(self.json["cost"])

    @property
    def cost_ticks(self) -> int:
        """The same in ticks."""
        return int(self.json["cost_ticks"])

    @property
    def saved_ticks(self) -> int:
        """How much shorter the run would be without it, in ticks."""
        return int(self.json["saved_ticks"])

    @property
    def cost_share(self) -> float:
        """How much shorter the run would be without it, as a share of the run."""
        return float(self.json["cost_share"])

    @property
    def sure(self) -> float:
        """How sure it is, from 0 to 1."""
        return float(self.json["sure"])

    def __repr__(self) -> str:
        return f"<{self.kind} ({self.cost_share:.1%} of the run): {self.text}>"


class Findings(Sequence[Finding]):
    """What costs time, the most costly first, with what was assumed and what could not be examined."""

    def __init__(self, json: Json, shape: str = "findings") -> None:
        self.json = json
        self._shape = shape
        self._all = [Finding(one) for one in json["findings"]]

    @property
    def assumed(self) -> list[str]:
        """What was assumed."""
        return list(self.json["assumed"])

    @property
    def not_examined(self) -> list[str]:
        """What could not be examined, so that silence is no promise."""
        return list(self.json["not_examined"])

    def table(self) -> Table:
        """A row for each finding."""
        rows = [
            one | {"groups": ", ".join(one["groups"]), "containers": len(one["where"])} for one in self.json["findings"]
        ]
        return Table.of(rows, SHAPES[self._shape], self.json)

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, key: int) -> Finding: ...
    @overload
    def __getitem__(self, key: slice) -> list[Finding]: ...

    def __getitem__(self, key: int | slice) -> Finding | list[Finding]:
        return self._all[key]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._all)

    def __repr__(self) -> str:
        lines = [
            f"{rank}. {one.kind} ({one.cost_share:.1%} of the run): {one.text}"
            for rank, one in enumerate(self, start=1)
        ]
        return "\n".join(lines or ["nothing was found that costs time"])

    def _repr_html_(self) -> str:
        items = "".join(
            f"<li><b>{escape(one.kind)}</b> ({one.cost_share:.1%} of the run): {escape(one.text)}</li>" for one in self
        )
        return f"<ol>{items}</ol>" if items else "<p>nothing was found that costs time</p>"


class Waits:
    """Who waits for whom, and why: the answer of `onca waits`.

    >>> waits = trace.waits(level="Machine", slices=20)
    >>> waits.kinds, waits.top(10), waits.rows
    >>> waits.share, waits.efficiency["transfer"]
    """

    def __init__(self, json: Json) -> None:
        self.json = json

    @property
    def time(self) -> float:
        """All waiting in the window, in units."""
        return float(self.json["time"])

    @property
    def ticks(self) -> int:
        """All waiting in the window, in ticks."""
        return int(self.json["ticks"])

    @property
    def share(self) -> float | None:
        """All waiting as a share of the time of all processes."""
        found: float | None = self.json["share"]
        return found

    @property
    def kinds(self) -> Table:
        """How long and how often they wait, by kind of wait."""
        return Table.of(self.json["kinds"], SHAPES["waits"], self.json)

    @property
    def longest(self) -> Table:
        """The longest wait of each kind."""
        rows = [
            {"kind": kind["kind"], "duration_ticks": one["to_ticks"] - one["from_ticks"]} | one
            for kind in self.json["kinds"]
            for one in [kind["longest"]]
            if one is not None
        ]
        return Table.of(rows, SHAPES["longest-waits"], self.json)

    @property
    def rows(self) -> Table:
        """With `level` or `slices`: the waits of each node in each slice, by kind."""
        return Table.of(self.json["rows"], SHAPES["wait-rows"], self.json)

    @property
    def causes(self) -> Table:
        """What causes the waiting in the whole run: who, doing what; the most costly first."""
        return Table.of(self.json["causes"], SHAPES["causes"], self.json)

    def top(self, n: int = 10) -> Table:
        """The `n` most costly causes."""
        return self.causes.top(n)

    @property
    def critical_path(self) -> CriticalPath:
        """The critical path of the whole run."""
        return CriticalPath(self.json)

    @property
    def efficiency(self) -> dict[str, Any]:
        """The efficiencies of the whole run; None where they are not defined."""
        return dict(self.json["efficiency"])

    @property
    def assumed(self) -> list[str]:
        """What was assumed."""
        return list(self.json["assumed"])

    @property
    def not_examined(self) -> list[str]:
        """What could not be examined."""
        return list(self.json["not_examined"])

    def __repr__(self) -> str:
        share = "" if self.share is None else f", {self.share:.1%} of all time"
        unit = self.json["unit"]["name"]
        return f"<Waits: {self.time:g} {unit}{share}>\n{self.kinds!r}"

    def _repr_html_(self) -> str:
        return self.kinds._repr_html_()


class CriticalPath:
    """The chain of activities that makes the run as long as it is: nobody on it waits.

    >>> path = trace.critical_path()
    >>> path.by("container"), path.by("value"), path.segments
    """

    def __init__(self, json: Json) -> None:
        self.json = json
        self._path: Json = json["critical_path"]

    @property
    def time(self) -> float:
        """How long it is, which is the run time, in units."""
        return float(self._path["time"])

    @property
    def ticks(self) -> int:
        """How long it is, in ticks."""
        return int(self._path["ticks"])

    @property
    def segments(self) -> Table:
        """Where it is, in order of time."""
        return Table.of(self._path["segments"], SHAPES["path-segments"], self.json)

    def by(self, what: str = "container") -> Table:
        """How long it is in each `"container"`, or in each `"value"`; the longest first."""
        places = {"container": ("nodes", "path-containers"), "value": ("activities", "path-values")}
        if what not in places:
            raise OptionValueError(f"a critical path is told by container or value, not by {what!r}")
        name, shape = places[what]
        table = Table.of(self._path[name], SHAPES[shape], self.json)
        return table.top(len(table), "ticks")

    def __repr__(self) -> str:
        unit = self.json["unit"]["name"]
        return f"<CriticalPath: {self.time:g} {unit} in {len(self._path['segments'])} segments>"
