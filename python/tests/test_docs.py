"""What documents and docstrings show works."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import onca
from onca import _onca
from onca._ask import words_of

DOCS = Path(os.environ.get("ONCA_DOCS", Path(__file__).parents[2] / "docs"))
BLOCK = re.compile(r"^```(python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MODULES = sorted({getattr(onca, name).__module__ for name in onca.__all__ if name != "__version__"} | {"onca"})


def test_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    parser, blocks = doctest.DocTestParser(), 0
    for found in BLOCK.finditer(text):
        line = text[: found.start()].count("\n") + 1
        blocks += 1
        if found.group(1) == "python":
            exec(compile("\n" * line + found.group(2), "python.md", "exec"), names)
            continue
        example = parser.get_doctest(found.group(2), names, "python.md", "python.md", line)
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        said: list[str] = []
        runner.run(example, out=said.append, clear_globs=False)
        assert runner.failures == 0, "".join(said)
        names |= example.globs
    assert blocks >= 15


def examples() -> list[doctest.DocTest]:
    """The examples in all docstrings of what is public."""
    finder = doctest.DocTestFinder(recurse=False)
    found = []
    for module in [sys.modules[name] for name in MODULES]:
        kinds = [it for _, it in inspect.getmembers(module, inspect.isclass) if it.__module__ == module.__name__]
        members = [it for kind in kinds for it in vars(kind).values()]
        functions = [it for _, it in inspect.getmembers(module, inspect.isfunction) if it.__module__ == module.__name__]
        for it in [module, *kinds, *members, *functions]:
            it = it.fget if isinstance(it, property) else it
            if getattr(it, "__doc__", None) and ">>>" in it.__doc__:
                found += finder.find(it, f"{module.__name__}.{getattr(it, '__qualname__', '')}", globs={})
    return found


@pytest.fixture
def folder(tmp_path: Path, traces: dict[str, Path]) -> Path:
    """What docstrings take for granted, which they may write over."""
    (tmp_path / "run.paje").write_bytes(traces["demo"].read_bytes())
    (tmp_path / "runs").mkdir()
    for size in (4, 8):
        onca.generate("iterative", tmp_path / "runs" / f"size={size}.paje", procs=size, events=2000)
    return tmp_path


@pytest.mark.parametrize("example", examples(), ids=lambda it: it.name)
def test_docstrings(example: doctest.DocTest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    import duckdb
    import polars

    trace = onca.open("run.paje")
    runs = onca.open_all("runs/*.paje", labels=r"size=(\d+)")
    small, large = (run.trace for run in runs)
    names: dict[str, Any] = {
        **{"Lens": onca.Lens, "generate": onca.generate, "words_of": words_of},
        **{"onca": onca, "duckdb": duckdb, "polars": polars, "trace": trace, "runs": runs},
        **{"before": small, "after": large, "small": small, "middle": small, "large": large, "self": small},
        **{"other": large, "finding": trace.findings()[0], "comparison": onca.compare(small, large)},
    }
    for step in example.examples:
        exec(compile(step.source, example.name, "single"), names)


def test_the_notebook(tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    import nbformat

    notebook = nbformat.read(DOCS / "notebooks" / "first-look.ipynb", as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    shown = [
        output.data
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "data" in output
    ]
    pictures = [data for data in shown if "image/svg+xml" in data]
    assert len(pictures) >= 3
    assert all("text/plain" in data for data in shown)
    assert any("text/html" in data for data in shown)
    nbformat.validate(notebook)


def test_public_names_are_documented() -> None:
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    for name in ("Lens", "Table", "Finding", "compare", "open_all", "scaling", "generate", "OncaError"):
        assert name in text, name
    for name, it in vars(onca.Trace).items():
        if not name.startswith("_") and name not in ("path", "store", "unit", "lens", "is_whole", "duration_ticks"):
            assert re.search(rf"\b{name}\b", text), (name, it)


def test_help_runs() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "onca", "slice", "--help"], capture_output=True, text=True, check=True
    )
    assert "--level" in ended.stdout


def test_the_stub_tells_what_the_native_module_has() -> None:
    text = (Path(onca.__file__).parent / "_onca.pyi").read_text(encoding="utf-8")
    for name in re.findall(r"^(?:def|class) (\w+)|^(\w+): ", text, re.MULTILINE):
        assert hasattr(_onca, "".join(name)), name
