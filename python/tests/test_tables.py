"""Tables have the numbers of the JSON, whoever reads them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest

import onca

TABLES: list[tuple[str, dict[str, Any]]] = [
    ("slice", {"slices": 3, "depth": 2}),
    ("slice", {"vectors": True, "depth": 2}),
    ("slice", {"by": "links", "mode": "peers", "level": "Cluster"}),
    ("profile", {}),
    ("stats", {}),
    ("stats", {"what": "longest"}),
    ("stats", {"what": "containers", "level": "Machine"}),
    ("stats", {"what": "balance"}),
    ("stats", {"what": "histograms"}),
    ("stats", {"what": "concurrency"}),
    ("matrix", {"level": "Cluster"}),
    ("efficiency", {"slices": 4, "split": True}),
    ("find", {"pattern": "MPI_Wait", "limit": 50}),
    ("find", {"pattern": "*", "count": True}),
    ("overview", {}),
    ("overview", {"change": True}),
    ("overview", {"disruptions": True}),
    ("overview", {"list_p": True}),
    ("phases", {}),
    ("clocks", {}),
]


@pytest.fixture(params=range(len(TABLES)), ids=lambda at: "-".join([TABLES[at][0], *map(str, TABLES[at][1])]))
def table(request: pytest.FixtureRequest, demo: onca.Trace) -> onca.Table:
    method, options = TABLES[request.param]
    found: onca.Table = getattr(demo, method)(**options)
    assert len(found) > 0
    return found


def test_libraries_read_the_same_rows(table: onca.Table) -> None:
    rows = [tuple(row.values()) for row in table]
    assert polars.DataFrame(table).rows() == rows
    assert table.to_polars().rows() == rows
    assert [tuple(row.values()) for row in pyarrow.table(table).to_pylist()] == rows
    assert table.to_arrow().column_names == table.columns
    assert duckdb.from_arrow(table).fetchall() == rows
    frame = table.to_pandas()
    assert list(frame.columns) == table.columns
    for name in table.columns:
        found = [None if pandas.isna(value) else value for value in frame[name].tolist()]
        assert found == table[name], name


def test_tables_can_be_read_without_pyarrow(demo: onca.Trace) -> None:
    code = f"""
import sys
sys.modules["pyarrow"] = None
import duckdb, onca, polars
trace = onca.open({demo.path!r})
answer = table = trace.slice(depth=2, slices=3)
rows = [tuple(row.values()) for row in table]
assert polars.DataFrame(table).rows() == rows
assert duckdb.sql("select * from answer").fetchall() == rows
states = trace.states
n = trace.counts["states"]
assert duckdb.sql("select count(*), count(distinct value) from states").fetchall()[0][0] == n
assert duckdb.sql("select count(*) from states where duration_ticks >= 0").fetchall() == [(n,)]
assert polars.DataFrame(states.scan(columns=["value"])).height == n
assert states.lazy().select(polars.len()).collect().item() == n
assert len(trace.events.to_pandas()) == trace.counts["events"]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_rows_are_those_of_the_json(demo: onca.Trace) -> None:
    slices = demo.slice(slices=3, depth=2)
    json = slices.json
    assert slices["amount_ticks"] == json["rows"]["amount_ticks"]
    assert slices["amount"] == json["rows"]["amount"]
    assert slices["path"] == [json["nodes"][at]["path"] for at in json["rows"]["node"]]
    assert slices["value"] == [json["values"][at]["name"] for at in json["rows"]["value"]]
    assert slices["from_ticks"] == [json["slices"][at]["from_ticks"] for at in json["rows"]["slice"]]
    profile = demo.profile()
    for row, path in zip(profile, profile.json["paths"], strict=True):
        assert row == {"path": path["node"]["path"], "kind": path["node"]["kind"]} | {
            name: path[name] for name in list(row)[2:]
        }
    matrix = demo.matrix(level="Cluster")
    for row, pair in zip(matrix, matrix.json["pairs"], strict=True):
        assert (row["from"], row["to"]) == (pair["from"]["path"], pair["to"]["path"])
        assert (row["count"], row["size"], row["time_ticks"]) == (pair["count"], pair["size"], pair["time_ticks"])
    efficiency = demo.efficiency()
    assert efficiency["wait_ticks"] == [it["roles"]["wait_ticks"] for it in efficiency.json["efficiency"]]
    areas = demo.overview()
    assert areas["mode"] == [area["mode"] for one in areas.json["optimal"] for area in one["areas"]]


def test_columns_rows_and_parts(demo: onca.Trace) -> None:
    table = demo.stats()
    assert table["value"] == [row["value"] for row in table]
    assert table[0] == table.rows[0] and table[-1] == table.rows[-1]
    assert table[1:3].rows == table.rows[1:3]
    assert table.top(2).rows == table.rows[:2]
    by_count = table.top(3, "count")["count"]
    assert by_count == sorted((it for it in table["count"] if it is not None), reverse=True)[:3]
    assert table.select("count", "value").columns == ["count", "value"]
    assert table.select("value")["value"] == table["value"]
    assert table.kinds["total_ticks"] == "int" and table.kinds["total"] == "float"
    with pytest.raises(onca.ColumnError, match="'total_tick'; is it 'total_ticks'"):
        table["total_tick"]
    with pytest.raises(IndexError, match="no row 1000"):
        table[1000]


def test_people_see_tables(demo: onca.Trace) -> None:
    table = demo.slice(level="Cluster", values=["computing"])
    lines = repr(table).splitlines()
    assert lines[0].split() == table.columns
    assert lines[-1] == "[3 rows, 14 columns]"
    assert "118,340,174,310" in lines[1]
    html = demo.values("*").slice()._repr_html_()
    assert html.count("<tr>") == 21 and "rows, 14 columns" in html
    odd = onca.Table.of([{"name": "<b>&"}], "name")
    assert "<td" in odd._repr_html_() and "&lt;b&gt;&amp;" in odd._repr_html_()


def test_numbers_beyond_64_bits_stay_exact_in_python() -> None:
    table = onca.Table.of([{"n": 2**70, "x": 1}, {"n": None, "x": 2.5}], "n:i x:f")
    assert table["n"] == [2**70, None] and table["x"] == [1.0, 2.5]
    assert polars.DataFrame(table)["n"].to_list() == [float(2**70), None]


def test_an_empty_table_has_its_columns(demo: onca.Trace) -> None:
    table = demo.find("nobody has this name")
    assert len(table) == 0 and "duration_ticks" in table.columns
    assert polars.DataFrame(table).schema["duration_ticks"] == polars.Int64
    assert table.to_pandas().shape == (0, len(table.columns))
    assert duckdb.from_arrow(table).fetchall() == []


def test_the_cube_has_the_times_of_slices(trace: onca.Trace) -> None:
    for part in (trace, trace["15%":"80%"].hide("*omp*")):
        cube = part.cube(slices=6, depth=2)
        rows = part.slice(slices=6, depth=2)
        ticks = numpy.zeros(cube.shape, dtype=numpy.int64)
        for row in rows:
            at = (
                cube.nodes.index(row["path"]),
                list(zip(cube.types, cube.values, strict=True)).index((row["type"], row["value"])),
            )
            ticks[at][row["slice"]] = row["amount_ticks"]
        assert (ticks == cube.ticks).all()
        assert len(cube.edges) == 7
        assert (cube.edges[0], cube.edges[-1]) == (part.window.start_ticks, part.window.end_ticks)
        assert sum(cube.table()["ticks"]) == int(cube.ticks.sum())


def test_the_cube_is_not_copied(demo: onca.Trace) -> None:
    cube = demo.cube(slices=50, level="Process")
    ticks = cube.ticks
    address = cube.__array_interface__["data"][0]
    assert ticks.__array_interface__["data"][0] == address
    assert numpy.asarray(cube).__array_interface__["data"][0] == address
    assert ticks.dtype == numpy.int64 and ticks.shape == cube.shape
    with pytest.raises(ValueError, match="read-only"):
        ticks[0, 0, 0] = 1
    before = ticks.copy()
    del cube
    assert (ticks == before).all()
