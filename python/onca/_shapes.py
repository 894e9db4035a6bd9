"""How answers become tables.

A shape lists columns: `name=place:kind`. The place is that of the value in a JSON object, with dots between;
without it, it is the name. The kind is i for integers, f for floats, b for truth values, and nothing for
texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._ask import Json
from ._table import Table

__all__ = ["SHAPES", "overview_table", "slice_table", "sql_table", "stats_table"]

_SPAN = "from:f to:f from_ticks:i to_ticks:i"
_NODE = "path=node.path kind=node.kind"
_WINDOW = "start:f end:f duration:f start_ticks:i end_ticks:i duration_ticks:i"
_ACTIVITY = "type=activity.type value=activity.value"


def _both(*names: str, ticks: str = "i") -> str:
    """Times in units, and in ticks."""
    return " ".join(f"{name}:f {name}_ticks:{ticks}" for name in names)


_ROLES = ["compute", "task", "send", "receive", "wait", "collective", "init", "runtime", "idle", "unknown", "none"]
_VALUES = (
    f"{_NODE} value type nature role total:f total_ticks:i share:f count:i size:i "
    f"{_both('min')} {_both('mean', ticks='f')} {_both('median', 'p90', 'p99', 'max')} exact:b"
)
_FINDING = f"kind text {_SPAN} {_both('cost')} saved_ticks:i cost_share:f sure:f"

SHAPES = {
    "profile": f"{_NODE} outer:i depth:i value type count:i {_both('inclusive', 'exclusive')}",
    "find": f"kind type container destination key value {_WINDOW} cursor",
    "find-count": "kind type value count:i",
    "values": _VALUES,
    "longest": f"{_NODE} value type nature container {_WINDOW}",
    "containers": _VALUES,
    "balance": (
        f"level load value type nodes:i {_both('mean', ticks='f')} {_both('max', ticks='f')} "
        f"{_both('deviation', ticks='f')} max_by_mean:f imbalance_percent:f "
        "most=most.path most_kind=most.kind"
    ),
    "matrix": (f"from=from.path from_kind=from.kind to=to.path to_kind=to.kind count:i size:i {_both('time')}"),
    "histograms": "of from:f to:f count:i from_ticks:i to_ticks:i",
    "concurrency": f"value type {_SPAN} min:i mean:f max:i",
    "efficiency": (
        f"{_NODE} {_SPAN} processes:i parallel:f load_balance:f communication:f serialisation:f "
        f"transfer:f communication_share:f {_both('useful', 'max_useful', 'communicating')} "
        + " ".join(f"{role}=roles.{role}:f {role}_ticks=roles.{role}_ticks:i" for role in _ROLES)
    ),
    "areas": (f"p:f path kind own:b first:i last:i {_SPAN} leaves:i gain:f loss:f mode share:f"),
    "segments": ("from:f to:f p:f gain:f loss:f gain_share:f loss_share:f aggregates:i"),
    "points": "p:f gain:f loss:f gain_share:f loss_share:f",
    "disruptions": (
        f"score:f first:i last:i {_SPAN} containers leaves:i rises=rises.value rises_by=rises.by:f "
        "falls=falls.value falls_by=falls.by:f displaced:f"
    ),
    "change": "path slice:i change:f is_peak:b",
    "phases": (
        f"{_SPAN} pattern messages:i size:i to_self:i collective:i idle:i modularity:f "
        "communities:i height:f difference_to_next:f"
    ),
    "clocks": (f"{_NODE} reference:i messages:i {_both('offset')} drift:f {_both('uncertainty')}"),
    "topology": "link=name from to messages:i bytes:i bandwidth:f latency:f load:f",
    "findings": f"{_FINDING} containers:i groups",
    "compared": (f"{_FINDING} change_share:f ratio:f waiting_ticks:i waiting_processes:i p:f containers:i groups"),
    "waits": "kind time:f ticks:i count:i wrong_order_ticks:i",
    "longest-waits": f"kind container cause {_SPAN} duration_ticks:i",
    # A wait has a kind, and so has its node.
    "wait-rows": f"wait=kind {_NODE} {_SPAN} time:f ticks:i count:i",
    "causes": f"{_NODE} {_ACTIVITY} time:f ticks:i short_term_ticks:i long_term_ticks:i",
    "path-containers": f"{_NODE} time:f ticks:i",
    "path-values": f"{_ACTIVITY} time:f ticks:i imbalance_ticks:i",
    "path-segments": f"{_NODE} {_SPAN}",
    "value-changes": "value before_ticks:i after_ticks:i change_ticks:i",
    "pairs": (
        "before_from=before.from:f before_to=before.to:f after_from=after.from:f after_to=after.to:f "
        "before_from_ticks=before.from_ticks:i before_to_ticks=before.to_ticks:i "
        "after_from_ticks=after.from_ticks:i after_to_ticks=after.to_ticks:i"
    ),
    "scaling": (
        "processes:i length:f speed_up:f global:f parallel:f load_balance:f communication:f "
        "serialisation:f transfer:f computation:f"
    ),
}

_SLICE = f"path name kind depth:i leaves:i type value slice:i {_SPAN} amount:f amount_ticks:i"
_VECTORS = f"path name kind depth:i leaves:i of quantity type value slice:i {_SPAN} amount:f amount_ticks:i share:f"


def slice_table(json: Json) -> Table:
    """The rows of a slice, with what their numbers stand for."""
    is_vectors = json["schema"].startswith("onca-slice-vectors")
    return Table.of(_slice_rows(json), _VECTORS if is_vectors else _SLICE, json)


def _slice_rows(json: Json) -> Iterator[Json]:
    nodes, slices = json["nodes"], json["slices"]
    values = [value | {"value": value["name"]} for value in json["values"]]
    columns = json["rows"]
    amounts = [name for name in columns if name not in ("node", "value", "slice")]
    for row in zip(*columns.values(), strict=True):
        cells = dict(zip(columns, row, strict=True))
        made = values[cells["value"]] | nodes[cells["node"]] | slices[cells["slice"]]
        yield made | {"slice": cells["slice"]} | {name: cells[name] for name in amounts}


def stats_table(what: str, json: Json) -> Table:
    """One of the tables of statistics."""
    rows: list[Json]
    match what:
        case "longest":
            rows = [row | one for row in json["values"] for one in row["longest"]]
        case "histograms":
            sizes = [row | {"of": "size"} for row in json["sizes"]]
            rows = sizes + [row | {"of": "duration"} for row in json["durations"]]
        case "matrix":
            rows = json["pairs"]
        case "values" | "containers":
            rows = json["values"]
        case _:
            rows = json[what]
    return Table.of(rows, SHAPES[what], json)


def overview_table(json: Json) -> Table:
    """What an overview was asked for: areas, trade-offs, disruptions or changes."""
    if "change" in json:
        return Table.of(_change_rows(json["change"]), SHAPES["change"], json)
    if "disruptions" in json:
        rows = [
            row | {"containers": ", ".join(row["containers"]), "leaves": len(row["leaves"])}
            for row in json["disruptions"]
        ]
        return Table.of(rows, SHAPES["disruptions"], json)
    if "points" in json:
        return Table.of(json["points"], SHAPES["points"], json)
    if "segments" in json:
        return Table.of(json["segments"], SHAPES["segments"], json)
    areas = [area | {"p": one["p"]} for one in json["optimal"] for area in one["areas"]]
    return Table.of(areas, SHAPES["areas"], json)


def _change_rows(nodes: list[Json]) -> Iterator[Json]:
    for node in nodes:
        peaks = {peak["slice"] for peak in node["peaks"]}
        for slice_, change in enumerate(node["changes"], start=1):
            yield {
                "path": node["path"],
                "slice": slice_,
                "change": change,
                "is_peak": slice_ in peaks,
            }


def sql_table(json: Json) -> Table:
    """The rows of a query."""
    names = _unique([column["name"] for column in json["columns"]])
    kinds = {"Int": ":i", "UInt": ":i", "Float": ":f", "Decimal": ":f", "Boolean": ":b"}

    def kind(type_name: str) -> str:
        return next((kinds[it] for it in kinds if type_name.startswith(it)), "")

    places = [f"c{at}=c{at}{kind(column['type'])}" for at, column in enumerate(json["columns"])]
    rows: list[dict[str, Any]] = [{f"c{at}": cell for at, cell in enumerate(row)} for row in json["rows"]]
    return Table.of(rows, " ".join(places), json).renamed(names)


def _unique(names: list[str]) -> list[str]:
    """Different names: a second one gets `_2`."""
    made: list[str] = []
    for name in names:
        number, other = 1, name
        while other in made:
            number += 1
            other = f"{name}_{number}"
        made.append(other)
    return made
