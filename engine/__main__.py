"""`python -m engine COMMAND`: the headless commands, without a window."""

import sys

from engine.cli import main

if __name__ == "__main__":
    sys.exit(main())
