"""See and question the execution of parallel programs: traces in notebooks and scripts.

>>> import onca
>>> trace = onca.open("run.paje")
>>> trace["20%":"30%"].slice(level="Machine").to_pandas()

docs/python.md has a tutorial and describes everything.
"""

from __future__ import annotations

from ._ask import generate
from ._compare import Comparison, compare, scaling
from ._cube import Cube
from ._entities import Entities, Scan
from ._errors import (
    ClosedError,
    ColumnError,
    LimitError,
    LostWarning,
    MissingPackage,
    OncaError,
    OptionError,
    OptionValueError,
    TraceError,
)
from ._findings import CriticalPath, Finding, Findings, Waits
from ._info import Info, Problem, Window
from ._lens import Lens
from ._onca import version as __version__
from ._picture import Picture, Report
from ._runs import Broken, Run, Runs, open_all
from ._table import Table
from ._trace import Trace, open

__all__ = [
    "Broken",
    "ClosedError",
    "ColumnError",
    "Comparison",
    "CriticalPath",
    "Cube",
    "Entities",
    "Finding",
    "Findings",
    "Info",
    "Lens",
    "LimitError",
    "LostWarning",
    "MissingPackage",
    "OncaError",
    "OptionError",
    "OptionValueError",
    "Picture",
    "Problem",
    "Report",
    "Run",
    "Runs",
    "Scan",
    "Table",
    "Trace",
    "TraceError",
    "Waits",
    "Window",
    "__version__",
    "compare",
    "generate",
    "open",
    "open_all",
    "scaling",
]
