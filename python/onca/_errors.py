"""What can go wrong, as exceptions that say what and where."""

from __future__ import annotations

import importlib
import re
from types import ModuleType

__all__ = [
    "ClosedError",
    "ColumnError",
    "LimitError",
    "LostWarning",
    "MissingPackage",
    "OncaError",
    "OptionError",
    "OptionValueError",
    "TraceError",
]

_CODE = re.compile(r"\b(?:note|warning|error|fatal)\[([a-z0-9-]+)\]: ")
_OPTION = re.compile(r"--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")
_INTERRUPTED = 130
_LIMIT = 3


class OncaError(Exception):
    """Something could not be done.

    `message` says what and where, `status` is the exit status that the command line would have, and
    `code` is the stable code of the first problem of the trace that the message names, such as
    `bad-number`, or None.
    """

    def __init__(self, message: str, status: int = 2, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code

    def __str__(self) -> str:
        return self.message


class TraceError(OncaError):
    """A trace, a store or a lens that cannot be used as asked: missing, damaged, not fitting."""


class LimitError(OncaError):
    """A limit stopped the question: memory, disk space, time, or a file that expands without end."""


class ClosedError(OncaError):
    """The trace was closed before the question."""


class ColumnError(OncaError, LookupError):
    """A column or a table that does not exist. The message names those that there are."""


class OptionError(OncaError, TypeError):
    """A question does not have such an option, or not together with the others."""


class OptionValueError(OncaError, ValueError):
    """A value that an option does not take."""


class MissingPackage(ImportError):
    """A Python package that is needed for this, and not there. `package` is its name."""

    def __init__(self, package: str, what: str) -> None:
        super().__init__(f"{what} needs the package {package}, which is not there: pip install {package}")
        self.package = package


class LostWarning(UserWarning):
    """A trace of several could not be opened."""


def need(package: str, what: str) -> ModuleType:
    """The module of an optional package, or an exception that says how to get it."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise MissingPackage(package, what) from None


def failure(status: int, said: str) -> BaseException:
    """The exception for a command that could not answer, from what it said."""
    if status == _INTERRUPTED:
        return KeyboardInterrupt()
    if "try '--help'" in said:
        return _of_options(said, status)
    found = _CODE.search(said)
    message = _message(said) or f"the command ended with status {status}"
    kind = LimitError if status == _LIMIT else TraceError
    return kind(message, status, found.group(1) if found else None)


def _message(said: str) -> str:
    """What is wrong, without the remarks before it."""
    lines = said.strip().splitlines()
    first = max((at for at, line in enumerate(lines) if line.startswith("error: ")), default=0)
    return "\n".join(lines[first:]).removeprefix("error: ").strip()


def _of_options(said: str, status: int) -> OncaError:
    """What the parser of the command line says, in words of Python."""
    text = _message(said).split("\n\nUsage:")[0].split("\n\nFor more information")[0]
    lines = (line.strip() for line in text.splitlines())
    message = "; ".join(line for line in lines if line)
    message = _OPTION.sub(lambda found: found.group(1).replace("-", "_"), message)
    kind = OptionValueError if message.startswith("invalid value") else OptionError
    return kind(message.replace(" argument ", " option "), status)
