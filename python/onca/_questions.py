"""The questions whose answers are tables, for a trace and for many.

Their options are the flags of the commands: `min_share=0.1` is `--min-share 0.1`, `idle=True` is `--idle`, a list is
a flag that is given several times, and a word that Python keeps for itself ends in `_`, as in `in_=`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ._ask import Json, words_of
from ._errors import OptionValueError
from ._shapes import SHAPES, overview_table, slice_table, sql_table, stats_table
from ._table import Table

if TYPE_CHECKING:
    from ._trace import Trace

__all__ = ["Questions"]

_STATISTICS = (
    "values",
    "longest",
    "containers",
    "balance",
    "matrix",
    "histograms",
    "concurrency",
    "efficiency",
)
# How many are found at a time.
_PAGE = 100_000


class Questions:
    """Questions whose answers are tables. Each looks at the window, through the lens."""

    __slots__ = ()

    def _each(self, question: Callable[[Trace], Table]) -> Table:
        """Asks the trace, or each of them."""
        raise NotImplementedError

    def slice(self, **options: object) -> Table:
        """The time of each container and value in the window, at any level: `onca slice`.

        `level="Machine"` or `depth=2`, `slices=100`, `by="links"`, `mode="size"`, `agg="max / mean"`,
        `ratio="time:MPI_Wait / count:link"`, `normalise=True`, `vectors=True`.

        >>> trace.slice(level="Machine", slices=100)
        """
        return self._each(lambda it: slice_table(it._json("slice", options)))

    def profile(self, **options: object) -> Table:
        """The time of each path of nested states: `onca profile`.

        `level="Machine"`, `depth=2`, `each=True`, `depth_limit=5`, `min_share=0.01`.

        >>> trace.profile(min_share=0.01).top(10, "exclusive_ticks")
        """

        def ask(trace: Trace) -> Table:
            json = trace._json("profile", options)
            return Table.of(json["paths"], SHAPES["profile"], json)

        return self._each(ask)

    def stats(self, what: str = "values", **options: object) -> Table:
        """One of the tables of `onca stats`: `values`, `longest`, `containers`, `balance`, `matrix`,
        `histograms`, `concurrency` or `efficiency`.

        `level="Machine"`, `depth=2`, `slices=20`, `measure="inclusive"`, `top=10`, `split=True`, `phases=True`.

        >>> trace.stats("balance").top(5, "imbalance_percent")
        """
        if what not in _STATISTICS:
            raise OptionValueError(f"there is no table {what!r}; there are {', '.join(_STATISTICS)}")
        asked = {"what": what} | options
        return self._each(lambda it: stats_table(what, it._json("stats", asked)))

    def matrix(self, **options: object) -> Table:
        """Who sends how many messages to whom, how large and how long: `stats("matrix")`.

        >>> trace.matrix(level="Cluster")
        """
        return self.stats("matrix", **options)

    def efficiency(self, **options: object) -> Table:
        """Parallel efficiency, load balance and communication efficiency: `stats("efficiency")`.

        >>> trace.efficiency(slices=50, split=True)
        """
        return self.stats("efficiency", **options)

    def find(self, pattern: str, *, limit: int | None = None, **options: object) -> Table:
        """States, links, events and containers by name, extra field and duration: `onca find`.

        All that are found come, or the first `limit`. `kinds=["state"]`, `in_=["values", "types"]`,
        `field="Size"`, `longer_than="5ms"`, `shorter_than=0.1`, `ignore_case=True`; with `count=True` only how
        many there are.

        >>> trace.find("MPI_Wait", longer_than="5ms").top(10, "duration_ticks")
        """
        if options.get("count"):

            def count(trace: Trace) -> Table:
                json = trace._json("find", options, (pattern,))
                return Table.of(json["counts"], SHAPES["find-count"], json)

            return self._each(count)
        return self._each(lambda it: _find(it, pattern, limit, options))

    def overview(self, **options: object) -> Table:
        """Which parts of the trace look alike: `onca overview`. A row is an area of the optimal partition.

        `slices=60`, `p=0.02` or a list of such, `p_rank=3`, `metric="bytes"`, `axis="time"`, `idle=True`. With
        `list_p=True` or `curve=True` a row is a trade-off, with `disruptions=True` one of these, with
        `change=True` a slice.

        >>> trace.overview(disruptions=True)
        """
        return self._each(lambda it: overview_table(it._json("overview", options)))

    def phases(self, **options: object) -> Table:
        """When who communicates with whom: `onca phases`. A row is a phase; `json` tells its communities.

        `phases=12`, `communities=4`, `level="Machine"`, `size="value"`, `function="MPI_Allreduce"`.
        """

        def ask(trace: Trace) -> Table:
            json = trace._json("phases", options)
            rows = [one | {"communities": len(one["communities"])} for one in json["phases"]]
            return Table.of(rows, SHAPES["phases"], json)

        return self._each(ask)

    def clocks(self, **options: object) -> Table:
        """How far the clocks of processes are off: `onca clocks`. A row is a process with messages.

        `level="Machine"`, `link_type="MPI_LINK"`.
        """

        def ask(trace: Trace) -> Table:
            json = trace._json("clocks", options)
            return Table.of(json["processes"], SHAPES["clocks"], json)

        return self._each(ask)

    def topology(self, **options: object) -> Table:
        """How much crosses each link of a network: `onca topology`. A row is a link; `json` tells hops and sites.

        `topology="net.dot"` unless the trace tells of its network, `map="places.csv"`, `routes="ways.txt"`,
        `routing="latency"`.
        """

        def ask(trace: Trace) -> Table:
            json = trace._json("topology", options)
            return Table.of(json["links"], SHAPES["topology"], json)

        return self._each(ask)

    def sql(self, query: str, **options: object) -> Table:
        """The answer of a query in SQL about the whole trace: `onca query`. The program `onca-sql` answers;
        without it, the exception says where it was looked for.

        `timeout=10`, `max_rows=1000`, `memory="4G"`.

        >>> trace.sql("select value, count(*) as n from states group by value order by n desc")
        """
        if query.strip() in ("", "-"):
            raise OptionValueError("write a query")
        asked: Json = {"format": "json"} | options

        def ask(trace: Trace) -> Table:
            if not trace.is_whole:
                raise OptionValueError(
                    f"{trace.path}: SQL asks the whole trace; say in the query what is wanted, or ask "
                    "DuckDB or Polars about trace.states"
                )
            answer = trace._opened.ask("query", words_of(asked), (query,))
            return sql_table(answer.json())

        return self._each(ask)


def _find(trace: Trace, pattern: str, limit: int | None, options: Json) -> Table:
    """What is found, page after page."""
    found: list[Json] = []
    asked = dict(options)
    while True:
        asked["limit"] = _PAGE if limit is None else min(_PAGE, limit - len(found))
        json = trace._json("find", asked, (pattern,))
        found += json["found"]
        asked["after"] = json["next"]
        if json["next"] is None or (limit is not None and len(found) >= limit):
            return Table.of(found, SHAPES["find"], json | {"found": found})
