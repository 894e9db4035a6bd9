"""Times of nodes in values and slices, as an array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _onca
from ._errors import need
from ._table import Column, Table

if TYPE_CHECKING:
    import numpy
    import numpy.typing

__all__ = ["Cube"]


class Cube:
    """The exclusive time of each node in each value of states in each slice of the window, in ticks.

    >>> cube = trace.cube(slices=500, level="Process")
    >>> cube.ticks.shape == (len(cube.nodes), len(cube.values), 500)
    True
    >>> cube.ticks.sum(axis=(0, 2))
    """

    __slots__ = ("_native",)

    def __init__(self, native: _onca.Cube) -> None:
        self._native = native

    @property
    def ticks(self) -> numpy.typing.NDArray[numpy.int64]:
        """The times as an array of NumPy: nodes, values, slices. It is the memory of the cube, not a copy,
        and cannot be written."""
        found: numpy.typing.NDArray[numpy.int64] = need("numpy", "ticks").asarray(self._native)
        return found

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """The times, for whatever takes arrays of NumPy."""
        return self._native.__array_interface__

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many nodes, values and slices there are."""
        nodes, values, slices = self._native.__array_interface__["shape"]
        return nodes, values, slices

    @property
    def nodes(self) -> list[str]:
        """The paths of the nodes."""
        return list(self._native.nodes)

    @property
    def values(self) -> list[str]:
        """The names of the values."""
        return [name for _, name in self._native.values]

    @property
    def types(self) -> list[str]:
        """The type of each value."""
        return [type_name for type_name, _ in self._native.values]

    @property
    def edges(self) -> list[int]:
        """The borders of the slices in ticks, one more than there are slices."""
        return list(self._native.edges)

    def table(self) -> Table:
        """What is not zero, a row for each node, value and slice. It needs NumPy."""
        numpy = need("numpy", "table()")
        ticks = self.ticks
        at = numpy.nonzero(ticks)
        nodes, values, slices = (index.tolist() for index in at)
        edges = self.edges
        return Table(
            {
                "path": Column("text", [self.nodes[i] for i in nodes]),
                "type": Column("text", [self.types[i] for i in values]),
                "value": Column("text", [self.values[i] for i in values]),
                "slice": Column("int", slices),
                "from_ticks": Column("int", [edges[i] for i in slices]),
                "to_ticks": Column("int", [edges[i + 1] for i in slices]),
                "ticks": Column("int", ticks[at].tolist()),
            }
        )

    def __repr__(self) -> str:
        nodes, values, slices = self.shape
        return f"<Cube of {nodes} nodes, {values} values and {slices} slices>"
