"""The package needs nothing but the standard library, and says what else would help."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import command

import onca

PACKAGE = Path(onca.__file__).parent.parent

CODE = """
import sys
sys.path.insert(0, sys.argv[2])
import onca

trace = onca.open(sys.argv[1])
part = trace["10%":"20%"].containers("cluster-2/**").hide("MPI_Init")
assert len(part.slice(level="Machine")) > 0
assert sum(ticks for (ticks,) in part.states.scan(columns=["duration_ticks"]).tuples()) > 0
assert next(trace.links.rows())["value"] == "PTP"
assert trace.findings()[0].kind == "slow"
assert trace.render("bars").svg.startswith(b"<svg")
assert part.cube(slices=3).shape[2] == 3
assert "rows" in repr(trace.stats()) and "<table>" in trace.stats()._repr_html_()
assert trace.stats().__arrow_c_stream__() is not None
assert onca.compare(trace, trace).change_ticks == 0
for package, ask in {
    "pandas": lambda: trace.stats().to_pandas(),
    "polars": lambda: trace.states.lazy(),
    "pyarrow": lambda: trace.states.to_arrow(),
    "numpy": lambda: part.cube().ticks,
}.items():
    try:
        ask()
    except ImportError as error:
        assert type(error) is onca.MissingPackage and error.package == package
        assert f"needs the package {package}, which is not there: pip install {package}" in str(error)
    else:
        raise AssertionError(package)
known = set(sys.stdlib_module_names) | {"onca", "__main__"}
others = {name.split(".")[0] for name in sys.modules} - known
assert not others, others
print(onca.__version__)
"""


def test_nothing_else_is_needed(traces: dict[str, Path]) -> None:
    words = [sys.executable, "-I", "-S", "-c", CODE, str(traces["demo"]), str(PACKAGE)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == onca.__version__


def test_the_command_line_is_in_the_package(traces: dict[str, Path]) -> None:
    for words in (["info", str(traces["demo"])], ["info", str(traces["damaged"])], ["slice", "--nope"], ["--version"]):
        ours = subprocess.run(
            [sys.executable, "-m", "onca", *words], capture_output=True, check=False, cwd=traces["demo"].parent
        )
        theirs = command(*words)
        assert ours.returncode == theirs.status
        assert ours.stdout == theirs.out
        assert ours.stderr.decode() == theirs.said


def test_what_is_public_is_described() -> None:
    for name in onca.__all__:
        assert name == "__version__" or getattr(onca, name).__doc__, name
    kinds = (onca.Trace, onca.Runs, onca.Table, onca.Lens, onca.Entities, onca.Finding, onca.Waits, onca.Cube)
    for kind in (*kinds, onca.Comparison, onca.CriticalPath, onca.Info, onca.Picture, onca.Scan):
        for name in dir(kind):
            if not name.startswith("_"):
                assert getattr(kind, name).__doc__, f"{kind.__name__}.{name}"


def test_types_are_told() -> None:
    assert (PACKAGE / "onca" / "py.typed").exists()
    with pytest.raises(AttributeError):
        onca.open_any  # type: ignore[attr-defined]  # noqa: B018
