"""Tables for other libraries: everything that offers an Arrow stream."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ._errors import need

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["ArrowTable"]


class ArrowTable:
    """What has `__arrow_c_stream__`, with short ways to the usual libraries.

    Polars, DuckDB and pyarrow take such an object as it is: `polars.DataFrame(answer)`,
    `duckdb.sql("select count(*) from answer")`, `pyarrow.table(answer)`.
    """

    __slots__ = ()

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        raise NotImplementedError

    def tuples(self) -> Iterator[tuple[Any, ...]]:
        """The rows as tuples of plain values, one after the other."""
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A stream of Arrow record batches. It may be asked for as often as one likes."""
        raise NotImplementedError

    def to_polars(self) -> polars.DataFrame:
        """The rows as a data frame of Polars."""
        found: polars.DataFrame = need("polars", "to_polars()").DataFrame(self)
        return found

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a table of pyarrow."""
        found: pyarrow.Table = need("pyarrow", "to_arrow()").table(self)
        return found

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a data frame of pandas; with pyarrow, if it is there, without copying numbers."""
        module = need("pandas", "to_pandas()")
        found: pandas.DataFrame
        if find_spec("pyarrow") is None:
            found = module.DataFrame.from_records(list(self.tuples()), columns=self.columns)
        else:
            found = self.to_arrow().to_pandas()
        return found
