"""Comparing runs: why one is longer than another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ._ask import Json, ask, words_of
from ._errors import OptionError, OptionValueError
from ._findings import Findings
from ._info import Window
from ._opened import lens_words
from ._picture import Picture, check_view
from ._shapes import SHAPES
from ._table import Table

if TYPE_CHECKING:
    from ._trace import Trace

__all__ = ["Comparison", "compare", "scaling"]

_ALIGN = {"phase": "phases", "iteration": "iterations"}


def compare(
    before: Trace | Sequence[Trace],
    after: Trace | Sequence[Trace],
    *,
    align: str | None = None,
    by: str | None = None,
    **options: object,
) -> Comparison:
    """Why a run is longer than another, or shorter: `onca compare`.

    Several runs a side tell chance from change. `align` (or `by`) says by what times belong together: `"auto"`,
    `"iterations"`, `"phases"`, `"begin"`, `"end"`, `"events:NAME"` or `"none"`. `level="Machine"`, `depth=2` and
    `top=5` are as in the command. Both runs are seen through the lens that they have; windows are not compared.

    >>> comparison = onca.compare(before, after, by="phase")
    >>> comparison.change, comparison.account
    >>> for finding in comparison.findings: print(finding.text)
    """
    if align is not None and by is not None:
        raise OptionError("align and by say the same: give one of them")
    how = align or by
    asked: Json = {"align": None if how is None else _ALIGN.get(how, how)} | options
    sides = _runs(before), _runs(after)
    first = _checked([*sides[0], *sides[1]])
    with lens_words(first.lens) as lens:
        words = ["compare", "--json", *first._opened.reading, *words_of(asked), *lens]
        answer = ask([*words, *_named(*sides)])
    return Comparison(answer.json(), *sides)


def scaling(runs: Sequence[Trace], **options: object) -> Table:
    """How efficient runs with more and more processes are: `onca compare --scaling`.

    >>> onca.scaling([small, middle, large])
    """
    first = _checked(runs)
    with lens_words(first.lens) as lens:
        words = ["compare", "--scaling", "--json", *words_of(options), *lens, "--"]
        json = ask(words + [run.store for run in runs]).json()
    return Table.of(json["runs"], SHAPES["scaling"], json)


def _runs(side: Trace | Sequence[Trace]) -> list[Trace]:
    return list(side) if isinstance(side, (list, tuple)) else [side]  # type: ignore[list-item]


def _checked(runs: Sequence[Trace]) -> Trace:
    """The first run, if all can be compared."""
    if not runs:
        raise OptionValueError("there is no run to compare")
    for run in runs:
        run._opened.check()
        if not run._look.is_whole:
            raise OptionValueError(f"{run.path}: runs are compared as a whole, not in a window")
        if run.lens != runs[0].lens:
            raise OptionValueError(f"{run.path}: runs are compared through one lens, not several")
    return runs[0]


def _named(before: Sequence[Trace], after: Sequence[Trace]) -> list[str]:
    if len(before) == 1 and len(after) == 1:
        return ["--", before[0].store, after[0].store]
    stores = {"before": [run.store for run in before], "after": [run.store for run in after]}
    return words_of(stores)


class Comparison:
    """Why a run is longer than another: parts that add up to the difference, to the tick.

    `json` has everything, as docs/json.md describes it.
    """

    def __init__(self, json: Json, before: Sequence[Trace], after: Sequence[Trace]) -> None:
        self.json = json
        self._before, self._after = before, after

    @property
    def before(self) -> Window:
        """The first run."""
        return Window.of(self.json["before"])

    @property
    def after(self) -> Window:
        """The second run."""
        return Window.of(self.json["after"])

    @property
    def change(self) -> float:
        """How much longer the second run is, in units."""
        return float(self.json["change"])

    @property
    def change_ticks(self) -> int:
        """How much longer the second run is, in ticks."""
        return int(self.json["change_ticks"])

    @property
    def change_share(self) -> float | None:
        """How much longer the second run is, as a share of the first."""
        found: float | None = self.json["change_share"]
        return found

    @property
    def related(self) -> bool:
        """Have the runs anything in common? If not, nothing else is compared."""
        return bool(self.json["related"])

    @property
    def account(self) -> dict[str, float]:
        """The parts of the change in ticks, which add up to it: `work`, `rest`, `new` and `gone`."""
        return dict(self.json["account"])

    @property
    def findings(self) -> Findings:
        """What changed, the largest change of the run time first."""
        return Findings(self.json, "compared")

    @property
    def values(self) -> Table:
        """The time of all processes in each value in both runs, the largest change first."""
        return Table.of(self.json["values"], SHAPES["value-changes"], self.json)

    @property
    def pairs(self) -> Table:
        """The parts of both runs that belong together, in order."""
        return Table.of(self.json["pairs"], SHAPES["pairs"], self.json)

    def table(self, of: str = "values") -> Table:
        """The changes of the `"values"`, the `"findings"`, or the `"pairs"` of parts."""
        match of:
            case "values":
                return self.values
            case "findings":
                return self.findings.table()
            case "pairs":
                return self.pairs
        raise OptionValueError(f"a comparison has values, findings and pairs, but no {of!r}")

    def render(self, view: str = "timeline", **options: object) -> Picture:
        """A picture of both runs: `timeline`, `overview`, `treemap`, `flame`, `matrix` or `table`.

        >>> comparison.render("timeline").save("both.svg")
        """
        if len(self._before) != 1 or len(self._after) != 1:
            raise OptionValueError("a picture compares two runs, not several")
        before, after = self._before[0], self._after[0]
        view = view.removeprefix("compare-")
        check_view(view, of_two=True)
        name = f"compare-{view}"
        words = words_of(options)

        def draw(format: str) -> bytes:
            _checked([before, after])
            with lens_words(before.lens) as lens:
                drawn = [*words, *lens, "--output=-", f"--format={format}"]
                return ask(["render", name, *drawn, "--", before.store, after.store]).out

        return Picture(name, f"{before.path} and {after.path}", draw)

    def __repr__(self) -> str:
        unit = self.json["unit"]["name"]
        share = "" if self.change_share is None else f" ({self.change_share:+.1%})"
        return f"<Comparison: {self.change:+g} {unit}{share}>\n{self.findings!r}"

    def _repr_html_(self) -> str:
        unit = self.json["unit"]["name"]
        share = "" if self.change_share is None else f" ({self.change_share:+.1%})"
        return f"<p>{self.change:+g} {unit}{share}</p>{self.findings._repr_html_()}"
