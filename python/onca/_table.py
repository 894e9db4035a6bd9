"""The answer of a question as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from . import _onca
from ._arrow import ArrowTable
from ._ask import Json
from ._errors import ColumnError, need
from ._near import near

if TYPE_CHECKING:
    import pandas

__all__ = ["Column", "Table", "kind_of"]

_SHOWN_ROWS = 20
_SHOWN_WIDTH = 40
_LARGEST = 2**63 - 1


class Column(NamedTuple):
    """A column: its kind, which is `int`, `float`, `text` or `bool`, and its values."""

    kind: str
    values: list[Any]


class Table(ArrowTable):
    """The answer of a question: rows with named columns, in the order of the command.

    Times are there twice: in the unit of the trace as floats, and exactly, in ticks, as integers in
    columns that end in `_ticks`. What is not defined is None.

    >>> table = trace.stats()
    >>> table.columns[:4], len(table)
    >>> table[0]["value"], table["total_ticks"]
    >>> for row in table: print(row["value"], row["share"])
    >>> polars.DataFrame(table), table.to_pandas()

    """

    __slots__ = ("_columns", "_json", "_length")

    def __init__(self, columns: Mapping[str, Column], json: Json | None = None) -> None:
        self._columns = dict(columns)
        self._length = max((len(column.values) for column in columns.values()), default=0)
        self._json: Json = {} if json is None else json

    @property
    def json(self) -> Json:
        """The whole answer as the command prints it, with what does not fit a table."""
        return self._json

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    @property
    def kinds(self) -> dict[str, str]:
        """By name of a column, what is in it: `int`, `float`, `text` or `bool`."""
        return {name: column.kind for name, column in self._columns.items()}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All rows, each with its values by column."""
        return list(self)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = self.columns
        return (dict(zip(names, row, strict=True)) for row in self.tuples())

    def tuples(self) -> Iterator[tuple[Any, ...]]:
        """The rows as tuples of plain values."""
        return zip(*(column.values for column in self._columns.values()), strict=True)

    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: slice) -> Table: ...

    def __getitem__(self, key: str | int | slice) -> list[Any] | dict[str, Any] | Table:
        """A column by its name, a row by its number, or some of the rows."""
        if isinstance(key, str):
            return list(self._column(key).values)
        if isinstance(key, slice):
            return self._each(lambda values: values[key])
        if not -len(self) <= key < len(self):
            raise IndexError(f"there is no row {key}: the table has {len(self)}")
        return {name: column.values[key] for name, column in self._columns.items()}

    def top(self, n: int, by: str | None = None) -> Table:
        """The first `n` rows, or those with the `n` largest values in a column."""
        if by is None:
            return self[:n]
        values = self._column(by).values
        known = (at for at in range(len(self)) if values[at] is not None)
        order = sorted(known, key=lambda at: values[at], reverse=True)[:n]
        return self._each(lambda values: [values[at] for at in order])

    def select(self, *columns: str) -> Table:
        """The same with these columns only, in this order."""
        return Table({name: self._column(name) for name in columns}, self._json)

    def renamed(self, names: Sequence[str]) -> Table:
        """The same with other names of columns."""
        return Table(dict(zip(names, self._columns.values(), strict=True)), self._json)

    def _column(self, name: str) -> Column:
        if name not in self._columns:
            raise ColumnError(f"the table has no column {name!r}{near(name, self.columns)}")
        return self._columns[name]

    def _each(self, change: Any) -> Table:
        columns = self._columns.items()
        changed = {name: Column(kind, change(values)) for name, (kind, values) in columns}
        return Table(changed, self._json)

    # For other libraries

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows as Arrow record batches, for Polars, DuckDB, pyarrow and others."""
        columns = [_native(name, column) for name, column in self._columns.items()]
        return _onca.stream_of(columns).__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a data frame of pandas. Integers stay exact where some are missing."""
        module = need("pandas", "to_pandas()")
        kinds = {"int": "Int64", "bool": "boolean", "float": "float64"}

        def series(column: Column) -> Any:
            has_gaps = None in column.values
            plain = column.kind == "text" or (column.kind in ("int", "bool") and not has_gaps)
            # Too large for 64 bits: pandas keeps such numbers as objects.
            return module.Series(column.values, dtype=None if plain else kinds[column.kind])

        columns = {name: series(column) for name, column in self._columns.items()}
        found: pandas.DataFrame = module.DataFrame(columns, columns=self.columns)
        return found

    # For people

    def __repr__(self) -> str:
        return _as_text(self)

    def _repr_html_(self) -> str:
        sides = ["left" if column.kind == "text" else "right" for column in self._columns.values()]
        heads = _html_row("th", sides, self.columns)
        rows = [_html_row("td", sides, map(_shown, row)) for row in self[:_SHOWN_ROWS].tuples()]
        table = f"<table><thead>{heads}</thead><tbody>{''.join(rows)}</tbody></table>"
        return f'<div style="overflow-x: auto">{table}</div><p>{_size(self)}</p>'

    # Making tables

    @classmethod
    def of(cls, rows: Iterable[Json], shape: str, json: Json | None = None) -> Table:
        """Makes a table of JSON objects. A shape lists columns, as `_shapes.py` tells."""
        columns = [_ShapeColumn.parse(word) for word in shape.split()]
        rows = list(rows)
        made = {it.name: Column(it.kind, [it.value(row) for row in rows]) for it in columns}
        return cls(made, json)

    @classmethod
    def joined(cls, tables: Sequence[tuple[Mapping[str, Any], Table]]) -> Table:
        """Tables below each other, each with columns in front that hold one value."""
        names: dict[str, str] = {}
        for front, table in tables:
            names |= {name: kind_of(it[name] for it, _ in tables if name in it) for name in front}
            names |= table.kinds
        columns: dict[str, Column] = {}
        for name, kind in names.items():
            values: list[Any] = []
            for front, table in tables:
                missing = [front.get(name)] * len(table)
                values += table._columns[name].values if name in table.columns else missing
            columns[name] = Column(kind, values)
        return cls(columns, {"runs": [table.json for _, table in tables]})


class _ShapeColumn(NamedTuple):
    name: str
    path: tuple[str, ...]
    kind: str

    @classmethod
    def parse(cls, word: str) -> _ShapeColumn:
        word, _, kind = word.partition(":")
        name, _, path = word.partition("=")
        kinds = {"": "text", "i": "int", "f": "float", "b": "bool"}
        return cls(name, tuple((path or name).split(".")), kinds[kind])

    def value(self, row: Any) -> Any:
        for part in self.path:
            row = None if row is None else row.get(part)
        if row is None:
            return None
        if self.kind == "float":
            return float(row)
        return str(row) if self.kind == "text" else row


def kind_of(values: Iterable[object]) -> str:
    """The kind of a column that holds these values."""
    known = [value for value in values if value is not None]
    if not known or not all(isinstance(value, (int, float)) for value in known):
        return "text"
    if all(isinstance(value, bool) for value in known):
        return "bool"
    return "int" if all(isinstance(value, int) for value in known) else "float"


def _native(name: str, column: Column) -> tuple[str, str, list[Any]]:
    """A column for Arrow. Integers that do not fit 64 bits are floats there."""
    kind, values = column
    if kind == "int" and any(v is not None and not -_LARGEST <= v <= _LARGEST for v in values):
        return name, "float", [None if value is None else float(value) for value in values]
    return name, kind, values


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    half = _SHOWN_WIDTH // 2
    return text if len(text) <= _SHOWN_WIDTH else f"{text[:half]}…{text[-half + 1 :]}"


def _html_row(tag: str, sides: Sequence[str], texts: Iterable[str]) -> str:
    style = "white-space: nowrap; text-align"
    cells = zip(sides, texts, strict=True)
    return "<tr>" + "".join(f'<{tag} style="{style}: {side}">{escape(text)}</{tag}>' for side, text in cells) + "</tr>"


def _size(table: Table) -> str:
    rows = "1 row" if len(table) == 1 else f"{len(table):,} rows"
    return f"{rows}, {len(table.columns)} columns"


def _as_text(table: Table) -> str:
    head = table[:_SHOWN_ROWS]
    columns = [(name, column, [_shown(v) for v in column.values]) for name, column in head._columns.items()]
    lines = [""] * (len(head) + 1)
    for name, column, texts in columns:
        width = max(map(len, [name, *texts]))
        for at, text in enumerate([name, *texts]):
            padded = text.ljust(width) if column.kind == "text" else text.rjust(width)
            lines[at] += padded + "  "
    return "\n".join([*(line.rstrip() for line in lines), f"[{_size(table)}]"])
