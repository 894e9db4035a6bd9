"""Data sets have the numbers of `onca query`, whoever reads them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow.dataset
import pytest
from conftest import answer, command

pytestmark = pytest.mark.skipif("ONCA_SQL" not in os.environ, reason="ONCA_SQL names no program that answers SQL")

SHARDS = 3
TOTALS = """
    select value, count(*) as n, sum(duration_ticks) as ticks, sum(exclusive_ticks) as exclusive
    from states group by value order by value
"""


@pytest.fixture(scope="module")
def dataset(traces: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo trace, written in shards."""
    place = tmp_path_factory.mktemp("dataset") / "demo.set"
    for shard in range(1, SHARDS + 1):
        words = ["--format=dataset", f"--shard={shard}/{SHARDS}", "-o", str(place)]
        asked = command("export", str(traces["demo"]), *words)
        assert asked.status == 0, asked.said
    sealed = command("export", "--seal", "-o", str(place), "--json")
    assert sealed.status == 0, sealed.said
    assert sealed.json["parts"] == SHARDS
    return place


@pytest.fixture(scope="module")
def totals(traces: dict[str, Path]) -> list[tuple[Any, ...]]:
    """What the store answers, in ticks."""
    return [tuple(row) for row in answer("query", str(traces["demo"]), TOTALS, "--format=json")["rows"]]


def test_duckdb(dataset: Path, totals: list[tuple[Any, ...]]) -> None:
    files = f"from '{dataset}/states/*.parquet'"
    assert duckdb.sql(TOTALS.replace("from states", files)).fetchall() == totals


def test_polars(dataset: Path, totals: list[tuple[Any, ...]]) -> None:
    states = polars.scan_parquet(f"{dataset}/states/*.parquet")
    ticks, exclusive = polars.col("duration_ticks").sum(), polars.col("exclusive_ticks").sum()
    by_value = states.group_by(polars.col("value").cast(polars.String))
    found = by_value.agg(polars.len(), ticks, exclusive).sort("value").collect()
    assert found.rows() == totals


def test_pyarrow(dataset: Path, totals: list[tuple[Any, ...]]) -> None:
    states = pyarrow.dataset.dataset(dataset / "states", format="parquet")
    columns = ["value", "duration_ticks", "exclusive_ticks"]
    sums: dict[str, tuple[int, int, int]] = {}
    for value, ticks, exclusive in zip(*states.to_table(columns=columns).to_pydict().values(), strict=True):
        n, *before = sums.get(value, (0, 0, 0))
        sums[value] = (n + 1, before[0] + ticks, before[1] + exclusive)
    assert [(value, *sums[value]) for value in sorted(sums)] == totals


def test_all_tables_are_there(dataset: Path, traces: dict[str, Path]) -> None:
    tables = ("containers", "types", "type_values", "diagnostics", "states", "links", "events", "variables")
    for table in tables:
        query = f"select count(*) from {table}"
        theirs = answer("query", str(traces["demo"]), query, "--format=json")["rows"]
        ours = duckdb.sql(f"select count(*) from '{dataset}/{table}/*.parquet'").fetchall()
        assert ours == [tuple(row) for row in theirs], table
