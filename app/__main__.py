"""`python -m app`: the same as the installed command `segscope`."""

import sys

from engine.starting import interruptible

if __name__ == "__main__":
    with interruptible():
        from app.main import main
    sys.exit(main())
