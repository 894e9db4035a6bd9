"""The lens: what is seen of a trace, how it is grouped and ordered, and how it looks."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from ._ask import Json
from ._errors import TraceError

__all__ = ["Chain", "Lens"]

_Self = TypeVar("_Self")
_VERSION = 1


class Chain(Generic[_Self]):
    """The methods that make another lens, for whatever has one."""

    __slots__ = ()

    def _lensed(self, change: Callable[[Lens], Lens]) -> _Self:
        """The same, seen through a changed lens."""
        raise NotImplementedError

    def _with(self, change: Callable[[Json], object]) -> _Self:
        return self._lensed(lambda lens: lens.changed(change))

    def only_types(self, *patterns: str) -> _Self:
        """Only these types, such as `"STATE"` or `"re:^MPI"`."""
        return self._lensed(lambda lens: lens.narrowed("types", "only", patterns))

    def hide_types(self, *patterns: str) -> _Self:
        """Not these types."""
        return self._lensed(lambda lens: lens.narrowed("types", "hide", patterns))

    def values(self, *patterns: str) -> _Self:
        """Only these values, such as `"MPI_*"` or `"STATE:Wait"`."""
        return self._lensed(lambda lens: lens.narrowed("values", "only", patterns))

    def hide(self, *patterns: str) -> _Self:
        """Not these values."""
        return self._lensed(lambda lens: lens.narrowed("values", "hide", patterns))

    def only_containers(self, *references: str) -> _Self:
        """Only these containers: `"rank[0-63]"`, `"/path"`, `"#7"`; with `/**` and what is below."""
        return self._lensed(lambda lens: lens.narrowed("containers", "only", references))

    def hide_containers(self, *references: str) -> _Self:
        """Not these containers."""
        return self._lensed(lambda lens: lens.narrowed("containers", "hide", references))

    def types_in(self, type: str, *references: str, both_ends: bool = False) -> _Self:
        """A type in these containers only; links that have one end there, or both."""
        entry: Json = {"types": [type], "only": list(references)}
        if both_ends:
            entry["both_ends"] = True
        return self._with(lambda it: _list(it, "select", "types_in").append(entry))

    def hide_types_in(self, type: str, *references: str) -> _Self:
        """A type in all but these containers."""
        entry = {"types": [type], "hide": list(references)}
        return self._with(lambda it: _list(it, "select", "types_in").append(entry))

    def min_duration(self, duration: float | str) -> _Self:
        """Only states and links that last at least this long: a number, or a text such as `"2us"`."""
        return self._with(lambda it: it.setdefault("select", {}).update(min_duration=duration))

    def group(
        self,
        *,
        level: str | None = None,
        depth: int | None = None,
        pattern: str | None = None,
        within: str | None = None,
        name: str | None = None,
        of: Sequence[str] | None = None,
    ) -> _Self:
        """Shows containers as one: by `level`, by `depth`, by what a `pattern` captures (`within` a type),
        or those that references mean (`of`) under a `name`."""
        entry: Json
        match (level, depth, pattern, name):
            case (str(), None, None, None):
                entry = {"level": level}
            case (None, int(), None, None):
                entry = {"depth": depth}
            case (None, None, str(), None):
                inside = {} if within is None else {"within": within}
                entry = {"pattern": {"expression": pattern} | inside}
            case (None, None, None, str()) if of:
                entry = {"containers": {"name": name, "of": [of] if isinstance(of, str) else list(of)}}
            case _:
                raise TypeError("group by one of level, depth, pattern, or name and of")
        return self._with(lambda it: it.setdefault("group", []).append(entry))

    def order(
        self,
        by: str | Mapping[str, Sequence[str]] = "creation",
        *,
        descending: bool = False,
        first: Sequence[str] = (),
    ) -> _Self:
        """The order of siblings: by `"creation"`, `"name"`, `"end"`, `"messages"`, or by the time in values,
        as `{"time": ["MPI_Wait"]}`."""
        spec: Json = {"by": by if isinstance(by, str) else {k: list(v) for k, v in by.items()}}
        spec |= {"descending": True} if descending else {}
        spec |= {"first": list(first)} if first else {}
        return self._with(lambda it: it.update(order=spec))

    def hierarchy(
        self,
        *,
        names: str | None = None,
        levels: Sequence[str] = (),
        fields: Sequence[str] = (),
        tree: Mapping[str, Any] | None = None,
    ) -> _Self:
        """A tree that the trace did not have: by an expression about `names` with its `levels`, by extra
        `fields` of containers, or as it stands in a lens file (`tree`)."""
        spec: Json
        match (names, fields, tree):
            case (str(), (), None):
                spec = {"names": {"pattern": names, "levels": list(levels)}}
            case (None, [_, *_], None):
                spec = {"fields": {"levels": list(fields)}}
            case (None, (), dict()):
                spec = {"tree": dict(tree)}
            case _:
                raise TypeError("a hierarchy comes from one of names, fields and tree")
        return self._with(lambda it: it.update(hierarchy=spec))

    def reduce(self, name: str, level: str, op: str, **more: Any) -> _Self:
        """A variable of each container of a `level`, made of what lies below: `op` is `count` or `busy` of
        `values`, or `sum`, `mean`, `min`, `max` of a `variable`. `as_="states"` makes states of a count."""
        entry = {"name": name, "level": level, "op": op}
        entry |= {key.rstrip("_"): value for key, value in more.items()}
        return self._with(lambda it: it.setdefault("reduce", []).append(entry))

    def locks(self, holds: str, waits: str, key: str) -> _Self:
        """Which values of states hold a lock, which wait for one, and what tells its name."""
        entry = {"holds": holds, "waits": waits, "key": key}
        return self._with(lambda it: it.setdefault("locks", []).append(entry))

    def reuse_rows(self, *types: str) -> _Self:
        """Container types whose containers share a row once one has ended."""
        return self._with(lambda it: it.setdefault("reuse_rows", []).extend(types))

    def look(self, pattern: str, *, of: str = "values", **looks: str | float) -> _Self:
        """How values look, or types with `of="types"`: `color`, `shape`, `height`."""
        return self._with(lambda it: _dict(it, "appearance", of).update({pattern: looks}))

    def trace_colors(self, when: str) -> _Self:
        """Whether the colours of the trace are used: `"auto"`, `"always"` or `"never"`."""
        return self._with(lambda it: it.setdefault("appearance", {}).update(trace_colors=when))

    def role(self, pattern: str, role: str) -> _Self:
        """What values are for, where the guess from the name is wrong: docs/roles.md."""
        return self._with(lambda it: it.setdefault("roles", {}).update({pattern: role}))


class Lens(Chain["Lens"]):
    """What stands between a trace and a question: the JSON of docs/lens.md, as a value.

    A lens never changes. Each method returns another lens, which says what this one says and more.

    >>> lens = Lens().values("MPI_*").hide("MPI_Init").containers("cluster-2/**")
    >>> lens.save("mpi.json")
    >>> Lens.load("mpi.json") == lens
    True
    """

    __slots__ = ("_json",)

    def __init__(self, json: Mapping[str, Any] | None = None) -> None:
        self._json: Json = {"version": _VERSION} | copy.deepcopy(dict(json or {}))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Lens:
        """Reads a lens file."""
        try:
            found = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise TraceError(f"{os.fsdecode(path)}: {error}") from error
        if not isinstance(found, dict):
            raise TraceError(f"{os.fsdecode(path)}: a lens is a JSON object")
        return cls(found)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a lens file, which every command takes with --lens."""
        Path(path).write_text(self.text + "\n", encoding="utf-8")

    @property
    def json(self) -> Json:
        """The lens as JSON."""
        return copy.deepcopy(self._json)

    @property
    def text(self) -> str:
        """The lens as the text of its file."""
        return json.dumps(self._json, indent=2, ensure_ascii=False)

    @property
    def is_clear(self) -> bool:
        """Does it show everything as it is?"""
        return len(self._json) == 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lens) and self._json == other._json

    def __hash__(self) -> int:
        return hash(json.dumps(self._json, sort_keys=True))

    def __repr__(self) -> str:
        return f"Lens({self._json!r})"

    def types(self, *patterns: str) -> Lens:
        """Only these types: `only_types` under a shorter name."""
        return self.only_types(*patterns)

    def containers(self, *references: str) -> Lens:
        """Only these containers: `only_containers` under a shorter name."""
        return self.only_containers(*references)

    def _lensed(self, change: Callable[[Lens], Lens]) -> Lens:
        return change(self)

    def changed(self, change: Callable[[Json], object]) -> Lens:
        """A copy, changed by a function that takes its JSON."""
        made = self.json
        change(made)
        return Lens(made)

    def narrowed(self, what: str, side: str, patterns: Sequence[str]) -> Lens:
        """A copy whose selection of `what` has more patterns in `only` or `hide`."""
        if not patterns:
            raise TypeError(f"name at least one pattern of {what}")

        def change(it: Json) -> None:
            filters = it.setdefault("select", {}).setdefault(what, {})
            filters.setdefault(side, []).extend(patterns)

        return self.changed(change)


def _list(it: Json, part: str, name: str) -> list[Any]:
    found: list[Any] = it.setdefault(part, {}).setdefault(name, [])
    return found


def _dict(it: Json, part: str, name: str) -> Json:
    found: Json = it.setdefault(part, {}).setdefault(name, {})
    return found
