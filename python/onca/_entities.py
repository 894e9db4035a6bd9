"""The tables of a trace: streams of Arrow batches that are read when somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from . import _onca
from ._arrow import ArrowTable
from ._errors import ColumnError, need
from ._near import near
from ._opened import Opened, failing

if TYPE_CHECKING:
    import polars

    from ._trace import Trace

__all__ = ["Entities", "Narrowing", "Scan"]


class Scan(ArrowTable):
    """Some columns of a table. Nothing is read until it is asked for; then it comes block by block.

    >>> scan = trace.states.scan(columns=["container", "value", "duration_ticks"])
    >>> duckdb.sql("select value, sum(duration_ticks) from scan group by value")
    """

    __slots__ = ("_opened", "_stream")

    def __init__(self, stream: _onca.Stream, opened: Opened) -> None:
        self._stream = stream
        self._opened = opened

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._stream.columns)

    def tuples(self) -> Iterator[tuple[Any, ...]]:
        """The rows as tuples of plain values, block by block. It needs no Arrow library."""
        self._opened.check()
        with failing(self._opened.path):
            yield from self._stream.rows()

    def batches(self) -> Iterator[_onca.Stream]:
        """The blocks one by one, each read when it is asked for, for who takes Arrow streams."""
        self._opened.check()
        with failing(self._opened.path):
            yield from self._stream.batches()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = self.columns
        return (dict(zip(names, row, strict=True)) for row in self.tuples())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A stream that begins with the first row, each time."""
        self._opened.check()
        return self._stream.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Scan of {', '.join(self.columns)}>"


class Entities(ArrowTable):
    """A table of a trace, as docs/sql.md describes it: the states, links, events or variables that touch the
    window and that the lens shows. Containers, types and problems are always all there, so that every id can
    be looked up.

    It is never in memory as a whole unless you ask for that. Polars and DuckDB take it as it is:

    >>> states = trace["10%":"20%"].states
    >>> duckdb.sql("select value, sum(exclusive_ticks) from states group by value")
    >>> states.lazy().group_by("value").agg(polars.col("duration_ticks").sum()).collect()
    >>> for value, ticks in states.scan(columns=["value", "duration_ticks"]).tuples(): ...
    """

    __slots__ = ("_name", "_trace")

    def __init__(self, trace: Trace, name: str) -> None:
        self._trace = trace
        self._name = name

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._name

    @property
    def types(self) -> dict[str, str]:
        """By name of a column, its Arrow type."""
        tables = dict(self._trace._native().tables())
        if self.name not in tables:
            known = near(self.name, list(tables))
            raise ColumnError(f"{self._trace.path}: there is no table {self.name!r}{known}")
        return dict(tables[self.name])

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.types)

    def scan(self, columns: Sequence[str] | None = None) -> Scan:
        """The rows of these columns, or of all. Only what they need is read from the disk."""
        known = self.columns
        wanted = known if columns is None else list(columns)
        for name in wanted:
            if name not in known:
                where = f"{self._trace.path}: {self.name}"
                raise ColumnError(f"{where} has no column {name!r}{near(name, known)}")
        stream = self._trace._scan(self.name, None if columns is None else wanted)
        return Scan(stream, self._trace._opened)

    def rows(self, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """The rows, each with its values by column, one after the other."""
        return iter(self.scan(columns))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self.rows()

    def tuples(self) -> Iterator[tuple[Any, ...]]:
        """The rows as tuples of plain values, one after the other."""
        return self.scan().tuples()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A stream that begins with the first row, each time."""
        return self.scan().__arrow_c_stream__(requested_schema)

    def lazy(self) -> polars.LazyFrame:
        """A lazy frame of Polars. It reads the columns that a query needs, block by block, and applies the
        query's conditions to each block.

        >>> lazy = trace.states.lazy()
        >>> lazy.filter(polars.col("value") == "MPI_Wait").select("duration_ticks").sum().collect()
        """
        pl = need("polars", "lazy()")
        plugins = need("polars.io.plugins", "lazy()")

        def source(
            columns: list[str] | None,
            predicate: polars.Expr | None,
            n_rows: int | None,
            batch_size: int | None,
        ) -> Iterator[polars.DataFrame]:
            for batch in self.scan(columns).batches():
                frame = pl.DataFrame(batch)
                if predicate is not None:
                    frame = frame.filter(predicate)
                if n_rows is not None:
                    frame = frame.head(n_rows)
                    n_rows -= frame.height
                yield frame
                if n_rows == 0:
                    return

        # That of the first block; of nothing, if there is none.
        scan = self.scan()
        schema = pl.DataFrame(next(scan.batches(), scan)).schema
        lazy: polars.LazyFrame = plugins.register_io_source(source, schema=schema)
        return lazy

    def __repr__(self) -> str:
        return f"<{self.name} of {self._trace.path}: {', '.join(self.columns)}>"


class Narrowing(Entities):
    """The table of containers or of types, which is also the way to see only some of them:
    `trace.containers("cluster-2/**")`."""

    __slots__ = ()

    def __call__(self, *patterns: str) -> Trace:
        """The trace, with only these containers or types."""
        return self._trace._lensed(lambda lens: lens.narrowed(self.name, "only", patterns))
