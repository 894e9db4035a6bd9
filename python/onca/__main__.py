"""The command line of Onca: `python -m onca`, and the console script `onca`."""

from __future__ import annotations

import sys

from . import _onca


def main() -> None:
    """Runs the command that the arguments of the program name, and ends with its exit status."""
    sys.exit(_onca.main(sys.argv[1:]))


if __name__ == "__main__":
    main()
