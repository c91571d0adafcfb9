"""`python -m engine COMMAND`: the headless commands, without a window."""

import sys

from engine.starting import interruptible

if __name__ == "__main__":
    with interruptible():
        from engine.cli import main
    sys.exit(main())
